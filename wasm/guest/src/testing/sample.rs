//! Samples of envelopes.

use std::{borrow::ToOwned, format, string::String, vec::Vec};

use super::{fail, quoted};
use crate::{policy, read::read, views::Envelope, words::Change};

/// An envelope under construction. By default its step is completed, without changes, events or validators, and no step
/// is allowed next.
///
/// ```
/// use adjudicate_guest::testing::Sample;
/// let sample = Sample::new().steps(["publish"]).changed("src/lib.rs").exit_code("test", 0).event("info:nightly");
/// assert!(sample.to_json().contains(r#""allowed_next_steps":["publish"]"#));
/// ```
#[derive(Clone, Debug)]
pub struct Sample {
    steps: Vec<String>,
    outcome: &'static str,
    transcript: String,
    summary: Option<String>,
    files: Vec<String>,
    codes: Vec<(String, i64)>,
    timeouts: Vec<String>,
    artifacts: Vec<String>,
    events: Vec<String>,
    granted: Vec<String>,
    extensions: Vec<(String, String)>,
    members: Vec<(String, String)>,
}

impl Default for Sample {
    fn default() -> Self {
        Self::new()
    }
}

impl Sample {
    /// A sample with the defaults.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().read(|envelope| assert_eq!(envelope.allowed_next_steps().count(), 0));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self {
            steps: Vec::new(),
            outcome: "completed",
            transcript: String::new(),
            summary: None,
            files: Vec::new(),
            codes: Vec::new(),
            timeouts: Vec::new(),
            artifacts: Vec::new(),
            events: Vec::new(),
            granted: Vec::new(),
            extensions: Vec::new(),
            members: Vec::new(),
        }
    }

    /// The steps that are allowed next.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().steps(["publish", "fix"]).read(|envelope| assert!(envelope.step("fix").is_some()));
    /// ```
    #[must_use]
    pub fn steps<'s>(mut self, steps: impl IntoIterator<Item = &'s str>) -> Self {
        self.steps.extend(steps.into_iter().map(ToOwned::to_owned));
        self
    }

    /// Sets the outcome of the step.
    ///
    /// ```
    /// # use adjudicate_guest::{Outcome, testing::Sample};
    /// let sample = Sample::new().outcome(Outcome::Error);
    /// sample.read(|envelope| {
    ///     assert_eq!(envelope.evidence().validation().mechanical_outcome(), Outcome::Error);
    /// });
    /// ```
    #[must_use]
    pub fn outcome(mut self, outcome: crate::Outcome) -> Self {
        self.outcome = outcome.as_str();
        self
    }

    /// Adds a modified file to the typed diff.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().changed("a.rs").read(|envelope| assert_eq!(envelope.evidence().changed_files().unwrap().len(), 1));
    /// ```
    #[must_use]
    pub fn changed(self, path: &str) -> Self {
        self.change(path, Change::Modified)
    }

    /// Adds a changed file to the typed diff.
    ///
    /// ```
    /// # use adjudicate_guest::{Change, testing::Sample};
    /// let sample = Sample::new().change("a.rs", Change::Deleted);
    /// sample.read(|envelope| {
    ///     let files = envelope.evidence().changed_files().unwrap();
    ///     assert_eq!(files[0].change(), Change::Deleted);
    /// });
    /// ```
    #[must_use]
    pub fn change(mut self, path: &str, change: Change) -> Self {
        let path = quoted(path);
        self.files.push(match change {
            // A rename has a former name.
            Change::Renamed => format!(r#"{{"path":{path},"change":"renamed","from":{path}}}"#),
            _ => format!(r#"{{"path":{path},"change":"{}"}}"#, change.as_str()),
        });
        self
    }

    /// Adds a renamed file to the typed diff.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().renamed("a.rs", "b.rs");
    /// sample.read(|envelope| {
    ///     let files = envelope.evidence().changed_files().unwrap();
    ///     assert_eq!((files[0].from(), files[0].path()), (Some("a.rs"), "b.rs"));
    /// });
    /// ```
    #[must_use]
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        let (from, to) = (quoted(from), quoted(to));
        self.files.push(format!(r#"{{"path":{to},"change":"renamed","from":{from}}}"#));
        self
    }

    /// Sets the diff summary, as git prints it. There is a typed diff only if you add files, too.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().diff_summary(" M a.rs").read(|envelope| assert!(envelope.evidence().changed_files().is_none()));
    /// ```
    #[must_use]
    pub fn diff_summary(mut self, summary: &str) -> Self {
        self.summary = Some(summary.to_owned());
        self
    }

    /// Adds a validator with its exit code.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().exit_code("lint", 2).read(|envelope| assert_eq!(envelope.evidence().exit_code("lint"), Some(2)));
    /// ```
    #[must_use]
    pub fn exit_code(mut self, validator: &str, code: i64) -> Self {
        self.codes.push((validator.to_owned(), code));
        self
    }

    /// Adds a validator that timed out.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().timeout("e2e").read(|envelope| assert_eq!(envelope.evidence().validation().timeouts().count(), 1));
    /// ```
    #[must_use]
    pub fn timeout(mut self, validator: &str) -> Self {
        self.timeouts.push(validator.to_owned());
        self
    }

    /// Sets the summary of the agent or of validators.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().transcript("done").read(|envelope| assert_eq!(envelope.evidence().transcript_summary(), "done"));
    /// ```
    #[must_use]
    pub fn transcript(mut self, summary: &str) -> Self {
        summary.clone_into(&mut self.transcript);
        self
    }

    /// Adds an artifact.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().artifact("a.html").read(|envelope| assert_eq!(envelope.evidence().artifacts().count(), 1));
    /// ```
    #[must_use]
    pub fn artifact(mut self, path: &str) -> Self {
        self.artifacts.push(path.to_owned());
        self
    }

    /// Adds a policy event of your program.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().event("secret_detected").read(|envelope| assert_eq!(envelope.evidence().policy_events().count(), 1));
    /// ```
    #[must_use]
    pub fn event(mut self, event: &str) -> Self {
        self.events.push(event.to_owned());
        self
    }

    /// Adds a granted approval.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().approved("dba").read(|envelope| assert!(envelope.evidence().is_approved("dba")));
    /// ```
    #[must_use]
    pub fn approved(mut self, what: &str) -> Self {
        self.granted.push(what.to_owned());
        self
    }

    /// Adds a field of the evidence that has no other method, such as `review` or an extension `x-...`. The value is
    /// JSON.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// let sample = Sample::new().extension("x-cost", "12");
    /// sample.read(|envelope| {
    ///     let cost = envelope.evidence().extension("x-cost").and_then(|cost| cost.as_u64());
    ///     assert_eq!(cost, Some(12));
    /// });
    /// ```
    #[must_use]
    pub fn extension(mut self, name: &str, json: &str) -> Self {
        self.extensions.push((name.to_owned(), json.to_owned()));
        self
    }

    /// Adds a field of the envelope that has no other method, such as `refinement`, or `provenance_window` instead of
    /// an empty one. The value is JSON.
    ///
    /// ```
    /// # use adjudicate_guest::testing::Sample;
    /// Sample::new().member("x-team", "7").read(|envelope| assert!(envelope.extension("x-team").is_some()));
    /// ```
    #[must_use]
    pub fn member(mut self, name: &str, json: &str) -> Self {
        self.members.push((name.to_owned(), json.to_owned()));
        self
    }

    /// The envelope as text.
    ///
    /// ```
    /// use adjudicate_guest::testing::Sample;
    /// assert!(Sample::new().to_json().starts_with(r#"{"run_id":"sample","#));
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let list = |texts: &[String]| {
            let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            format!("[{}]", texts.join(","))
        };
        let codes: Vec<String> =
            self.codes.iter().map(|(id, code)| format!("{}:{code}", quoted(id))).collect();
        let mut more = String::new();
        if !self.files.is_empty() {
            more += &format!(r#","diff":{{"files":[{}]}}"#, self.files.join(","));
        }
        if !self.granted.is_empty() {
            more += &format!(r#","approvals":{{"required":[],"granted":{}}}"#, list(&self.granted));
        }
        for (name, json) in &self.extensions {
            more += &format!(",{}:{json}", quoted(name));
        }
        let members: Vec<String> =
            self.members.iter().map(|(name, json)| format!(",{}:{json}", quoted(name))).collect();
        let has_window = self.members.iter().any(|(name, _)| name == "provenance_window");
        let window = if has_window { "" } else { r#""provenance_window":[],"# };
        let (transcript, timeouts) = (quoted(&self.transcript), list(&self.timeouts));
        let (steps, artifacts, events) = (list(&self.steps), list(&self.artifacts), list(&self.events));
        let summary = quoted(self.summary.as_deref().unwrap_or_default());
        format!(
            r#"{{"run_id":"sample","workflow_id":"sample","step_id":"evaluate","evaluate_prompt":"sample.v1","allowed_next_steps":{steps},{window}"evidence":{{"transcript_summary":{transcript},"workspace_diff_summary":{summary},"validation":{{"mechanical_outcome":"{}","exit_codes":{{{}}},"timeouts":{timeouts}}},"artifacts":{artifacts},"policy_events":{events}{more}}}{}}}"#,
            self.outcome,
            codes.join(","),
            members.concat()
        )
    }

    /// Passes the envelope to a function, as a policy gets it, and returns the result.
    ///
    /// # Panics
    ///
    /// If the sample is no envelope: an extension is not JSON, or a field is repeated.
    ///
    /// ```
    /// use adjudicate_guest::testing::Sample;
    /// let count = Sample::new().steps(["publish"]).read(|envelope| envelope.allowed_next_steps().count());
    /// assert_eq!(count, 1);
    /// ```
    pub fn read<T>(&self, look: impl FnOnce(Envelope<'_>) -> T) -> T {
        let text = self.to_json();
        let value = match read(text.as_bytes(), &[]) {
            Ok(value) => value,
            Err(error) => fail(&format!("the sample is no JSON: {}", error.message())),
        };
        match policy::envelope(&value) {
            Ok(envelope) => look(envelope),
            Err(error) => {
                fail(&format!("the sample is no envelope: {} at `{}`", error.message(), error.path()))
            }
        }
    }
}
