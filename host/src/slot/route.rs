//! The route of calls of a slot. A change of the slot swaps the whole route by one pointer.

use std::{collections::BTreeSet, sync::Arc};

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::{Digest, Module};
use sha2::{Digest as _, Sha256};

use super::{deployment::Deployment, window::Window};
use crate::{
    codes,
    history::{SlotAction, SlotEntry, SlotSettings, SlotState},
    record::{DecidedBy, run_id},
    store::unknown_slot,
};

/// A deployment with the window of its latest faults on this host.
#[derive(Clone, Debug)]
pub(super) struct MonitoredDeployment {
    pub(super) deployment: Arc<Deployment>,
    pub(super) window: Arc<Window>,
}

/// The route of calls. A call keeps its route until it ends.
#[derive(Debug)]
pub(super) struct Route {
    /// The entry of the history that this route runs.
    pub(super) entry: SlotEntry,
    /// The text of the trust policy under which the modules were loaded.
    pub(super) trust: Option<String>,
    /// The error of a composition that could not be loaded.
    pub(super) problem: Option<Error>,
    /// The active deployment, or the error of a call without one.
    pub(super) active: Result<MonitoredDeployment, Error>,
    /// The deployment before, if a fault or a rollback may need it.
    pub(super) previous: Option<Arc<Deployment>>,
    /// The latest other active deployment, so that a change back to it loads no modules.
    pub(super) kept: Option<Arc<Deployment>>,
    /// The canary, and the number of runs out of 1000 that it answers.
    pub(super) canary: Option<(MonitoredDeployment, u16)>,
    pub(super) shadow: Option<Arc<Deployment>>,
}

impl Route {
    /// Returns the deployment for a call: the canary if it has the run, else the active one.
    pub(super) fn deployment_for(
        &self,
        operation: Operation,
        input: &[u8],
    ) -> (Result<&MonitoredDeployment, &Error>, DecidedBy) {
        match &self.canary {
            Some((monitored, permille)) if is_of_canary(&self.entry.slot, operation, input, *permille) => {
                (Ok(monitored), DecidedBy::Canary)
            }
            _ => (self.active.as_ref(), DecidedBy::Active),
        }
    }

    /// Returns the route of a slot that cannot be loaded.
    pub(super) fn broken(entry: SlotEntry, error: Error) -> Self {
        let problem = Some(error.clone());
        Self {
            entry,
            trust: None,
            problem,
            active: Err(error),
            previous: None,
            kept: None,
            canary: None,
            shadow: None,
        }
    }

    /// Returns the route of a deleted slot, without an entry of the history. A new slot of the same name replaces it.
    pub(super) fn closed(slot: &str) -> Self {
        let entry = SlotEntry {
            id: 0,
            slot: slot.to_owned(),
            at: 0,
            action: SlotAction::Configure,
            note: String::new(),
            state: SlotState::default(),
            settings: SlotSettings::default(),
        };
        Self { problem: None, ..Self::broken(entry, unknown_slot(slot)) }
    }

    /// Returns whether it is the route of a deleted slot.
    pub(super) fn is_closed(&self) -> bool {
        self.active.as_ref().is_err_and(|error| error.code() == codes::UNKNOWN_SLOT)
    }

    /// Returns the active deployment and the canary.
    pub(super) fn monitored(&self) -> impl Iterator<Item = &MonitoredDeployment> {
        self.active.iter().chain(self.canary.iter().map(|(monitored, _)| monitored))
    }

    /// Returns the digests of the modules that the host knows, and so runs without fuel, each once.
    pub(super) fn known(&self) -> Vec<Digest> {
        let modules = self.monitored().flat_map(|monitored| monitored.deployment.modules());
        let known: BTreeSet<_> = modules.filter(|module| module.is_known()).map(Module::digest).collect();
        known.into_iter().collect()
    }

    /// Returns the deployment to keep when `next` becomes active: the active one if it is another, else the one kept before.
    pub(super) fn kept_with(&self, next: Option<&MonitoredDeployment>) -> Option<Arc<Deployment>> {
        let before = self.active.as_ref().ok().map(|monitored| &monitored.deployment);
        let is_another = |before: &&Arc<Deployment>| {
            next.is_none_or(|next| next.deployment.composition != before.composition)
        };
        before.filter(is_another).or(self.kept.as_ref()).map(Arc::clone)
    }
}

/// Returns whether a canary with this share answers the run of a call.
pub(crate) fn is_of_canary(slot: &str, operation: Operation, input: &[u8], permille: u16) -> bool {
    bucket(slot, operation, input) < permille
}

/// Returns a number from 0 to 999 for a run. All calls of a run have the same number, on every host. A call without a run has the
/// number of its input.
fn bucket(slot: &str, operation: Operation, input: &[u8]) -> u16 {
    let mut hasher = Sha256::new().chain_update(slot).chain_update([0]);
    match operation.read(input).ok().as_ref().and_then(run_id) {
        Some(run) => hasher.update(run),
        None => hasher.update(input),
    }
    let hash: [u8; 32] = hasher.finalize().into();
    let number = u64::from_be_bytes(hash.first_chunk().copied().unwrap_or_default());
    u16::try_from(number % 1000).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_a_run_have_the_same_route() {
        let of = |slot: &str, input: &str| bucket(slot, Operation::Evaluate, input.as_bytes());
        let bare = of("s", r#"{"run_id": "r-1", "x": 1}"#);
        assert_eq!(of("s", r#"{"envelope": {"x": 2, "run_id": "r\u002d1"}, "policy": null}"#), bare);
        assert_ne!(of("t", r#"{"run_id": "r-1"}"#), bare);
        let runs = (0..4000).filter(|run| of("s", &format!(r#"{{"run_id":"run-{run}"}}"#)) < 100).count();
        assert!((300..500).contains(&runs), "{runs} of 4000 in a tenth");
        assert_ne!(of("s", "[1]"), of("s", "[2]"));
    }

    /// SHA-256 of the slot, a zero byte and the run; its first eight bytes as a number, modulo 1000. Other processes, other hosts and
    /// later versions must calculate the same number, because records are decided again by it.
    #[test]
    fn the_route_of_a_run_never_changes() {
        for (slot, input, expected) in [
            ("s", r#"{"run_id":"r-1"}"#, 830),
            ("release", r#"{"run_id":"run-42"}"#, 432),
            ("release", r#"{"envelope":{"run_id":"é"}}"#, 830),
            ("s", r#"[1]"#, 442),
        ] {
            assert_eq!(bucket(slot, Operation::Evaluate, input.as_bytes()), expected, "{slot} {input}");
            let is_decided = |permille| is_of_canary(slot, Operation::Evaluate, input.as_bytes(), permille);
            assert_eq!([expected, expected + 1, 0, 1000].map(is_decided), [false, true, false, true]);
        }
    }
}
