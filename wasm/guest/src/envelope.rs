//! The methods of an envelope that do more than read one field.

use crate::{
    route::{self, Step},
    value::Value,
    view::list,
    views::{Entry, Envelope},
    words::{Opcode, Status},
};

impl<'a> Envelope<'a> {
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
        let name = match self.evaluate_history() {
            Some(_) => "evaluate_history",
            None => "provenance_window",
        };
        list(self.0, name)
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

    /// A field of the envelope whose name begins with `x-`; pass the whole name. For those of the evidence, see
    /// [`crate::Evidence::extension`].
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
