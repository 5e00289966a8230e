//! Reports among the evidence: of a test harness, and of a review.

use crate::{
    fields::{items, member, text, texts},
    value::Value,
    words::{CaseStatus, Severity},
};

/// The report of a test harness.
///
/// ```
/// # use adjudicate_guest::testing::Sample;
/// let sample = Sample::new().extension(
///     "harness_report",
///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
/// );
/// sample.read(|envelope| {
///     let report = envelope.evidence().harness_report().unwrap();
///     assert_eq!((report.passed(), report.failed()), (9, 1));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Harness<'a>(pub(crate) &'a Value<'a>);

impl<'a> Harness<'a> {
    /// The name of the suite; empty if the report has none.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "harness_report",
    ///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
    ///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let report = envelope.evidence().harness_report().unwrap();
    ///     assert_eq!(report.suite_id(), "ui");
    /// });
    /// ```
    #[must_use]
    pub fn suite_id(self) -> &'a str {
        text(self.0, "suite_id")
    }

    /// The listed cases.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "harness_report",
    ///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
    ///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let report = envelope.evidence().harness_report().unwrap();
    ///     assert_eq!(report.cases().count(), 1);
    /// });
    /// ```
    pub fn cases(self) -> impl Iterator<Item = Case<'a>> {
        items(self.0, "cases").map(Case)
    }

    /// The number of passed cases, by the report's own count.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "harness_report",
    ///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
    ///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let report = envelope.evidence().harness_report().unwrap();
    ///     assert_eq!(report.passed(), 9);
    /// });
    /// ```
    #[must_use]
    pub fn passed(self) -> u64 {
        member(member(self.0, "summary"), "passed").as_u64().unwrap_or_default()
    }

    /// The number of failed cases, by the report's own count.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "harness_report",
    ///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
    ///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let report = envelope.evidence().harness_report().unwrap();
    ///     assert_eq!(report.failed(), 1);
    /// });
    /// ```
    #[must_use]
    pub fn failed(self) -> u64 {
        member(member(self.0, "summary"), "failed").as_u64().unwrap_or_default()
    }

    /// Goldens that the harness proposes to replace.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "harness_report",
    ///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
    ///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let report = envelope.evidence().harness_report().unwrap();
    ///     assert_eq!(report.proposed_goldens().next(), Some("login.png"));
    /// });
    /// ```
    pub fn proposed_goldens(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "proposed_goldens")
    }
}

/// One case of a harness report.
///
/// ```
/// # use adjudicate_guest::{CaseStatus, testing::Sample};
/// let sample = Sample::new().extension(
///     "harness_report",
///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
/// );
/// sample.read(|envelope| {
///     let case = envelope.evidence().harness_report().unwrap().cases().next().unwrap();
///     assert_eq!((case.id(), case.status()), ("login", CaseStatus::Failed));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Case<'a>(pub(crate) &'a Value<'a>);

impl<'a> Case<'a> {
    /// The path of the file that has the case, if the report names it.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let report = r#"{"cases":[{"id":"rounds","status":"passed","file":"tests/charge.rs"}]}"#;
    /// let sample = Sample::new().extension("harness_report", report);
    /// sample.read(|envelope| {
    ///     let case = envelope.evidence().harness_report().unwrap().cases().next().unwrap();
    ///     assert_eq!(case.file(), Some("tests/charge.rs"));
    /// });
    /// ```
    #[must_use]
    pub fn file(self) -> Option<&'a str> {
        self.0.member("file").and_then(Value::as_str)
    }

    /// The case.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "harness_report",
    ///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
    ///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let case = envelope.evidence().harness_report().unwrap().cases().next().unwrap();
    ///     assert_eq!(case.id(), "login");
    /// });
    /// ```
    #[must_use]
    pub fn id(self) -> &'a str {
        text(self.0, "id")
    }

    /// Its result.
    ///
    /// ```
    /// # use adjudicate_guest::{CaseStatus, testing::Sample};
    /// let sample = Sample::new().extension(
    ///     "harness_report",
    ///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
    ///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let case = envelope.evidence().harness_report().unwrap().cases().next().unwrap();
    ///     assert_eq!(case.status(), CaseStatus::Failed);
    /// });
    /// ```
    #[must_use]
    pub fn status(self) -> CaseStatus {
        CaseStatus::from_word(text(self.0, "status")).unwrap_or(CaseStatus::Failed)
    }

    /// A command that reproduces the result.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "harness_report",
    ///     r#"{"suite_id":"ui","cases":[{"id":"login","status":"failed","repro":"npm test login"}],
    ///         "summary":{"passed":9,"failed":1},"proposed_goldens":["login.png"]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let case = envelope.evidence().harness_report().unwrap().cases().next().unwrap();
    ///     assert_eq!(case.repro(), Some("npm test login"));
    /// });
    /// ```
    #[must_use]
    pub fn repro(self) -> Option<&'a str> {
        self.0.member("repro").and_then(Value::as_str)
    }
}

