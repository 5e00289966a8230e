//! Fix instructions (docs/reference/rules.md).

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::document::Describe;
use serde::Serialize;

use super::evidence::{Edit, OwnedEdit};

/// Instructions for a fix step.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerFixInstructions, "a fix instructions object"), owned)]
pub struct FixInstructions<'a> {
    /// The aim.
    pub objective: String,
    /// The parts that must stay as they are.
    pub constraints: Vec<String>,
    /// The edits to make. Beyond 10,000, a further one with the target `edits_omitted` has the number left out.
    #[document(accepts = "Vec<Edit<'a>>")]
    pub edits: Vec<FixEdit<'a>>,
    /// The checks that show that the fix is done. Beyond 10,000, a further one with the command `checks_omitted` has the number
    /// left out.
    pub verification: Vec<Verification<'a>>,
}

/// A change to make.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct FixEdit<'a> {
    /// The place to change.
    pub target: Cow<'a, str>,
    /// The change.
    pub action: Cow<'a, str>,
    /// The reason for the change.
    pub rationale: Cow<'a, str>,
}

impl<'a> From<Edit<'a>> for FixEdit<'a> {
    fn from(edit: Edit<'a>) -> Self {
        Self { target: edit.target.into(), action: edit.action.into(), rationale: edit.rationale.into() }
    }
}

/// A check to make after a fix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[document(answer(AnswerVerification, "a verification object"), owned)]
pub struct Verification<'a> {
    /// The command of a case, or the id of a validator.
    pub command: &'a str,
    /// The sign of success.
    pub expected_signal: String,
}
