//! Findings and decisions of a policy.

use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};

use crate::{
    error::Error,
    route::Step,
    text::{push, push_number},
    words::{Resolution, Severity, Status},
};

/// A text of a finding: borrowed from the envelope, a literal, or a new string.
///
/// ```
/// let text: adjudicate_guest::Text<'_> = "a literal".into();
/// assert_eq!(text, "a literal");
/// ```
pub type Text<'a> = Cow<'a, str>;

/// A finding about the evidence (docs/reference/rules.md): the status that it calls for, its place, and the act that resolves
/// it.
///
/// ```
/// use adjudicate_guest::{Finding, Resolution, Status};
/// let finding = Finding::new("budget", Status::NeedsHuman, "the run costs more than it may")
///     .at("/evidence/x-cost")
///     .expected("at most 10.00")
///     .actual("12.50")
///     .flag("over_budget")
///     .blocker("over_budget")
///     .resolve(Resolution::NeedsApproval, "ask the owner of the budget");
/// assert_eq!(finding.status(), Status::NeedsHuman);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding<'a>(pub(crate) Box<FindingFields<'a>>);

/// In a box, because each method of a finding moves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FindingFields<'a> {
    pub(crate) rule: Text<'a>,
    pub(crate) status: Status,
    pub(crate) flag: Option<Text<'a>>,
    pub(crate) blocker: Option<Text<'a>>,
    pub(crate) severity: Severity,
    pub(crate) summary: Text<'a>,
    pub(crate) evidence_ref: Option<String>,
    pub(crate) count: Option<u64>,
    pub(crate) expected: Option<Shown<'a>>,
    pub(crate) actual: Option<Shown<'a>>,
    pub(crate) resolution: Resolution,
    pub(crate) hint: Text<'a>,
    pub(crate) is_monitored: bool,
    pub(crate) edit: Option<Edit<'a>>,
    pub(crate) verification: Option<Verification<'a>>,
}

impl<'a> Finding<'a> {
    /// A finding of a rule that calls for a status. The summary is one line for people. By default, its severity and
    /// resolution follow from the status, and it is about the envelope as a whole.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// let finding = Finding::new("r", Status::Partial, "a summary");
    /// assert_eq!(finding.status(), Status::Partial);
    /// ```
    pub fn new(rule: impl Into<Text<'a>>, status: Status, summary: impl Into<Text<'a>>) -> Self {
        let resolution = match status {
            Status::Success | Status::Partial => Resolution::AfterFix,
            Status::Blocked => Resolution::ProvideEvidence,
            Status::NeedsHuman => Resolution::NeedsApproval,
            Status::Unsafe => Resolution::Terminal,
        };
        Self(Box::new(FindingFields {
            rule: rule.into(),
            status,
            flag: None,
            blocker: None,
            severity: status.severity(),
            summary: summary.into(),
            evidence_ref: None,
            count: None,
            expected: None,
            actual: None,
            resolution,
            hint: Text::Borrowed(""),
            is_monitored: false,
            edit: None,
            verification: None,
        }))
    }

    /// The finding that ends a cut list and says how many findings are left out. Pass the status of the decision, so that the
    /// findings that are left out still count. The engine lists 10,000 findings; a longer list of a module can exceed the output
    /// limit of its host.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// let mut findings: Vec<_> = (0..20_000).map(|_| Finding::new("r", Status::Blocked, "a summary")).collect();
    /// findings.truncate(10_000);
    /// findings.push(Finding::omitted(10_000, Status::Blocked));
    /// assert_eq!(findings.iter().find_map(Finding::count), Some(10_000));
    /// ```
    #[must_use]
    pub fn omitted(count: u64, status: Status) -> Self {
        let mut summary = String::new();
        push_number(&mut summary, count);
        push(&mut summary, " findings are left out");
        let mut finding = Self::new("findings_omitted", status, summary);
        finding.0.hint = Text::Borrowed("resolve the findings that are listed, and evaluate again");
        finding.0.count = Some(count);
        finding
    }

    /// Sets the place of the evidence: a JSON Pointer into the envelope ([`Pointer`](crate::Pointer) builds one) or an
    /// artifact's path.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Pointer, Status};
    /// let place = Pointer::new("/evidence/artifacts").index(2);
    /// let finding = Finding::new("r", Status::Partial, "a summary").at(place);
    /// assert_eq!(finding, Finding::new("r", Status::Partial, "a summary").at("/evidence/artifacts/2"));
    /// ```
    #[must_use]
    pub fn at(mut self, evidence: impl Into<String>) -> Self {
        self.0.evidence_ref = Some(evidence.into());
        self
    }

    /// Raises a risk flag.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// let finding = Finding::new("r", Status::Partial, "a summary").flag("over_budget");
    /// assert_eq!(finding.status(), Status::Partial);
    /// ```
    #[must_use]
    pub fn flag(mut self, flag: impl Into<Text<'a>>) -> Self {
        self.0.flag = Some(flag.into());
        self
    }

