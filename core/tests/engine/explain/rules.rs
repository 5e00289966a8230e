//! One case at least for each built-in rule: what would make its finding go away, or why nothing does.

use adjudicate_core::{Operation, RuleCode};
use serde_json::{Value, json};

use crate::explain::{call, envelope, explain, patch::patched, status};

/// The expected result of an explanation.
enum Expected {
    /// These changes, as `op path`, and the values of those that have one.
    Changes(&'static [(&'static str, &'static str)]),
    /// The reason why there is no counterfactual.
    None(&'static str),
}

use Expected::{Changes, None};

/// A rule, the envelope in which it fires, the policy, what is expected.
fn cases() -> Vec<(RuleCode, Value, Value, Expected)> {
    let ev = |evidence: Value| envelope(&evidence, &json!({}));
    let failing = json!({"validation": {"mechanical_outcome": "completed", "exit_codes": {"unit": 1}, "timeouts": []},
        "artifacts": ["unit.log"]});
    let earlier = |status: &str, flag: &[&str], blocker: &[&str]| {
        json!({"step_id": "judge", "opcode": "EVALUATE", "status": status, "diff_summary": " M src/lib.rs\n",
            "risk_flags": flag, "blocker_codes": blocker})
    };
    let outcome = |outcome: &str| {
        ev(json!({"validation": {"mechanical_outcome": outcome, "exit_codes": {"unit": 0}, "timeouts": []}}))
    };
    let report = |passed: u64, failed: u64, cases: Value| json!({"harness_report": {"suite_id": "e2e", "cases": cases, "summary": {"passed": passed, "failed": failed}}});
    let empty = |claims: Value, intent: &str| {
        ev(json!({"workspace_diff_summary": "", "claims": claims, "step_intent": intent}))
    };
    let pass = Changes(&[("replace /evidence/validation/exit_codes/unit", "0")]);
    let add_file = Changes(&[("replace /evidence/workspace_diff_summary", r#"" M changed-file\n""#)]);
    let complete = || Changes(&[("replace /evidence/validation/mechanical_outcome", r#""completed""#)]);
    let house = |members: Value| {
        let mut policy = json!({"policy": "house", "version": "1.0.0"});
        policy.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        policy
    };
    use RuleCode as R;
    vec![
        (
            R::PolicyViolation,
            ev(json!({"policy_events": ["untrusted_state"]})),
            Value::Null,
            None("terminal"),
        ),
        (R::PolicyViolation, outcome("killed_policy"), Value::Null, None("terminal")),
        (R::PolicyViolation, ev(json!({})), house(json!({"forbidden_paths": ["src/**"]})), None("terminal")),
        (
            R::ReportMismatch,
            ev(
                json!({"validation": {"exit_codes": {"unit": 1}, "timeouts": ["unit", "lint"]}, "claims": ["tests_passed"]}),
            ),
            Value::Null,
            Changes(&[
                ("replace /evidence/validation/exit_codes/unit", "0"),
                ("remove /evidence/validation/timeouts/1", ""),
                ("remove /evidence/validation/timeouts/0", ""),
            ]),
        ),
        (R::TranscriptMismatch, empty(json!(["fixed"]), "fix"), Value::Null, add_file),
        (
            R::TranscriptMismatch,
            empty(json!(["fixed", "tests_passed"]), "fix"),
            house(json!({"forbidden_paths": ["**"]})),
            // Nothing may change, so nothing was to be changed.
            Changes(&[("replace /evidence/claims", r#"["tests_passed","no_change_needed"]"#)]),
        ),
        (R::ErrorButChanged, ev(json!({"claims": ["error_reported"]})), Value::Null, None("needs_human")),
        (
            R::MissingArtifact,
            ev(json!({"required_artifacts": ["a/*.{txt,md}", "b"], "artifacts": ["c"]})),
            Value::Null,
            Changes(&[
                ("add /evidence/artifacts/1", r#""a/file.txt""#),
                ("add /evidence/artifacts/2", r#""b""#),
            ]),
        ),
        (
            R::StaleEvidence,
            ev(
                json!({"tree": "b", "validation": {"exit_codes": {"lint": 0, "unit": 0}, "trees": {"unit": "a"}},
                "review": {"artifact_ref": "r", "issues": [], "tree": "a"}, "artifacts": ["r"]}),
            ),
            Value::Null,
            Changes(&[
                ("replace /evidence/review/tree", r#""b""#),
                ("replace /evidence/validation/trees/unit", r#""b""#),
            ]),
        ),
        (
            R::StaleEvidence,
            ev(json!({"validation": {"exit_codes": {"unit": 0}}})),
            house(json!({"require_tree": true})),
            Changes(&[
                ("add /evidence/tree", r#""tree""#),
                ("add /evidence/validation/trees", r#"{"unit":"tree"}"#),
            ]),
        ),
        (
            R::TestsShrunk,
            ev(
                json!({"harness_report": {"cases": [{"id": "a", "status": "skipped"}], "summary": {"passed": 0, "failed": 0}},
                "baseline": {"exit_codes": {}, "cases": [{"id": "a", "status": "passed"},
                    {"id": "b", "status": "failed", "validator": "unit"}]}}),
            ),
            Value::Null,
            Changes(&[
                ("replace /evidence/harness_report/cases/0/status", r#""passed""#),
                (
                    "add /evidence/harness_report/cases/1",
                    r#"{"id":"b","status":"passed","validator":"unit"}"#,
                ),
                ("replace /evidence/harness_report/summary/passed", "2"),
            ]),
        ),
        (
            R::UnsupportedClaim,
            ev(json!({"validation": {"exit_codes": {}}, "claims": ["tests_passed"]})),
            Value::Null,
            Changes(&[("add /evidence/validation/exit_codes/tests", "0")]),
        ),
        (
            R::RepeatedContradiction,
            envelope(
                &json!({"workspace_diff_summary": "", "claims": ["fixed"], "step_intent": "fix"}),
                &json!({"evaluate_history": [earlier("partial", &["transcript_workspace_mismatch"], &[])]}),
            ),
            Value::Null,
            Changes(&[("replace /evidence/workspace_diff_summary", r#"" M changed-file\n""#)]),
        ),
        (
            R::Goldens,
            ev(
                json!({"harness_report": {"suite_id": "s", "cases": [], "summary": {"passed": 1, "failed": 0},
                "proposed_goldens": ["a.png"]}}),
            ),
            Value::Null,
            None("needs_human"),
        ),
        (
            R::Approval,
            ev(json!({"approvals": {"required": ["x"], "granted": []}})),
            Value::Null,
            None("needs_human"),
        ),
        (R::Approval, ev(json!({})), house(json!({"protected_paths": ["src/**"]})), None("needs_human")),
        (
            R::RepeatedPartial,
            envelope(
                &failing,
                &json!({"evaluate_history": [earlier("partial", &[], &[]), earlier("partial", &[], &[])]}),
            ),
            Value::Null,
            pass,
        ),
        (
            R::RepeatedBlocker,
            envelope(
                &json!({"validation": {"exit_codes": {"unit": 1}}}),
                &json!({"evaluate_history": [earlier("blocked", &[], &["no_fix_path"])]}),
            ),
            Value::Null,
            Changes(&[("replace /evidence/validation/exit_codes/unit", "0")]),
        ),
        (
            R::RefinementSpent,
            envelope(&failing, &json!({"refinement": {"spent": 1}})),
            house(json!({"profile": "oa06.1", "review": "optional"})),
            Changes(&[("replace /evidence/validation/exit_codes/unit", "0")]),
        ),
        (
            R::Unchecked,
            ev(json!({"validation": {"mechanical_outcome": "completed", "exit_codes": {}, "timeouts": []}})),
            Value::Null,
            Changes(&[("add /evidence/validation/exit_codes/tests", "0")]),
        ),
        (
            R::Unreviewed,
            ev(json!({"artifacts": ["review"]})),
            house(json!({"review": "required"})),
            Changes(&[
                ("add /evidence/artifacts/1", r#""review-2""#),
                ("add /evidence/review", r#"{"artifact_ref":"review-2","issues":[]}"#),
            ]),
        ),
        (
            R::MissingArtifact,
            ev(json!({"review": {"artifact_ref": "notes/r.md", "issues": []}})),
            Value::Null,
            Changes(&[("add /evidence/artifacts/0", r#""notes/r.md""#)]),
        ),
        (
            R::AmbiguousRoute,
            envelope(&json!({}), &json!({"allowed_next_steps": ["publish", "merge/it"]})),
            Value::Null,
            Changes(&[("add /steps", r#"{"publish":{"role":"forward"}}"#)]),
        ),
        (
            R::UnknownEvidence,
            ev(json!({"uncollected": [{"what": "coverage", "reason": "the tool failed"}]})),
            Value::Null,
            Changes(&[("remove /evidence/uncollected/0", "")]),
        ),
        (R::HardFailure, outcome("error"), Value::Null, complete()),
        (
            R::HardFailure,
            ev(json!({"required_validators": ["lint"]})),
            house(json!({"required_validators": ["audit"]})),
            Changes(&[
                ("add /evidence/validation/exit_codes/audit", "0"),
                ("add /evidence/validation/exit_codes/lint", "0"),
            ]),
        ),
        (R::Interrupted, outcome("killed_idle"), Value::Null, complete()),
        (
            R::ValidationFailed,
            ev(failing.clone()),
            Value::Null,
            Changes(&[("replace /evidence/validation/exit_codes/unit", "0")]),
        ),
        (
            R::ValidationFailed,
            ev(report(0, 1, json!([{"id": "a", "status": "failed", "repro": "make a"}]))),
            Value::Null,
            Changes(&[
                ("replace /evidence/harness_report/cases/0/status", r#""passed""#),
                ("replace /evidence/harness_report/summary/passed", "1"),
                ("replace /evidence/harness_report/summary/failed", "0"),
            ]),
        ),
        (
            R::NoFixPath,
            ev(json!({"validation": {"exit_codes": {"unit": 1}}})),
            Value::Null,
            Changes(&[("replace /evidence/validation/exit_codes/unit", "0")]),
        ),
        (
            R::NoFixPath,
            ev(report(1, 2, json!([]))),
            Value::Null,
            Changes(&[("replace /evidence/harness_report/summary/failed", "0")]),
        ),
        (
            R::CountMismatch,
            ev(report(2, 0, json!([{"id": "a", "status": "passed"}]))),
            Value::Null,
            Changes(&[("replace /evidence/harness_report/summary/passed", "1")]),
        ),
        (
            R::ReviewIssue,
            ev(json!({"artifacts": ["r.md"], "review": {"artifact_ref": "r.md", "issues": [
                {"id": "a", "summary": "s", "severity": "high"}, {"id": "b", "summary": "s", "severity": "low"}]}})),
            Value::Null,
            Changes(&[("remove /evidence/review/issues/0", "")]),
        ),
        (
            R::EmptyDiff,
            ev(json!({"workspace_diff_summary": "", "step_intent": "implement"})),
            Value::Null,
            Changes(&[("replace /evidence/workspace_diff_summary", r#"" M changed-file\n""#)]),
        ),
        (
            R::NoFixStep,
            envelope(&failing, &json!({"allowed_next_steps": ["publish"]})),
            Value::Null,
            Changes(&[("replace /evidence/validation/exit_codes/unit", "0")]),
        ),
        (
            R::UnknownEvidence,
            ev(json!({"workspace_diff_summary": "a few things"})),
            house(json!({"protected_paths": ["infra/**"]})),
            Changes(&[(
                "add /evidence/diff",
                r#"{"files":[{"path":"changed-file","change":"modified","insertions":0,"deletions":0}]}"#,
            )]),
        ),
    ]
}

#[test]
fn each_rule_has_its_counterfactual_or_a_reason_why_not() {
    for (code, envelope, policy, expected) in cases() {
        let name = code.row().name;
        let answer = explain(&envelope, &policy);
        let reasons = answer["reasons"].as_array().unwrap();
        let reason = reasons
            .iter()
            .find(|reason| reason["rule"] == name)
            .unwrap_or_else(|| panic!("{name}: {answer}"));
        assert!(reason.get("expected").is_some() && reason.get("actual").is_some(), "{reason}");
        match expected {
            None(reason) => {
                assert_eq!(answer["no_counterfactual"]["reason"], reason, "{name}: {answer}");
                assert!(
                    answer["no_counterfactual"]["rules"].as_array().unwrap().contains(&json!(name)),
                    "{answer}"
                );
                assert!(answer["counterfactual"].is_null());
            }
            Changes(expected) => {
                let changes = answer["counterfactual"]["changes"]
                    .as_array()
                    .unwrap_or_else(|| panic!("{name}: {answer}"));
                let written: Vec<(String, Option<Value>)> = changes
                    .iter()
                    .map(|change| {
                        let what = format!(
                            "{} {}",
                            change["op"].as_str().unwrap(),
                            change["path"].as_str().unwrap()
                        );
                        (what, change.get("value").cloned())
                    })
                    .collect();
                let expected: Vec<(String, Option<Value>)> = expected
                    .iter()
                    .map(|(what, value)| ((*what).into(), serde_json::from_str(value).ok()))
                    .collect();
                assert_eq!(written, expected, "{name}");
                assert_eq!(
                    status(&patched(&envelope, changes), &policy).as_deref(),
                    Some("success"),
                    "{name}"
                );
                assert_eq!(answer["counterfactual"]["next_step"], "publish", "{name}");
                assert!(
                    answer["counterfactual"]["resolves"].as_array().unwrap().contains(&json!(name)),
                    "{answer}"
                );
            }
        }
    }
}

#[test]
fn no_rule_is_forgotten() {
    let cases = cases();
    for code in RuleCode::ALL {
        assert!(cases.iter().any(|(covered, ..)| covered == code), "no case of `{}`", code.row().name);
    }
}

#[test]
fn success_has_nothing_to_explain() {
    let answer = explain(&envelope(&json!({}), &json!({})), &Value::Null);
    assert_eq!(answer["reasons"], json!([]));
    assert_eq!(answer["overruled"], json!([]));
    assert_eq!(answer["counterfactual"], Value::Null);
    assert_eq!(answer["no_counterfactual"]["reason"], "success");
    assert!(answer.get("trace").is_none());
}

#[test]
fn a_call_without_an_evaluation_gets_the_same_error_from_explain() {
    for (envelope, policy) in [
        (json!({}), Value::Null),
        (json!(3), Value::Null),
        (envelope(&json!({"claims": ["won"]}), &json!({})), Value::Null),
        (envelope(&json!({}), &json!({})), json!({"policy": "p", "version": "1"})),
    ] {
        let errors =
            [Operation::Evaluate, Operation::Explain].map(|one| call(one, &envelope, &policy).unwrap_err());
        assert_eq!(errors[0], errors[1]);
    }
}
