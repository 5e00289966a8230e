//! The list of operations: name, number, JSON in, JSON out.
//!
//! Every face (command line, module interface, JavaScript) offers exactly these, by these names.

mod call;
mod text;

use alloc::string::String;

pub use text::{call_input, reply};

use crate::{
    error::Error,
    json::{self, Limits, MAX_DOCUMENT_BYTES, Tape},
    policy::Policy,
};

/// What the engine can be asked (SPEC section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operation {
    /// An evaluator envelope, with or without a policy, to a decision.
    Evaluate,
    /// An evaluator envelope, perhaps a policy and the evaluation, to what the revision loop needs.
    Refine,
}

impl Operation {
    /// All operations, in the order of their numbers.
    pub const ALL: &'static [Self] = &[Self::Evaluate, Self::Refine];

    /// The name, as every face spells it (the command line with dashes).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evaluate => "evaluate",
            Self::Refine => "refine",
        }
    }

    /// The number that stands for it in the module interface.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Evaluate => 1,
            Self::Refine => 2,
        }
    }

    /// The operation with that number, or `None`.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|operation| operation.number() == number)
    }

    /// The operation with that name, or `None`.
    ///
    /// ```
    /// use adjudicate_core::Operation;
    /// assert_eq!(Operation::from_name("evaluate"), Some(Operation::Evaluate));
    /// assert_eq!(Operation::from_name("guess"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|operation| operation.name() == name)
    }

    /// Reads the text of an input as a call would, and looks no further: for hosts that hand it on to somebody else.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`]; paths begin inside the document at fault.
    pub fn read(self, input: &[u8]) -> Result<Tape<'_>, Error> {
        json::read(input, Limits { documents: self.documents(), bytes: MAX_DOCUMENT_BYTES })
    }

    /// The members of an input that are documents of their own: pointers and depth begin inside of them.
    const fn documents(self) -> &'static [&'static str] {
        match self {
            Self::Evaluate => &["envelope", "policy"],
            Self::Refine => &["envelope", "policy", "evaluation"],
        }
    }

    /// Answers one call.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the input; there is no answer then.
    pub fn call(self, input: &[u8]) -> Result<String, Error> {
        self.call_with(input, None)
    }

    /// Answers one call with a policy that was configured before.
    ///
    /// # Errors
    ///
    /// Those of [`Operation::call`], and [`InvalidValue`](crate::ErrorCode::InvalidValue) at `/policy` when the call
    /// brings a policy of its own: the configured one is not to be replaced from outside.
    pub fn call_with(self, input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
        match self {
            Self::Evaluate => call::evaluate(input, configured),
            Self::Refine => call::refine(input, configured),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        for operation in Operation::ALL {
            assert_eq!(Operation::from_number(operation.number()), Some(*operation));
            assert_eq!(Operation::from_name(operation.name()), Some(*operation));
        }
        assert_eq!(Operation::from_number(0), None);
    }
}
