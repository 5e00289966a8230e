//! The table of operations. Every interface (command line, modules, HTTP, NATS, JavaScript) uses it.

mod call;
mod text;

use alloc::string::String;

pub use call::{fail_closed, module_fault};
pub use text::{call_input, join_documents, reply};

use adjudicate_lang::{
    Error,
    document::Document,
    json::{self, Limits, MAX_DOCUMENT_BYTES, Node, Tape},
};
use serde::Serialize;

use crate::{check, deliberate, evaluate, explain, guardrail, ir, plan, policy::Policy, revision};

/// Declares the operations: the only list of them. Each column is a method of its own, so that an interface links only the
/// columns that it uses.
macro_rules! operations {
    ($(
        $(#[$about:meta])*
        $name:ident = $number:literal $spelled:literal {
            summary: $summary:literal,
            input: $input:literal,
            output: $output:literal,
            documents: $documents:expr,
            is_bare: $is_bare:literal,
            names_step: $names_step:literal,
            status: $status:expr,
            example: $example:expr,
            answer: $answer:expr,
            check: $check:expr,
        }
    )+) => {
        /// An operation of the engine.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
        pub enum Operation { $($(#[$about])* #[serde(rename = $spelled)] $name,)+ }

        impl Operation {
            /// All operations, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The name in every interface; the command line spells it with dashes.
            #[must_use]
            pub const fn name(self) -> &'static str {
                self.as_str()
            }

            /// The number in the module interface.
            #[must_use]
            pub const fn number(self) -> i32 {
                match self { $(Self::$name => $number,)+ }
            }

            /// One line for lists of operations.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$name => $summary,)+ }
            }

            /// The name of the input in [`DOCUMENTS`](crate::schemas::DOCUMENTS).
            #[must_use]
            pub const fn input(self) -> &'static str {
                match self { $(Self::$name => $input,)+ }
            }

            /// The name of the answer in [`DOCUMENTS`](crate::schemas::DOCUMENTS).
            #[must_use]
            pub const fn output(self) -> &'static str {
                match self { $(Self::$name => $output,)+ }
            }

            /// The fields of the input that are documents of their own: paths of errors begin inside them.
            ///
            /// ```
            /// use adjudicate_core::Operation;
            /// assert_eq!(Operation::Evaluate.documents(), ["envelope", "policy"]);
            /// ```
            #[must_use]
            pub const fn documents(self) -> &'static [&'static str] {
                match self { $(Self::$name => $documents,)+ }
            }

            /// True if the first of [`Operation::documents`] may come without a call around it.
            #[must_use]
            pub const fn is_bare(self) -> bool {
                match self { $(Self::$name => $is_bare,)+ }
            }

            /// True if an answer names a next step.
            #[must_use]
            pub const fn names_step(self) -> bool {
                match self { $(Self::$name => $names_step,)+ }
            }

            /// The pointer to the word or boolean in an answer by which answers are grouped, for example the status of a decision;
            /// `None` if answers have none.
            #[must_use]
            pub const fn status(self) -> Option<&'static str> {
                match self { $(Self::$name => $status,)+ }
            }

            /// An input that gets an answer.
            ///
            /// ```
            /// use adjudicate_core::Operation;
            /// for operation in Operation::ALL {
            ///     assert!(operation.call(operation.example().as_bytes()).is_ok(), "{operation:?}");
            /// }
            /// ```
            #[must_use]
            pub const fn example(self) -> &'static str {
                match self { $(Self::$name => $example,)+ }
            }

            /// Checks a foreign answer against the operation's output contract: its shape, its closed lists of words, and that
            /// its steps are allowed by the input.
            ///
            /// # Errors
            ///
            /// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) and
            /// [`module_illegal_next_step`](crate::codes::MODULE_ILLEGAL_NEXT_STEP), with a path in the answer.
            pub fn check_answer(self, input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
                match self { $(Self::$name => $check(input, answer),)+ }
            }

            /// Answers one call with a configured policy, for operations that use a policy.
            ///
            /// # Errors
            ///
            /// Those of [`Operation::call`], and [`invalid_value`](crate::codes::INVALID_VALUE) at `/policy` if the call has a
            /// policy of its own. A call cannot replace the configured policy.
            pub fn call_with(self, input: &[u8], configured: Option<&Policy>) -> Result<String, Error> {
                match self { $(Self::$name => $answer(input, configured),)+ }
            }
        }
    };
}