    /// Sets the code of its blocker. The decision has this blocker if the status is `blocked` or more severe.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// let finding = Finding::new("r", Status::Blocked, "no licence").blocker("licence_missing");
    /// assert_eq!(finding.status(), Status::Blocked);
    /// ```
    #[must_use]
    pub fn blocker(mut self, code: impl Into<Text<'a>>) -> Self {
        self.0.blocker = Some(code.into());
        self
    }

    /// Sets the severity.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Severity, Status};
    /// let finding = Finding::new("r", Status::Partial, "a summary").severity(Severity::High);
    /// assert_eq!(finding.status(), Status::Partial);
    /// ```
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.0.severity = severity;
        self
    }

    /// Shows the expected value.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// let finding = Finding::new("r", Status::Partial, "a summary").expected(0);
    /// assert_eq!(finding.status(), Status::Partial);
    /// ```
    #[must_use]
    pub fn expected(mut self, expected: impl Into<Shown<'a>>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// Shows the found value.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// let finding = Finding::new("r", Status::Partial, "a summary").actual("12 warnings");
    /// assert_eq!(finding.status(), Status::Partial);
    /// ```
    #[must_use]
    pub fn actual(mut self, actual: impl Into<Shown<'a>>) -> Self {
        self.0.actual = Some(actual.into());
        self
    }

    /// Sets the act that resolves the finding.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Resolution, Status};
    /// let finding = Finding::new("r", Status::Partial, "a summary").resolve(Resolution::Retry, "run it again");
    /// assert_eq!(finding.status(), Status::Partial);
    /// ```
    #[must_use]
    pub fn resolve(mut self, resolution: Resolution, hint: impl Into<Text<'a>>) -> Self {
        self.0.resolution = resolution;
        self.0.hint = hint.into();
        self
    }

    /// Adds an edit for the fix step. Only findings that call for `partial` have fixes.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// let finding = Finding::new("r", Status::Partial, "a summary").edit("src/lib.rs", "add a test", "there is none");
    /// assert_eq!(finding.status(), Status::Partial);
    /// ```
    #[must_use]
    pub fn edit(
        mut self,
        target: impl Into<Text<'a>>,
        action: impl Into<Text<'a>>,
        rationale: impl Into<Text<'a>>,
    ) -> Self {
        self.0.edit =
            Some(Edit { target: target.into(), action: action.into(), rationale: rationale.into() });
        self
    }

    /// Adds a check for the fix step.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// let finding = Finding::new("r", Status::Partial, "a summary").verify("cargo test", "exit code 0");
    /// assert_eq!(finding.status(), Status::Partial);
    /// ```
    #[must_use]
    pub fn verify(mut self, command: impl Into<Text<'a>>, expected_signal: impl Into<Text<'a>>) -> Self {
        self.0.verification =
            Some(Verification { command: command.into(), expected_signal: expected_signal.into() });
        self
    }

    /// Reports the finding without effect on the decision, for rules that you try out.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// // The answer lists the finding, and the decision ignores it.
    /// let finding = Finding::new("r", Status::Unsafe, "a new rule").monitor();
    /// assert_eq!(finding.status(), Status::Unsafe);
    /// ```
    #[must_use]
    pub fn monitor(mut self) -> Self {
        self.0.is_monitored = true;
        self
    }

    /// The status it calls for.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// assert_eq!(Finding::new("r", Status::NeedsHuman, "look").status(), Status::NeedsHuman);
    /// ```
    #[must_use]
    pub fn status(&self) -> Status {
        self.0.status
    }

    /// The number of findings that are left out, if this finding stands for them.
    ///
    /// ```
    /// use adjudicate_guest::{Finding, Status};
    /// assert_eq!(Finding::omitted(7, Status::Partial).count(), Some(7));
    /// assert_eq!(Finding::new("r", Status::Partial, "a summary").count(), None);
    /// ```
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        self.0.count
    }
}

/// A value shown as expected or actual.
///
/// ```
/// use adjudicate_guest::Shown;
/// assert_eq!(Shown::from(3), Shown::Integer(3));
/// assert_eq!(["a", "b"].into_iter().collect::<Shown<'_>>(), Shown::List(vec!["a".into(), "b".into()]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown<'a> {
    /// A whole number.
    Integer(i64),
    /// A text.
    Text(Text<'a>),
    /// Several texts.
    List(Vec<Text<'a>>),
}

impl From<i64> for Shown<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl<'a> From<&'a str> for Shown<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Shown<'_> {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> FromIterator<&'a str> for Shown<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        Self::List(texts.into_iter().map(Text::Borrowed).collect())
    }
}

/// One change for a fix step to make.
///
/// ```
/// use adjudicate_guest::Edit;
/// let edit = Edit { target: "a.rs".into(), action: "split".into(), rationale: "too long".into() };
/// assert_eq!(edit.target, "a.rs");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit<'a> {
    /// The object to change.
    pub target: Text<'a>,
    /// How.
    pub action: Text<'a>,
    /// Why.
    pub rationale: Text<'a>,
}

/// One check for a fix step to make.
///
/// ```
/// use adjudicate_guest::Verification;
/// let check = Verification { command: "cargo test".into(), expected_signal: "exit code 0".into() };
/// assert_eq!(check.command, "cargo test");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification<'a> {
    /// The command.
    pub command: Text<'a>,
    /// The output of the command after a successful fix.
    pub expected_signal: Text<'a>,
}

