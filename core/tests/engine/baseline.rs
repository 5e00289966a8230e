//! Laws of baselines and of trees, over random evidence.

use adjudicate_core::{
    Operation, Policy,
    evaluate::{CompositionMode, evaluate_composed},
};
use proptest::{
    collection::vec,
    option::{of, weighted},
    prelude::*,
    sample::select,
    strategy::ValueTree as _,
    test_runner::TestRunner,
};
use serde_json::{Value, json};

/// This many random values of a strategy, the same in each run.
fn samples<T: std::fmt::Debug>(count: usize, strategy: impl Strategy<Value = T>) -> impl Iterator<Item = T> {
    let mut runner = TestRunner::deterministic();
    std::iter::repeat_with(move || strategy.new_tree(&mut runner).unwrap().current()).take(count)
}

/// Adds the fields that have a value.
fn with(mut object: Value, fields: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    for (name, value) in fields {
        if let Some(value) = value {
            object[name] = value;
        }
    }
    object
}

fn case() -> impl Strategy<Value = Value> {
    let id = select(vec!["a", "b", "tests/a.py::x"]);
    let status = select(vec!["passed", "passed", "failed", "failed", "skipped", "flaky"]);
    let file = weighted(0.3, select(vec!["tests/a.py", "tests/b.py"]));
    (id, status, of(select(vec!["unit", "lint"])), file, of(Just("run it"))).prop_map(
        |(id, status, validator, file, repro)| {
            let fields = [("validator", validator), ("file", file), ("repro", repro)];
            with(
                json!({"id": id, "status": status}),
                fields.map(|(name, text)| (name, text.map(Value::from))),
            )
        },
    )
}

/// The exit codes and the timeouts of a revision.
fn results() -> impl Strategy<Value = (Value, Value)> {
    let lint = weighted(0.3, select(vec![0, 1]));
    let timeouts = weighted(0.1, select(vec![json!(["unit"]), json!(["lint"])]))
        .prop_map(|timeouts| timeouts.unwrap_or_else(|| json!([])));
    (select(vec![0, 0, 1, 1, 2]), lint, timeouts).prop_map(|(unit, lint, timeouts)| {
        (with(json!({"unit": unit}), [("lint", lint.map(Value::from))]), timeouts)
    })
}

/// The tree that is judged, and those of the validator, of the report and of the baseline.
fn trees() -> impl Strategy<Value = [Option<Value>; 4]> {
    let tree = |weight| {
        weighted(weight, select(vec!["now", "now", "now", "now", "now", "before"]))
            .prop_map(|tree| tree.map(Value::from))
    };
    let judged = weighted(0.5, Just("now")).prop_map(|tree| tree.map(Value::from));
    (judged, tree(0.5), tree(0.5), tree(0.5))
        .prop_map(|(judged, unit, report, baseline)| [judged, unit, report, baseline])
}

fn count(cases: &[Value], status: &str) -> usize {
    cases.iter().filter(|case| case["status"] == status).count()
}

/// The report of the harness. Its counts can be absent or too high.
fn report(cases: &[Value], counts: Option<bool>) -> Value {
    let summary = counts.map(|is_cut| {
        json!({"passed": count(cases, "passed"), "failed": count(cases, "failed") + usize::from(is_cut)})
    });
    with(json!({"cases": cases}), [("summary", summary)])
}

fn envelopes() -> impl Strategy<Value = Value> {
    let diff = select(vec!["", " M src/a.py\n", "R  tests/a.py -> tests/b.py\n", " D tests/a.py\n"]);
    let artifacts = select(vec![json!(["unit.log", "lint.log"]), json!([])]);
    let outcome = weighted(0.2, select(vec!["error", "killed_timeout"]))
        .prop_map(|outcome| outcome.unwrap_or("completed"));
    let claims = weighted(0.3, Just(json!(["tests_passed"])));
    let required = weighted(0.3, select(vec![json!([]), json!(["unit"])]));
    let sums = weighted(0.2, 0..5_u32);
    let counts = weighted(0.9, prop::bool::weighted(0.1));
    let of_run = (diff, artifacts, outcome, claims, required);
    let of_report = (vec(case(), 0..4), counts, vec(case(), 0..4), sums, prop::bool::weighted(0.4));
    (results(), results(), of_run, of_report, trees()).prop_map(
        |(now, before, of_run, (reported, counts, listed, sums, is_same), [judged, unit, tree, base])| {
            let (diff, artifacts, outcome, claims, required) = of_run;
            let ((exits, timeouts), listed) = if is_same { (now.clone(), reported.clone()) } else { (before, listed) };
            let sums = sums.map(|passed| json!({"passed": passed, "failed": count(&listed, "failed")}));
            let baseline = json!({"exit_codes": exits, "timeouts": timeouts, "cases": listed});
            let validation = json!({"mechanical_outcome": outcome, "exit_codes": now.0, "timeouts": now.1});
            let evidence = json!({
                "transcript_summary": "", "workspace_diff_summary": diff, "artifacts": artifacts, "policy_events": [],
                "validation": with(validation, [("trees", unit.map(|tree| json!({"unit": tree})))]),
                "harness_report": with(report(&reported, counts), [("tree", tree)]),
                "baseline": with(baseline, [("tree", base), ("summary", sums)]),
            });
            let further = [("claims", claims), ("required_validators", required), ("tree", judged)];
            json!({"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
                "allowed_next_steps": ["ship", "fix", "ask_human", "rollback", "STOP"], "provenance_window": [],
                "evidence": with(evidence, further)})
        },
    )
}

