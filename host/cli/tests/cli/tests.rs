//! `test`: policies' own tests, cases, coverage, JUnit.

use serde_json::{Value, json};

use crate::command::{ENVELOPE, TestFolder};

/// A policy with two rules and two tests, of which the one expects this status.
pub(crate) fn policy(expected: &str) -> String {
    format!(
        r#"{{"policy":"release","version":"1.2.0","rules":[
            {{"id":"large","when":{{">":[{{"var":"facts.diff.count"}},1]}},"then":{{"status":"needs_human","summary":"s"}}}},
            {{"id":"friday","when":{{"==":[{{"var":"input.x-day"}},"friday"]}},"on_unknown":"ignore",
              "then":{{"status":"blocked","summary":"s"}}}}],
          "tests":[
            {{"name":"clean passes","input":{ENVELOPE},"expect":{{"decision":{{"status":"{expected}"}},"findings":[]}}}},
            {{"name":"no envelope","input":{{}},"expect":{{"error":{{"code":"missing_field"}}}}}}]}}"#
    )
}

fn cases() -> String {
    format!(
        r#"[{{"name":"days","policy":"release","input":{ENVELOPE},"cases":[
            {{"name":"friday","set":{{"/x-day":"friday"}},"expect":{{"decision":{{"status":"blocked"}}}}}},
            {{"name":"monday","set":{{"/x-day":"monday"}},"expect":{{"decision":{{"status":"success"}}}}}}]}},
           {{"name":"large <&\"'> \u001b","input":{},"expect":{{"decision":{{"status":"needs_human"}}}}}}]"#,
        ENVELOPE.replace(r" M src/lib.rs\n", r" M a\n M b\n")
    )
}

pub(crate) fn place() -> TestFolder {
    let place = TestFolder::new();
    place.file("good.json", policy("success"));
    place.file("bad.json", policy("unsafe"));
    place.file("cases.json", cases());
    place
}

