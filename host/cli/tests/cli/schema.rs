//! `schema`: a JSON Schema and an instance in, whether it is valid out.

use crate::command::{TestFolder, error_code};

#[test]
fn instances_are_validated_whole_or_with_their_schema() {
    let place = TestFolder::new();
    let schema = r#"{"type":"object","required":["a"],"properties":{"a":{"minimum":1}}}"#;
    place.file("schema.json", schema);
    place.file("schema.yaml", "type: object\nrequired: [a]\nproperties: {a: {minimum: 1}}\n");
    place.file("instance.json", r#"{"a":0}"#);
    let invalid = "{\"valid\":false,\"errors\":[{\"instance_path\":\"/a\",\"schema_path\":\"/properties/a/minimum\",\"keyword\":\"minimum\",\"expected\":\"1 or more\"}]}\n";
    let whole = format!(r#"{{"schema":{schema},"instance":{{"a":0}}}}"#);
    for run in [
        place.run_with(&["schema", "-"], whole.as_bytes()),
        place.run(&["schema", "instance.json", "--schema", "schema.json"]),
        place.run(&["schema", "instance.json", "--schema", "schema.yaml"]),
        place.run_with(&["schema", "instance.json", "--schema", "-"], schema.as_bytes()),
    ] {
        assert_eq!((run.status, run.stderr.as_str(), run.stdout.as_str()), (Some(0), "", invalid));
    }
    for (call, valid) in [
        (r#"{"schema":true,"instance":null}"#, true),
        (r#"{"schema":{"$ref":"a"},"instance":1,"documents":{"a":{"type":"string"}}}"#, false),
        (r#"{"schema":{"prefixItems":[false]},"instance":[1],"draft":"2020-12"}"#, false),
        (r#"{"schema":{"prefixItems":[false]},"instance":[1],"draft":"7"}"#, true),
    ] {
        let run = place.run_with(&["schema", "-"], call.as_bytes());
        let start = format!("{{\"valid\":{valid},");
        assert_eq!((run.status, run.stdout.starts_with(&start)), (Some(0), true), "{call}: {run:?}");
    }
}

#[test]
fn a_table_lists_what_is_wrong() {
    let place = TestFolder::new();
    place.file("schema.json", r#"{"minProperties":2,"properties":{"a\u001b":{"type":"string"}}}"#);
    let table = |instance: &str| {
        let args = ["schema", "-", "--schema", "schema.json", "--format", "table"];
        let run = place.run_with(&args, instance.as_bytes());
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
        run.stdout
    };
    assert_eq!(
        table(r#"{"a\u001b":1}"#),
        "\
INVALID 2 errors

1.   the instance itself
     keyword     minProperties
     expected    2 or more fields
     schema      /minProperties

2.   /a\\u{1b}
     keyword     type
     expected    a string
     schema      /properties/a\\u{1b}/type
"
    );
    assert_eq!(table(r#"{"a":1,"b":2}"#), "VALID\n");
}

#[test]
fn lines_go_on_after_an_error_but_not_under_a_broken_schema() {
    let place = TestFolder::new();
    let lines = "{\"schema\":{},\"instance\":1}\n\n{\"schema\":{\"type\":1},\"instance\":1}\n{\"schema\":false,\"instance\":1}\n";
    let run = place.run_with(&["schema", "-", "--ndjson"], lines.as_bytes());
    let answers: Vec<_> = run.stdout.lines().collect();
    assert_eq!((answers[0], run.status), (r#"{"valid":true,"errors":[]}"#, Some(2)));
    assert_eq!(error_code(answers[1]), "invalid_schema");
    assert!(answers[2].starts_with(r#"{"valid":false,"#));

    place.file("schema.json", r#"{"type":"string"}"#);
    place.file("broken.json", r#"{"items":{"type":1}}"#);
    let run = place.run_with(&["schema", "-", "--ndjson", "--schema", "schema.json"], b"\"a\"\n1\nnull");
    let valid = run.stdout.lines().map(|line| line.starts_with(r#"{"valid":true"#)).collect::<Vec<_>>();
    assert_eq!((run.status, valid), (Some(0), vec![true, false, false]));
    let run = place.run_with(&["schema", "-", "--ndjson", "--schema", "broken.json"], b"\"a\"\n1");
    assert_eq!((run.code().as_str(), run.status), ("invalid_schema", Some(2)));
    assert!(
        run.stderr.contains("\"message\":\"schema: ") && run.stderr.contains("\"/items/type\""),
        "{run:?}"
    );
}

#[test]
fn garbage_is_refused() {
    let place = TestFolder::new();
    place.file("schema.json", "{}");
    for (call, code) in [
        (&b""[..], "malformed_json"),
        (b"\xff\xfe", "malformed_json"),
        (br#"{"instance":1}"#, "missing_field"),
        (br#"{"schema":{}}"#, "missing_field"),
        (br#"{"schema":{},"schema":{}}"#, "duplicate_key"),
        (br#"{"schema":{},"instance":1,"drafts":7}"#, "unknown_field"),
        (br#"{"schema":{},"instance":1,"draft":"4"}"#, "invalid_value"),
        (br#"{"schema":{"minimum":"1"},"instance":1}"#, "invalid_schema"),
        (br#"{"schema":{"$ref":"http://elsewhere/x"},"instance":1}"#, "invalid_schema"),
        (b"[1]", "invalid_value"),
    ] {
        let run = place.run_with(&["schema", "-"], call);
        assert_eq!((run.code().as_str(), run.status), (code, Some(2)), "{}", String::from_utf8_lossy(call));
    }
    for (args, code, status) in [
        (&["schema", "missing.json"][..], "unreadable_input", 2),
        (&["schema", "schema.json", "--schema", "missing.json"], "unreadable_input", 2),
        (&["schema", "--format", "pretty"], "wrong_usage", 64),
        (&["schema", "--schema", "schema.json"], "wrong_usage", 64),
        (&["schema", "-", "--schema", "-"], "wrong_usage", 64),
        (&["schema", "-", "--format", "dot"], "wrong_usage", 64),
        (&["schema", "-", "--module", "m.wasm"], "wrong_usage", 64),
    ] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{args:?}");
    }
}
