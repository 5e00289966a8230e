//! The rules of a policy as they are on the wire (docs/reference/policies.md).

use adjudicate_lang::{
    document::{Condition, Content, Definition, Describe, Document, Type},
    json::{Node, OwnedValue},
};
use serde::Serialize;

use crate::codes::{FINDINGS_OMITTED, ResolutionKind, RuleCode, Severity, Status};

/// A rule of a policy.
#[derive(Clone, Debug, Document)]
#[document(expecting = "a rule object")]
pub struct RuleDocument<'a> {
    /// The rule's name, as findings carry it: not empty, unique, no built-in rule's, and not `findings_omitted`.
    #[document(described = "RuleName")]
    pub id: &'a str,
    /// A description for humans.
    #[serde(default)]
    pub description: Option<&'a str>,
    /// The condition under which the rule fires: a logic expression over `input`, `facts` and `parameters`.
    #[document(described = "Condition<'static>")]
    pub when: Node<'a>,
    /// The finding of the rule when it fires.
    pub then: Consequence<'a>,
    /// The effect of a condition that is unknown.
    #[serde(default)]
    pub on_unknown: OnUnknown,
    /// The mode of the rule: its findings count, or are only reported.
    #[serde(default)]
    pub mode: RuleMode,
}

/// A name that no built-in rule has.
struct RuleName;

static RULE_NAME: Definition = Definition {
    name: "RuleName",
    source: "adjudicate_core::documents::rule::RuleName",
    about: "A name that no built-in rule has, for example `coverage-dropped`.",
    content: Content::Schema { write: rule_name, refers: &[] },
    keywords: "",
};

impl Describe for RuleName {
    #[inline]
    fn describe() -> Type {
        Type::Named(&RULE_NAME)
    }
}

fn rule_name() -> OwnedValue {
    let taken = RuleCode::ALL.iter().map(|code| code.row().name).chain([FINDINGS_OMITTED]);
    OwnedValue::object([
        ("type", OwnedValue::text("string")),
        ("minLength", OwnedValue::count(1)),
        ("not", OwnedValue::object([("enum", OwnedValue::texts(taken))])),
    ])
}

/// The finding of a rule that fires.
#[derive(Clone, Debug, Document)]
#[document(expecting = "an object with `status` and `summary`")]
pub struct Consequence<'a> {
    /// The status that the rule calls for: any but `success`.
    #[document(schema = r#"{"not": {"const": "success"}}"#)]
    pub status: Status,
    /// The risk flag that the rule raises.
    #[serde(default)]
    pub flag: Option<&'a str>,
    /// The blocker that the rule raises, if it calls for `blocked` or worse.
    #[serde(default)]
    pub blocker: Option<RuleBlocker<'a>>,
    /// The summary of the finding, in one line.
    pub summary: &'a str,
    /// The act that resolves the finding; without it, the `action` of `fix`, or one that follows from the status.
    #[serde(default)]
    pub resolution: Option<RuleResolution<'a>>,
    /// The edit for the fix instructions, if the rule calls for `partial`.
    #[serde(default)]
    pub fix: Option<RuleFix<'a>>,
}

/// The blocker of a rule.
#[derive(Clone, Copy, Debug, Document)]
#[document(expecting = "an object with `code` and `severity`")]
pub struct RuleBlocker<'a> {
    /// A stable code.
    pub code: &'a str,
    /// The severity of the blocker and of the finding.
    pub severity: Severity,
}

/// The act that resolves the finding of a rule.
#[derive(Clone, Copy, Debug, Document)]
#[document(expecting = "an object with `kind` and `hint`")]
pub struct RuleResolution<'a> {
    /// The kind of act.
    pub kind: ResolutionKind,
    /// The act in one line.
    pub hint: &'a str,
}

/// A change that a rule asks for.
#[derive(Clone, Copy, Debug, Document)]
#[document(expecting = "an edit object")]
pub struct RuleFix<'a> {
    /// The place to change.
    pub target: &'a str,
    /// The change.
    pub action: &'a str,
    /// The reason for the change.
    pub rationale: &'a str,
}

/// The effect of a rule's condition that is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document)]
#[serde(rename_all = "snake_case")]
pub enum OnUnknown {
    /// A human is asked, because the evidence for the condition is missing.
    #[default]
    Escalate,
    /// The rule fires as if the condition held.
    Fire,
    /// The rule finds nothing.
    Ignore,
}

/// The mode of a rule: its findings count, or are only reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleMode {
    /// The findings count.
    #[default]
    Enforce,
    /// The findings are reported and change nothing.
    Monitor,
}
