//! From what the store says to modules that can be called: trust is judged, code compiled or taken from the cache.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use adjudicate_core::Error;
use semver::Version;

use super::{
    ensemble::Ensemble,
    route::{Route, Seat},
    settings::{OnFault, SlotSettings},
    shared::Shared,
    state::{Composition, Entry, Member},
    window::Window,
};
use crate::{
    digest::Digest,
    host::Host,
    limits::Limits,
    module::Module,
    store::{Height, Store},
    trust::{Credentials, Moment, Occasion, TrustPolicy, Verdict},
};

/// What modules are loaded with.
#[derive(Debug)]
pub(super) struct Loader {
    pub(super) store: Store,
    pub(super) host: Host,
    pub(super) shared: Shared,
}

/// For which slot, and under which policy, modules are loaded.
pub(super) struct LoadTerms<'a> {
    pub(super) slot: &'a str,
    pub(super) settings: &'a SlotSettings,
    pub(super) trust: &'a TrustPolicy,
    pub(super) moment: Moment,
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
    bytes: &[u8],
    is_unsigned: bool,
    moment: Moment,
    highest: Option<Version>,
) -> Result<Verdict, Error> {
    let occasion = Occasion { moment, now: now(), highest: highest.as_ref() };
    let credentials = Credentials::read(bytes)?;
    match is_unsigned {
        true => trust.without_signatures().judge(&credentials, &occasion),
        false => trust.judge(&credentials, &occasion),
    }
}

impl Loader {
    /// The trust policy of a slot, and its text; without one, the policy that trusts nobody.
    pub(super) fn trust(&self, slot: Option<&str>) -> Result<(TrustPolicy, Option<String>), Error> {
        let text = self.store.trust(slot)?;
        let policy = text.as_deref().map(|text| TrustPolicy::parse(text.as_bytes())).transpose()?;
        Ok((policy.unwrap_or_default(), text))
    }

    /// Loads a composition. What `at_hand` holds already is not loaded again.
    pub(super) fn ensemble(
        &self,
        composition: &Composition,
        terms: &LoadTerms<'_>,
        at_hand: Option<&Route>,
    ) -> Result<Arc<Ensemble>, Error> {
        let limits = terms.settings.limits(self.host.limits());
        let load = &mut |member: &Member| self.module(member, terms, limits, at_hand);
        Ensemble::load(composition, load).map(Arc::new)
    }

    fn module(
        &self,
        member: &Member,
        terms: &LoadTerms<'_>,
        limits: Limits,
        at_hand: Option<&Route>,
    ) -> Result<Module, Error> {
        let bytes = self.store.module_bytes(member.module)?;
        // Whoever goes back to a version knows that it is an earlier one.
        let highest = match terms.moment {
            Moment::Activate => {
                let module = self.store.module(member.module)?;
                self.store.height(terms.slot, &module.name)?
            }
            _ => None,
        };
        judge(terms.trust, &bytes, member.unsigned, terms.moment, highest)?;
        let is_same = |module: &&Module| module.digest() == member.module && module.inner.limits == limits;
        let loaded =
            at_hand.and_then(|route| route.ensembles().flat_map(|ensemble| ensemble.modules()).find(is_same));
        match loaded {
            Some(module) => Ok(module.clone()),
            None => self.shared.module(member.module, &limits, || self.host.load_with(&bytes, limits)),
        }
    }

    /// The modules of a composition that would be in force, with their versions.
    pub(super) fn heights(&self, composition: &Composition) -> Result<Vec<Height>, Error> {
        let height = |digest: Digest| {
            self.store.module(digest).map(|module| Height { name: module.name, version: module.version })
        };
        composition.members().map(|member| height(member.module)).collect()
    }

    /// Loads all that an entry of a slot's history asks for. Where the active composition cannot be loaded, nobody decides;
    /// a canary or a shadow that cannot be loaded is not asked. The route says why.
    pub(super) fn route(&self, entry: Entry, before: Option<&Route>) -> Result<Route, Error> {
        let (policy, trust) = self.trust(Some(&entry.slot))?;
        let terms =
            LoadTerms { slot: &entry.slot, settings: &entry.settings, trust: &policy, moment: Moment::Load };
        let load = |composition: &Composition| self.ensemble(composition, &terms, before);
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
        let settings = &entry.settings;
        let goes_back = settings.on_fault == OnFault::LastGood || settings.rollback.is_some();
        let previous = if goes_back { self.store.entry_before(&entry.slot, &entry)? } else { None };
        // That it cannot be loaded any more is found out when it is needed.
        let previous = previous.and_then(|entry| load(entry.state.active.as_ref()?).ok());
        let seat = |ensemble: Arc<Ensemble>| {
            let seats = before.into_iter().flat_map(Route::seats);
            let same = seats
                .filter(|seat| seat.ensemble.composition == ensemble.composition)
                .map(|seat| &seat.window)
                .next();
            Seat { window: same.map_or_else(|| Arc::new(Window::default()), Arc::clone), ensemble }
        };
        Ok(Route {
            active: active.map(seat),
            canary: canary.map(|(ensemble, permille)| (seat(ensemble), permille)),
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
        let (Err(error), Ok(seat)) = (&route.active, &before.active) else { return Ok(route) };
        let composition = &seat.ensemble.composition;
        if route.entry.state.active.as_ref() == Some(composition) {
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

fn empty(slot: &str) -> Error {
    Error::new(adjudicate_core::ErrorCode::SlotEmpty, format!("nothing is active in the slot `{slot}`"))
}