fn policy(known_failures: &str) -> Value {
    json!({"policy": "p", "version": "1.0.0", "known_failures": known_failures})
}

fn call(operation: Operation, envelope: &Value, known_failures: &str) -> Value {
    crate::call(operation, envelope, &policy(known_failures)).unwrap()
}

fn evaluate(envelope: &Value, known_failures: &str) -> Value {
    call(Operation::Evaluate, envelope, known_failures)
}

fn status(answer: &Value) -> &str {
    answer["decision"]["status"].as_str().unwrap()
}

fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The ids of the cases of a status, and how often each occurs.
fn ids(cases: &[Value], status: &str) -> Vec<String> {
    let of_status = cases.iter().filter(|case| case["status"] == status);
    let mut ids: Vec<String> =
        of_status.map(|case| format!("{} {}", case["validator"], case["id"])).collect();
    ids.sort();
    ids
}

/// The number of findings that point to a place below `pointer`.
fn found_below(answer: &Value, pointer: &str) -> usize {
    let places = list(answer, "/findings").iter().map(|finding| finding["evidence_ref"].as_str().unwrap());
    places.filter(|place| place.starts_with(pointer)).count()
}

#[test]
fn accepted_failures_are_listed_and_hide_no_others() {
    let (mut accepted, mut refused, mut with_new_failures, mut stale) = (0, 0, 0, 0);
    for envelope in samples(10_000, envelopes()) {
        let [strict, lenient] = ["refuse", "accept"].map(|word| evaluate(&envelope, word));
        assert!(strict.get("known_failures").is_none(), "{envelope}");
        assert!(!(status(&strict) == "partial" && status(&lenient) == "blocked"), "{envelope}");
        let is_stale = list(&lenient, "/findings").iter().any(|finding| finding["rule"] == "stale_evidence");
        assert!(!is_stale || status(&lenient) != "success", "{envelope}");
        stale += usize::from(is_stale);
        let reported = list(&envelope, "/evidence/harness_report/cases");
        let failed = ids(reported, "failed");
        let known = list(&lenient, "/known_failures").len();
        if known > 0 {
            // Each other failed case has its finding, and so has each validator with such a case.
            let new = found_below(&lenient, "/evidence/harness_report/cases/");
            assert_eq!(new + known, failed.len(), "{envelope}");
            with_new_failures += usize::from(new > 0);
            for (validator, exit) in envelope["evidence"]["validation"]["exit_codes"].as_object().unwrap() {
                let is_of = |case: &&Value| case["status"] == "failed" && case["validator"] == **validator;
                let known =
                    list(&lenient, "/known_failures").iter().filter(|case| case["validator"] == **validator);
                let has_new = reported.iter().filter(is_of).count() > known.count();
                let place = format!("/evidence/validation/exit_codes/{validator}");
                assert!(*exit == 0 || !has_new || found_below(&lenient, &place) > 0, "{envelope}");
            }
        }
        if status(&strict) == "success" {
            assert_eq!(strict, lenient, "{envelope}");
        } else if status(&lenient) == "success" {
            accepted += 1;
            assert_eq!(known, failed.len(), "{envelope}");
            let mut before = ids(list(&envelope, "/evidence/baseline/cases"), "failed");
            if !envelope.to_string().contains("->") {
                for id in failed {
                    let place = before.iter().position(|other| *other == id);
                    before.remove(place.unwrap_or_else(|| panic!("{id} is new: {envelope}")));
                }
            }
            let validation = &envelope["evidence"]["validation"];
            let exits = validation["exit_codes"].as_object().unwrap();
            let late = list(validation, "/timeouts");
            let is_green = |(id, exit): (&String, &Value)| *exit == 0 && !late.contains(&json!(id));
            assert!(!ids(reported, "passed").is_empty() || exits.iter().any(is_green), "{envelope}");
        } else {
            refused += 1;
        }
    }
    let counts = [accepted, refused, with_new_failures, stale];
    assert!(accepted > 100 && refused > 1_000 && with_new_failures > 50 && stale > 500, "{counts:?}");
}

