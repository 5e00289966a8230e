//! The evidence package of an envelope as a policy reads it.

use alloc::{string::String, vec::Vec};

use crate::{
    envelope::{items, member, text, texts},
    text::Pointer,
    value::Value,
    words::{CaseStatus, Change, Claim, Intent, Outcome, Severity},
};

/// What is known of the step that is evaluated (SPEC section 3.1).
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a>(pub(crate) &'a Value<'a>);

impl<'a> Evidence<'a> {
    /// What the agent or validators said. Carried text: what it means is not to be guessed.
    #[must_use]
    pub fn transcript_summary(self) -> &'a str {
        text(self.0, "transcript_summary")
    }

    /// What changed, as git prints it. [`changed_files`](Self::changed_files) says which files those are, where it is known.
    #[must_use]
    pub fn workspace_diff_summary(self) -> &'a str {
        text(self.0, "workspace_diff_summary")
    }

    /// How the step itself ended.
    #[must_use]
    pub fn mechanical_outcome(self) -> Outcome {
        let word = text(member(self.0, "validation"), "mechanical_outcome");
        Outcome::from_word(word).unwrap_or(Outcome::Error)
    }

    /// The validators that ran, with their exit codes.
    pub fn exit_codes(self) -> impl Iterator<Item = (&'a str, i64)> {
        let codes = member(member(self.0, "validation"), "exit_codes").members();
        codes.iter().filter_map(|(id, code)| Some((&**id, code.as_i64()?)))
    }

    /// The exit code of one validator; `None` if it did not run.
    #[must_use]
    pub fn exit_code(self, validator: &str) -> Option<i64> {
        self.exit_codes().find(|(id, _)| *id == validator).map(|(_, code)| code)
    }

    /// Validators that ran out of time.
    pub fn timeouts(self) -> impl Iterator<Item = &'a str> {
        texts(member(self.0, "validation"), "timeouts")
    }

    /// The report of a test harness, if there is one.
    #[must_use]
    pub fn harness_report(self) -> Option<Harness<'a>> {
        self.0.member("harness_report").filter(|report| **report != Value::Null).map(Harness)
    }

    /// The artifacts that there are.
    pub fn artifacts(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "artifacts")
    }

    /// Signals of the kernel, `class` or `class:detail`.
    pub fn policy_events(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "policy_events")
    }

    /// What the step was for, where the kernel says so.
    #[must_use]
    pub fn step_intent(self) -> Option<Intent> {
        Intent::from_word(text(self.0, "step_intent"))
    }

    /// What the agent claims; `None` where it is not known.
    #[must_use]
    pub fn claims(self) -> Option<Vec<Claim>> {
        self.0.member("claims")?;
        Some(texts(self.0, "claims").filter_map(Claim::from_word).collect())
    }

    /// Paths or globs that must be among the artifacts.
    pub fn required_artifacts(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "required_artifacts")
    }

    /// Validators that must have a result.
    pub fn required_validators(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "required_validators")
    }

    /// The files that changed; `None` where that is not known, which is never the same as no files.
    ///
    /// Known are the files of a typed `diff`; there are none where the summary is blank. A summary that says something is git's
    /// text, which this crate does not read: ask the kernel for a typed `diff`, and let a person look where there is none.
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
    #[must_use]
    pub fn review(self) -> Option<Review<'a>> {
        self.0.member("review").map(Review)
    }

    /// What must be approved.
    pub fn required_approvals(self) -> impl Iterator<Item = &'a str> {
        texts(member(self.0, "approvals"), "required")
    }

    /// What has been approved.
    pub fn granted_approvals(self) -> impl Iterator<Item = &'a str> {
        texts(member(self.0, "approvals"), "granted")
    }

    /// Whether something has been approved.
    #[must_use]
    pub fn is_approved(self, what: &str) -> bool {
        self.granted_approvals().any(|granted| granted == what)
    }

    /// A member of the evidence whose name begins with `x-`; the name is given whole.
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

/// One changed file.
#[derive(Clone, Copy, Debug)]
pub struct ChangedFile<'a> {
    value: &'a Value<'a>,
    index: usize,
}

