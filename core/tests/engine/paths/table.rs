//! docs/reference/text-formats.md, *Directories*, sentence by sentence.

use serde_json::{Value, json};

use crate::paths::{envelope, evaluate, file, findings, policy, status};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Violated,
    Unknown,
    Clean,
}
use Expected::{Clean, Unknown, Violated};

/// The entry of a typed diff: a directory where the path is written with `#directory` behind it, a file with `#file`.
fn entry(path: &str, change: &str) -> Value {
    let (path, kind) = path.split_once('#').map_or((path, None), |(path, kind)| (path, Some(kind)));
    let mut entry = file(path, change);
    if change == "renamed" {
        entry["from"] = json!("somewhere-else");
    }
    if let Some(kind) = kind {
        entry["kind"] = json!(kind);
    }
    entry
}

const TABLE: &[(&str, &[&str], &str, Expected)] = &[
    // A changed path is a directory where it ends in `/`, ...
    ("db/", &["added", "modified"], "db/migrations/**", Unknown),
    ("db//", &["added"], "db/migrations/**", Unknown),
    // ... is the root, its normal form being empty, ...
    (".", &["added", "modified"], "deploy/**", Unknown),
    ("./", &["added", "modified"], "deploy/**", Unknown),
    ("", &["added", "modified"], "deploy/**", Unknown),
    ("a/..", &["added", "modified"], "deploy/**", Unknown),
    // ... or the typed entry is a directory.
    ("db#directory", &["added", "modified"], "db/*/x", Unknown),
    ("db#directory", &["added", "modified"], "*.sql", Unknown),
    ("db", &["added", "modified", "deleted", "renamed"], "*.sql", Clean),
    ("db#file", &["added", "modified", "deleted", "renamed"], "*.sql", Clean),
    // A trailing `/` takes precedence over the kind in the entry.
    ("db/#file", &["added"], "*.sql", Unknown),
    // A pattern that matches it is violated as by any file.
    ("db/", &["added", "modified", "deleted", "renamed"], "db", Violated),
    ("a/db/", &["added", "modified", "deleted", "renamed"], "db", Violated),
    ("a/db/x/", &["added"], "db", Violated),
    ("a/db/", &["added"], "a/db", Violated),
    ("a/db/x/", &["added"], "a/db", Violated),
    // So is one that matches everything under it.
    ("db/", &["added", "modified", "deleted", "renamed"], "db/**", Violated),
    ("db/", &["added"], "db/*", Violated),
    ("db/", &["added"], "db/?*", Violated),
    ("db/", &["added"], "db/**/*", Violated),
    ("db/", &["added"], "db/", Violated),
    ("x/db/", &["added"], "db/", Violated),
    (".", &["added"], "**", Violated),
    (".", &["added"], "*", Violated),
    (".", &["added"], "**/*", Violated),
    ("db/", &["added"], "db/?", Unknown),
    ("db/", &["added"], "db/??*", Unknown),
    ("db/", &["added"], "db/*/**", Unknown),
    ("db/", &["added"], "db/*/", Unknown),
    (".", &["added"], "*/", Unknown),
    // Deleted or renamed, a pattern with the prefix is violated, ...
    ("deploy/", &["deleted", "renamed"], "deploy/production/**", Violated),
    ("deploy/", &["deleted", "renamed"], "deploy/production/key", Violated),
    ("deploy/production/", &["deleted", "renamed"], "deploy/production/*/key", Violated),
    // ... and every pattern for the root ...
    (".", &["deleted", "renamed"], "deploy/**", Violated),
    (".", &["deleted", "renamed"], "*.pem", Violated),
    (".", &["deleted", "renamed"], "**/x", Violated),
    (".", &["deleted", "renamed"], "build/", Violated),
    // ... else what could be below makes it unknown.
    ("deploy/", &["deleted", "renamed"], "deploy/*/key", Violated),
    ("deploy/eu/", &["deleted", "renamed"], "deploy/*/key", Unknown),
    ("deploy/", &["deleted", "renamed"], "**/key", Unknown),
    ("deploy/", &["deleted", "renamed"], "*.pem", Unknown),
    ("docs/", &["added", "modified", "deleted", "renamed"], "deploy/**", Clean),
    ("docs/", &["added", "modified", "deleted", "renamed"], "deploy/docs/**", Clean),
    ("deploy2/", &["added", "modified", "deleted", "renamed"], "deploy/**", Clean),
    // For any other path the prefix is a violation where it was deleted or renamed, ...
    ("deploy", &["deleted", "renamed"], "deploy/**", Violated),
    ("deploy", &["deleted", "renamed"], "deploy/production/**", Violated),
    ("deploy/production", &["deleted", "renamed"], "deploy/production/*.key", Violated),
    ("deploy/eu", &["deleted", "renamed"], "deploy/*/key", Clean),
    // ... unknown where it was added or modified.
    ("deploy", &["added", "modified"], "deploy/**", Unknown),
    ("deploy", &["added", "modified"], "deploy/production/**", Unknown),
    ("deploy#file", &["added", "modified"], "deploy/**", Unknown),
    ("deploy/eu", &["added", "modified"], "deploy/*/key", Clean),
    ("deploy", &["added", "modified"], "deploy/production", Unknown),
    ("deploy/production", &["added", "modified"], "deploy/production", Violated),
    ("deploy", &["added", "modified", "deleted", "renamed"], "**/key", Clean),
    // A pattern without an inner `/` has no leading literals here, ...
    ("build", &["added", "modified", "deleted", "renamed"], "build/", Clean),
    ("scripts/build", &["added", "modified", "deleted", "renamed"], "build/", Clean),
    ("build/x", &["added", "modified", "deleted", "renamed"], "build/", Violated),
    // ... and a trailing `/` is not more for added or modified files.
    ("a/build", &["added", "modified"], "a/build/", Clean),
    ("a/build", &["deleted", "renamed"], "a/build/", Violated),
    ("a", &["added", "modified"], "a/build/", Unknown),
    ("a", &["deleted", "renamed"], "a/build/", Violated),
    // Braces expand before the prefix.
    ("deploy", &["deleted"], "{deploy,infra}/{eu,us}/**", Violated),
    ("infra/us", &["modified"], "{deploy,infra}/{eu,us}/**", Unknown),
    ("infra/asia", &["modified"], "{deploy,infra}/{eu,us}/**", Clean),
    ("infra/", &["added"], "{deploy,infra}/{eu,us}/**", Unknown),
    ("a", &["modified"], "{a/b,c}", Unknown),
    ("a", &["modified"], "{a/,c}", Clean),
    // Patterns are normalised like paths.
    ("deploy", &["deleted"], "./deploy//production/../**", Violated),
];