/// Removes each field of trees, baselines and files with a chance of one in two.
fn without_some(mut envelope: Value, mut keep: u32) -> Value {
    let evidence = &mut envelope["evidence"];
    let parents =
        ["", "/validation", "/harness_report", "", "/harness_report/cases", "/baseline/cases", "/baseline"];
    let fields = ["tree", "trees", "tree", "baseline", "file", "file", "tree"];
    for (parent, field) in parents.into_iter().zip(fields) {
        let is_kept = keep.is_multiple_of(2);
        keep /= 2;
        match evidence.pointer_mut(parent) {
            Some(Value::Object(object)) if !is_kept => drop(object.remove(field)),
            Some(Value::Array(cases)) if !is_kept => {
                cases.iter_mut().for_each(|case| drop(case.as_object_mut().unwrap().remove(field)));
            }
            _ => {}
        }
    }
    envelope
}

#[test]
fn no_tree_baseline_or_file_makes_a_success_unless_a_policy_accepts_known_failures() {
    let mut removed = 0;
    for (with, keep) in samples(10_000, (envelopes(), any::<u32>())) {
        if status(&evaluate(&with, "refuse")) == "success" {
            let without = without_some(with.clone(), keep);
            removed += usize::from(without != with);
            assert_eq!(status(&evaluate(&without, "refuse")), "success", "{with} {without}");
        }
    }
    assert!(removed > 200, "{removed}");
}

/// A baseline that lists no case is compared by its sums, and the first case replaces these.
#[test]
fn a_case_in_a_baseline_never_helps_unless_its_failure_is_accepted() {
    let listing = envelopes()
        .prop_filter("lists no case", |envelope| !list(envelope, "/evidence/baseline/cases").is_empty());
    let mut unhelpful = 0;
    for (before, case, place) in samples(5_000, (listing, case(), any::<prop::sample::Index>())) {
        let mut after = before.clone();
        let cases = after["evidence"]["baseline"]["cases"].as_array_mut().unwrap();
        cases.insert(place.index(cases.len() + 1), case.clone());
        let words = if case["status"] == "failed" { &["refuse"][..] } else { &["refuse", "accept"] };
        for word in words {
            let [before, after] =
                [&before, &after].map(|envelope| status(&evaluate(envelope, word)).to_owned());
            assert!(after != "success" || before == "success", "{word}");
            unhelpful += usize::from(after != "success" && before == "success");
        }
    }
    assert!(unhelpful > 100, "{unhelpful}");
}

#[test]
fn facts_count_what_the_answer_lists() {
    let mut counted = 0;
    for envelope in samples(2_000, envelopes()) {
        let facts = call(Operation::Facts, &envelope, "accept");
        let fact = |name: &str| {
            let of_name = |fact: &&Value| fact["variable"] == format!("facts.tests.{name}");
            list(&facts, "/variables").iter().find(of_name).unwrap()["value"].as_u64()
        };
        let Some(known) = fact("known") else { continue };
        counted += 1;
        let answer = evaluate(&envelope, "accept");
        assert_eq!(known as usize, list(&answer, "/known_failures").len(), "{envelope}");
        let new = found_below(&answer, "/evidence/harness_report/cases/")
            + found_below(&answer, "/evidence/harness_report/summary/failed");
        assert_eq!(fact("new_failures").unwrap() as usize, new, "{envelope}");
        let shrunk = list(&answer, "/findings").iter().filter(|finding| finding["rule"] == "tests_shrunk");
        let lost =
            |finding: &Value| finding["expected"].as_u64().unwrap() - finding["actual"].as_u64().unwrap();
        assert_eq!(fact("lost").unwrap(), shrunk.map(lost).sum::<u64>(), "{envelope}");
        assert!(fact("skipped_now") <= fact("lost"), "{envelope}");
    }
    assert!(counted > 500, "{counted}");
}

#[test]
fn a_restriction_accepts_nothing() {
    let compiled = |policy: &Value| Policy::parse(policy.to_string().as_bytes()).unwrap();
    let lax = with(
        policy("accept"),
        [("tests_may_go", Some(json!(["**"]))), ("unstable_ids", Some(json!(["**"])))],
    );
    let (strict, lax) = (compiled(&policy("refuse")), compiled(&lax));
    let mut loosened = 0;
    for envelope in samples(2_000, envelopes()) {
        let composed = |base: &Policy, others: &[&Policy]| {
            let text = envelope.to_string();
            let answer = evaluate_composed(text.as_bytes(), base, others, CompositionMode::Restrict);
            status(&serde_json::from_str(&answer.unwrap()).unwrap()).to_owned()
        };
        let alone = composed(&strict, &[]);
        loosened += usize::from(alone != "success" && composed(&lax, &[]) == "success");
        for both in [composed(&strict, &[&lax]), composed(&lax, &[&strict])] {
            assert!(both != "success" || alone == "success", "{envelope}");
        }
    }
    assert!(loosened > 50, "{loosened}");
}
