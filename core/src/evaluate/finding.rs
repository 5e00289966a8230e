//! A finding: what a rule found, which status it calls for, where the evidence is, and what would resolve it.

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt::{self, Write as _};

use serde::Serialize;

pub use crate::codes::{FINDINGS_OMITTED, ResolutionKind};
use crate::{
    bounds::left_out,
    codes::{RuleCode, Severity, Status},
    policy::{Policy, Rule, RuleMode, resolution_of},
};

/// What one rule found about one item of the evidence (SPEC section 3.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Finding<'a> {
    /// The rule's name.
    pub rule: &'a str,
    /// The status it calls for.
    pub status: Status,
    /// The risk flag it raises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flag: Option<&'a str>,
    /// The code of its blocker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocker: Option<&'a str>,
    /// How grave it is.
    pub severity: Severity,
    /// What was found, in one line.
    pub summary: String,
    /// JSON Pointer into the envelope.
    pub evidence_ref: String,
    /// The number of findings that are left out, in the finding that ends a cut list: `findings_omitted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// What the rule looks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Shown<'a>>,
    /// What it found instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Shown<'a>>,
    /// What would make the finding go away.
    pub resolution: Resolution<'a>,
    /// `monitor` for a finding that changes nothing, of a rule that is only watched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<RuleMode>,
    /// The rule, for the engine's own use.
    #[serde(skip)]
    pub(super) origin: Origin,
    /// The id, path, event or approval at fault; the rule's name where there is none.
    #[serde(skip)]
    pub(crate) item: Cow<'a, str>,
}

/// Which rule found something; the order is the order of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A built-in rule.
    BuiltIn(RuleCode),
    /// A rule of the policy, by its place.
    Policy(u32),
    /// None: it stands for findings that are left out.
    Omitted,
}

impl<'a> Finding<'a> {
    /// A finding of `code` at `pointer`, as the table has it; the caller says what was found.
    pub(super) fn new(code: RuleCode, status: Status, pointer: String, summary: impl fmt::Display) -> Self {
        let row = code.row();
        Self {
            rule: row.name,
            status,
            flag: row.flag,
            blocker: row.blocker,
            severity: status.severity(),
            summary: text(summary),
            evidence_ref: pointer,
            count: None,
            expected: None,
            actual: None,
            resolution: Resolution { kind: ResolutionKind::Terminal, hint: Cow::Borrowed("") },
            mode: None,
            origin: Origin::BuiltIn(code),
            item: Cow::Borrowed(row.name),
        }
    }

    /// A finding of the policy's rule at that place, at `pointer`.
    pub(super) fn of_policy(place: u32, rule: &'a Rule, pointer: String) -> Self {
        let (kind, hint) = rule.resolution();
        Self {
            rule: rule.id(),
            status: rule.status(),
            flag: rule.flag(),
            blocker: rule.blocker(),
            severity: rule.severity(),
            summary: rule.summary().into(),
            evidence_ref: pointer,
            count: None,
            expected: None,
            actual: None,
            resolution: Resolution { kind, hint: Cow::Borrowed(hint) },
            mode: (rule.mode() == RuleMode::Monitor).then_some(RuleMode::Monitor),
            origin: Origin::Policy(place),
            item: Cow::Borrowed(rule.id()),
        }
    }

    /// The finding that stands for so many others that are left out; `status` is that of the decision.
    pub(super) fn omitted(count: u64, status: Status) -> Self {
        Self {
            rule: FINDINGS_OMITTED,
            status,
            flag: None,
            blocker: None,
            severity: status.severity(),
            summary: left_out(count, "findings"),
            evidence_ref: String::new(),
            count: Some(count),
            expected: None,
            actual: None,
            resolution: Resolution {
                kind: resolution_of(status).0,
                hint: Cow::Borrowed("resolve the findings that are listed, and evaluate again"),
            },
            mode: None,
            origin: Origin::Omitted,
            item: Cow::Borrowed(FINDINGS_OMITTED),
        }
    }

    /// The built-in rule that it is of, if it is of one.
    pub(crate) const fn code(&self) -> Option<RuleCode> {
        match self.origin {
            Origin::BuiltIn(code) => Some(code),
            Origin::Policy(_) | Origin::Omitted => None,
        }
    }

