//! The meta-schemas of both drafts, made of a table of what keywords take. They say what the published ones say, without
//! titles, comments and defaults.

use serde_json::{Map, Value, json};

/// What a keyword takes.
#[derive(Clone, Copy)]
enum Takes {
    Any,
    Count,
    Flag,
    Flags,
    Format(&'static str),
    List,
    Number,
    Pattern(&'static str),
    Positive,
    Schema,
    SchemaOrList,
    SchemaOrTexts,
    Schemas,
    SchemasByName,
    SchemasByPattern,
    SchemasOrTextsByName,
    Text,
    Texts,
    TextsByName,
    Type,
    Values,
}
use Takes::{
    Any, Count, Flag, Flags, Format, List, Number, Pattern, Positive, SchemaOrList, SchemaOrTexts, Schemas,
    SchemasByName, SchemasByPattern, SchemasOrTextsByName, Text, Texts, TextsByName, Type, Values,
};

/// Keywords and what they take.
type Keywords = &'static [(&'static str, Takes)];

const DRAFT_7: &[Keywords] = &[
    APPLICATOR,
    VALIDATION,
    META_DATA,
    CONTENT,
    FORMAT,
    &[
        ("$id", Format("uri-reference")),
        ("$schema", Format("uri")),
        ("$ref", Format("uri-reference")),
        ("$comment", Text),
        ("definitions", SchemasByName),
        ("items", SchemaOrList),
        ("additionalItems", Takes::Schema),
        ("dependencies", SchemasOrTextsByName),
        ("enum", Values),
    ],
];

const CORE: Keywords = &[
    ("$id", Pattern("^[^#]*#?$")),
    ("$schema", Format("uri")),
    ("$ref", Format("uri-reference")),
    ("$anchor", Pattern("^[A-Za-z_][-A-Za-z0-9._]*$")),
    ("$dynamicRef", Format("uri-reference")),
    ("$dynamicAnchor", Pattern("^[A-Za-z_][-A-Za-z0-9._]*$")),
    ("$vocabulary", Flags),
    ("$comment", Text),
    ("$defs", SchemasByName),
];

/// Those of both drafts.
const APPLICATOR: Keywords = &[
    ("contains", Takes::Schema),
    ("additionalProperties", Takes::Schema),
    ("properties", SchemasByName),
    ("patternProperties", SchemasByPattern),
    ("propertyNames", Takes::Schema),
    ("if", Takes::Schema),
    ("then", Takes::Schema),
    ("else", Takes::Schema),
    ("allOf", Schemas),
    ("anyOf", Schemas),
    ("oneOf", Schemas),
    ("not", Takes::Schema),
];

const APPLICATOR_2020: Keywords =
    &[("prefixItems", Schemas), ("items", Takes::Schema), ("dependentSchemas", SchemasByName)];

const UNEVALUATED: Keywords =
    &[("unevaluatedItems", Takes::Schema), ("unevaluatedProperties", Takes::Schema)];

/// Those of both drafts.
const VALIDATION: Keywords = &[
    ("type", Type),
    ("const", Any),
    ("enum", List),
    ("multipleOf", Positive),
    ("maximum", Number),
    ("exclusiveMaximum", Number),
    ("minimum", Number),
    ("exclusiveMinimum", Number),
    ("maxLength", Count),
    ("minLength", Count),
    ("pattern", Format("regex")),
    ("maxItems", Count),
    ("minItems", Count),
    ("uniqueItems", Flag),
    ("maxProperties", Count),
    ("minProperties", Count),
    ("required", Texts),
];

const VALIDATION_2020: Keywords =
    &[("maxContains", Count), ("minContains", Count), ("dependentRequired", TextsByName)];

const META_DATA: Keywords = &[
    ("title", Text),
    ("description", Text),
    ("default", Any),
    ("readOnly", Flag),
    ("writeOnly", Flag),
    ("examples", List),
];

const CONTENT: Keywords = &[("contentMediaType", Text), ("contentEncoding", Text)];

const FORMAT: Keywords = &[("format", Text)];

