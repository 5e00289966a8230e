//! A call of a slot: chooses the deployment, calls it, and handles faults.

use std::{sync::Arc, time::Instant};

use adjudicate_core::{
    Error, Operation,
    owned::{Envelope, Evaluation, Revision},
};
use adjudicate_sandbox::{CallError, TypedAnswer};
use adjudicate_trust::MemberFailure;

use super::{
    answer::{SlotAnswer, decided},
    deployment::fault,
    fallback::{Fallback, answer_after_fault},
    handle::Slot,
    loader::now,
    route::{MonitoredDeployment, Route},
    statistics::count,
    task::{FaultObservation, Task},
};
use crate::{
    history::FaultRate,
    record::{CallObservation, DecidedBy, RecordSettings, input_digest},
};

impl Slot {
    /// Calls the slot. The composition that is active when the call begins answers it; a change meanwhile does not matter.
    ///
    /// Guest code runs on the caller's thread, which needs free stack: see [`adjudicate_sandbox`].
    ///
    /// # Errors
    ///
    /// - The errors of [`Module::call`](adjudicate_sandbox::Module::call), except faults for which the slot's
    ///   [`OnFault`](crate::OnFault) has an answer.
    /// - [`slot_empty`](crate::codes::SLOT_EMPTY) if no module is active.
    /// - [`store_fault`](crate::codes::STORE_FAULT) if the slot keeps records and cannot keep the record of this call.
    pub fn call(&self, operation: Operation, input: &[u8]) -> Result<SlotAnswer, CallError> {
        let route = self.state.route.load_full();
        match &route.entry.settings.records {
            Some(settings) => self.decide_and_record(&route, settings, operation, input),
            None => self.decide(&route, operation, input),
        }
    }

    /// Evaluates an envelope; `policy` is the text of a policy document.
    ///
    /// # Errors
    ///
    /// As for [`Slot::call`] and [`TypedAnswer`].
    ///
    /// ```no_run
    /// # fn example(slot: &adjudicate_host::Slot) -> Result<(), adjudicate_host::CallError> {
    /// use adjudicate_core::owned::{Envelope, Evidence};
    ///
    /// let envelope = Envelope {
    ///     evaluate_prompt: "release.v1".into(),
    ///     allowed_next_steps: vec!["publish".into(), "ask_release_manager".into()],
    ///     evidence: Evidence { workspace_diff_summary: " M src/lib.rs\n".into(), ..Evidence::default() },
    ///     ..Envelope::default()
    /// };
    /// let decided = slot.evaluate(&envelope, None)?;
    /// println!("{:?} (entry {})", decided.answer.decision.next_step, decided.entry);
    /// # Ok(())
    /// # }
    /// ```
    pub fn evaluate(
        &self,
        envelope: &Envelope,
        policy: Option<&str>,
    ) -> Result<SlotAnswer<Evaluation>, CallError> {
        self.typed(envelope, policy)
    }

    /// Evaluates the envelope and returns the revision that follows for the run. Only the base of a composition answers.
    ///
    /// # Errors
    ///
    /// As for [`Slot::evaluate`]. After a fault there is no answer, whatever the slot's [`OnFault`](crate::OnFault).
    pub fn refine(
        &self,
        envelope: &Envelope,
        policy: Option<&str>,
    ) -> Result<SlotAnswer<Revision>, CallError> {
        self.typed(envelope, policy)
    }

    fn typed<T: TypedAnswer>(
        &self,
        envelope: &Envelope,
        policy: Option<&str>,
    ) -> Result<SlotAnswer<T>, CallError> {
        let decided = self.call(T::OPERATION, T::input(envelope, policy)?.as_bytes())?;
        let answer = T::read(&decided.text)?;
        let SlotAnswer { text, entry, by, modules, fault, embedded_policy, .. } = decided;
        Ok(SlotAnswer { text, answer, entry, by, modules, fault, embedded_policy })
    }

    /// Decides, and returns the answer after it is recorded. Without a record there is no answer.
    fn decide_and_record(
        &self,
        route: &Arc<Route>,
        settings: &RecordSettings,
        operation: Operation,
        input: &[u8],
    ) -> Result<SlotAnswer, CallError> {
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
        self.slots.recorder.record(&CallObservation {
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

    fn decide(
        &self,
        route: &Arc<Route>,
        operation: Operation,
        input: &[u8],
    ) -> Result<SlotAnswer, CallError> {
        let counters = &self.state.counters;
        count(&counters.calls);
        let decided = match route.deployment_for(operation, input) {
            (Some(monitored), DecidedBy::Canary) => {
                count(&counters.canary_calls);
                self.call_canary(route, monitored, operation, input)
            }
            _ => self.call_active(route, operation, input),
        };
        if let Some(shadow) = &route.shadow {
            self.slots.shadows.compare(&self.state.counters, route, shadow, operation, input, &decided);
        }
        decided
    }

    fn call_active(
        &self,
        route: &Arc<Route>,
        operation: Operation,
        input: &[u8],
    ) -> Result<SlotAnswer, CallError> {
        let monitored = match &route.active {
            Ok(monitored) => monitored,
            Err(error) => {
                let failed = MemberFailure { origin: route.entry.slot.clone(), error: error.clone().into() };
                return answer_after_fault(&route.entry, None, operation, input, failed);
            }
        };
        let failed = match self.call_deployment(route, monitored, operation, input, Task::RollBack) {
            Ok(text) => return Ok(decided(&route.entry, DecidedBy::Active, text, &monitored.deployment)),
            Err(failed) => failed,
        };
        let fallback =
            route.previous.as_deref().map(|last_good| Fallback { first: &monitored.deployment, last_good });
        answer_after_fault(&route.entry, fallback, operation, input, failed)
    }

    fn call_canary(
        &self,
        route: &Arc<Route>,
        monitored: &MonitoredDeployment,
        operation: Operation,
        input: &[u8],
    ) -> Result<SlotAnswer, CallError> {
        let failed = match self.call_deployment(route, monitored, operation, input, Task::WithdrawCanary) {
            Ok(text) => return Ok(decided(&route.entry, DecidedBy::Canary, text, &monitored.deployment)),
            Err(failed) => failed,
        };
        if fault(&failed).is_some() {
            count(&self.state.counters.canary_faults);
        }
        let active = route.active.as_ref().ok().map(|monitored| &*monitored.deployment);
        let fallback = active.map(|last_good| Fallback { first: &monitored.deployment, last_good });
        answer_after_fault(&route.entry, fallback, operation, input, failed)
    }

    /// Calls a deployment, and counts a fault.
    fn call_deployment(
        &self,
        route: &Route,
        monitored: &MonitoredDeployment,
        operation: Operation,
        input: &[u8],
        task: fn(FaultObservation) -> Task,
    ) -> Result<String, MemberFailure> {
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
        failed: &MemberFailure,
        task: fn(FaultObservation) -> Task,
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
                error.code(),
                quoted(error, route.entry.settings.records.as_ref())
            );
            // If the watcher is gone, the process is about to end.
            let _ = self.slots.tasks.send(task(FaultObservation {
                slot: self.state.name.clone(),
                entry: route.entry.id,
                note,
                window: Arc::clone(&monitored.window),
            }));
        }
    }
}

/// Returns the message of an error, for a note in the history. The message may quote the call, so it is left out if the settings
/// redact records.
fn quoted(error: &Error, records: Option<&RecordSettings>) -> String {
    match records {
        Some(records) if !records.redact.is_empty() => String::new(),
        _ => format!(": {}", error.message().chars().take(500).collect::<String>()),
    }
}
