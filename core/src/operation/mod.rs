//! The table of operations. Every interface (command line, modules, HTTP, NATS, JavaScript) uses it.

mod call;
mod columns;
mod open_envelope;
mod text;

use alloc::string::String;

pub use call::{fail_closed, module_fault};
use columns::operations;
pub use open_envelope::OpenEnvelope;
pub use text::{call_input, join_documents, reply};

use adjudicate_lang::{
    Error,
    document::Document,
    json::{self, MAX_DOCUMENT_BYTES, Node, ReadLimits, Tape},
};
use serde::Serialize;

use crate::{
    check, deliberate,
    documents::{
        GuardrailCall, MergeCall, ObserveCall, PlanCall,
        bundle::{MergedBundle, OutputObservation, PlanAnswer},
        calls::{CheckCall, EvaluateInput, ExplainInput, RefineCall},
        check_finding::CheckAnswer,
        deliberation::Deliberation,
        evaluation::Evaluation,
        explanation::{Explanation, KnownFacts},
        guardrail_answer::Actions,
        ledger::Ledger,
        plan_ir::NormalizedPlan,
        replay::ReplayAnswer,
        revision::Revision,
        row::{DocumentRow, row},
    },
    evaluate, explain, guardrail,
    ir::{self, NormalizePlanCall, replay::VerifyReplayCall},
    plan,
    policy::Policy,
    revision,
};

/// Answers a call of one operation, with a configured policy or without: see [`Operation::call_with`].
pub type OperationFunction = fn(&[u8], Option<&Policy>) -> Result<String, Error>;

operations! {
    /// Decides on an evaluator envelope, with or without a policy.
    Evaluate = 1 "evaluate" {
        summary: "Decide on an evaluator envelope",
        input: row::<EvaluateInput>("evaluate-call", "The input of `evaluate`: a call, or an envelope alone."),
        output: row::<Evaluation<'_>>("evaluation", "The answer of `evaluate`: the decision, its reasons, and the state of the loop."),
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
        input: row::<RefineCall<'_>>("refine-call", "The input of `refine`."),
        output: row::<Revision<'_>>("revision", "The answer of `refine`: the refinement package, events, and parts of the next envelope."),
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
        input: row::<PlanCall<'_>>("validate-plan-call", "The input of `validate_plan`."),
        output: row::<PlanAnswer<'_>>("plan-answer", "The answer of `validate_plan`: an event with its payload."),
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
        input: row::<MergeCall<'_>>("merge-diagnostics-call", "The input of `merge_diagnostics`."),
        output: row::<MergedBundle<'_>>("bundle", "The answer of `merge_diagnostics`: a status, a score, and the findings."),
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
        input: row::<ObserveCall<'_>>("observe-output-call", "The input of `observe_output`."),
        output: row::<OutputObservation<'_>>("observation", "The answer of `observe_output`: a bundle, and the score of the output."),
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
        input: row::<GuardrailCall<'_>>("apply-guardrails-call", "The input of `apply_guardrails`."),
        output: row::<Actions<'_>>("actions", "The answer of `apply_guardrails`: the actions, and the payloads of their events."),
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
        input: row::<NormalizePlanCall<'_>>("normalize-plan-call", "The input of `normalize_plan`."),
        output: row::<NormalizedPlan<'_>>("normalized-plan", "The answer of `normalize_plan`: the plan, its hash, and a report."),
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
        input: row::<VerifyReplayCall<'_>>("verify-replay-call", "The input of `verify_replay`."),
        output: row::<ReplayAnswer<'_>>("replay-report", "The answer of `verify_replay`: whether the run is one of the plan."),
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
        input: row::<Ledger<'_>>("ledger", "The input of `deliberate`: the work of a planning agent so far, and its limits."),
        output: row::<Deliberation<'_>>("deliberation", "The answer of `deliberate`: the gate, and its reasons."),
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
        input: row::<CheckCall<'_>>("check-policy-call", "The input of `check_policy`."),
        output: row::<CheckAnswer>("check-policy-answer", "The answer of `check_policy`: the static findings about a policy."),
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
        input: row::<ExplainInput>("explain-call", "The input of `explain`: a call, or an envelope alone."),
        output: row::<Explanation<'_>>("explanation", "The answer of `explain`: reasons, and changes that lead to `success`."),
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
        input: row::<EvaluateInput>("evaluate-call", "The input of `evaluate`: a call, or an envelope alone."),
        output: row::<KnownFacts<'_>>("known-facts", "The answer of `facts`: the values that the conditions of a policy see."),
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
        json::read(input, ReadLimits { documents: self.documents(), bytes: MAX_DOCUMENT_BYTES })
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
