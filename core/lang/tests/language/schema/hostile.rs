//! Schemas and instances that try to cost too much: each gives an answer or a limit quickly.

use adjudicate_lang::{Steps, codes, schema::Draft};

use crate::schema::{compiled, read};

/// A small budget, so that the tests are fast.
const FEW: u64 = 5_000_000;

#[track_caller]
fn check_compile_limit(schema: &str, path: &str) {
    let error = compiled(schema, Draft::Draft2020, &mut Steps::new(FEW)).unwrap_err();
    assert_eq!((error.code(), error.path()), (codes::LIMIT_EXCEEDED, path), "{}", error.message());
}

#[track_caller]
fn check_limit(schema: &str, instance: &str) {
    let schema = compiled(schema, Draft::Draft2020, &mut Steps::default()).unwrap();
    let instance = read(instance);
    let valid = schema.is_valid(instance.root(), &mut Steps::new(FEW)).map_err(|error| error.code());
    assert_eq!(valid, Err(codes::LIMIT_EXCEEDED));
    let found = schema.validate(instance.root(), &mut Steps::new(FEW)).map_err(|error| error.code());
    assert_eq!(found, Err(codes::LIMIT_EXCEEDED));
}

#[track_caller]
fn check(schema: &str, instance: &str, expected: bool) {
    let schema = compiled(schema, Draft::Draft2020, &mut Steps::default()).unwrap();
    let instance = read(instance);
    assert_eq!(schema.is_valid(instance.root(), &mut Steps::default()), Ok(expected));
    let found = schema.validate(instance.root(), &mut Steps::default()).unwrap();
    assert_eq!(found.is_empty(), expected);
}

