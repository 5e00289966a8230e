//! The hints of findings, for a reader whose evidence a collection finds.

use adjudicate_core::owned::Evaluation;

/// Hints of the engine that name fields of an envelope, each with the way to put the evidence into a collection.
const HINTS: &[(&str, &str)] = &[
    (
        "have a human approve it and list it under `approvals.granted`",
        "have a human approve it, and pass the approval with `--with FILE`",
    ),
    (
        "restore the tests, or have a human approve that they are gone",
        "restore the tests, or have a human approve that they are gone, and pass the approval with `--with FILE`",
    ),
    (
        "give the evidence that the conditions ask for",
        "give the evidence that the conditions ask for; pass approvals and `x-` fields with `--with FILE`",
    ),
    (
        "give the value as the policy's `inputs` declare it",
        "pass the value with `--with FILE`, as the policy's `inputs` declare it",
    ),
    (
        "have the step reviewed, and add the review as `evidence.review`",
        "have the step reviewed, and name the file of the review as `review` in adjudicate.yaml",
    ),
    (
        "produce the artifact and list it under `artifacts`",
        "produce the artifact, and see that a pattern of `artifacts` in adjudicate.yaml matches it",
    ),
    (
        "run the validator and report its exit code",
        "see that the validator is among `validators` in adjudicate.yaml, and that it starts",
    ),
    (
        "run a check and report its exit code; to require none, set `required_validators: []`",
        "add a check to `validators` in adjudicate.yaml; to require none, set `required_validators: []` in the policy",
    ),
    (
        "allow a fix step after this evaluation, or name it in `steps`",
        "add a step with the role `fix` to `next_steps` in adjudicate.yaml",
    ),
];

/// Returns the evaluation with hints about a collection, for the formats that humans read.
pub(super) fn for_collection(evaluation: &Evaluation) -> Evaluation {
    let mut evaluation = evaluation.clone();
    for resolution in evaluation.findings.iter_mut().map(|finding| &mut finding.resolution) {
        if let Some((_, hint)) = HINTS.iter().find(|(known, _)| *known == resolution.hint) {
            resolution.hint = (*hint).into();
        }
    }
    evaluation
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;
    use adjudicate_tests::parity::{expected, read_of};

    use super::*;

    #[test]
    fn the_engine_gives_each_hint_that_is_replaced() {
        let fixtures = read_of(Operation::Evaluate);
        for (hint, _) in HINTS {
            let written = format!(r#""hint":"{hint}""#);
            assert!(fixtures.iter().any(|fixture| expected(fixture).contains(&written)), "{hint}");
        }
    }
}