#[test]
fn tests_and_cases_pass_and_cover() {
    let run = place().run(&["test", "good.json", "--case", "cases.json", "--min-coverage", "100"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{}", run.stdout);
    let expected = "\
release 1.2.0 good.json
  ok    clean passes
  ok    no envelope
  cases.json
  ok    days / friday
  ok    days / monday
  ok    large <&\"'> \\u{1b}
  rules     2 of 2 covered, 100 %
    large   fired 1, quiet 3, unknown 0
    friday  fired 1, quiet 1, unknown 2
  statuses  success, blocked, needs_human (not reached: partial, unsafe)

5 tests: 5 passed, 0 failed
";
    assert_eq!(run.stdout, expected);
}

#[test]
fn a_failure_shows_what_differs_and_where() {
    let place = place();
    let run = place.run(&["test", "bad.json"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(1), ""));
    let shown = "  FAIL  clean passes
        /decision/status
          - expected \"unsafe\"
          + actual   \"success\"
  ok    no envelope
";
    assert!(run.stdout.contains(shown), "{}", run.stdout);
    assert!(run.stdout.ends_with("\n2 tests: 1 passed, 1 failed\n"), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'));
    let coloured = place.run(&["test", "bad.json", "--color", "always"]);
    assert!(coloured.stdout.contains("\u{1b}[31m- expected"), "{}", coloured.stdout);
}

#[test]
fn a_list_shows_only_the_items_in_which_it_differs() {
    let place = place();
    let lists = policy("needs_human")
        .replace(
            r#""findings":[]"#,
            r#""findings":[{"rule":"gone","count":2},{"rule":"large"},{"rule":"friday"}]"#,
        )
        .replace(r" M src/lib.rs\n", r" M a\n M b\n");
    place.file("lists.json", lists);
    let run = place.run(&["test", "lists.json", "--filter", "clean"]);
    let shown = "  FAIL  clean passes
        /findings
          - missing  {\"count\":2,\"rule\":\"gone\"}
          - missing  {\"rule\":\"friday\"}
  rules";
    assert!(run.stdout.contains(shown), "{}", run.stdout);
    let none = policy("needs_human").replace(r" M src/lib.rs\n", r" M a\n M b\n");
    place.file("none.json", none);
    let run = place.run(&["test", "none.json", "--filter", "clean"]);
    let shown = "
        /findings
          + extra    {\"rule\":\"large\",\"status\":\"needs_human\",";
    assert!(run.stdout.contains(shown) && !run.stdout.contains("- missing"), "{}", run.stdout);
    place.run(&["test", "lists.json", "--filter", "clean", "--junit", "report.xml"]);
    let report = std::fs::read_to_string(place.path("report.xml")).unwrap();
    let shown = "/findings&#10;  - missing {&quot;count&quot;:2,&quot;rule&quot;:&quot;gone&quot;}&#10;";
    assert!(report.contains(shown), "{report}");
}

#[test]
fn coverage_below_what_is_asked_for_fails() {
    let place = place();
    let run = place.run(&["test", "good.json", "--min-coverage", "1"]);
    assert_eq!(run.status, Some(1));
    assert!(run.stdout.contains("0 of 2 covered, 0 % where 1 % are required"), "{}", run.stdout);
    assert!(run.stdout.contains("never fired") && run.stdout.contains("(1 policy is covered too little)"));
    assert_eq!(place.run(&["test", "good.json", "--min-coverage", "0"]).status, Some(0));
    // One policy does not make up for another.
    let args = ["test", "good.json", "other.json", "--case", "cases.json", "--min-coverage", "51"];
    place.file("other.json", policy("success").replace("release", "other"));
    assert_eq!(place.run(&args).status, Some(1));
    // A policy without rules has nothing to cover.
    let bare = format!(
        r#"{{"policy":"p","version":"1.0.0","tests":[{{"name":"t","input":{ENVELOPE},"expect":{{"findings":[]}}}}]}}"#
    );
    place.file("bare.json", bare);
    assert_eq!(place.run(&["test", "bare.json", "--min-coverage", "100"]).status, Some(0));
}

#[test]
fn the_report_as_json() {
    let run = place().run(&["test", "good.json", "bad.json", "--case", "cases.json", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.status, &report["passed"], &report["failed"]), (Some(1), &9.into(), &1.into()));
    let bad = &report["policies"][1];
    assert_eq!((&bad["file"], &bad["tests"][0]["passed"]), (&"bad.json".into(), &false.into()));
    let difference = &bad["tests"][0]["differences"][0];
    assert_eq!(
        difference,
        &serde_json::json!({"path":"/decision/status","expected":"unsafe","actual":"success"})
    );
    assert_eq!(bad["coverage"]["rules"][1]["fired"], 1);
    assert_eq!(bad["coverage"]["statuses"][0], serde_json::json!({"status":"success","reached":2}));
}

#[test]
fn a_filter_runs_some_and_nothing_tested_is_no_success() {
    let place = place();
    let run = place.run(&["test", "good.json", "--case", "cases.json", "--filter", "days / f"]);
    assert!(run.stdout.ends_with("\n1 test: 1 passed, 0 failed\n"), "{}", run.stdout);
    assert_eq!(run.status, Some(0));
    let run = place.run(&["test", "good.json", "--filter", "nothing like it"]);
    assert!(run.stdout.contains("(nothing was tested)"), "{}", run.stdout);
    assert_eq!(run.status, Some(1));
    place.file("untested.yaml", "policy: p\nversion: 1.0.0\n");
    assert_eq!(place.run(&["test", "untested.yaml"]).status, Some(1));
}

/// Name, attributes and text.
type Element = (String, Vec<(String, String)>, String);

/// The elements of an XML text, each with its attributes and its text, by the few rules that the report keeps to.
fn elements(xml: &str) -> Vec<Element> {
    let plain = |text: &str| {
        assert!(!text.contains(['<', '>']) && text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('&') {
            let (name, after) = after.split_once(';').unwrap();
            let c = match name {
                "lt" => "<",
                "gt" => ">",
                "amp" => "&",
                "quot" => "\"",
                "#10" => "\n",
                _ => panic!("{name}"),
            };
            out = out + before + c;
            rest = after;
        }
        out + rest
    };
    let mut open = Vec::new();
    let mut found = Vec::new();
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>").unwrap();
    let mut parts = body.split('<');
    assert_eq!(parts.next().unwrap().trim(), "");
    for part in parts {
        let (tag, text) = part.split_once('>').unwrap();
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            assert_eq!(text.trim(), "");
            continue;
        }
        let (inner, closed) = tag.strip_suffix('/').map_or((tag, false), |inner| (inner, true));
        let (name, mut rest) = inner.split_once(' ').unwrap_or((inner, ""));
        let mut attributes = Vec::new();
        while let Some((key, after)) = rest.trim_start().split_once("=\"") {
            let (value, after) = after.split_once('"').unwrap();
            attributes.push((key.to_owned(), plain(value)));
            rest = after;
        }
        assert_eq!(rest.trim(), "", "{tag}");
        if !closed {
            open.push(name.to_owned());
        }
        found.push((name.to_owned(), attributes, plain(text)));
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

#[test]
fn junit_is_well_formed_and_tells_the_same() {
    let place = place();
    let args = ["test", "bad.json", "good.json", "--case", "cases.json", "--junit", "report.xml"];
    assert_eq!(place.run(&args).status, Some(1));
    let elements = elements(&std::fs::read_to_string(place.path("report.xml")).unwrap());
    let named = |wanted: &str| elements.iter().filter(|(name, ..)| name == wanted).collect::<Vec<_>>();
    let attribute =
        |element: &Element, key: &str| element.1.iter().find(|(name, _)| name == key).unwrap().1.clone();
    assert_eq!((named("testsuites").len(), named("testsuite").len(), named("testcase").len()), (1, 2, 10));
    assert_eq!(attribute(named("testsuites")[0], "failures"), "1");
    assert_eq!(attribute(named("testsuite")[0], "tests"), "5");
    assert_eq!(attribute(named("testcase")[4], "name"), "large <&\"'> \\u{1b}");
    let failure = named("failure")[0];
    assert_eq!(attribute(failure, "message"), "not as expected at /decision/status");
    assert!(failure.2.contains("- expected \"unsafe\"\n"), "{}", failure.2);
    // It cannot be written where there is no place for it.
    let run = place.run(&["test", "good.json", "--junit", "missing/report.xml"]);
    assert_eq!(
        (run.status, crate::command::error_code(&run.stderr).as_str()),
        (Some(74), "unwritable_output")
    );
    assert!(run.stderr.contains("cannot write `missing/report.xml`: there is no such folder"), "{run:?}");
    let run = place.run(&["test", "good.json", "--junit", "."]);
    assert!(run.stderr.contains("cannot write `.`: it is a directory"), "{run:?}");
}

#[test]
fn an_input_without_an_answer_fails_with_its_error_in_every_format() {
    let place = place();
    place.file(
        "no-decision.yaml",
        "policy: p\nversion: 1.0.0\ntests:\n  - {name: short, input: {run_id: r}, expect: {decision: {status: success}}}\n  \
         - {name: other, input: {run_id: r}, expect: {error: {code: invalid_value}}}\n  \
         - {name: same, input: {run_id: r}, expect: {error: {code: missing_field}}}\n",
    );
    let message = "no decision: missing field `workflow_id` at /workflow_id";
    let run = place.run(&["test", "no-decision.yaml", "--junit", "report.xml"]);
    assert_eq!(run.status, Some(1));
    assert_eq!(run.stdout.matches(message).count(), 2, "{}", run.stdout);
    assert!(!run.stdout.contains("/decision"), "{}", run.stdout);
    let report: Value =
        serde_json::from_str(&place.run(&["test", "no-decision.yaml", "--format", "json"]).stdout).unwrap();
    let error =
        json!({"code": "missing_field", "message": "missing field `workflow_id`", "path": "/workflow_id"});
    let tests = &report["policies"][0]["tests"];
    assert_eq!((&tests[0]["error"], &tests[0]["differences"]), (&error, &json!([])));
    assert_eq!((&tests[1]["error"], &tests[1]["differences"][0]["path"]), (&error, &json!("/error/code")));
    assert_eq!((&tests[2]["passed"], tests[2].get("error")), (&json!(true), None));
    let elements = elements(&std::fs::read_to_string(place.path("report.xml")).unwrap());
    let failures: Vec<_> = elements.iter().filter(|(name, ..)| name == "failure").collect();
    assert_eq!(failures.len(), 2);
    for (_, attributes, _) in failures {
        assert!(attributes.contains(&("message".to_owned(), message.to_owned())), "{attributes:?}");
        assert!(attributes.contains(&("type".to_owned(), "no_decision".to_owned())), "{attributes:?}");
    }
}

#[test]
fn invalid_tests_are_errors() {
    let place = place();
    place.file("empty.json", "");
    place.file("binary.yaml", b"\xff\xfe\0");
    place.file("invalid.yaml", "policy: p\nversion: 1.0.0\ntests: [{name: t, input: {}, expect: {error: {}}}, {name: t, input: {}, expect: {error: {}}}]\n");
    place.file("twice.json", r#"{"policy":"p","policy":"p"}"#);
    place.file("nan.json", r#"{"policy":NaN}"#);
    place.file("stranger.json", r#"{"name":"a","policy":"nobody","input":{},"expect":{"error":{}}}"#);
    place.file("idle.yaml", "policy: p\nversion: 1.0.0\ntests: [{name: t, input: {}, expect: {}}]\n");
    place.file("idle.json", r#"{"name":"a","input":{},"expect":{}}"#);
    std::fs::create_dir(place.path("directory")).unwrap();
    for (args, code, status, words) in [
        (
            &["test", "idle.yaml"][..],
            "invalid_value",
            2,
            r#"this test cannot fail","path":"/tests/0/expect""#,
        ),
        (
            &["test", "good.json", "--case", "idle.json"],
            "invalid_value",
            2,
            r#"cannot fail","path":"/expect""#,
        ),
        (&["test", "-", "--watch"], "wrong_usage", 64, "standard input is none"),
        (&["test", "good.json", "--case", "-", "--watch"], "wrong_usage", 64, "standard input is none"),
        (&["test", "-", "-"], "wrong_usage", 64, "`POLICY` twice"),
        (&["test", "-", "--case", "-"], "wrong_usage", 64, "both `POLICY` and `--case`"),
        (&["test", "-"], "malformed_json", 2, "standard input: "),
        (&["test", "empty.json"][..], "malformed_json", 2, "empty.json"),
        (&["test", "good.json", "binary.yaml"], "malformed_yaml", 2, "binary.yaml"),
        (&["test", "invalid.yaml"], "invalid_policy", 2, "invalid.yaml"),
        (&["test", "twice.json"], "duplicate_key", 2, "twice.json"),
        (&["test", "nan.json"], "malformed_json", 2, "nan.json"),
        // Named once.
        (
            &["test", "missing.json"],
            "unreadable_input",
            2,
            r#""cannot read `missing.json`: there is no such file""#,
        ),
        (&["test", "directory"], "unreadable_input", 2, "directory"),
        (&["test", "good.json", "--case", "missing.yaml"], "unreadable_input", 2, "missing.yaml"),
        (&["test", "good.json", "--case", "good.json"], "unknown_field", 2, "good.json"),
        (&["test", "good.json", "--case", "stranger.json"], "invalid_value", 2, "`nobody`"),
        (&["test"], "wrong_usage", 64, "<POLICY>"),
        (&["test", "good.json", "--min-coverage", "101"], "wrong_usage", 64, "101"),
        (&["test", "good.json", "--min-coverage", "all"], "wrong_usage", 64, "`all` is no whole number"),
        (&["test", "good.json", "--min-coverage", "9", "--filter", "x"], "wrong_usage", 64, "--filter"),
        (&["test", "good.json", "--format", "xml"], "wrong_usage", 64, "`xml`"),
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{args:?}");
        assert!(run.stderr.contains(words), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn standard_input_is_tested_too() {
    let place = place();
    let run = place.run_with(&["test", "-", "--case", "cases.json"], policy("success").as_bytes());
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("release 1.2.0 standard input\n"), "{}", run.stdout);
    let run = place.run_with(&["test", "good.json", "--case", "-"], cases().as_bytes());
    assert!(run.stdout.ends_with("\n5 tests: 5 passed, 0 failed\n"), "{}", run.stdout);
    let yaml = format!(
        "policy: p\nversion: 1.0.0\ntests:\n- {{name: t, input: {ENVELOPE}, expect: {{findings: []}}}}\n"
    );
    let run = place.run_with(&["test", "-", "--input-format", "yaml"], yaml.as_bytes());
    assert!(run.stdout.ends_with("\n1 test: 1 passed, 0 failed\n"), "{run:?}");
    // A file of that name is meant when it is written so.
    place.file("-", policy("unsafe"));
    assert_eq!(place.run(&["test", "./-"]).status, Some(1));
}
