//! The built-in meta-schemas of both drafts.

use adjudicate_lang::{
    Steps,
    schema::{Documents, Draft, Options, Schema, check_text},
};

use crate::schema::{compiled, found, read};

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";
const DRAFT_2020: &str = "https://json-schema.org/draft/2020-12/schema";
const VOCABULARIES: [&str; 8] = [
    "core",
    "applicator",
    "unevaluated",
    "validation",
    "meta-data",
    "format-annotation",
    "format-assertion",
    "content",
];

#[test]
fn each_meta_schema_is_built_in_and_validates_schemas() {
    for (uri, instance, valid) in [
        (DRAFT_7, r#"{"minLength": 1, "items": [{}, true]}"#, true),
        (DRAFT_7, r#"{"minLength": -1}"#, false),
        (DRAFT_7, r#"{"properties": {"a": {"type": "text"}}}"#, false),
        (DRAFT_2020, r#"{"minLength": 1, "prefixItems": [{}, true]}"#, true),
        (DRAFT_2020, r#"{"minLength": -1}"#, false),
        (DRAFT_2020, r#"{"properties": {"a": {"$defs": {"b": {"required": [1]}}}}}"#, false),
        (DRAFT_2020, r#"{"items": [{}]}"#, false),
        ("http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger", "1", true),
        ("http://json-schema.org/draft-07/schema#/definitions/nonNegativeInteger", "-1", false),
        ("https://json-schema.org/draft/2020-12/meta/validation#/$defs/stringArray", r#"["a"]"#, true),
        ("https://json-schema.org/draft/2020-12/meta/validation#/$defs/stringArray", r#"["a", "a"]"#, false),
    ] {
        for draft in [Draft::Draft7, Draft::Draft2020] {
            let found = found(&format!(r#"{{"$ref": "{uri}"}}"#), draft, instance).unwrap();
            assert_eq!(found.is_empty(), valid, "{uri} {instance}: {found:?}");
        }
    }
}

#[test]
fn each_vocabulary_is_built_in() {
    for name in VOCABULARIES {
        let uri = format!("https://json-schema.org/draft/2020-12/meta/{name}");
        let schema = format!(r#"{{"$ref": "{uri}"}}"#);
        assert!(found(&schema, Draft::Draft2020, "{}").unwrap().is_empty(), "{name}");
        assert!(!found(&schema, Draft::Draft2020, "1").unwrap().is_empty(), "{name}");
        // A schema can use one vocabulary alone.
        let alone = format!(r#"{{"$schema": "{uri}", "minLength": 3}}"#);
        let is_asserted = name == "validation";
        assert_eq!(found(&alone, Draft::Draft7, r#""a""#).unwrap().len(), usize::from(is_asserted), "{name}");
    }
}

#[test]
fn one_call_can_use_both_meta_schemas() {
    let call = r#"{"schema": {"allOf": [
        {"$ref": "http://json-schema.org/draft-07/schema#"},
        {"$ref": "https://json-schema.org/draft/2020-12/schema"}
    ]}, "instance": {"type": "text"}}"#;
    let answer = check_text(call.as_bytes()).unwrap();
    for uri in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/meta/validation#"]
    {
        assert!(answer.contains(&format!(r#""schema_path":"{uri}/properties/type/anyOf""#)), "{answer}");
    }
}

#[test]
fn a_passed_document_replaces_a_built_in_meta_schema() {
    let own = read(r#"{"maxProperties": 0}"#);
    let documents = Documents::default().with(DRAFT_2020, own.root());
    let schema = read(r#"{"$ref": "https://json-schema.org/draft/2020-12/schema"}"#);
    let schema =
        Schema::compile(schema.root(), &documents, Options::default(), &mut Steps::default()).unwrap();
    let is_valid = |text: &str| schema.is_valid(read(text).root(), &mut Steps::default()).unwrap();
    assert!(is_valid("{}") && is_valid("1") && !is_valid(r#"{"type": "string"}"#));
}

#[test]
fn other_meta_schemas_are_not_built_in() {
    for uri in [
        "http://json-schema.org/draft-06/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/meta/hyper-schema",
        "https://json-schema.org/draft/2020-12/meta",
    ] {
        let error = compiled(&format!(r#"{{"$ref": "{uri}"}}"#), Draft::Draft2020, &mut Steps::default());
        let message = format!("`{}` is not among the given documents", uri.trim_end_matches('#'));
        assert_eq!(error.unwrap_err().message(), message);
    }
}

#[test]
fn reading_a_meta_schema_costs_steps() {
    let schema = format!(r#"{{"$ref": "{DRAFT_7}"}}"#);
    let error = compiled(&schema, Draft::Draft7, &mut Steps::new(2_000)).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_exceeded");
}
