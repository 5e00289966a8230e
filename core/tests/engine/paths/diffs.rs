//! Typed diffs against summaries, and the facts of a diff that does not name each file (docs/reference/text-formats.md).

use serde_json::{Value, json};

use crate::paths::{envelope, evaluate, file, findings, policy, status, summarized};

fn with_summary(files: &[Value], summary: &str) -> Value {
    let mut envelope = envelope(files);
    envelope["evidence"]["workspace_diff_summary"] = json!(summary);
    envelope
}

#[test]
fn a_summary_that_names_more_contradicts_the_typed_diff() {
    let a = || file("src/a.rs", "modified");
    for (files, summary, is_contradicted) in [
        (vec![a()], " M src/a.rs\n", false),
        (vec![a()], " M src/b.rs\n", true),
        (vec![a()], " M src/a.rs\n M src/b.rs\n", true),
        (vec![], " M src/a.rs\n", true),
        // The typed diff may say more, and another change.
        (vec![a(), file("src/b.rs", "added")], " M src/b.rs\n", false),
        (vec![file("src/a.rs", "deleted")], " M src/a.rs\n", false),
        (vec![a()], "", false),
        // Only where both are known.
        (vec![a()], "a few files changed", false),
        // After normalising.
        (vec![file("./src//a.rs", "modified")], " M src/a.rs\n", false),
        // Both names of a rename, on either side.
        (vec![a()], "R  src/a.rs -> src/b.rs\n", true),
        (
            vec![json!({"path": "src/b.rs", "change": "renamed", "from": "src/a.rs"})],
            "R  src/a.rs -> src/b.rs\n",
            false,
        ),
        // A directory of the summary is covered by typed paths below it, or by itself; not by its beginning.
        (vec![a()], "?? src/\n", false),
        (vec![file("src/", "added")], "?? src/\n", false),
        (vec![json!({"path": "src", "change": "added", "kind": "directory"})], "?? src/\n", false),
        (vec![file("src2/a.rs", "added")], "?? src/\n", true),
        (vec![file("src-2", "added")], "?? src/\n", true),
        (vec![a()], "?? ./\n", false),
        (vec![], "?? ./\n", true),
        // A typed directory does not cover what the summary names below it.
        (vec![file("src/", "added")], "A  src/a.rs\n", true),
        (vec![file(".", "modified")], " M src/a.rs\n", true),
    ] {
        for members in [json!({}), json!({"forbidden_paths": ["unrelated"]}), json!({"outside": "allow"})] {
            let envelope = with_summary(&files, summary);
            let answer = evaluate(&envelope, &policy(&members));
            let found = findings(&answer);
            let summaries = answer["findings"].to_string();
            let is_reported = summaries.contains("which the typed diff lacks");
            assert_eq!(is_reported, is_contradicted, "{files:?} against {summary:?}");
            if is_contradicted {
                assert_eq!(found, [("unknown_evidence", "/evidence/diff")], "{files:?} against {summary:?}");
                assert_eq!(status(&answer), "needs_human");
            }
        }
    }
}

#[test]
fn without_a_policy_a_contradiction_is_found_too() {
    let call = with_summary(&[], " M deploy/x\n").to_string();
    let answer = adjudicate_core::Operation::Evaluate.call(call.as_bytes()).unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(findings(&answer), [("unknown_evidence", "/evidence/diff")]);
}

#[test]
fn all_causes_make_one_finding() {
    let files = [file("/etc/x", "modified"), file("db/", "added"), file("deploy", "modified")];
    let mut members = json!({"forbidden_paths": ["deploy/**", "db/*.sql"], "protected_paths": ["*.pem"]});
    members["rules"] = json!([{"id": "few-files", "description": "d", "when": {">": [{"var": "facts.diff.count"}, 3]},
        "then": {"status": "blocked", "summary": "s"}}]);
    let answer = evaluate(&with_summary(&files, " M src/a.rs\n"), &policy(&members));
    assert_eq!(findings(&answer), [("unknown_evidence", "/evidence/diff")]);
    let summary = answer["findings"][0]["summary"].as_str().unwrap();
    for part in [
        "`/etc/x` lies outside",
        "(and 2 other paths)",
        "`src/a.rs`, which the typed diff lacks",
        "`few-files`",
    ] {
        assert!(summary.contains(part), "{part}: {summary}");
    }
}

/// The facts of a diff that are unknown.
fn unknown_facts(envelope: &Value, members: &Value) -> Vec<&'static str> {
    const FACTS: [&str; 9] =
        ["empty", "opaque", "paths", "files", "count", "forbidden", "protected", "insertions", "deletions"];
    let is_unknown = |fact: &&str| {
        let mut policy = policy(members);
        let when = json!({"missing": [format!("facts.diff.{fact}")]});
        policy["rules"] = json!([{"id": "unknown", "description": "d", "when": {"!!": [{"==": [{"length": when}, 1]}]},
            "then": {"status": "blocked", "summary": "s"}}]);
        findings(&evaluate(envelope, &policy)).iter().any(|(rule, _)| *rule == "unknown")
    };
    FACTS.into_iter().filter(is_unknown).collect()
}

#[test]
fn facts_are_unknown_while_something_stands_for_files() {
    let counted = |path: &str| json!({"path": path, "change": "modified", "insertions": 1, "deletions": 0});
    let lists = || json!({"forbidden_paths": ["db/*.sql"], "protected_paths": ["deploy/**"]});
    let with = |outside: &str| {
        let mut lists = lists();
        lists["outside"] = json!(outside);
        lists
    };
    const NAMES: [&str; 5] = ["paths", "files", "count", "insertions", "deletions"];
    let and = |facts: &[&'static str]| -> Vec<&str> {
        ["paths", "files", "count"].iter().chain(facts).chain(&["insertions", "deletions"]).copied().collect()
    };
    for (path, members, expected) in [
        ("src/a", lists(), vec![]),
        // A directory, whatever is below it.
        ("docs/", lists(), NAMES.to_vec()),
        ("docs/", json!({}), NAMES.to_vec()),
        ("db/", lists(), and(&["forbidden"])),
        ("./", lists(), and(&["forbidden", "protected"])),
        ("./", json!({}), NAMES.to_vec()),
        ("deploy/", lists(), NAMES.to_vec()),
        // A file above a path is a file.
        ("deploy", lists(), vec!["protected"]),
        // An outside path under `ask`.
        ("/x", lists(), and(&["forbidden", "protected"])),
        ("/x", json!({}), NAMES.to_vec()),
        ("/x", with("refuse"), vec![]),
        ("/x", with("allow"), vec![]),
        ("/x/", with("refuse"), NAMES.to_vec()),
        ("/db/", with("allow"), and(&["forbidden"])),
    ] {
        assert_eq!(unknown_facts(&envelope(&[counted(path)]), &members), expected, "{path} {members}");
    }
}

#[test]
fn a_directory_of_a_summary_is_no_opaque_diff() {
    let policy = policy(&json!({"forbidden_paths": [".github/workflows/**"]}));
    for (summary, expected) in
        [("?? .github/\n", "needs_human"), ("?? docs/\n", "success"), ("?? ./\n", "needs_human")]
    {
        assert_eq!(status(&evaluate(&summarized(summary), &policy)), expected, "{summary}");
    }
}

#[test]
fn an_opaque_diff_that_nothing_asks_for_has_no_effect() {
    assert_eq!(status(&evaluate(&summarized("a few files"), &policy(&json!({})))), "success");
    assert_eq!(status(&evaluate(&summarized("?? db/\n"), &policy(&json!({})))), "success");
}
