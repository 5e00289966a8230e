//! The output contracts of `validate_plan`, `merge_diagnostics` and `observe_output`, for answers from outside the engine
//! (docs/reference/plans.md).
//!
//! Checks the shape and everything that follows without judgment: merged diagnostics in their buckets, the status, and the plan
//! unchanged. Only merging has one right answer. The module alone decides on the diagnostics and the score of a plan or an
//! output.

use alloc::{format, vec::Vec};

use adjudicate_lang::{Decimal, Error, document, json::Node};

use super::{Bundle, demand::Demand, merge, merge::DiagnosticDifferences};
use crate::{
    contract::{breach, decode, unanswerable},
    documents::{
        BundleStatus, MergeCall, Plan, PlanCall, PlanNode, Weights,
        bundle::{
            ConstraintScore, MergedBundle, OutputObservation, PlanAnswer, PlanUpdatedPayload, StatedBundle,
            TrimmedNode, out_of_range,
        },
        diagnostic::{Diagnostic, Level},
    },
};

/// Checks a foreign answer to `merge_diagnostics` against the input of the call. Merging involves no judgment, so diagnostics,
/// status and score must be exact.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer.
///
/// ```
/// use adjudicate_core::{json::{self, ReadLimits}, plan::check_bundle};
/// let input = br#"{"diagnostics": [{"severity": "hard", "status": "unsatisfied", "cause": "missing_producer"}]}"#;
/// let input = json::read(input, ReadLimits::DOCUMENT)?;
/// let answer = br#"{"status": "accepted", "satisfactionScore": 1.0, "failures": [], "warnings": [], "infos": []}"#;
/// let answer = json::read(answer, ReadLimits::DOCUMENT)?;
/// assert!(check_bundle(input.root(), answer.root()).is_err());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_bundle(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let stated = decode::<MergedBundle<'_>>(answer)?.take_bundle();
    let score = stated.score;
    let stated = checked(stated)?;
    let call: MergeCall<'_> = document::read(input).map_err(unanswerable)?;
    let merged = Bundle::new(call.diagnostics, call.weights);
    if *merged.listed() != *stated.diagnostics() {
        return Err(breach("", "the diagnostics differ from the merged diagnostics of the call"));
    }
    if score == Decimal::new(merged.millionths().into(), -6) {
        return Ok(());
    }
    Err(breach("/satisfactionScore", "the score does not follow from the diagnostics"))
}

/// Checks a foreign answer to `observe_output`.
///
/// # Errors
///
/// Those of [`check_bundle`].
pub fn check_observation(answer: Node<'_>) -> Result<(), Error> {
    let mut observation: OutputObservation<'_> = decode(answer)?;
    checked(observation.take_bundle())?;
    if observation.observed_satisfaction == observation.satisfaction_score {
        return Ok(());
    }
    Err(breach("/observedSatisfaction", "the observed satisfaction differs from the score"))
}

/// Checks a foreign answer to `validate_plan` against the input of the call. Its nodes must be those of the plan, its scores
/// those of the task's constraints, and its changes those since the earlier answer.
///
/// # Errors
///
/// Those of [`check_bundle`].
pub fn check_payload(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let call: PlanCall<'_> = document::read(input).map_err(unanswerable)?;
    let answer: PlanAnswer<'_> = decode(answer)?;
    let in_payload = |error: Error| error.under("payload");
    let (event, bundle) = match answer {
        PlanAnswer::Rejected { mut payload } => {
            check_scores(&call, &payload.constraint_scores).map_err(in_payload)?;
            ("plan_rejected", checked(payload.take_bundle()).map_err(in_payload)?)
        }
        PlanAnswer::Generated { mut payload } => {
            check_scores(&call, &payload.constraint_scores).map_err(in_payload)?;
            check_plan(&call.plan, payload.plan_version, &payload.nodes).map_err(in_payload)?;
            ("plan_generated", checked(payload.take_bundle()).map_err(in_payload)?)
        }
        PlanAnswer::Updated { mut payload } => {
            check_scores(&call, &payload.constraint_scores).map_err(in_payload)?;
            check_plan(&call.plan, payload.plan_version, &payload.nodes).map_err(in_payload)?;
            let bundle = checked(payload.take_bundle()).map_err(in_payload)?;
            check_event("plan_updated", &call, bundle.status())?;
            let previous = merge(call.previous.map(|previous| previous.0).unwrap_or_default());
            return check_changes(&previous, &bundle, &payload).map_err(in_payload);
        }
    };
    check_event(event, &call, bundle.status())
}

/// Checks that the event fits the status, and the presence of `previous`.
fn check_event(event: &str, call: &PlanCall<'_>, status: BundleStatus) -> Result<(), Error> {
    let is_rejected = event == "plan_rejected";
    if is_rejected != (status == BundleStatus::Rejected) {
        return Err(breach("/event", format!("the event `{event}` does not fit the status `{status}`")));
    }
    match (event, &call.previous) {
        ("plan_updated", None) => {
            Err(breach("/event", "expected `plan_generated`, because the call has no `previous`"))
        }
        ("plan_generated", Some(_)) => {
            Err(breach("/event", "expected `plan_updated`, because the call has a `previous`"))
        }
        _ => Ok(()),
    }
}

