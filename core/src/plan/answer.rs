//! The output contracts of `validate_plan`, `merge_diagnostics` and `observe_output`: what their answers must be, whoever made
//! them (SPEC sections 7.3 and 7.5).
//!
//! Owns the shapes, and what follows: that diagnostics are merged and in their buckets, that the status is the one they lead to,
//! that a plan is shown as it came. To merge is no judgement, so there is one answer to that; which diagnostics a plan or an
//! output has, and the score, is the judgement of whoever answers.

use alloc::{format, vec::Vec};

use super::{Bundle, BundleStatus, Diagnostic, Level, Weights, call::read_merge};
use crate::{
    contract::{breach, breach_of, unanswerable},
    error::Error,
    json::{
        self, Node, float,
        object::{Field, Form, count, optional, read_items, read_object, required},
    },
};

const EVENTS: &[&str] = &["plan_generated", "plan_rejected"];

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
const REJECTED: &[Field] = BUNDLE;
const GENERATED: &[Field] = bundle!(required("planVersion", Form::Count), required("nodes", Form::List));

const ANSWER: &[Field] = &[required("event", Form::Word(EVENTS)), required("payload", Form::Object)];

const NODE: &[Field] = &[
    required("nodeId", Form::Id),
    optional("capabilityId", Form::Id),
    required("provides", Form::Ids),
    required("enforces", Form::Ids),
];

/// Checks an answer to `merge_diagnostics` that did not come from this engine, against the input of the call: nothing is
/// judged there, so diagnostics, status and score are what they must be.
///
/// # Errors
///
/// [`ModuleInvalidDecision`](crate::ErrorCode::ModuleInvalidDecision) with the path of the member at fault in the answer.
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
    if merged.diagnostics() != stated.diagnostics() {
        return Err(breach("", "the diagnostics are not those of the call, merged"));
    }
    let score = answer.member("satisfactionScore").and_then(number);
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
        ["observedSatisfaction", "satisfactionScore"].map(|name| answer.member(name).and_then(number));
    if observed == score {
        return Ok(());
    }
    Err(breach("/observedSatisfaction", "what is observed is not the score"))
}

/// Checks an answer to `validate_plan` that did not come from this engine, against the input of the call: the nodes that it
/// shows are those of the plan.
///
/// # Errors
///
/// Those of [`check_bundle`].
pub fn check_payload(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let (mut event, mut payload) = ("", answer);
    read_object(answer, ANSWER, &mut |at, member| {
        match at {
            0 => event = member.as_str().unwrap_or_default(),
            _ => payload = member,
        }
        Ok(())
    })
    .map_err(breach_of)?;
    let is_rejected = event == "plan_rejected";
    let fields = if is_rejected { REJECTED } else { GENERATED };
    let bundle = hold(payload, fields, &mut |at, member| match at {
        GENERATED_NODES => check_nodes(input, member),
        _ => check_version(input, member),
    })
    .map_err(|error| error.under("payload"))?;
    let status = bundle.status();
    if is_rejected == (status == BundleStatus::Rejected) {
        return Ok(());
    }
    Err(breach("/event", format!("`{event}` where the status is `{}`", status.as_str())))
}

/// The place of `nodes` among the members of a generated plan.
const GENERATED_NODES: usize = 6;

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
            let diagnostic = Diagnostic::read(item)?;
            match (Level::ALL.get(at - 2), buckets.get_mut(at - 2)) {
                (Some(level), Some(bucket)) if diagnostic.level == *level => bucket.push(diagnostic),
                _ => return Err(breach("/severity", "the diagnostic is in the bucket of another severity")),
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
    match number(score) {
        Some(score) if (0.0..=1.0).contains(&score) => Ok(()),
        _ => Err(breach("", "a score is a number from 0 to 1")),
    }
}

fn number(value: Node<'_>) -> Option<f64> {
    value.as_number().map(float::parse)
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
