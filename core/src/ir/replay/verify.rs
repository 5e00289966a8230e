//! Verifies the events of a replay against their plan, one at a time.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::Reader,
    json::{Node, shorten},
    order,
};

use super::{
    ReplayReport,
    calls::{Calls, IdState, Pending},
    finding::{ReplayFinding, ReplayFindings},
    receipt_calls::ReceiptCalls,
};
use crate::{
    documents::{
        plan_ir::HashMode,
        replay::{
            Delta, Event, EventReader, Layout, PlanStart, Receipt, ReplayCode, StepComplete, Tests, ToolCall,
            ToolResult,
        },
    },
    ir::PlanIr,
};

/// The hash modes, in the order in which a claim is compared.
const MODES: [HashMode; 2] = [HashMode::Canonical, HashMode::SerdeF32Compat];

/// A replay under verification (docs/reference/planir.md): events go in one at a time, and a report comes out.
///
/// Memory does not grow with the number of events. It is bounded by the plan, the receipt, the calls without results, and 1,000
/// findings (all are counted). Finished ids take one span for all counted ones (`call-1`, `call-2`, ...), and about 70 bytes for
/// each other id. More than 524,288 spans and open calls are an error, because repeated ids could no longer be detected.
///
/// ```
/// use adjudicate_core::{ir::{PlanIr, replay::Replay}, json::{self, ReadLimits}};
/// let plan = br#"{
///   "analysis": "", "complexity": "low", "confidence": 0.5,
///   "steps": [{"id": "fix", "description": "", "intent": "modify", "target_files": [], "depends_on": [], "max_iterations": 2}],
///   "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0}
/// }"#;
/// let plan = json::read(plan, ReadLimits::DOCUMENT)?;
/// let plan = PlanIr::read(plan.root())?;
/// // A host reads line by line, and holds no more than one.
/// let log = r#"{"event": "PlanStart", "step_count": 1}
/// {"event": "ToolCall", "id": "1", "step_id": "fix", "tool": "edit"}
///
/// {"event": "ToolResult", "id": "2"}"#;
/// let mut replay = Replay::new(&plan, None, None);
/// for (line, text) in (1..).zip(log.lines()).filter(|(_, text)| !text.trim().is_empty()) {
///     let event = json::read(text.as_bytes(), ReadLimits::DOCUMENT)?;
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
    /// The ids of the steps, sorted, each with its most tries.
    steps: Vec<(&'p str, u8)>,
    /// The plan's hash in each mode.
    hashes: [(HashMode, String); 2],
    reader: EventReader,
    calls: Calls,
    findings: ReplayFindings,
    /// The number of events so far.
    events: u64,
    has_started: bool,
    /// The mode of the first correct claim of a hash.
    mode: Option<HashMode>,
    receipt: Receipt<'p>,
    receipt_calls: Option<ReceiptCalls<'p>>,
    tests: Option<Tests>,
}

impl<'p> Replay<'p> {
    /// A replay of `plan` without events, with the session's receipt and the test results, if any.
    #[must_use]
    pub fn new(plan: &'p PlanIr<'_>, receipt: Option<Receipt<'p>>, tests: Option<Tests>) -> Self {
        let mut steps: Vec<_> = plan.steps().iter().map(|step| (step.id(), step.max_iterations())).collect();
        order::sort_by(&mut steps, |(left, _), (right, _)| left.cmp(right));
        let mut receipt = receipt.unwrap_or_default();
        Self {
            receipt_calls: receipt.tool_calls.take().map(ReceiptCalls::new),
            receipt,
            tests,
            steps,
            hashes: MODES.map(|mode| (mode, plan.plan_hash(mode))),
            reader: EventReader::default(),
            calls: Calls::default(),
            findings: ReplayFindings::default(),
            events: 0,
            has_started: false,
            mode: None,
        }
    }

    /// Verifies the next event, from line `line` (from 1) of a log.
    ///
    /// # Errors
    ///
    /// The first error of the event in document order, with the others; an error of its kind comes first. Paths begin at the
    /// event. [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) if there are too many ids to tell apart. After an error, stop: a
    /// report would lack the event.
    pub fn event(&mut self, line: u64, event: Node<'_>) -> Result<(), Error> {
        let mut errors = Reader::default();
        let event = self.reader.read(event, &mut errors);
        self.take(line, &errors.end(event)?)
    }

    /// The layout, once the first event is read.
    #[must_use]
    pub fn layout(&self) -> Option<Layout> {
        self.reader.layout()
    }

    /// The number of events so far.
    #[must_use]
    pub const fn events(&self) -> u64 {
        self.events
    }

    /// The number of spans of ids: the part of memory that can grow with the events.
    #[must_use]
    pub const fn kept_ids(&self) -> usize {
        self.calls.len()
    }

