//! A call of a slot: chooses the deployment, calls it, and handles faults.

use std::{sync::Arc, time::Instant};

use adjudicate_core::{
    Error, Operation,
    owned::{Envelope, Evaluation, Revision},
};
use adjudicate_sandbox::{CallError, TypedAnswer};
use adjudicate_trust::MemberFailure;

use super::{
    answer::{Fallback, SlotAnswer, answer_after_fault, decided},
    deployment::fault,
    loader::now,
    route::{MonitoredDeployment, Route},
    state::Slot,
    statistics::count,
    window::FaultObservation,
};
use crate::{
    history::{FaultRate, SlotAction},
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
        let (at, begun) = (now(), Instant::now());
        let (chosen, by) = route.deployment_for(operation, input);
        let decided = self.decide(&route, chosen, by, operation, input);
        let Some(settings) = &route.entry.settings.records else { return decided };
        let microseconds = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let (by, modules, fault) = match &decided {
            Ok(decided) => (decided.by, decided.modules.clone(), decided.fault.as_ref()),
            Err(_) => (by, chosen.map_or_else(|_| Vec::new(), |chosen| chosen.deployment.digests()), None),
        };
        // Without a record there is no answer.
        self.slots.recorder.record(&CallObservation {
            slot: self.name(),
            settings,
            at,
            operation,
            input,
            outcome: decided.as_ref().map(|decided| decided.text.as_str()),
            by,
            entry: route.entry.id,
            modules: &modules,
            fault,
            microseconds,
        })?;
        decided
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

    /// Calls the chosen deployment, and its shadow later.
    fn decide(
        &self,
        route: &Arc<Route>,
        chosen: Result<&MonitoredDeployment, &Error>,
        by: DecidedBy,
        operation: Operation,
        input: &[u8],
    ) -> Result<SlotAnswer, CallError> {
        let counters = &self.state.counters;
        count(&counters.calls);
        if by == DecidedBy::Canary {
            count(&counters.canary_calls);
        }
        let decided = match chosen {
            Ok(chosen) => self.call_deployment(route, chosen, by, operation, input),
            Err(error) => {
                let failed = MemberFailure { origin: route.entry.slot.clone(), error: error.clone().into() };
                answer_after_fault(&route.entry, None, operation, input, failed)
            }
        };
        if let Some(shadow) = &route.shadow {
            self.slots.shadows.compare(counters, route, shadow, operation, input, &decided);
        }
        decided
    }

    /// Calls a deployment. After a fault, the composition before or, for the canary, the active one may answer in its place.
    fn call_deployment(
        &self,
        route: &Route,
        monitored: &MonitoredDeployment,
        by: DecidedBy,
        operation: Operation,
        input: &[u8],
    ) -> Result<SlotAnswer, CallError> {
        let first = &*monitored.deployment;
        let call = monitored.window.count();
        let failed = match first.answer(operation, input) {
            Ok(text) => return Ok(decided(&route.entry, by, text, first)),
            Err(failed) => failed,
        };
        self.count_fault(route, monitored, by, (call, operation, input), &failed);
        let last_good = match (by, &route.active) {
            (DecidedBy::Canary, active) => active.as_ref().ok().map(|active| &active.deployment),
            _ => route.previous.as_ref(),
        };
        let fallback = last_good.map(|last_good| Fallback { first, last_good });
        answer_after_fault(&route.entry, fallback, operation, input, failed)
    }

    /// Counts a fault of a call. If the rate is reached, the watcher acts; the call does not wait for it.
    pub(super) fn count_fault(
        &self,
        route: &Route,
        monitored: &MonitoredDeployment,
        by: DecidedBy,
        (call, operation, input): (u64, Operation, &[u8]),
        failed: &MemberFailure,
    ) {
        let Some(error) = fault(failed) else { return };
        let is_canary = by == DecidedBy::Canary;
        self.state.counters.fault(error.code());
        if is_canary {
            count(&self.state.counters.canary_faults);
        }
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
            let _ = self.slots.faults.send(FaultObservation {
                slot: self.state.name.clone(),
                entry: route.entry.id,
                action: if is_canary { SlotAction::CanaryWithdrawn } else { SlotAction::AutomaticRollback },
                note,
                window: Arc::clone(&monitored.window),
            });
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
