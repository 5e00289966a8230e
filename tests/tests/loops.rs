//! Whole loops, driven as your program drives them: implement, review, evaluate, refine, validate, evaluate, escalate.
//!
//! The program makes its envelopes with a `Run`, and gives each evaluation to `refine`.

mod kernel;

use adjudicate_core::evaluate::{Opcode, Outcome};
use serde_json::json;

use self::kernel::{Kernel, assert_course, bounded, issue, reviewed, unbounded, validated};

/// An agent implements, and another one reviews.
fn implement_and_review(kernel: &mut Kernel) {
    kernel.ran("implement", Opcode::RunAgent, Outcome::Completed);
    kernel.ran("review", Opcode::RunAgent, Outcome::Completed);
    kernel.ran("validate", Opcode::RunValidation, Outcome::Completed);
}

/// The requested refinement, and its validation.
fn refine_and_validate(kernel: &mut Kernel) {
    kernel.ran("refine_change", Opcode::RunAgent, Outcome::Completed);
    kernel.ran("validate", Opcode::RunValidation, Outcome::Completed);
}

#[test]
fn a_review_leads_to_one_refinement_and_on() {
    let scenario = |kernel: &mut Kernel| {
        implement_and_review(kernel);
        kernel.evaluate(reviewed(validated(&[("lint", 0), ("unit", 1)]), &[issue("R1")]));
        assert_eq!(
            json!(kernel.package),
            json!({
                "objective": "make these checks pass: `unit`; resolve these review issues: `R1`",
                "issues": [
                    {
                        "id": "unit", "summary": "`unit` exited 1", "severity": "low",
                        "evidence_ref": "artifacts/unit.log",
                        "edit": {
                            "target": "unit", "action": "make the validator exit 0",
                            "rationale": "`unit` exited 1; its output is in `artifacts/unit.log`",
                        },
                    },
                    {
                        "id": "R1", "summary": "the lock is held across a callback", "severity": "high",
                        "evidence_ref": "/evidence/review/issues/0", "edit": issue("R1")["edit"],
                    },
                ],
                "constraints": ["keep `lint` passing"],
                "artifact_refs": ["artifacts/unit.log", "artifacts/review.md"],
                "verification": [{"command": "unit", "expected_signal": "exit code 0"}],
            })
        );
        refine_and_validate(kernel);
        kernel.evaluate(validated(&[("lint", 0), ("unit", 0)]));
        assert_eq!(kernel.package, None);
    };
    assert_course(
        &bounded(),
        scenario,
        &[
            "partial refine_change [review_completed, refinement_requested] - 1/1",
            "success publish [refinement_spent] success 1/1",
        ],
    );
    assert_course(
        &unbounded(),
        scenario,
        &[
            "partial refine_change [review_completed, refinement_requested] - 1/1",
            "success publish [] success 1/1",
        ],
    );
}

#[test]
fn a_second_partial_after_the_refinement_goes_to_a_human() {
    let scenario = |kernel: &mut Kernel| {
        implement_and_review(kernel);
        kernel.evaluate(reviewed(validated(&[("lint", 1), ("unit", 1)]), &[issue("R1")]));
        refine_and_validate(kernel);
        // Better, but not good.
        kernel.evaluate(validated(&[("lint", 0), ("unit", 1)]));
        kernel.ran("human_gate", Opcode::Gate, Outcome::Completed);
        refine_and_validate(kernel);
        kernel.evaluate(validated(&[("lint", 0), ("unit", 0)]));
    };
    assert_course(
        &bounded(),
        scenario,
        &[
            "partial refine_change [review_completed, refinement_requested] - 1/1",
            "needs_human human_gate [refinement_spent, escalated: refinement_spent] refinement_spent 1/1",
            "success publish [refinement_spent] success 1/1",
        ],
    );
    assert_course(
        &unbounded(),
        scenario,
        &[
            "partial refine_change [review_completed, refinement_requested] - 1/1",
            "partial refine_change [refinement_requested] - 2/1",
            "success publish [] success 2/1",
        ],
    );
}

#[test]
fn a_repeated_blocker_goes_to_a_human() {
    let scenario = |kernel: &mut Kernel| {
        implement_and_review(kernel);
        kernel.evaluate(validated(&[("unit", 1)]));
        refine_and_validate(kernel);
        kernel.evaluate(validated(&[("unit", 1)]));
    };
    assert_course(
        &unbounded(),
        scenario,
        &[
            "partial refine_change [refinement_requested] - 1/1",
            "needs_human human_gate [escalated: repeated_blocker] needs_human 1/1",
        ],
    );
    // Both call for a human; the reason is the first in the order of findings.
    assert_course(
        &bounded(),
        scenario,
        &[
            "partial refine_change [refinement_requested] - 1/1",
            "needs_human human_gate [refinement_spent, escalated: repeated_blocker] refinement_spent 1/1",
        ],
    );
}

#[test]
fn a_blocker_of_another_item_is_another_blocker() {
    let scenario = |kernel: &mut Kernel| {
        kernel.evaluate(validated(&[("lint", 0), ("unit", 1)]));
        refine_and_validate(kernel);
        kernel.evaluate(validated(&[("lint", 1), ("unit", 0)]));
        refine_and_validate(kernel);
        kernel.evaluate(validated(&[("lint", 0), ("unit", 0)]));
    };
    assert_course(
        &unbounded(),
        scenario,
        &[
            "partial refine_change [refinement_requested] - 1/1",
            "partial refine_change [refinement_requested] - 2/1",
            "success publish [] success 2/1",
        ],
    );
}

