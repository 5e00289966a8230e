//! Holding the events of a replay against their plan, one after the other.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{Node, shorten},
    order,
};

use super::{
    Event, Layout, Receipt, ReplayCode, Report, Tests,
    calls::{Calls, Known, Pending},
    delta::Delta,
    event::{EventReader, Logged},
    finding::{Finding, Findings},
    receipt::ReceiptCalls,
};
use crate::ir::{HashMode, PlanIr};

/// A replay that is being held against its plan (SPEC section 9): events go in one at a time, a report comes out.
///
/// Nothing of an event is kept but what later ones are held against, so memory does not grow with the number of events. It is
/// bounded by the plan and the receipt, by the number of calls that wait for their results, by 1,000 findings (all are counted), and by what tells
/// used ids apart: one span for all that are counted up (`call-1`, `call-2`, ...), and one of some 70 bytes for each of other ids.
/// There may be 524,288 spans and calls that wait; more are an error, for a repeated id could no longer be told.
///
/// ```
/// use adjudicate_core::{ir::{PlanIr, replay::Replay}, json::{self, Limits}};
/// let plan = br#"{
///   "analysis": "", "complexity": "low", "confidence": 0.5,
///   "steps": [{"id": "fix", "description": "", "intent": "modify", "target_files": [], "depends_on": [], "max_iterations": 2}],
///   "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0}
/// }"#;
/// let plan = json::read(plan, Limits::DOCUMENT)?;
/// let plan = PlanIr::read(plan.root())?;
/// // A host reads line by line, and holds no more than one.
/// let log = r#"{"event": "PlanStart", "step_count": 1}
/// {"event": "ToolCall", "id": "1", "step_id": "fix", "tool": "edit"}
///
/// {"event": "ToolResult", "id": "2"}"#;
/// let mut replay = Replay::new(&plan, None, None);
/// for (line, text) in (1..).zip(log.lines()).filter(|(_, text)| !text.trim().is_empty()) {
///     let event = json::read(text.as_bytes(), Limits::DOCUMENT)?;
///     replay.event(line, event.root())?;
/// }
/// let report = replay.finish();
/// let found: Vec<_> = report.findings().iter().map(|found| (found.code().as_str(), found.path(), found.line())).collect();
/// assert_eq!(
///     found,
///     [("call_without_result", "/events/1/id", Some(2)), ("result_without_call", "/events/2/id", Some(4))],
/// );
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Replay<'p> {
    /// The ids of the steps with how often each may be tried, in the order of the ids.
    steps: Vec<(&'p str, u8)>,
    /// The plan's hash in each mode.
    hashes: Vec<(HashMode, String)>,
    reader: EventReader,
    calls: Calls,
    findings: Findings,
    /// How many events there were.
    events: u64,
    has_started: bool,
    /// The mode of the first hash that was claimed and is the plan's.
    mode: Option<HashMode>,
    receipt: Receipt<'p>,
    receipt_calls: Option<ReceiptCalls<'p>>,
    tests: Option<Tests>,
}

impl<'p> Replay<'p> {
    /// A replay of `plan` without events, to be held against the session's receipt and the plan's tests where there are any.
    #[must_use]
    pub fn new(plan: &'p PlanIr<'_>, receipt: Option<Receipt<'p>>, tests: Option<Tests>) -> Self {
        let mut steps: Vec<_> = plan.steps().iter().map(|step| (step.id(), step.max_iterations())).collect();
        order::sort_by(&mut steps, |(left, _), (right, _)| left.cmp(right));
        let mut receipt = receipt.unwrap_or_default();
        Self {
            receipt_calls: receipt.calls.take().map(ReceiptCalls::new),
            receipt,
            tests,
            steps,
            hashes: HashMode::ALL.iter().map(|mode| (*mode, plan.plan_hash(*mode))).collect(),
            reader: EventReader::default(),
            calls: Calls::default(),
            findings: Findings::default(),
            events: 0,
            has_started: false,
            mode: None,
        }
    }