/// Returns a schema of `count` levels. Each is built from a reference to the next, the last is `end`, and `root` is next to the
/// first.
fn levels(count: usize, level: impl Fn(&str) -> String, end: &str, root: &str) -> String {
    let level = |number: usize| {
        let next = format!(r##"{{"$ref": "#/$defs/{}"}}"##, number + 1);
        format!(r#""{number}": {{{}}}"#, level(&next))
    };
    let levels: Vec<String> = (0..count).map(level).collect();
    format!(r##"{{"$ref": "#/$defs/0", {root} "$defs": {{{}, "{count}": {end}}}}}"##, levels.join(", "))
}

/// Checks that a schema of few levels and one of many give the same result for an instance, in few steps.
#[track_caller]
fn check_levels(make: &dyn Fn(usize) -> String, instance: &str, expected: bool) {
    let answer = |count: usize| {
        let schema = compiled(&make(count), Draft::Draft2020, &mut Steps::default()).unwrap();
        let instance = read(instance);
        assert_eq!(schema.is_valid(instance.root(), &mut Steps::new(FEW)), Ok(expected), "{count}");
        let found = schema.validate(instance.root(), &mut Steps::new(FEW)).unwrap();
        let mut found: Vec<_> =
            found.into_iter().map(|found| (found.instance_path, found.keyword, found.expected)).collect();
        // Each level can report the same violation.
        found.dedup();
        found
    };
    // Four levels do not use the memo table.
    let (few, many) = (answer(4), answer(60));
    assert_eq!(few.is_empty(), expected);
    assert_eq!(few, many);
}

/// Returns a schema in which each level applies the next one twice.
fn doubling(keyword: &str, count: usize) -> String {
    levels(count, |next| format!(r#""{keyword}": [{next}, {next}]"#), r#"{"type": "null"}"#, "")
}

#[test]
fn a_schema_that_doubles_per_level_is_evaluated_once() {
    for (keyword, instance, expected) in [
        ("allOf", "null", true),
        ("allOf", "1", false),
        ("anyOf", "null", true),
        ("anyOf", "1", false),
        ("oneOf", "null", false),
        ("oneOf", "1", false),
    ] {
        check_levels(&|count| doubling(keyword, count), instance, expected);
    }
    let end = r#"{"required": ["a"]}"#;
    for (level, holds) in [
        (r#""if": NEXT, "then": NEXT, "else": NEXT"#, true),
        (r#""if": NEXT, "then": NEXT, "else": false"#, true),
        (r#""dependentSchemas": {"a": NEXT, "b": NEXT}"#, true),
        (r#""not": {"allOf": [{"not": NEXT}, {"not": NEXT}]}"#, true),
        (r#""allOf": [NEXT], "anyOf": [NEXT, NEXT]"#, true),
        (r#""allOf": [NEXT, NEXT], "oneOf": [NEXT, NEXT]"#, false),
    ] {
        let make = |count: usize| levels(count, |next| level.replace("NEXT", next), end, "");
        check_levels(&make, r#"{"a": 1, "b": 2}"#, holds);
        check_levels(&make, r#"{"b": 2}"#, false);
    }
}

#[test]
fn memo_entries_keep_evaluated_annotations() {
    let end = r#"{"properties": {"a": true}, "patternProperties": {"^b": true}}"#;
    for (level, root) in [
        (r#""allOf": [NEXT, NEXT]"#, r#""unevaluatedProperties": false,"#),
        (r#""anyOf": [NEXT, NEXT]"#, r#""unevaluatedProperties": false,"#),
        (r#""if": NEXT, "then": NEXT"#, r#""unevaluatedProperties": false,"#),
        (r#""anyOf": [NEXT, NEXT], "unevaluatedProperties": false"#, ""),
        (r#""allOf": [NEXT, {"anyOf": [NEXT]}], "unevaluatedProperties": {"type": "null"}"#, ""),
    ] {
        let make = |count: usize| levels(count, |next| level.replace("NEXT", next), end, root);
        check_levels(&make, r#"{"a": 1, "bcd": 2}"#, true);
        check_levels(&make, r#"{"a": 1, "c": 2}"#, false);
    }
    let items = |count: usize| {
        let end = r#"{"prefixItems": [true, true], "contains": {"type": "null"}}"#;
        levels(count, |next| format!(r#""anyOf": [{next}, {next}]"#), end, r#""unevaluatedItems": false,"#)
    };
    check_levels(&items, "[1, 2, null, null]", true);
    check_levels(&items, "[1, null, 3]", false);
}

#[test]
fn a_schema_that_doubles_per_instance_level_is_evaluated_once() {
    let deep = |count: usize, start: &str, end: &str, leaf: &str| {
        format!("{}{leaf}{}", start.repeat(count), end.repeat(count))
    };
    for (schema, start, end) in [
        (r##"{"type": ["array", "null"], "items": {"$ref": "#"}, "contains": {"$ref": "#"}}"##, "[", "]"),
        (
            r##"{"type": ["object", "null"], "properties": {"a": {"$ref": "#"}}, "patternProperties": {"a": {"$ref": "#"}, "^a": {"$ref": "#"}}}"##,
            r#"{"a": "#,
            "}",
        ),
        (
            r##"{"type": ["array", "null"], "anyOf": [{"minItems": 2}, {"items": {"$ref": "#"}}], "allOf": [{"items": {"$ref": "#"}}]}"##,
            "[",
            "]",
        ),
    ] {
        check(schema, &deep(120, start, end, "null"), true);
        check(schema, &deep(120, start, end, "1"), false);
    }
}

#[test]
fn doubling_dynamic_references_are_evaluated_once() {
    // Each level is its own resource, and references are resolved at run time.
    let chain = |keyword: &str, count: usize| {
        let level = |number: usize| {
            let next = format!(r##"{{"$dynamicRef": "{0}#n{0}"}}"##, number + 1);
            format!(
                r#""{number}": {{"$id": "{number}", "$dynamicAnchor": "n{number}", "{keyword}": [{next}, {next}]}}"#
            )
        };
        let levels: Vec<String> = (0..count).map(level).collect();
        format!(
            r#"{{"$id": "http://a/root", "$ref": "0", "$defs": {{{}, "{count}": {{"$id": "{count}", "$dynamicAnchor": "n{count}", "type": "null"}}}}}}"#,
            levels.join(", ")
        )
    };
    for (keyword, instance, expected) in
        [("allOf", "null", true), ("allOf", "1", false), ("anyOf", "1", false), ("oneOf", "null", false)]
    {
        check_levels(&|count| chain(keyword, count), instance, expected);
    }
    // Two resources per level. The choice has no effect on the result, because an outer resource has their anchor.
    let pairs = |count: usize| {
        let level = |number: usize| {
            let next = number + 1;
            let part = |name: &str| {
                format!(
                    r#""{name}{number}": {{"$id": "{name}{number}", "$dynamicAnchor": "x", "allOf": [{{"$ref": "a{next}"}}, {{"$ref": "b{next}"}}]}}"#
                )
            };
            part("a") + ", " + &part("b")
        };
        let levels: Vec<String> = (0..count).map(level).collect();
        let end = r##""$dynamicAnchor": "x", "type": "array", "items": {"$dynamicRef": "#x"}"##;
        format!(
            r#"{{"$id": "http://a/root", "$ref": "first", "$defs": {{"first": {{"$id": "first", "$dynamicAnchor": "x", "type": ["array", "null"], "if": {{"type": "array"}}, "then": {{"$ref": "a0"}}}}, {}, "a{count}": {{"$id": "a{count}", {end}}}, "b{count}": {{"$id": "b{count}", {end}}}}}}}"#,
            levels.join(", ")
        )
    };
    check_levels(&pairs, "[null, []]", true);
    check_levels(&pairs, "[null, [1]]", false);
}

#[test]
fn unbounded_branching_to_different_schemas_ends_in_a_limit() {
    // The choice between two resources at each level affects the result after all levels.
    let level = |number: usize| {
        let next = number + 1;
        let part = |name: &str| {
            format!(
                r#""{name}{number}": {{"$id": "{name}{number}", "$dynamicAnchor": "x{number}", "allOf": [{{"$ref": "a{next}"}}, {{"$ref": "b{next}"}}]}}"#
            )
        };
        part("a") + ", " + &part("b")
    };
    let levels: Vec<String> = (0..60).map(level).collect();
    let end = r##""items": {"$dynamicRef": "a0#x0"}"##;
    let schema = format!(
        r#"{{"$id": "http://a/root", "$ref": "a0", "$defs": {{{}, "a60": {{"$id": "a60", {end}}}, "b60": {{"$id": "b60", {end}}}}}}}"#,
        levels.join(", ")
    );
    check_limit(&schema, "[]");
}

#[test]
fn cycles_of_dynamic_references_are_rejected_or_end_in_a_limit() {
    // If the root has the anchor, the reference is resolved statically.
    let error = compiled(
        r##"{"$dynamicAnchor": "a", "$dynamicRef": "#a"}"##,
        Draft::Draft2020,
        &mut Steps::default(),
    );
    assert_eq!(error.map(|_| ()).map_err(|error| error.code()), Err(codes::INVALID_SCHEMA));
    let around = |part: &str| {
        format!(
            r#"{{"$id": "http://a/", "$ref": "b", "$defs": {{"b": {{"$id": "b", "$dynamicAnchor": "a", {part}}}}}}}"#
        )
    };
    check_limit(&around(r##""$dynamicRef": "#a""##), "1");
    check_limit(&around(r##""anyOf": [{"not": {"$dynamicRef": "#a"}}, {"$dynamicRef": "#a"}]"##), "1");
}

#[test]
fn long_chains_of_references_are_followed() {
    // Through many schemas that are only references.
    let link = |number: usize| format!(r##""{number}": {{"$ref": "#/$defs/{}"}}"##, number + 1);
    let chain: Vec<String> = (0..20_000).map(link).collect();
    let schema = format!(
        r##"{{"$ref": "#/$defs/0", "$defs": {{{}, "20000": {{"type": "null"}}}}}}"##,
        chain.join(", ")
    );
    check(&schema, "null", true);
    check(&schema, "1", false);
    // With a dynamic reference there are no shortcuts, and the chain is too long.
    let dynamic =
        r##""d": {"$id": "d", "$dynamicRef": "#x", "$defs": {"x": {"$dynamicAnchor": "x"}}}, "20000""##;
    check_limit(&schema.replace("\"20000\"", dynamic), "null");
}

#[test]
fn instances_of_the_greatest_depth_are_validated() {
    let schema = r##"{"type": ["array", "null"], "items": {"allOf": [{"$ref": "#"}], "maxItems": 1}}"##;
    check(schema, &format!("{}null{}", "[".repeat(128), "]".repeat(128)), true);
    check(schema, &format!("{}1{}", "[".repeat(128), "]".repeat(128)), false);
    let schema = r##"{"type": ["object", "null"], "unevaluatedProperties": {"$ref": "#"}}"##;
    check(schema, &format!("{}null{}", r#"{"a": "#.repeat(128), "}".repeat(128)), true);
    check(schema, &format!("{}1{}", r#"{"a": "#.repeat(128), "}".repeat(128)), false);
    let schema = r##"{"anyOf": [{"type": "null"}, {"$ref": "#/$defs/list"}], "$defs": {"list": {"type": "array", "items": {"$ref": "#"}}}}"##;
    check(schema, &format!("{}null{}", "[".repeat(128), "]".repeat(128)), true);
    check(schema, &format!("{}1{}", "[".repeat(128), "]".repeat(128)), false);
    let deep = format!("{}{}{}", r#"{"items":"#.repeat(127), r#"{"type":"null"}"#, "}".repeat(127));
    check(&deep, &format!("{}null{}", "[".repeat(127), "]".repeat(127)), true);
    check(&deep, &format!("{}1{}", "[".repeat(127), "]".repeat(127)), false);
}

#[test]
fn recursive_schemas_accept_instances_of_the_greatest_depth() {
    // Common lists and trees: each level takes several steps.
    for schema in [
        r##"{"properties": {"next": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}}"##,
        r##"{"type": "object", "properties": {"next": {"oneOf": [{"type": "null"}, {"$ref": "#"}]}}, "unevaluatedProperties": false}"##,
        r##"{"anyOf": [{"type": ["string", "null"]}, {"type": "array", "items": {"$ref": "#"}}, {"type": "object", "additionalProperties": {"$ref": "#"}}]}"##,
        r##"{"if": {"type": "object"}, "then": {"additionalProperties": {"$ref": "#"}}}"##,
        r##"{"$defs": {"base": {"properties": {"id": true}}}, "allOf": [{"$ref": "#/$defs/base"}], "properties": {"next": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}, "unevaluatedProperties": false}"##,
        r##"{"$id": "http://a/b", "$ref": "list", "$defs": {"l": {"$id": "list", "$dynamicAnchor": "list", "properties": {"next": {"anyOf": [{"type": "null"}, {"$dynamicRef": "#list"}]}}}}}"##,
    ] {
        check(schema, &format!("{}null{}", r#"{"next": "#.repeat(128), "}".repeat(128)), true);
    }
    for tree in [
        r##"{"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}, "additionalProperties": false}"##,
        r##"{"$id": "http://a/strict", "$ref": "tree", "$dynamicAnchor": "node", "unevaluatedProperties": false, "$defs": {"t": {"$id": "tree", "$dynamicAnchor": "node", "type": "object", "properties": {"children": {"type": "array", "items": {"$dynamicRef": "#node"}}}}}}"##,
    ] {
        check(tree, &format!("{}{{}}{}", r#"{"children": ["#.repeat(63), "]}".repeat(63)), true);
        check(tree, &format!("{}1{}", r#"{"children": ["#.repeat(63), "]}".repeat(63)), false);
    }
}

#[test]
fn patterns_are_linear_or_rejected() {
    check_compile_limit(&format!(r#"{{"pattern": "{}"}}"#, "a".repeat(1_000_000)), "/pattern");
    check_compile_limit(r#"{"items": {"pattern": "((a{1000}){1000}){1000}"}}"#, "/items/pattern");
    let many: Vec<String> = (0..2_000).map(|number| format!(r#""a{{900}}{number}": true"#)).collect();
    let many = format!(r#"{{"patternProperties": {{{}}}}}"#, many.join(", "));
    let error = compiled(&many, Draft::Draft2020, &mut Steps::default()).unwrap_err();
    assert_eq!(error.code(), codes::LIMIT_EXCEEDED);
    let text = format!(r#""{}!""#, "a".repeat(100_000));
    for pattern in ["^(a+)+$", "(a*)*b", "^(a|a)*$"] {
        check(&format!(r#"{{"pattern": "{pattern}"}}"#), &text, false);
    }
}

#[test]
fn large_schemas_and_instances_are_validated() {
    let names: Vec<String> = (0..50_000).map(|number| format!(r#""name {number}""#)).collect();
    let list = format!("[{}]", names.join(", "));
    let members: Vec<String> = names.iter().map(|name| format!("{name}: 1")).collect();
    let object = format!("{{{}}}", members.join(", "));
    check(&format!(r#"{{"items": {{"enum": {list}}}, "uniqueItems": true}}"#), &list, true);
    check(&format!(r#"{{"items": {{"enum": {list}}}}}"#), r#"["name"]"#, false);
    check(&format!(r#"{{"const": {list}}}"#), &list, true);
    check(&format!(r#"{{"const": {object}}}"#), &object, true);
    check(
        &format!(r#"{{"required": {list}, "additionalProperties": {{"type": "integer"}}}}"#),
        &object,
        true,
    );
    check(
        &format!(r#"{{"required": {list}, "unevaluatedProperties": {{"type": "integer"}}}}"#),
        &object,
        true,
    );
    let twice = format!("[{}, {}]", names.join(", "), names[0]);
    check(r#"{"uniqueItems": true}"#, &twice, false);
    let objects: Vec<String> =
        (0..20_000).map(|number| format!(r#"{{"b": {number}.0, "a": [{number}]}}"#)).collect();
    check(r#"{"uniqueItems": true}"#, &format!("[{}]", objects.join(", ")), true);
    let branches = vec![r#"{"type": "null"}"#; 50_000].join(", ");
    check(&format!(r#"{{"allOf": [{branches}]}}"#), "null", true);
    check(&format!(r#"{{"anyOf": [{branches}]}}"#), "1", false);
}

#[test]
fn every_missing_field_is_reported_among_many_others() {
    let names: Vec<String> = (0..10_000).map(|number| format!(r#""name {number}""#)).collect();
    let members: Vec<String> = (0..20_000).map(|number| format!(r#""other {number}": 1"#)).collect();
    let schema = format!(r#"{{"required": [{}]}}"#, names.join(", "));
    let instance = format!("{{{}}}", members.join(", "));
    let schema = compiled(&schema, Draft::Draft7, &mut Steps::default()).unwrap();
    assert_eq!(
        schema.validate(read(&instance).root(), &mut Steps::default()).map(|found| found.len()),
        Ok(10_000)
    );
}

#[test]
fn the_number_of_violations_is_limited() {
    let schema = compiled(r#"{"items": {"type": "null"}}"#, Draft::Draft7, &mut Steps::default()).unwrap();
    let instance = |count: usize| format!("[{}]", vec!["1"; count].join(", "));
    let found =
        |text: &str| schema.validate(read(text).root(), &mut Steps::default()).map(|found| found.len());
    assert_eq!(found(&instance(10_000)), Ok(10_000));
    let error = found(&instance(10_001)).unwrap_err();
    assert_eq!((error.code(), error.message()), (codes::LIMIT_EXCEEDED, "more than 10000 violations"));
    assert_eq!(schema.is_valid(read(&instance(10_001)).root(), &mut Steps::default()), Ok(false));
}

/// Returns the number of steps for compiling a schema.
#[track_caller]
fn cost(schema: &str, draft: Draft) -> u64 {
    let compiles = |steps: u64| match compiled(schema, draft, &mut Steps::new(steps)) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code(), codes::LIMIT_EXCEEDED, "{error}");
            false
        }
    };
    let (mut too_few, mut enough) = (0, 1);
    while !compiles(enough) {
        (too_few, enough) = (enough, enough * 2);
    }
    while enough - too_few > enough / 64 + 1 {
        let middle = too_few.midpoint(enough);
        *if compiles(middle) { &mut enough } else { &mut too_few } = middle;
    }
    enough
}

#[test]
fn the_cost_of_references_is_linear() {
    // The subschemas are in a keyword that draft-07 does not have, or in a list.
    let named = |count: usize| {
        let parts: Vec<String> =
            (0..count).map(|number| format!(r#""{number}": {{"minimum": {number}}}"#)).collect();
        let uses: Vec<String> =
            (0..count).map(|number| format!(r##"{{"$ref": "#/$defs/{number}"}}"##)).collect();
        format!(r#"{{"allOf": [{}], "$defs": {{{}}}}}"#, uses.join(", "), parts.join(", "))
    };
    let listed = |count: usize| {
        let uses: Vec<String> =
            (0..count).map(|number| format!(r##"{{"$ref": "#/oneOf/{number}"}}"##)).collect();
        let parts = vec!["true"; count].join(", ");
        format!(r#"{{"allOf": [{}], "oneOf": [{parts}]}}"#, uses.join(", "))
    };
    for draft in [Draft::Draft7, Draft::Draft2020] {
        for make in [&named as &dyn Fn(usize) -> String, &listed] {
            let (few, many) = (cost(&make(500), draft), cost(&make(4_000), draft));
            assert!(many < few * 10, "{few} {many}");
        }
    }
}

#[test]
fn matching_names_against_patterns_costs_steps() {
    let patterns: Vec<String> = (0..1_000).map(|number| format!(r#""{number}$": true"#)).collect();
    let names: Vec<String> = (0..10_000).map(|number| format!(r#""name {number}": 1"#)).collect();
    check_limit(
        &format!(r#"{{"patternProperties": {{{}}}, "additionalProperties": false}}"#, patterns.join(", ")),
        &format!("{{{}}}", names.join(", ")),
    );
}

#[test]
fn long_patterns_are_rejected_with_their_path() {
    let limit = |pattern: &str| {
        check_compile_limit(&format!(r#"{{"items": {{"pattern": "{pattern}"}}}}"#), "/items/pattern")
    };
    limit(&"ab|".repeat(350_000));
    limit(&"(".repeat(1_000_000));
    limit(&"a?".repeat(500_000));
    limit(&format!("(?:{}){{1000}}", "[a-z]".repeat(1_000)));
    // A character class is one state, however long its text is.
    let set = format!("^[{}]$", "a-z".repeat(100_000));
    check(&format!(r#"{{"pattern": "{set}"}}"#), r#""q""#, true);
}

#[test]
fn the_length_of_violations_costs_steps() {
    // A thousand violations in a short text, each with a long path.
    let name = "n".repeat(100_000);
    let instance = format!(r#"{{"{name}": [{}]}}"#, vec!["1"; 1_000].join(", "));
    let schema = r#"{"additionalProperties": {"items": {"type": "null"}}}"#;
    let schema = compiled(schema, Draft::Draft7, &mut Steps::default()).unwrap();
    let instance = read(&instance);
    let found = schema.validate(instance.root(), &mut Steps::new(FEW)).map_err(|error| error.code());
    assert_eq!(found, Err(codes::LIMIT_EXCEEDED));
    assert_eq!(schema.is_valid(instance.root(), &mut Steps::new(FEW)), Ok(false));
}

#[test]
fn growing_uris_end_in_a_limit() {
    let base = "a".repeat(100_000);
    let parts: Vec<String> =
        (0..1_000).map(|number| format!(r#""{number}": {{"$id": "{number}"}}"#)).collect();
    let schema = format!(r#"{{"$id": "http://a/{base}/", "$defs": {{{}}}}}"#, parts.join(", "));
    check_compile_limit(&schema, "");
}

#[test]
fn any_json_is_a_schema_or_an_error() {
    for text in [
        "[]",
        "\"\"",
        "0",
        r#"{"": {"": {}}}"#,
        r#"{"$ref": ""}"#,
        r#"{"$id": "", "$ref": "?"}"#,
        r#"{"$id": "\n0//"}"#,
    ] {
        for draft in [Draft::Draft7, Draft::Draft2020] {
            let error =
                compiled(text, draft, &mut Steps::default()).map(|_| ()).map_err(|error| error.code());
            assert!(matches!(error, Ok(()) | Err(codes::INVALID_SCHEMA)), "{text}");
        }
    }
}
