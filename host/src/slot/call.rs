//! A call of a slot: who is asked, and what becomes of a fault.

use std::{sync::Arc, time::Instant};

use adjudicate_core::{Error, Operation, Policy};
use adjudicate_sandbox::{CallError, Carried, Digest, Failed};
use serde::Serialize;

use super::{
    ensemble::{Ensemble, fault},
    handle::Slot,
    loader::now,
    route::{Route, Seat},
    settings::FaultRate,
    stand_in::{StandIns, stand_in},
    state::Entry,
    statistics::count,
    watcher::{Seen, Task},
};
use crate::record::{Observation, RecordSettings, input_digest};

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The active composition.
    Active,
    /// The canary.
    Canary,
    /// The last good version, restricted by the finding `module_fault`: for the canary the active composition, for that the
    /// one before.
    LastGood,
    /// The host: a module failed, and nobody else was to be asked.
    FailClosed,
}

impl By {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Canary => "canary",
            Self::LastGood => "last_good",
            Self::FailClosed => "fail_closed",
        }
    }
}

/// An answer, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The answer, as JSON.
    pub text: String,
    /// The entry of the slot's history that was in force.
    pub entry: i64,
    /// Who decided.
    pub by: By,
    /// The modules that answered: the base, who overrides, who restricts. None if the host had to decide.
    pub modules: Vec<Digest>,
    /// What failed, where somebody else had to stand in.
    pub fault: Option<Error>,
    /// What the base carries.
    pub(super) carried: Option<Carried>,
}

impl Decided {
    /// The policy that the base carries, if it does: who composes the answer with others routes the next step by it.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.carried.as_ref().map(Carried::policy)
    }
}

impl Slot {
    /// Asks whoever decides in the slot. A swap meanwhile changes nothing: a call is answered by what was in force when it
    /// came.
    ///
    /// Guest code runs on the caller's thread, see the crate's documentation.
    ///
    /// # Errors
    ///
    /// As for [`Module::call`](adjudicate_sandbox::Module::call); of faults, what the slot's [`OnFault`](crate::OnFault) leaves over;
    /// [`SlotEmpty`](adjudicate_core::ErrorCode::SlotEmpty) where nothing is active;
    /// [`StoreFault`](adjudicate_core::ErrorCode::StoreFault) where the slot keeps records, and this one cannot be kept.
    pub fn call(&self, operation: Operation, input: &[u8]) -> Result<Decided, CallError> {
        let route = self.state.route.load_full();
        match &route.entry.settings.records {
            Some(settings) => self.on_record(&route, settings, operation, input),
            None => self.decide(&route, operation, input),
        }
    }

    /// Decides, and hands the answer out once it is on record: an answer that nobody could account for is none.
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
            // Who was asked is found out again only here: where there is a canary, that takes reading the input.
            Err(_) => {
                let (seat, by) = route.seat_for(operation, input);
                (by, seat.map_or_else(Vec::new, |seat| seat.ensemble.digests()), None)
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
        let decided = match route.seat_for(operation, input) {
            (Some(seat), By::Canary) => {
                count(&counters.canary_calls);
                self.ask_canary(route, seat, operation, input)
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
        let seat = match &route.active {
            Ok(seat) => seat,
            Err(error) => {
                let failed = Failed { origin: route.entry.slot.clone(), error: error.clone().into() };
                return stand_in(&route.entry, None, operation, input, failed);
            }
        };
        let failed = match self.ask(route, seat, operation, input, Task::RollBack) {
            Ok(text) => return Ok(decided(&route.entry, By::Active, text, &seat.ensemble)),
            Err(failed) => failed,
        };
        let stand_ins =
            route.previous.as_deref().map(|last_good| StandIns { asked: &seat.ensemble, last_good });
        stand_in(&route.entry, stand_ins, operation, input, failed)
    }

    fn ask_canary(
        &self,
        route: &Arc<Route>,
        seat: &Seat,
        operation: Operation,
        input: &[u8],
    ) -> Result<Decided, CallError> {
        let failed = match self.ask(route, seat, operation, input, Task::WithdrawCanary) {
            Ok(text) => return Ok(decided(&route.entry, By::Canary, text, &seat.ensemble)),
            Err(failed) => failed,
        };
        if fault(&failed).is_some() {
            count(&self.state.counters.canary_faults);
        }
        let active = route.active.as_ref().ok().map(|seat| &*seat.ensemble);
        let stand_ins = active.map(|last_good| StandIns { asked: &seat.ensemble, last_good });
        stand_in(&route.entry, stand_ins, operation, input, failed)
    }

    /// Asks, and counts a fault.
    fn ask(
        &self,
        route: &Route,
        seat: &Seat,
        operation: Operation,
        input: &[u8],
        task: fn(Seen) -> Task,
    ) -> Result<String, Failed> {
        let call = seat.window.count();
        let answer = seat.ensemble.answer(operation, input);
        answer.inspect_err(|failed| self.count_fault(route, seat, (call, operation, input), failed, task))
    }

    /// Counts a fault of a call. Where the rate is reached, the watcher acts; the call does not wait for that.
    pub(super) fn count_fault(
        &self,
        route: &Route,
        seat: &Seat,
        (call, operation, input): (u64, Operation, &[u8]),
        failed: &Failed,
        task: fn(Seen) -> Task,
    ) {
        let Some(error) = fault(failed) else { return };
        self.state.counters.fault(error.code());
        let Some(rate) = route.entry.settings.rollback else { return };
        // An input that the engine refuses says nothing about a module: callers could roll back any module that reads it otherwise.
        if !FaultRate::COUNTED.contains(&error.code()) || operation.call(input).is_err() {
            return;
        }
        let input = input_digest(operation, input);
        let Some(counted) = seat.window.exceeds(rate, call, error.code(), input) else { return };
        if seat.window.asks() {
            let note = format!(
                "{counted}; the last one: `{}` failed with `{}`{}",
                failed.origin,
                error.code().as_str(),
                quoted(error, route.entry.settings.records.as_ref())
            );
            // Without a watcher the process is about to end.
            let _ = self.slots.tasks.send(task(Seen {
                slot: self.state.name.clone(),
                entry: route.entry.id,
                note,
                window: Arc::clone(&seat.window),
            }));
        }
    }
}

/// The answer of a composition.
pub(super) fn decided(entry: &Entry, by: By, text: String, ensemble: &Ensemble) -> Decided {
    let (modules, carried) = (ensemble.digests(), ensemble.carried());
    Decided { text, entry: entry.id, by, modules, fault: None, carried }
}

/// The message of an error, for a history that stays as long as its slot. The message may quote the call, so it is left out where
/// the settings redact records.
fn quoted(error: &Error, records: Option<&RecordSettings>) -> String {
    match records {
        Some(records) if !records.redact.is_empty() => String::new(),
        _ => format!(": {}", error.message().chars().take(500).collect::<String>()),
    }
}
