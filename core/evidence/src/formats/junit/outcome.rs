//! The status of a case, from its elements and attributes.

use alloc::{format, string::String};

use roxmltree::Node;

use crate::{
    CaseStatus, Location,
    panic_text::PanicText,
    text::{first_line, one_line},
    xml::attribute,
};

/// The status of a case and its reason.
pub(super) struct CaseOutcome {
    pub status: CaseStatus,
    pub reason: FailureReason,
    /// The failures and errors of the last run.
    pub failures: u64,
    /// The runs that failed in addition to the last run.
    pub reruns: u64,
}

/// The elements of a case that tell its status.
#[derive(Default)]
struct StatusElements<'t, 'i> {
    /// The first failure of the last run.
    failure: Option<Node<'t, 'i>>,
    failures: u64,
    /// The first failure of another run.
    rerun: Option<Node<'t, 'i>>,
    reruns: u64,
    skipped: Option<Node<'t, 'i>>,
}

impl CaseOutcome {
    pub(super) fn of(case: Node<'_, '_>) -> Self {
        let marks = StatusElements::of(case);
        // The test runner of Node reports a failed TODO as both. It does not count as a failure there.
        let is_todo = marks.skipped.is_some_and(|skipped| skipped.attribute("type") == Some("todo"));
        let (status, reason) = if let Some(failure) = marks.failure.filter(|_| !is_todo) {
            (CaseStatus::Failed, Some(failure))
        } else if is_word_of(case, &["failed", "failure", "fail", "error", "broken"]) {
            (CaseStatus::Failed, None)
        } else if let Some(rerun) = marks.rerun {
            (CaseStatus::Flaky, Some(rerun))
        } else if marks.skipped.is_some()
            || is_word_of(case, &["notrun", "suppressed", "skipped", "disabled", "ignored"])
        {
            (CaseStatus::Skipped, marks.skipped)
        } else {
            (CaseStatus::Passed, None)
        };
        let mut reason = reason.map(FailureReason::of).unwrap_or_default();
        if let (CaseStatus::Failed, Some(text), 2..) = (status, &mut reason.message, marks.failures) {
            *text = one_line(&format!("{text} (and {} more)", marks.failures - 1));
        }
        Self { status, reason, failures: marks.failures, reruns: marks.reruns }
    }
}

impl<'t, 'i> StatusElements<'t, 'i> {
    fn of(case: Node<'t, 'i>) -> Self {
        let mut marks = Self::default();
        for child in case.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "failure" | "error" => {
                    marks.failure = marks.failure.or(Some(child));
                    marks.failures += 1;
                }
                "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => {
                    marks.rerun = marks.rerun.or(Some(child));
                    marks.reruns += 1;
                }
                "skipped" | "disabled" | "ignored" => marks.skipped = marks.skipped.or(Some(child)),
                _ => {}
            }
        }
        marks
    }
}

/// Returns whether the attribute `status` or `result` of a case, as gtest and others write them, is one of these words.
fn is_word_of(case: Node<'_, '_>, words: &[&str]) -> bool {
    let values = ["status", "result"].into_iter().filter_map(|name| attribute(case, name));
    values.into_iter().any(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word)))
}

/// The message of a failure, and the place that it names.
#[derive(Default)]
pub(super) struct FailureReason {
    pub message: Option<String>,
    pub location: Option<Location>,
}

impl FailureReason {
    /// Reads the attribute `message` of a failure, its text, its stack trace, or its type: the first of them that tells something.
    pub(super) fn of(failure: Node<'_, '_>) -> Self {
        if let Some(panic) = failure.text().and_then(PanicText::find) {
            return Self { message: panic.message, location: panic.location };
        }
        let trace = failure.children().find(|child| child.has_tag_name("stackTrace"));
        let texts = [
            failure.attribute("message"),
            failure.text(),
            trace.and_then(|trace| trace.text()),
            failure.attribute("type"),
        ];
        let mut telling =
            texts.into_iter().flatten().filter(|text| !text.trim().is_empty() && !is_general(text.trim()));
        telling.next().map_or_else(
            || Self { message: failure.attribute("message").and_then(first_line), location: None },
            Self::of_text,
        )
    }

    /// Takes the first line. gtest writes the place alone in the first line.
    fn of_text(text: &str) -> Self {
        let (first, rest) = text.trim_start().split_once('\n').unwrap_or((text, ""));
        let location = Location::parse(first).filter(|_| !first.trim().contains(char::is_whitespace));
        match (location, first_line(rest)) {
            (Some(location), Some(message)) => Self { message: Some(message), location: Some(location) },
            _ => Self { message: first_line(text), location: None },
        }
    }
}

/// Returns whether a message only repeats the status. go-junit-report and pytest write the message into the text.
fn is_general(message: &str) -> bool {
    matches!(message, "Failed" | "Skipped" | "Build error" | "Runtime error" | "collection failure")
}
