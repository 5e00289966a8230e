//! The output contracts of `validate_plan`, `merge_diagnostics` and `observe_output`: what their answers must be, whoever made
//! them (SPEC sections 7.3 and 7.5).
//!
//! Owns the shapes, and what follows from an answer's own diagnostics: that they are merged and in their buckets, and that the
//! status is the one they lead to. Which diagnostics there are, and the score, is the judgement of whoever answers.

use alloc::{format, vec::Vec};

use super::{Bundle, BundleStatus, Diagnostic, Level, Weights};
use crate::{
    contract::{breach, breach_of},
    error::Error,
    json::{
        Node,
        object::{Field, Form, optional, read_items, read_object, required},
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
const GENERATED: &[Field] = bundle!(required("planVersion", Form::Any), required("nodes", Form::List));

const ANSWER: &[Field] = &[required("event", Form::Word(EVENTS)), required("payload", Form::Object)];

const NODE: &[Field] = &[
    required("nodeId", Form::Id),
    optional("capabilityId", Form::Id),
    required("provides", Form::Ids),
    required("enforces", Form::Ids),
];

/// Checks an answer to `merge_diagnostics` that did not come from this engine.
///
/// # Errors
///
/// [`ModuleInvalidDecision`](crate::ErrorCode::ModuleInvalidDecision) with the path of the member at fault in the answer.
///
/// ```
/// use adjudicate_core::{json, plan::check_bundle};
/// let answer = br#"{"status": "fine", "satisfactionScore": 1.0, "failures": [], "warnings": [], "infos": []}"#;
/// let answer = json::read(answer, json::Limits::DOCUMENT)?;
/// assert_eq!(check_bundle(answer.root()).unwrap_err().path(), "/status");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_bundle(answer: Node<'_>) -> Result<(), Error> {
    hold(answer, BUNDLE, &mut |_, _| Ok(())).map(|_| ())
}

/// Checks an answer to `observe_output` that did not come from this engine.
///
/// # Errors
///
/// Those of [`check_bundle`].
pub fn check_observation(answer: Node<'_>) -> Result<(), Error> {
    hold(answer, OBSERVED, &mut |_, member| within_one(member)).map(|_| ())
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
    let status = hold(payload, fields, &mut |at, member| match at {
        GENERATED_NODES => check_nodes(input, member),
        _ => Ok(()),
    })
    .map_err(|error| error.under("payload"))?;
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
) -> Result<BundleStatus, Error> {
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
    Ok(stated)
}

/// Checks that a score is from 0 to 1.
fn within_one(score: Node<'_>) -> Result<(), Error> {
    match score.as_number().and_then(|text| text.parse::<f64>().ok()) {
        Some(score) if (0.0..=1.0).contains(&score) => Ok(()),
        _ => Err(breach("", "a score is a number from 0 to 1")),
    }
}

/// Checks that the nodes shown are those of the plan, in its order: whoever judges a plan does not change it.
fn check_nodes(input: Node<'_>, nodes: Node<'_>) -> Result<(), Error> {
    let planned = input.member("plan").and_then(|plan| plan.member("nodes"));
    let mut planned = planned.into_iter().flat_map(Node::items).map(|node| node.member("nodeId"));
    read_items(nodes, &mut |node| {
        read_object(node, NODE, &mut |_, _| Ok(()))?;
        let shown = node.member("nodeId").and_then(Node::as_str);
        match planned.next() {
            Some(Some(id)) if id.as_str() == shown => Ok(()),
            _ => Err(breach("/nodeId", "the plan has another node here, or none")),
        }
    })?;
    match planned.next() {
        Some(_) => Err(breach("", "nodes of the plan are missing")),
        None => Ok(()),
    }
}
