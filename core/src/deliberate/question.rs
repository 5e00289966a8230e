//! The question of an agent, and verdicts on its quality (docs/reference/planning-gates.md).

use crate::{
    documents::{
        deliberation::{QualityReason, QualityVerdict, QuestionQuality, QuestionVerdict},
        ledger::Question,
    },
    words::is_one_of,
};

impl QualityReason {
    /// Returns true if the verdict is positive.
    #[must_use]
    pub const fn is_met(self) -> bool {
        use QualityReason::{AnswerDeclared, ContextGiven, OneQuestionMark, UnblocksDeclared};
        matches!(self, OneQuestionMark | AnswerDeclared | UnblocksDeclared | ContextGiven)
    }

    /// The quality that the verdict is about.
    #[must_use]
    pub const fn quality(self) -> QuestionQuality {
        match self {
            Self::OneQuestionMark
            | Self::NoQuestionMark
            | Self::SeveralQuestionMarks
            | Self::CoordinatedQuestions => QuestionQuality::Singular,
            Self::AnswerDeclared | Self::AnswerUndeclared | Self::FreeText => QuestionQuality::Answerable,
            Self::UnblocksDeclared | Self::UnblocksUndeclared | Self::AnswerableByTools => {
                QuestionQuality::Blocking
            }
            Self::ContextGiven | Self::ContextMissing => QuestionQuality::Contextual,
        }
    }
}

/// The words that begin a second question after `, and` or `, or`.
const QUESTION_WORDS: &[&str] = &[
    "what", "how", "which", "who", "when", "where", "why", "should", "can", "could", "do", "does", "is",
    "are",
];

/// Judges a question.
pub(super) fn judge(question: &Question<'_>) -> QuestionVerdict {
    let has = |text: Option<&str>| text.is_some_and(|text| !text.trim().is_empty());
    let verdict = |reason: QualityReason| QualityVerdict { met: reason.is_met(), reason };
    QuestionVerdict {
        singular: verdict(singular(question.text)),
        answerable: verdict(answerable(
            !question.options.is_empty(),
            question.answer_type.unwrap_or_default().trim(),
        )),
        blocking: verdict(blocking(question)),
        contextual: verdict(if has(question.context) {
            QualityReason::ContextGiven
        } else {
            QualityReason::ContextMissing
        }),
    }
}

/// Returns true if it is one question that blocks the planning, which is reason enough to ask it.
pub(super) fn is_singular_and_blocking(question: &Question<'_>) -> bool {
    singular(question.text).is_met() && blocking(question).is_met()
}

fn blocking(question: &Question<'_>) -> QualityReason {
    match question.unblocks {
        _ if !question.answerable_by.is_empty() => QualityReason::AnswerableByTools,
        Some(unblocks) if !unblocks.trim().is_empty() => QualityReason::UnblocksDeclared,
        _ => QualityReason::UnblocksUndeclared,
    }
}

fn singular(text: &str) -> QualityReason {
    match text.matches('?').count() {
        0 => QualityReason::NoQuestionMark,
        1 if has_coordinated_question(text) => QualityReason::CoordinatedQuestions,
        1 => QualityReason::OneQuestionMark,
        _ => QualityReason::SeveralQuestionMarks,
    }
}

/// Returns true if the text joins a second question: a comma, `and` or `or`, and a question word, in any case.
fn has_coordinated_question(text: &str) -> bool {
    text.split(',').skip(1).any(|clause| {
        let mut words = clause.split_whitespace();
        let is_joined = words.next().is_some_and(|word| is_one_of(word, &["and", "or"]));
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let next = words.next().and_then(|word| word.split(|c| !is_letter(c)).next());
        is_joined && next.is_some_and(|word| is_one_of(word, QUESTION_WORDS))
    })
}

fn answerable(has_options: bool, answer_type: &str) -> QualityReason {
    match answer_type {
        _ if has_options => QualityReason::AnswerDeclared,
        "" => QualityReason::AnswerUndeclared,
        _ if answer_type.eq_ignore_ascii_case("text") => QualityReason::FreeText,
        _ => QualityReason::AnswerDeclared,
    }
}
