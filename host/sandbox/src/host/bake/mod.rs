//! Baking: from an engine and a policy document to a module that is the policy (SPEC section 13.2).
//!
//! ```text
//! engine -> instrument -> instance in the sandbox -> adjudicate_configure(document) -> snapshot of its memory
//!                                                                                         |
//! document -> label: name, version, digest, rules, tests -> manifest, canonical document -> module
//! ```
//!
//! Owns what goes into such a module and how a host recognises one (`recognition`). Nothing here trusts the engine: it
//! is inspected, compiled and run as any module is, under fuel, and a deadline, and what comes out is inspected again.

mod label;
mod leaner;
mod recognition;
mod sections;
mod snapshot;
mod tests;

use std::time::Duration;

use adjudicate_core::{Error, ErrorCode, Operation};

pub use label::ModuleLabel;
pub(crate) use recognition::Recognition;

use crate::{
    carried::{Carried, SECTION},
    codes,
    host::Host,
    inspect::{Inspection, inspect},
    limits::Limits,
    manifest,
    reply::CallError,
};

/// How much fuel reading a policy may take: some seconds. It is counted by the step, so whether a policy can be baked does not
/// depend on the machine.
const FUEL: u64 = 1_000_000_000;
/// A backstop, in computing time.
const DEADLINE: Duration = Duration::from_secs(30);

impl Host {
    /// Bakes a policy document, JSON, into an engine: a module that answers as the engine does once it is configured with the
    /// document, and has nothing to read before it answers. The same engine, document and label give the same bytes, and how
    /// the document is laid out does not matter.
    ///
    /// The module carries what it was made of. Its manifest has the policy's name, version, rules and tests, and the digest of
    /// its canonical JSON; its custom section `adjudicate.policy` is that JSON. Its own tests have passed in it.
    ///
    /// Limits of the host hold but for fuel and time, of which reading a policy may take more than a call.
    ///
    /// # Errors
    ///
    /// [`CallError::Reported`] with what the engine has to say about the document. [`CallError::Fault`] with what is wrong
    /// with the document, if it is no policy; [`codes::INVALID_POLICY`] for a test that means something else in a module,
    /// or cannot fail; [`codes::WRONG_USAGE`] for a name that no module can have; [`codes::LIMIT_EXCEEDED`] for more tests
    /// than a module may have (1,000), for a description, ids of rules and tests that do not fit into a manifest (256 KiB), at
    /// what is longest of them; [`codes::MODULE_MEMORY`] and [`codes::MODULE_OUT_OF_FUEL`] for a policy that the engine cannot
    /// read with what it may use; [`codes::MODULE_EXPORTS`] and [`codes::MODULE_MANIFEST`] for a module that is
    /// not an engine; [`codes::MODULE_TESTS`] where a test of the policy fails; and those of [`Host::load`].
    ///
    /// ```no_run
    /// use adjudicate_core::Operation;
    /// use adjudicate_sandbox::{Host, ModuleLabel, Settings};
    /// let host = Host::new(Settings::default())?;
    /// let policy = br#"{"policy": "release", "version": "1.2.0", "forbidden_paths": ["infra/**"]}"#;
    /// let baked = host.bake(&std::fs::read("engine.wasm")?, policy, &ModuleLabel::default())?;
    /// let module = host.load(&baked)?;
    /// assert_eq!((module.manifest().name.as_str(), module.manifest().version.minor), ("release", 2));
    /// let answer = module.call(Operation::Evaluate, &std::fs::read("envelope.json")?)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bake(&self, engine: &[u8], document: &[u8], label: &ModuleLabel) -> Result<Vec<u8>, CallError> {
        let document = Carried::read(document)?;
        tests::check(&document)?;
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

    /// The engine as it is once it is configured, without what engines and modules say of themselves.
    fn snapshot(&self, engine: &[u8], document: &Carried, limits: Limits) -> Result<Vec<u8>, CallError> {
        let configured = snapshot::take(self, engine, document.text().as_bytes(), limits)?;
        Ok(leaner::leaner(&sections::without_labels(&configured)?)?)
    }
}

/// What an engine is, if the module is one that policies can be baked into.
fn checked(engine: &[u8], limits: &Limits) -> Result<Inspection, Error> {
    limits.admit_bytes(engine)?;
    let about = inspect(engine).map_err(|error| error.within("the engine"))?;
    let refusal = |code: ErrorCode, what: &str| Err(Error::new(code, format!("the engine: {what}")));
    if about.manifest.policy.is_some() || about.policy.is_some() {
        return refusal(codes::MODULE_MANIFEST, "a policy is baked into it already");
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
