//! Rules as teams write them: where one thing more, or less, or another would do, it is found.

use serde_json::{Value, json};

use super::{envelope, explain, patched, status};

/// A rule, its evidence, and the expected changes, as `op path value`.
type Case = (&'static str, Value, Value, &'static [&'static str]);

fn var(name: &str) -> Value {
    json!({"var": name})
}

fn no_checks() -> Value {
    json!({"validation": {"mechanical_outcome": "completed", "exit_codes": {}, "timeouts": []}})
}

fn report(cases: &[&str], passed: u64) -> Value {
    let cases: Vec<Value> = cases
        .iter()
        .enumerate()
        .map(|(at, status)| json!({"id": format!("c{at}"), "status": status}))
        .collect();
    json!({"harness_report": {"suite_id": "s", "cases": cases, "summary": {"passed": passed, "failed": 0}}})
}

fn files(lines: &[(u64, u64)]) -> Value {
    let file = |(at, (insertions, deletions)): (usize, &(u64, u64))| json!({"path": format!("src/{at}.rs"), "change": "modified", "insertions": insertions, "deletions": deletions});
    json!({"step_intent": "implement", "workspace_diff_summary": "", "diff": {"files": lines.iter().enumerate().map(file).collect::<Vec<_>>()}})
}

fn checks() -> Vec<Case> {
    let passing = || var("facts.validators.passing");
    vec![
        (
            "something must have been checked",
            no_checks(),
            json!({"==": [var("facts.validators.count"), 0]}),
            &["add /evidence/validation/exit_codes/tests 0"],
        ),
        (
            "something must have passed",
            no_checks(),
            json!({"==": [{"length": passing()}, 0]}),
            &["add /evidence/validation/exit_codes/tests 0"],
        ),
        (
            "three checks must have passed",
            json!({}),
            json!({"<": [{"length": [passing()]}, 3]}),
            &["add /evidence/validation/exit_codes/tests 0", "add /evidence/validation/exit_codes/tests-2 0"],
        ),
        (
            "more than three, and one fails",
            json!({"validation": {"exit_codes": {"tests": 1}}}),
            json!({"<=": [{"length": [passing()]}, 3]}),
            &[
                "replace /evidence/validation/exit_codes/tests 0",
                "add /evidence/validation/exit_codes/tests-2 0",
                "add /evidence/validation/exit_codes/tests-3 0",
                "add /evidence/validation/exit_codes/tests-4 0",
            ],
        ),
        (
            "the name is the policy's for something else",
            json!({}),
            json!({"or": [{"in": ["tests", passing()]}, {"<": [var("facts.validators.count"), 2]}]}),
            &["add /evidence/validation/exit_codes/tests-2 0"],
        ),
        (
            "one of a family",
            json!({}),
            json!({"none": [passing(), {"starts_with": [var(""), "security-"]}]}),
            &["add /evidence/validation/exit_codes/security-tests 0"],
        ),
        (
            "one of another family",
            json!({}),
            json!({"!": {"some": [passing(), {"ends_with": [var(""), "-e2e"]}]}}),
            &["add /evidence/validation/exit_codes/tests-e2e 0"],
        ),
        (
            "one of several",
            json!({}),
            json!({"!": {"some": [passing(), {"in": [var(""), ["audit", "fuzz"]]}]}}),
            &["add /evidence/validation/exit_codes/audit 0"],
        ),
        (
            "the exit codes are looked at directly",
            no_checks(),
            json!({"==": [{"length": [var("input.evidence.validation.exit_codes")]}, 0]}),
            &["add /evidence/validation/exit_codes/tests 0"],
        ),
        (
            "one exit code is looked at directly",
            json!({}),
            json!({"!=": [{"var": ["input.evidence.validation.exit_codes.audit", 1]}, 0]}),
            &["add /evidence/validation/exit_codes/audit 0"],
        ),
        (
            "a report of ten cases, and there is none",
            json!({}),
            json!({"<": [{"var": ["facts.harness.passed", 0]}, 2]}),
            &[
                r#"add /evidence/harness_report {"suite_id":"suite","cases":[{"id":"case","status":"passed"},{"id":"case-2","status":"passed"}],"summary":{"passed":2,"failed":0}}"#,
            ],
        ),
        (
            "a thousand cases that are only counted",
            report(&[], 400),
            json!({"<": [var("facts.harness.passed"), 1000]}),
            &["replace /evidence/harness_report/summary/passed 1000"],
        ),
        (
            "three cases, two listed",
            report(&["passed", "passed"], 2),
            json!({"<": [var("facts.harness.passed"), 3]}),
            &[
                r#"add /evidence/harness_report/cases/2 {"id":"case","status":"passed"}"#,
                "replace /evidence/harness_report/summary/passed 3",
            ],
        ),
        (
            "the harness must pass, and nothing was run",
            report(&[], 0),
            json!({"!": var("facts.harness.passes")}),
            &["replace /evidence/harness_report/summary/passed 1"],
        ),
        (
            "skipped cases, of which there are many",
            report(&["skipped"; 20], 0),
            json!({">": [var("facts.harness.skipped"), 18]}),
            &[
                r#"replace /evidence/harness_report/cases/0/status "passed""#,
                r#"replace /evidence/harness_report/cases/1/status "passed""#,
                "replace /evidence/harness_report/summary/passed 2",
            ],
        ),
        (
            "flaky cases that are only counted",
            json!({"harness_report": {"suite_id": "s", "cases": [], "summary": {"passed": 9, "failed": 0, "flaky": 3}}}),
            json!({">": [var("facts.harness.flaky"), 1]}),
            &["replace /evidence/harness_report/summary/flaky 1"],
        ),
        (
            "a suite that takes too long",
            json!({"harness_report": {"suite_id": "s", "cases": [], "summary": {"passed": 9, "failed": 0, "duration_ms": 70000}}}),
            json!({">": [var("input.evidence.harness_report.summary.duration_ms"), 60000]}),
            &["replace /evidence/harness_report/summary/duration_ms 60000"],
        ),
    ]
}

fn work() -> Vec<Case> {
    vec![
        (
            "an artifact, whichever",
            json!({}),
            json!({"==": [{"length": [var("input.evidence.artifacts")]}, 0]}),
            &[r#"add /evidence/artifacts/0 "artifact""#],
        ),
        (
            "an artifact of a sort",
            json!({"artifacts": ["a.log"]}),
            json!({"none": [var("input.evidence.artifacts"), {"glob": [var(""), "*.sbom.json"]}]}),
            &[r#"add /evidence/artifacts/1 "file.sbom.json""#],
        ),
        (
            "a claim, whichever",
            json!({"claims": []}),
            json!({"==": [{"length": [var("facts.claims")]}, 0]}),
            &[r#"replace /evidence/claims ["implemented"]"#],
        ),
        (
            "a claim, and none are known",
            json!({}),
            json!({"==": [{"length": [var("facts.claims")]}, 0]}),
            &[r#"add /evidence/claims ["implemented"]"#],
        ),
        (
            "a claim that is named",
            json!({"claims": ["implemented"]}),
            json!({"!": {"in": ["tests_passed", var("facts.claims")]}}),
            &[r#"replace /evidence/claims ["implemented","tests_passed"]"#],
        ),
        (
            "too many lines in one file",
            files(&[(10, 0), (900, 3)]),
            json!({">": [var("facts.diff.insertions"), 500]}),
            &["replace /evidence/diff/files/1/insertions 490"],
        ),
        (
            "too many lines, whether they come or go",
            files(&[(300, 300)]),
            json!({">": [{"+": [var("facts.diff.insertions"), var("facts.diff.deletions")]}, 400]}),
            &["replace /evidence/diff/files/0/insertions 100"],
        ),
        (
            "too many files",
            json!({"workspace_diff_summary": " M a\n M b\n M c\n"}),
            json!({">": [var("facts.diff.count"), 2]}),
            &[r#"replace /evidence/workspace_diff_summary " M b\n M c\n""#],
        ),
        (
            "too few files",
            json!({}),
            json!({"<": [var("facts.diff.count"), 3]}),
            &[
                r#"replace /evidence/workspace_diff_summary " M src/lib.rs\n M changed-file\n M changed-file-2\n""#,
            ],
        ),
        (
            "code without tests",
            json!({}),
            json!({"and": [
                {"some": [var("facts.diff.paths"), {"glob": [var(""), "src/**"]}]},
                {"none": [var("facts.diff.paths"), {"glob": [var(""), "tests/**"]}]}]}),
            &[r#"replace /evidence/workspace_diff_summary " M src/lib.rs\n M tests/file\n""#],
        ),
        (
            "minor issues, of which there are many",
            json!({"artifacts": ["r.md"], "review": {"artifact_ref": "r.md", "issues": vec![json!({"id": "i", "summary": "s", "severity": "low"}); 30]}}),
            json!({">": [var("facts.review.low"), 28]}),
            &["remove /evidence/review/issues/1", "remove /evidence/review/issues/0"],
        ),
        (
            "one value against another",
            json!({"x-coverage": {"base": 81.4, "now": 79}}),
            json!({"<": [var("input.evidence.x-coverage.now"), {"-": [var("input.evidence.x-coverage.base"), 0.5]}]}),
            &["replace /evidence/x-coverage/now 80.9"],
        ),
        (
            "a text that begins with another",
            json!({"x-branch": "4.2", "x-tag": "v5.0"}),
            json!({"!": {"starts_with": [var("input.evidence.x-tag"), {"cat": ["v", var("input.evidence.x-branch")]}]}}),
            &[r#"replace /evidence/x-tag "v4.2""#],
        ),
        (
            "a ticket",
            json!({"x-ticket": "none"}),
            json!({"!": {"starts_with": [var("input.evidence.x-ticket"), "OPS-"]}}),
            &[r#"replace /evidence/x-ticket "OPS-""#],
        ),
        (
            "a label",
            json!({"x-labels": ["bug"]}),
            json!({"!": {"in": ["reviewed", var("input.evidence.x-labels")]}}),
            &[r#"add /evidence/x-labels/1 "reviewed""#],
        ),
        (
            "somebody of a list",
            json!({"x-owner": "eve", "x-owners": ["ann", "bob"]}),
            json!({"!": {"in": [var("input.evidence.x-owner"), var("input.evidence.x-owners")]}}),
            &[r#"replace /evidence/x-owner "ann""#],
        ),
    ]
}

/// Conditions that no change to the evidence satisfies.
fn others() -> Vec<(&'static str, Value, Value, &'static str)> {
    vec![
        (
            "an approval",
            json!({"approvals": {"required": [], "granted": []}}),
            json!({"<": [{"length": [var("facts.approvals.granted")]}, 2]}),
            "needs_human",
        ),
        ("a review", json!({}), json!({"!": var("facts.review.present")}), "needs_human"),
        (
            "an event",
            json!({"policy_events": ["info:late"]}),
            json!({"in": ["info:late", var("input.evidence.policy_events")]}),
            "terminal",
        ),
        (
            "what is asked for",
            json!({}),
            json!({"!": {"in": ["audit", {"var": ["input.evidence.required_validators", []]}]}}),
            "terminal",
        ),
    ]
}

fn rule(at: usize, when: &Value) -> Value {
    json!({"id": format!("r{at}"), "when": when, "then": {"status": "blocked", "summary": "s"}})
}

fn policy(when: &Value) -> Value {
    json!({"policy": "house", "version": "1.0.0", "rules": [rule(0, when)]})
}

fn evidence_of(evidence: &Value) -> Value {
    let mut envelope = envelope(evidence, &json!({}));
    if *evidence == no_checks() {
        envelope["evidence"]["validation"] = no_checks()["validation"].clone();
    }
    envelope
}

#[test]
fn explain_finds_the_changes_for_conditions_of_teams() {
    let mut wrong = Vec::new();
    for (name, evidence, when, expected) in checks().into_iter().chain(work()) {
        let (envelope, policy) = (evidence_of(&evidence), policy(&when));
        let answer = explain(&envelope, &policy);
        let Some(changes) = answer["counterfactual"]["changes"].as_array() else {
            wrong.push(format!("{name}: {}", answer["no_counterfactual"]["reason"]));
            continue;
        };
        let written: Vec<String> = changes
            .iter()
            .map(|change| {
                let value = change.get("value").map_or(String::new(), |value| format!(" {value}"));
                format!("{} {}{value}", change["op"].as_str().unwrap(), change["path"].as_str().unwrap())
            })
            .collect();
        let expected: Vec<String> = expected.iter().map(|change| normal(change)).collect();
        if written != expected {
            wrong.push(format!("{name}: {written:#?}"));
        }
        assert_eq!(status(&patched(&envelope, changes), &policy).as_deref(), Some("success"), "{name}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A change with its value as JSON writes it here.
fn normal(change: &str) -> String {
    let parts: Vec<&str> = change.splitn(3, ' ').collect();
    match parts.as_slice() {
        [op, path, value] => format!("{op} {path} {}", serde_json::from_str::<Value>(value).unwrap()),
        _ => change.into(),
    }
}

#[test]
fn explain_finds_one_set_of_changes_for_several_rules() {
    let low = |name: &str, least: u64| json!({"<": [var(name), least]});
    let lines = |most: u64| json!({">": [var("facts.diff.insertions"), most]});
    let unknown: Vec<Value> = (0..12).map(|at| low(&format!("input.evidence.x-{at}"), 7)).collect();
    for (evidence, conditions, changes) in [
        (report(&[], 3), vec![low("facts.harness.passed", 10), low("facts.harness.passed", 100)], 1),
        (files(&[(900, 0)]), vec![lines(500), lines(300)], 1),
        (no_checks(), vec![low("facts.validators.count", 2), low("facts.validators.count", 4)], 4),
        // Each of many rules has a choice of its own.
        (json!({}), unknown, 12),
    ] {
        let rules: Vec<Value> = (0..).zip(&conditions).map(|(at, when)| rule(at, when)).collect();
        let policy = json!({"policy": "house", "version": "1.0.0", "rules": rules});
        let envelope = evidence_of(&evidence);
        let answer = explain(&envelope, &policy);
        let found = answer["counterfactual"]["changes"].as_array().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(found.len(), changes, "{found:?}");
        assert_eq!(status(&patched(&envelope, found), &policy).as_deref(), Some("success"));
    }
}

#[test]
fn explain_invents_no_evidence_that_the_run_cannot_have() {
    for (name, evidence, when, expected) in others() {
        let answer = explain(&evidence_of(&evidence), &policy(&when));
        assert_eq!(answer["no_counterfactual"]["reason"], expected, "{name}: {answer}");
    }
}
