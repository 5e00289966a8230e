//! The output contracts of `validate_plan`, `merge_diagnostics` and `observe_output`: what their answers must be, whoever made
//! them (SPEC sections 7.3 and 7.5).
//!
//! Owns the shapes, and what follows: that diagnostics are merged and in their buckets, that the status is the one they lead to,
//! that a plan is shown as it came. To merge is no judgement, so there is one answer to that; which diagnostics a plan or an
//! output has, and the score, is the judgement of whoever answers.

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        self, Kind, Node,
        object::{Field, Form, count, optional, read_items, read_object, required},
    },
};

use super::{
    Bundle, BundleStatus, Diagnostic, Level, PlanCall, Weights, call::read_merge, demand::Demand,
    merge::Changes,
};
use crate::contract::{breach, breach_of, unanswerable};

const EVENTS: &[&str] = &["plan_generated", "plan_rejected", "plan_updated"];

/// The status, the score and the buckets, and then those members that the answer has besides.
macro_rules! bundle {
    ($($more:expr),*) => {
        &[
            required("status", Form::Word(BundleStatus::WORDS)),
            required("satisfactionScore", Form::Magnitude),
            required("failures", Form::List),
            required("warnings", Form::List),
            required("infos", Form::List),
            $($more),*
        ]
    };
}
const BUNDLE: &[Field] = bundle!();
const OBSERVED: &[Field] = bundle!(required("observedSatisfaction", Form::Magnitude));
const REJECTED: &[Field] = bundle!(required("constraintScores", Form::List));
const GENERATED: &[Field] = bundle!(
    required("constraintScores", Form::List),
    required("planVersion", Form::Count),
    required("nodes", Form::List)
);
const UPDATED: &[Field] = bundle!(
    required("constraintScores", Form::List),
    required("planVersion", Form::Count),
    required("nodes", Form::List),
    required("resolved", Form::List),
    required("introduced", Form::List),
    required("unchanged", Form::Count)
);

const ANSWER: &[Field] = &[required("event", Form::Word(EVENTS)), required("payload", Form::Object)];

/// A node of a payload.
pub(super) const NODE: &[Field] = &[
    required("nodeId", Form::Id),
    optional("capabilityId", Form::Id),
    required("provides", Form::Ids),
    required("enforces", Form::Ids),
];

/// The score of a constraint in a payload.
pub(super) const SCORE: &[Field] = &[
    required("constraintId", Form::Id),
    required("severity", Form::Word(Level::WORDS)),
    required("score", Form::Any),
];

/// Checks an answer to `merge_diagnostics` that did not come from this engine, against the input of the call: nothing is
/// judged there, so diagnostics, status and score are what they must be.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the answer.
///
/// ```
/// use adjudicate_core::{json::{self, Limits}, plan::check_bundle};
/// let input = br#"{"diagnostics": [{"severity": "hard", "status": "unsatisfied", "cause": "missing_producer"}]}"#;
/// let input = json::read(input, Limits::DOCUMENT)?;
/// let answer = br#"{"status": "accepted", "satisfactionScore": 1.0, "failures": [], "warnings": [], "infos": []}"#;
/// let answer = json::read(answer, Limits::DOCUMENT)?;
/// assert!(check_bundle(input.root(), answer.root()).is_err());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_bundle(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let stated = hold(answer, BUNDLE, &mut |_, _| Ok(()))?;
    let (diagnostics, weights) = read_merge(input).map_err(unanswerable)?;
    let merged = Bundle::of(diagnostics, weights);
    if *merged.listed() != *stated.diagnostics() {
        return Err(breach("", "the diagnostics are not those of the call, merged"));
    }
    let score = answer.member("satisfactionScore").and_then(Node::as_f64);
    if score == Some(f64::from(merged.millionths()) / 1e6) {
        return Ok(());
    }
    Err(breach("/satisfactionScore", "the score is not that of the diagnostics"))
}

