//! The outcome of a call: its answer or its error, and a label. Or the reason why the call cannot be decided again.

use adjudicate_core::{
    Operation,
    document::Document,
    json::{self, Kind, Node, ReadLimits},
};
use serde::Serialize;

use crate::codes;

/// A label for the outcome of a call: a status, or a similar word of an operation without statuses. The list is closed, whatever a
/// module answers. Reports order labels by severity, within each operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// A decision: no rule found a problem.
    Success,
    /// A decision: a fix step.
    Partial,
    /// A decision: no safe way forward.
    Blocked,
    /// A decision: a human must look.
    NeedsHuman,
    /// A decision: the workspace cannot be trusted.
    Unsafe,
    /// A plan that is accepted.
    Accepted,
    /// A plan that is accepted, with findings.
    AcceptedWithFindings,
    /// A plan that is rejected.
    Rejected,
    /// A replay whose receipts are linked.
    Linked,
    /// A replay with a receipt that is not linked.
    NotLinked,
    /// A planning gate: one more turn.
    Continue,
    /// A planning gate: another strategy.
    Switch,
    /// A planning gate: hand over the recommendation.
    Commit,
    /// A planning gate: ask a question.
    Escalate,
    /// A planning gate: the planning stops.
    Stop,
    /// An answer without a status.
    Answered,
    /// An answer with an unknown status.
    Other,
    /// No answer: the call failed.
    Error,
}

impl Label {
    pub(super) fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|label| label.as_str() == text)
    }
}

/// The outcome of a call. Its JSON, `{"label", "text"}`, is the same after it is read and written again.
#[derive(Clone, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object with a label and a text")]
pub struct LabeledOutcome {
    /// The label.
    pub label: Label,
    /// The answer, or `{"error": ...}`: the text, byte for byte.
    pub text: String,
}

impl LabeledOutcome {
    /// Creates the outcome of an answer, or of an error: `{"error": {"code", "message", "path"}}`.
    pub(super) fn new(operation: Operation, answer: Result<String, String>) -> Self {
        let text = match answer {
            Ok(text) => text,
            Err(text) => return Self { label: Label::Error, text },
        };
        let tape = json::read(text.as_bytes(), ReadLimits::ANSWER);
        let label = tape.map_or(Label::Other, |tape| label(operation, tape.root()));
        Self { label, text }
    }

    /// Returns the code, if the outcome is an error.
    pub(super) fn error_code(&self) -> Option<String> {
        if self.label == Label::Error { code_of(&self.text) } else { None }
    }
}

/// A reason why a call cannot be decided again or compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// The slot keeps no inputs, or could not keep this one.
    InputNotKept,
    /// A part of the input is redacted.
    InputRedacted,
    /// A part of the answer is redacted, so it cannot be compared.
    AnswerRedacted,
    /// For the recorded version: the active modules could not be loaded or were not trusted then.
    NotLoaded,
    /// For the recorded version: the host failed, not the module. For example, the host was overloaded.
    HostFailed,
    /// For the recorded version: its modules are not in the store or cannot be loaded.
    ModuleMissing,
}

impl Obstacle {
    /// The meaning for humans.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::InputNotKept => "the input was not kept",
            Self::InputRedacted => "the input is redacted",
            Self::AnswerRedacted => "the answer is redacted",
            Self::NotLoaded => "the active modules could not be loaded then",
            Self::HostFailed => "the host failed, not the module",
            Self::ModuleMissing => "the module is not in the store, or cannot be loaded",
        }
    }
}

/// Returns the reason for which a recorded error cannot be compared, if there is one.
pub(super) fn obstacle_of(code: &str) -> Option<Obstacle> {
    let code = codes::TABLE.find(code)?;
    // At another time the same call may have an answer.
    if codes::PASSING.contains(&code) || matches!(code, codes::SLOT_EMPTY | codes::MODULE_DEADLINE) {
        return Some(Obstacle::HostFailed);
    }
    let is_of_loading = codes::LOADING.contains(&code) || code == codes::UNKNOWN_MODULE;
    is_of_loading.then_some(Obstacle::NotLoaded)
}

pub(super) fn code_of(error: &str) -> Option<String> {
    let tape = json::read(error.as_bytes(), ReadLimits::ANSWER).ok()?;
    Some(tape.root().member("error")?.member("code")?.as_str()?.to_owned())
}

fn label(operation: Operation, answer: Node<'_>) -> Label {
    let Some(pointer) = operation.status() else { return Label::Answered };
    let status = pointer.split('/').skip(1).try_fold(answer, Node::member);
    let word = match status.map(Node::kind) {
        Some(Kind::Bool(true)) => Some("linked"),
        Some(Kind::Bool(false)) => Some("not_linked"),
        _ => status.and_then(Node::as_str),
    };
    word.and_then(Label::from_text).unwrap_or(Label::Other)
}

#[cfg(test)]
mod tests {
    use adjudicate_core::{codes::Status, deliberate::Gate, documents::BundleStatus};

    use super::*;

    #[test]
    fn every_status_of_an_answer_has_a_label() {
        let groups = [Status::WORDS, BundleStatus::WORDS, Gate::WORDS];
        for word in groups.into_iter().flatten() {
            assert_eq!(Label::from_text(word).map(Label::as_str), Some(*word));
        }
        for operation in Operation::ALL {
            let answer = operation.call(operation.example().as_bytes()).unwrap();
            let label = LabeledOutcome::new(*operation, Ok(answer)).label;
            assert_eq!(label == Label::Answered, operation.status().is_none(), "{operation:?}");
            assert_ne!(label, Label::Other, "{operation:?}");
        }
    }

    #[test]
    fn errors_that_modules_cause_can_be_compared() {
        for (code, obstacle) in [
            ("cluster_fault", Some(Obstacle::HostFailed)),
            ("module_deadline", Some(Obstacle::HostFailed)),
            ("slot_empty", Some(Obstacle::HostFailed)),
            ("module_unsigned", Some(Obstacle::NotLoaded)),
            ("unknown_module", Some(Obstacle::NotLoaded)),
            ("module_trap", None),
            ("module_out_of_fuel", None),
            ("missing_field", None),
            ("theirs", None),
        ] {
            assert_eq!(obstacle_of(code), obstacle, "{code}");
        }
    }

    #[test]
    fn the_page_lists_the_errors_of_hosts() {
        // Read at run time, so that the tests of the packed crate compile.
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/records.md");
        let page = std::fs::read_to_string(page).unwrap();
        let list = page.lines().find(|line| line.starts_with("- `host_failed`:")).unwrap();
        for code in codes::TABLE.all().iter().map(|code| code.as_str()) {
            let is_of_host = obstacle_of(code) == Some(Obstacle::HostFailed);
            assert_eq!(list.contains(&format!("`{code}`")), is_of_host, "{code}");
        }
    }
}
