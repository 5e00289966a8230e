//! Rollback targets: the newest entry of a slot's history whose composition may be active again (docs/reference/slots.md).
//!
//! A rollback is an activation. Each candidate is loaded and judged by the current trust policy, with its `minimum_versions`.
//! Rejected candidates are passed over, and the slot's history has the reason. A composition that a rollback replaced is no
//! candidate until it is activated again.

use std::sync::Arc;

use adjudicate_core::Error;
use adjudicate_sandbox::Module;
use adjudicate_trust::{TrustAction, TrustPolicy};

use super::{
    deployment::Deployment,
    loader::{LoadTerms, Loader},
};
use crate::{
    codes,
    history::{ChangeReason, Composition, SlotEntry},
};

/// The number of passed-over entries that a note lists.
const MOST_LISTED: usize = 8;
/// The number of characters that a note quotes from an error.
const QUOTED: usize = 200;

/// The sources of the candidates' modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The store alone.
    Store,
    /// The store, and the ledger that several hosts share.
    Ledger,
}

#[derive(Debug, Default)]
pub(super) struct RollbackTarget {
    /// The newest composition that may be active again, loaded.
    pub(super) found: Option<Arc<Deployment>>,
    /// The newer entries that may not be active again, latest first.
    pub(super) passed: Vec<PassedOver>,
}

/// An entry whose composition may not be active again.
#[derive(Debug)]
pub(super) struct PassedOver {
    entry: i64,
    error: Error,
}

impl Loader {
    /// Finds the newest entry before `current` whose composition may be active again. Errors of the store, the ledger and the host
    /// are not caused by a candidate, so repeat the search.
    pub(super) fn rollback_target(
        &self,
        current: &SlotEntry,
        trust: &TrustPolicy,
        source: Source,
    ) -> Result<RollbackTarget, Error> {
        let mut back = RollbackTarget::default();
        let mut refused: Vec<Composition> = Vec::new();
        loop {
            let mut candidates = self.store.entries_before(&current.slot, current, &refused)?;
            candidates.retain(|(entry, _)| back.passed.iter().all(|passed| passed.entry != entry.id));
            if candidates.is_empty() {
                return Ok(back);
            }
            for (entry, is_judged) in candidates {
                match self.candidate(current, &entry, is_judged, trust, source) {
                    Ok(deployment) => return Ok(RollbackTarget { found: Some(deployment), ..back }),
                    Err(error) if codes::PASSING.contains(&error.code()) => return Err(error),
                    Err(error) => {
                        refused.extend(entry.state.active.filter(|_| is_judged));
                        back.passed.push(PassedOver { entry: entry.id, error });
                    }
                }
            }
        }
    }

    /// The composition that answers if the active one fails: the rollback target.
    pub(super) fn previous(
        &self,
        entry: &SlotEntry,
        trust: &TrustPolicy,
    ) -> Result<Option<Arc<Deployment>>, Error> {
        match self.rollback_target(entry, trust, Source::Store) {
            Ok(back) => Ok(back.found),
            Err(error) if error.code() == codes::STORE_FAULT => Err(error),
            // If it cannot be loaded now, the slot fails closed.
            Err(_) => Ok(None),
        }
    }

    /// Judges and loads the composition of an entry.
    fn candidate(
        &self,
        current: &SlotEntry,
        entry: &SlotEntry,
        is_judged: bool,
        trust: &TrustPolicy,
        source: Source,
    ) -> Result<Arc<Deployment>, Error> {
        let SlotEntry { slot, settings, .. } = current;
        let active = entry.state.active.as_ref().ok_or_else(|| no_target(slot, &[]))?;
        let _fetched = match source {
            Source::Store => Vec::new(),
            Source::Ledger => self.fetch([active].into_iter(), settings, trust)?,
        };
        if !is_judged && !self.could_have_been_active(entry)? {
            let message = "it was never active on this host";
            return Err(Error::new(codes::MODULE_DOWNGRADE, message));
        }
        let terms = LoadTerms { slot, settings, trust, trust_action: TrustAction::Rollback, before: None };
        self.deployment(active, &terms)
    }

    /// The moment for which trust judges an earlier entry that becomes active again, with its modules.
    pub(super) fn rollback_action(&self, to: &SlotEntry) -> Result<(Vec<Module>, TrustAction), Error> {
        if self.store.is_judged(to)? {
            return Ok((Vec::new(), TrustAction::Rollback));
        }
        let trust = self.trust(Some(&to.slot))?;
        let settings = self.store.slot(&to.slot)?.settings;
        let fetched = self.fetch(to.state.active.iter(), &settings, &trust)?;
        let was_active = self.could_have_been_active(to)?;
        Ok((fetched, if was_active { TrustAction::Rollback } else { TrustAction::Activate }))
    }
}

/// The error if there is no rollback target: that of the latest entry that was passed over.
pub(super) fn no_target(slot: &str, passed: &[PassedOver]) -> Error {
    match passed.first() {
        None => {
            let message = format!(
                "the slot `{slot}` has no composition to roll back to: no other was active before, or a rollback replaced it; to \
                 return to one of its history, name the entry"
            );
            Error::new(codes::UNKNOWN_VERSION, message)
        }
        Some(latest) => {
            let message = format!("the slot `{slot}` has no entry to roll back to: {}", listed(passed));
            Error::new(latest.error.code(), message)
        }
    }
}

/// Adds the passed-over entries and their errors to a note, up to the longest note.
pub(super) fn noted(note: &str, passed: &[PassedOver]) -> String {
    let between = if note.is_empty() { "" } else { "; " };
    let list =
        if passed.is_empty() { String::new() } else { format!("{between}passed over {}", listed(passed)) };
    // A note that is already too long is rejected later.
    let bytes_left = ChangeReason::MAX_NOTE.saturating_sub(note.len());
    let end = list.floor_char_boundary(bytes_left);
    format!("{note}{}", list.get(..end).unwrap_or_default())
}

fn listed(passed: &[PassedOver]) -> String {
    let first = passed.iter().take(MOST_LISTED).map(|PassedOver { entry, error }| {
        let message: String = error.message().chars().take(QUOTED).collect();
        format!("entry {entry} (`{}`: {message})", error.code())
    });
    let mut listed = first.collect::<Vec<_>>().join(", ");
    if let Some(more) = passed.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        listed.push_str(&format!(" and {more} more"));
    }
    listed
}
