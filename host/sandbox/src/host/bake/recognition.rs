//! Whether a module is a policy, baked into an engine that the host knows: found out by baking it again.
//!
//! A host runs engines that it knows without fuel, for they count their own steps. Nothing that a module says of itself is
//! proof of being one, and neither is code that is the engine's own: its memory is the module's, and a policy that was tampered
//! with there (a list that never ends, a program that calls itself) can make good code run forever. What is proof is that the
//! module, but for what it says of itself, is byte for byte what comes of baking the document that it carries. That holds what it
//! does, and nothing about it is left to the one who made it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::sections;
use crate::{carried::Carried, codes, digest::Digest, host::Host, inspect::Inspection, reply::CallError};

/// How many modules a host remembers to have looked at.
const REMEMBERED: usize = 1_024;

/// The engines that a host knows by their bytes, and what it found out.
#[derive(Debug, Default)]
pub(crate) struct Recognition {
    engines: Vec<(Digest, Arc<[u8]>)>,
    found: Mutex<BTreeMap<Digest, bool>>,
}

impl Recognition {
    pub(crate) fn new(engines: Vec<Arc<[u8]>>) -> Self {
        let engines = engines.into_iter().map(|engine| (Digest::of(&engine), engine)).collect();
        Self { engines, found: Mutex::default() }
    }
}

impl Host {
    /// Whether a module that was inspected is an engine that the host knows by its bytes, or a policy baked into one.
    ///
    /// What cannot be found out is not so: the module is then run as any other.
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
        // Two who ask at once both find out.
        let mut is_known = false;
        // What a module says proves nothing; but what does not even say so need not be baked.
        let said = inspection.manifest.text();
        for (_, engine) in engines.iter().filter(|(digest, _)| said.contains(&digest.hex())) {
            match self.is_baked_into(engine, module, document) {
                Ok(is_baked) => is_known |= is_baked,
                // That may be otherwise the next time.
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

    fn is_baked_into(&self, engine: &[u8], module: &[u8], document: &Carried) -> Result<bool, CallError> {
        Ok(self.snapshot(engine, document, self.baking_limits())? == sections::without_labels(module)?)
    }
}

/// Whether an error would come again.
fn is_of_module(error: &CallError) -> bool {
    !matches!(error, CallError::Fault(error) if matches!(error.code(), codes::HOST_OVERLOADED | codes::HOST_FAULT))
}
