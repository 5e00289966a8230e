//! Modules that are loaded in this process: slots that have the same one in force share it, its memory image and its file
//! descriptor.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits, Module, WeakModule};

/// The modules that somebody holds, by their digest.
#[derive(Debug, Default)]
pub(super) struct Shared(Mutex<BTreeMap<Digest, Vec<WeakModule>>>);

impl Shared {
    /// The module under these limits, which `load` loads if nobody has it.
    pub(super) fn module(
        &self,
        digest: Digest,
        limits: &Limits,
        load: impl FnOnce() -> Result<Module, Error>,
    ) -> Result<Module, Error> {
        if let Some(module) = self.find(digest, limits) {
            return Ok(module);
        }
        // Loading takes a while, so nobody waits for it here: two who do it at once have one each.
        let module = load()?;
        let mut modules = self.lock();
        modules.retain(|_, held| {
            held.retain(WeakModule::is_held);
            !held.is_empty()
        });
        modules.entry(digest).or_default().push(module.downgrade());
        Ok(module)
    }

    /// The module under these limits, if somebody has it.
    pub(super) fn find(&self, digest: Digest, limits: &Limits) -> Option<Module> {
        let modules = self.lock();
        let mut held = modules.get(&digest)?.iter().filter_map(WeakModule::upgrade);
        held.find(|module| module.limits() == limits)
    }

    /// A list is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Digest, Vec<WeakModule>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adjudicate_sandbox::{Host, Settings, manifest};

    #[test]
    fn who_holds_a_module_shares_it_and_who_lets_go_is_forgotten() {
        let text = r#"(module (memory (export "memory") 2 16)
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 65536))
            (func (export "adjudicate_call") (param i32 i32 i32) (result i32) (i32.const 16)))"#;
        let json = r#"{"abi":1,"name":"test","version":"0.1.0","operations":["evaluate"]}"#;
        let bytes = manifest::append(&wat::parse_str(text).unwrap(), json).unwrap();
        let host = Host::new(Settings { instances: 1, ..Settings::default() }).unwrap();
        let (shared, limits) = (Shared::default(), *host.limits());
        let tight = Limits { fuel: 1_000_000, ..limits };
        let digest = Digest::of(&bytes);
        let get =
            |limits: &Limits| shared.module(digest, limits, || host.load_with(&bytes, *limits)).unwrap();
        let [one, two, other] = [get(&limits), get(&limits), get(&tight)];
        assert_eq!(shared.lock().get(&digest).map(Vec::len), Some(2), "two of the three are one");
        assert_eq!(*other.limits(), tight);
        drop((one, two));
        let again = get(&limits);
        assert_eq!(shared.lock().get(&digest).map(Vec::len), Some(2));
        drop((again, other));
        assert!(shared.find(digest, &limits).is_none());
    }
}
