//! Answers of any evaluator, in the form that is composed.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::Node,
    logic::{Number, Value},
};
use serde::Serialize;

use super::{
    contract::{Answer, AnswerFinding, AnswerFix},
    decision::Blocker,
    finding::{FINDINGS_OMITTED, Finding, Resolution, ResolutionKind, Shown},
};
use crate::{
    codes::{RuleCode, Severity, Status},
    contract::decode,
    policy::{RuleMode, resolution_of},
};

/// An answer of `evaluate`, this engine's or another evaluator's: its findings, and the other parts of its decision that are composed.
///
/// It has no next step and no loop state, because the composed decision has its own.
#[derive(Clone, Debug)]
pub struct ExternalAnswer<'a> {
    pub(super) findings: Vec<ComposedFinding<'a>>,
    pub(super) flags: Vec<&'a str>,
    pub(super) blockers: Vec<Blocker<'a>>,
    pub(super) fixes: Vec<AnswerFix<'a>>,
}

/// A finding with its origin.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct ComposedFinding<'a> {
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
    pub summary: Cow<'a, str>,
    /// JSON Pointer into the envelope, if the one who found it gives one.
    pub evidence_ref: Option<Cow<'a, str>>,
    /// The number of findings that are left out, in the finding that ends a cut list: `findings_omitted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// What the rule looks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub expected: Option<Value<'a>>,
    /// What it found instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub actual: Option<Value<'a>>,
    /// What would make the finding go away.
    pub resolution: Resolution<'a>,
    /// `monitor` for a finding that changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<RuleMode>,
    /// Whose evaluation found it.
    pub origin: &'a str,
}

impl<'a> ExternalAnswer<'a> {
    /// Reads an answer of `evaluate`; `origin` is the name of its evaluator. Findings with an origin keep it, because the answer was
    /// composed before.
    ///
    /// A decision that is more severe than all of its findings gets a finding of its own, so that every status has one.
    ///
    /// # Errors
    ///
    /// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION), as
    /// [`check_answer`](super::check_answer) has it.
    pub fn read(origin: &'a str, answer: Node<'a>) -> Result<Self, Error> {
        let Answer { decision, findings, .. } = decode(answer)?;
        let nodes = answer.member("findings").into_iter().flat_map(Node::items);
        let findings = findings.into_iter().zip(nodes);
        let mut findings: Vec<ComposedFinding<'a>> =
            findings.map(|(finding, node)| ComposedFinding::of(finding, node, origin)).collect();
        let called_for =
            findings.iter().filter(|finding| finding.counts()).map(|finding| finding.status).max();
        if decision.status > called_for.unwrap_or(Status::Success) {
            findings.push(ComposedFinding::of_decision(decision.status, origin));
        }
        let blockers = decision.blockers.into_iter().map(|blocker| Blocker {
            code: blocker.code,
            summary: blocker.summary.into(),
            evidence_ref: blocker.evidence_ref.0.unwrap_or_default().into(),
            severity: blocker.severity,
        });
        // Nothing is to be fixed where nothing calls for it, whatever the decision says.
        let calls_for_fix =
            findings.iter().any(|finding| finding.counts() && finding.status == Status::Partial);
        Ok(Self {
            flags: decision.risk_flags,
            blockers: blockers.collect(),
            fixes: decision.fix_instructions.0.into_iter().filter(|_| calls_for_fix).collect(),
            findings,
        })
    }

    /// Reads the answer of a member that overrides or restricts. As [`ExternalAnswer::read`], except that every finding has the
    /// origin `origin`: a member cannot speak under another one's name.
    ///
    /// # Errors
    ///
    /// As for [`ExternalAnswer::read`].
    pub fn of_member(origin: &'a str, answer: Node<'a>) -> Result<Self, Error> {
        let mut answer = Self::read(origin, answer)?;
        answer.findings.iter_mut().for_each(|finding| finding.origin = origin);
        Ok(answer)
    }

