//! The evidence of an envelope.

use alloc::vec::Vec;

use crate::{
    change::ChangedFile,
    fields::{items, member, text, texts},
    report::{Case, Harness, Review},
    value::Value,
    words::{Claim, Intent, Outcome},
};

/// The evidence of the step that is evaluated (docs/reference/envelope.md).
///
/// ```
/// # use adjudicate_guest::testing::Sample;
/// Sample::new().exit_code("test", 0).read(|envelope| assert_eq!(envelope.evidence().exit_code("test"), Some(0)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a>(pub(crate) &'a Value<'a>);

impl<'a> Evidence<'a> {
    /// The summary of the agent or of validators. Free text: do not guess its meaning.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().transcript("done").read(|envelope| assert_eq!(envelope.evidence().transcript_summary(), "done"));
    /// ```
    #[must_use]
    pub fn transcript_summary(self) -> &'a str {
        text(self.0, "transcript_summary")
    }

    /// The changes, as git prints them. [`changed_files`](Self::changed_files) has the files, if they are known.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().diff_summary(" M a.rs");
    /// sample.read(|envelope| assert_eq!(envelope.evidence().workspace_diff_summary(), " M a.rs"));
    /// ```
    #[must_use]
    pub fn workspace_diff_summary(self) -> &'a str {
        text(self.0, "workspace_diff_summary")
    }

    /// The outcome of the step itself.
    ///
    /// ```
    /// # use adjudicate_guest::{Outcome, testing::Sample};
    /// let sample = Sample::new().outcome(Outcome::KilledIdle);
    /// sample.read(|envelope| {
    ///     assert_eq!(envelope.evidence().mechanical_outcome(), Outcome::KilledIdle);
    /// });
    /// ```
    #[must_use]
    pub fn mechanical_outcome(self) -> Outcome {
        let word = text(member(self.0, "validation"), "mechanical_outcome");
        Outcome::from_word(word).unwrap_or(Outcome::Error)
    }

    /// The validators that ran, with their exit codes.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().exit_code("lint", 0).exit_code("test", 1);
    /// sample.read(|envelope| {
    ///     let codes: Vec<_> = envelope.evidence().exit_codes().collect();
    ///     assert_eq!(codes, [("lint", 0), ("test", 1)]);
    /// });
    /// ```
    pub fn exit_codes(self) -> impl Iterator<Item = (&'a str, i64)> {
        let codes = member(member(self.0, "validation"), "exit_codes").members();
        codes.iter().filter_map(|(id, code)| Some((&**id, code.as_i64()?)))
    }

    /// The exit code of one validator; `None` if it did not run.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().exit_code("test", 1);
    /// sample.read(|envelope| {
    ///     let evidence = envelope.evidence();
    ///     assert_eq!((evidence.exit_code("test"), evidence.exit_code("lint")), (Some(1), None));
    /// });
    /// ```
    #[must_use]
    pub fn exit_code(self, validator: &str) -> Option<i64> {
        self.exit_codes().find(|(id, _)| *id == validator).map(|(_, code)| code)
    }

    /// Validators that ran out of time.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().timeout("e2e").read(|envelope| assert_eq!(envelope.evidence().timeouts().next(), Some("e2e")));
    /// ```
    pub fn timeouts(self) -> impl Iterator<Item = &'a str> {
        texts(member(self.0, "validation"), "timeouts")
    }

    /// The report of a test harness, if there is one.
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
    ///     assert_eq!((report.suite_id(), report.failed()), ("ui", 1));
    /// });
    /// ```
    #[must_use]
    pub fn harness_report(self) -> Option<Harness<'a>> {
        self.0.member("harness_report").filter(|report| **report != Value::Null).map(Harness)
    }

    /// The artifacts of the step.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().artifact("a.html");
    /// sample.read(|envelope| assert_eq!(envelope.evidence().artifacts().next(), Some("a.html")));
    /// ```
    pub fn artifacts(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "artifacts")
    }

    /// Policy events of your program, `class` or `class:detail`.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().event("info:nightly");
    /// sample.read(|envelope| assert_eq!(envelope.evidence().policy_events().next(), Some("info:nightly")));
    /// ```
    pub fn policy_events(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "policy_events")
    }

    /// The purpose of the step, if the envelope has it.
    ///
    /// ```
    /// # use adjudicate_guest::{Intent, testing::Sample};
    /// let sample = Sample::new().extension("step_intent", r#""fix""#);
    /// sample.read(|envelope| {
    ///     assert_eq!(envelope.evidence().step_intent(), Some(Intent::Fix));
    /// });
    /// ```
    #[must_use]
    pub fn step_intent(self) -> Option<Intent> {
        Intent::from_word(text(self.0, "step_intent"))
    }

    /// The agent's claims; `None` if they are unknown.
    ///
    /// ```
    /// # use adjudicate_guest::{Claim, testing::Sample};
    /// let sample = Sample::new().extension("claims", r#"["tests_passed"]"#);
    /// sample.read(|envelope| {
    ///     assert_eq!(envelope.evidence().claims(), Some(vec![Claim::TestsPassed]));
    /// });
    /// ```
    #[must_use]
    pub fn claims(self) -> Option<Vec<Claim>> {
        self.0.member("claims")?;
        Some(texts(self.0, "claims").filter_map(Claim::from_word).collect())
    }

    /// Paths or globs that must be among the artifacts.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension("required_artifacts", r#"["*.html"]"#);
    /// sample.read(|envelope| {
    ///     assert_eq!(envelope.evidence().required_artifacts().next(), Some("*.html"));
    /// });
    /// ```
    pub fn required_artifacts(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "required_artifacts")
    }

    /// Validators that must have a result.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension("required_validators", r#"["lint"]"#);
    /// sample.read(|envelope| {
    ///     assert_eq!(envelope.evidence().required_validators().next(), Some("lint"));
    /// });
    /// ```
    pub fn required_validators(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "required_validators")
    }

    /// The changed files; `None` if they are unknown, which is never the same as no files.
    ///
    /// The files of a typed `diff` are known. If the summary is blank, there are none. Any other summary is git's text,
    /// which this crate does not read: send a typed `diff`, or ask a human.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().changed("src/lib.rs");
    /// sample.read(|envelope| {
    ///     let files = envelope.evidence().changed_files().unwrap();
    ///     assert_eq!(files[0].path(), "src/lib.rs");
    /// });
    /// // This crate does not read git's text, so the files are unknown.
    /// let sample = Sample::new().diff_summary(" M src/lib.rs");
    /// sample.read(|envelope| assert!(envelope.evidence().changed_files().is_none()));
    /// ```
    #[must_use]
    pub fn changed_files(self) -> Option<Vec<ChangedFile<'a>>> {
        match self.0.member("diff") {
            Some(diff) => {
                let files = items(diff, "files").enumerate();
                Some(files.map(|(index, value)| ChangedFile { value, index }).collect())
            }
            None if self.workspace_diff_summary().trim_ascii().is_empty() => Some(Vec::new()),
            None => None,
        }
    }

    /// The outcome of a review, if there is one.
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
    pub fn review(self) -> Option<Review<'a>> {
        self.0.member("review").map(Review)
    }

    /// The cases on the base revision, if the envelope has a baseline. It is data: this crate excuses no failure.
    ///
    /// ```
    /// # use adjudicate_guest::{CaseStatus, testing::Sample};
    /// let baseline = r#"{"exit_codes":{"unit":1},"cases":[{"id":"rounds","status":"failed","file":"tests/charge.rs"}]}"#;
    /// let sample = Sample::new().extension("baseline", baseline);
    /// sample.read(|envelope| {
    ///     let case = envelope.evidence().baseline_cases().next().unwrap();
    ///     assert_eq!((case.status(), case.file()), (CaseStatus::Failed, Some("tests/charge.rs")));
    /// });
    /// ```
    pub fn baseline_cases(self) -> impl Iterator<Item = Case<'a>> {
        items(member(self.0, "baseline"), "cases").map(Case)
    }

    /// The tree that is judged, if the envelope names it.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension("tree", r#""git:41d70e""#);
    /// sample.read(|envelope| assert_eq!(envelope.evidence().tree(), Some("git:41d70e")));
    /// ```
    #[must_use]
    pub fn tree(self) -> Option<&'a str> {
        self.0.member("tree").and_then(Value::as_str)
    }

    /// The results of another tree than the one that is judged: the ids of validators, then `harness_report`, then `review`. They are
    /// no results, but the other methods return them, too.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let review = r#"{"artifact_ref":"review.md","issues":[],"tree":"git:9f3b1c"}"#;
    /// let sample = Sample::new().extension("tree", r#""git:41d70e""#).extension("review", review);
    /// sample.read(|envelope| assert_eq!(envelope.evidence().stale_results().next(), Some("review")));
    /// ```
    pub fn stale_results(self) -> impl Iterator<Item = &'a str> {
        let judged = self.tree();
        let is_stale = move |tree: &Value<'_>| {
            judged.is_some_and(|judged| tree.as_str().is_some_and(|tree| tree != judged))
        };
        let trees = member(member(self.0, "validation"), "trees").members();
        let validators = trees.iter().filter(move |(_, tree)| is_stale(tree)).map(|(id, _)| &**id);
        let parts = ["harness_report", "review"].into_iter();
        validators.chain(parts.filter(move |part| is_stale(member(member(self.0, part), "tree"))))
    }

    /// The required approvals.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension("approvals", r#"{"required":["dba"],"granted":[]}"#);
    /// sample.read(|envelope| {
    ///     assert_eq!(envelope.evidence().required_approvals().next(), Some("dba"));
    /// });
    /// ```
    pub fn required_approvals(self) -> impl Iterator<Item = &'a str> {
        texts(member(self.0, "approvals"), "required")
    }

    /// The granted approvals.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().approved("dba");
    /// sample.read(|envelope| assert_eq!(envelope.evidence().granted_approvals().next(), Some("dba")));
    /// ```
    pub fn granted_approvals(self) -> impl Iterator<Item = &'a str> {
        texts(member(self.0, "approvals"), "granted")
    }

    /// Returns whether an approval is granted.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().approved("dba");
    /// sample.read(|envelope| {
    ///     let evidence = envelope.evidence();
    ///     assert!(evidence.is_approved("dba") && !evidence.is_approved("security"));
    /// });
    /// ```
    #[must_use]
    pub fn is_approved(self, what: &str) -> bool {
        self.granted_approvals().any(|granted| granted == what)
    }

    /// A field of the evidence whose name begins with `x-`; pass the whole name.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension("x-cost", r#"{"spent": 12.5}"#);
    /// let spent = sample.read(|envelope| {
    ///     envelope.evidence().extension("x-cost").and_then(|cost| cost.member("spent")?.scaled(2))
    /// });
    /// assert_eq!(spent, Some(1250));
    /// ```
    #[must_use]
    pub fn extension(self, name: &str) -> Option<&'a Value<'a>> {
        self.0.member(name).filter(|_| name.starts_with("x-"))
    }
}