#[test]
fn each_sentence_about_directories() {
    for (path, changes, pattern, expected) in TABLE {
        for change in *changes {
            let envelope = envelope(&[entry(path, change)]);
            let case = format!("{path} {change}, {pattern}");
            let answer = evaluate(&envelope, &policy(&json!({"forbidden_paths": [pattern]})));
            let rules: Vec<&str> = findings(&answer).into_iter().map(|(rule, _)| rule).collect();
            let (rule, decided) = match expected {
                Violated => (&["policy_violation"][..], "unsafe"),
                Unknown => (&["unknown_evidence"][..], "needs_human"),
                Clean => (&[][..], "success"),
            };
            assert_eq!((&*rules, status(&answer)), (rule, decided), "{case}");
        }
    }
}

#[test]
fn protected_paths_ask_for_approvals_instead_of_violations() {
    for (path, changes, pattern, expected) in TABLE {
        for change in *changes {
            let mut envelope = envelope(&[entry(path, change)]);
            let case = format!("{path} {change}, {pattern}");
            let policy = policy(&json!({"protected_paths": [pattern]}));
            let rule: &[&str] = match expected {
                Violated => &["approval"],
                Unknown => &["unknown_evidence"],
                Clean => &[],
            };
            let answer = evaluate(&envelope, &policy);
            let rules: Vec<&str> = findings(&answer).into_iter().map(|(rule, _)| rule).collect();
            assert_eq!(rules, rule, "{case}");
            // No grant covers unknown contents.
            let granted = path.split('#').next();
            for grant in [granted, Some("protected_path")] {
                envelope["evidence"]["approvals"] = json!({"required": [], "granted": [grant]});
                let decided = status(&evaluate(&envelope, &policy)).to_owned();
                assert_eq!(decided == "success", *expected != Unknown, "{case} granted {grant:?}");
            }
        }
    }
}

