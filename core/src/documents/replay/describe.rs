//! The descriptions of values of replays whose readers are written by hand. The kind of an event, in the field `event` or `type`,
//! determines its fields.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    document::{Content, Definition, Describe, SchemaRoot, Type, describe},
    json::OwnedValue,
};

use super::{
    delta::Delta,
    event::{CarriedEvent, PlanStart, StepComplete, ToolCall, ToolResult},
    layout::Events,
};

describe! {
    [] Delta => Type::Integer { minimum: Some(-i128::from(u64::MAX)), maximum: Some(u64::MAX.into()) };
    [] Events<'_> => Type::Named(&EVENTS);
    [] ReplayEvent => Type::Named(&EVENT);
}

/// One event of a replay.
pub(crate) struct ReplayEvent;

static EVENT: Definition = Definition {
    name: "ReplayEvent",
    source: "adjudicate_core::documents::replay::ReplayEvent",
    about: "An event of a run. Its kind is in its field `event`, or in `type`, the same field in all events of a run. The kinds `PlanStart`, \
            `ToolCall`, `ToolResult` and `StepComplete` have fields about the plan.",
    content: Content::Schema { write: event, refers: &[] },
    keywords: "",
};

fn event() -> OwnedValue {
    OwnedValue::object([
        ("allOf", OwnedValue::List(Vec::from([fields::<CarriedEvent>()]))),
        ("anyOf", OwnedValue::List(["event", "type"].map(tagged).into())),
    ])
}

/// The events of a replay, in order.
static EVENTS: Definition = Definition {
    name: "ReplayEvents",
    source: "adjudicate_core::documents::replay::Events",
    about: "The events of a run, in order. The kind of each event is in its field `event`, or in `type` if no event has `event`. The \
            kinds `PlanStart`, `ToolCall`, `ToolResult` and `StepComplete` say something about the plan.",
    content: Content::Schema { write: events, refers: &[] },
    keywords: "",
};

fn events() -> OwnedValue {
    let logs = ["event", "type"].map(|tag| OwnedValue::object([("items", tagged(tag))]));
    OwnedValue::object([
        ("type", OwnedValue::text("array")),
        ("items", fields::<CarriedEvent>()),
        ("anyOf", OwnedValue::List(logs.into())),
    ])
}

/// Returns the schema of an event whose kind is in the field `tag`.
fn tagged(tag: &'static str) -> OwnedValue {
    OwnedValue::object([
        (
            "properties",
            OwnedValue::object([(tag, OwnedValue::object([("type", OwnedValue::text("string"))]))]),
        ),
        ("required", OwnedValue::texts([tag])),
        ("allOf", OwnedValue::List(kinds(tag))),
    ])
}

/// Returns the fields of each kind that says something about the plan.
fn kinds(tag: &str) -> Vec<OwnedValue> {
    let mut kinds = Vec::from([
        ("PlanStart", fields::<PlanStart<'_>>()),
        ("ToolCall", fields::<ToolCall<'_>>()),
        ("ToolResult", fields::<ToolResult<'_>>()),
        ("StepComplete", fields::<StepComplete<'_>>()),
    ])
    .into_iter()
    .map(|(kind, fields)| {
        let kind = OwnedValue::object([("const", OwnedValue::text(kind))]);
        let is_kind = OwnedValue::object([("properties", OwnedValue::object([(tag, kind)]))]);
        OwnedValue::object([("if", is_kind), ("then", fields)])
    })
    .collect::<Vec<_>>();
    if tag == "type" {
        let both = OwnedValue::object([("required", OwnedValue::texts(["event"]))]);
        kinds.push(OwnedValue::object([("not", both)]));
    }
    kinds
}

/// Returns the schema of the fields of an event.
fn fields<T: Describe>() -> OwnedValue {
    let OwnedValue::Object(members) =
        (SchemaRoot { id: "", title: "", about: "", describe: T::describe }).write()
    else {
        return OwnedValue::Bool(true);
    };
    let is_head = |name: &String| ["$schema", "$id", "title", "description"].contains(&name.as_str());
    OwnedValue::Object(members.into_iter().filter(|(name, _)| !is_head(name)).collect())
}
