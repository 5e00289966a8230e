//! Types that keywords of the JSON Schema narrow.

use adjudicate_core::document::{Content, Definition, Field};
use serde_json::Value;

use super::{
    types::Usage,
    writer::{readonly, type_of_field},
};

/// The fields of which an engine needs one, unless it has a policy. The schema cannot say so: a call without any is complete for
/// a module with a policy.
const ONE_OF: &[(&str, &[&str])] = &[("CheckPolicyCall", &["policy", "outputContract", "policies"])];

fn keywords(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { serde_json::from_str(text).expect("keywords are JSON") }
}

/// Asserts that no keyword is forgotten: these, or those that no type can express.
#[track_caller]
fn assert_known(keywords: &Value, known: &[&str]) {
    for name in keywords.as_object().into_iter().flatten().map(|(name, _)| name) {
        let is_inexpressible =
            ["minItems", "maxItems", "minLength", "pattern", "uniqueItems"].contains(&name.as_str());
        assert!(is_inexpressible || known.contains(&name.as_str()), "a keyword without a type: {name}");
    }
}

/// The types that narrow an object, each with the operator before it.
pub(super) fn of(definition: &Definition, usage: Usage) -> Vec<String> {
    let keywords = keywords(definition.keywords);
    assert_known(&keywords, &["oneOf", "if", "then"]);
    let field = |name: &str| Narrowed::new(definition, name, usage);
    let mut all = Vec::new();
    if let Some((_, names)) = ONE_OF.iter().find(|(name, _)| *name == definition.name) {
        all.push(names.iter().map(|name| format!("{{ {} }}", field(name).required())).collect());
    }
    if let Some(cases) = keywords["oneOf"].as_array() {
        let names: Vec<_> = cases.iter().map(|case| text(&case["required"][0])).collect();
        all.push(names.iter().map(|name| alternative(&names, name, field)).collect());
    }
    if let Some(tags) = keywords["if"]["properties"].as_object() {
        let required = field(text(&keywords["then"]["required"][0]));
        let (tag, word) = tags.iter().next().expect("a condition is about one field");
        let (tag, word) = (field(tag), text(&word["const"]));
        all.push(vec![
            format!("{{ {}; {} }}", tag.with(&format!("{word:?}")), required.required()),
            format!(
                "{{ {}; {} }}",
                tag.with(&format!("Exclude<{}, {word:?}>", tag.kind)),
                required.optional()
            ),
        ]);
    }
    let union = |cases: Vec<String>| {
        let cases: String = cases.iter().map(|case| format!("\n    | {case}")).collect();
        format!(" & ({cases}\n)")
    };
    all.into_iter().map(union).collect()
}

/// The objects that have one of several fields.
fn alternative<'a>(names: &[&str], name: &str, field: impl Fn(&str) -> Narrowed<'a>) -> String {
    let fields =
        names.iter().map(|other| if *other == name { field(name).required() } else { field(other).absent() });
    format!("{{ {} }}", fields.collect::<Vec<_>>().join("; "))
}

/// The type of a field that keywords narrow.
pub(super) fn of_field(field: &Field, kind: String) -> String {
    let keywords = keywords(field.keywords);
    // `properties` restricts the names in `inputs` of a policy, which is any JSON Schema to TypeScript.
    assert_known(&keywords, &["const", "not", "properties"]);
    if let Some(word) = keywords["const"].as_str() {
        return format!("{word:?}");
    }
    match keywords["not"]["const"].as_str() {
        Some(word) => format!("Exclude<{kind}, {word:?}>"),
        None => kind,
    }
}

/// The values of another type that keywords narrow.
pub(super) fn alias(definition: &Definition, kind: String) -> String {
    let keywords = keywords(definition.keywords);
    assert_known(&keywords, &["type"]);
    match keywords["type"].as_str() {
        // Conditions are the only such type, and also have booleans.
        Some("object") => format!("Exclude<{kind}, boolean>"),
        Some(other) => panic!("a keyword without a type: {other}"),
        None => kind,
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a name")
}

/// A field of a narrowed object.
struct Narrowed<'a> {
    readonly: &'static str,
    name: &'a str,
    kind: String,
}

impl<'a> Narrowed<'a> {
    fn new(definition: &'a Definition, name: &str, usage: Usage) -> Self {
        let Content::Object { fields, .. } = definition.content else {
            panic!("{} has no fields", definition.name)
        };
        let field = fields.iter().find(|field| field.name == name).expect("keywords name fields");
        Self { readonly: readonly(usage), name: field.name, kind: type_of_field(field, usage) }
    }

    fn with(&self, kind: &str) -> String {
        format!("{}{}: {kind}", self.readonly, self.name)
    }

    fn required(&self) -> String {
        self.with(&self.kind)
    }

    fn optional(&self) -> String {
        format!("{}{}?: {}", self.readonly, self.name, self.kind)
    }

    fn absent(&self) -> String {
        format!("{}{}?: never", self.readonly, self.name)
    }
}
