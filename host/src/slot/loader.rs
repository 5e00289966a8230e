//! Loads the compositions of the store: judges their trust, and compiles code or takes it from the cache.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Host, Limits, Module, SingleFlight, WeakModule};
use adjudicate_trust::{Credentials, TrustAction, TrustContext, TrustPolicy, TrustVerdict};
use semver::Version;

use super::{
    deployment::Deployment,
    health::Problems,
    ledger::LedgerBinding,
    route::{MonitoredDeployment, Route},
};
use crate::{
    codes,
    history::{ComposedModule, Composition, SlotEntry, SlotSettings},
    store::Store,
};

const MOST_CREDENTIALS: usize = 256;

/// The parts that are needed to load modules.
#[derive(Debug)]
pub(super) struct Loader {
    pub(super) store: Store,
    pub(super) host: Host,
    pub(super) shared: Shared,
    /// The credentials of modules. They depend only on the bytes.
    credentials: SingleFlight<Digest, Arc<Credentials>>,
    /// The ledger, if hosts share the slots.
    pub(super) binding: Option<LedgerBinding>,
    pub(super) problems: Problems,
}

/// The slot, policy and moment for which modules are loaded.
pub(super) struct LoadTerms<'a> {
    pub(super) slot: &'a str,
    pub(super) settings: &'a SlotSettings,
    pub(super) trust: &'a TrustPolicy,
    pub(super) trust_action: TrustAction,
    /// Only versions that were active before this entry count as later versions. Without it, all entries count.
    pub(super) before: Option<i64>,
}

/// Milliseconds since 1970 by the system's clock.
pub(super) fn now() -> i64 {
    let milliseconds = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => milliseconds(since),
        Err(before) => -milliseconds(before.duration()),
    }
}

pub(super) fn judge(
    trust: &TrustPolicy,
    credentials: &Credentials,
    is_unsigned: bool,
    trust_action: TrustAction,
    highest: Option<Version>,
) -> Result<TrustVerdict, Error> {
    let occasion = TrustContext { action: trust_action, now: now(), highest: highest.as_ref() };
    match is_unsigned {
        true => trust.without_signatures().judge(credentials, &occasion),
        false => trust.judge(credentials, &occasion),
    }
}

impl Loader {
    pub(super) fn new(store: Store, host: Host, binding: Option<LedgerBinding>) -> Self {
        let credentials = SingleFlight::new(MOST_CREDENTIALS, Duration::MAX);
        Self { store, host, shared: Shared::default(), credentials, binding, problems: Problems::default() }
    }

    /// The trust policy of a slot. Without one, the policy that trusts no key.
    pub(super) fn trust(&self, slot: Option<&str>) -> Result<TrustPolicy, Error> {
        parse(self.store.trust(slot)?.as_deref())
    }

    /// Loads a composition. Modules that are loaded already are used again.
    pub(super) fn deployment(
        &self,
        composition: &Composition,
        terms: &LoadTerms<'_>,
    ) -> Result<Arc<Deployment>, Error> {
        let limits = terms.settings.limits(self.host.limits());
        let load = &mut |member: &ComposedModule| self.module(member, terms, limits);
        Deployment::load(composition, load).map(Arc::new)
    }

    fn module(
        &self,
        member: &ComposedModule,
        terms: &LoadTerms<'_>,
        limits: Limits,
    ) -> Result<Module, Error> {
        let digest = member.module;
        let read = |bytes: &[u8]| Credentials::read(bytes).map(Arc::new);
        if let Some(module) = self.shared.find(digest, &limits) {
            // Its credentials were read when it was loaded, so its bytes are rarely needed.
            let credentials = self.credentials.get(digest, || read(&self.store.module_bytes(digest)?))?;
            self.accept(member, terms, &credentials, || Ok(module.manifest().name.to_string()))?;
            return Ok(module);
        }
        let bytes = self.store.module_bytes(digest)?;
        let credentials = self.credentials.get(digest, || read(&bytes))?;
        self.accept(member, terms, &credentials, || Ok(self.store.module(digest)?.name))?;
        self.shared.module(digest, &limits, || self.host.load_with(&bytes, limits))
    }