/// The outcome of a review.
///
/// ```
/// # use adjudicate_guest::testing::Sample;
/// let sample = Sample::new().extension(
///     "review",
///     r#"{"artifact_ref":"review.md","issues":[{"id":"R1","summary":"no test","severity":"medium"}]}"#,
/// );
/// sample.read(|envelope| {
///     let review = envelope.evidence().review().unwrap();
///     assert_eq!((review.artifact_ref(), review.issues().count()), ("review.md", 1));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Review<'a>(pub(crate) &'a Value<'a>);

impl<'a> Review<'a> {
    /// The artifact with the review.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "review",
    ///     r#"{"artifact_ref":"review.md","issues":[{"id":"R1","summary":"no test","severity":"medium"}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let review = envelope.evidence().review().unwrap();
    ///     assert_eq!(review.artifact_ref(), "review.md");
    /// });
    /// ```
    #[must_use]
    pub fn artifact_ref(self) -> &'a str {
        text(self.0, "artifact_ref")
    }

    /// The tree that was reviewed, if the review names it.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let review = r#"{"artifact_ref":"review.md","issues":[],"tree":"git:9f3b1c"}"#;
    /// let sample = Sample::new().extension("review", review);
    /// sample.read(|envelope| assert_eq!(envelope.evidence().review().unwrap().tree(), Some("git:9f3b1c")));
    /// ```
    #[must_use]
    pub fn tree(self) -> Option<&'a str> {
        self.0.member("tree").and_then(Value::as_str)
    }

    /// The issues of the review.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "review",
    ///     r#"{"artifact_ref":"review.md","issues":[{"id":"R1","summary":"no test","severity":"medium"}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let review = envelope.evidence().review().unwrap();
    ///     assert_eq!(review.issues().map(|issue| issue.id()).collect::<Vec<_>>(), ["R1"]);
    /// });
    /// ```
    pub fn issues(self) -> impl Iterator<Item = ReviewIssue<'a>> {
        items(self.0, "issues").map(ReviewIssue)
    }
}

/// One finding of a review.
///
/// ```
/// # use adjudicate_guest::{Severity, testing::Sample};
/// let sample = Sample::new().extension(
///     "review",
///     r#"{"artifact_ref":"review.md","issues":[{"id":"R1","summary":"no test","severity":"medium"}]}"#,
/// );
/// sample.read(|envelope| {
///     let issue = envelope.evidence().review().unwrap().issues().next().unwrap();
///     assert_eq!((issue.id(), issue.severity()), ("R1", Severity::Medium));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ReviewIssue<'a>(&'a Value<'a>);

impl<'a> ReviewIssue<'a> {
    /// The issue.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "review",
    ///     r#"{"artifact_ref":"review.md","issues":[{"id":"R1","summary":"no test","severity":"medium"}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let issue = envelope.evidence().review().unwrap().issues().next().unwrap();
    ///     assert_eq!(issue.id(), "R1");
    /// });
    /// ```
    #[must_use]
    pub fn id(self) -> &'a str {
        text(self.0, "id")
    }

    /// The summary, in one line.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension(
    ///     "review",
    ///     r#"{"artifact_ref":"review.md","issues":[{"id":"R1","summary":"no test","severity":"medium"}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let issue = envelope.evidence().review().unwrap().issues().next().unwrap();
    ///     assert_eq!(issue.summary(), "no test");
    /// });
    /// ```
    #[must_use]
    pub fn summary(self) -> &'a str {
        text(self.0, "summary")
    }

    /// The severity.
    ///
    /// ```
    /// # use adjudicate_guest::{Severity, testing::Sample};
    /// let sample = Sample::new().extension(
    ///     "review",
    ///     r#"{"artifact_ref":"review.md","issues":[{"id":"R1","summary":"no test","severity":"medium"}]}"#,
    /// );
    /// sample.read(|envelope| {
    ///     let issue = envelope.evidence().review().unwrap().issues().next().unwrap();
    ///     assert_eq!(issue.severity(), Severity::Medium);
    /// });
    /// ```
    #[must_use]
    pub fn severity(self) -> Severity {
        Severity::from_word(text(self.0, "severity")).unwrap_or(Severity::High)
    }
}
