//! The writer of JSON Schema 2020-12 from descriptions.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    Others,
    definition::{Content, Definition, Field, Tagged, Type, Word},
    prose::{example, plain},
};
use crate::json::OwnedValue;

/// The fields of a JSON object.
type SchemaFields = Vec<(String, OwnedValue)>;

/// A document, and the texts at the root of its schema.
#[derive(Clone, Copy, Debug)]
pub struct SchemaRoot<'a> {
    /// The URL of the schema.
    pub id: &'a str,
    /// The name of the document.
    pub title: &'a str,
    /// One sentence on the document.
    pub about: &'a str,
    /// The type of the document.
    pub describe: fn() -> Type,
}

impl SchemaRoot<'_> {
    /// Writes the JSON Schema.
    ///
    /// The schema accepts what the reader accepts. Some errors of the reader cannot be described by a schema, so the schema
    /// accepts:
    ///
    /// - integers with a fraction or an exponent, such as `1.0` and `1e2`,
    /// - repeated fields,
    /// - misspelt fields of objects that may have others,
    /// - violations of rules between several fields, except the rules in `#[document(schema = "...")]`.
    ///
    /// ```
    /// use adjudicate_lang::{document::{Describe, Document, SchemaRoot}, json::{self, OwnedValue}};
    /// /// A size.
    /// #[derive(Document)]
    /// #[document(expecting = "a size")]
    /// struct Size {
    ///     /// The width in millimetres, for example `3`.
    ///     width: u64,
    ///     /// True if the size is final.
    ///     #[serde(default)]
    ///     is_final: bool,
    /// }
    /// let root = SchemaRoot { id: "https://example.com/size.json", title: "size", about: "One size.", describe: Size::describe };
    /// let schema = json::write(&root.write());
    /// assert!(schema.contains(r#""width":{"description":"The width in millimetres, for example `3`.","type":"integer""#));
    /// assert!(schema.contains(r#""minimum":0,"maximum":18446744073709551615,"examples":[3]}"#));
    /// assert!(schema.contains(r#""type":"boolean","default":false}"#));
    /// assert!(schema.ends_with(r#""required":["width"],"patternProperties":{"^x-":true},"additionalProperties":false}"#));
    /// ```
    #[must_use]
    pub fn write(&self) -> OwnedValue {
        let mut writer = Writer::default();
        let root = match (self.describe)() {
            Type::Named(definition) => writer.definition(definition),
            other => writer.type_keywords(&other),
        };
        let head = [
            ("$schema", "https://json-schema.org/draft/2020-12/schema"),
            ("$id", self.id),
            ("title", self.title),
            ("description", self.about),
        ];
        let mut members: SchemaFields = head.map(|(name, text)| (name.into(), OwnedValue::text(text))).into();
        members.extend(root.into_iter().filter(|(name, _)| name != "description"));
        if !writer.definitions.is_empty() {
            let definitions = writer
                .definitions
                .into_iter()
                .map(|(name, members)| (name.into(), OwnedValue::Object(members)));
            members.push(("$defs".into(), OwnedValue::Object(definitions.collect())));
        }
        OwnedValue::Object(members)
    }
}

/// The definitions that a schema refers to, by name.
#[derive(Default)]
struct Writer {
    definitions: BTreeMap<&'static str, SchemaFields>,
}

impl Writer {
    fn type_keywords(&mut self, kind: &Type) -> SchemaFields {
        match kind {
            Type::Any => SchemaFields::new(),
            Type::Bool => type_keyword("boolean"),
            Type::Integer { minimum, maximum } => {
                let mut members = type_keyword("integer");
                members.extend(minimum.map(|least| number("minimum", least)));
                members.extend(maximum.map(|most| number("maximum", most)));
                members
            }
            Type::Number { minimum, maximum } => {
                let mut members = type_keyword("number");
                members.extend(minimum.map(|least| number("minimum", least)));
                members.extend(maximum.map(|most| number("maximum", most)));
                members
            }
            Type::Text { min_length, pattern } => {
                let mut members = type_keyword("string");
                members.extend((*min_length > 0).then(|| number("minLength", (*min_length).into())));
                members.extend((!pattern.is_empty()).then(|| text("pattern", pattern)));
                members
            }
            Type::Object => type_keyword("object"),
            Type::List(item) => {
                let mut members = type_keyword("array");
                members.push(("items".into(), OwnedValue::Object(self.type_keywords(item))));
                members
            }
            Type::Map(value) => {
                let mut members = type_keyword("object");
                members.push(("additionalProperties".into(), OwnedValue::Object(self.type_keywords(value))));
                members
            }
            Type::Nullable(value) => or_null(self.type_keywords(value)),
            Type::Either(types) => {
                let types = types.iter().map(|kind| OwnedValue::Object(self.type_keywords(kind)));
                Vec::from([("anyOf".into(), OwnedValue::List(types.collect()))])
            }
            Type::Named(definition) => {
                self.define(definition);
                Vec::from([text("$ref", &format!("#/$defs/{}", definition.name))])
            }
        }
    }

    fn define(&mut self, definition: &'static Definition) {
        if !self.definitions.contains_key(definition.name) {
            // A type that contains itself finds its own name.
            self.definitions.insert(definition.name, SchemaFields::new());
            let members = self.definition(definition);
            self.definitions.insert(definition.name, members);
        }
    }

