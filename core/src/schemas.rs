//! The documents of the engine, by name: one row for each JSON Schema in `docs/schemas`.
//!
//! The inputs and the answers of operations are in the table of operations. To add another document, add a row here. Generators read
//! the tables; the engine does not.

use alloc::{collections::BTreeSet, vec::Vec};

pub use crate::documents::row::{DocumentRow, SCHEMA_BASE, row};
use crate::{
    Operation,
    documents::{
        Capability, Contract, Guardrail, GuardrailEvent, Plan, Task,
        envelope::Envelope,
        error::ErrorAnswer,
        evaluation::{AnswerEvaluation, ComposedEvaluation},
        explanation::AnswerExplanation,
        policy::PolicyDocument,
        policy_test::TestDocument,
        replay::{Receipt, ReplayEvent},
        revision::{AnswerRevision, RefinementPackage},
    },
    ir::PlanIr,
    module::Manifest,
    verdict::Verdict,
};

/// The documents that are neither the input nor the answer of an operation.
const OTHERS: &[DocumentRow] = &[
    row::<Verdict<'_>>(
        "verdict",
        "A verdict: a call, its answer and their digests, `adjudicate verdict make`.",
    ),
    row::<Envelope<'_>>("envelope", "The evidence of one step of a run, which `evaluate` decides about."),
    row::<PolicyDocument<'_>>("policy", "A policy: thresholds, paths, routes, and rules of its own."),
    row::<Vec<TestDocument<'_>>>("tests", "The tests of a policy module, `tests.json` of a project."),
    row::<ComposedEvaluation<'_>>(
        "composed-evaluation",
        "The answer of `evaluate` if several policies or modules decide.",
    ),
    row::<AnswerEvaluation<'_>>(
        "module-evaluation",
        "The answer to `evaluate` that a host accepts from a policy module.",
    ),
    row::<AnswerRevision<'_>>(
        "module-revision",
        "The answer to `refine` that a host accepts from a policy module.",
    ),
    row::<RefinementPackage<'_>>(
        "refinement-package",
        "The instructions for one refinement step, a part of the answer of `refine`.",
    ),
    row::<AnswerExplanation<'_>>(
        "module-explanation",
        "The answer to `explain` that a host accepts from a policy module.",
    ),
    row::<Task<'_>>("task", "A task: the objective, and the contract of its result."),
    row::<Plan<'_>>("plan", "A plan: nodes, and the order between them."),
    row::<Capability<'_>>("capability", "A capability that a node of a plan can use."),
    row::<Vec<Capability<'_>>>("capabilities", "The capabilities of plans, the file of `--capabilities`."),
    row::<Contract<'_>>("output-contract", "The schema and the constraints of an output."),
    row::<Guardrail<'_>>("guardrail", "A guardrail: a trigger with an action."),
    row::<Vec<Guardrail<'_>>>(
        "guardrails",
        "The guardrails of a run, the file of `--policies` and of `guardrails` in a configuration.",
    ),
    row::<GuardrailEvent<'_>>("guardrail-event", "An event of a run, for guardrails."),
    row::<PlanIr<'_>>("plan-ir", "PlanIR: the canonical form of a plan."),
    row::<ReplayEvent>(
        "replay-event",
        "One event of a run: an item of `events`, or a line of the log that `adjudicate verify-replay` reads.",
    ),
    row::<Receipt<'_>>("receipt", "The receipt of a session."),
    row::<ErrorAnswer>("error", "The reply to a call that has no answer."),
    row::<Manifest>(
        "manifest",
        "The manifest of a policy module, which hosts read without running the module.",
    ),
];

/// Returns all documents, in the order in which they are listed: a document of several operations once.
///
/// ```
/// use adjudicate_core::schemas::all;
/// assert!(all().any(|row| row.name == "envelope") && all().any(|row| row.name == "evaluation"));
/// ```
pub fn all() -> impl Iterator<Item = &'static DocumentRow> {
    let mut names = BTreeSet::new();
    let of_operations = Operation::ALL.iter().flat_map(|operation| operation.documents_of_call());
    OTHERS.iter().chain(of_operations).filter(move |row| names.insert(row.name))
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use adjudicate_lang::document::definitions;

    use super::*;

    /// A schema has one place for each name.
    #[test]
    fn types_of_one_document_have_names_of_their_own() {
        for row in all() {
            let mut names = BTreeMap::new();
            for definition in definitions(&(row.describe)()) {
                let other = names.insert(definition.name, definition.source);
                assert_eq!(other, None, "{}: {}", row.name, definition.source);
            }
        }
    }
}
