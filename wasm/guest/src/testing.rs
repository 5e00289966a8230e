//! For the tests of policies: samples of envelopes, and answers to look at. Natively only.

use std::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use crate::{
    envelope::Envelope,
    policy::{self, Policy},
    read::read,
    text::push_string,
    value::Value,
    words::{Change, Status},
};

/// The number of the operation `evaluate`.
const EVALUATE: i32 = 1;

/// An envelope under construction. What is not said is as in the mildest of runs: a step that was completed, without changes,
/// events or validators, and with nowhere to go.
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
    summary: Option<String>,
    files: Vec<String>,
    codes: Vec<(String, i64)>,
    artifacts: Vec<String>,
    events: Vec<String>,
    granted: Vec<String>,
    extensions: Vec<(String, String)>,
}

impl Default for Sample {
    fn default() -> Self {
        Self::new()
    }
}

impl Sample {
    /// A sample of which nothing is said.
    #[must_use]
    pub fn new() -> Self {
        Self {
            steps: Vec::new(),
            outcome: "completed",
            summary: None,
            files: Vec::new(),
            codes: Vec::new(),
            artifacts: Vec::new(),
            events: Vec::new(),
            granted: Vec::new(),
            extensions: Vec::new(),
        }
    }

    /// The steps that are allowed next.
    #[must_use]
    pub fn steps<'s>(mut self, steps: impl IntoIterator<Item = &'s str>) -> Self {
        self.steps.extend(steps.into_iter().map(ToOwned::to_owned));
        self
    }

    /// How the step ended.
    #[must_use]
    pub fn outcome(mut self, outcome: crate::Outcome) -> Self {
        self.outcome = outcome.as_str();
        self
    }

    /// A file that was modified, in a typed diff.
    #[must_use]
    pub fn changed(self, path: &str) -> Self {
        self.change(path, Change::Modified)
    }

    /// A file that changed, in a typed diff.
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

    /// A file that was renamed, in a typed diff.
    #[must_use]
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        let (from, to) = (quoted(from), quoted(to));
        self.files.push(format!(r#"{{"path":{to},"change":"renamed","from":{from}}}"#));
        self
    }

    /// A diff summary as git prints it, and no typed diff unless files are named, too.
    #[must_use]
    pub fn diff_summary(mut self, summary: &str) -> Self {
        self.summary = Some(summary.to_owned());
        self
    }

    /// A validator that ran.
    #[must_use]
    pub fn exit_code(mut self, validator: &str, code: i64) -> Self {
        self.codes.push((validator.to_owned(), code));
        self
    }

    /// An artifact.
    #[must_use]
    pub fn artifact(mut self, path: &str) -> Self {
        self.artifacts.push(path.to_owned());
        self
    }

    /// A signal of the kernel.
    #[must_use]
    pub fn event(mut self, event: &str) -> Self {
        self.events.push(event.to_owned());
        self
    }

    /// Something that has been approved.
    #[must_use]
    pub fn approved(mut self, what: &str) -> Self {
        self.granted.push(what.to_owned());
        self
    }

    /// A member of the evidence whose name begins with `x-`; the value is JSON.
    #[must_use]
    pub fn extension(mut self, name: &str, json: &str) -> Self {
        self.extensions.push((name.to_owned(), json.to_owned()));
        self
    }

    /// The envelope as text.
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
        let (steps, artifacts, events) = (list(&self.steps), list(&self.artifacts), list(&self.events));
        let summary = quoted(self.summary.as_deref().unwrap_or_default());
        format!(
            r#"{{"run_id":"sample","workflow_id":"sample","step_id":"evaluate","evaluate_prompt":"sample.v1","allowed_next_steps":{steps},"provenance_window":[],"evidence":{{"transcript_summary":"","workspace_diff_summary":{summary},"validation":{{"mechanical_outcome":"{}","exit_codes":{{{}}},"timeouts":[]}},"artifacts":{artifacts},"policy_events":{events}{more}}}}}"#,
            self.outcome,
            codes.join(",")
        )
    }

    /// What a function makes of the envelope, as a policy would be handed it.
    ///
    /// # Panics
    ///
    /// If the sample is no envelope: an extension is no JSON, or something is named twice.
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

fn quoted(text: &str) -> String {
    let mut out = String::new();
    push_string(&mut out, text);
    out
}

/// Asking a policy in a test.
pub trait Ask {
    /// What the policy says of a sample.
    fn ask(&self, sample: &Sample) -> Answer;

    /// What the policy says of any input of `evaluate`.
    fn ask_text(&self, input: &str) -> Answer;