    /// Takes the next event, which was given as line `line` (from 1) of a log.
    ///
    /// # Errors
    ///
    /// The first of the event in document order, that of its kind before all others; paths begin at the event.
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) if there are too many ids to be told apart. There is no report of a
    /// replay of which an event cannot be read: who goes on after an error leaves an event out.
    pub fn event(&mut self, line: u64, event: Node<'_>) -> Result<(), Error> {
        let logged = self.reader.read(event)?;
        self.take(line, &logged)
    }

    /// How the events are written, as the first one says.
    #[must_use]
    pub fn layout(&self) -> Option<Layout> {
        self.reader.layout()
    }

    /// How many events there were.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// How many entries are kept to tell ids apart: what memory grows with, besides the plan.
    #[must_use]
    pub const fn kept_ids(&self) -> usize {
        self.calls.len()
    }

    /// The report, when all events were taken.
    #[must_use]
    pub fn finish(mut self) -> Report {
        if !self.has_started {
            let message = String::from("there is no `PlanStart`");
            self.findings.push(Finding::of_call(ReplayCode::NoPlanStart, "/events", message));
        }
        for pending in self.calls.pending() {
            let (code, what) = match pending.is_call {
                true => (ReplayCode::CallWithoutResult, "has no result"),
                false => (ReplayCode::ResultWithoutCall, "was never made"),
            };
            self.findings.push(pending.finding(code, what));
        }
        if let Some(hash) = self.receipt.plan_hash
            && let Some((code, message)) = self.claim(hash)
        {
            self.findings.push(Finding::of_call(code, "/receipt/plan_hash", message));
        }
        for (path, claimed) in &self.receipt.deltas {
            if let Some(message) = self.mismatch(*claimed) {
                self.findings.push(Finding::of_call(ReplayCode::DeltaMismatch, path, message));
            }
        }
        if let Some(calls) = &self.receipt_calls {
            let is_step = |id: &str| max_iterations(&self.steps, id).is_some();
            calls.finish(is_step, &mut |finding| self.findings.push(finding));
        }
        let reported = self.mode.unwrap_or(HashMode::Canonical);
        let hash = self.hashes.into_iter().find(|(mode, _)| *mode == reported);
        Report {
            findings: self.findings.into_list(),
            plan_hash: hash.map_or_else(String::new, |(_, hash)| hash),
            hash_mode: self.mode,
            tests: self.tests,
        }
    }

    /// Takes an event that was read.
    pub(super) fn take(&mut self, line: u64, logged: &Logged<'_>) -> Result<(), Error> {
        let place = self.events;
        self.events += 1;
        let find = |findings: &mut Findings, code, member, message| {
            findings.push(Finding::of_event(code, place, line, member, message));
        };
        if let Some(message) = logged.delta.and_then(|claimed| self.mismatch(claimed)) {
            find(&mut self.findings, ReplayCode::DeltaMismatch, "verification_delta", message);
        }
        match logged.event {
            Event::PlanStart { step_count, plan_hash } => {
                if self.has_started {
                    let message = String::from("the plan has started before");
                    find(&mut self.findings, ReplayCode::RepeatedPlanStart, "", message);
                }
                self.has_started = true;
                if step_count != self.steps.len() as u64 {
                    let message =
                        format!("`{step_count}` steps are claimed, the plan has {}", self.steps.len());
                    find(&mut self.findings, ReplayCode::StepCountMismatch, "step_count", message);
                }
                if let Some((code, message)) = plan_hash.and_then(|hash| self.claim(hash)) {
                    find(&mut self.findings, code, "plan_hash", message);
                }
            }
            Event::StepComplete { step_id, iterations } => match max_iterations(&self.steps, step_id) {
                None => find(&mut self.findings, ReplayCode::UnknownStep, "step_id", no_step(step_id)),
                Some(most) if iterations > u64::from(most) => {
                    let message =
                        format!("`{}` took {iterations} iterations of at most {most}", shorten(step_id));
                    find(&mut self.findings, ReplayCode::IterationsExceeded, "iterations", message);
                }
                Some(_) => {}
            },
            Event::ToolCall { id, step_id } => {
                if max_iterations(&self.steps, step_id).is_none() {
                    find(&mut self.findings, ReplayCode::UnknownStep, "step_id", no_step(step_id));
                }
                if let Some(message) = self.receipt_calls.as_mut().and_then(|calls| calls.log(id)) {
                    find(&mut self.findings, ReplayCode::ReceiptCallMismatch, "id", message);
                }
                return self.link(id, true, line, place);
            }
            Event::ToolResult { id } => return self.link(id, false, line, place),
            Event::Session => {}
        }
        Ok(())
    }

    /// Holds a call or a result against what was seen of its id.
    fn link(&mut self, id: &str, is_call: bool, line: u64, event: u64) -> Result<(), Error> {
        let key = self.calls.key(id);
        let this = || Pending { is_call, event, line, id: shorten(id).into() };
        let known = match self.calls.known(key) {
            Known::Nothing => return self.calls.add(key, this()),
            Known::Pending(pending) if pending.is_call != is_call => pending,
            // Both were seen, or this one was.
            _ => {
                let (code, what) = match is_call {
                    true => (ReplayCode::RepeatedCall, "was made before"),
                    false => (ReplayCode::RepeatedResult, "has a result already"),
                };
                self.findings.push(this().finding(code, what));
                return Ok(());
            }
        };
        if is_call {
            self.findings
                .push(known.finding(ReplayCode::ResultBeforeCall, "is made after this result of it"));
        }
        self.calls.complete(key);
        Ok(())
    }

    /// What is wrong with a delta that is claimed, if there are tests to hold it against.
    fn mismatch(&self, claimed: Delta) -> Option<String> {
        let delta = self.tests?.difference();
        (claimed != delta).then(|| format!("a delta of {claimed} is claimed, the tests give {delta}"))
    }

    /// Holds a hash against those of the plan: what is found, if it is none of them or of another mode than the first.
    fn claim(&mut self, claimed: &str) -> Option<(ReplayCode, String)> {
        // Where both modes give the same hash, it is the canonical one.
        let Some((mode, _)) = self.hashes.iter().find(|(_, hash)| hash == claimed) else {
            let message = format!("`{}` is the hash of another plan, in either mode", shorten(claimed));
            return Some((ReplayCode::PlanHashMismatch, message));
        };
        let (mode, first) = (*mode, *self.mode.get_or_insert(*mode));
        let message =
            format!("the hash is of mode `{}`, the first one of `{}`", mode.as_str(), first.as_str());
        (mode != first).then_some((ReplayCode::MixedHashModes, message))
    }
}

impl Pending {
    /// A finding about the call's id, of which `what` is true.
    fn finding(&self, code: ReplayCode, what: &str) -> Finding {
        Finding::of_event(code, self.event, self.line, "id", format!("call `{}` {what}", self.id))
    }
}

/// How often a step may be tried, if there is one of that id.
fn max_iterations(steps: &[(&str, u8)], id: &str) -> Option<u8> {
    let place = steps.binary_search_by(|(step, _)| (*step).cmp(id)).ok()?;
    steps.get(place).map(|(_, most)| *most)
}

fn no_step(id: &str) -> String {
    format!("the plan has no step `{}`", shorten(id))
}
