//! From a run to a decision.

use adjudicate_collect::{CollectOptions, collect, run};
use adjudicate_core::codes::Status;
use adjudicate_evidence::collect::OwnedExternalEvidence;

use super::scratch::{GREEN, POLICY, RED, Scratch, configuration, exits, rules, status, uncollected, unit};

#[test]
fn a_green_change_is_a_success() {
    let scratch = Scratch::with_change();
    scratch.report(GREEN);
    let decided = scratch.run(&format!("{},{}", unit(0), exits("lint", 0)));
    assert_eq!((status(&decided), uncollected(&decided)), (Status::Success, vec![]));
    assert_eq!(decided.evaluation.decision.next_step.as_deref(), Some("open_pull_request"));
    let diff = decided.collected.envelope.evidence.diff.unwrap().files;
    assert_eq!(diff.len(), 1, "{diff:?}");
    assert_eq!(
        (diff[0].path.as_str(), diff[0].insertions, diff[0].deletions),
        ("src/cart.js", Some(1), Some(1))
    );
}

#[test]
fn a_failing_test_is_partial_with_its_case_its_log_and_its_command() {
    let scratch = Scratch::with_change();
    scratch.report(RED);
    let decided = scratch.run(&unit(1));
    assert_eq!((status(&decided), uncollected(&decided)), (Status::Partial, vec![]));
    assert_eq!(decided.evaluation.decision.next_step.as_deref(), Some("fix_findings"));
    let evidence = decided.collected.envelope.evidence;
    assert_eq!(evidence.artifacts, [".adjudicate/logs/unit.log", "reports/unit.xml"]);
    assert_eq!(scratch.read(".adjudicate/logs/unit.log"), "log of the tests\n");
    let cases = evidence.harness_report.flatten().unwrap().cases.unwrap();
    assert_eq!((cases[1].id.as_str(), cases[1].validator.as_deref()), ("cart/pays", Some("unit")));
    assert_eq!(cases[1].repro.as_deref(), Some("npx vitest src/cart.js -t cart/pays"));
}

#[test]
fn an_untracked_migration_needs_a_human() {
    let scratch = Scratch::with_change();
    scratch.report(GREEN);
    scratch.write("db/migrations/2.sql", "drop table a;\n");
    let decided = scratch.run(&unit(0));
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::NeedsHuman, vec!["approval"]));
}

#[test]
fn a_failing_lint_with_passing_tests_is_partial_and_no_contradiction() {
    let scratch = Scratch::with_change();
    scratch.report(GREEN);
    let decided = scratch.run(&format!("{},{}", unit(0), exits("lint", 1)));
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::Partial, vec!["validation_failed"]));
}

#[test]
fn a_missing_report_is_uncollected() {
    let scratch = Scratch::with_change();
    let decided = scratch.run(r#"{"id": "unit", "run": "true", "reports": ["reports/*.xml"]}"#);
    assert_eq!(status(&decided), Status::NeedsHuman);
    let expected = ("reports `reports/*.xml` of `unit`", "the validator wrote no such file in this run");
    assert_eq!(uncollected(&decided), [(expected.0.into(), expected.1.into())]);
}

#[test]
fn a_report_below_the_folder_of_the_state_is_no_change() {
    let scratch = Scratch::with_change();
    let validator = r#"{"id": "unit", "run": "echo '1..1' > .adjudicate/reports/a.tap; echo ok 1 >> .adjudicate/reports/a.tap",
        "reports": [".adjudicate/reports/*.tap"]}"#;
    let decided = scratch.run(validator);
    assert_eq!((status(&decided), uncollected(&decided)), (Status::Success, vec![]));
    assert_eq!(decided.collected.envelope.evidence.diff.unwrap().files.len(), 1);
}