    /// Runs the tests that the module brings, as a host does when it installs the module.
    ///
    /// # Panics
    ///
    /// If the tests are malformed, there are none, or one of them does not pass.
    fn pass_tests(&self);
}

impl Ask for Policy {
    fn ask(&self, sample: &Sample) -> Answer {
        self.ask_text(&sample.to_json())
    }

    fn ask_text(&self, input: &str) -> Answer {
        Answer { reply: self.call(EVALUATE, input.as_bytes()) }
    }

    fn pass_tests(&self) {
        let tests = match read(self.label().tests.as_bytes(), &[]) {
            Ok(tests) if !tests.items().is_empty() => tests,
            Ok(_) => fail("the policy brings no tests"),
            Err(error) => fail(&format!("its tests are no JSON: {}", error.message())),
        };
        for test in tests.items() {
            let name = test.member("name").and_then(Value::as_str).unwrap_or("without a name");
            let (Some(input), Some(expect)) = (test.member("input"), test.member("expect")) else {
                fail(&format!("test `{name}` has no `input` or no `expect`"))
            };
            let answer = self.ask_text(&written(input));
            let found = answer.value(|reply| difference(reply.member("ok").unwrap_or(reply), expect, ""));
            if let Some(found) = found {
                fail(&format!("test `{name}` fails: {found}\nthe reply is {}", answer.reply));
            }
        }
    }
}

/// What a policy answered.
#[derive(Clone, Debug)]
pub struct Answer {
    reply: String,
}

impl Answer {
    /// The whole reply: `{"ok": answer}` or `{"error": {code, message, path}}`.
    #[must_use]
    pub fn reply(&self) -> &str {
        &self.reply
    }

    /// The status; `None` where there is no answer.
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        self.value(|reply| {
            Status::from_word(reply.member("ok")?.member("decision")?.member("status")?.as_str()?)
        })
    }

    /// The next step; `None` where there is none.
    #[must_use]
    pub fn next_step(&self) -> Option<String> {
        self.value(|reply| {
            Some(reply.member("ok")?.member("decision")?.member("next_step")?.as_str()?.to_string())
        })
    }

    /// The rules that found something, in the order of the findings.
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

    /// The risk flags.
    #[must_use]
    pub fn flags(&self) -> Vec<String> {
        self.value(|reply| {
            let decision = reply.member("ok").and_then(|ok| ok.member("decision"));
            let flags = decision.and_then(|decision| decision.member("risk_flags")).map(Value::items);
            flags.unwrap_or_default().iter().filter_map(|flag| Some(flag.as_str()?.to_string())).collect()
        })
    }

    /// Code and path of the error; `None` where there is an answer.
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
    /// If it is another, or there is no answer.
    #[track_caller]
    pub fn assert_status(&self, expected: Status) -> &Self {
        assert_eq!(self.status(), Some(expected), "the reply is {}", self.reply);
        self
    }

    /// What a function makes of the reply.
    fn value<T>(&self, look: impl FnOnce(&Value<'_>) -> T) -> T {
        match read(self.reply.as_bytes(), &["ok"]) {
            Ok(reply) => look(&reply),
            Err(error) => fail(&format!("the reply is no JSON: {}: {}", error.message(), self.reply)),
        }
    }
}

/// Where a value is not what is expected of it: of objects the members that are named, of lists all items.
fn difference(found: &Value<'_>, expected: &Value<'_>, path: &str) -> Option<String> {
    match (found, expected) {
        (Value::Object(_), Value::Object(members)) => members.iter().find_map(|(key, expected)| {
            let path = format!("{path}/{key}");
            match found.member(key) {
                Some(found) => difference(found, expected, &path),
                None => Some(format!("there is no `{path}`")),
            }
        }),
        (Value::List(items), Value::List(expected)) if items.len() == expected.len() => {
            let pairs = items.iter().zip(expected).enumerate();
            pairs
                .map(|(at, (found, expected))| (at, difference(found, expected, &format!("{path}/{at}"))))
                .find_map(|(_, difference)| difference)
        }
        (found, expected) if found == expected => None,
        (found, expected) => Some(format!("`{path}` is {}, expected {}", written(found), written(expected))),
    }
}

/// A value as text.
fn written(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(digits) => (*digits).to_owned(),
        Value::Text(text) => quoted(text),
        Value::List(items) => format!("[{}]", items.iter().map(written).collect::<vec::Vec<_>>().join(",")),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| format!("{}:{}", quoted(key), written(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
    }
}

#[expect(clippy::panic, reason = "to panic is how a test fails")]
#[track_caller]
fn fail(message: &str) -> ! {
    panic!("{message}")
}
