//! The writer of declarations.

use std::fmt::Write as _;

use adjudicate_core::{
    document::{Content, Definition, Field, Others, Tagged, Type, Word, plain},
    json,
};

use super::{name_of, refinements, types::Usage};

/// The fields whose names begin with `x-`.
const EXTENSIONS: &str = "[extension: `x-${string}`]";

/// The declarations so far, each with an empty line after it.
#[derive(Default)]
pub(super) struct Writer {
    pub text: String,
}

impl Writer {
    /// Adds a declaration, the text behind `export`.
    pub(super) fn declare(&mut self, about: &str, more: &[String], text: &str) {
        let _ = write!(self.text, "{}export {text}\n\n", comment(about, more, ""));
    }

    /// Adds a union of string literals.
    pub(super) fn union(&mut self, about: &str, more: &[String], name: &str, words: &[&str]) {
        let words: Vec<_> = words.iter().map(|word| format!("\n    | {word:?}")).collect();
        self.declare(about, more, &format!("type {name} ={};", words.concat()));
    }

    /// Adds the declarations of a type.
    pub(super) fn definition(&mut self, definition: &'static Definition, usage: Usage) {
        let Definition { about, .. } = *definition;
        let name = name_of(definition.name);
        match definition.content {
            Content::Words(words) => {
                let names: Vec<_> = words.iter().map(|word| word.name).collect();
                self.union(about, &meanings(words), name, &names);
            }
            Content::Object { others, .. } => {
                let body = object(&definition.fields().collect::<Vec<_>>(), others, usage, "");
                let refinements = refinements::of(definition, usage);
                if refinements.is_empty() {
                    self.declare(about, &[], &format!("interface {name} {body}"));
                } else {
                    self.declare(about, &[], &format!("type {name} = {body}{};", refinements.concat()));
                }
            }
            Content::Tagged { tag, variants, others } => {
                let names: Vec<_> = variants.iter().map(|variant| variant_name(name, variant)).collect();
                self.declare(about, &[], &format!("type {name} = {};", names.join(" | ")));
                for (variant, name) in variants.iter().zip(&names) {
                    let about = comment("The word that tells this form from the others.", &[], "    ");
                    let tag = format!("{about}    {}{tag}: {:?};\n", readonly(usage), variant.name);
                    let body = object(&variant.fields.iter().collect::<Vec<_>>(), others, usage, &tag);
                    self.declare(variant.about, &[], &format!("interface {name} {body}"));
                }
            }
            Content::Type(describe) => {
                let text = refinements::alias(definition, type_of(&describe(), usage));
                // Details have a form of their own.
                let text = refinements::narrower(name).unwrap_or(text);
                self.declare(about, &[], &format!("type {name} = {text};"));
            }
            Content::Schema { .. } => refinements::declare(self, definition),
        }
    }
}

/// The words of a closed list with their meanings.
fn meanings(words: &[Word]) -> Vec<String> {
    words
        .iter()
        .map(|word| format!("- `{}`: {}", word.name, adjudicate_core::document::plain(word.about)))
        .collect()
}

/// The name of the objects with one word in their tag: `RetryAction` for the word `retry` of an `Action`, and `PlanRejected` for
/// `plan_rejected` of a `PlanAnswer`, which begins with the same word.
fn variant_name(of: &str, variant: &Tagged) -> String {
    let mut name = String::new();
    for part in variant.name.split('_') {
        let (head, tail) = part.split_at_checked(1).unwrap_or_default();
        name.push_str(&head.to_uppercase());
        name.push_str(tail);
    }
    let first_end = of.find(|letter: char| letter.is_lowercase()).unwrap_or_default();
    let first_end = of[first_end..].find(char::is_uppercase).map_or(of.len(), |end| first_end + end);
    if first_end < of.len() && name.starts_with(&of[..first_end]) { name } else { name + of }
}

