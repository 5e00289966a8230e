//! The calls of `merge_diagnostics` and `validate_plan`.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{
        self, Limits, Node,
        object::{Field, Form, optional, read_document, read_items, read_object, required},
    },
};

use super::{
    Bundle, Diagnostic, Level, PlanCall, Weights, coverage::Coverage, demand::Demand, facts::Facts, payload,
    report::Report, validators,
};
use crate::bounds;

const CALL: &[Field] = &[required("diagnostics", Form::List), optional("weights", Form::Object)];

const WEIGHTS: &[Field] = &[optional("hard", Form::Magnitude), optional("soft", Form::Magnitude)];

/// Merges the diagnostics of `{"diagnostics": [...], "weights": {"hard", "soft"}}` into a bundle (SPEC section 7.3).
///
/// # Errors
///
/// What is wrong with the text, then the first of its members in document order, with a pointer to it.
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
    let tape = json::read(input, Limits::DOCUMENT)?;
    let (diagnostics, weights) = read_merge(tape.root())?;
    bounds::checked(Bundle::of(diagnostics, weights).to_json())
}

/// Reads the diagnostics of a call, and what constraints weigh.
pub(super) fn read_merge(call: Node<'_>) -> Result<(Vec<Diagnostic<'_>>, Weights), Error> {
    let mut diagnostics = Vec::new();
    let mut weights = Weights::default();
    read_document(call, CALL, &mut |at, member| match at {
        0 => {
            diagnostics.reserve_exact(member.len());
            read_items(member, &mut |item| {
                diagnostics.push(Diagnostic::read(item)?);
                Ok(())
            })
        }
        _ => read_object(member, WEIGHTS, &mut |at, weight| {
            let place = if at == 0 { &mut weights.hard } else { &mut weights.soft };
            *place = weight.as_decimal().unwrap_or_default();
            Ok(())
        }),
    })?;
    Ok((diagnostics, weights))
}

/// Judges the plan of `{"task", "plan", "capabilities", "facets"?, "previous"?}` (SPEC section 7): `{"event", "payload"}` with the
/// event `plan_generated` or `plan_rejected` and the findings. With `previous`, the payload of an earlier answer, an accepted plan
/// gives `plan_updated`, whose payload also has the findings that are `resolved` and `introduced` since.
///
/// # Errors
///
/// What is wrong with the text, then the first of its members in document order, with a pointer to it;
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
    let tape = json::read(input, Limits::DOCUMENT)?;
    let call = PlanCall::read(tape.root())?;
    let steps = &mut Steps::default();
    let demands: Vec<Demand<'_>> = call.task.contract.constraints.iter().map(Demand::of).collect();
    let facts = Facts::of(&call, &demands, steps)?;
    let coverage = if facts.is_sound() { Some(Coverage::of(&facts, steps)?) } else { None };
    let mut report = Report { diagnostics: Vec::new(), steps };
    validators::run(&facts, coverage.as_ref(), &mut report)?;
    let has_scores = demands.iter().any(|demand| demand.constraint.level != Level::Informational);
    let bundle = Bundle::of_plan(report.diagnostics, has_scores && coverage.is_some());
    payload::write(&facts, coverage.as_ref(), &bundle, report.steps).and_then(bounds::checked)
}
