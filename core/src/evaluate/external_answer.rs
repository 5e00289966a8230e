//! Answers of any evaluator, in the form that compositions use.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use adjudicate_lang::{Error, json::Node, logic::Value};

use crate::{
    codes::{FINDINGS_OMITTED, ResolutionKind, RuleCode, Status},
    contract::decode,
    documents::{
        evaluation::{AnswerEvaluation, Blocker, KnownFailure},
        finding::{AnswerFinding, ComposedFinding, Finding, Resolution},
        fix::AnswerFixInstructions,
        rule::RuleMode,
    },
    policy::resolution_of,
};

/// An answer of `evaluate`, from this engine or another evaluator: its findings, and the composable parts of its decision.
///
/// It has no next step and no loop state, because the composed decision has its own.
#[derive(Clone, Debug)]
pub struct ExternalAnswer<'a> {
    pub(super) findings: Vec<ComposedFinding<'a>>,
    pub(super) flags: Vec<&'a str>,
    pub(super) blockers: Vec<Blocker<'a>>,
    pub(super) fixes: Vec<AnswerFixInstructions<'a>>,
    pub(super) known: Vec<KnownFailure<'a>>,
}

impl<'a> ExternalAnswer<'a> {
    /// Reads an answer of `evaluate`; `origin` is the name of its evaluator. Findings with an origin keep it, because the answer
    /// was composed before.
    ///
    /// A decision that is more severe than all of its findings gets a finding of its own, so that every status has one.
    ///
    /// # Errors
    ///
    /// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION), as [`check_answer`](super::check_answer) has it.
    pub fn read(origin: &'a str, answer: Node<'a>) -> Result<Self, Error> {
        let AnswerEvaluation { decision, findings, known_failures, .. } = decode(answer)?;
        let findings = findings.into_iter();
        let mut findings: Vec<ComposedFinding<'a>> =
            findings.map(|finding| ComposedFinding::from_answer(finding, origin)).collect();
        let called_for =
            findings.iter().filter(|finding| finding.counts()).map(|finding| finding.status).max();
        if decision.status > called_for.unwrap_or(Status::Success) {
            findings.push(ComposedFinding::from_decision(decision.status, origin));
        }
        let blockers = decision.blockers.into_iter().map(|blocker| Blocker {
            code: blocker.code,
            summary: blocker.summary.into(),
            evidence_ref: blocker.evidence_ref.0.unwrap_or_default().into(),
            severity: blocker.severity,
        });
        // Fix instructions need a finding that calls for a fix, whatever the decision has.
        let calls_for_fix =
            findings.iter().any(|finding| finding.counts() && finding.status == Status::Partial);
        Ok(Self {
            flags: decision.risk_flags,
            blockers: blockers.collect(),
            fixes: decision.fix_instructions.0.into_iter().filter(|_| calls_for_fix).collect(),
            known: known_failures
                .into_iter()
                .map(|known| KnownFailure { id: known.id, validator: known.validator })
                .collect(),
            findings,
        })
    }

    /// Reads the answer of an override or a restriction. As [`ExternalAnswer::read`], except that every finding has the origin
    /// `origin`, so that no evaluator can use another's name.
    ///
    /// # Errors
    ///
    /// As for [`ExternalAnswer::read`].
    pub fn from_member(origin: &'a str, answer: Node<'a>) -> Result<Self, Error> {
        let mut answer = Self::read(origin, answer)?;
        answer.findings.iter_mut().for_each(|finding| finding.origin = origin);
        Ok(answer)
    }

    /// Joins both answers, this one's parts first.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.findings.extend(other.findings);
        self.flags.extend(other.flags);
        self.blockers.extend(other.blockers);
        self.fixes.extend(other.fixes);
        self.known.extend(other.known);
        self
    }

    /// The same answer, reported without effect.
    pub(super) fn overruled(mut self) -> Self {
        self.findings.iter_mut().for_each(|finding| finding.mode = Some(RuleMode::Monitor));
        Self {
            findings: self.findings,
            flags: Vec::new(),
            blockers: Vec::new(),
            fixes: Vec::new(),
            known: Vec::new(),
        }
    }
}

impl<'a> ComposedFinding<'a> {
    fn from_answer(finding: AnswerFinding<'a>, origin: &'a str) -> Self {
        Self {
            rule: finding.rule,
            status: finding.status,
            flag: finding.flag,
            blocker: finding.blocker,
            severity: finding.severity,
            summary: finding.summary.into(),
            evidence_ref: finding.evidence_ref.0.map(Cow::Borrowed),
            count: finding.count,
            expected: finding.expected.map(Value::from),
            actual: finding.actual.map(Value::from),
            resolution: Resolution { kind: finding.resolution.kind, hint: finding.resolution.hint.into() },
            // Findings count by default.
            mode: finding.mode.filter(|mode| *mode == RuleMode::Monitor),
            origin: finding.origin.unwrap_or(origin),
        }
    }

    fn from_decision(status: Status, origin: &'a str) -> Self {
        let (kind, hint): (ResolutionKind, &str) = resolution_of(status);
        let summary: String = format!("`{origin}` decides `{status}` without a finding that calls for it");
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

    /// A finding of this engine.
    pub(super) fn from_engine(finding: Finding<'a>, origin: &'a str) -> Self {
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

    /// Returns true if both findings have the same rule, status, mode and summary.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        (self.rule, self.status, self.mode, &self.summary)
            == (other.rule, other.status, other.mode, &other.summary)
    }

    /// Returns true if the finding affects the decision.
    pub(super) const fn counts(&self) -> bool {
        self.mode.is_none()
    }

    /// Returns true for an escalation rule, by its name.
    pub(super) fn is_escalation(&self) -> bool {
        RuleCode::ALL.iter().any(|code| code.row().escalation && code.row().name == self.rule)
    }
}