    /// The parts of both answers, this one's first.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.findings.extend(other.findings);
        self.flags.extend(other.flags);
        self.blockers.extend(other.blockers);
        self.fixes.extend(other.fixes);
        self
    }

    /// The same answer, reported and without effect.
    pub(super) fn overruled(mut self) -> Self {
        self.findings.iter_mut().for_each(|finding| finding.mode = Some(RuleMode::Monitor));
        Self { findings: self.findings, flags: Vec::new(), blockers: Vec::new(), fixes: Vec::new() }
    }
}

impl<'a> ComposedFinding<'a> {
    fn of(finding: AnswerFinding<'a>, node: Node<'a>, origin: &'a str) -> Self {
        Self {
            rule: finding.rule,
            status: finding.status,
            flag: finding.flag,
            blocker: finding.blocker,
            severity: finding.severity,
            summary: finding.summary.into(),
            evidence_ref: finding.evidence_ref.0.map(Cow::Borrowed),
            count: finding.count,
            expected: node.member("expected").map(Value::from),
            actual: node.member("actual").map(Value::from),
            resolution: Resolution { kind: finding.resolution.kind, hint: finding.resolution.hint.into() },
            // To count is what findings do if nothing is said.
            mode: finding.mode.filter(|mode| *mode == RuleMode::Monitor),
            origin: finding.origin.unwrap_or(origin),
        }
    }

    fn of_decision(status: Status, origin: &'a str) -> Self {
        let (kind, hint): (ResolutionKind, &str) = resolution_of(status);
        let summary: String =
            format!("`{origin}` decides `{}` without a finding that calls for it", status.as_str());
        Self {
            rule: "decision",
            status,
            flag: None,
            blocker: None,
            severity: status.severity(),
            summary: summary.into(),
            evidence_ref: Some(Cow::Borrowed("")),
            count: None,
            expected: None,
            actual: None,
            resolution: Resolution { kind, hint: hint.into() },
            mode: None,
            origin,
        }
    }

    /// A finding of this engine's.
    pub(super) fn of_engine(finding: Finding<'a>, origin: &'a str) -> Self {
        Self {
            rule: finding.rule,
            status: finding.status,
            flag: finding.flag,
            blocker: finding.blocker,
            severity: finding.severity,
            summary: finding.summary.into(),
            evidence_ref: Some(finding.evidence_ref.into()),
            count: finding.count,
            expected: finding.expected.map(Value::from),
            actual: finding.actual.map(Value::from),
            resolution: finding.resolution,
            mode: finding.mode,
            origin,
        }
    }

    /// The number of findings that are left out, if this finding stands for them. Ignores the `count` of other findings.
    pub(super) fn omits(&self) -> Option<u64> {
        self.count.filter(|_| self.rule == FINDINGS_OMITTED)
    }

    /// Whether both findings are the same except for their origin.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        (self.rule, self.status, self.mode, &self.summary)
            == (other.rule, other.status, other.mode, &other.summary)
    }

    /// Whether it bears on the decision.
    pub(super) const fn counts(&self) -> bool {
        self.mode.is_none()
    }

    /// Whether it looks back at earlier results, as its name says.
    pub(super) fn is_escalation(&self) -> bool {
        RuleCode::ALL.iter().any(|code| code.row().escalation && code.row().name == self.rule)
    }
}

impl<'a> From<Shown<'a>> for Value<'a> {
    fn from(shown: Shown<'a>) -> Self {
        match shown {
            Shown::Integer(value) => Self::Number(Number::from(value)),
            Shown::Count(value) => Self::Number(Number::from(value)),
            Shown::Text(Cow::Borrowed(text)) => Self::Text(text),
            Shown::Text(Cow::Owned(text)) => Self::BuiltText(text.into()),
            Shown::List(texts) => {
                Self::list(texts.into_iter().map(|text| Self::from(Shown::Text(text))).collect())
            }
        }
    }
}
