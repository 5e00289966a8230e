//! The loaded modules of this process. Slots with the same module share it, its memory image and its file descriptor.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits, Module, WeakModule};

/// The modules in use, by digest.
#[derive(Debug, Default)]
pub(super) struct Shared(Mutex<BTreeMap<Digest, Vec<WeakModule>>>);

impl Shared {
    /// Returns the module with these limits, or loads it with `load`.
    pub(super) fn module(
        &self,
        digest: Digest,
        limits: &Limits,
        load: impl FnOnce() -> Result<Module, Error>,
    ) -> Result<Module, Error> {
        if let Some(module) = self.find(digest, limits) {
            return Ok(module);
        }
        // Loading takes time, so it does not hold the lock. Two concurrent loads give two copies.
        let module = load()?;
        let mut modules = self.lock();
        modules.retain(|_, held| {
            held.retain(WeakModule::is_held);
            !held.is_empty()
        });
        modules.entry(digest).or_default().push(module.downgrade());
        Ok(module)
    }

    /// Returns the module with these limits if it is in use.
    pub(super) fn find(&self, digest: Digest, limits: &Limits) -> Option<Module> {
        let modules = self.lock();
        let mut held = modules.get(&digest)?.iter().filter_map(WeakModule::upgrade);
        held.find(|module| module.limits() == limits)
    }

    /// The lists are consistent between any two changes.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<Digest, Vec<WeakModule>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adjudicate_sandbox::{Host, HostSettings, manifest};

    #[test]
    fn users_of_a_module_share_it_until_the_last_one_drops_it() {
        let text = r#"(module (memory (export "memory") 2 16)
            (func (export "adjudicate_abi_1") (result i32) (i32.const 0))
            (func (export "adjudicate_alloc") (param i32) (result i32) (i32.const 65536))
            (func (export "adjudicate_call") (param i32 i32 i32) (result i32) (i32.const 16)))"#;
        let json = r#"{"abi":1,"name":"test","version":"0.1.0","operations":["evaluate"]}"#;
        let bytes = manifest::append(&wat::parse_str(text).unwrap(), json).unwrap();
        let host = Host::new(HostSettings { instances: 1, ..HostSettings::default() }).unwrap();
        let (shared, limits) = (Shared::default(), *host.limits());
        let tight = Limits { fuel: 1_000_000, ..limits };
        let digest = Digest::sha256(&bytes);
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
