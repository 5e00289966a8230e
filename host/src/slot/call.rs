//! A call of a slot: chooses the deployment, calls it, and handles faults.

use std::{sync::Arc, time::Instant};

use adjudicate_core::{Error, Operation, Policy};
use adjudicate_sandbox::{CallError, Carried, Digest, Failed};

use super::{
    deployment::{Deployment, fault},
    handle::Slot,
    loader::now,
    route::{MonitoredDeployment, Route},
    stand_in::{StandIns, stand_in},
    statistics::count,
    watcher::{Seen, Task},
};
use crate::{
    history::{Entry, FaultRate},
    record::{By, Observation, RecordSettings, input_digest},
};

/// An answer of a slot, with the modules that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The answer, as JSON.
    pub text: String,
    /// The entry of the slot's history that was active.
    pub entry: i64,
    /// The part of the slot that decided, for example the canary.
    pub by: By,
    /// The modules that answered: the base, the override, the restrictions. Empty if the host decided.
    pub modules: Vec<Digest>,
    /// The fault, if another composition or the host decided because of it.
    pub fault: Option<Error>,
    /// The policy document that the base carries.
    pub(super) carried: Option<Carried>,
}

impl Decided {
    /// Returns the policy that the base carries, if any. To compose the answer with others, route the next step by this policy.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.carried.as_ref().map(Carried::policy)
    }
}

impl Slot {
    /// Calls the slot. The composition that is active when the call begins answers it; a change meanwhile does not matter.
    ///
    /// Guest code runs on the caller's thread, see the crate's documentation.
    ///
    /// # Errors
    ///
    /// As for [`Module::call`](adjudicate_sandbox::Module::call), except faults for which the slot's [`OnFault`](crate::OnFault) has
    /// an answer; [`slot_empty`](crate::codes::SLOT_EMPTY) if no module is active; [`store_fault`](crate::codes::STORE_FAULT) if the
    /// slot keeps records and cannot keep the record of this call.
    pub fn call(&self, operation: Operation, input: &[u8]) -> Result<Decided, CallError> {
        let route = self.state.route.load_full();
        match &route.entry.settings.records {
            Some(settings) => self.on_record(&route, settings, operation, input),
            None => self.decide(&route, operation, input),
        }
    }

    /// Decides, and returns the answer after it is recorded. Without a record there is no answer.
    fn on_record(
        &self,
        route: &Arc<Route>,
        settings: &RecordSettings,
        operation: Operation,
        input: &[u8],
    ) -> Result<Decided, CallError> {
        let (at, begun) = (now(), Instant::now());
        let decided = self.decide(route, operation, input);
        let microseconds = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let (by, modules, fault) = match &decided {
            Ok(decided) => (decided.by, decided.modules.clone(), decided.fault.as_ref()),
            // Chooses the deployment again, only for errors, because a slot with a canary must read the input for it.
            Err(_) => {
                let (monitored, by) = route.deployment_for(operation, input);
                (by, monitored.map_or_else(Vec::new, |monitored| monitored.deployment.digests()), None)
            }
        };
        let outcome = decided.as_ref().map(|decided| decided.text.as_str());
        self.slots.recorder.record(&Observation {
            slot: self.name(),
            settings,
            at,
            operation,
            input,
            outcome,
            by,
            entry: route.entry.id,
            modules: &modules,
            fault,
            microseconds,
        })?;
        decided
    }

    fn decide(&self, route: &Arc<Route>, operation: Operation, input: &[u8]) -> Result<Decided, CallError> {
        let counters = &self.state.counters;
        count(&counters.calls);
        let decided = match route.deployment_for(operation, input) {
            (Some(monitored), By::Canary) => {
                count(&counters.canary_calls);
                self.ask_canary(route, monitored, operation, input)
            }
            _ => self.ask_active(route, operation, input),
        };
        if let Some(shadow) = &route.shadow {
            self.slots.shadows.compare(&self.state.counters, route, shadow, operation, input, &decided);
        }
        decided
    }