/// Checks an answer to `observe_output` that did not come from this engine.
///
/// # Errors
///
/// Those of [`check_bundle`].
pub fn check_observation(answer: Node<'_>) -> Result<(), Error> {
    hold(answer, OBSERVED, &mut |_, member| within_one(member))?;
    let [observed, score] =
        ["observedSatisfaction", "satisfactionScore"].map(|name| answer.member(name).and_then(Node::as_f64));
    if observed == score {
        return Ok(());
    }
    Err(breach("/observedSatisfaction", "what is observed is not the score"))
}

/// Checks an answer to `validate_plan` that did not come from this engine, against the input of the call: the nodes that it
/// shows are those of the plan, the scores those of the task's constraints, and the changes those since the earlier answer.
///
/// # Errors
///
/// Those of [`check_bundle`].
pub fn check_payload(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let call = PlanCall::read(input).map_err(unanswerable)?;
    let (mut event, mut payload) = ("", answer);
    read_object(answer, ANSWER, &mut |at, member| {
        match at {
            0 => event = member.as_str().unwrap_or_default(),
            _ => payload = member,
        }
        Ok(())
    })
    .map_err(breach_of)?;
    let (fields, accepted) = match event {
        "plan_rejected" => (REJECTED, None),
        "plan_generated" => (GENERATED, Some(false)),
        _ => (UPDATED, Some(true)),
    };
    let bundle = hold(payload, fields, &mut |at, member| match at {
        5 => check_scores(&call, member),
        6 => check_version(input, member),
        7 => check_nodes(input, member),
        // Held against the whole bundle below.
        _ => Ok(()),
    })
    .map_err(|error| error.under("payload"))?;
    let status = bundle.status();
    if accepted.is_none() != (status == BundleStatus::Rejected) {
        return Err(breach("/event", format!("`{event}` where the status is `{}`", status.as_str())));
    }
    match (accepted, &call.previous) {
        (None, _) | (Some(false), None) => Ok(()),
        (Some(true), Some(previous)) => {
            check_changes(previous, &bundle, payload).map_err(|error| error.under("payload"))
        }
        (Some(true), None) => Err(breach("/event", "`plan_updated` where the call has no `previous`")),
        (Some(false), Some(_)) => Err(breach("/event", "`plan_generated` where the call has a `previous`")),
    }
}

/// Checks that each constraint of the task has its score, in the order of declaration.
fn check_scores(call: &PlanCall<'_>, scores: Node<'_>) -> Result<(), Error> {
    let mut demands = call.task.contract.constraints.iter().map(Demand::of);
    read_items(scores, &mut |item| {
        let demand = demands.next();
        let level = demand.as_ref().map(|demand| demand.constraint.level);
        read_object(item, SCORE, &mut |at, member| match at {
            0 if demand.as_ref().map(|demand| &*demand.id) != member.as_str() => {
                Err(breach("", "not the constraint of the task in this place"))
            }
            1 if level.map(Level::as_str) != member.as_str() => {
                Err(breach("", "the constraint has another level"))
            }
            2 if level == Some(Level::Informational) => match member.kind() {
                Kind::Null => Ok(()),
                _ => Err(breach("", "an informational constraint has the score null")),
            },
            2 => within_one(member),
            _ => Ok(()),
        })
    })?;
    match demands.next() {
        Some(_) => Err(breach("", "constraints of the task are missing")),
        None => Ok(()),
    }
}

