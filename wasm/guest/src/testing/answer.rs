//! Answers of policies in tests.

use std::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::fail;
use crate::{read::read, value::Value, words::Status};

/// The answer of a policy.
///
/// ```
/// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
/// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
///     let is_red = envelope.evidence().exit_code("test") != Some(0);
///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
/// }
/// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
/// # fn main() {
/// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
/// assert_eq!((answer.status(), answer.next_step().as_deref()), (Some(Status::Partial), Some("fix")));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Answer {
    pub(super) reply: String,
}

impl Answer {
    /// The whole reply: `{"ok": answer}` or `{"error": {code, message, path}}`.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// assert!(answer.reply().starts_with(r#"{"ok":{"decision":"#));
    /// # }
    /// ```
    #[must_use]
    pub fn reply(&self) -> &str {
        &self.reply
    }

    /// The status; `None` if there is no answer.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// assert_eq!(answer.status(), Some(Status::Partial));
    /// # }
    /// ```
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.value(|reply| {
            Status::from_word(reply.member("ok")?.member("decision")?.member("status")?.as_str()?)
        })
    }

    /// The next step; `None` if there is none.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// assert_eq!(answer.next_step().as_deref(), Some("fix"));
    /// # }
    /// ```
    #[must_use]
    pub fn next_step(&self) -> Option<String> {
        self.value(|reply| {
            Some(reply.member("ok")?.member("decision")?.member("next_step")?.as_str()?.to_string())
        })
    }

    /// The rules of the findings, in their order.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// assert_eq!(answer.rules(), ["green"]);
    /// # }
    /// ```
    #[must_use]
    pub fn rules(&self) -> Vec<String> {
        self.value(|reply| {
            let findings = reply.member("ok").and_then(|ok| ok.member("findings"));
            let findings = findings.map(Value::items).unwrap_or_default();
            findings
                .iter()
                .filter_map(|finding| Some(finding.member("rule")?.as_str()?.to_string()))
                .collect()
        })
    }

    /// The number of findings that are left out; 0 if all are listed.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(_: Envelope<'_>) -> Vec<Finding<'_>> {
    ///     vec![Finding::new("r", Status::Blocked, "a summary"), Finding::omitted(7, Status::Blocked)]
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "cut", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().steps(["fix"]));
    /// assert_eq!((answer.status(), answer.omitted()), (Some(Status::Blocked), 7));
    /// # }
    /// ```
    #[must_use]
    pub fn omitted(&self) -> u64 {
        self.value(|reply| {
            let findings = reply.member("ok").and_then(|ok| ok.member("findings"));
            let findings = findings.map(Value::items).unwrap_or_default();
            let stands_for_others =
                |finding: &&Value| finding.member("rule").and_then(Value::as_str) == Some("findings_omitted");
            let omitted = findings.iter().filter(stands_for_others);
            omitted.filter_map(|finding| finding.member("count")?.as_u64()).sum()
        })
    }

    /// The risk flags.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// assert_eq!(answer.flags(), ["red"]);
    /// # }
    /// ```
    #[must_use]
    pub fn flags(&self) -> Vec<String> {
        self.value(|reply| {
            let decision = reply.member("ok").and_then(|ok| ok.member("decision"));
            let flags = decision.and_then(|decision| decision.member("risk_flags")).map(Value::items);
            flags.unwrap_or_default().iter().filter_map(|flag| Some(flag.as_str()?.to_string())).collect()
        })
    }

    /// Code and path of the error; `None` if there is an answer.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// assert_eq!(answer.error(), None);
    /// let (code, path) = POLICY.ask_text("{}").error().unwrap();
    /// assert_eq!((code.as_str(), path.as_str()), ("missing_field", "/run_id"));
    /// # }
    /// ```
    #[must_use]
    pub fn error(&self) -> Option<(String, String)> {
        self.value(|reply| {
            let error = reply.member("error")?;
            let text = |name| error.member(name).and_then(Value::as_str).map(ToString::to_string);
            Some((text("code")?, text("path")?))
        })
    }

    /// Asserts the status.
    ///
    /// # Panics
    ///
    /// If the status is another one, or there is no answer.
    ///
    /// ```
    /// use adjudicate_guest::{Envelope, Finding, Status, testing::{Ask, Sample}};
    /// fn decide(envelope: Envelope<'_>) -> Option<Finding<'_>> {
    ///     let is_red = envelope.evidence().exit_code("test") != Some(0);
    ///     is_red.then(|| Finding::new("green", Status::Partial, "the tests fail").flag("red"))
    /// }
    /// adjudicate_guest::policy! { decide: decide, name: "green", version: "1.0.0" }
    /// # fn main() {
    /// let answer = POLICY.ask(&Sample::new().exit_code("test", 1).steps(["publish", "fix"]));
    /// answer.assert_status(Status::Partial);
    /// # }
    /// ```
    #[track_caller]
    pub fn assert_status(&self, expected: Status) -> &Self {
        assert_eq!(self.status(), Some(expected), "the reply is {}", self.reply);
        self
    }

    /// Passes the reply to a function, and returns its result.
    pub(super) fn value<T>(&self, look: impl FnOnce(&Value<'_>) -> T) -> T {
        match read(self.reply.as_bytes(), &["ok"]) {
            Ok(reply) => look(&reply),
            Err(error) => fail(&format!("the reply is no JSON: {}: {}", error.message(), self.reply)),
        }
    }
}
