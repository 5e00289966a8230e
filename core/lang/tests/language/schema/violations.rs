//! The violations of invalid instances.

use adjudicate_lang::schema::Draft;

use crate::schema::found;

/// Each row: instance path, schema path, keyword, expected value.
#[track_caller]
fn check(draft: Draft, schema: &str, instance: &str, expected: &[[&str; 4]]) {
    let found = found(schema, draft, instance).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|found| [&*found.instance_path, &*found.schema_path, found.keyword, &*found.expected])
        .collect();
    assert_eq!(found, expected, "{schema} {instance}");
}

#[test]
fn every_keyword_reports_the_expected_value() {
    for (schema, instance, keyword, expected) in [
        (r#"{"type": ["integer", "null"]}"#, "1.5", "type", "null or an integer"),
        (r#"{"const": {"b": 1.0, "a": "x"}}"#, "1", "const", r#"`{"a":"x","b":1}`"#),
        (r#"{"enum": ["a", "b", null]}"#, "1", "enum", r#"`"a"` or `"b"` or `null`"#),
        (
            r#"{"enum": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]}"#,
            "-1",
            "enum",
            "`0` or `1` or `2` or `3` or `4` or `5` or `6` or `7` or others",
        ),
        (r#"{"enum": []}"#, "1", "enum", "no value at all"),
        (r#"{"minimum": 1.50}"#, "1", "minimum", "1.5 or more"),
        (r#"{"maximum": 1}"#, "1.01", "maximum", "1 or less"),
        (r#"{"exclusiveMinimum": 1}"#, "1.0", "exclusiveMinimum", "more than 1"),
        (r#"{"exclusiveMaximum": 1}"#, "1e0", "exclusiveMaximum", "less than 1"),
        (r#"{"multipleOf": 0.1}"#, "0.35", "multipleOf", "a multiple of 0.1"),
        (r#"{"minLength": 2}"#, r#""😀""#, "minLength", "2 or more characters"),
        (r#"{"maxLength": 1}"#, r#""éé""#, "maxLength", "1 or fewer characters"),
        (r#"{"pattern": "^a+$"}"#, r#""b""#, "pattern", "a string that matches `^a+$`"),
        (r#"{"format": "ipv4"}"#, r#""b""#, "format", "a string of the format `ipv4`"),
        (r#"{"minItems": 1}"#, "[]", "minItems", "1 or more items"),
        (r#"{"maxItems": 1}"#, "[1, 2]", "maxItems", "1 or fewer items"),
        (r#"{"uniqueItems": true}"#, "[1, 1.0]", "uniqueItems", "items that are all different"),
        (
            r#"{"contains": {"type": "null"}}"#,
            "[1]",
            "contains",
            "1 or more items that the schema of `contains` holds for",
        ),
        (r#"{"minProperties": 1}"#, "{}", "minProperties", "1 or more fields"),
        (r#"{"maxProperties": 0}"#, r#"{"a": 1}"#, "maxProperties", "0 or fewer fields"),
        (r#"{"required": ["a"]}"#, "{}", "required", "a field `a`"),
        (
            r#"{"dependencies": {"a": ["b"]}}"#,
            r#"{"a": 1}"#,
            "dependencies",
            "a field `b`, because there is `a`",
        ),
        (
            r#"{"propertyNames": {"maxLength": 1}}"#,
            r#"{"ab": 1}"#,
            "propertyNames",
            "only names that the schema of `propertyNames` holds for, not `ab`",
        ),
        (r#"{"anyOf": [{"minimum": 3}, false]}"#, "1", "anyOf", "a value that one of 2 schemas holds for"),
        (
            r#"{"oneOf": [true, true, false]}"#,
            "1",
            "oneOf",
            "a value that exactly one of 3 schemas holds for, not several",
        ),
        (r#"{"oneOf": [false]}"#, "1", "oneOf", "a value that exactly one of 1 schemas holds for, not none"),
        (r#"{"not": true}"#, "1", "not", "a value that the schema of `not` does not hold for"),
    ] {
        let path = format!("/{keyword}");
        for draft in [Draft::Draft7, Draft::Draft2020] {
            check(draft, schema, instance, &[["", &path, keyword, expected]]);
        }
    }
    let bounds = r#"{"contains": true, "minContains": 2, "maxContains": 3}"#;
    for (instance, keyword, expected) in [
        ("[1]", "minContains", "2 or more items that the schema of `contains` holds for"),
        ("[1, 2, 3, 4]", "maxContains", "3 or fewer items that the schema of `contains` holds for"),
    ] {
        check(Draft::Draft2020, bounds, instance, &[["", &format!("/{keyword}"), keyword, expected]]);
    }
    let nothing = "nothing: the schema is `false`";
    let old = r#"{"items": [true], "additionalItems": false}"#;
    check(Draft::Draft7, old, "[1, 2]", &[["/1", "/additionalItems", "additionalItems", nothing]]);
    let new = r#"{"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": false}}"#;
    check(
        Draft::Draft2020,
        new,
        r#"{"a": 1}"#,
        &[
            ["", "/dependentRequired", "dependentRequired", "a field `b`, because there is `a`"],
            ["", "/dependentSchemas/a", "dependentSchemas", nothing],
        ],
    );
}

#[test]
fn a_false_schema_is_reported_at_its_place() {
    let nothing = "nothing: the schema is `false`";
    check(Draft::Draft7, "false", "1", &[["", "", "false", nothing]]);
    check(
        Draft::Draft7,
        r#"{"properties": {"a": false}, "additionalProperties": false}"#,
        r#"{"a": 1, "b/c": 1}"#,
        &[
            ["/a", "/properties/a", "properties", nothing],
            ["/b~1c", "/additionalProperties", "additionalProperties", "no field of this name"],
        ],
    );
    check(
        Draft::Draft2020,
        r#"{"prefixItems": [true], "unevaluatedItems": false}"#,
        "[1, 2]",
        &[["/1", "/unevaluatedItems", "unevaluatedItems", nothing]],
    );
}

#[test]
fn violations_have_paths_and_are_sorted() {
    let schema = r##"{
        "definitions": {"name": {"type": "string", "minLength": 2}, "also": {"$ref": "#/definitions/name"}},
        "allOf": [{"minItems": 20}],
        "items": {"$ref": "#/definitions/also"},
        "maxItems": 11
    }"##;
    check(
        Draft::Draft7,
        schema,
        r#"["aa", "", 1, "aa", "aa", "aa", "aa", "aa", "aa", "aa", "b", "aa"]"#,
        &[
            ["", "/allOf/0/minItems", "minItems", "20 or more items"],
            ["", "/maxItems", "maxItems", "11 or fewer items"],
            ["/1", "/definitions/name/minLength", "minLength", "2 or more characters"],
            ["/2", "/definitions/name/type", "type", "a string"],
            ["/10", "/definitions/name/minLength", "minLength", "2 or more characters"],
        ],
    );
    check(
        Draft::Draft7,
        r##"{"$ref": "#/else/where/0", "else": {"where": [{"if": true, "then": {"type": "null"}}]}}"##,
        "1",
        &[["", "/else/where/0/then/type", "type", "null"]],
    );
    check(
        Draft::Draft7,
        r#"{"$ref": "http://json-schema.org/draft-07/schema#"}"#,
        r#"{"minLength": -1}"#,
        &[[
            "/minLength",
            "http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger/minimum",
            "minimum",
            "0 or more",
        ]],
    );
}

#[test]
fn unevaluated_keywords_see_annotations_of_subschemas() {
    let schema = r#"{
        "allOf": [{"properties": {"a": true}}],
        "anyOf": [{"properties": {"b": {"type": "null"}}, "required": ["b"]}, {"patternProperties": {"^c": true}}],
        "unevaluatedProperties": {"type": "string"}
    }"#;
    let violation = ["/b", "/unevaluatedProperties/type", "type", "a string"];
    check(Draft::Draft2020, schema, r#"{"a": 1, "b": 1, "c": 1, "d": "x"}"#, &[violation]);
    check(Draft::Draft2020, schema, r#"{"a": 1, "b": null, "c": 1, "d": "x"}"#, &[]);
    // Draft-07 does not have the keyword.
    check(Draft::Draft7, schema, r#"{"e": 1}"#, &[]);
    // More fields than bits of a word.
    let many: Vec<String> = (0..200).map(|number| format!(r#""a{number}": 1"#)).collect();
    let many = format!("{{{}}}", many.join(", "));
    let schema = r#"{"patternProperties": {"^a1?[0-9]?[0-9]$": true}, "unevaluatedProperties": false}"#;
    check(Draft::Draft2020, schema, &many, &[]);
    let schema = r#"{"patternProperties": {"^a1?[0-9]?[0-8]$": true}, "unevaluatedProperties": false}"#;
    assert_eq!(found(schema, Draft::Draft2020, &many).unwrap().len(), 20);
}

#[test]
fn all_matching_patterns_and_properties_apply_to_a_field() {
    check(
        Draft::Draft7,
        r#"{"properties": {"ab": {"type": "string"}}, "patternProperties": {"a": {"minimum": 3}, "b": {"maximum": 0}}, "additionalProperties": false}"#,
        r#"{"ab": 1, "a": 4, "c": 1}"#,
        &[
            ["/ab", "/patternProperties/a/minimum", "minimum", "3 or more"],
            ["/ab", "/patternProperties/b/maximum", "maximum", "0 or less"],
            ["/ab", "/properties/ab/type", "type", "a string"],
            ["/c", "/additionalProperties", "additionalProperties", "no field of this name"],
        ],
    );
}
