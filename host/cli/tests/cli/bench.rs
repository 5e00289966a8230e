//! `bench`: fuel, times and memory of cases, and the comparison with a baseline.

use serde_json::{Value, json};

use crate::{
    command::{ENVELOPE, POLICY, Run, TestFolder, error_code},
    modules::{good, replying},
};

/// Runs `bench`, with a cache that the tests of `build` share.
fn bench(place: &TestFolder, args: &[&str]) -> Run {
    let engine = adjudicate_tests::artifacts::engine();
    let variables = [("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR").into()), ("ADJUDICATE_ENGINE", engine)];
    place.run_where(&variables, &[&["bench", "--seconds", "1"], args].concat(), b"")
}

/// A file with a small and a large case.
fn cases(place: &TestFolder) -> String {
    let large = format!(" M src/lib.rs\n{}", "?? src/x.rs\n".repeat(200));
    let diff = json!({"/evidence/workspace_diff_summary": large});
    let case = json!({"name": "change", "policy": "strict", "input": serde_json::from_str::<Value>(ENVELOPE).unwrap(),
        "expect": {"decision": {}}, "cases": [
            {"name": "small", "expect": {"decision": {"status": "unsafe"}}},
            {"name": "large", "set": diff, "expect": {"decision": {"status": "unsafe"}}}]});
    let case = case.to_string().replace(r#""expect":{"decision":{}},"#, "");
    place.file("cases.json", case)
}

#[test]
fn a_policy_is_measured_in_the_engine() {
    let place = TestFolder::new();
    let (policy, envelope) = (place.file("policy.json", POLICY), place.file("envelope.json", ENVELOPE));
    let args = ["--policy", &policy, &cases(&place), &envelope, "--format", "json"];
    let first = bench(&place, &args);
    assert_eq!((first.status, first.stderr.as_str()), (Some(0), ""));
    let report = first.json();
    let cases = report["cases"].as_array().unwrap();
    let names: Vec<_> = cases.iter().map(|case| case["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["change / small", "change / large", &*envelope]);
    let fuel: Vec<_> = cases.iter().map(|case| case["fuel"].as_u64().unwrap()).collect();
    assert!(fuel[0] > 1_000 && fuel[1] > 2 * fuel[0], "{fuel:?}");
    // The same text takes the same fuel.
    assert_eq!(fuel[0], fuel[2]);
    for case in cases {
        let number = |field: &str| case[field].as_u64().unwrap();
        assert!(number("runs") >= 1 && number("median_ns") <= number("p99_ns"), "{case}");
        assert!(number("memory_bytes") > 0 && number("memory_bytes") % (64 << 10) == 0, "{case}");
    }
    let again = bench(&place, &args).json();
    let fuel_again: Vec<_> =
        again["cases"].as_array().unwrap().iter().map(|case| case["fuel"].as_u64().unwrap()).collect();
    assert_eq!(fuel, fuel_again);
}

#[test]
fn a_case_that_takes_more_fuel_than_the_baseline_allows_fails() {
    let place = TestFolder::new();
    let (module, envelope) = (place.file("gate.wasm", good()), place.file("envelope.json", ENVELOPE));
    let run = |more: &[&str]| bench(&place, &[&["--module", &module, &envelope], more].concat());
    let report = run(&["--format", "json"]);
    let baseline = place.file("baseline.json", &report.stdout);
    let same = run(&["--baseline", &baseline]);
    assert_eq!(same.status, Some(0));
    assert!(
        same.stdout.contains("(as the baseline)")
            && same.stdout.ends_with("1 case: 0 over the baseline, 0 failed\n"),
        "{}",
        same.stdout
    );

    let mut lower = report.json();
    let fuel = lower["cases"][0]["fuel"].as_u64().unwrap();
    assert!(fuel > 1, "{fuel}");
    lower["cases"][0]["fuel"] = json!(fuel - 1);
    place.file("baseline.json", lower.to_string());
    let over = run(&["--baseline", &baseline, "--format", "json"]);
    let case = &over.json()["cases"][0];
    assert_eq!(
        (over.status, &case["regressed"], &case["baseline_fuel"]),
        (Some(1), &json!(true), &json!(fuel - 1))
    );
    assert_eq!(run(&["--baseline", &baseline, "--tolerance", "100"]).status, Some(0));

    lower["cases"][0]["name"] = json!("gone");
    place.file("baseline.json", lower.to_string());
    let missing = run(&["--baseline", &baseline, "--format", "json"]);
    assert_eq!((missing.status, &missing.json()["not_measured"]), (Some(1), &json!(["gone"])));
    place.file("baseline.json", "{}");
    let invalid = run(&["--baseline", &baseline]);
    assert_eq!((invalid.status, error_code(&invalid.stderr)), (Some(2), "missing_field".into()));
}

#[test]
fn a_module_that_fails_in_a_case_is_no_success() {
    let place = TestFolder::new();
    let envelope = place.file("envelope.json", ENVELOPE);
    let endless = place.file("endless.wasm", replying("{}", "(loop $again (br $again))"));
    let report = bench(&place, &["--module", &endless, &envelope, "--fuel", "100000", "--format", "json"]);
    let case = &report.json()["cases"][0];
    assert_eq!(
        (report.status, &case["error"], &case["runs"]),
        (Some(1), &json!("module_out_of_fuel"), &json!(1))
    );
    assert_eq!(case["failed"], json!(true));
    // The error of an input is an answer of the module.
    let reports = place
        .file("reports.wasm", replying(r#"{"error":{"code":"missing_field","message":"m","path":""}}"#, ""));
    let report = bench(&place, &["--module", &reports, &envelope, "--format", "json"]);
    let case = &report.json()["cases"][0];
    assert_eq!(
        (report.status, &case["error"], &case["failed"]),
        (Some(0), &json!("missing_field"), &json!(false))
    );
}
