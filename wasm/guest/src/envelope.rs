//! The envelope: views of a checked input, with a method for each field.

use crate::{
    evidence::Evidence,
    fields::{items, member, text, texts},
    route::{self, Step},
    value::Value,
    words::{Opcode, Outcome, Status},
};

/// The input of an EVALUATE step (docs/reference/envelope.md).
///
/// Its values have the right form, because an invalid input gets an error before your policy runs. Fields whose names
/// begin with `x-` are extensions, which your program and your policy define; see [`extension`](Self::extension).
///
/// ```
/// # use adjudicate_guest::testing::Sample;
/// let sample = Sample::new().steps(["publish"]);
/// sample.read(|envelope| assert_eq!(envelope.step("publish").map(|step| step.id()), Some("publish")));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Envelope<'a>(pub(crate) &'a Value<'a>);

impl<'a> Envelope<'a> {
    /// The current run.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().read(|envelope| assert_eq!(envelope.run_id(), "sample"));
    /// ```
    #[must_use]
    pub fn run_id(self) -> &'a str {
        text(self.0, "run_id")
    }

    /// The workflow that the run follows.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().read(|envelope| assert_eq!(envelope.workflow_id(), "sample"));
    /// ```
    #[must_use]
    pub fn workflow_id(self) -> &'a str {
        text(self.0, "workflow_id")
    }

    /// The EVALUATE step itself.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().read(|envelope| assert_eq!(envelope.step_id(), "evaluate"));
    /// ```
    #[must_use]
    pub fn step_id(self) -> &'a str {
        text(self.0, "step_id")
    }

    /// The prompt of the step, `id.vN`.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().read(|envelope| assert_eq!(envelope.evaluate_prompt(), "sample.v1"));
    /// ```
    #[must_use]
    pub fn evaluate_prompt(self) -> &'a str {
        text(self.0, "evaluate_prompt")
    }

    /// The steps that may be chosen next, in the workflow's order of preference.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().steps(["publish", "fix"]);
    /// sample.read(|envelope| {
    ///     let ids: Vec<_> = envelope.allowed_next_steps().map(|step| step.id()).collect();
    ///     assert_eq!(ids, ["publish", "fix"]);
    /// });
    /// ```
    pub fn allowed_next_steps(self) -> impl Iterator<Item = Step<'a>> {
        route::steps(self.0)
    }

    /// The allowed step of that id. There is no other way to a [`Step`] than this and
    /// [`allowed_next_steps`](Self::allowed_next_steps), so no decision can name a step that is not allowed.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().steps(["publish"]);
    /// sample.read(|envelope| {
    ///     assert!(envelope.step("publish").is_some());
    ///     assert!(envelope.step("deploy").is_none());
    /// });
    /// ```
    #[must_use]
    pub fn step(self, id: &str) -> Option<Step<'a>> {
        self.allowed_next_steps().find(|step| step.id == id)
    }

    /// Returns the step that the engine chooses for a status: the first allowed step with a role that the status asks
    /// for (docs/reference/routing.md).
    ///
    /// ```
    /// # use adjudicate_guest::{Status, testing::Sample};
    /// let sample = Sample::new().steps(["publish", "fix"]);
    /// sample.read(|envelope| {
    ///     let step = envelope.step_for(Status::Partial);
    ///     assert_eq!(step.map(|step| step.id()), Some("fix"));
    ///     assert!(envelope.step_for(Status::Unsafe).is_none());
    /// });
    /// ```
    #[must_use]
    pub fn step_for(self, status: Status) -> Option<Step<'a>> {
        route::step_for(self.0, status)
    }

    /// Summaries of the latest steps, oldest first.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member(
    ///     "provenance_window",
    ///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
    ///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let entry = envelope.provenance_window().next().unwrap();
    ///     assert_eq!(entry.step_id(), "test");
    ///     assert_eq!(envelope.provenance_window().count(), 1);
    /// });
    /// ```
    pub fn provenance_window(self) -> impl DoubleEndedIterator<Item = Entry<'a>> {
        items(self.0, "provenance_window").map(Entry)
    }

    /// The earlier steps that count, oldest first: the history if there is one, else the window.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member(
    ///     "evaluate_history",
    ///     r#"[{"step_id":"one","opcode":"EVALUATE","status":"partial","diff_summary":"","risk_flags":[],"blocker_codes":[]},
    ///         {"step_id":"two","opcode":"EVALUATE","status":"blocked","diff_summary":"","risk_flags":[],"blocker_codes":[]}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let steps: Vec<_> = envelope.history().map(|entry| entry.step_id()).collect();
    ///     assert_eq!(steps, ["one", "two"]);
    /// });
    /// ```
    pub fn history(self) -> impl DoubleEndedIterator<Item = Entry<'a>> {
        let name = match self.0.member("evaluate_history") {
            Some(_) => "evaluate_history",
            None => "provenance_window",
        };
        items(self.0, name).map(Entry)
    }

    /// The statuses of earlier EVALUATE steps, latest first.
    ///
    /// ```
    /// # use adjudicate_guest::{Status, testing::Sample};
    /// let sample = Sample::new().member(
    ///     "evaluate_history",
    ///     r#"[{"step_id":"one","opcode":"EVALUATE","status":"partial","diff_summary":"","risk_flags":[],"blocker_codes":[]},
    ///         {"step_id":"two","opcode":"EVALUATE","status":"blocked","diff_summary":"","risk_flags":[],"blocker_codes":[]}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let statuses: Vec<_> = envelope.earlier_statuses().collect();
    ///     assert_eq!(statuses, [Status::Blocked, Status::Partial]);
    /// });
    /// ```
    pub fn earlier_statuses(self) -> impl Iterator<Item = Status> {
        let evaluated = |entry: &Entry<'_>| entry.opcode() == Opcode::Evaluate;
        self.history().rev().filter(evaluated).filter_map(Entry::status)
    }

    /// The cap of refinements, if the envelope has one.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member("refinement", r#"{"cap":3,"spent":1}"#);
    /// sample.read(|envelope| assert_eq!(envelope.refinement_cap(), Some(3)));
    /// ```
    #[must_use]
    pub fn refinement_cap(self) -> Option<u64> {
        self.0.member("refinement")?.member("cap")?.as_u64()
    }

    /// The number of refinements made, if the envelope has it.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member("refinement", r#"{"cap":3,"spent":1}"#);
    /// sample.read(|envelope| assert_eq!(envelope.refinements_spent(), Some(1)));
    /// ```
    #[must_use]
    pub fn refinements_spent(self) -> Option<u64> {
        self.0.member("refinement")?.member("spent")?.as_u64()
    }

    /// The evidence of the current step.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().artifact("report.html");
    /// sample.read(|envelope| assert_eq!(envelope.evidence().artifacts().next(), Some("report.html")));
    /// ```
    #[must_use]
    pub fn evidence(self) -> Evidence<'a> {
        Evidence(member(self.0, "evidence"))
    }

    /// A field of the envelope whose name begins with `x-`; pass the whole name. For those of the evidence, see
    /// [`Evidence::extension`].
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member("x-team", r#""payments""#);
    /// sample.read(|envelope| {
    ///     let team = envelope.extension("x-team").and_then(|team| team.as_str());
    ///     assert_eq!(team, Some("payments"));
    ///     assert!(envelope.extension("run_id").is_none());
    /// });
    /// ```
    #[must_use]
    pub fn extension(self, name: &str) -> Option<&'a Value<'a>> {
        self.0.member(name).filter(|_| name.starts_with("x-"))
    }

    /// The whole envelope, as it was read.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().read(|envelope| assert_eq!(envelope.value().members().len(), 7));
    /// ```
    #[must_use]
    pub fn value(self) -> &'a Value<'a> {
        self.0
    }
}