#[test]
fn refinement_continues_until_there_are_too_many_partials_in_a_row() {
    let scenario = |kernel: &mut Kernel| {
        for failing in [3, 2, 1] {
            let exits: Vec<_> =
                ["a", "b", "c"].into_iter().zip((0..3).map(|at| i64::from(at < failing))).collect();
            kernel.evaluate(validated(&exits));
            refine_and_validate(kernel);
        }
    };
    assert_course(
        &unbounded(),
        scenario,
        &[
            "partial refine_change [refinement_requested] - 1/1",
            "partial refine_change [refinement_requested] - 2/1",
            "needs_human human_gate [escalated: repeated_partial] needs_human 2/1",
        ],
    );
}

#[test]
fn a_larger_cap_allows_as_many_refinements() {
    let policy = json!({
        "policy": "patient", "version": "1.0.0", "profile": "oa06.1",
        "parameters": {"refinement_cap": 2, "partial_threshold": 9, "blocker_repeat": 9},
    });
    let scenario = |kernel: &mut Kernel| {
        for _ in 0..3 {
            kernel.evaluate(validated(&[("unit", 1)]));
            refine_and_validate(kernel);
        }
    };
    assert_course(
        &policy,
        scenario,
        &[
            "partial refine_change [refinement_requested] - 1/2",
            "partial refine_change [refinement_requested] - 2/2",
            "needs_human human_gate [refinement_spent, escalated: refinement_spent] refinement_spent 2/2",
        ],
    );
}

#[test]
fn a_false_claim_that_is_repeated_is_rolled_back() {
    let claimed = || {
        let mut evidence = validated(&[("unit", 0)]);
        evidence["workspace_diff_summary"] = json!("");
        evidence["transcript_summary"] = json!("intent: implement\nclaims: implemented\n");
        evidence
    };
    let scenario = |kernel: &mut Kernel| {
        kernel.ran("implement", Opcode::RunAgent, Outcome::Completed);
        kernel.evaluate(claimed());
        kernel.ran("refine_change", Opcode::RunAgent, Outcome::Completed);
        kernel.evaluate(claimed());
    };
    for (policy, events) in [(unbounded(), ""), (bounded(), "refinement_spent, ")] {
        let last = format!("unsafe rollback [{events}escalated: repeated_contradiction] unsafe 1/1");
        let first = "partial refine_change [refinement_requested] - 1/1";
        assert_course(&policy, scenario, &[first, &last]);
    }
}

#[test]
fn a_missing_artifact_blocks_until_it_exists() {
    let scenario = |kernel: &mut Kernel| {
        let mut evidence = reviewed(validated(&[("unit", 0)]), &[]);
        evidence["required_artifacts"] = json!(["dist/*.tar.gz"]);
        kernel.evaluate(evidence.clone());
        kernel.ran("human_gate", Opcode::Gate, Outcome::Completed);
        evidence["artifacts"] = json!(["dist/queue.tar.gz", "artifacts/review.md"]);
        kernel.evaluate(evidence);
    };
    for policy in [unbounded(), bounded()] {
        assert_course(
            &policy,
            scenario,
            &[
                "blocked human_gate [review_completed, escalated: missing_artifact] blocked 0/1",
                "success publish [review_completed] success 0/1",
            ],
        );
    }
}

#[test]
fn a_step_that_is_killed_is_tried_again_once() {
    let killed = || {
        let mut evidence = validated(&[]);
        evidence["validation"]["mechanical_outcome"] = json!("killed_timeout");
        evidence
    };
    let scenario = |kernel: &mut Kernel| {
        kernel.ran("implement", Opcode::RunAgent, Outcome::KilledTimeout);
        kernel.evaluate(killed());
        kernel.ran("refine_change", Opcode::RunAgent, Outcome::KilledTimeout);
        kernel.evaluate(killed());
    };
    for (policy, events) in [(unbounded(), ""), (bounded(), "refinement_spent, ")] {
        let first = "partial refine_change [refinement_requested] - 1/1";
        let last = format!("blocked human_gate [{events}escalated: interrupted] blocked 1/1");
        assert_course(&policy, scenario, &[first, &last]);
    }
}

/// A program that counts no failures can still compare diffs.
#[test]
fn without_counts_of_failures_the_diff_shows_improvement() {
    let typed = |paths: &[&str]| {
        let files: Vec<_> = paths.iter().map(|path| json!({"path": path, "change": "modified"})).collect();
        let mut evidence = validated(&[("unit", 1)]);
        evidence["workspace_diff_summary"] = json!("");
        evidence["diff"] = json!({"files": files});
        evidence
    };
    let as_text = |text: &str| {
        let mut evidence = validated(&[("unit", 1)]);
        evidence["workspace_diff_summary"] = json!(text);
        evidence
    };
    let before = ["src/\u{e9}t\u{e9}.rs", "a \"b\"\t.rs"];
    let after = [before[0], before[1], "src/new.rs"];
    for (evidence, last) in [
        (typed(&before), "needs_human human_gate [escalated: repeated_blocker] needs_human 1/1"),
        (typed(&after), "partial refine_change [refinement_requested] - 2/1"),
        (
            as_text(" M \"src/\\303\\251t\\303\\251.rs\"\n M \"a \\\"b\\\"\\t.rs\"\n"),
            "needs_human human_gate [escalated: repeated_blocker] needs_human 1/1",
        ),
        (as_text("several files"), "partial refine_change [refinement_requested] - 2/1"),
    ] {
        let scenario = |kernel: &mut Kernel| {
            kernel.evaluate(typed(&before));
            kernel.counts_failures = false;
            refine_and_validate(kernel);
            kernel.evaluate(evidence.clone());
        };
        assert_course(&unbounded(), scenario, &["partial refine_change [refinement_requested] - 1/1", last]);
    }
}
