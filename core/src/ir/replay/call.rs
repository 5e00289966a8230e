//! The input of `verify_replay`.

use alloc::string::String;

use adjudicate_lang::{
    Error,
    document::{self, Document},
    json::Node,
};

use super::{Replay, ReplayReport};
use crate::{
    bounds,
    documents::replay::{Events, Receipt, Tests},
    ir::PlanIr,
};

/// A call of `verify_replay`.
#[derive(Debug, Document)]
#[document(expecting = "an object", root)]
pub struct VerifyReplayCall<'a> {
    /// The plan in its canonical form.
    pub plan: PlanIr<'a>,
    /// The log of the run, in order. A log that begins with a `ReplayHeader` may hold events of any kind.
    pub events: Events<'a>,
    /// The receipt of the run.
    pub receipt: Option<Receipt<'a>>,
    /// The numbers of failing tests.
    pub tests: Option<Tests>,
}

/// Verifies the replay of `{"plan", "events", "receipt"?, "tests"?}` against its plan (docs/reference/planir.md): `{"linked",
/// "findings", "plan_hash", "hash_mode", "verification_delta"}`.
///
/// The line of an event is its position in the list, from 1.
///
/// # Errors
///
/// The first error of the call in document order, with up to nine others, and pointers to them.
///
/// ```
/// use adjudicate_core::{ir::replay::verify_replay_text, json::{self, ReadLimits}};
/// let call = br#"{
///   "plan": {
///     "analysis": "", "complexity": "low", "confidence": 0.5,
///     "steps": [{"id": "fix", "description": "", "intent": "modify", "target_files": [], "depends_on": [], "max_iterations": 2}],
///     "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0}
///   },
///   "events": [
///     {"event": "PlanStart", "step_count": 1},
///     {"event": "ToolCall", "id": "1", "step_id": "fix"},
///     {"event": "ToolResult", "id": "1"},
///     {"event": "StepComplete", "step_id": "fix", "iterations": 3}
///   ],
///   "tests": {"failing_before": 3, "failing_after": 0}
/// }"#;
/// let call = json::read(call, ReadLimits::DOCUMENT)?;
/// let answer = verify_replay_text(call.root())?;
/// assert!(answer.starts_with(r#"{"linked":false,"findings":[{"code":"iterations_exceeded","path":"/events/3/iterations","line":4,"#));
/// assert!(answer.ends_with(r#","hash_mode":null,"verification_delta":3}"#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn verify_replay_text(call: Node<'_>) -> Result<String, Error> {
    verify(call).and_then(|report| bounds::checked(report.to_json()))
}

pub(super) fn verify(call: Node<'_>) -> Result<ReplayReport, Error> {
    let VerifyReplayCall { plan, events, receipt, tests } = document::read(call)?;
    let mut replay = Replay::new(&plan, receipt, tests);
    for (line, event) in (1..).zip(&events.0) {
        replay.take(line, event).map_err(|error| error.at("/events"))?;
    }
    Ok(replay.finish())
}
