//! From a run to a decision.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use adjudicate_collect::{CollectError, CollectOptions, Progress, collect, run};
use adjudicate_core::codes::Status;
use adjudicate_evidence::collect::OwnedExternalEvidence;

use crate::scratch::{GREEN, POLICY, RED, Scratch, configuration, exits, rules, status, uncollected, unit};

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

/// Returns the ids of processes that a validator wrote into a file and that still run.
fn alive(scratch: &Scratch, file: &str) -> Vec<String> {
    let ids = scratch.read(file);
    // A zombie of another parent has no command line.
    let is_alive =
        |id: &&str| std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|line| !line.is_empty());
    ids.split_whitespace().filter(is_alive).map(ToOwned::to_owned).collect()
}

#[test]
fn a_validator_over_its_time_limit_is_a_timeout_and_its_children_end() {
    let scratch = Scratch::with_change();
    let slow = r#"{"id": "slow", "run": "sleep 60 & echo $! $$ > reports/ids; wait", "timeout_seconds": 1}"#;
    scratch.report("");
    let started = Instant::now();
    let decided = scratch.run(&format!("{slow},{}", exits("lint", 0)));
    assert!(started.elapsed() < Duration::from_secs(30));
    let validation = &decided.collected.envelope.evidence.validation;
    assert_eq!(validation.timeouts, ["slow"]);
    assert_eq!(validation.exit_codes.keys().collect::<Vec<_>>(), ["lint"]);
    assert_eq!((status(&decided), rules(&decided.evaluation)), (Status::Partial, vec!["validation_failed"]));
    assert_eq!(alive(&scratch, "reports/ids"), [""; 0]);
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_process_that_ignores_the_request_is_killed() {
    let scratch = Scratch::with_change();
    scratch.report("");
    let stubborn = r#"{"id": "slow", "run": "trap '' TERM; echo $$ > reports/ids; while :; do sleep 1; done", "timeout_seconds": 1}"#;
    let decided = scratch.run(stubborn);
    assert_eq!(decided.collected.envelope.evidence.validation.timeouts, ["slow"]);
    assert_eq!(alive(&scratch, "reports/ids"), [""; 0]);
}

#[test]
fn a_process_that_a_validator_leaves_behind_ends_with_it() {
    let scratch = Scratch::with_change();
    scratch.report("");
    let decided = scratch.run(r#"{"id": "unit", "run": "sleep 60 & echo $! > reports/ids"}"#);
    assert_eq!(status(&decided), Status::Success);
    assert_eq!(alive(&scratch, "reports/ids"), [""; 0]);
}

#[test]
fn a_stopped_run_is_interrupted() {
    let scratch = Scratch::with_change();
    let stop = AtomicBool::new(false);
    let on_progress = |progress: Progress| {
        if matches!(progress, Progress::Started(id, 1, 3) if id == "slow") {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let options =
        CollectOptions { stop: Some(&stop), progress: Some(&on_progress), ..CollectOptions::default() };
    let validators =
        [exits("first", 0), r#"{"id": "slow", "run": "sleep 60"}"#.into(), exits("lint", 0)].join(",");
    let decided = scratch.try_run(&validators, &options).unwrap();
    assert!(rules(&decided.evaluation).contains(&"interrupted"), "{:?}", rules(&decided.evaluation));
    assert_eq!(status(&decided), Status::NeedsHuman);
    let what: Vec<_> = uncollected(&decided).into_iter().map(|item| item.0).collect();
    assert_eq!(what, ["result of `slow`", "result of `lint`"]);
    // The next run is complete.
    stop.store(false, Ordering::Relaxed);
    let decided = scratch.run(&exits("lint", 0));
    assert!(!rules(&decided.evaluation).contains(&"interrupted"));
}

#[test]
fn two_collections_do_not_run_at_once() {
    let scratch = Scratch::with_change();
    scratch.write("hold", "");
    let slow = r#"{"id": "slow", "run": "while test -e hold; do sleep 0.02; done"}"#;
    thread::scope(|scope| {
        let first = scope.spawn(|| scratch.run(slow));
        while !scratch.path(".adjudicate/logs/slow.log").exists() {
            thread::sleep(Duration::from_millis(5));
        }
        let error = scratch.try_run(slow, &CollectOptions::default()).unwrap_err();
        assert!(matches!(error, CollectError::Busy(_)), "{error}");
        // The second one waits for the first.
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            std::fs::remove_file(scratch.path("hold")).unwrap();
        });
        let patient = CollectOptions { wait: Duration::from_secs(60), ..CollectOptions::default() };
        scratch.try_run(slow, &patient).unwrap();
        first.join().unwrap();
    });
    assert_eq!(scratch.state().evaluations(), 2);
}
