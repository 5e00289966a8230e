//! The tests in a module's manifest.

use adjudicate_sandbox::{Host, HostSettings, Limits, Module, TestOutcome, codes};

use crate::guests::{ENVELOPE, Parts, host, host_with, with_tests};

fn load(tests: &str) -> Module {
    host().load(&with_tests(tests).build()).unwrap()
}

/// A list of one test with this input and expectation.
fn test(input: &str, expect: &str) -> String {
    format!(r#"[{{"name":"one","input":{input},"expect":{expect}}}]"#)
}

#[test]
fn tests_that_pass() {
    let success = r#"{"decision":{"status":"success","next_step":"publish","blockers":[]}}"#;
    let wrapped = format!(r#"{{"envelope":{ENVELOPE},"policy":{{"policy":"p","version":"1.0.0"}}}}"#);
    for (tests, count) in [
        ("[]".to_owned(), 0),
        (test(ENVELOPE, success), 1),
        (test(&wrapped, success), 1),
        // The module has one answer, and this envelope allows no steps.
        (test("{}", r#"{"error":{"code":"module_invalid_decision"}}"#), 1),
    ] {
        let module = load(&tests);
        assert_eq!(module.pass_tests(), Ok(count), "{tests}");
        let outcomes = module.run_tests().unwrap();
        assert!(outcomes.len() == count && outcomes.iter().all(|outcome| outcome.mismatch.is_none()));
    }
    assert_eq!(host().load(&Parts::default().build()).unwrap().pass_tests(), Ok(0), "it brings none");
}

#[test]
fn the_first_failing_test_is_named() {
    let good = format!(r#"{{"name":"good","input":{ENVELOPE},"expect":{{"policy":null}}}}"#);
    let bad = format!(
        r#"{{"name":"bad","input":{ENVELOPE},"expect":{{"decision":{{"status":"blocked","next_step":"fix"}}}}}}"#
    );
    let worse = bad.replace("bad", "worse");
    let module = load(&format!("[{good},{bad},{worse}]"));
    let error = module.pass_tests().unwrap_err();
    assert_eq!((error.code(), error.path()), (codes::MODULE_TESTS, "/x-tests/1/expect/decision/next_step"));
    assert_eq!(error.message(), "the module's test `bad` fails: expected `\"fix\"`, found `\"publish\"`");
    let outcomes = module.run_tests().unwrap();
    let count = |outcome: &TestOutcome| outcome.mismatch.as_ref().map_or(0, |found| found.differences.len());
    let counts: Vec<_> = outcomes.iter().map(|outcome| (outcome.name.as_str(), count(outcome))).collect();
    assert_eq!(counts, [("good", 0), ("bad", 2), ("worse", 2)]);
}

#[test]
fn a_module_that_fails_in_a_test_fails_the_test() {
    for (parts, reason) in [
        (Parts { call: "unreachable", ..with_tests(&test(ENVELOPE, r#"{"policy":null}"#)) }, "trapped"),
        (Parts { reply: b"{}".to_vec(), ..with_tests(&test(ENVELOPE, r#"{"policy":null}"#)) }, ""),
    ] {
        let error = host().load(&parts.build()).unwrap().pass_tests().unwrap_err();
        assert_eq!((error.code(), error.path()), (codes::MODULE_TESTS, "/x-tests/0"));
        assert!(error.message().contains(" fails: no decision: "), "{}", error.message());
        assert!(error.message().contains(reason), "{}", error.message());
    }
}

#[test]
fn tests_run_under_the_limits_of_the_module() {
    let parts = with_tests(&test(ENVELOPE, r#"{"policy":null}"#));
    let narrow = host_with(Limits { output_bytes: 10, ..Limits::default() });
    let error = narrow.load(&parts.build()).unwrap().pass_tests().unwrap_err();
    assert_eq!(error.code(), codes::MODULE_TESTS);
    let expected = test(ENVELOPE, r#"{"error":{"code":"module_output_too_large"}}"#);
    assert_eq!(narrow.load(&with_tests(&expected).build()).unwrap().pass_tests(), Ok(1));
}

#[test]
fn tests_that_did_not_run_do_not_fail() {
    let settings = HostSettings { instances: 1, wait: std::time::Duration::ZERO, ..HostSettings::default() };
    let tests = test(ENVELOPE, r#"{"error":{"code":"host_overloaded"}}"#);
    let module = Host::new(settings).unwrap().load(&with_tests(&tests).build()).unwrap();
    let held = module.start().unwrap();
    assert_eq!(module.pass_tests().unwrap_err().code(), codes::HOST_OVERLOADED);
    drop(held);
    assert_eq!(module.pass_tests().unwrap_err().code(), codes::MODULE_TESTS);
}

fn too_many() -> String {
    let tests: Vec<_> = (0..1001)
        .map(|index| format!(r#"{{"name":"{index}","input":{{}},"expect":{{"policy":null}}}}"#))
        .collect();
    format!("[{}]", tests.join(","))
}

#[test]
fn malformed_tests_do_not_prevent_evaluation() {
    for (tests, path) in [
        ("{}".to_owned(), "/x-tests"),
        ("null".to_owned(), "/x-tests"),
        ("[7]".to_owned(), "/x-tests/0"),
        (r#"[{"name":"a","input":{}}]"#.to_owned(), "/x-tests/0/expect"),
        (r#"[{"name":"a","input":{},"expect":{"policy":null},"more":1}]"#.to_owned(), "/x-tests/0/more"),
        (r#"[{"name":"","input":{},"expect":{"policy":null}}]"#.to_owned(), "/x-tests/0/name"),
        (test("[]", r#"{"policy":null}"#), "/x-tests/0/input"),
        (test("{}", "{}"), "/x-tests/0/expect"),
        (format!("[{0},{0}]", test("{}", r#"{"policy":null}"#).trim_matches(['[', ']'])), "/x-tests/1/name"),
        (too_many(), "/x-tests"),
    ] {
        let module = load(&tests);
        let error = module.pass_tests().unwrap_err();
        assert_eq!((error.code(), error.path()), (codes::MODULE_TESTS, path), "{tests}: {error}");
        assert_eq!(module.run_tests().unwrap_err(), error);
        assert!(crate::guests::ask(&module).is_ok());
    }
}