    fn definition(&mut self, definition: &'static Definition) -> SchemaFields {
        let mut members = description(definition.about);
        match definition.content {
            Content::Words(words) => {
                members.extend(type_keyword("string"));
                members.push(("oneOf".into(), OwnedValue::List(words.iter().map(word).collect())));
            }
            Content::Object { fields, others, .. } => members.extend(self.object(fields, others, None)),
            Content::Tagged { tag, variants, others } => {
                members.extend(type_keyword("object"));
                let variants = variants.iter().map(|variant| {
                    let mut members = description(variant.about);
                    members.extend(self.object(variant.fields, others, Some((tag, variant))));
                    OwnedValue::Object(members)
                });
                members.push(("oneOf".into(), OwnedValue::List(variants.collect())));
            }
            Content::Type(describe) => members.extend(self.type_keywords(&describe())),
            Content::Schema { write, refers } => {
                refers.iter().for_each(|definition| self.define(definition));
                members.extend(fields_of(write()));
            }
        }
        if let Some(example) = example(definition.about, is_text(&Type::Named(definition))) {
            members.push(("examples".into(), OwnedValue::List(Vec::from([example]))));
        }
        members.extend(keywords(definition.keywords));
        members
    }

    /// Returns the keywords of an object, with the word in its tag, if it has a tag.
    fn object(
        &mut self,
        fields: &'static [Field],
        others: Others,
        tag: Option<(&str, &Tagged)>,
    ) -> SchemaFields {
        let fields: Vec<_> = fields.iter().flat_map(Field::written).collect();
        let mut properties = SchemaFields::new();
        if let Some((name, variant)) = tag {
            properties.push((name.into(), OwnedValue::object([("const", OwnedValue::text(variant.name))])));
        }
        properties
            .extend(fields.iter().map(|field| (field.name.into(), OwnedValue::Object(self.field(field)))));
        if others == Others::Root {
            let about = "The URL of this JSON Schema, for editors. The reader ignores it.";
            properties.push(("$schema".into(), OwnedValue::Object(description(about))));
        }
        let required = fields.iter().filter(|field| field.is_required).map(|field| field.name);
        let required: Vec<_> = tag.map(|(name, _)| name).into_iter().chain(required).collect();
        let mut members = type_keyword("object");
        members.push(("properties".into(), OwnedValue::Object(properties)));
        if !required.is_empty() {
            members.push(("required".into(), OwnedValue::texts(required)));
        }
        if matches!(others, Others::Refused | Others::Root) {
            members.push(("patternProperties".into(), OwnedValue::object([("^x-", OwnedValue::Bool(true))])));
        }
        if matches!(others, Others::Refused | Others::Root | Others::Closed) {
            members.push(("additionalProperties".into(), OwnedValue::Bool(false)));
        }
        members
    }

    fn field(&mut self, field: &Field) -> SchemaFields {
        let kind = (field.describe)();
        let mut members = description(field.about);
        members.extend(self.type_keywords(&kind));
        members.extend(keywords(field.keywords));
        members.extend((field.default)().map(|default| ("default".into(), default)));
        if let Some(example) = example(field.about, is_text(&kind)) {
            let example =
                if matches!(kind, Type::List(_)) { OwnedValue::List(Vec::from([example])) } else { example };
            members.push(("examples".into(), OwnedValue::List(Vec::from([example]))));
        }
        members
    }
}

/// Returns the keyword `type`.
fn type_keyword(kind: &str) -> SchemaFields {
    Vec::from([text("type", kind)])
}

fn text(name: &str, value: &str) -> (String, OwnedValue) {
    (name.into(), OwnedValue::text(value))
}

fn number(name: &str, value: i128) -> (String, OwnedValue) {
    (name.into(), OwnedValue::Number(value.to_string()))
}

fn description(about: &str) -> SchemaFields {
    let about = plain(about);
    if about.is_empty() { SchemaFields::new() } else { Vec::from([text("description", &about)]) }
}

fn word(word: &Word) -> OwnedValue {
    let mut members = Vec::from([text("const", word.name)]);
    members.extend(description(word.about));
    OwnedValue::Object(members)
}

/// Returns a schema that accepts null, too.
fn or_null(mut members: SchemaFields) -> SchemaFields {
    if let Some((_, OwnedValue::Text(kind))) = members.first().filter(|(name, _)| name == "type") {
        let kinds = OwnedValue::texts([kind.as_str(), "null"]);
        members.splice(..1, [("type".into(), kinds)]);
        return members;
    }
    // Any value may be null.
    if members.is_empty() {
        return members;
    }
    let either = [OwnedValue::Object(members), OwnedValue::Object(type_keyword("null"))];
    Vec::from([("anyOf".into(), OwnedValue::List(either.into()))])
}

/// Returns whether examples of a type are strings.
fn is_text(kind: &Type) -> bool {
    match kind {
        Type::Text { .. } => true,
        Type::List(item) | Type::Nullable(item) => is_text(item),
        Type::Named(Definition { content: Content::Type(describe), .. }) => is_text(&describe()),
        Type::Named(Definition { content: Content::Words(_), .. }) => true,
        _ => false,
    }
}

/// Returns the keywords in the text of an object.
fn keywords(text: &str) -> SchemaFields {
    if text.is_empty() { SchemaFields::new() } else { fields_of(OwnedValue::from_json(text)) }
}

fn fields_of(object: OwnedValue) -> SchemaFields {
    match object {
        OwnedValue::Object(members) => members,
        _ => SchemaFields::new(),
    }
}