    /// Judges a member. `name` is called if it matters whether a later version was active.
    fn accept(
        &self,
        member: &ComposedModule,
        terms: &LoadTerms<'_>,
        credentials: &Credentials,
        name: impl FnOnce() -> Result<String, Error>,
    ) -> Result<(), Error> {
        self.binding.as_ref().map_or(Ok(()), |binding| binding.admit(member))?;
        // A rollback goes to an earlier version.
        let highest = match terms.trust_action {
            TrustAction::Activate => match terms.before {
                Some(entry) => self.store.active_versions_before(terms.slot, entry)?.remove(&name()?),
                None => self.store.height(terms.slot, &name()?)?,
            },
            _ => None,
        };
        judge(terms.trust, credentials, member.unsigned, terms.trust_action, highest).map(drop)
    }

    /// Loads all compositions of an entry. Without a loadable active composition, calls fail. A canary or a shadow that cannot be
    /// loaded is not called. The route has the error.
    pub(super) fn route(&self, entry: SlotEntry, before: Option<&Route>) -> Result<Route, Error> {
        let trust = self.store.trust(Some(&entry.slot))?;
        let policy = parse(trust.as_deref())?;
        let terms = LoadTerms {
            slot: &entry.slot,
            settings: &entry.settings,
            trust: &policy,
            trust_action: TrustAction::Load,
            before: None,
        };
        let mut problem: Option<Error> = None;
        let mut load = |composition: &Composition| {
            let loaded = self.deployment(composition, &terms);
            loaded.inspect_err(|error| {
                problem.get_or_insert_with(|| error.clone());
            })
        };
        let active = match &entry.state.active {
            Some(composition) => load(composition),
            None => {
                let message = format!("no module is active in the slot `{}`", entry.slot);
                Err(Error::new(codes::SLOT_EMPTY, message))
            }
        };
        let canary = entry.state.canary.as_ref();
        let canary = canary.and_then(|canary| Some((load(&canary.composition).ok()?, canary.permille)));
        let shadow = entry.state.shadow.as_ref().and_then(|shadow| load(shadow).ok());
        let previous = match entry.settings.rolls_back() {
            true => self.previous(&entry, &policy)?,
            false => None,
        };
        let monitor = |deployment: Arc<Deployment>| {
            let mut known = before.into_iter().flat_map(Route::monitored);
            let same = known.find(|known| known.deployment.composition == deployment.composition);
            let window = same.map(|same| Arc::clone(&same.window)).unwrap_or_default();
            MonitoredDeployment { deployment, window }
        };
        let active = active.map(monitor);
        Ok(Route {
            kept: before.and_then(|before| before.kept_with(active.as_ref().ok())),
            active,
            canary: canary.map(|(deployment, permille)| (monitor(deployment), permille)),
            previous,
            shadow,
            trust,
            problem,
            entry,
        })
    }

    /// Returns the route that replaces another one. If the new composition cannot be loaded, the current one continues to answer
    /// while it is trusted. The route has the error.
    pub(super) fn next_route(&self, entry: SlotEntry, before: &Route) -> Result<Route, Error> {
        let route = self.route(entry, Some(before))?;
        let (Err(error), Ok(monitored)) = (&route.active, &before.active) else { return Ok(route) };
        let composition = &monitored.deployment.composition;
        // A slot that was rolled back to no composition is closed.
        if route.entry.state.active.as_ref().is_none_or(|active| active == composition) {
            return Ok(route);
        }
        // The composition of a deleted slot decides nothing in a new slot of the same name.
        if self.store.entry(&before.entry.slot, before.entry.id).is_err() {
            return Ok(route);
        }
        // Judges the other compositions of that route again: the canary and the previous one.
        let kept = self.route(before.entry.clone(), Some(before))?;
        match kept.active {
            Ok(_) => Ok(Route { problem: Some(error.clone()), ..kept }),
            Err(_) => Ok(route),
        }
    }
}

/// Reads a trust policy. Without one, no key is trusted.
fn parse(policy: Option<&str>) -> Result<TrustPolicy, Error> {
    policy.map_or_else(|| Ok(TrustPolicy::default()), |policy| TrustPolicy::parse(policy.as_bytes()))
}

/// The modules in use in this process, by digest. Slots with the same module share it, its memory image and its file descriptor.
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
