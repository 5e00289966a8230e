//! The rules of a policy as they are on the wire (SPEC section 3.7).

use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::codes::{ResolutionKind, Severity, Status};

/// A rule of a policy's own.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a rule object")]
pub struct RuleDocument<'a> {
    /// The rule's name, as findings carry it: unique, and no built-in rule's.
    pub id: &'a str,
    /// For people.
    #[serde(default)]
    pub description: Option<&'a str>,
    /// When it fires: a strict logic expression over `input`, `facts` and `parameters`.
    pub when: IgnoredAny,
    /// What it says then.
    #[serde(borrow)]
    pub then: Consequence<'a>,
    /// What happens when the condition is unknown.
    #[serde(default)]
    pub on_unknown: OnUnknown,
    /// Whether it counts.
    #[serde(default)]
    pub mode: RuleMode,
}

/// What a rule says when it fires.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an object with `status` and `summary`")]
pub struct Consequence<'a> {
    /// The status it calls for; `success` is none that can be called for.
    pub status: Status,
    /// The risk flag it raises.
    #[serde(default)]
    pub flag: Option<&'a str>,
    /// The blocker it raises when it calls for `blocked` or worse.
    #[serde(default)]
    #[serde(borrow)]
    pub blocker: Option<RuleBlocker<'a>>,
    /// What was found, in one line.
    pub summary: &'a str,
    /// What would make the finding go away; by status if it is not said.
    #[serde(default)]
    pub resolution: Option<RuleResolution<'a>>,
    /// The edit that joins the fix instructions when it calls for `partial`.
    #[serde(default)]
    pub fix: Option<RuleFix<'a>>,
}

/// The blocker of a rule.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an object with `code` and `severity`")]
pub struct RuleBlocker<'a> {
    /// A stable code.
    pub code: &'a str,
    /// How grave it is, and the finding with it.
    pub severity: Severity,
}

/// What would make the finding of a rule go away.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an object with `kind` and `hint`")]
pub struct RuleResolution<'a> {
    /// Which sort of act it takes.
    pub kind: ResolutionKind,
    /// What to do, in one line.
    pub hint: &'a str,
}

/// A change that a rule asks for (OA06 section 3).
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an edit object")]
pub struct RuleFix<'a> {
    /// What to change.
    pub target: &'a str,
    /// How.
    pub action: &'a str,
    /// Why.
    pub rationale: &'a str,
}

/// What happens when the condition of a rule is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum OnUnknown {
    /// A person is asked: the evidence that it takes is not there.
    #[default]
    Escalate,
    /// The rule fires as if the condition held.
    Fire,
    /// Nothing.
    Ignore,
}

/// Whether a rule counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum RuleMode {
    /// Its findings count.
    #[default]
    Enforce,
    /// Its findings are reported and change nothing.
    Monitor,
}
