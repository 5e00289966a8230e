//! Tests of policies: samples of envelopes, and the answers. Natively only.

mod answer;
mod sample;

use std::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

pub use answer::Answer;
pub use sample::Sample;

use crate::{policy::Policy, read::read, text::push_string, value::Value};

/// The number of the operation `evaluate`.
const EVALUATE: i32 = 1;

/// Calls of a policy in a test.
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
pub trait Ask {
    /// Returns the answer to a sample.
    fn ask(&self, sample: &Sample) -> Answer;

    /// Returns the answer to any input of `evaluate`.
    fn ask_text(&self, input: &str) -> Answer;

    /// Runs the module's own tests, as a host does when it installs the module.
    ///
    /// # Panics
    ///
    /// If the tests are malformed, there are none, or one of them fails.
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

/// Describes where a value differs from the expectation. An object must have the expected fields, a list exactly the
/// expected items.
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

fn quoted(text: &str) -> String {
    let mut out = String::new();
    push_string(&mut out, text);
    out
}

#[expect(clippy::panic, reason = "to panic is how a test fails")]
#[track_caller]
fn fail(message: &str) -> ! {
    panic!("{message}")
}
