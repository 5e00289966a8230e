//! The operations `merge_diagnostics` and `validate_plan`.

use alloc::{string::String, vec::Vec};
use core::mem;

use adjudicate_lang::{
    Error, Steps, document,
    json::{self, ReadLimits},
};

use super::{
    Bundle, coverage::Coverage, demand::Demand, diagnostic_report::DiagnosticReport, facts::PlanFacts, merge,
    payload, validators,
};
use crate::{
    bounds,
    documents::{MergeCall, PlanCall, diagnostic::Level},
};

/// Merges the diagnostics of `{"diagnostics": [...], "weights": {"hard", "soft"}}` into a bundle (docs/reference/plans.md).
///
/// # Errors
///
/// The first problem of the text, or else of its fields in document order, with a pointer.
///
/// ```
/// let call = br#"{"diagnostics":[{"severity":"soft","status":"unsatisfied","constraintId":"two","cause":"unsatisfied_soft"}]}"#;
/// assert_eq!(
///     adjudicate_core::plan::merge_text(call)?,
///     concat!(
///         r#"{"status":"accepted_with_findings","satisfactionScore":0.0,"failures":[],"#,
///         r#""warnings":[{"severity":"soft","status":"unsatisfied","constraintId":"two","cause":"unsatisfied_soft"}],"#,
///         r#""infos":[]}"#,
///     ),
/// );
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn merge_text(input: &[u8]) -> Result<String, Error> {
    let tape = json::read(input, ReadLimits::DOCUMENT)?;
    let call: MergeCall<'_> = document::read(tape.root())?;
    bounds::checked(Bundle::new(call.diagnostics, call.weights).to_json())
}

/// Validates the plan of `{"task", "plan", "capabilities", "facets"?, "previous"?}` (docs/reference/plans.md).
///
/// The answer is `{"event", "payload"}` with the event `plan_generated` or `plan_rejected` and the findings. With `previous`, the
/// payload of an earlier answer, an accepted plan gives `plan_updated`. Its payload also has the findings that are `resolved` and
/// `introduced` since.
///
/// # Errors
///
/// The first problem of the text, or else of its fields in document order, with a pointer;
/// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for a plan that takes too much work.
///
/// ```
/// let call = br#"{
///     "task": {"objective": "a post", "outputContract": {"schema": {"type": "object", "required": ["copy"]}}},
///     "plan": {"nodes": [{"nodeId": "write", "capabilityId": "Writer"}], "edges": []},
///     "capabilities": [{"capabilityId": "Writer", "outputFacets": ["copy"]}]
/// }"#;
/// assert_eq!(
///     adjudicate_core::plan::validate_text(call)?,
///     concat!(
///         r#"{"event":"plan_generated","payload":{"planVersion":1,"nodes":["#,
///         r#"{"nodeId":"write","capabilityId":"Writer","provides":["copy"],"enforces":[]}],"#,
///         r#""status":"accepted","satisfactionScore":1.0,"failures":[],"warnings":[],"infos":[],"#,
///         r#""constraintScores":[]}}"#,
///     ),
/// );
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn validate_text(input: &[u8]) -> Result<String, Error> {
    let tape = json::read(input, ReadLimits::DOCUMENT)?;
    let mut call: PlanCall<'_> = document::read(tape.root())?;
    if let Some(previous) = &mut call.previous {
        previous.0 = merge(mem::take(&mut previous.0));
    }
    let steps = &mut Steps::default();
    let demands: Vec<Demand<'_>> = call.task.contract.constraints.iter().map(Demand::new).collect();
    let facts = PlanFacts::new(&call, &demands, steps)?;
    let coverage = if facts.is_sound() { Some(Coverage::new(&facts, steps)?) } else { None };
    let mut report = DiagnosticReport { diagnostics: Vec::new(), steps };
    validators::run(&facts, coverage.as_ref(), &mut report)?;
    let has_scores = demands.iter().any(|demand| demand.constraint.level != Level::Informational);
    let bundle = Bundle::for_plan(report.diagnostics, has_scores && coverage.is_some());
    payload::write(&facts, coverage.as_ref(), &bundle, report.steps).and_then(bounds::checked)
}
