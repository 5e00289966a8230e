//! The output contract of `normalize_plan`: what its answer must be, whoever made it (SPEC section 9).
//!
//! To normalise is no judgement: there is one plan that a source becomes, one hash of it, and one list of what was inferred and of
//! what is kept.

use alloc::{format, string::String};

use adjudicate_lang::{
    Error,
    json::{
        self, Limits, Node,
        object::{Field, Form, optional, read_items, read_object, required},
    },
};

use super::{Format, Normalized, Reason, call::normalize_call};
use crate::contract::{breach, breach_of, unanswerable};

pub(super) const ANSWER: &[Field] = &[
    required("plan", Form::Object),
    required("plan_hash", Form::Text),
    required("adapter", Form::Object),
    required("plan_start", Form::Object),
    required("quality", Form::Object),
];

pub(super) const ADAPTER: &[Field] = &[
    required("format", Form::Word(Format::WORDS)),
    required("detected", Form::Flag),
    required("items", Form::Text),
    required("inferred", Form::List),
    required("kept", Form::List),
];

pub(super) const INFERRED: &[Field] = &[
    required("path", Form::Text),
    required("value", Form::Any),
    required("reason", Form::Word(Reason::WORDS)),
    optional("source", Form::Text),
    optional("given", Form::Text),
];

const KEPT: &[Field] = &[required("path", Form::Text), required("source", Form::Text)];

const PLAN_START: &[Field] = &[
    required("event", Form::Word(&["PlanStart"])),
    required("plan_hash", Form::Text),
    required("step_count", Form::Count),
];

const QUALITY: &[Field] = &[
    required("steps", Form::Count),
    required("verified_steps", Form::Count),
    required("orphan_steps", Form::Count),
    required("longest_path", Form::Count),
    required("files", Form::Count),
    required("has_verification", Form::Flag),
    required("confidence", Form::Number),
];

/// Checks an answer to `normalize_plan` that did not come from this engine, against the input of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the answer.
///
/// ```
/// use adjudicate_core::{ir::{check_normalized, normalize_text}, json::{self, Limits}};
/// let input = json::read(br#"{"plan": []}"#, Limits::DOCUMENT)?;
/// let answer = normalize_text(input.root())?;
/// let other = answer.replace("sha256:", "sha256:0");
/// let [answer, other] = [&answer, &other].map(|text| json::read(text.as_bytes(), Limits::ANSWER));
/// assert!(check_normalized(input.root(), answer?.root()).is_ok());
/// assert_eq!(check_normalized(input.root(), other?.root()).unwrap_err().path(), "/plan_hash");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_normalized(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let (normalized, mode) = normalize_call(input).map_err(unanswerable)?;
    let hash = normalized.plan().plan_hash(mode);
    read_object(answer, ANSWER, &mut |at, member| match at {
        0 => check_plan(&normalized, member),
        1 if member.as_str() == Some(&*hash) => Ok(()),
        1 => Err(breach("", "the hash is not that of the plan")),
        2 => check_adapter(&normalized, member),
        3 => check_object(&normalized.plan().plan_start_with(&hash), member, PLAN_START),
        _ => check_object(&normalized.plan().quality().to_json(), member, QUALITY),
    })
    .map_err(breach_of)
}

fn check_plan(normalized: &Normalized<'_>, plan: Node<'_>) -> Result<(), Error> {
    let text = normalized.plan().to_json();
    let ours = json::read(text.as_bytes(), Limits::ANSWER)?;
    if json::canonical(ours.root()) == json::canonical(plan) {
        return Ok(());
    }
    Err(breach("", "the plan is not what the source becomes"))
}

/// Checks that the members of an object are those of `ours`, which is JSON.
fn check_object(ours: &str, object: Node<'_>, fields: &'static [Field]) -> Result<(), Error> {
    let ours = json::read(ours.as_bytes(), Limits::ANSWER)?;
    read_object(object, fields, &mut |at, member| {
        let expected = fields.get(at).and_then(|field| ours.root().member(field.name()));
        if is_same(expected, member) { Ok(()) } else { Err(breach("", "that is not so of the plan")) }
    })
}

fn check_adapter(normalized: &Normalized<'_>, adapter: Node<'_>) -> Result<(), Error> {
    let mut text = String::new();
    normalized.report().write(normalized.plan(), &mut text);
    let ours = json::read(text.as_bytes(), Limits::ANSWER)?;
    read_object(adapter, ADAPTER, &mut |at, member| {
        let expected = ADAPTER.get(at).and_then(|field| ours.root().member(field.name()));
        match at {
            3 => check_list(expected, member, INFERRED),
            4 => check_list(expected, member, KEPT),
            _ if is_same(expected, member) => Ok(()),
            0 => Err(breach("", "the source has another form")),
            1 => Err(breach("", "the form is detected where the call does not name it")),
            _ => Err(breach("", "the steps are elsewhere")),
        }
    })
}

/// Checks that a list of the report is complete, in its order, and says of each value what there is to say.
fn check_list(expected: Option<Node<'_>>, list: Node<'_>, fields: &'static [Field]) -> Result<(), Error> {
    let mut expected = expected.into_iter().flat_map(Node::items);
    read_items(list, &mut |item| {
        let ours = expected.next();
        read_object(item, fields, &mut |at, member| {
            let field = fields.get(at).map_or("", Field::name);
            match is_same(ours.and_then(|ours| ours.member(field)), member) {
                true => Ok(()),
                false => Err(breach("", "not what comes here")),
            }
        })?;
        let mut names = ours.into_iter().flat_map(Node::members).map(|(name, _)| name);
        match names.find(|name| item.member(name).is_none()) {
            Some(name) => Err(breach("", format!("`{name}` is missing"))),
            None => Ok(()),
        }
    })?;
    match expected.next().and_then(|one| one.member("path")?.as_str()) {
        Some(path) => Err(breach("", format!("`{path}` is missing"))),
        None => Ok(()),
    }
}

fn is_same(expected: Option<Node<'_>>, found: Node<'_>) -> bool {
    expected.is_some_and(|expected| match (expected.as_str(), found.as_str()) {
        (None, None) => json::canonical(expected) == json::canonical(found),
        (expected, found) => expected == found,
    })
}