/// Checks that each constraint of the task has its score, in the order of declaration.
fn check_scores(call: &PlanCall<'_>, scores: &[ConstraintScore<'_>]) -> Result<(), Error> {
    let mut demands = call.task.contract.constraints.iter().map(Demand::new);
    for (at, shown) in scores.iter().enumerate() {
        let demand = demands.next();
        let check = check_score(demand.as_ref(), shown);
        check.map_err(|error| error.below(&format!("/constraintScores/{at}")))?;
    }
    match demands.next() {
        Some(_) => Err(breach("/constraintScores", "constraints of the task are missing")),
        None => Ok(()),
    }
}

fn check_score(demand: Option<&Demand<'_>>, shown: &ConstraintScore<'_>) -> Result<(), Error> {
    let Some(demand) = demand.filter(|demand| *demand.id == *shown.constraint_id.0) else {
        return Err(breach("/constraintId", "expected the constraint that the task has at this index"));
    };
    if demand.constraint.level != shown.severity {
        return Err(breach("/severity", "the severity differs from the level of the constraint"));
    }
    match (shown.severity, shown.score.as_ref()) {
        (Level::Informational, Some(_)) => {
            Err(breach("/score", "expected null, because the constraint is informational"))
        }
        (Level::Hard | Level::Soft, None) => Err(out_of_range().under("score")),
        (Level::Informational, None) | (Level::Hard | Level::Soft, Some(_)) => Ok(()),
    }
}

/// Checks the changes between two lists of diagnostics; comparing them involves no judgment.
fn check_changes(
    previous: &[Diagnostic<'_>],
    bundle: &Bundle<'_>,
    payload: &PlanUpdatedPayload<'_>,
) -> Result<(), Error> {
    let open: Vec<_> = bundle.diagnostics().iter().filter(|diagnostic| diagnostic.is_open()).collect();
    let changes = DiagnosticDifferences::between(&previous.iter().collect::<Vec<_>>(), &open);
    for (path, shown, expected) in [
        ("/resolved", &payload.resolved, &changes.resolved),
        ("/introduced", &payload.introduced, &changes.introduced),
    ] {
        if !shown.iter().eq(expected.iter().copied()) {
            return Err(breach(path, "the changes differ from those since the earlier answer"));
        }
    }
    match u64::try_from(changes.unchanged) == Ok(payload.unchanged) {
        true => Ok(()),
        false => Err(breach("/unchanged", "expected the number of findings that are in both answers")),
    }
}

/// Checks that version and nodes are those of the plan, in its order and as declared.
fn check_plan(plan: &Plan<'_>, version: u64, nodes: &[TrimmedNode<'_>]) -> Result<(), Error> {
    if version != plan.plan_version {
        return Err(breach("/planVersion", "the version differs from the plan's"));
    }
    let mut planned = plan.nodes.iter();
    for (at, shown) in nodes.iter().enumerate() {
        let check = check_node(planned.next(), shown);
        check.map_err(|error| error.below(&format!("/nodes/{at}")))?;
    }
    match planned.next() {
        Some(_) => Err(breach("/nodes", "nodes of the plan are missing")),
        None => Ok(()),
    }
}

fn check_node(planned: Option<&PlanNode<'_>>, shown: &TrimmedNode<'_>) -> Result<(), Error> {
    let otherwise = |path| Err(breach(path, "the value differs from the plan's"));
    let undeclared = |path| Err(breach(path, "the plan declares no such node"));
    let Some(planned) = planned else { return undeclared("/nodeId") };
    if planned.node_id != shown.node_id {
        return otherwise("/nodeId");
    }
    match (planned.capability_id, shown.capability_id) {
        (Some(declared), Some(capability)) if declared != capability => return otherwise("/capabilityId"),
        (None, Some(_)) => return undeclared("/capabilityId"),
        (Some(_), None) => return Err(breach("", "`capabilityId` of the plan's node is missing")),
        _ => {}
    }
    // An answer derives the other two lists if the plan does not declare them.
    if planned.provides.as_ref().is_some_and(|declared| *declared != shown.provides) {
        return otherwise("/provides");
    }
    if planned.enforces.as_ref().is_some_and(|declared| *declared != shown.enforces) {
        return otherwise("/enforces");
    }
    Ok(())
}

/// Checks that the diagnostics are merged, and that the status follows from them.
fn checked(stated: StatedBundle<'_>) -> Result<Bundle<'_>, Error> {
    let bundle = Bundle::new(stated.diagnostics.clone(), Weights::default());
    if bundle.diagnostics() != stated.diagnostics {
        return Err(breach("", "the diagnostics are not merged or not sorted"));
    }
    if bundle.status() != stated.status {
        let follows = bundle.status().as_str();
        return Err(breach("/status", format!("expected `{follows}`, which follows from the diagnostics")));
    }
    Ok(bundle)
}
