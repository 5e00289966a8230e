//! From what the store says to modules that can be called: trust is judged, code compiled or taken from the cache.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Host, Limits, Module, inspect};
use semver::Version;

use super::{
    bound::Bound,
    deployment::Deployment,
    route::{MonitoredDeployment, Route},
    shared::Shared,
    troubles::Troubles,
    window::Window,
};
use crate::{
    codes,
    history::{Composition, Entry, Member, SlotSettings},
    store::Store,
    trust::{Credentials, Moment, Occasion, TrustPolicy, Verdict},
};

/// What modules are loaded with.
#[derive(Debug)]
pub(super) struct Loader {
    pub(super) store: Store,
    pub(super) host: Host,
    pub(super) shared: Shared,
    pub(super) read: ReadCredentials,
    /// Where slots are changed, if other hosts share them.
    pub(super) bound: Option<Bound>,
    pub(super) troubles: Troubles,
}

/// A trust policy that is in force.
#[derive(Debug)]
pub(super) struct Trust {
    pub(super) policy: TrustPolicy,
    /// How it is written; `None` where there is none, and nobody is trusted.
    pub(super) text: Option<String>,
}

/// A module that was installed just now.
pub(super) struct Fresh {
    pub(super) module: Module,
    /// Whether the store did not have it before.
    pub(super) is_new: bool,
    /// How many tests of its own it passed.
    pub(super) tests: usize,
}

/// For which slot, and under which policy, modules are loaded.
pub(super) struct LoadTerms<'a> {
    pub(super) slot: &'a str,
    pub(super) settings: &'a SlotSettings,
    pub(super) trust: &'a TrustPolicy,
    pub(super) moment: Moment,
    /// The entry before which a version must have been in force to count as a later one; any time, without one.
    pub(super) before: Option<i64>,
}

/// Milliseconds since 1970, as the system's clock has them.
pub(super) fn now() -> i64 {
    let milliseconds = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => milliseconds(since),
        Err(before) => -milliseconds(before.duration()),
    }
}

/// Judges whether a module is accepted.
pub(super) fn judge(
    trust: &TrustPolicy,
    credentials: &Credentials,
    is_unsigned: bool,
    moment: Moment,
    highest: Option<Version>,
) -> Result<Verdict, Error> {
    let occasion = Occasion { moment, now: now(), highest: highest.as_ref() };
    match is_unsigned {
        true => trust.without_signatures().judge(credentials, &occasion),
        false => trust.judge(credentials, &occasion),
    }
}

impl Loader {
    /// The trust policy of a slot; without one, the policy that trusts nobody.
    pub(super) fn trust(&self, slot: Option<&str>) -> Result<Trust, Error> {
        let text = self.store.trust(slot)?;
        let policy = text.as_deref().map(|text| TrustPolicy::parse(text.as_bytes())).transpose()?;
        Ok(Trust { policy: policy.unwrap_or_default(), text })
    }

    /// Loads a composition. What `at_hand` holds already is not loaded again.
    pub(super) fn deployment(
        &self,
        composition: &Composition,
        terms: &LoadTerms<'_>,
        at_hand: Option<&Route>,
    ) -> Result<Arc<Deployment>, Error> {
        let limits = terms.settings.limits(self.host.limits());
        let load = &mut |member: &Member| self.module(member, terms, limits, at_hand);
        Deployment::load(composition, load).map(Arc::new)
    }

    fn module(
        &self,
        member: &Member,
        terms: &LoadTerms<'_>,
        limits: Limits,
        at_hand: Option<&Route>,
    ) -> Result<Module, Error> {
        let digest = member.module;
        if let Some(module) = self.loaded(digest, limits, at_hand) {
            // What runs here already needs no bytes: what they are, and who signed them, was found out when it was loaded.
            let credentials = match self.read.find(digest) {
                Some(credentials) => credentials,
                None => self.read.keep(digest, Credentials::read(&self.store.module_bytes(digest)?)?),
            };
            self.accept(member, terms, &credentials, || Ok(module.manifest().name.clone()))?;
            return Ok(module);
        }
        let bytes = self.store.module_bytes(digest)?;
        let credentials = self.read.keep(digest, Credentials::read(&bytes)?);
        self.accept(member, terms, &credentials, || Ok(self.store.module(digest)?.name))?;
        self.shared.module(digest, &limits, || self.host.load_with(&bytes, limits))
    }

    /// Installs a module: checks it, judges whether it is trusted, compiles it, runs its own tests, and keeps it.
    pub(super) fn install(
        &self,
        bytes: &[u8],
        limits: Limits,
        trust: &TrustPolicy,
        unsigned: bool,
    ) -> Result<Fresh, Error> {
        limits.admit_bytes(bytes)?;
        let verdict = judge(trust, &Credentials::read(bytes)?, unsigned, Moment::Install, None)?;
        let inspection = inspect(bytes)?;
        limits.admit(&inspection)?;
        let module = self.shared.module(inspection.digest, &limits, || self.host.load_with(bytes, limits))?;
        let tests = module.pass_tests()?;
        let is_new = self.store.keep_module(&inspection, bytes, &verdict.to_json(), now())?;
        Ok(Fresh { module, is_new, tests })
    }

