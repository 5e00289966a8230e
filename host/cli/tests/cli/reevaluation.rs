//! `replay`: what changes under another version, and when that fails a build.

use serde_json::Value;

use crate::command::{ENVELOPE, POLICY, TestFolder};

/// Calls of which every fifth is in the way of [`POLICY`], as it is applied to `src/`.
fn calls(count: usize) -> String {
    let path = |number: usize| if number % 5 == 4 { "src/lib.rs" } else { "docs/a.md" };
    let call =
        |number| ENVELOPE.replace("src/lib.rs", path(number)).replace(r#""r""#, &format!("\"run-{number}\""));
    (0..count).map(|number| call(number) + "\n").collect()
}

fn json(stdout: &str) -> Value {
    serde_json::from_str(stdout).unwrap_or_else(|_| panic!("{stdout}"))
}

fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("calls.ndjson", calls(20));
    place.file("policy.json", POLICY);
    place.file("lenient.yaml", "policy: lenient\nversion: 1.0.0\n");
    place
}

#[test]
fn another_policy_changes_what_it_changes() {
    let place = place();
    let args = ["replay", "calls.ndjson", "--policy", "policy.json", "--format", "json", "--samples", "2"];
    let run = place.run(&args);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let report = json(&run.stdout);
    assert_eq!(
        (&report["before"], &report["after"]),
        (&"the engine built in".into(), &"strict@1.0.0".into())
    );
    assert_eq!(
        report["transitions"],
        serde_json::json!([
            {"from": "success", "to": "success", "count": 16},
            {"from": "success", "to": "unsafe", "count": 4},
        ])
    );
    assert_eq!(report["samples"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&report["samples"][0]["number"], &report["samples"][0]["run_id"]),
        (&5.into(), &"run-4".into())
    );
    // One thread or several, a file or standard input: the same report.
    let input = calls(20);
    let piped =
        ["replay", "-", "--policy", "policy.json", "--format", "json", "--samples", "2", "--threads", "1"];
    assert_eq!(place.run_with(&piped, input.as_bytes()).stdout, run.stdout);
    // Against a policy that is as strict, nothing changes but the name.
    let same = [
        "replay",
        "calls.ndjson",
        "--policy",
        "policy.json",
        "--against",
        "policy.json",
        "--fail-on",
        "changed",
    ];
    assert_eq!(place.run(&same).status, Some(0));
    let other = [
        "replay",
        "calls.ndjson",
        "--policy",
        "lenient.yaml",
        "--against",
        "policy.json",
        "--fail-on",
        "unsafe->success",
    ];
    assert_eq!(place.run(&other).status, Some(1));
}

#[test]
fn a_forbidden_change_fails() {
    let place = place();
    for (fail_on, status) in [
        (&["success->*"][..], Some(1)),
        (&["success -> unsafe"], Some(1)),
        (&["*->*"], Some(1)),
        (&["changed"], Some(1)),
        (&["partial->*", "*->error"], Some(0)),
        (&["partial->*", "*->unsafe"], Some(1)),
        (&["success>*"], Some(64)),
        (&["success->sucess"], Some(64)),
        (&["success->success"], Some(64)),
        (&[""], Some(64)),
    ] {
        let mut args = vec!["replay", "calls.ndjson", "--policy", "policy.json"];
        fail_on.iter().for_each(|each| args.extend(["--fail-on", each]));
        let run = place.run(&args);
        assert_eq!(run.status, status, "{fail_on:?} {run:?}");
        if status == Some(64) {
            assert_eq!(run.code(), "wrong_usage");
        }
    }
}

