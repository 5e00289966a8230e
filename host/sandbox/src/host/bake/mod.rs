//! Baking: builds a module from an engine and a policy document (docs/reference/modules.md).
//!
//! ```text
//! engine -> instrument -> instance in the sandbox -> adjudicate_configure(document) -> snapshot of its memory
//!                                                                                         |
//! document -> label: name, version, digest, rules, tests -> manifest, canonical document -> module
//! ```
//!
//! The engine is not trusted: it is inspected, compiled and run under fuel and a deadline as every module is. The result is inspected
//! again.
//!
//! # Recognition
//!
//! A host recognizes a policy that is baked into a known engine: it bakes the policy again and compares. A host runs known engines
//! without fuel, because they count their own steps. The manifest of a module proves nothing. The code
//! of an engine alone proves nothing either, because the memory belongs to the module. A forged policy there, such as an endless
//! list or a program that calls itself, can make good code run forever. The proof is that baking the module's document gives the
//! same bytes, except for the labels. Those bytes determine all of its behavior.

mod label;
mod leaner;
mod sections;
mod snapshot;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adjudicate_core::{Error, ErrorCode, Operation};

use super::Host;
use crate::{
    CallError, Digest, codes,
    embedded_policy::{EmbeddedPolicy, SECTION},
    inspect::{Inspection, inspect},
    limits::Limits,
    manifest,
};

pub use label::ModuleLabel;

/// Fuel for reading a policy: some seconds. Fuel counts steps, so the result does not depend on the machine.
const FUEL: u64 = 1_000_000_000;
/// A backstop in computing time.
const DEADLINE: Duration = Duration::from_secs(30);

impl Host {
    /// Bakes a policy document into an engine. The module answers as the engine does after it is configured with the document,
    /// without reading a policy first. The same engine, document and label give the same bytes. The layout of the document does
    /// not matter.
    ///
    /// The manifest has the policy's name, version, rules and tests, and the digest of its canonical JSON. The custom section
    /// `adjudicate.policy` holds that JSON. The module's own tests have passed in it.
    ///
    /// The limits of the host apply, except fuel and time: reading a policy may take more of them than a call.
    ///
    /// # Errors
    ///
    /// | Error | Cause |
    /// | --- | --- |
    /// | [`CallError::Reported`] | the engine rejects the document |
    /// | [`CallError::Fault`] | the document is not a policy, or one of the causes below |
    /// | [`codes::INVALID_POLICY`] | a test has another meaning in a module, or cannot fail |
    /// | [`codes::WRONG_USAGE`] | the name is not valid for a module |
    /// | [`codes::LIMIT_EXCEEDED`] | more than 1,000 tests, or a manifest above 256 KiB; the path is that of the longest part |
    /// | [`codes::MODULE_MEMORY`], [`codes::MODULE_OUT_OF_FUEL`] | the engine cannot read the policy within its limits |
    /// | [`codes::MODULE_EXPORTS`], [`codes::MODULE_MANIFEST`] | the module is not an engine |
    /// | [`codes::MODULE_TESTS`] | a test of the policy fails |
    ///
    /// Also those of [`Host::load`].
    ///
    /// ```no_run
    /// use adjudicate_core::Operation;
    /// use adjudicate_sandbox::{Host, HostSettings, ModuleLabel};
    /// let host = Host::new(HostSettings::default())?;
    /// let policy = br#"{"policy": "release", "version": "1.2.0", "forbidden_paths": ["infra/**"]}"#;
    /// let baked = host.bake(&std::fs::read("engine.wasm")?, policy, &ModuleLabel::default())?;
    /// let module = host.load(&baked)?;
    /// assert_eq!((&*module.manifest().name, module.manifest().version.minor), ("release", 2));
    /// let answer = module.call(Operation::Evaluate, &std::fs::read("envelope.json")?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bake(&self, engine: &[u8], document: &[u8], label: &ModuleLabel) -> Result<Vec<u8>, CallError> {
        let document = EmbeddedPolicy::read(document)?;
        label::check_tests(&document)?;
        let limits = self.baking_limits();
        let about = checked(engine, &limits)?;
        let manifest = label.manifest(&document, &about)?;
        let snapshot = self.snapshot(engine, &document, limits)?;
        let baked = sections::append(&snapshot, SECTION, &document.packed());
        let baked = manifest::append(&baked, &manifest)?;
        self.load(&baked)?.pass_tests()?;
        Ok(baked)
    }

    fn baking_limits(&self) -> Limits {
        let limits = *self.limits();
        Limits { fuel: limits.fuel.max(FUEL), deadline: limits.deadline.max(DEADLINE), ..limits }
    }

    /// Returns the configured engine without labels and without unused parts.
    fn snapshot(
        &self,
        engine: &[u8],
        document: &EmbeddedPolicy,
        limits: Limits,
    ) -> Result<Vec<u8>, CallError> {
        let configured = snapshot::configured(self, engine, document.text().as_bytes(), limits)?;
        Ok(leaner::leaner(&sections::without_labels(&configured)?)?)
    }
}

