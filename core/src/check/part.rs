//! Static findings about parts of a plan's documents: output contracts and guardrails.

use alloc::string::String;

use adjudicate_lang::json::{self, OwnedValue, object::ObjectWriter};

use crate::documents::check_code::CheckCode;

/// A static finding about an output contract or a guardrail (docs/reference/policies.md).
///
/// It is written like a [`CheckFinding`](super::CheckFinding); its witness, if there is one, is `{"output": value}`.
#[derive(Clone, Debug)]
pub struct PartFinding {
    /// The code, from a closed list.
    pub code: CheckCode,
    /// JSON Pointer into the call.
    pub path: String,
    /// The problem, in one line.
    pub message: String,
    /// The way to fix it, if it is known.
    pub hint: Option<String>,
    /// A valid output that satisfies this constraint but not the others; it was validated.
    pub output: Option<OwnedValue>,
}

impl PartFinding {
    pub(crate) fn new(code: CheckCode, path: String, message: String) -> Self {
        Self { code, path, message, hint: None, output: None }
    }

    pub(super) fn write(&self, out: &mut String) {
        let witness = self.output.as_ref().map(|output| ["{\"output\":", &json::write(output), "}"].concat());
        let mut members = ObjectWriter::open(out);
        members.text("code", Some(self.code.as_str()));
        members.text("severity", Some(self.code.severity().as_str()));
        members.text("path", Some(&self.path));
        members.text("message", Some(&self.message));
        members.text("hint", self.hint.as_deref());
        members.json("witness", Some(witness.as_deref().unwrap_or("null")));
        members.close();
    }
}