#[test]
fn a_run_without_comparisons_is_no_success() {
    let place = place();
    place.file("empty.ndjson", "\n\n");
    let args = ["replay", "empty.ndjson", "--policy", "policy.json", "--fail-on", "success->*"];
    let run = place.run(&args);
    assert_eq!(run.status, Some(1));
    assert!(
        run.stdout.contains("FAILED") && run.stdout.contains("1 or more must be compared"),
        "{}",
        run.stdout
    );
    assert_eq!(place.run(&[&args[..], &["--min-records", "0"]].concat()).status, Some(0));
    let few = ["replay", "calls.ndjson", "--policy", "lenient.yaml", "--min-records"];
    assert_eq!(place.run(&[&few[..], &["20"]].concat()).status, Some(0));
    assert_eq!(place.run(&[&few[..], &["21"]].concat()).status, Some(1));
}

#[test]
fn unreadable_lines_are_reported_and_never_a_success() {
    let place = place();
    place.file("calls.ndjson", format!("{}{{broken\n\u{fffd}\n{}", calls(3), calls(2)));
    let run = place.run(&["replay", "calls.ndjson", "--policy", "lenient.yaml", "--format", "json"]);
    assert_eq!(run.status, Some(2));
    let report = json(&run.stdout);
    assert_eq!((&report["compared"], &report["bad_lines"]["count"]), (&5.into(), &2.into()));
    assert_eq!(report["bad_lines"]["first"][0]["line"], 4);
    let output = place.run(&["replay", "calls.ndjson", "--policy", "lenient.yaml"]).stdout;
    assert!(output.starts_with("INCOMPLETE "), "{output}");
}

#[test]
fn records_are_decided_again_by_their_own_or_another_version() {
    let place = place();
    place.records(6);
    // No module was active in that slot, so nothing can be decided again, which is no success.
    let again = place.run_in_store(&["replay", "--slot", "s", "--format", "json"]);
    assert_eq!(again.status, Some(1), "{again:?}");
    let report = json(&again.stdout);
    assert_eq!(
        (&report["exact"], &report["not_replayable"]["module_missing"]["count"]),
        (&true.into(), &6.into())
    );
    let run = place.run_in_store(&["replay", "--slot", "s", "--policy", "policy.json", "--format", "json"]);
    let report = json(&run.stdout);
    assert_eq!(
        (run.status, &report["before"], &report["compared"]),
        (Some(0), &"as recorded".into(), &6.into())
    );
    assert_eq!(report["transitions"], serde_json::json!([{"from": "success", "to": "unsafe", "count": 6}]));
    let since = [
        "replay",
        "--slot",
        "s",
        "--policy",
        "policy.json",
        "--since",
        "1970-01-01T00:00:05Z",
        "--format",
        "json",
    ];
    assert_eq!(json(&place.run_in_store(&since).stdout)["read"], 2);
    // As lines of a file they are records as well.
    let exported = place.run_in_store(&["records", "export", "--slot", "s"]).stdout;
    let run =
        place.run_with(&["replay", "-", "--policy", "policy.json", "--format", "json"], exported.as_bytes());
    assert_eq!(json(&run.stdout)["recorded"], 6);
    // A changed one does not count.
    let changed = exported.replacen("publish", "rollback", 1);
    let run =
        place.run_with(&["replay", "-", "--policy", "policy.json", "--format", "json"], changed.as_bytes());
    let report = json(&run.stdout);
    assert_eq!((run.status, &report["bad_lines"]["first"][0]["code"]), (Some(2), &"broken_chain".into()));
}