/// Inspects the engine. Fails if policies cannot be baked into the module.
fn checked(engine: &[u8], limits: &Limits) -> Result<Inspection, Error> {
    limits.admit_bytes(engine)?;
    let about = inspect(engine).map_err(|error| error.within("the engine"))?;
    let refusal = |code: ErrorCode, what: &str| Err(Error::new(code, format!("the engine: {what}")));
    if about.manifest.policy.is_some() || about.policy.is_some() {
        return refusal(codes::MODULE_MANIFEST, "it already contains a policy");
    }
    if !about.takes_policy() {
        return refusal(
            codes::MODULE_EXPORTS,
            "the module exports no `adjudicate_configure`, so no policy can be baked into it",
        );
    }
    if about.manifest.engine.is_none() {
        let what = "the module does not say in its manifest which `engine` it is; policies are baked into `engine.wasm`";
        return refusal(codes::MODULE_MANIFEST, what);
    }
    if !about.manifest.operations.contains(&Operation::Evaluate) {
        return refusal(
            codes::MODULE_MANIFEST,
            "it does not offer `evaluate`, which the policy would decide",
        );
    }
    Ok(about)
}

/// The most results that a host remembers.
const REMEMBERED: usize = 1_024;

/// The engines that a host knows by their bytes, and the results for modules.
#[derive(Debug, Default)]
pub(crate) struct Recognition {
    engines: Vec<(Digest, Arc<[u8]>)>,
    found: Mutex<BTreeMap<Digest, bool>>,
}

impl Recognition {
    pub(crate) fn new(engines: Vec<Arc<[u8]>>) -> Self {
        let engines = engines.into_iter().map(|engine| (Digest::sha256(&engine), engine)).collect();
        Self { engines, found: Mutex::default() }
    }
}

impl Host {
    /// True if an inspected module is an engine that the host knows by its bytes, or a policy baked into one.
    ///
    /// If that cannot be determined, the answer is no, and the module runs as any other.
    pub(crate) fn recognises(&self, module: &[u8], inspection: &Inspection) -> bool {
        let Recognition { engines, found } = self.recognition();
        if engines.iter().any(|(digest, _)| *digest == inspection.digest) {
            return true;
        }
        let Some(document) = inspection.policy.as_ref().filter(|_| !engines.is_empty()) else { return false };
        let found = || found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(is_known) = found().get(&inspection.digest) {
            return *is_known;
        }
        // Two concurrent calls both bake.
        let mut is_known = false;
        // The manifest proves nothing, but a module whose manifest names no known engine need not be baked.
        let manifest = inspection.manifest.text();
        for (_, engine) in engines.iter().filter(|(digest, _)| manifest.contains(&digest.hex())) {
            match self.is_baked_into(engine, module, document) {
                Ok(is_baked) => is_known |= is_baked,
                // A failure of the host may not happen the next time.
                Err(error) if !is_of_module(&error) => return false,
                Err(_) => {}
            }
        }
        let mut found = found();
        if found.len() >= REMEMBERED {
            found.pop_first();
        }
        found.insert(inspection.digest, is_known);
        is_known
    }

    fn is_baked_into(
        &self,
        engine: &[u8],
        module: &[u8],
        document: &EmbeddedPolicy,
    ) -> Result<bool, CallError> {
        Ok(self.snapshot(engine, document, self.baking_limits())? == sections::without_labels(module)?)
    }
}

/// True if an error would happen again for the same module.
fn is_of_module(error: &CallError) -> bool {
    !matches!(error, CallError::Fault(error) if matches!(error.code(), codes::HOST_OVERLOADED | codes::HOST_FAULT))
}
