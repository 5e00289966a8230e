//! Loads the compositions of the store: judges their trust, and compiles code or takes it from the cache.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Host, Limits, Module, inspect};
use adjudicate_trust::{Credentials, TrustAction, TrustContext, TrustPolicy, TrustVerdict};
use semver::Version;

use super::{
    deployment::Deployment,
    health::Problems,
    ledger_binding::LedgerBinding,
    route::{MonitoredDeployment, Route},
    shared::Shared,
    window::Window,
};
use crate::{
    codes,
    history::{ComposedModule, Composition, SlotEntry, SlotSettings},
    store::Store,
};

/// The parts that are needed to load modules.
#[derive(Debug)]
pub(super) struct Loader {
    pub(super) store: Store,
    pub(super) host: Host,
    pub(super) shared: Shared,
    pub(super) read: ReadCredentials,
    /// The ledger, if hosts share the slots.
    pub(super) binding: Option<LedgerBinding>,
    pub(super) problems: Problems,
}

/// The trust policy that applies.
#[derive(Debug)]
pub(super) struct Trust {
    pub(super) policy: TrustPolicy,
    /// Its text; `None` if there is no policy, and no key is trusted.
    pub(super) text: Option<String>,
}

/// A module that was just installed.
pub(super) struct Fresh {
    pub(super) module: Module,
    /// True if the store did not have the module before.
    pub(super) is_new: bool,
    /// The number of the module's own tests, all of which passed.
    pub(super) tests: usize,
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

/// Judges whether trust accepts a module.
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
    /// The trust policy of a slot. Without one, the policy that trusts no key.
    pub(super) fn trust(&self, slot: Option<&str>) -> Result<Trust, Error> {
        let text = self.store.trust(slot)?;
        let policy = text.as_deref().map(|text| TrustPolicy::parse(text.as_bytes())).transpose()?;
        Ok(Trust { policy: policy.unwrap_or_default(), text })
    }

    /// Loads a composition. Modules of the route `at_hand` are used again.
    pub(super) fn deployment(
        &self,
        composition: &Composition,
        terms: &LoadTerms<'_>,
        at_hand: Option<&Route>,
    ) -> Result<Arc<Deployment>, Error> {
        let limits = terms.settings.limits(self.host.limits());
        let load = &mut |member: &ComposedModule| self.module(member, terms, limits, at_hand);
        Deployment::load(composition, load).map(Arc::new)
    }

    fn module(
        &self,
        member: &ComposedModule,
        terms: &LoadTerms<'_>,
        limits: Limits,
        at_hand: Option<&Route>,
    ) -> Result<Module, Error> {
        let digest = member.module;
        if let Some(module) = self.loaded(digest, limits, at_hand) {
            // A loaded module needs no bytes: its credentials were read when it was loaded.
            let credentials = match self.read.find(digest) {
                Some(credentials) => credentials,
                None => self.read.keep(digest, Credentials::read(&self.store.module_bytes(digest)?)?),
            };
            self.accept(member, terms, &credentials, || Ok(module.manifest().name.to_string()))?;
            return Ok(module);
        }
        let bytes = self.store.module_bytes(digest)?;
        let credentials = self.read.keep(digest, Credentials::read(&bytes)?);
        self.accept(member, terms, &credentials, || Ok(self.store.module(digest)?.name))?;
        self.shared.module(digest, &limits, || self.host.load_with(&bytes, limits))
    }