/// The instructions for a fix step.
///
/// ```
/// use adjudicate_guest::{Decision, FixInstructions, Status};
/// let fix = FixInstructions { objective: "make it green".into(), ..FixInstructions::default() };
/// let decision = Decision { fix_instructions: Some(fix), ..Decision::new(Status::Partial) };
/// assert!(decision.fix_instructions.is_some());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FixInstructions<'a> {
    /// The goal.
    pub objective: Text<'a>,
    /// The conditions that the fix must not change.
    pub constraints: Vec<Text<'a>>,
    /// The edits.
    pub edits: Vec<Edit<'a>>,
    /// The checks of the result.
    pub verification: Vec<Verification<'a>>,
}

/// A blocker of the run.
///
/// ```
/// use adjudicate_guest::{Blocker, Decision, Severity, Status};
/// let blocker = Blocker {
///     code: "licence_missing".into(),
///     summary: "a dependency has no licence".into(),
///     evidence_ref: Some("/evidence/artifacts/0".to_owned()),
///     severity: Severity::High,
/// };
/// let decision = Decision { blockers: vec![blocker], ..Decision::new(Status::Blocked) };
/// assert_eq!(decision.blockers.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocker<'a> {
    /// A stable code.
    pub code: Text<'a>,
    /// The obstacle, in one line.
    pub summary: Text<'a>,
    /// JSON Pointer into the envelope, or an artifact's path.
    pub evidence_ref: Option<String>,
    /// The severity.
    pub severity: Severity,
}

/// A whole decision, for policies that do not derive it from findings.
///
/// The next step is one of the envelope's, because only an envelope gives a [`Step`]. Findings are reported as reasons
/// and change nothing.
///
/// ```
/// use adjudicate_guest::{Decision, Envelope, Status};
/// fn decide(envelope: Envelope<'_>) -> Decision<'_> {
///     Decision { next_step: envelope.step("ask-security"), ..Decision::new(Status::NeedsHuman) }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// The status.
    pub status: Status,
    /// The step to take, or none.
    pub next_step: Option<Step<'a>>,
    /// The instructions for a fix, if the decision asks for one.
    pub fix_instructions: Option<FixInstructions<'a>>,
    /// The blockers, in any order; the answer orders them.
    pub blockers: Vec<Blocker<'a>>,
    /// The risk flags, in any order; the answer sorts them and has each once.
    pub risk_flags: Vec<Text<'a>>,
    /// The reasons.
    pub findings: Vec<Finding<'a>>,
}

impl<'a> Decision<'a> {
    /// A decision of that status, without a next step or anything else.
    ///
    /// ```
    /// use adjudicate_guest::{Decision, Status};
    /// let decision = Decision::new(Status::Success);
    /// assert!(decision.next_step.is_none() && decision.findings.is_empty());
    /// ```
    #[must_use]
    pub fn new(status: Status) -> Self {
        Self {
            status,
            next_step: None,
            fix_instructions: None,
            blockers: Vec::new(),
            risk_flags: Vec::new(),
            findings: Vec::new(),
        }
    }
}

/// The result of a policy: findings, from which the decision is derived, a whole decision, or an error.
///
/// ```
/// use adjudicate_guest::{Decision, Finding, Status, Verdict};
/// let nothing: Option<Finding<'_>> = None;
/// assert!(matches!(Verdict::from(nothing), Verdict::Findings(found) if found.is_empty()));
/// assert!(matches!(Verdict::from(Decision::new(Status::Success)), Verdict::Decision(_)));
/// ```
#[derive(Debug)]
pub enum Verdict<'a> {
    /// The decision is derived from these findings.
    Findings(Vec<Finding<'a>>),
    /// This decision.
    Decision(Decision<'a>),
    /// No answer.
    Error(Error),
}

impl<'a> From<Vec<Finding<'a>>> for Verdict<'a> {
    fn from(findings: Vec<Finding<'a>>) -> Self {
        Self::Findings(findings)
    }
}

impl<'a> From<Option<Finding<'a>>> for Verdict<'a> {
    fn from(finding: Option<Finding<'a>>) -> Self {
        Self::Findings(finding.into_iter().collect())
    }
}

impl<'a> From<Decision<'a>> for Verdict<'a> {
    fn from(decision: Decision<'a>) -> Self {
        Self::Decision(decision)
    }
}

impl<'a, T: Into<Self>> From<Result<T, Error>> for Verdict<'a> {
    fn from(result: Result<T, Error>) -> Self {
        result.map_or_else(Self::Error, Into::into)
    }
}

impl Status {
    /// Returns the severity of a finding with this status, unless the finding has its own.
    ///
    /// ```
    /// use adjudicate_guest::{Severity, Status};
    /// assert_eq!(Status::Unsafe.severity(), Severity::High);
    /// ```
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::Success | Self::Partial => Severity::Low,
            Self::Blocked | Self::NeedsHuman => Severity::Medium,
            Self::Unsafe => Severity::High,
        }
    }
}
