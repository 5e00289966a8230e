//! Errors of schemas.

use adjudicate_lang::{
    Steps, codes,
    schema::{Documents, Draft, Options, Schema},
};

use crate::schema::{compiled, read};

#[track_caller]
fn check(draft: Draft, table: &[(&str, &str)]) {
    for (schema, expected) in table {
        let error = compiled(schema, draft, &mut Steps::default()).expect_err(schema);
        assert_eq!(error.to_string(), format!("invalid_schema: {expected}"), "{schema}");
    }
}

#[test]
fn wrong_values_of_keywords_are_errors() {
    let both = [
        ("3", "a schema is an object or a boolean"),
        ("null", "a schema is an object or a boolean"),
        (r#"{"not": []}"#, "a schema is an object or a boolean at /not"),
        (r#"{"properties": {"a/b": 1}}"#, "a schema is an object or a boolean at /properties/a~1b"),
        (r#"{"properties": []}"#, "`properties` takes an object of schemas at /properties"),
        (
            r#"{"patternProperties": 1}"#,
            "`patternProperties` takes an object of schemas at /patternProperties",
        ),
        (r#"{"allOf": []}"#, "`allOf` takes a list of at least one schema at /allOf"),
        (r#"{"anyOf": {}}"#, "`anyOf` takes a list of at least one schema at /anyOf"),
        (r#"{"oneOf": [true, "a"]}"#, "a schema is an object or a boolean at /oneOf/1"),
        (r#"{"minLength": -1}"#, "`minLength` takes a whole number that is not negative at /minLength"),
        (r#"{"maxItems": 1.5}"#, "`maxItems` takes a whole number that is not negative at /maxItems"),
        (
            r#"{"minProperties": "1"}"#,
            "`minProperties` takes a whole number that is not negative at /minProperties",
        ),
        (r#"{"multipleOf": 0}"#, "`multipleOf` takes a number greater than zero at /multipleOf"),
        (r#"{"multipleOf": -2}"#, "`multipleOf` takes a number greater than zero at /multipleOf"),
        (r#"{"minimum": "1"}"#, "`minimum` takes a number at /minimum"),
        (r#"{"required": "a"}"#, "`required` takes a list of different names at /required"),
        (r#"{"required": ["a", 1]}"#, "`required` takes a list of different names at /required"),
        (r#"{"required": ["a", "a"]}"#, "`required` takes a list of different names at /required"),
        (r#"{"enum": 1}"#, "`enum` takes a list of values at /enum"),
        (r#"{"uniqueItems": 1}"#, "`uniqueItems` takes a boolean at /uniqueItems"),
        (r#"{"pattern": 1}"#, "`pattern` takes a string at /pattern"),
        (r#"{"format": 1}"#, "`format` takes a name at /format"),
        (r#"{"$ref": 1}"#, "`$ref` takes a URI reference at /$ref"),
        (
            r#"{"definitions": {"unused": {"minLength": -1}}}"#,
            "`minLength` takes a whole number that is not negative at /definitions/unused/minLength",
        ),
        (
            r#"{"dependencies": {"a": ["b", "b"]}}"#,
            "`dependencies` takes a list of different names at /dependencies",
        ),
    ];
    check(Draft::Draft7, &both);
    check(Draft::Draft2020, &both);
    for types in [r#""text""#, "[]", r#"["null", "null"]"#, "1", r#"["null", 1]"#] {
        let expected = "`type` takes one or several of `null`, `boolean`, `object`, `array`, `number`, `string` and \
                        `integer` at /type";
        check(Draft::Draft7, &[(&format!(r#"{{"type": {types}}}"#), expected)]);
    }
    check(
        Draft::Draft7,
        &[
            (r#"{"items": [true, 1]}"#, "a schema is an object or a boolean at /items/1"),
            (r#"{"items": 1}"#, "`items` takes a schema or a list of schemas at /items"),
        ],
    );
    check(
        Draft::Draft2020,
        &[
            (r#"{"items": [true]}"#, "a schema is an object or a boolean at /items"),
            (r#"{"prefixItems": []}"#, "`prefixItems` takes a list of at least one schema at /prefixItems"),
            (
                r#"{"dependentRequired": {"a": "b"}}"#,
                "`dependentRequired` takes a list of different names at /dependentRequired",
            ),
            (r#"{"$anchor": "1a"}"#, "`$anchor` is a name of letters, digits, `_`, `-` and `.` at /$anchor"),
            (r#"{"$id": "a#b"}"#, "`$id` is a URI without a fragment at /$id"),
            (r#"{"$id": 1}"#, "`$id` is a URI at /$id"),
        ],
    );
}

#[test]
fn invalid_patterns_are_errors() {
    check(
        Draft::Draft7,
        &[
            (
                r#"{"pattern": "a(?=b)"}"#,
                "look-around `(?=` is not supported, character 2 of the pattern at /pattern",
            ),
            (
                r#"{"items": {"patternProperties": {"(a)\\1": true}}}"#,
                "the back-reference `\\1` is not supported, character 4 of the pattern at /items/patternProperties/(a)\\1",
            ),
        ],
    );
}

#[test]
fn unresolved_references_are_errors() {
    check(
        Draft::Draft2020,
        &[
            (r#"{"$ref": "other.json"}"#, "`other.json` is not among the given documents at /$ref"),
            (
                r#"{"$id": "http://a/b/c", "items": {"$ref": "../d#/e"}}"#,
                "`http://a/d` is not among the given documents at /items/$ref",
            ),
            (r##"{"$ref": "#/$defs/a"}"##, "`#/$defs/a` does not exist in the document at /$ref"),
            (
                r##"{"$ref": "#/$defs/a/01", "$defs": {"a": [true, true]}}"##,
                "`#/$defs/a/01` does not exist in the document at /$ref",
            ),
            (r##"{"$ref": "#a"}"##, "`#a` is not an anchor of the document at /$ref"),
            (r##"{"$ref": "#%zz"}"##, "`#%zz` is not a URI reference at /$ref"),
            (r##"{"$ref": "#/title", "title": "a"}"##, "a schema is an object or a boolean at /title"),
            (
                r#"{"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}"#,
                "two schemas are named `#x` at /$defs/b/$anchor",
            ),
            (
                r#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#,
                "`http://json-schema.org/draft-04/schema#` is neither draft-07 nor 2020-12, nor one of the given \
                 meta-schemas at /$schema",
            ),
        ],
    );
}

#[test]
fn reference_cycles_are_errors() {
    let message = |word: &str, path: &str| {
        format!(
            "`{word}` is part of a reference cycle: the schema applies itself to the same value at {path}"
        )
    };
    for (schema, word, path) in [
        (r##"{"$ref": "#"}"##, "$ref", "/$ref"),
        (r##"{"allOf": [{"$ref": "#"}]}"##, "$ref", "/allOf/0/$ref"),
        (r##"{"not": {"anyOf": [true, {"$ref": "#/not"}]}}"##, "$ref", "/not/anyOf/1/$ref"),
        (
            r##"{"$ref": "#/definitions/a", "definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}}}"##,
            "$ref",
            "/definitions/b/$ref",
        ),
        (
            r##"{"if": true, "then": {"dependencies": {"a": {"$ref": "#"}}}}"##,
            "$ref",
            "/then/dependencies/a/$ref",
        ),
    ] {
        check(Draft::Draft7, &[(schema, &message(word, path))]);
    }
    for schema in [r##"{"items": {"$ref": "#"}}"##, r##"{"properties": {"a": {"allOf": [{"$ref": "#"}]}}}"##]
    {
        assert!(compiled(schema, Draft::Draft7, &mut Steps::default()).is_ok(), "{schema}");
    }
}

#[test]
fn the_first_error_in_document_order_is_reported() {
    for (schema, path) in [
        (r#"{"items": {"minLength": -1}, "type": 5}"#, "/items/minLength"),
        (r#"{"type": 5, "items": {"minLength": -1}}"#, "/type"),
        (r#"{"maximum": "a", "minimum": "b"}"#, "/maximum"),
        (r#"{"required": ["a", "a"], "minLength": "b"}"#, "/required"),
        (r#"{"properties": {"a": {"type": 5}}, "$id": 3}"#, "/properties/a/type"),
        (r#"{"patternProperties": {"a": {"type": 5}, "(": {}}}"#, "/patternProperties/a/type"),
        (r#"{"patternProperties": {"(": {"type": 5}}}"#, "/patternProperties/("),
        (r#"{"dependentRequired": 3, "patternProperties": {"(": {"type": 5}}}"#, "/dependentRequired"),
        (r#"{"allOf": [true, {"properties": {"a": {"enum": 1}}}], "not": 3}"#, "/allOf/1/properties/a/enum"),
        (r#"{"not": 3, "allOf": [{"properties": {"a": {"enum": 1}}}]}"#, "/not"),
        (r##"{"$ref": "#nowhere", "type": 5}"##, "/$ref"),
        (r##"{"type": 5, "$ref": "#nowhere"}"##, "/type"),
        // Errors of names come before errors of references.
        (r##"{"$ref": "#a", "$id": 3, "$anchor": "a"}"##, "/$id"),
        (r##"{"$ref": "#a", "$anchor": "a b", "type": 5}"##, "/$anchor"),
        (r#"{"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}, "type": 5}"#, "/$defs/b/$anchor"),
        // `$schema` errors come before all others, and reference cycles after them.
        (r#"{"type": 5, "$schema": "http://json-schema.org/draft-04/schema#"}"#, "/$schema"),
        (r##"{"allOf": [{"$ref": "#"}], "type": 5}"##, "/type"),
    ] {
        let error = compiled(schema, Draft::Draft2020, &mut Steps::default()).unwrap_err();
        assert_eq!((error.code(), error.path()), (codes::INVALID_SCHEMA, path), "{schema} {error}");
    }
    // Errors of the root document come before those of others.
    let other = read(r#"{"minimum": "a", "$id": 3}"#);
    let documents = Documents::default().with("other", other.root());
    for (schema, path) in
        [(r#"{"$ref": "other", "type": 5}"#, "/type"), (r#"{"$ref": "other", "type": "null"}"#, "/minimum")]
    {
        let options = Options { draft: Draft::Draft2020, formats: false };
        let schema = read(schema);
        let error = Schema::compile(schema.root(), &documents, options, &mut Steps::default()).unwrap_err();
        assert_eq!((error.code(), error.path()), (codes::INVALID_SCHEMA, path), "{error}");
    }
}

#[test]
fn errors_name_other_documents() {
    let (schema, other) = (read(r#"{"$ref": "a.json"}"#), read(r#"{"items": {"type": 1}}"#));
    let documents = Documents::default().with("a.json#", other.root());
    let error =
        Schema::compile(schema.root(), &documents, Options::default(), &mut Steps::default()).unwrap_err();
    assert_eq!((error.code(), error.path()), (codes::INVALID_SCHEMA, "/items/type"));
    assert!(error.message().starts_with("a.json: `type` takes"), "{}", error.message());
}

#[test]
fn required_vocabularies_must_be_known() {
    let meta = |required: bool| {
        format!(
            r#"{{"$schema": "https://json-schema.org/draft/2020-12/schema", "$vocabulary":
            {{"https://json-schema.org/draft/2020-12/vocab/core": true, "https://json-schema.org/draft/2020-12/vocab/validation": true, "urn:own": {required}}}}}"#
        )
    };
    let schema =
        read(r#"{"$schema": "urn:meta", "type": "string", "items": {"type": "a"}, "properties": []}"#);
    for required in [true, false] {
        let meta = meta(required);
        let meta = read(&meta);
        let documents = Documents::default().with("urn:meta", meta.root());
        let compiled = Schema::compile(schema.root(), &documents, Options::default(), &mut Steps::default());
        if required {
            let error = compiled.unwrap_err();
            assert_eq!(
                (error.message(), error.path()),
                ("the vocabulary `urn:own` is not supported", "/$schema")
            );
        } else {
            // The compiler ignores keywords that the dialect does not have.
            let compiled = compiled.unwrap();
            assert!(!compiled.is_valid(read("1").root(), &mut Steps::default()).unwrap());
        }
    }
}

#[test]
fn a_schema_can_be_a_part_of_a_document() {
    let document = read(
        r##"{"before": [1, 2], "schema": {"$ref": "#/definitions/a", "definitions": {"a": {"items": {"$ref": "b"}}}},
        "b": {"$ref": "#/else", "else": {"type": "null"}}}"##,
    );
    let part = |name| document.root().member(name).unwrap();
    let documents = Documents::default().with("b", part("b"));
    let options = Options::default();
    let schema = Schema::compile(part("schema"), &documents, options, &mut Steps::default()).unwrap();
    let found = schema.validate(read("[null, 1]").root(), &mut Steps::default()).unwrap();
    let found: Vec<_> = found.iter().map(|found| (&*found.instance_path, &*found.schema_path)).collect();
    assert_eq!(found, [("/1", "b#/else/type")]);
}

#[test]
fn documents_are_found_by_their_own_id() {
    let own = read(r#"{"$id": "http://own/n", "type": "integer"}"#);
    let documents = Documents::default().with("http://given/n", own.root());
    let compile = |schema: &str, documents: &Documents<'_>| {
        let schema = read(schema);
        Schema::compile(schema.root(), documents, Options::default(), &mut Steps::new(100_000))
    };
    let allows = |schema: &str, value: &str| {
        let compiled = compile(schema, &documents).unwrap();
        compiled.is_valid(read(value).root(), &mut Steps::default()).unwrap()
    };
    // The schema has the name of the document, which is indexed once, however often it is named.
    let references = r#"{"$ref": "http://own/n"}, "#.repeat(1_000);
    let schema = format!(
        r#"{{"definitions": {{"n": {{"$id": "http://given/n", "type": "string"}}}}, "items": [
        {{"$ref": "http://given/n"}}, {references} true]}}"#
    );
    assert!(allows(&schema, r#"["a", 1]"#) && !allows(&schema, "[1]") && !allows(&schema, r#"["a", "b"]"#));
    // Next to `$ref`, an `$id` of draft-07 is no name.
    let named = read(r##"{"$id": "http://own/n", "$ref": "#/definitions/a", "definitions": {"a": true}}"##);
    let documents = Documents::default().with("http://given/n", named.root());
    let error = compile(r#"{"$ref": "http://own/n"}"#, &documents).unwrap_err();
    assert_eq!(error.message(), "`http://own/n` is not among the given documents");
    // In 2020-12, `$id` next to `$ref` is a name.
    let new = r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": "http://own/n"}"#;
    compile(new, &documents).unwrap();
    // Anchors of another document with the same `$id` are no anchors of this one.
    let twin = |of: &str| {
        format!(r#"{{"$id": "http://own", "$defs": {{"q": {{"$anchor": "q", "type": "{of}"}}}}}}"#)
    };
    let twins = [twin("string"), twin("integer")];
    let twins = twins.each_ref().map(|text| read(text));
    let documents = Documents::default().with("http://a", twins[0].root()).with("http://b", twins[1].root());
    let schema = r##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "allOf": [{"$ref": "http://a"}, {"$ref": "http://b#q"}]}"##;
    assert!(compile(schema, &documents).is_err());
    // A meta-schema has an `$id`, too.
    let meta =
        read(r#"{"$id": "http://own/meta", "$schema": "https://json-schema.org/draft/2020-12/schema"}"#);
    let documents = Documents::default().with("meta.json", meta.root());
    let compiled = compile(r#"{"$schema": "http://own/meta", "prefixItems": [false]}"#, &documents).unwrap();
    assert!(!compiled.is_valid(read("[1]").root(), &mut Steps::default()).unwrap());
}
