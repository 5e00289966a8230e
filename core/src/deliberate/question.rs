//! The question that an agent would ask, and what is wrong with it (PAO, question quality standards).

use alloc::string::String;

use crate::{
    error::Error,
    json::{
        Node,
        object::{Field, Form, Members, optional, read_object, required},
    },
    words::words,
};

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
        /// It has options to choose from, or says what type its answer has.
        AnswerDeclared = "answer_declared",
        /// It has no options and does not say what type its answer has.
        AnswerUndeclared = "answer_undeclared",
        /// It says what its answer unblocks.
        UnblocksDeclared = "unblocks_declared",
        /// It does not say what its answer unblocks.
        UnblocksUndeclared = "unblocks_undeclared",
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
            Self::OneQuestionMark | Self::NoQuestionMark | Self::SeveralQuestionMarks => Quality::Singular,
            Self::AnswerDeclared | Self::AnswerUndeclared => Quality::Answerable,
            Self::UnblocksDeclared | Self::UnblocksUndeclared => Quality::Blocking,
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
];

impl<'a> Question<'a> {
    pub(super) fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut text = "";
        let (mut is_answerable, mut is_blocking, mut has_context) = (false, false, false);
        read_object(value, QUESTION, &mut |at, member| {
            let says = member.as_str().is_some_and(|text| !text.trim().is_empty());
            match at {
                0 => text = member.as_str().unwrap_or_default(),
                1 => is_answerable |= !member.is_empty(),
                2 => is_answerable |= says,
                3 => is_blocking = says,
                _ => has_context = says,
            }
            Ok(())
        })?;
        let pick = |is_met, met, unmet| if is_met { met } else { unmet };
        let verdicts = [
            match text.matches('?').count() {
                0 => Verdict::NoQuestionMark,
                1 => Verdict::OneQuestionMark,
                _ => Verdict::SeveralQuestionMarks,
            },
            pick(is_answerable, Verdict::AnswerDeclared, Verdict::AnswerUndeclared),
            pick(is_blocking, Verdict::UnblocksDeclared, Verdict::UnblocksUndeclared),
            pick(has_context, Verdict::ContextGiven, Verdict::ContextMissing),
        ];
        Ok(Self { text, verdicts })
    }

    /// Whether it is one question whose answer lets the planning go on: reason enough to ask it.
    pub(super) fn is_singular_and_blocking(&self) -> bool {
        let [singular, _, blocking, _] = self.verdicts;
        singular.is_met() && blocking.is_met()
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
