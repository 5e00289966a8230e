//! The documents of the engine, by name: one row for each JSON Schema in `docs/schemas`.
//!
//! To add a document, add a row. Generators read the table; the engine does not.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::document::{Describe, SchemaRoot, Type};

use crate::{
    documents::{
        Capability, Contract, Guardrail, GuardrailCall, GuardrailEvent, MergeCall, ObserveCall, Plan,
        PlanCall, Task,
        bundle::{MergedBundle, Observation, PlanAnswer},
        calls::{CheckCall, EvaluateInput, ExplainInput, RefineCall},
        check_finding::CheckAnswer,
        deliberation::DeliberationAnswer,
        envelope::Envelope,
        error::ErrorAnswer,
        evaluation::{AnswerEvaluation, ComposedEvaluation, Evaluation},
        explanation::{AnswerExplanation, Explanation, KnownFacts},
        guardrail_answer::Actions,
        ledger::Ledger,
        plan_ir::NormalizedPlan,
        policy::PolicyDocument,
        policy_test::TestDocument,
        replay::{Receipt, ReplayAnswer, ReplayEvent},
        revision::{AnswerRevision, RefinementPackage, Revision},
    },
    ir::{NormalizePlanCall, PlanIr, replay::VerifyReplayCall},
    module::Manifest,
};

/// The folder of the schemas. The URL of a schema is this one and [`DocumentRow::file_name`].
pub const SCHEMA_BASE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/main/docs/schemas/");

/// The documents, in the order in which they are listed.
pub const DOCUMENTS: &[DocumentRow] = &[
    row::<Envelope<'_>>("envelope", "The evidence of one step of a run, which `evaluate` decides about."),
    row::<PolicyDocument<'_>>("policy", "A policy: thresholds, paths, routes, and rules of its own."),
    row::<Vec<TestDocument<'_>>>("tests", "The tests of a policy module, `tests.json` of a project."),
    row::<EvaluateInput>("evaluate-call", "The input of `evaluate`: a call, or an envelope alone."),
    row::<Evaluation<'_>>(
        "evaluation",
        "The answer of `evaluate`: the decision, its reasons, and the state of the loop.",
    ),
    row::<ComposedEvaluation<'_>>(
        "composed-evaluation",
        "The answer of `evaluate` if several policies or modules decide.",
    ),
    row::<AnswerEvaluation<'_>>(
        "module-evaluation",
        "The answer to `evaluate` that a host accepts from a policy module.",
    ),
    row::<RefineCall<'_>>("refine-call", "The input of `refine`."),
    row::<Revision<'_>>(
        "revision",
        "The answer of `refine`: the refinement package, events, and parts of the next envelope.",
    ),
    row::<AnswerRevision<'_>>(
        "module-revision",
        "The answer to `refine` that a host accepts from a policy module.",
    ),
    row::<RefinementPackage<'_>>(
        "refinement-package",
        "The instructions for one refinement step, a part of the answer of `refine`.",
    ),
    row::<ExplainInput>("explain-call", "The input of `explain`: a call, or an envelope alone."),
    row::<Explanation<'_>>(
        "explanation",
        "The answer of `explain`: reasons, and changes that lead to `success`.",
    ),
    row::<AnswerExplanation<'_>>(
        "module-explanation",
        "The answer to `explain` that a host accepts from a policy module.",
    ),
    row::<KnownFacts<'_>>(
        "known-facts",
        "The answer of `facts`: the values that the conditions of a policy see.",
    ),
    row::<CheckCall<'_>>("check-policy-call", "The input of `check_policy`."),
    row::<CheckAnswer>(
        "check-policy-answer",
        "The answer of `check_policy`: the static findings about a policy.",
    ),
    row::<Task<'_>>("task", "A task: the objective, and the contract of its result."),
    row::<Plan<'_>>("plan", "A plan: nodes, and the order between them."),
    row::<Capability<'_>>("capability", "A capability that a node of a plan can use."),
    row::<Vec<Capability<'_>>>("capabilities", "The capabilities of plans, the file of `--capabilities`."),
    row::<Contract<'_>>("output-contract", "The schema and the constraints of an output."),
    row::<PlanCall<'_>>("validate-plan-call", "The input of `validate_plan`."),
    row::<PlanAnswer<'_>>("plan-answer", "The answer of `validate_plan`: an event with its payload."),
    row::<MergeCall<'_>>("merge-diagnostics-call", "The input of `merge_diagnostics`."),
    row::<MergedBundle<'_>>(
        "bundle",
        "The answer of `merge_diagnostics`: a status, a score, and the findings.",
    ),
    row::<ObserveCall<'_>>("observe-output-call", "The input of `observe_output`."),
    row::<Observation<'_>>(
        "observation",
        "The answer of `observe_output`: a bundle, and the score of the output.",
    ),
    row::<Guardrail<'_>>("guardrail", "A guardrail: a trigger with an action."),
    row::<Vec<Guardrail<'_>>>(
        "guardrails",
        "The guardrails of a run, the file of `--policies` and of `guardrails` in a configuration.",
    ),
    row::<GuardrailEvent<'_>>("guardrail-event", "An event of a run, for guardrails."),
    row::<GuardrailCall<'_>>("apply-guardrails-call", "The input of `apply_guardrails`."),
    row::<Actions<'_>>(
        "actions",
        "The answer of `apply_guardrails`: the actions, and the payloads of their events.",
    ),
    row::<PlanIr<'_>>("plan-ir", "PlanIR: the canonical form of a plan."),
    row::<NormalizePlanCall<'_>>("normalize-plan-call", "The input of `normalize_plan`."),
    row::<NormalizedPlan<'_>>(
        "normalized-plan",
        "The answer of `normalize_plan`: the plan, its hash, and a report.",
    ),
    row::<VerifyReplayCall<'_>>("verify-replay-call", "The input of `verify_replay`."),
    row::<ReplayEvent>(
        "replay-event",
        "One event of a run: an item of `events`, or a line of the log that `adjudicate verify-replay` reads.",
    ),
    row::<Receipt<'_>>("receipt", "The receipt of a session."),
    row::<ReplayAnswer<'_>>(
        "replay-report",
        "The answer of `verify_replay`: whether the run is one of the plan.",
    ),
    row::<Ledger<'_>>(
        "ledger",
        "The input of `deliberate`: the work of a planning agent so far, and its limits.",
    ),
    row::<DeliberationAnswer<'_>>("deliberation", "The answer of `deliberate`: the gate, and its reasons."),
    row::<ErrorAnswer>("error", "The reply to a call that has no answer."),
    row::<Manifest>(
        "manifest",
        "The manifest of a policy module, which hosts read without running the module.",
    ),
];

