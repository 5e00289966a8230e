//! The way back: the newest entry of a slot's history whose composition may be active again (SPEC section 18.9).
//!
//! A rollback is an activation. Each candidate is judged by the trust policy in force, with its `minimum_versions`, and
//! loaded; a candidate that is refused is passed over, and the slot's history says why.

use std::sync::Arc;

use adjudicate_core::Error;
use adjudicate_sandbox::Module;

use super::{
    deployment::Deployment,
    loader::{LoadTerms, Loader},
    route::Route,
};
use crate::{
    codes,
    history::{Composition, Entry, Why},
    trust::{Moment, TrustPolicy},
};

/// How many of the entries that were passed over a note lists.
const MOST_TOLD: usize = 8;
/// How many characters of a refusal's message a note quotes.
const QUOTED: usize = 200;

/// Where modules of candidates may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The store alone.
    Store,
    /// The store, and the ledger that several hosts share.
    Ledger,
}

/// What a search for the way back found.
#[derive(Debug, Default)]
pub(super) struct WayBack {
    /// The newest composition that may be active again, loaded.
    pub(super) found: Option<Arc<Deployment>>,
    /// The entries after it that may not, the latest first.
    pub(super) passed: Vec<PassedOver>,
}

/// An entry whose composition may not be active again.
#[derive(Debug)]
pub(super) struct PassedOver {
    entry: i64,
    error: Error,
}

impl Loader {
    /// Looks for the newest entry before `current` whose composition may be active again.
    ///
    /// # Errors
    ///
    /// Failures of the store, the ledger and the host. They say nothing about a candidate, so the search is to be repeated.
    pub(super) fn way_back(
        &self,
        current: &Entry,
        trust: &TrustPolicy,
        at_hand: Option<&Route>,
        source: Source,
    ) -> Result<WayBack, Error> {
        let mut back = WayBack::default();
        let mut refused: Vec<Composition> = Vec::new();
        loop {
            let mut candidates = self.store.entries_before(&current.slot, current, &refused)?;
            candidates.retain(|(entry, _)| back.passed.iter().all(|passed| passed.entry != entry.id));
            if candidates.is_empty() {
                return Ok(back);
            }
            for (entry, is_judged) in candidates {
                match self.candidate(current, &entry, is_judged, trust, at_hand, source) {
                    Ok(deployment) => return Ok(WayBack { found: Some(deployment), ..back }),
                    Err(error) if is_unrelated(&error) => return Err(error),
                    Err(error) => {
                        refused.extend(entry.state.active.filter(|_| is_judged));
                        back.passed.push(PassedOver { entry: entry.id, error });
                    }
                }
            }
        }
    }

    /// The composition that answers where the active one of an entry fails: one that the slot may be rolled back to.
    pub(super) fn previous(
        &self,
        entry: &Entry,
        trust: &TrustPolicy,
        at_hand: Option<&Route>,
    ) -> Result<Option<Arc<Deployment>>, Error> {
        match self.way_back(entry, trust, at_hand, Source::Store) {
            Ok(back) => Ok(back.found),
            Err(error) if error.code() == codes::STORE_FAULT => Err(error),
            // Where it cannot be loaded now, the slot fails closed.
            Err(_) => Ok(None),
        }
    }

    /// Judges and loads the composition of an entry.
    fn candidate(
        &self,
        current: &Entry,
        entry: &Entry,
        is_judged: bool,
        trust: &TrustPolicy,
        at_hand: Option<&Route>,
        source: Source,
    ) -> Result<Arc<Deployment>, Error> {
        let Entry { slot, settings, .. } = current;
        let active = entry.state.active.as_ref().ok_or_else(|| nothing_before(slot, &[]))?;
        let _fetched = match source {
            Source::Store => Vec::new(),
            Source::Ledger => self.fetch([active].into_iter(), settings, trust)?,
        };
        if !is_judged && !self.stood(entry)? {
            let message = "it was never active on this host";
            return Err(Error::new(codes::MODULE_DOWNGRADE, message));
        }
        let terms = LoadTerms { slot, settings, trust, moment: Moment::Rollback, before: None };
        self.deployment(active, &terms, at_hand)
    }

    /// What the composition of an earlier entry is judged for when it is put in force again; with its modules.
    pub(super) fn moment_of_going_back(&self, to: &Entry) -> Result<(Vec<Module>, Moment), Error> {
        if self.store.is_judged(to)? {
            return Ok((Vec::new(), Moment::Rollback));
        }
        let trust = self.trust(Some(&to.slot))?;
        let settings = self.store.slot(&to.slot)?.settings;
        let fetched = self.fetch(to.state.active.iter(), &settings, &trust.policy)?;
        Ok((fetched, if self.stood(to)? { Moment::Rollback } else { Moment::Activate }))
    }
}

/// Whether an error says nothing about the candidate: the network, the disk or the host was in the way.
fn is_unrelated(error: &Error) -> bool {
    matches!(
        error.code(),
        codes::CLUSTER_FAULT | codes::HOST_FAULT | codes::HOST_OVERLOADED | codes::STORE_FAULT
    )
}

/// The error where nothing may be rolled back to: the refusal of the latest entry that was passed over.
pub(super) fn nothing_before(slot: &str, passed: &[PassedOver]) -> Error {
    match passed.first() {
        None => {
            let message = format!("nothing else was active in the slot `{slot}` before");
            Error::new(codes::UNKNOWN_VERSION, message)
        }
        Some(latest) => {
            let message = format!("the slot `{slot}` has nothing to roll back to: {}", listed(passed));
            Error::new(latest.error.code(), message)
        }
    }
}

/// A note that says which entries were passed over and why, as far as there is room in it.
pub(super) fn noted(note: &str, passed: &[PassedOver]) -> String {
    let between = if note.is_empty() { "" } else { "; " };
    let told =
        if passed.is_empty() { String::new() } else { format!("{between}passed over {}", listed(passed)) };
    // A note that is too long without it is refused as it is.
    let room = Why::MAX_NOTE.saturating_sub(note.len());
    let end = told.floor_char_boundary(room);
    format!("{note}{}", told.get(..end).unwrap_or_default())
}

fn listed(passed: &[PassedOver]) -> String {
    let told = passed.iter().take(MOST_TOLD).map(|PassedOver { entry, error }| {
        let message: String = error.message().chars().take(QUOTED).collect();
        format!("entry {entry} (`{}`: {message})", error.code().as_str())
    });
    let mut listed = told.collect::<Vec<_>>().join(", ");
    if let Some(more) = passed.len().checked_sub(MOST_TOLD).filter(|more| *more > 0) {
        listed.push_str(&format!(" and {more} more"));
    }
    listed
}