const OF_2020: [(&str, &[Keywords]); 8] = [
    ("core", &[CORE]),
    ("applicator", &[APPLICATOR, APPLICATOR_2020]),
    ("unevaluated", &[UNEVALUATED]),
    ("validation", &[VALIDATION, VALIDATION_2020]),
    ("meta-data", &[META_DATA, &[("deprecated", Flag)]]),
    ("format-annotation", &[FORMAT]),
    ("content", &[CONTENT, &[("contentSchema", Takes::Schema)]]),
    ("format-assertion", &[FORMAT]),
];

const URI_2020: &str = "https://json-schema.org/draft/2020-12";

/// All of them, by their URIs.
pub(crate) fn meta_schemas() -> Vec<(String, String)> {
    let draft_7 = "http://json-schema.org/draft-07/schema";
    let mut all =
        vec![(draft_7.to_owned(), document(&format!("{draft_7}#"), &json!({"$ref": "#"}), DRAFT_7))];
    let itself = json!({"$dynamicRef": "#meta"});
    for (name, keywords) in OF_2020 {
        let uri = format!("{URI_2020}/meta/{name}");
        let text = of_2020(document(&uri, &itself, keywords), &[name], &[]);
        all.push((uri, text));
    }
    let uri = format!("{URI_2020}/schema");
    let older: Keywords = &[("definitions", SchemasByName), ("dependencies", SchemasOrTextsByName)];
    let [names @ .., _] = OF_2020.map(|(name, _)| name);
    all.push((uri.clone(), of_2020(document(&uri, &itself, &[older]), &names, &names)));
    all
}

/// A meta-schema: whatever is a schema, each keyword with what it takes.
fn document(uri: &str, schema: &Value, keywords: &[Keywords]) -> String {
    let keywords = keywords.iter().flat_map(|keywords| keywords.iter());
    let properties: Map<String, Value> =
        keywords.map(|(name, takes)| ((*name).to_owned(), takes.schema(schema))).collect();
    json!({"$id": uri, "type": ["object", "boolean"], "properties": properties}).to_string()
}

/// The same with what 2020-12 says of vocabularies, and with parts.
fn of_2020(document: String, vocabularies: &[&str], parts: &[&str]) -> String {
    let mut document: Value = serde_json::from_str(&document).unwrap();
    let vocabularies = vocabularies.iter().map(|name| (format!("{URI_2020}/vocab/{name}"), json!(true)));
    document["$schema"] = json!(format!("{URI_2020}/schema"));
    document["$vocabulary"] = Value::Object(vocabularies.collect());
    document["$dynamicAnchor"] = json!("meta");
    if !parts.is_empty() {
        document["allOf"] = parts.iter().map(|name| json!({"$ref": format!("meta/{name}")})).collect();
    }
    document.to_string()
}

impl Takes {
    fn schema(self, schema: &Value) -> Value {
        let by_name = |values: Value| json!({"type": "object", "additionalProperties": values});
        let schemas = json!({"type": "array", "minItems": 1, "items": schema});
        let texts = json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true});
        let types = json!({"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]});
        match self {
            Any => json!(true),
            Count => json!({"type": "integer", "minimum": 0}),
            Flag => json!({"type": "boolean"}),
            Flags => json!({
                "type": "object",
                "propertyNames": {"type": "string", "format": "uri"},
                "additionalProperties": {"type": "boolean"},
            }),
            Format(format) => json!({"type": "string", "format": format}),
            List => json!({"type": "array"}),
            Number => json!({"type": "number"}),
            Pattern(pattern) => json!({"type": "string", "pattern": pattern}),
            Positive => json!({"type": "number", "exclusiveMinimum": 0}),
            Self::Schema => schema.clone(),
            SchemaOrList => json!({"anyOf": [schema, schemas]}),
            SchemaOrTexts => json!({"anyOf": [schema, texts]}),
            Schemas => schemas,
            SchemasByName => by_name(schema.clone()),
            SchemasByPattern => json!({
                "type": "object",
                "propertyNames": {"format": "regex"},
                "additionalProperties": schema,
            }),
            SchemasOrTextsByName => by_name(SchemaOrTexts.schema(schema)),
            Text => json!({"type": "string"}),
            Texts => texts,
            TextsByName => by_name(texts),
            Type => json!({
                "anyOf": [types, {"type": "array", "items": types, "minItems": 1, "uniqueItems": true}],
            }),
            Values => json!({"type": "array", "minItems": 1, "uniqueItems": true}),
        }
    }
}