    /// The place of the rule of a policy that it is of, if it is of one.
    pub(crate) const fn place(&self) -> Option<u32> {
        match self.origin {
            Origin::BuiltIn(_) | Origin::Omitted => None,
            Origin::Policy(place) => Some(place),
        }
    }

    /// The rule of a policy that it is of, if it is of one.
    pub(super) fn policy_rule<'p>(&self, policy: &'p Policy) -> Option<&'p Rule> {
        match self.origin {
            Origin::BuiltIn(_) | Origin::Omitted => None,
            Origin::Policy(place) => policy.rules().get(place as usize),
        }
    }

    /// Whether it bears on the decision; what is only monitored does not.
    pub(crate) const fn counts(&self) -> bool {
        self.mode.is_none()
    }

    /// Names the item at fault.
    pub(super) fn item(&mut self, item: impl Into<Cow<'a, str>>) -> &mut Self {
        self.item = item.into();
        self
    }

    /// Shows what was looked for.
    pub(super) fn expected(&mut self, expected: impl Into<Shown<'a>>) -> &mut Self {
        self.expected = Some(expected.into());
        self
    }

    /// Shows what was found.
    pub(super) fn actual(&mut self, actual: impl Into<Shown<'a>>) -> &mut Self {
        self.actual = Some(actual.into());
        self
    }

    /// Says what would make the finding go away.
    pub(super) fn resolve(&mut self, kind: ResolutionKind, hint: impl Into<Cow<'a, str>>) {
        self.resolution = Resolution { kind, hint: hint.into() };
    }

    /// Whether it looks at other findings instead of at evidence.
    pub(super) const fn is_escalation(&self) -> bool {
        matches!(self.origin, Origin::BuiltIn(code) if code.row().escalation)
    }

    /// Whether it raises a blocker: it has a code, and calls for `blocked` or worse or is a failing check.
    pub(crate) fn raises_blocker(&self) -> bool {
        let is_failing_check = matches!(self.origin, Origin::BuiltIn(code) if code.row().failing_check);
        self.counts() && self.blocker.is_some() && (self.status >= Status::Blocked || is_failing_check)
    }
}

/// What is displayed, with room for a usual line, so that it does not move while it grows.
fn text(displayed: impl fmt::Display) -> String {
    let mut text = String::with_capacity(80);
    // Writing to a string cannot fail.
    let _ = write!(text, "{displayed}");
    text
}

/// Whether a finding other than an escalation calls for `partial`.
pub(super) fn calls_for_partial(findings: &[Finding<'_>]) -> bool {
    findings.iter().any(|finding| finding.status == Status::Partial && !finding.is_escalation())
}

/// The most severe status called for; `success` when nothing was found.
pub(super) fn most_severe<'f, 'a: 'f>(findings: impl IntoIterator<Item = &'f Finding<'a>>) -> Status {
    findings.into_iter().map(|finding| finding.status).max().unwrap_or(Status::Success)
}

/// A value shown as expected or actual.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Shown<'a> {
    /// A whole number.
    Integer(i64),
    /// A count.
    Count(u64),
    /// A text.
    Text(Cow<'a, str>),
    /// Several texts.
    List(Vec<Cow<'a, str>>),
}

impl From<i64> for Shown<'_> {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<u64> for Shown<'_> {
    fn from(value: u64) -> Self {
        Self::Count(value)
    }
}

impl<'a> From<&'a str> for Shown<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl From<String> for Shown<'_> {
    fn from(value: String) -> Self {
        Self::Text(Cow::Owned(value))
    }
}

impl<'a> FromIterator<&'a str> for Shown<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(values: I) -> Self {
        Self::List(values.into_iter().map(Cow::Borrowed).collect())
    }
}

/// What would make a finding go away, so that an agent knows whether trying again makes sense.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Resolution<'a> {
    /// Which sort of act it takes.
    pub kind: ResolutionKind,
    /// What to do, in one line.
    pub hint: Cow<'a, str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_values_are_plain_json() {
        for (shown, expected) in [
            (Shown::from(-3_i64), "-3"),
            (Shown::from(u64::MAX), "18446744073709551615"),
            (Shown::from("a\"b"), r#""a\"b""#),
            (["a", "b"].into_iter().collect(), r#"["a","b"]"#),
        ] {
            assert_eq!(adjudicate_lang::json::write(&shown), expected);
        }
    }
}
