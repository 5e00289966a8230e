//! Forms of types that descriptions leave to JSON Schema, or that TypeScript can express and JSON Schema cannot.

use adjudicate_core::{
    document::{Definition, Type},
    ir::replay::Layout,
    logic::Operator,
    plan::PlanCode,
};

use super::{events, writer::Writer};

/// The strings that match a pattern.
pub(super) fn text(pattern: &str) -> String {
    if pattern == r"^[\s\S]+\.v[0-9]+$" {
        return "`${string}.v${number}`".to_owned();
    }
    let words = pattern.strip_prefix("^(").and_then(|rest| rest.strip_suffix(")$")).unwrap_or_default();
    if words.is_empty() || !words.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'|')) {
        return "string".to_owned();
    }
    words.split('|').map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" | ")
}

/// The form of a type whose description is wider.
pub(super) fn of_alias(name: &str) -> Option<String> {
    // JSON Schema has no type for a string that is one of some codes or another one: the reader accepts details with
    // any code.
    let details = "{\n    readonly code?: PlanCode | \"diagnostics_omitted\" | (string & Record<never, never>);\n    \
                   readonly [name: string]: unknown;\n}";
    (name == "PlanDetails").then(|| details.to_owned())
}

/// Declares a type that only a JSON Schema describes.
pub(super) fn declare(writer: &mut Writer, definition: &Definition) {
    let Definition { name, about, .. } = *definition;
    match name {
        "Condition" => writer.declare(about, &[], "type Condition = Expression | boolean;"),
        "Expression" => expression(writer),
        "ReplayEvents" => replay(writer, about),
        // `replay` declares it.
        "ReplayEvent" => {}
        "RuleName" => writer.declare(about, &[], "type RuleName = string;"),
        other => panic!("`{other}` has no form in TypeScript: declare it here"),
    }
}

fn expression(writer: &mut Writer) {
    let operators: Vec<_> = Operator::ALL.iter().map(|operator| operator.signature().name).collect();
    writer.union("The operators of strict JSONLogic.", &[], "OperatorName", &operators);
    let about = "An operation in strict JSONLogic: an object whose only field is an operator, with its operands. Fields whose names \
                 begin with `x-` are ignored.";
    let form = "{\n    [Name in OperatorName]: { readonly [Operator in Name]: unknown } & { readonly [extension: \
                `x-${string}`]: unknown };\n}[OperatorName]";
    writer.declare(about, &[], &format!("type Expression = {form};"));
}

fn replay(writer: &mut Writer, about: &str) {
    let form = "readonly ReplayEvent[] | readonly [ReplayHeader, ...CarriedEvent[]]";
    writer.declare(about, &[], &format!("type ReplayEvents = {form};"));
    let about =
        "An event of a run. Its kind is in `event`, or in `type` in logs that have their times in `ts`.";
    writer.declare(about, &[], "type ReplayEvent = EventOf<\"event\"> | EventOf<\"type\">;");
    let cases = events().map(|(word, event)| {
        let Type::Named(event) = event else { panic!("an event has a name") };
        let word = if word.is_empty() { "SessionEvent".to_owned() } else { format!("{word:?}") };
        format!("\n    | ({{ readonly [Name in Tag]: {word} }} & {})", event.name)
    });
    let form = format!("type EventOf<Tag extends \"event\" | \"type\"> ={};", cases.concat());
    writer.declare("An event whose kind is in the field `Tag`.", &[], &form);
    let about = "The event that allows a log to have events of any kind. It comes first.";
    let form = "({ readonly event: \"ReplayHeader\" } | { readonly type: \"ReplayHeader\" }) & CarriedEvent";
    writer.declare(about, &[], &format!("type ReplayHeader = {form};"));
    let kinds: Vec<_> =
        Layout::Typed.kinds().iter().copied().filter(|kind| !Layout::Common.kinds().contains(kind)).collect();
    let about = "The kinds of events that say nothing about the plan, in logs that have times.";
    writer.union(about, &[], "SessionEvent", &kinds);
}

/// Declares the types that are part of no document.
pub(super) fn others(writer: &mut Writer) {
    writer.declare("A value that may be null.", &[], "type Nullable<T> = T | null;");
    let codes: Vec<_> = PlanCode::ALL.iter().map(|code| code.as_str()).collect();
    writer.union(
        "The codes of the findings of the engine about plans, outputs and events.",
        &[],
        "PlanCode",
        &codes,
    );
}