/// Summary of an earlier step.
///
/// ```
/// # use adjudicate_guest::testing::Sample;
/// let sample = Sample::new().member(
///     "provenance_window",
///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
/// );
/// sample.read(|envelope| {
///     let entry = envelope.provenance_window().next().unwrap();
///     assert_eq!((entry.step_id(), entry.failures()), ("test", Some(2)));
/// });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a>(&'a Value<'a>);

impl<'a> Entry<'a> {
    /// The step.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member(
    ///     "provenance_window",
    ///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
    ///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let entry = envelope.provenance_window().next().unwrap();
    ///     assert_eq!(entry.step_id(), "test");
    /// });
    /// ```
    #[must_use]
    pub fn step_id(self) -> &'a str {
        text(self.0, "step_id")
    }

    /// Its opcode.
    ///
    /// ```
    /// # use adjudicate_guest::{Opcode, testing::Sample};
    /// let sample = Sample::new().member(
    ///     "provenance_window",
    ///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
    ///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let entry = envelope.provenance_window().next().unwrap();
    ///     assert_eq!(entry.opcode(), Opcode::RunValidation);
    /// });
    /// ```
    #[must_use]
    pub fn opcode(self) -> Opcode {
        Opcode::from_word(text(self.0, "opcode")).unwrap_or(Opcode::RunAgent)
    }

    /// The status of its decision. An entry without a status has an [`outcome`](Self::outcome).
    ///
    /// ```
    /// # use adjudicate_guest::{Status, testing::Sample};
    /// let sample = Sample::new().member(
    ///     "evaluate_history",
    ///     r#"[{"step_id":"one","opcode":"EVALUATE","status":"partial","diff_summary":"","risk_flags":[],"blocker_codes":[]},
    ///         {"step_id":"two","opcode":"EVALUATE","status":"blocked","diff_summary":"","risk_flags":[],"blocker_codes":[]}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let last = envelope.history().next_back().unwrap();
    ///     assert_eq!(last.status(), Some(Status::Blocked));
    /// });
    /// ```
    #[must_use]
    pub fn status(self) -> Option<Status> {
        Status::from_word(text(self.0, "status"))
    }

    /// Its outcome. An entry without an outcome has a [`status`](Self::status).
    ///
    /// ```
    /// # use adjudicate_guest::{Outcome, testing::Sample};
    /// let sample = Sample::new().member(
    ///     "provenance_window",
    ///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
    ///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let entry = envelope.provenance_window().next().unwrap();
    ///     assert_eq!(entry.outcome(), Some(Outcome::Completed));
    /// });
    /// ```
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        Outcome::from_word(text(self.0, "outcome"))
    }

    /// The diff after the step, as text.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member(
    ///     "provenance_window",
    ///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
    ///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let entry = envelope.provenance_window().next().unwrap();
    ///     assert_eq!(entry.diff_summary(), " M a.rs");
    /// });
    /// ```
    #[must_use]
    pub fn diff_summary(self) -> &'a str {
        text(self.0, "diff_summary")
    }

    /// The flags that were raised.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member(
    ///     "provenance_window",
    ///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
    ///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let entry = envelope.provenance_window().next().unwrap();
    ///     assert_eq!(entry.risk_flags().collect::<Vec<_>>(), ["slow"]);
    /// });
    /// ```
    pub fn risk_flags(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "risk_flags")
    }

    /// The codes of its blockers.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member(
    ///     "provenance_window",
    ///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
    ///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let entry = envelope.provenance_window().next().unwrap();
    ///     assert_eq!(entry.blocker_codes().collect::<Vec<_>>(), ["lint"]);
    /// });
    /// ```
    pub fn blocker_codes(self) -> impl Iterator<Item = &'a str> {
        texts(self.0, "blocker_codes")
    }

    /// The number of failed checks, if the envelope has it.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().member(
    ///     "provenance_window",
    ///     r#"[{"step_id":"test","opcode":"RUN_VALIDATION","outcome":"completed","diff_summary":" M a.rs",
    ///          "risk_flags":["slow"],"blocker_codes":["lint"],"failures":2}]"#,
    /// );
    /// sample.read(|envelope| {
    ///     let entry = envelope.provenance_window().next().unwrap();
    ///     assert_eq!(entry.failures(), Some(2));
    /// });
    /// ```
    #[must_use]
    pub fn failures(self) -> Option<u64> {
        self.0.member("failures")?.as_u64()
    }
}
