//! A finding: its rule, the status it calls for, its evidence, and its resolution.

use crate::{
    bounds::left_out,
    codes::{FINDINGS_OMITTED, ResolutionKind, RuleCode, Status},
    documents::{
        finding::{Finding, Origin, Resolution, Shown},
        rule::RuleMode,
    },
    policy::{Policy, Rule, resolution_of},
};
use alloc::{borrow::Cow, string::String};
use core::fmt::{self, Write as _};

impl<'a> Finding<'a> {
    /// A finding of the built-in rule `code` at `pointer`, with the row's flag, blocker and severity.
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

    /// A finding of the policy's rule with this index, at `pointer`.
    pub(super) fn from_policy_rule(place: u32, rule: &'a Rule, pointer: String) -> Self {
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

    /// The finding for `count` others that are left out; `status` is that of the decision.
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

    /// The built-in rule of the finding, if it is one.
    pub(crate) const fn code(&self) -> Option<RuleCode> {
        match self.origin {
            Origin::BuiltIn(code) => Some(code),
            Origin::Policy(_) | Origin::Omitted => None,
        }
    }

    /// The index of the policy rule of the finding, if it is one.
    pub(crate) const fn place(&self) -> Option<u32> {
        match self.origin {
            Origin::BuiltIn(_) | Origin::Omitted => None,
            Origin::Policy(place) => Some(place),
        }
    }

    /// The policy rule of the finding, if it is one.
    pub(super) fn policy_rule<'p>(&self, policy: &'p Policy) -> Option<&'p Rule> {
        match self.origin {
            Origin::BuiltIn(_) | Origin::Omitted => None,
            Origin::Policy(place) => policy.rules().get(place as usize),
        }
    }

    /// Returns true if the finding affects the decision; monitored findings do not.
    pub(crate) const fn counts(&self) -> bool {
        self.mode.is_none()
    }

    /// Sets the item at fault.
    pub(super) fn item(&mut self, item: impl Into<Cow<'a, str>>) -> &mut Self {
        self.item = item.into();
        self
    }

    /// Sets the expected value.
    pub(super) fn expected(&mut self, expected: impl Into<Shown<'a>>) -> &mut Self {
        self.expected = Some(expected.into());
        self
    }

    /// Sets the actual value.
    pub(super) fn actual(&mut self, actual: impl Into<Shown<'a>>) -> &mut Self {
        self.actual = Some(actual.into());
        self
    }

    /// Sets the resolution.
    pub(super) fn resolve(&mut self, kind: ResolutionKind, hint: impl Into<Cow<'a, str>>) {
        self.resolution = Resolution { kind, hint: hint.into() };
    }

    /// Returns true for an escalation, which looks at other findings instead of at evidence.
    pub(super) const fn is_escalation(&self) -> bool {
        matches!(self.origin, Origin::BuiltIn(code) if code.row().escalation)
    }

    /// Returns true if the finding raises a blocker. It needs a code, and either calls for `blocked` or worse, or is a failing
    /// check.
    pub(crate) fn raises_blocker(&self) -> bool {
        let is_failing_check = matches!(self.origin, Origin::BuiltIn(code) if code.row().failing_check);
        self.counts() && self.blocker.is_some() && (self.status >= Status::Blocked || is_failing_check)
    }
}

/// Formats a text with the capacity of a usual line, to avoid reallocations.
fn text(displayed: impl fmt::Display) -> String {
    let mut text = String::with_capacity(128);
    // Writing to a string cannot fail.
    let _ = write!(text, "{displayed}");
    text
}

/// Returns true if a finding other than an escalation calls for `partial`.
pub(super) fn calls_for_partial(findings: &[Finding<'_>]) -> bool {
    findings.iter().any(|finding| finding.status == Status::Partial && !finding.is_escalation())
}

/// The most severe status that findings call for; `success` without findings.
pub(super) fn most_severe<'f, 'a: 'f>(findings: impl IntoIterator<Item = &'f Finding<'a>>) -> Status {
    findings.into_iter().map(|finding| finding.status).max().unwrap_or(Status::Success)
}
