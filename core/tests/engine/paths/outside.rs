//! docs/reference/text-formats.md, *Outside*, and `path_case`.

use serde_json::{Value, json};

use crate::paths::{envelope, evaluate, file, findings, policy, status};

const OUTSIDE: &[&str] = &[
    "/home/u/repo/deploy/x",
    "/deploy/x",
    "/",
    "../repo/deploy/x",
    "deploy/../../deploy/x",
    "..",
    "C:/deploy/x",
    "c:x",
    "C:\\deploy\\x",
    "~/deploy/x",
    "~root/deploy",
    "file:///deploy/x",
    "https://host/x",
    "git+ssh-2.0:x",
    "deploy\\x",
    "deploy/x\0",
    "a\u{1}b",
    "a\tb",
    "a\nb",
    "a\u{1f}b",
    "a\u{7f}b",
];

const INSIDE: &[&str] = &[
    "src/x", "./src/x", "src/../a", "~", "~backup", "a/~/b", "src/C:/x", "a b:c", ":x", "é:x", "a\u{80}b",
    "..a", "a/...", "x:",
];

fn decide(members: &Value, path: &str) -> (String, Vec<String>) {
    let answer = evaluate(&envelope(&[file(path, "modified")]), &policy(members));
    let rules = findings(&answer).iter().map(|(rule, _)| (*rule).to_owned()).collect();
    (status(&answer).to_owned(), rules)
}

#[test]
fn absolute_and_climbing_paths_are_outside() {
    for path in OUTSIDE {
        assert_eq!(decide(&json!({"outside": "refuse"}), path).0, "unsafe", "{path:?}");
    }
    // The last one has a scheme: `x:`.
    for path in &INSIDE[..INSIDE.len() - 1] {
        assert_eq!(decide(&json!({"outside": "refuse"}), path).0, "success", "{path:?}");
    }
    assert_eq!(decide(&json!({"outside": "refuse"}), "x:").0, "unsafe");
}

#[test]
fn asked_it_is_unknown_to_every_list_and_matched_by_none() {
    for path in OUTSIDE {
        for list in ["forbidden_paths", "protected_paths"] {
            for pattern in ["**", "deploy/**", "unrelated"] {
                for members in [json!({list: [pattern]}), json!({list: [pattern], "outside": "ask"})] {
                    let (status, rules) = decide(&members, path);
                    assert_eq!(
                        (&*status, &*rules),
                        ("needs_human", &["unknown_evidence".into()][..]),
                        "{path:?}"
                    );
                }
            }
        }
        assert_eq!(decide(&json!({"required_artifacts": []}), path).0, "success", "{path:?}: no list asks");
    }
}

#[test]
fn no_grant_covers_it() {
    let mut envelope = envelope(&[file("/db/x", "modified")]);
    envelope["evidence"]["approvals"] =
        json!({"required": [], "granted": ["/db/x", "db/x", "protected_path"]});
    let answer = evaluate(&envelope, &policy(&json!({"protected_paths": ["db/**"]})));
    assert_eq!(findings(&answer), [("unknown_evidence", "/evidence/diff")]);
}

#[test]
fn allowed_it_is_matched_as_it_is_normalised() {
    for (path, expected) in [
        ("/deploy/x", "unsafe"),
        ("../deploy/x", "unsafe"),
        ("/home/deploy/x", "success"),
        ("deploy\\x", "success"),
        ("/", "needs_human"),
    ] {
        let members = json!({"forbidden_paths": ["deploy/**"], "outside": "allow"});
        assert_eq!(decide(&members, path).0, expected, "{path:?}");
    }
}