/// The body of an object; `head` has the lines before the fields.
fn object(fields: &[&Field], others: Others, usage: Usage, head: &str) -> String {
    let mut body = format!("{{\n{head}");
    for field in fields {
        body.push_str(&line_of(field, usage));
    }
    let readonly = readonly(usage);
    if others == Others::Root && usage.is_extensible {
        let about = comment(
            "The URL of the JSON Schema of the document, for editors. The reader ignores it.",
            &[],
            "    ",
        );
        let _ = writeln!(body, "{about}    {readonly}$schema?: string;");
    }
    match others {
        Others::Refused | Others::Root if usage.is_extensible => {
            let about = comment("Extensions: carried, and ignored by the engine.", &[], "    ");
            let _ = writeln!(body, "{about}    {readonly}{EXTENSIONS}: unknown;");
        }
        Others::Refused | Others::Root | Others::Closed => {}
        Others::Open | Others::Carried => {
            let about = comment("Any other field.", &[], "    ");
            let _ = writeln!(body, "{about}    {readonly}[name: string]: unknown;");
        }
    }
    body.push('}');
    body
}

/// The line of a field, with its doc comment.
fn line_of(field: &Field, usage: Usage) -> String {
    let default = (field.default)().map(|default| format!("@defaultValue `{}`", json::write(&default)));
    let about = comment(field.about, default.as_slice(), "    ");
    let absent = if field.is_required { "" } else { "?" };
    format!("{about}    {}{}{absent}: {};\n", readonly(usage), field.name, type_of_field(field, usage))
}

/// The type of a field.
pub(super) fn type_of_field(field: &Field, usage: Usage) -> String {
    // The reader accepts any value, and ignores it.
    if field.name == "$schema" {
        return "string".to_owned();
    }
    refinements::of_field(field, type_of(&(field.describe)(), usage))
}

pub(super) const fn readonly(usage: Usage) -> &'static str {
    if usage.is_input { "readonly " } else { "" }
}

/// A type as a term.
pub(super) fn type_of(kind: &Type, usage: Usage) -> String {
    match kind {
        Type::Any => "unknown".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Integer { minimum: Some(least), maximum } if *maximum == Some(*least) => least.to_string(),
        Type::Integer { .. } | Type::Number { .. } => "number".to_owned(),
        Type::Text { pattern, .. } => refinements::of_pattern(pattern),
        Type::Object => "object".to_owned(),
        Type::List(item) => {
            let item = type_of(item, usage);
            let item = if item.contains(' ') { format!("({item})") } else { item };
            format!("{}{item}[]", readonly(usage))
        }
        Type::Map(item) => {
            let record = format!("Record<string, {}>", type_of(item, usage));
            if usage.is_input { format!("Readonly<{record}>") } else { record }
        }
        Type::Nullable(item) => format!("Nullable<{}>", type_of(item, usage)),
        Type::Either(kinds) => {
            let mut terms: Vec<_> = kinds.iter().map(|kind| type_of(kind, usage)).collect();
            let all = terms.clone();
            let mut index = 0;
            terms.retain(|term| {
                index += 1;
                !all[..index - 1].contains(term)
            });
            terms.join(" | ")
        }
        Type::Named(definition) => name_of(definition.name).to_owned(),
    }
}

/// The width of a comment.
const WIDTH: usize = 120;

/// Writes a doc comment from the doc comment of a type, with further lines.
pub(super) fn comment(about: &str, more: &[String], indent: &str) -> String {
    let about = plain(about);
    let texts = about.split("\n\n").filter(|text| !text.is_empty()).chain(more.iter().map(String::as_str));
    let lines: Vec<_> = texts.flat_map(wrapped).map(|line| line.replace("*/", "*\\/")).collect();
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines: String = lines.iter().map(|line| format!("{indent} * {line}\n")).collect();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}

/// Breaks a text into lines.
pub(super) fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut().filter(|line| line.len() + 1 + word.len() <= WIDTH) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
