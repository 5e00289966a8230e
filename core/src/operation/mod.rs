//! The list of operations: name, number, JSON in, JSON out.
//!
//! Every face (command line, module interface, JavaScript) offers exactly these, by these names.

mod call;
mod text;

use alloc::string::String;

pub use call::{fail_closed, module_fault};
pub use text::{call_input, join_documents, reply};

use adjudicate_lang::{
    Error,
    json::{self, Limits, MAX_DOCUMENT_BYTES, Node, Tape},
};

use crate::{check, deliberate, evaluate, explain, guardrail, ir, plan, policy::Policy, revision};

/// What the engine can be asked (SPEC section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Operation {
    /// An evaluator envelope, with or without a policy, to a decision.
    Evaluate,
    /// An evaluator envelope, perhaps a policy and the evaluation, to what the revision loop needs.
    Refine,
    /// A task, a plan and the capabilities there are, to whether the plan can do what the task asks.
    ValidatePlan,
    /// Diagnostics from wherever, to one bundle of them.
    MergeDiagnostics,
    /// An output and its contract, to how much of the contract it keeps.
    ObserveOutput,
    /// Runtime policies and what happened in a run, to what is to be done about it.
    ApplyGuardrails,
    /// A plan in whichever form, to its canonical form, `PlanIR`, with a hash and a report of what was made of it.
    NormalizePlan,
    /// A canonical plan and the events of a run, to whether the run is one of that plan.
    VerifyReplay,
    /// What an agent has planned so far, to whether it may go on planning.
    Deliberate,
    /// A policy document, to what is wrong with it and envelopes that show it.
    CheckPolicy,
    /// An evaluator envelope, with or without a policy, to why its decision is what it is and what would change it.
    Explain,
}

impl Operation {
    /// All operations, in the order of their numbers.
    pub const ALL: &'static [Self] = &[
        Self::Evaluate,
        Self::Refine,
        Self::ValidatePlan,
        Self::MergeDiagnostics,
        Self::ObserveOutput,
        Self::ApplyGuardrails,
        Self::NormalizePlan,
        Self::VerifyReplay,
        Self::Deliberate,
        Self::CheckPolicy,
        Self::Explain,
    ];

    /// The name, as every face spells it (the command line with dashes).
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evaluate => "evaluate",
            Self::Refine => "refine",
            Self::ValidatePlan => "validate_plan",
            Self::MergeDiagnostics => "merge_diagnostics",
            Self::ObserveOutput => "observe_output",
            Self::ApplyGuardrails => "apply_guardrails",
            Self::NormalizePlan => "normalize_plan",
            Self::VerifyReplay => "verify_replay",
            Self::Deliberate => "deliberate",
            Self::CheckPolicy => "check_policy",
            Self::Explain => "explain",
        }
    }

    /// The number that stands for it in the module interface.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Evaluate => 1,
            Self::Refine => 2,
            Self::ValidatePlan => 3,
            Self::MergeDiagnostics => 4,
            Self::ObserveOutput => 5,
            Self::ApplyGuardrails => 6,
            Self::NormalizePlan => 7,
            Self::VerifyReplay => 8,
            Self::Deliberate => 9,
            Self::CheckPolicy => 10,
            Self::Explain => 11,
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

    /// The members of an input that are documents of their own: pointers and depth begin inside of them. The first of
    /// them may come without a call around it where the operation takes it so.
    ///
    /// ```
    /// use adjudicate_core::Operation;
    /// assert_eq!(Operation::Evaluate.documents(), ["envelope", "policy"]);
    /// ```
    #[must_use]
    pub const fn documents(self) -> &'static [&'static str] {
        match self {
            Self::Evaluate | Self::Explain => &["envelope", "policy"],
            Self::Refine => &["envelope", "policy", "evaluation"],
            Self::CheckPolicy => &["policy"],
            // One document each: its parts name each other.
            Self::ValidatePlan
            | Self::MergeDiagnostics
            | Self::ObserveOutput
            | Self::ApplyGuardrails
            | Self::NormalizePlan
            | Self::VerifyReplay
            | Self::Deliberate => &[],
        }
    }

    /// Checks an answer that did not come from this engine against the operation's output contract: its shape, its
    /// closed lists of words, and that the steps it names are ones that the input allows.
    ///
    /// # Errors
    ///
    /// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) and
    /// [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP), with a path in the answer.
    pub fn check_answer(self, input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
        match self {
            Self::Evaluate => evaluate::check_answer(input, answer),
            Self::Refine => revision::check_refinement(input, answer),
            Self::ValidatePlan => plan::check_payload(input, answer),
            Self::MergeDiagnostics => plan::check_bundle(input, answer),
            Self::ObserveOutput => plan::check_observation(answer),
            Self::ApplyGuardrails => guardrail::check_actions(input, answer),
            Self::NormalizePlan => ir::check_normalized(input, answer),
            Self::VerifyReplay => ir::replay::check_replay(input, answer),
            Self::Deliberate => deliberate::check_deliberation(input, answer),
            Self::CheckPolicy => check::check_findings(answer),
            Self::Explain => explain::check_explanation(input, answer),
        }
    }

    /// Answers one call.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the input; there is no answer then. [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for an answer
    /// of more than [`MAX_ANSWER_BYTES`](crate::MAX_ANSWER_BYTES).
    pub fn call(self, input: &[u8]) -> Result<String, Error> {
        self.call_with(input, None)
    }

    /// Answers one call with a policy that was configured before, where the operation is one that a policy has a say in.
    ///
    /// # Errors
    ///
    /// Those of [`Operation::call`], and [`invalid_value`](crate::codes::INVALID_VALUE) at `/policy` when the call
    /// brings a policy of its own: the configured one is not to be replaced from outside.
    pub fn call_with(self, input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
        match self {
            Self::Evaluate => call::evaluate(input, configured),
            Self::Refine => call::refine(input, configured),
            Self::ValidatePlan => plan::validate_text(input),
            Self::MergeDiagnostics => plan::merge_text(input),
            Self::ObserveOutput => plan::observe_text(input),
            Self::ApplyGuardrails => guardrail::apply_text(input),
            Self::NormalizePlan => ir::normalize_text(self.read(input)?.root()),
            Self::VerifyReplay => ir::replay::verify_replay_text(self.read(input)?.root()),
            Self::Deliberate => deliberate::deliberate_text(self.read(input)?.root()),
            Self::CheckPolicy => call::check_policy(input, configured),
            Self::Explain => call::explain(input, configured),
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