#[test]
fn refused_it_is_a_violation_that_shows_it_as_it_is_written() {
    let files = [file("src/a", "modified"), file("/etc/passwd", "modified"), file("deploy/x", "added")];
    let answer =
        evaluate(&envelope(&files), &policy(&json!({"outside": "refuse", "forbidden_paths": ["deploy/**"]})));
    let shown = |index: usize| answer["findings"][index]["actual"].as_str().unwrap();
    assert_eq!(
        findings(&answer),
        [("policy_violation", "/evidence/diff/files/1"), ("policy_violation", "/evidence/diff/files/2")]
    );
    assert_eq!((shown(0), shown(1)), ("/etc/passwd", "deploy/x"));
}

#[test]
fn either_name_may_be_outside() {
    for (path, from) in [("/x", "a"), ("a", "/x")] {
        let renamed = json!({"path": path, "change": "renamed", "from": from});
        let answer = evaluate(&envelope(&[renamed]), &policy(&json!({"outside": "refuse"})));
        assert_eq!(status(&answer), "unsafe");
    }
}

#[test]
fn artifacts_and_approvals_have_no_outside() {
    let mut envelope = envelope(&[file("db/x", "modified")]);
    envelope["evidence"]["artifacts"] = json!(["/tmp/run/report.md"]);
    envelope["evidence"]["approvals"] = json!({"required": [], "granted": ["/db/x"]});
    let policy = policy(
        &json!({"outside": "refuse", "protected_paths": ["db/**"], "required_artifacts": ["tmp/run/report.md"]}),
    );
    assert_eq!(status(&evaluate(&envelope, &policy)), "success");
}

#[test]
fn a_path_of_the_same_normal_form_is_another_path() {
    let files = [file("/deploy/x", "modified"), file("deploy/x", "modified")];
    let answer = evaluate(&envelope(&files), &policy(&json!({"forbidden_paths": ["deploy/**"]})));
    assert_eq!(
        findings(&answer),
        [("policy_violation", "/evidence/diff/files/1"), ("unknown_evidence", "/evidence/diff")]
    );
}

#[test]
fn path_case_is_for_path_lists_and_required_artifacts_and_not_for_routes() {
    let decide = |case: Value, list: &str, path: &str| {
        let mut members = json!({list: ["Deploy/é*.Key"]});
        if !case.is_null() {
            members["path_case"] = case;
        }
        status(&evaluate(&envelope(&[file(path, "modified")]), &policy(&members))).to_owned()
    };
    let insensitive = || json!("ascii_insensitive");
    for (list, found) in [("forbidden_paths", "unsafe"), ("protected_paths", "needs_human")] {
        for case in [Value::Null, json!("sensitive")] {
            assert_eq!(decide(case.clone(), list, "Deploy/éa.Key"), found);
            assert_eq!(decide(case, list, "deploy/éa.key"), "success");
        }
        assert_eq!(decide(insensitive(), list, "dEPLOY/éA.kEY"), found);
        // Letters beyond ASCII stay as they are.
        assert_eq!(decide(insensitive(), list, "deploy/Éa.key"), "success");
        // Parent directories are compared in the same way.
        assert_eq!(decide(insensitive(), list, "DEPLOY"), "needs_human");
    }
    let artifact = |case: &str| {
        let mut envelope = envelope(&[]);
        envelope["evidence"]["artifacts"] = json!(["REPORT.md"]);
        let policy = policy(&json!({"required_artifacts": ["report.md"], "path_case": case}));
        status(&evaluate(&envelope, &policy)).to_owned()
    };
    assert_eq!(artifact("ascii_insensitive"), "success");
    assert_ne!(artifact("sensitive"), "success");
    let routed = |step: &str| {
        let mut envelope = envelope(&[]);
        envelope["allowed_next_steps"] = json!([step, "STOP"]);
        let policy = policy(&json!({"path_case": "ascii_insensitive", "routes": {"gate": ["Ship"]}}));
        evaluate(&envelope, &policy)["decision"]["next_step"].as_str().unwrap().to_owned()
    };
    assert_eq!((&*routed("Ship"), &*routed("ship")), ("STOP", "ship"));
}
