//! The call of `verify_replay`.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        Node,
        object::{Field, Form, missing, optional, read_document, read_items, required},
    },
};

use super::{Receipt, Replay, Report, Tests, event::EventReader};
use crate::{bounds, ir::PlanIr};

const CALL: &[Field] = &[
    required("plan", Form::Object),
    required("events", Form::List),
    optional("receipt", Form::Object),
    optional("tests", Form::Object),
];

/// Holds the replay of `{"plan", "events", "receipt"?, "tests"?}` against its plan (SPEC sections 9 and 18.5):
/// `{"linked", "findings", "plan_hash", "hash_mode", "verification_delta"}`.
///
/// The line of an event is its place in the list, from 1.
///
/// # Errors
///
/// The first of the call's members in document order, with a pointer to it.
///
/// ```
/// use adjudicate_core::{ir::replay::verify_replay_text, json::{self, Limits}};
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
/// let call = json::read(call, Limits::DOCUMENT)?;
/// let answer = verify_replay_text(call.root())?;
/// assert!(answer.starts_with(r#"{"linked":false,"findings":[{"code":"iterations_exceeded","path":"/events/3/iterations","line":4,"#));
/// assert!(answer.ends_with(r#","hash_mode":null,"verification_delta":3}"#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn verify_replay_text(call: Node<'_>) -> Result<String, Error> {
    verify(call).and_then(|report| bounds::checked(report.to_json()))
}

pub(super) fn verify(call: Node<'_>) -> Result<Report, Error> {
    let (mut plan, mut receipt, mut tests) = (None, None, None);
    // Events may stand before the plan that they are held against, and errors come in document order.
    let mut events = Vec::new();
    read_document(call, CALL, &mut |at, member| {
        match at {
            0 => plan = Some(PlanIr::read(member)?),
            1 => {
                let mut reader = EventReader::default();
                read_items(member, &mut |event| {
                    events.push(reader.read(event)?);
                    Ok(())
                })?;
            }
            2 => receipt = Some(Receipt::read(member)?),
            _ => tests = Some(Tests::read(member)?),
        }
        Ok(())
    })?;
    // What is required was read.
    let Some(plan) = plan else { return Err(missing("plan")) };
    let mut replay = Replay::new(&plan, receipt, tests);
    for (line, event) in (1..).zip(&events) {
        replay.take(line, event).map_err(|error| error.at("/events"))?;
    }
    Ok(replay.finish())
}
