//! Recognition of policies that are baked into a known engine: the host bakes the policy again and compares.
//!
//! A host runs known engines without fuel, because they count their own steps. The manifest of a module proves nothing. The code
//! of an engine alone proves nothing either, because the memory belongs to the module. A forged policy there, such as an endless
//! list or a program that calls itself, can make good code run forever. The proof is that baking the module's document gives the
//! same bytes, except for the labels. Those bytes determine all of its behavior.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::sections;
use crate::{CallError, Digest, codes, embedded_policy::EmbeddedPolicy, host::Host, inspect::Inspection};

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