    /// Judges a member; `name` is asked for where it matters whether a later version was in force.
    fn accept(
        &self,
        member: &Member,
        terms: &LoadTerms<'_>,
        credentials: &Credentials,
        name: impl FnOnce() -> Result<String, Error>,
    ) -> Result<(), Error> {
        self.bound.as_ref().map_or(Ok(()), |bound| bound.admit(member))?;
        // A rollback is to an earlier version.
        let highest = match terms.moment {
            Moment::Activate => match terms.before {
                Some(entry) => self.store.heights_before(terms.slot, entry)?.remove(&name()?),
                None => self.store.height(terms.slot, &name()?)?,
            },
            _ => None,
        };
        judge(terms.trust, credentials, member.unsigned, terms.moment, highest).map(drop)
    }

    /// The module, if it is loaded under these limits.
    fn loaded(&self, digest: Digest, limits: Limits, at_hand: Option<&Route>) -> Option<Module> {
        let is_same = |module: &&Module| module.digest() == digest && *module.limits() == limits;
        let here =
            at_hand.and_then(|route| route.deployments().flat_map(|each| each.modules()).find(is_same));
        here.cloned().or_else(|| self.shared.find(digest, &limits))
    }

    /// Loads all that an entry of a slot's history asks for. Where the active composition cannot be loaded, nobody decides;
    /// a canary or a shadow that cannot be loaded is not asked. The route says why.
    pub(super) fn route(&self, entry: Entry, before: Option<&Route>) -> Result<Route, Error> {
        let trust = self.trust(Some(&entry.slot))?;
        self.route_with(entry, before, trust, None)
    }

    /// The same, where this trust policy was read already, and one of the compositions judged by it and loaded.
    pub(super) fn route_with(
        &self,
        entry: Entry,
        before: Option<&Route>,
        trust: Trust,
        ready: Option<&Arc<Deployment>>,
    ) -> Result<Route, Error> {
        let Trust { policy, text: trust } = trust;
        let terms = LoadTerms {
            slot: &entry.slot,
            settings: &entry.settings,
            trust: &policy,
            moment: Moment::Load,
            before: None,
        };
        let load = |composition: &Composition| match ready {
            Some(ready) if ready.composition == *composition => Ok(Arc::clone(ready)),
            _ => self.deployment(composition, &terms, before),
        };
        let mut trouble = None;
        let mut load_or_tell = |composition: &Composition| {
            load(composition).inspect_err(|error| trouble = trouble.take().or_else(|| Some(error.clone())))
        };
        let active = match &entry.state.active {
            Some(composition) => load_or_tell(composition),
            None => Err(empty(&entry.slot)),
        };
        let canary = entry.state.canary.as_ref();
        let canary =
            canary.and_then(|canary| Some((load_or_tell(&canary.composition).ok()?, canary.permille)));
        let shadow = entry.state.shadow.as_ref().and_then(|shadow| load_or_tell(shadow).ok());
        let previous = match entry.settings.goes_back() {
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
            kept: before.and_then(|before| before.kept_beside(active.as_ref().ok())),
            active,
            canary: canary.map(|(deployment, permille)| (monitor(deployment), permille)),
            previous,
            shadow,
            trust,
            trouble,
            entry,
        })
    }

    /// The route that takes the place of another one. A composition that cannot be loaded is no reason to give up the one
    /// that decides now, as long as that is trusted; the route says what is wrong.
    pub(super) fn next_route(&self, entry: Entry, before: &Route) -> Result<Route, Error> {
        let route = self.route(entry, Some(before))?;
        let (Err(error), Ok(monitored)) = (&route.active, &before.active) else { return Ok(route) };
        let composition = &monitored.deployment.composition;
        // A slot that was rolled back to nothing is closed.
        if route.entry.state.active.as_ref().is_none_or(|active| active == composition) {
            return Ok(route);
        }
        // The composition of a deleted slot decides nothing in a new slot of the same name.
        if self.store.entry(&before.entry.slot, before.entry.id).is_err() {
            return Ok(route);
        }
        // Whoever else has a say there is judged anew, too: the canary, and who decided before.
        let kept = self.route(before.entry.clone(), Some(before))?;
        match kept.active {
            Ok(_) => Ok(Route { trouble: Some(error.clone()), ..kept }),
            Err(_) => Ok(route),
        }
    }
}

/// How many modules' credentials are kept.
const MOST_CREDENTIALS: usize = 256;

/// What was read off modules, by the digest of the bytes that it was read off: it is the same whenever it is read.
#[derive(Debug, Default)]
pub(super) struct ReadCredentials(Mutex<BTreeMap<Digest, Arc<Credentials>>>);

impl ReadCredentials {
    fn find(&self, digest: Digest) -> Option<Arc<Credentials>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).map(Arc::clone)
    }

    /// Keeps them; bytes with this digest were read just now.
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
    Error::new(codes::SLOT_EMPTY, format!("nothing is active in the slot `{slot}`"))
}
