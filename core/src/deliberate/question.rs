//! The question that an agent would ask, and what is wrong with it (PAO, question quality standards).

use alloc::string::String;

use adjudicate_lang::{
    Error,
    json::{
        Node,
        object::{Field, Form, Members, optional, read_object, required},
    },
};

use crate::words::{is_one_of, words};

words! {
    /// What a blocking question must be.
    Quality {
        /// One question.
        Singular = "singular",
        /// A person can answer it with a fact.
        Answerable = "answerable",
        /// Its answer lets the planning go on.
        Blocking = "blocking",
        /// It says what one must know to answer it.
        Contextual = "contextual",
    }
}

words! {
    /// Why a question is what it must be, or is not.
    Verdict {
        /// Its text has exactly one question mark.
        OneQuestionMark = "one_question_mark",
        /// Its text asks nothing.
        NoQuestionMark = "no_question_mark",
        /// Its text asks several things.
        SeveralQuestionMarks = "several_question_marks",
        /// Its text joins a second question to the first, as in `, and what`.
        CoordinatedQuestions = "coordinated_questions",
        /// It has options to choose from, or says what type its answer has.
        AnswerDeclared = "answer_declared",
        /// It has no options and does not say what type its answer has.
        AnswerUndeclared = "answer_undeclared",
        /// It has no options, and any text is an answer.
        FreeText = "free_text",
        /// It says what its answer unblocks.
        UnblocksDeclared = "unblocks_declared",
        /// It does not say what its answer unblocks.
        UnblocksUndeclared = "unblocks_undeclared",
        /// Tools could answer it, so the planning need not wait for a human.
        AnswerableByTools = "answerable_by_tools",
        /// It comes with its context.
        ContextGiven = "context_given",
        /// It comes without context.
        ContextMissing = "context_missing",
    }
}

impl Verdict {
    /// Whether the question is what it must be.
    #[must_use]
    pub const fn is_met(self) -> bool {
        use Verdict::{AnswerDeclared, ContextGiven, OneQuestionMark, UnblocksDeclared};
        matches!(self, OneQuestionMark | AnswerDeclared | UnblocksDeclared | ContextGiven)
    }

    /// What it is a verdict on.
    #[must_use]
    pub const fn quality(self) -> Quality {
        match self {
            Self::OneQuestionMark
            | Self::NoQuestionMark
            | Self::SeveralQuestionMarks
            | Self::CoordinatedQuestions => Quality::Singular,
            Self::AnswerDeclared | Self::AnswerUndeclared | Self::FreeText => Quality::Answerable,
            Self::UnblocksDeclared | Self::UnblocksUndeclared | Self::AnswerableByTools => Quality::Blocking,
            Self::ContextGiven | Self::ContextMissing => Quality::Contextual,
        }
    }
}

/// A question to a person.
#[derive(Clone, Debug)]
pub(super) struct Question<'a> {
    pub text: &'a str,
    /// One for each quality, in their order.
    pub verdicts: [Verdict; 4],
}

const QUESTION: &[Field] = &[
    required("text", Form::Text),
    optional("options", Form::Ids),
    optional("answer_type", Form::Text),
    optional("unblocks", Form::Text),
    optional("context", Form::Text),
    optional("answerable_by", Form::Ids),
];

/// The words that begin a second question after `, and` or `, or`.
const QUESTION_WORDS: &[&str] = &[
    "what", "how", "which", "who", "when", "where", "why", "should", "can", "could", "do", "does", "is",
    "are",
];

impl<'a> Question<'a> {
    pub(super) fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut text = "";
        let (mut has_options, mut answer_type) = (false, "");
        let (mut unblocks, mut has_context, mut is_for_tools) = (false, false, false);
        read_object(value, QUESTION, &mut |at, member| {
            let said = member.as_str().unwrap_or_default().trim();
            match at {
                0 => text = member.as_str().unwrap_or_default(),
                1 => has_options = !member.is_empty(),
                2 => answer_type = said,
                3 => unblocks = !said.is_empty(),
                4 => has_context = !said.is_empty(),
                _ => is_for_tools = !member.is_empty(),
            }
            Ok(())
        })?;
        let verdicts = [
            singular(text),
            answerable(has_options, answer_type),
            match (is_for_tools, unblocks) {
                (true, _) => Verdict::AnswerableByTools,
                (false, true) => Verdict::UnblocksDeclared,
                (false, false) => Verdict::UnblocksUndeclared,
            },
            if has_context { Verdict::ContextGiven } else { Verdict::ContextMissing },
        ];
        Ok(Self { text, verdicts })
    }

    /// Whether it is one question whose answer lets the planning go on: reason enough to ask it.
    pub(super) fn is_singular_and_blocking(&self) -> bool {
        let [singular, _, blocking, _] = self.verdicts;
        singular.is_met() && blocking.is_met()
    }
}

fn singular(text: &str) -> Verdict {
    match text.matches('?').count() {
        0 => Verdict::NoQuestionMark,
        1 if has_coordinated_question(text) => Verdict::CoordinatedQuestions,
        1 => Verdict::OneQuestionMark,
        _ => Verdict::SeveralQuestionMarks,
    }
}

/// Returns whether a comma, `and` or `or`, and a word that begins a question stand in a row somewhere in the text, in any case.
fn has_coordinated_question(text: &str) -> bool {
    text.split(',').skip(1).any(|clause| {
        let mut words = clause.split_whitespace();
        let is_joined = words.next().is_some_and(|word| is_one_of(word, &["and", "or"]));
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let next = words.next().and_then(|word| word.split(|c| !is_letter(c)).next());
        is_joined && next.is_some_and(|word| is_one_of(word, QUESTION_WORDS))
    })
}

fn answerable(has_options: bool, answer_type: &str) -> Verdict {
    match answer_type {
        _ if has_options => Verdict::AnswerDeclared,
        "" => Verdict::AnswerUndeclared,
        _ if answer_type.eq_ignore_ascii_case("text") => Verdict::FreeText,
        _ => Verdict::AnswerDeclared,
    }
}

/// `{singular, answerable, blocking, contextual}`, each `{met, reason}`.
pub(super) fn write_verdicts(verdicts: [Verdict; 4]) -> String {
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    for (quality, verdict) in Quality::WORDS.iter().zip(verdicts) {
        let mut json = String::new();
        let mut parts = Members::open(&mut json);
        parts.flag("met", verdict.is_met());
        parts.text("reason", Some(verdict.as_str()));
        parts.close();
        members.json(quality, Some(&json));
    }
    members.close();
    out
}
