//! `logic`: an expression and data in, a value out.

use crate::command::{TestFolder, error_code};

#[test]
fn values_in_both_modes() {
    let place = TestFolder::new();
    for (call, mode, expected) in [
        (r#"{"logic":{"-":[0.7,{"var":"x"}]},"data":{"x":0.6}}"#, "strict", r#"{"ok":0.1}"#),
        (r#"{"logic":{"-":[0.7,{"var":"x"}]},"data":{"x":0.6}}"#, "compat", r#"{"ok":0.09999999999999998}"#),
        (r#"{"logic":{"==":[1,"1"]}}"#, "strict", r#"{"ok":false}"#),
        (r#"{"logic":{"==":[1,"1"]}}"#, "compat", r#"{"ok":true}"#),
        // An unknown variable gives null.
        (r#"{"logic":{">":[{"var":"x"},1]},"data":{}}"#, "strict", r#"{"ok":null}"#),
        (r#"{"logic":{"and":[false,{"var":"x"}]},"data":{}}"#, "strict", r#"{"ok":false}"#),
        (r#"{"logic":{"map":[{"var":""},{"*":[{"var":""},2]}]},"data":[1,2]}"#, "strict", r#"{"ok":[2,4]}"#),
    ] {
        let run = place.run_with(&["logic", "-", "--mode", mode], call.as_bytes());
        assert_eq!((run.status, run.stdout, run.stderr), (Some(0), format!("{expected}\n"), String::new()));
    }
    let file = place.file("call.yaml", "logic: {var: a}\ndata: {a: x}\n");
    assert_eq!(place.run(&["logic", &file]).stdout, "{\"ok\":\"x\"}\n");
    assert_eq!(place.run(&["logic", &file, "--format", "pretty"]).stdout, "{\n  \"ok\": \"x\"\n}\n");
}

#[test]
fn a_table_shows_any_value() {
    let place = TestFolder::new();
    let call = r#"{"logic":{"var":""},"data":{"a":[1,{"b":null}],"c":{},"d":"x\u001by","e":{"f":true}}}"#;
    let run = place.run_with(&["logic", "-", "--format", "table"], call.as_bytes());
    let expected = "a:\n  - 1\n  -\n    b: null\nc: {}\nd: x\\u{1b}y\ne:\n  f: true\n";
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), expected));
}

#[test]
fn lines_go_on_after_an_error() {
    let place = TestFolder::new();
    let lines = "{\"logic\":1}\n\n{\"logic\":{\"nope\":1}}\n{\"logic\":[true]}\n";
    let run = place.run_with(&["logic", "-", "--ndjson"], lines.as_bytes());
    let answers: Vec<_> = run.stdout.lines().collect();
    assert_eq!((answers[0], answers[2], run.status), (r#"{"ok":1}"#, r#"{"ok":[true]}"#, Some(2)));
    assert_eq!(error_code(answers[1]), "invalid_expression");
}

#[test]
fn garbage_is_refused() {
    let place = TestFolder::new();
    let directory = place.path("directory");
    std::fs::create_dir(&directory).unwrap();
    for (call, code) in [
        (&b""[..], "malformed_json"),
        (b"\xff\xfe", "malformed_json"),
        (br#"{"logic":NaN}"#, "malformed_json"),
        (br#"{"data":1}"#, "missing_field"),
        (br#"{"logic":1,"logic":2}"#, "duplicate_key"),
        (br#"{"logic":1,"date":2}"#, "unknown_field"),
        (br#"{"logic":{"+":["a",1]}}"#, "invalid_expression"),
        (br#"{"logic":{"/":[1,0]}}"#, "invalid_expression"),
        (b"[1]", "invalid_value"),
    ] {
        let run = place.run_with(&["logic", "-"], call);
        assert_eq!((run.code().as_str(), run.status), (code, Some(2)), "{}", String::from_utf8_lossy(call));
    }
    for (args, code, status) in [
        (&["logic", "missing.json"][..], "unreadable_input", 2),
        (&["logic", directory.to_str().unwrap()], "unreadable_input", 2),
        (&["logic"], "wrong_usage", 64),
        (&["logic", "-", "--mode", "loose"], "wrong_usage", 64),
        (&["logic", "x.yaml", "--ndjson"], "wrong_usage", 64),
        (&["logic", "-", "--module", "m.wasm"], "wrong_usage", 64),
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{args:?}");
    }
}