impl<'a> ChangedFile<'a> {
    /// Its path, as the kernel wrote it.
    #[must_use]
    pub fn path(self) -> &'a str {
        text(self.value, "path")
    }

    /// What happened to it.
    #[must_use]
    pub fn change(self) -> Change {
        Change::from_word(text(self.value, "change")).unwrap_or(Change::Modified)
    }

    /// The path it had, if it was renamed.
    #[must_use]
    pub fn from(self) -> Option<&'a str> {
        self.value.member("from").and_then(Value::as_str)
    }

    /// The path it has, and the one it had: a rule about paths is to look at both.
    pub fn paths(self) -> impl Iterator<Item = &'a str> {
        [Some(self.path()), self.from()].into_iter().flatten()
    }

    /// Lines that came, where that is known.
    #[must_use]
    pub fn insertions(self) -> Option<u64> {
        self.value.member("insertions")?.as_u64()
    }

    /// Lines that went, where that is known.
    #[must_use]
    pub fn deletions(self) -> Option<u64> {
        self.value.member("deletions")?.as_u64()
    }

    /// Where it stands in the envelope, for [`Finding::at`](crate::Finding::at).
    #[must_use]
    pub fn pointer(self) -> Pointer {
        Pointer::new("/evidence/diff/files").index(self.index)
    }
}

/// The report of a test harness.
#[derive(Clone, Copy, Debug)]
pub struct Harness<'a>(&'a Value<'a>);

impl<'a> Harness<'a> {
    /// Which suite ran.
    #[must_use]
    pub fn suite_id(self) -> &'a str {
        text(self.0, "suite_id")
    }

    /// The cases that are listed.
    pub fn cases(self) -> impl Iterator<Item = Case<'a>> {
        items(self.0, "cases").map(Case)
    }

    /// How many cases passed, by the report's own count.
    #[must_use]
    pub fn passed(self) -> u64 {
        member(member(self.0, "summary"), "passed").as_u64().unwrap_or_default()
    }

    /// How many cases failed, by the report's own count.
    #[must_use]
    pub fn failed(self) -> u64 {
        member(member(self.0, "summary"), "failed").as_u64().unwrap_or_default()
    }

    /// Goldens that the harness proposes to replace.
    pub fn proposed_goldens(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "proposed_goldens")
    }
}

/// One case of a harness report.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a>(&'a Value<'a>);

impl<'a> Case<'a> {
    /// The case.
    #[must_use]
    pub fn id(self) -> &'a str {
        text(self.0, "id")
    }

    /// How it ended.
    #[must_use]
    pub fn status(self) -> CaseStatus {
        CaseStatus::from_word(text(self.0, "status")).unwrap_or(CaseStatus::Failed)
    }

    /// A command that reproduces the result.
    #[must_use]
    pub fn repro(self) -> Option<&'a str> {
        self.0.member("repro").and_then(Value::as_str)
    }
}

/// The outcome of a review.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a>(&'a Value<'a>);

impl<'a> Review<'a> {
    /// Where the review is kept.
    #[must_use]
    pub fn artifact_ref(self) -> &'a str {
        text(self.0, "artifact_ref")
    }

    /// What it found.
    pub fn issues(self) -> impl Iterator<Item = ReviewIssue<'a>> {
        items(self.0, "issues").map(ReviewIssue)
    }
}

/// One finding of a review.
#[derive(Clone, Copy, Debug)]
pub struct ReviewIssue<'a>(&'a Value<'a>);

impl<'a> ReviewIssue<'a> {
    /// The issue.
    #[must_use]
    pub fn id(self) -> &'a str {
        text(self.0, "id")
    }

    /// What it is.
    #[must_use]
    pub fn summary(self) -> &'a str {
        text(self.0, "summary")
    }

    /// How grave it is.
    #[must_use]
    pub fn severity(self) -> Severity {
        Severity::from_word(text(self.0, "severity")).unwrap_or(Severity::High)
    }
}

/// A path in its plain form: without `.` and empty segments, and with `..` resolved, so that no spelling hides where a file
/// is. What would lead out of the root stays at the root, and so does a leading `/`.
///
/// ```
/// use adjudicate_guest::normalize;
/// assert_eq!(normalize("docs/../src//main.rs"), "src/main.rs");
/// assert_eq!(normalize("./../etc/passwd"), "etc/passwd");
/// ```
#[must_use]
pub fn normalize(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()),
            plain => segments.push(plain),
        }
    }
    segments.join("/")
}
