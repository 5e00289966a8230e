//! Types that keywords of the JSON Schema narrow, and forms that descriptions leave to JSON Schema, or that only TypeScript can express.

use adjudicate_core::{
    document::{Content, Definition, Field, Type},
    ir::replay::Layout,
    logic::Operator,
    plan::PlanCode,
};
use serde_json::Value;

use super::{
    events,
    types::Usage,
    writer::{Writer, readonly, type_of_field},
};

/// The fields of which an engine needs one, unless it has a policy. The schema cannot say so: a call without any is complete for
/// a module with a policy.
const ONE_OF: &[(&str, &[&str])] = &[("CheckPolicyCall", &["policy", "outputContract", "policies"])];

fn keywords(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { serde_json::from_str(text).expect("keywords are JSON") }
}

/// Asserts that no keyword is forgotten: these, or those that no type can express.
#[track_caller]
fn assert_known(keywords: &Value, known: &[&str]) {
    for name in keywords.as_object().into_iter().flatten().map(|(name, _)| name) {
        let is_inexpressible =
            ["minItems", "maxItems", "minLength", "pattern", "uniqueItems"].contains(&name.as_str());
        assert!(is_inexpressible || known.contains(&name.as_str()), "a keyword without a type: {name}");
    }
}

/// The types that narrow an object, each with the operator before it.
pub(super) fn of(definition: &Definition, usage: Usage) -> Vec<String> {
    let keywords = keywords(definition.keywords);
    assert_known(&keywords, &["oneOf", "if", "then"]);
    let field = |name: &str| Narrowed::new(definition, name, usage);
    let mut all = Vec::new();
    if let Some((_, names)) = ONE_OF.iter().find(|(name, _)| *name == definition.name) {
        all.push(names.iter().map(|name| format!("{{ {} }}", field(name).required())).collect());
    }
    if let Some(cases) = keywords["oneOf"].as_array() {
        let names: Vec<_> = cases.iter().map(|case| text(&case["required"][0])).collect();
        all.push(names.iter().map(|name| alternative(&names, name, field)).collect());
    }
    if let Some(tags) = keywords["if"]["properties"].as_object() {
        let required = field(text(&keywords["then"]["required"][0]));
        let (tag, word) = tags.iter().next().expect("a condition is about one field");
        let (tag, word) = (field(tag), text(&word["const"]));
        all.push(vec![
            format!("{{ {}; {} }}", tag.with(&format!("{word:?}")), required.required()),
            format!(
                "{{ {}; {} }}",
                tag.with(&format!("Exclude<{}, {word:?}>", tag.kind)),
                required.optional()
            ),
        ]);
    }
    let union = |cases: Vec<String>| {
        let cases: String = cases.iter().map(|case| format!("\n    | {case}")).collect();
        format!(" & ({cases}\n)")
    };
    all.into_iter().map(union).collect()
}

/// The objects that have one of several fields.
fn alternative<'a>(names: &[&str], name: &str, field: impl Fn(&str) -> Narrowed<'a>) -> String {
    let fields =
        names.iter().map(|other| if *other == name { field(name).required() } else { field(other).absent() });
    format!("{{ {} }}", fields.collect::<Vec<_>>().join("; "))
}

/// The type of a field that keywords narrow.
pub(super) fn of_field(field: &Field, kind: String) -> String {
    let keywords = keywords(field.keywords);
    // `properties` restricts the names in `inputs` of a policy, which is any JSON Schema to TypeScript.
    assert_known(&keywords, &["const", "not", "properties"]);
    if let Some(word) = keywords["const"].as_str() {
        return format!("{word:?}");
    }
    match keywords["not"]["const"].as_str() {
        Some(word) => format!("Exclude<{kind}, {word:?}>"),
        None => kind,
    }
}

/// The values of another type that keywords narrow.
pub(super) fn alias(definition: &Definition, kind: String) -> String {
    let keywords = keywords(definition.keywords);
    assert_known(&keywords, &["type"]);
    match keywords["type"].as_str() {
        // Conditions are the only such type, and also have booleans.
        Some("object") => format!("Exclude<{kind}, boolean>"),
        Some(other) => panic!("a keyword without a type: {other}"),
        None => kind,
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a name")
}

/// A field of a narrowed object.
struct Narrowed<'a> {
    readonly: &'static str,
    name: &'a str,
    kind: String,
}

impl<'a> Narrowed<'a> {
    fn new(definition: &'a Definition, name: &str, usage: Usage) -> Self {
        let Content::Object { fields, .. } = definition.content else {
            panic!("{} has no fields", definition.name)
        };
        let field = fields.iter().find(|field| field.name == name).expect("keywords name fields");
        Self { readonly: readonly(usage), name: field.name, kind: type_of_field(field, usage) }
    }

    fn with(&self, kind: &str) -> String {
        format!("{}{}: {kind}", self.readonly, self.name)
    }

    fn required(&self) -> String {
        self.with(&self.kind)
    }

    fn optional(&self) -> String {
        format!("{}{}?: {}", self.readonly, self.name, self.kind)
    }

    fn absent(&self) -> String {
        format!("{}{}?: never", self.readonly, self.name)
    }
}

/// The strings that match a pattern.
pub(super) fn of_pattern(pattern: &str) -> String {
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
pub(super) fn narrower(name: &str) -> Option<String> {
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