#[test]
fn the_page_is_written_and_holds_no_markup_from_elsewhere() {
    const HOSTILE: &str =
        r#"</title><script>alert(1)</script>&'`{{x}} \u202e\u0000\u001b[31m<img src=x onerror=y>"#;
    const SHOWN: &str = r"&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;'`{{x}} \u{202e}\u{0}\u{1b}[31m&lt;img src=x onerror=y&gt;";
    let place = place();
    let hostile = ENVELOPE.replace(r#""r""#, &format!("\"{HOSTILE}\""));
    place.file("calls.ndjson", format!("{hostile}\n{}{{\"<b>\": 1, \"\n", calls(50)));
    let replay = ["replay", "calls.ndjson", "--policy", "policy.json", "--report"];
    let run = place.run(&[&replay[..], &["report.html"]].concat());
    assert_eq!(run.status, Some(2), "{run:?}");
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(page.contains(SHOWN) && page.contains("default-src 'none'"), "{page}");
    // Nothing is loaded, and nothing acts.
    for words in ["<script", "<img", "<link", "<a ", "<b>", "onerror=", " style=", "url(", "@import", "://"] {
        let tags: Vec<_> =
            page.split('<').filter_map(|tag| Some(format!("<{}", tag.split_once('>')?.0))).collect();
        assert!(!tags.iter().any(|tag| tag.contains(words)), "{words}: {tags:?}");
    }
    assert!(!page.contains(['\u{202e}', '\0', '\u{1b}']), "{page}");
    // The picture has the counts of the matrix. It is drawn twice: with all statuses, and with the changed ones.
    for words in ["40 stayed success", "11 went from success to unsafe", ">40</td>", ">11</td>", "Incomplete"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert_eq!((page.matches("<svg").count(), page.matches("<details").count()), (2, 5));
    place.file("calls.ndjson", "");
    assert_eq!(place.run(&[&replay[..], &["report.html"]].concat()).status, Some(1));
    let page = std::fs::read_to_string(place.path("report.html")).unwrap();
    assert!(
        page.contains("Nothing compared") && !page.contains("<svg") && !page.contains("<table"),
        "{page}"
    );
    let run = place.run(&[&replay[..], &["no/such/report.html"]].concat());
    assert_eq!((run.status, run.code().as_str()), (Some(74), "unwritable_output"));
}

#[test]
fn the_table_is_for_people() {
    let place = place();
    let run = place.run(&[
        "replay",
        "calls.ndjson",
        "--policy",
        "policy.json",
        "--fail-on",
        "success->*",
        "--samples",
        "1",
    ]);
    let expected = "\
FAILED the engine built in -> strict@1.0.0
20 read, 20 compared: 0 the same, 16 in wording only, 0 in the decision, 4 in
the status

Statuses
  before \\ now  success   unsafe
  success            16        4
  unsafe              ·        ·
";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
    for output in ["success->*", "4 times", "policy_violation +4 -0", "5 run-4 success -> unsafe"] {
        assert!(run.stdout.contains(output), "{output}: {}", run.stdout);
    }
    assert_eq!((run.stderr.as_str(), run.stdout.contains('\u{1b}')), ("", false));
}

#[test]
fn wrong_usage_is_reported() {
    const ENGINE: &str = "sha256:0000000000000000000000000000000000000000000000000000000000000000";
    let place = place();
    for args in [
        &["replay"][..],
        &["replay", "calls.ndjson"],
        &["replay", "calls.ndjson", "--entry", "1"],
        &["replay", "calls.ndjson", "--policy", "policy.json", "--module", "m.wasm"],
        &["replay", "calls.ndjson", "--policy", "policy.json", "--since", "1h"],
        &["replay", "-", "--policy", "-"],
        &["replay", "calls.ndjson", "--slot", "s", "--policy", "policy.json"],
        &["replay", "--slot", "s", "--store", "store", "--against", "policy.json"],
        &["replay", "calls.ndjson", "--policy", "policy.json", "--operation", "guess"],
        &["replay", "calls.ndjson", "--policy", "policy.json", "--threads", "0"],
        &["replay", "calls.ndjson", "--policy", "policy.json", "--store", "store"],
        &["replay", "calls.ndjson", "--policy", "policy.json", "--fuel", "5"],
        &["replay", "calls.ndjson", "--policy", "policy.json", "--known-engine", ENGINE],
    ] {
        let run = place.run(args);
        assert_eq!((run.status, run.code().as_str()), (Some(64), "wrong_usage"), "{args:?}");
    }
    let run = place.run(&["replay", "missing.ndjson", "--policy", "policy.json"]);
    assert_eq!((run.status, run.code().as_str()), (Some(2), "unreadable_input"));
}