#[test]
fn a_report_from_before_the_run_is_no_evidence() {
    let scratch = Scratch::with_change();
    scratch.write("reports/unit.xml", GREEN);
    let decided = scratch.run(r#"{"id": "unit", "run": "true", "reports": ["reports/*.xml"]}"#);
    assert_eq!(status(&decided), Status::NeedsHuman);
    let reasons: Vec<_> = uncollected(&decided).into_iter().map(|item| item.1).collect();
    assert!(reasons.contains(&"`reports/unit.xml` is from before this run".into()), "{reasons:?}");
}

#[test]
fn a_cut_report_is_uncollected() {
    let scratch = Scratch::with_change();
    scratch.report(&GREEN[..GREEN.len() - 8]);
    let decided = scratch.run(&unit(0));
    assert_eq!(status(&decided), Status::NeedsHuman);
    assert_eq!(uncollected(&decided)[0].0, "report `reports/unit.xml` of `unit`");
}

#[test]
fn a_standard_output_can_be_the_report() {
    let scratch = Scratch::with_change();
    scratch.report("1..1\nnot ok 1 - pays\n");
    let validator = r#"{"id": "unit", "run": "echo noise >&2; cat reports/next; exit 1", "output": "tap"}"#;
    let decided = scratch.run(validator);
    assert_eq!(status(&decided), Status::Partial);
    let artifacts = decided.collected.envelope.evidence.artifacts;
    assert_eq!(artifacts, [".adjudicate/logs/unit.out", ".adjudicate/logs/unit.log"]);
    assert_eq!(scratch.read(".adjudicate/logs/unit.log"), "noise\n");
}

#[test]
fn a_command_that_cannot_start_is_uncollected() {
    let scratch = Scratch::with_change();
    let decided = scratch.run(r#"{"id": "unit", "run": ["no-such-program"]}"#);
    let items = uncollected(&decided);
    assert_eq!(items[0].0, "result of `unit`");
    assert!(items[0].1.starts_with("the command cannot run: "), "{items:?}");
}

#[test]
fn a_signal_is_an_exit_code() {
    let scratch = Scratch::with_change();
    let decided = scratch.run(r#"{"id": "unit", "run": "kill -SEGV $$"}"#);
    assert_eq!(decided.collected.envelope.evidence.validation.exit_codes["unit"], 128 + 11);
    assert_eq!(status(&decided), Status::Partial);
}

#[test]
fn a_second_failing_round_escalates_and_a_new_run_does_not() {
    let scratch = Scratch::with_change();
    scratch.report(RED);
    assert_eq!(status(&scratch.run(&unit(1))), Status::Partial);
    let first = scratch.state();
    assert_eq!(status(&scratch.run(&unit(1))), Status::NeedsHuman);
    let second = scratch.state();
    assert_eq!((first.evaluations(), second.evaluations()), (1, 2));
    assert_eq!(first.run_id, second.run_id);
    let options = adjudicate_collect::CollectOptions { new_run: true, ..Default::default() };
    let third = scratch.try_run(&unit(1), &options).unwrap();
    assert_eq!(status(&third), Status::Partial);
    assert_ne!(scratch.state().run_id, first.run_id);
}

#[test]
fn without_a_validator_a_human_decides_unless_the_policy_needs_none() {
    let scratch = Scratch::with_change();
    let decided = scratch.run("");
    assert_eq!(decided.collected.envelope.evidence.required_validators, None);
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::NeedsHuman, vec!["unchecked"]));
    let policy = POLICY.replacen('{', r#"{"required_validators": [], "#, 1);
    let options = CollectOptions { new_run: true, ..CollectOptions::default() };
    let decided = run(scratch.root(), &configuration(""), Some(&policy), &options).unwrap();
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::Success, vec![]));
}

#[test]
fn external_evidence_counts_for_one_collection() {
    let scratch = Scratch::with_change();
    scratch.report(GREEN);
    scratch.write("db/migrations/2.sql", "drop table a;\n");
    let text = br#"{"approvals": {"required": [], "granted": ["db/migrations/2.sql"]}, "policy_events": ["info:x"], "x-ticket": "T-1"}"#;
    let external = OwnedExternalEvidence::parse(text).unwrap();
    let approved = CollectOptions { external: Some(&external), ..CollectOptions::default() };
    let envelope = collect(scratch.root(), &configuration(&unit(0)), &approved).unwrap().envelope;
    assert_eq!(envelope.evidence.policy_events, ["info:x"]);
    assert_eq!(envelope.extra["x-ticket"].to_text(), r#""T-1""#);
    let decided = scratch.try_run(&unit(0), &approved).unwrap();
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::Success, vec![]));
    // A hook must not repeat a decision that it could not make.
    assert_eq!((scratch.state().judged, scratch.state().evaluations()), (None, 1));
    let decided = scratch.run(&unit(0));
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::NeedsHuman, vec!["approval"]));
    let envelope = decided.collected.envelope;
    assert!(!envelope.to_json().contains("T-1") && envelope.evidence.approvals.is_none(), "{envelope:?}");
    assert_eq!(envelope.evaluate_history.map(|history| history.len()), Some(1), "the run continues");
    assert!(scratch.state().judged.is_some());
}

#[test]
fn external_evidence_that_makes_the_envelope_too_large_is_no_decision() {
    let scratch = Scratch::with_change();
    scratch.report(GREEN);
    let text = format!(r#"{{"x-log": "{}"}}"#, "x".repeat(8 << 20).split_off(100));
    let external = OwnedExternalEvidence::parse(text.as_bytes()).unwrap();
    let options = CollectOptions { external: Some(&external), ..CollectOptions::default() };
    let error = scratch.try_run(&unit(0), &options).unwrap_err().to_string();
    assert!(error.contains("limit_exceeded"), "{error}");
    assert_eq!(status(&scratch.run(&unit(0))), Status::Success);
}