    /// The report, after the last event.
    #[must_use]
    pub fn finish(mut self) -> ReplayReport {
        if !self.has_started {
            let message = String::from("there is no `PlanStart`");
            self.findings.push(ReplayFinding::for_call(ReplayCode::NoPlanStart, "/events", message));
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
            self.findings.push(ReplayFinding::for_call(code, "/receipt/plan_hash", message));
        }
        for (path, claimed) in self.receipt.deltas() {
            if let Some(message) = self.mismatch(claimed) {
                self.findings.push(ReplayFinding::for_call(ReplayCode::DeltaMismatch, path, message));
            }
        }
        if let Some(calls) = &self.receipt_calls {
            let is_step = |id: &str| max_iterations(&self.steps, id).is_some();
            calls.finish(is_step, &mut |finding| self.findings.push(finding));
        }
        let reported = self.mode.unwrap_or(HashMode::Canonical);
        let hash = self.hashes.into_iter().find(|(mode, _)| *mode == reported);
        ReplayReport {
            findings: self.findings.into_list(),
            plan_hash: hash.map_or_else(String::new, |(_, hash)| hash),
            hash_mode: self.mode,
            tests: self.tests,
        }
    }

    /// Verifies an event that was read.
    pub(super) fn take(&mut self, line: u64, taken: &Event<'_>) -> Result<(), Error> {
        let place = self.events;
        self.events += 1;
        let find = |findings: &mut ReplayFindings, code, member, message| {
            findings.push(ReplayFinding::for_event(code, place, line, member, message));
        };
        if let Some(message) = taken.delta().and_then(|claimed| self.mismatch(claimed)) {
            find(&mut self.findings, ReplayCode::DeltaMismatch, "verification_delta", message);
        }
        match *taken {
            Event::PlanStart(PlanStart { step_count, plan_hash, .. }) => {
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
            Event::StepComplete(StepComplete { step_id, iterations, .. }) => {
                match max_iterations(&self.steps, step_id) {
                    None => find(&mut self.findings, ReplayCode::UnknownStep, "step_id", no_step(step_id)),
                    Some(most) if iterations > u64::from(most) => {
                        let message =
                            format!("`{}` took {iterations} iterations of at most {most}", shorten(step_id));
                        find(&mut self.findings, ReplayCode::IterationsExceeded, "iterations", message);
                    }
                    Some(_) => {}
                }
            }
            Event::ToolCall(ToolCall { id, step_id, .. }) => {
                if max_iterations(&self.steps, step_id).is_none() {
                    find(&mut self.findings, ReplayCode::UnknownStep, "step_id", no_step(step_id));
                }
                if let Some(message) = self.receipt_calls.as_mut().and_then(|calls| calls.log(id)) {
                    find(&mut self.findings, ReplayCode::ReceiptCallMismatch, "id", message);
                }
                return self.link(id, true, line, place);
            }
            Event::ToolResult(ToolResult { id, .. }) => return self.link(id, false, line, place),
            Event::Session(_) => {}
        }
        Ok(())
    }

    /// Pairs a call or a result with the earlier events of its id.
    fn link(&mut self, id: &str, is_call: bool, line: u64, event: u64) -> Result<(), Error> {
        let key = self.calls.key(id);
        let this = || Pending { is_call, event, line, id: shorten(id).into() };
        let known = match self.calls.known(key) {
            IdState::Nothing => return self.calls.add(key, this()),
            IdState::Pending(pending) if pending.is_call != is_call => pending,
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

    /// The message for a claimed delta that differs from the tests.
    fn mismatch(&self, claimed: Delta) -> Option<String> {
        let delta = self.tests?.difference();
        (claimed != delta).then(|| format!("a delta of {claimed} is claimed, the tests give {delta}"))
    }

    /// Compares a claimed hash with those of the plan; reports an unknown hash, or another mode than the first claim's.
    fn claim(&mut self, claimed: &str) -> Option<(ReplayCode, String)> {
        // If both modes give the same hash, the canonical one counts.
        let Some((mode, _)) = self.hashes.iter().find(|(_, hash)| hash == claimed) else {
            let message = format!("`{}` is the hash of another plan, in either mode", shorten(claimed));
            return Some((ReplayCode::PlanHashMismatch, message));
        };
        let (mode, first) = (*mode, *self.mode.get_or_insert(*mode));
        let message = format!("the hash is of mode `{mode}`, the first one of `{first}`");
        (mode != first).then_some((ReplayCode::MixedHashModes, message))
    }
}

impl Pending {
    /// A finding about the call's id, with `what` as its predicate.
    fn finding(&self, code: ReplayCode, what: &str) -> ReplayFinding {
        ReplayFinding::for_event(code, self.event, self.line, "id", format!("call `{}` {what}", self.id))
    }
}

/// The most tries of a step, if there is one of that id.
fn max_iterations(steps: &[(&str, u8)], id: &str) -> Option<u8> {
    let place = steps.binary_search_by(|(step, _)| (*step).cmp(id)).ok()?;
    steps.get(place).map(|(_, most)| *most)
}

fn no_step(id: &str) -> String {
    format!("the plan has no step `{}`", shorten(id))
}