    /// Installs a module: checks it, judges its trust, compiles it, runs its own tests, and stores it.
    pub(super) fn install(
        &self,
        bytes: &[u8],
        limits: Limits,
        trust: &TrustPolicy,
        unsigned: bool,
    ) -> Result<Fresh, Error> {
        limits.admit_bytes(bytes)?;
        let verdict = judge(trust, &Credentials::read(bytes)?, unsigned, TrustAction::Install, None)?;
        let inspection = inspect(bytes)?;
        limits.admit(&inspection)?;
        let module = self.shared.module(inspection.digest, &limits, || self.host.load_with(bytes, limits))?;
        let tests = module.pass_tests()?;
        let is_new = self.store.store_module(&inspection, bytes, &verdict.to_json(), now())?;
        Ok(Fresh { module, is_new, tests })
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

    /// The module, if it is loaded with these limits.
    fn loaded(&self, digest: Digest, limits: Limits, at_hand: Option<&Route>) -> Option<Module> {
        let is_same = |module: &&Module| module.digest() == digest && *module.limits() == limits;
        let here =
            at_hand.and_then(|route| route.deployments().flat_map(|each| each.modules()).find(is_same));
        here.cloned().or_else(|| self.shared.find(digest, &limits))
    }

    /// Loads all compositions of an entry. Without a loadable active composition, calls fail. A canary or a shadow that cannot be
    /// loaded is not called. The route has the error.
    pub(super) fn route(&self, entry: SlotEntry, before: Option<&Route>) -> Result<Route, Error> {
        let trust = self.trust(Some(&entry.slot))?;
        self.route_with(entry, before, trust, None)
    }

    /// Does the same with a given trust policy, and with one composition that was already judged and loaded.
    pub(super) fn route_with(
        &self,
        entry: SlotEntry,
        before: Option<&Route>,
        trust: Trust,
        load_changed: Option<&Arc<Deployment>>,
    ) -> Result<Route, Error> {
        let Trust { policy, text: trust } = trust;
        let terms = LoadTerms {
            slot: &entry.slot,
            settings: &entry.settings,
            trust: &policy,
            trust_action: TrustAction::Load,
            before: None,
        };
        let load = |composition: &Composition| match load_changed {
            Some(load_changed) if load_changed.composition == *composition => Ok(Arc::clone(load_changed)),
            _ => self.deployment(composition, &terms, before),
        };
        let mut problem = None;
        let mut load_or_tell = |composition: &Composition| {
            load(composition).inspect_err(|error| problem = problem.take().or_else(|| Some(error.clone())))
        };
        let active = match &entry.state.active {
            Some(composition) => load_or_tell(composition),
            None => Err(empty(&entry.slot)),
        };
        let canary = entry.state.canary.as_ref();
        let canary =
            canary.and_then(|canary| Some((load_or_tell(&canary.composition).ok()?, canary.permille)));
        let shadow = entry.state.shadow.as_ref().and_then(|shadow| load_or_tell(shadow).ok());
        let previous = match entry.settings.rolls_back() {
            true => self.previous(&entry, &policy, before)?,
            false => None,
        };
        let monitor = |deployment: Arc<Deployment>| {
            let known = before.into_iter().flat_map(Route::monitored);
            let same = known
                .filter(|known| known.deployment.composition == deployment.composition)
                .map(|known| &known.window)
                .next();
            MonitoredDeployment {
                window: same.map_or_else(|| Arc::new(Window::default()), Arc::clone),
                deployment,
            }
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

/// The largest number of cached credentials.
const MOST_CREDENTIALS: usize = 256;

/// A cache of credentials by the digest of the module. They depend only on the bytes.
#[derive(Debug, Default)]
pub(super) struct ReadCredentials(Mutex<BTreeMap<Digest, Arc<Credentials>>>);

impl ReadCredentials {
    fn find(&self, digest: Digest) -> Option<Arc<Credentials>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).map(Arc::clone)
    }

    /// Stores credentials that were just read from bytes with this digest.
    fn keep(&self, digest: Digest, credentials: Credentials) -> Arc<Credentials> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_CREDENTIALS {
            kept.clear();
        }
        let credentials = Arc::new(credentials);
        kept.insert(digest, Arc::clone(&credentials));
        credentials
    }
}

fn empty(slot: &str) -> Error {
    Error::new(codes::SLOT_EMPTY, format!("no module is active in the slot `{slot}`"))
}