#[test]
fn of_a_list_the_verdict_is_violated_if_any_is_else_unknown_if_any_is() {
    let decide = |patterns: &[&str]| {
        let answer =
            evaluate(&envelope(&[file("db/", "added")]), &policy(&json!({"forbidden_paths": patterns})));
        status(&answer).to_owned()
    };
    assert_eq!(decide(&["docs/**", "src/**"]), "success");
    assert_eq!(decide(&["docs/**", "*.sql", "src/**"]), "needs_human");
    assert_eq!(decide(&["*.sql", "db/x", "db/**"]), "unsafe");
}

#[test]
fn either_name_of_a_rename_counts() {
    let renamed = json!({"path": "old/deploy", "change": "renamed", "from": "deploy"});
    let answer = evaluate(&envelope(&[renamed]), &policy(&json!({"forbidden_paths": ["deploy/**"]})));
    assert_eq!(findings(&answer), [("policy_violation", "/evidence/diff/files/0")]);
    let moved = json!({"path": "deploy", "change": "renamed", "from": "old/deploy", "kind": "directory"});
    let answer = evaluate(&envelope(&[moved]), &policy(&json!({"forbidden_paths": ["old/deploy/*.key"]})));
    assert_eq!(findings(&answer), [("policy_violation", "/evidence/diff/files/0")]);
}

#[test]
fn an_unknown_change_counts_as_modified() {
    let stat = |pattern: &str| {
        let envelope = crate::paths::summarized(" deploy | 1 +\n 1 file changed, 1 insertion(+)\n");
        evaluate(&envelope, &policy(&json!({"forbidden_paths": [pattern]})))
    };
    assert_eq!(findings(&stat("deploy/**")), [("unknown_evidence", "/evidence/workspace_diff_summary")]);
    assert_eq!(findings(&stat("x/deploy/")), []);
    assert_eq!(findings(&stat("deploy")), [("policy_violation", "/evidence/workspace_diff_summary")]);
}

#[test]
fn the_root_is_shown_as_a_point() {
    for path in ["", ".", "./", "a/.."] {
        let answer =
            evaluate(&envelope(&[file(path, "deleted")]), &policy(&json!({"forbidden_paths": ["x"]})));
        assert_eq!(answer["findings"][0]["actual"], ".", "{path:?}");
    }
}

#[test]
fn a_trailing_slash_never_matches_a_plain_file() {
    let missing = |required: &str, artifacts: &[&str]| {
        let mut envelope = envelope(&[]);
        envelope["evidence"]["artifacts"] = json!(artifacts);
        let of_policy = evaluate(&envelope, &policy(&json!({"required_artifacts": [required]})));
        envelope["evidence"]["required_artifacts"] = json!([required]);
        let of_envelope = evaluate(&envelope, &policy(&json!({})));
        let is_missing =
            |answer: &Value| findings(answer).iter().any(|(rule, _)| *rule == "missing_artifact");
        assert_eq!(is_missing(&of_policy), is_missing(&of_envelope), "{required}");
        is_missing(&of_policy)
    };
    assert!(missing("reports/", &["reports"]));
    assert!(missing("reports/", &["a/reports"]));
    assert!(!missing("reports/", &["reports/unit.xml"]));
    assert!(!missing("reports", &["reports"]));
}

#[test]
fn an_empty_pattern_is_invalid() {
    for pattern in ["", "/", "./", "a/..", "//"] {
        for list in ["forbidden_paths", "protected_paths", "required_artifacts"] {
            let call = json!({"envelope": envelope(&[]), "policy": policy(&json!({list: [pattern]}))});
            let error = adjudicate_core::Operation::Evaluate.call(call.to_string().as_bytes()).unwrap_err();
            let error: Value = serde_json::from_str(&error.to_json()).unwrap();
            assert_eq!(error["error"]["code"], "invalid_value", "{pattern:?}");
            assert_eq!(error["error"]["path"], format!("/{list}/0"), "{pattern:?}");
        }
    }
}

#[test]
fn patterns_of_an_envelope_that_expand_to_too_much_name_the_envelope() {
    let mut envelope = envelope(&[]);
    envelope["evidence"]["required_artifacts"] = json!(vec!["{a,b}".repeat(12); 200]);
    let error = adjudicate_core::Operation::Evaluate.call(envelope.to_string().as_bytes()).unwrap_err();
    assert_eq!(error.code(), adjudicate_core::codes::LIMIT_EXCEEDED);
    assert!(error.message().starts_with("envelope: "), "{error}");
    assert!(error.path().starts_with("/evidence/required_artifacts/"), "{error}");
}