operations! {
    /// Decides on an evaluator envelope, with or without a policy.
    Evaluate = 1 "evaluate" {
        summary: "Decide on an evaluator envelope",
        input: "evaluate-call",
        output: "evaluation",
        documents: &["envelope", "policy"],
        is_bare: true,
        names_step: true,
        status: Some("/decision/status"),
        example: ENVELOPE,
        answer: call::evaluate,
        check: evaluate::check_answer,
    }
    /// Derives the input of the revision loop from an evaluator envelope, with or without a policy and the evaluation.
    Refine = 2 "refine" {
        summary: "Prepare the next refinement from an envelope",
        input: "refine-call",
        output: "revision",
        documents: &["envelope", "policy", "evaluation"],
        is_bare: false,
        names_step: true,
        status: None,
        example: concat!(r#"{"envelope":"#, envelope!(), "}"),
        answer: call::refine,
        check: revision::check_refinement,
    }
    /// Judges if a plan can do its task with the given capabilities.
    ValidatePlan = 3 "validate_plan" {
        summary: "Validate a plan before it runs",
        input: "validate-plan-call",
        output: "plan-answer",
        documents: &[],
        is_bare: false,
        names_step: false,
        status: Some("/payload/status"),
        example: r#"{"task":{"objective":"o","outputContract":{"schema":{"type":"object","properties":{"score":{"type":"number"}}},"constraints":[{"constraintId":"c","expr":{">":[{"var":"score"},0]},"level":"soft"}]}},"plan":{"nodes":[{"nodeId":"n","capabilityId":"C"}],"edges":[]},"capabilities":[{"capabilityId":"C","outputFacets":["score"]}]}"#,
        answer: |input, _| plan::validate_text(input),
        check: plan::check_payload,
    }
    /// Merges diagnostics of any source into one bundle.
    MergeDiagnostics = 4 "merge_diagnostics" {
        summary: "Merge diagnostics into one bundle",
        input: "merge-diagnostics-call",
        output: "bundle",
        documents: &[],
        is_bare: false,
        names_step: false,
        status: Some("/status"),
        example: r#"{"diagnostics":[{"severity":"soft","status":"unsatisfied","constraintId":"a","cause":"unsatisfied_soft"}]}"#,
        answer: |input, _| plan::merge_text(input),
        check: plan::check_bundle,
    }
    /// Checks an output against its contract.
    ObserveOutput = 5 "observe_output" {
        summary: "Check an output against its contract",
        input: "observe-output-call",
        output: "observation",
        documents: &[],
        is_bare: false,
        names_step: false,
        status: Some("/status"),
        example: r#"{"outputContract":{"schema":{"required":["copy","score"]}},"output":{}}"#,
        answer: |input, _| plan::observe_text(input),
        check: |_, answer| plan::check_observation(answer),
    }
    /// Applies runtime policies to an event of a run.
    ApplyGuardrails = 6 "apply_guardrails" {
        summary: "Apply runtime policies to an event",
        input: "apply-guardrails-call",
        output: "actions",
        documents: &[],
        is_bare: false,
        names_step: false,
        status: None,
        example: r#"{"policies":[{"id":"again","trigger":{"kind":"onStart"},"action":{"type":"retry","maxAttempts":2}}],"event":{"kind":"onStart"}}"#,
        answer: |input, _| guardrail::apply_text(input),
        check: guardrail::check_actions,
    }
    /// Normalizes a plan of any form into `PlanIR`, with a hash and a report.
    NormalizePlan = 7 "normalize_plan" {
        summary: "Convert a plan to its canonical form",
        input: "normalize-plan-call",
        output: "normalized-plan",
        documents: &[],
        is_bare: false,
        names_step: false,
        status: None,
        example: r#"{"plan":[{"id":"look","action":"read","target":"a.rs","instruction":"look"}]}"#,
        answer: |input, _| ir::normalize_text(Self::NormalizePlan.read(input)?.root()),
        check: ir::check_normalized,
    }
    /// Verifies the events of a run against a canonical plan.
    VerifyReplay = 8 "verify_replay" {
        summary: "Verify a replay against its plan",
        input: "verify-replay-call",
        output: "replay-report",
        documents: &[],
        is_bare: false,
        names_step: false,
        status: Some("/linked"),
        example: r#"{"plan":{"analysis":"","steps":[{"id":"fix","description":"","intent":"modify","target_files":[],"depends_on":[],"max_iterations":2}],"verification_strategy":{"commands":[],"success_criteria":"","max_retries":0},"complexity":"low","confidence":0.5},"events":[{"event":"PlanStart","step_count":1}]}"#,
        answer: |input, _| ir::replay::verify_replay_text(Self::VerifyReplay.read(input)?.root()),
        check: ir::replay::check_replay,
    }
    /// Decides if an agent may continue to plan.
    Deliberate = 9 "deliberate" {
        summary: "Decide if planning may continue",
        input: "ledger",
        output: "deliberation",
        documents: &[],
        is_bare: false,
        names_step: false,
        status: Some("/gate"),
        example: r#"{"turns":[{"n":1,"consumed":{"wall_time_ms":400000},"confidence":0.5,"uncertainty":0.5}]}"#,
        answer: |input, _| deliberate::deliberate_text(Self::Deliberate.read(input)?.root()),
        check: deliberate::check_deliberation,
    }
    /// Checks a policy document statically, with envelopes as evidence.
    CheckPolicy = 10 "check_policy" {
        summary: "Find problems in a policy document",
        input: "check-policy-call",
        output: "check-policy-answer",
        documents: &["policy"],
        is_bare: false,
        names_step: false,
        status: None,
        example: r#"{"policy":{"policy":"house","version":"1.0.0","forbidden_paths":["secrets/**"]}}"#,
        answer: call::check_policy,
        check: |_, answer| check::check_findings(answer),
    }
    /// Explains a decision, and finds changes that would lead to `success`.
    Explain = 11 "explain" {
        summary: "Explain a decision and the changes that lead to success",
        input: "explain-call",
        output: "explanation",
        documents: &["envelope", "policy"],
        is_bare: true,
        names_step: true,
        status: None,
        example: ENVELOPE,
        answer: call::explain,
        check: explain::check_explanation,
    }
    /// Lists the values that the conditions of a policy see in an evaluator envelope.
    Facts = 12 "facts" {
        summary: "List the values that the conditions of a policy see",
        input: "evaluate-call",
        output: "known-facts",
        documents: &["envelope", "policy"],
        is_bare: true,
        names_step: false,
        status: None,
        example: ENVELOPE,
        answer: call::facts,
        check: |_, answer| explain::check_facts(answer),
    }
}

/// An envelope of a successful step.
macro_rules! envelope {
    () => {
        r#"{"run_id":"run-7","workflow_id":"release","step_id":"verify","evaluate_prompt":"verify.v1","allowed_next_steps":["publish","fix","escalate"],"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":" M src/lib.rs\n","validation":{"mechanical_outcome":"completed","exit_codes":{"test":0,"lint":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#
    };
}
use envelope;

const ENVELOPE: &str = envelope!();

impl Operation {
    /// The operation with this number.
    #[must_use]
    pub fn from_number(number: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|operation| operation.number() == number)
    }

    /// The operation with this name.
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

    /// Parses the text of an input as a call would, without reading it further: for hosts that forward it.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`]; paths begin inside the document at fault.
    pub fn read(self, input: &[u8]) -> Result<Tape<'_>, Error> {
        json::read(input, Limits { documents: self.documents(), bytes: MAX_DOCUMENT_BYTES })
    }

    /// Answers one call.
    ///
    /// # Errors
    ///
    /// Any error of the input. [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for an answer of more than
    /// [`MAX_ANSWER_BYTES`](crate::MAX_ANSWER_BYTES).
    pub fn call(self, input: &[u8]) -> Result<String, Error> {
        self.call_with(input, None)
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
