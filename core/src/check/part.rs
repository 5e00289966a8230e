//! A static finding about a part of a plan's documents: a contract of outputs, or a guardrail.

use alloc::string::String;

use adjudicate_lang::json::{self, OwnedValue, object::Members};

use super::code::CheckCode;

/// What is wrong with an output contract or with a guardrail (SPEC section 11).
///
/// It is written as a [`CheckFinding`](super::CheckFinding) is; its witness is `{"output": value}`, where there is one.
#[derive(Clone, Debug)]
pub struct PartFinding {
    /// What it is, from a closed list.
    pub code: CheckCode,
    /// JSON Pointer into the call.
    pub path: String,
    /// What is wrong, in one line.
    pub message: String,
    /// What to do about it, where that is known.
    pub hint: Option<String>,
    /// An output that is valid and satisfies the constraint that it is about, which others do not allow; it was validated.
    pub output: Option<OwnedValue>,
}

impl PartFinding {
    pub(crate) fn new(code: CheckCode, path: String, message: String) -> Self {
        Self { code, path, message, hint: None, output: None }
    }

    pub(super) fn write(&self, out: &mut String) {
        let witness = self.output.as_ref().map(|output| ["{\"output\":", &json::write(output), "}"].concat());
        let mut members = Members::open(out);
        members.text("code", Some(self.code.as_str()));
        members.text("severity", Some(self.code.severity().as_str()));
        members.text("path", Some(&self.path));
        members.text("message", Some(&self.message));
        members.text("hint", self.hint.as_deref());
        members.json("witness", Some(witness.as_deref().unwrap_or("null")));
        members.close();
    }
}