/// A document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRow {
    /// The name: lower-case words, joined by `-`.
    pub name: &'static str,
    /// One sentence on the document.
    pub about: &'static str,
    /// Returns the type of the document.
    pub describe: fn() -> Type,
}

/// Returns the row of the document of type `T`.
pub const fn row<T: Describe>(name: &'static str, about: &'static str) -> DocumentRow {
    DocumentRow { name, about, describe: T::describe }
}

impl DocumentRow {
    /// Returns the name of the schema's file.
    ///
    /// ```
    /// use adjudicate_core::schemas::DOCUMENTS;
    /// assert_eq!(DOCUMENTS[0].file_name(), "envelope.schema.json");
    /// ```
    #[must_use]
    pub fn file_name(&self) -> String {
        [self.name, ".schema.json"].concat()
    }

    /// Returns the URL of the schema, its `$id`.
    #[must_use]
    pub fn url(&self) -> String {
        [SCHEMA_BASE, &self.file_name()].concat()
    }

    /// Returns the text of the JSON Schema, on one line.
    #[must_use]
    pub fn schema(&self) -> String {
        let title = ["adjudicate ", &self.name.replace('-', " ")].concat();
        let root = SchemaRoot { id: &self.url(), title: &title, about: self.about, describe: self.describe };
        root.write().to_text()
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use adjudicate_lang::document::definitions;

    use super::*;

    /// A schema has one place for each name.
    #[test]
    fn types_of_one_document_have_names_of_their_own() {
        for row in DOCUMENTS {
            let mut names = BTreeMap::new();
            for definition in definitions(&(row.describe)()) {
                let other = names.insert(definition.name, definition.source);
                assert_eq!(other, None, "{}: {}", row.name, definition.source);
            }
        }
    }
}