/// Checks that the changes are those between two lists of diagnostics: to compare them is no judgement.
fn check_changes(previous: &[Diagnostic<'_>], bundle: &Bundle<'_>, payload: Node<'_>) -> Result<(), Error> {
    let open: Vec<_> = bundle.diagnostics().iter().filter(|diagnostic| diagnostic.is_open()).collect();
    let changes = Changes::between(&previous.iter().collect::<Vec<_>>(), &open);
    for (name, expected) in [("resolved", &changes.resolved), ("introduced", &changes.introduced)] {
        let mut shown = Vec::new();
        let list = payload.member(name).into_iter();
        for one in list.flat_map(Node::items) {
            shown.push(Diagnostic::read(one).map_err(|error| breach_of(error.under(name)))?);
        }
        if !shown.iter().eq(expected.iter().copied()) {
            return Err(breach("", "not the changes since the earlier answer").under(name));
        }
    }
    match payload.member("unchanged").and_then(count) == u64::try_from(changes.unchanged).ok() {
        true => Ok(()),
        false => Err(breach("/unchanged", "not the number of findings that are in both answers")),
    }
}

/// Reads a bundle and checks what follows from its diagnostics; what else it has goes to `more`, with its place.
fn hold<'t>(
    answer: Node<'t>,
    fields: &'static [Field],
    more: &mut dyn FnMut(usize, Node<'t>) -> Result<(), Error>,
) -> Result<Bundle<'t>, Error> {
    let mut stated = BundleStatus::Rejected;
    let mut buckets = [const { Vec::new() }; 3];
    read_object(answer, fields, &mut |at, member| match at {
        0 => {
            stated = member.as_str().and_then(BundleStatus::from_text).unwrap_or(stated);
            Ok(())
        }
        1 => within_one(member),
        2..=4 => read_items(member, &mut |item| {
            if let (Some(level), Some(bucket)) = (Level::ALL.get(at - 2), buckets.get_mut(at - 2)) {
                bucket.push(Diagnostic::read_in_bucket(item, *level)?);
            }
            Ok(())
        }),
        _ => more(at, member),
    })
    .map_err(breach_of)?;
    let diagnostics: Vec<Diagnostic<'_>> = buckets.into_iter().flatten().collect();
    let bundle = Bundle::of(diagnostics.clone(), Weights::default());
    if bundle.diagnostics() != diagnostics {
        return Err(breach("", "the diagnostics are not merged, or not in their order"));
    }
    if bundle.status() != stated {
        let follows = bundle.status().as_str();
        return Err(breach("/status", format!("`{follows}` is what follows from the diagnostics")));
    }
    Ok(bundle)
}

/// Checks that a score is from 0 to 1.
fn within_one(score: Node<'_>) -> Result<(), Error> {
    match score.as_f64() {
        Some(score) if (0.0..=1.0).contains(&score) => Ok(()),
        _ => Err(breach("", "a score is a number from 0 to 1")),
    }
}

/// Checks that the version is the plan's.
fn check_version(input: Node<'_>, shown: Node<'_>) -> Result<(), Error> {
    let declared = input.member("plan").and_then(|plan| plan.member("planVersion"));
    if count(shown) == declared.map_or(Some(1), count) {
        return Ok(());
    }
    Err(breach("", "the plan has another version"))
}

/// Checks that the nodes shown are those of the plan, in its order and as it declares them: whoever judges a plan does not
/// change it.
fn check_nodes(input: Node<'_>, nodes: Node<'_>) -> Result<(), Error> {
    let planned = input.member("plan").and_then(|plan| plan.member("nodes"));
    let mut planned = planned.into_iter().flat_map(Node::items);
    read_items(nodes, &mut |node| {
        let declared = planned.next();
        let declares = |field: &Field| declared.and_then(|declared| declared.member(field.name()));
        read_object(node, NODE, &mut |at, shown| match NODE.get(at).and_then(declares) {
            Some(declared) if json::canonical(declared) != json::canonical(shown) => {
                Err(breach("", "the plan says otherwise"))
            }
            // What a node provides and enforces is derived where it does not say; what it is, is not.
            None if at < DERIVED => Err(breach("", "the plan has no such node here, or does not say so")),
            _ => Ok(()),
        })?;
        match NODE.iter().find(|field| declares(field).is_some() && node.member(field.name()).is_none()) {
            Some(field) => Err(breach("", format!("`{}` of the plan's node is missing", field.name()))),
            None => Ok(()),
        }
    })?;
    match planned.next() {
        Some(_) => Err(breach("", "nodes of the plan are missing")),
        None => Ok(()),
    }
}

/// The place among the members of a node from which on they may be derived.
const DERIVED: usize = 2;
