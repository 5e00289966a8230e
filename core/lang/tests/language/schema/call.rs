//! Whole calls, from JSON to JSON.

use adjudicate_lang::schema::check_text;

#[test]
fn calls_return_all_violations() {
    let error = |instance: &str, schema: &str, keyword: &str, expected: &str| {
        format!(
            r#"{{"valid":false,"errors":[{{"instance_path":"{instance}","schema_path":"{schema}","keyword":"{keyword}","expected":"{expected}"}}]}}"#
        )
    };
    let valid = r#"{"valid":true,"errors":[]}"#;
    for (call, expected) in [
        (r#"{"schema": true, "instance": null}"#, valid.into()),
        (
            r#"{"instance": {"a/\"b": 1}, "schema": {"additionalProperties": {"type": "string"}}}"#,
            error(r#"/a~1\"b"#, "/additionalProperties/type", "type", "a string"),
        ),
        // In draft-07, a reference disables the keywords next to it; in 2020-12 it does not.
        (
            r##"{"schema": {"$ref": "#/definitions/a", "minimum": 3, "definitions": {"a": true}}, "instance": 1}"##,
            valid.into(),
        ),
        (
            r##"{"schema": {"$ref": "#/definitions/a", "minimum": 3, "definitions": {"a": true}}, "instance": 1, "draft": "draft-07"}"##,
            valid.into(),
        ),
        (
            r##"{"schema": {"$ref": "#/definitions/a", "minimum": 3, "definitions": {"a": true}}, "instance": 1, "draft": "2020-12"}"##,
            error("", "/minimum", "minimum", "3 or more"),
        ),
        // `$schema` overrides the draft of the call.
        (
            r##"{"schema": {"$schema": "http://json-schema.org/draft-07/schema#", "prefixItems": [false]}, "instance": [1], "draft": "https://json-schema.org/draft/2020-12/schema"}"##,
            valid.into(),
        ),
        (
            r##"{"schema": {"$ref": "a.json#/definitions/b"}, "x-note": 1, "instance": 1, "documents": {"a.json": {"definitions": {"b": false}}, "c": 3}}"##,
            error("", "a.json#/definitions/b", "definitions", "nothing: the schema is `false`"),
        ),
        (r#"{"schema": {"format": "ipv4"}, "instance": "no address"}"#, valid.into()),
    ] {
        assert_eq!(check_text(call.as_bytes()), Ok(expected), "{call}");
    }
}

#[test]
fn invalid_calls_are_errors_with_paths() {
    for (call, code, path, message) in [
        ("", "malformed_json", "", "text ends where a value should be, line 1 column 1"),
        ("[]", "invalid_value", "", "expected an object, found a list"),
        ("{}", "missing_field", "/schema", "missing field `schema`"),
        (r#"{"schema": {}}"#, "missing_field", "/instance", "missing field `instance`"),
        (
            r#"{"schema": {}, "instance": 1, "drafts": "7"}"#,
            "unknown_field",
            "/drafts",
            "unknown field `drafts`, did you mean `draft`?",
        ),
        (
            r#"{"schema": {}, "instance": 1, "draft": "4"}"#,
            "invalid_value",
            "/draft",
            "`4` is not one of `7`, `2020-12` and the URIs of their meta-schemas",
        ),
        (
            r#"{"schema": {}, "instance": 1, "draft": 7}"#,
            "invalid_value",
            "/draft",
            "expected a string, found `7`",
        ),
        (
            r#"{"schema": {}, "instance": 1, "documents": []}"#,
            "invalid_value",
            "/documents",
            "expected an object, found a list",
        ),
        (
            r#"{"schema": 3, "instance": 1}"#,
            "invalid_schema",
            "",
            "schema: a schema is an object or a boolean",
        ),
        (
            r#"{"schema": {"items": {"pattern": "("}}, "instance": 1}"#,
            "invalid_schema",
            "/items/pattern",
            "schema: a `(` without `)`, character 1 of the pattern",
        ),
        (
            r#"{"schema": {"$ref": "http://a/"}, "instance": 1}"#,
            "invalid_schema",
            "/$ref",
            "schema: `http://a/` is not among the given documents",
        ),
        (
            r#"{"schema": {"$ref": "a"}, "instance": 1, "documents": {"a": {"not": 3}}}"#,
            "invalid_schema",
            "/not",
            "schema: a: a schema is an object or a boolean",
        ),
        (
            r#"{"schema": {"a": 1, "a": 2}, "instance": 1}"#,
            "duplicate_key",
            "/a",
            "schema: key `a` is a duplicate",
        ),
    ] {
        let error = check_text(call.as_bytes()).unwrap_err();
        let found = (error.code().as_str(), error.path(), error.message());
        assert_eq!(found, (code, path, message), "{call}");
    }
}

#[test]
fn schema_and_instance_can_nest_128_deep() {
    let nested = |count: usize| format!("{}{}", "[".repeat(count), "]".repeat(count));
    let schema = |count: usize| format!("{}true{}", r#"{"not":"#.repeat(count), "}".repeat(count));
    let call = |deep: usize| format!(r#"{{"schema": {}, "instance": {}}}"#, schema(deep), nested(deep));
    assert!(check_text(call(128).as_bytes()).is_ok());
    let error = check_text(call(129).as_bytes()).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_exceeded");
}