    fn ask_active(
        &self,
        route: &Arc<Route>,
        operation: Operation,
        input: &[u8],
    ) -> Result<Decided, CallError> {
        let monitored = match &route.active {
            Ok(monitored) => monitored,
            Err(error) => {
                let failed = Failed { origin: route.entry.slot.clone(), error: error.clone().into() };
                return stand_in(&route.entry, None, operation, input, failed);
            }
        };
        let failed = match self.ask(route, monitored, operation, input, Task::RollBack) {
            Ok(text) => return Ok(decided(&route.entry, By::Active, text, &monitored.deployment)),
            Err(failed) => failed,
        };
        let stand_ins =
            route.previous.as_deref().map(|last_good| StandIns { asked: &monitored.deployment, last_good });
        stand_in(&route.entry, stand_ins, operation, input, failed)
    }

    fn ask_canary(
        &self,
        route: &Arc<Route>,
        monitored: &MonitoredDeployment,
        operation: Operation,
        input: &[u8],
    ) -> Result<Decided, CallError> {
        let failed = match self.ask(route, monitored, operation, input, Task::WithdrawCanary) {
            Ok(text) => return Ok(decided(&route.entry, By::Canary, text, &monitored.deployment)),
            Err(failed) => failed,
        };
        if fault(&failed).is_some() {
            count(&self.state.counters.canary_faults);
        }
        let active = route.active.as_ref().ok().map(|monitored| &*monitored.deployment);
        let stand_ins = active.map(|last_good| StandIns { asked: &monitored.deployment, last_good });
        stand_in(&route.entry, stand_ins, operation, input, failed)
    }

    /// Calls a deployment, and counts a fault.
    fn ask(
        &self,
        route: &Route,
        monitored: &MonitoredDeployment,
        operation: Operation,
        input: &[u8],
        task: fn(Seen) -> Task,
    ) -> Result<String, Failed> {
        let call = monitored.window.count();
        let answer = monitored.deployment.answer(operation, input);
        answer
            .inspect_err(|failed| self.count_fault(route, monitored, (call, operation, input), failed, task))
    }

    /// Counts a fault of a call. If the rate is reached, the watcher acts; the call does not wait for it.
    pub(super) fn count_fault(
        &self,
        route: &Route,
        monitored: &MonitoredDeployment,
        (call, operation, input): (u64, Operation, &[u8]),
        failed: &Failed,
        task: fn(Seen) -> Task,
    ) {
        let Some(error) = fault(failed) else { return };
        self.state.counters.fault(error.code());
        let Some(rate) = route.entry.settings.rollback else { return };
        // A fault on an input that the engine refuses does not count: otherwise callers could roll back a module by invalid inputs.
        if !FaultRate::COUNTED.contains(&error.code()) || operation.call(input).is_err() {
            return;
        }
        let input = input_digest(operation, input);
        let Some(counted) = monitored.window.exceeds(rate, call, error.code(), input) else { return };
        if monitored.window.asks() {
            let note = format!(
                "{counted}; the last one: `{}` failed with `{}`{}",
                failed.origin,
                error.code().as_str(),
                quoted(error, route.entry.settings.records.as_ref())
            );
            // If the watcher is gone, the process is about to end.
            let _ = self.slots.tasks.send(task(Seen {
                slot: self.state.name.clone(),
                entry: route.entry.id,
                note,
                window: Arc::clone(&monitored.window),
            }));
        }
    }
}

/// Returns the answer of a deployment.
pub(super) fn decided(entry: &Entry, by: By, text: String, deployment: &Deployment) -> Decided {
    let (modules, carried) = (deployment.digests(), deployment.carried());
    Decided { text, entry: entry.id, by, modules, fault: None, carried }
}

/// Returns the message of an error, for a note in the history. The message may quote the call, so it is left out if the settings
/// redact records.
fn quoted(error: &Error, records: Option<&RecordSettings>) -> String {
    match records {
        Some(records) if !records.redact.is_empty() => String::new(),
        _ => format!(": {}", error.message().chars().take(500).collect::<String>()),
    }
}
