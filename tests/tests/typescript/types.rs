//! The types that documents are made of, and their use in documents and operations. The words that the npm package compares at run time are
//! `js/src/words.ts`.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::{
    Operation,
    document::{Content, Definition, Type},
};

use super::{
    CARRYING, SENT_BACK, is_declared, methods, refinements, row,
    writer::{Writer, comment, type_of},
};

/// The use of a type.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// True if an input has it.
    pub is_input: bool,
    /// True if it may have fields whose names begin with `x-`.
    pub is_extensible: bool,
}

impl Usage {
    pub(super) const INPUT: Self = Self { is_input: true, is_extensible: true };
    pub(super) const ANSWER: Self = Self { is_input: false, is_extensible: false };

    fn or(self, other: Self) -> Self {
        Self {
            is_input: self.is_input || other.is_input,
            is_extensible: self.is_extensible || other.is_extensible,
        }
    }
}

/// The types, by name.
#[derive(Default)]
pub(super) struct Types(BTreeMap<&'static str, (&'static Definition, Usage)>);

impl Types {
    /// Adds a type, and all types that it is made of.
    pub(super) fn add(&mut self, kind: &Type, usage: Usage) {
        match kind {
            Type::Named(definition) => self.define(definition, usage),
            Type::List(item) | Type::Map(item) | Type::Nullable(item) => self.add(item, usage),
            Type::Either(kinds) => kinds.iter().for_each(|kind| self.add(kind, usage)),
            Type::Any
            | Type::Bool
            | Type::Integer { .. }
            | Type::Number { .. }
            | Type::Text { .. }
            | Type::Object => {}
        }
    }

    fn define(&mut self, definition: &'static Definition, usage: Usage) {
        if is_declared(definition.name) {
            return;
        }
        let usage =
            Usage { is_extensible: usage.is_extensible && !SENT_BACK.contains(&definition.name), ..usage };
        let own =
            Usage { is_extensible: usage.is_extensible || CARRYING.contains(&definition.name), ..usage };
        let known = self.0.get(definition.name).copied();
        let all = known.map_or(own, |(_, known)| known.or(own));
        if let Some((other, known)) = known {
            assert_eq!(other.source, definition.source, "two types have the name `{}`", definition.name);
            if known == all {
                return;
            }
        }
        self.0.insert(definition.name, (definition, all));
        match definition.content {
            Content::Type(describe) => self.add(&describe(), usage),
            Content::Schema { refers, .. } => {
                refers.iter().for_each(|definition| self.define(definition, usage))
            }
            Content::Words(_) | Content::Object { .. } | Content::Tagged { .. } => {
                definition.fields().for_each(|field| self.add(&(field.describe)(), usage));
            }
        }
    }

    /// Returns the types in the order of their names.
    pub(super) fn all(&self) -> impl Iterator<Item = (&'static Definition, Usage)> {
        self.0.values().copied()
    }
}

/// Declares the operations, their inputs and their answers.
pub(super) fn write_operations(writer: &mut Writer) {
    refinements::others(writer);
    let names: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
    writer.union("The name of an operation.", &[], "OperationName", &names);
    let inputs = fields(|operation| operation.input(), Usage::INPUT);
    writer.declare("The inputs of the operations.", &[], &format!("interface Calls {{\n{inputs}}}"));
    let answers = fields(|operation| operation.output(), Usage::ANSWER);
    writer.declare("The answers of the operations.", &[], &format!("interface Answers {{\n{answers}}}"));
}

fn fields(document: fn(Operation) -> &'static str, usage: Usage) -> String {
    let line = |operation: &Operation| {
        let about = comment(row(document(*operation)).about, &[], "    ");
        format!(
            "{about}    {}: {};\n",
            operation.name(),
            type_of(&(row(document(*operation)).describe)(), usage)
        )
    };
    Operation::ALL.iter().map(line).collect()
}

/// The lists of words: the name of the constant, and the type whose words it has.
const LISTS: [(&str, &str); 4] =
    [("ACTION_TYPES", "Action"), ("OUTSIDE", "Outside"), ("PATH_CASES", "PathCase"), ("STATUSES", "Status")];

/// Returns the text of the file.
pub(super) fn words_file(types: &Types) -> String {
    let bare =
        Operation::ALL.iter().filter(|operation| operation.is_bare()).map(|operation| operation.name());
    let about = "The operations that take an envelope without a call around it.";
    let mut constants = constant(about, "BARE_OPERATIONS", "OperationName", bare.collect());
    for (name, of) in LISTS {
        let (definition, _) = types.all().find(|(definition, _)| definition.name == of).expect("a type");
        let (kind, words) = words(definition);
        constants.push_str(&constant(&format!("The words of `{kind}`."), name, &kind, words));
    }
    let imports: BTreeSet<_> = LISTS.iter().map(|(_, of)| *of).chain(["OperationName"]).collect();
    let imports = imports.into_iter().collect::<Vec<_>>().join(", ");
    constants.push_str(&methods::constants());
    format!(
        "/** Words of the engine that the package compares at run time. `cargo xtask generate` writes this file. */\n\
         import type {{ {imports} }} from \"./generated/types.js\";\n{constants}"
    )
}

/// Returns the words of a type, and their type in TypeScript.
fn words(definition: &Definition) -> (String, Vec<&'static str>) {
    match definition.content {
        Content::Words(words) => (definition.name.to_owned(), words.iter().map(|word| word.name).collect()),
        Content::Tagged { tag, variants, .. } => {
            (format!("{}[\"{tag}\"]", definition.name), variants.iter().map(|variant| variant.name).collect())
        }
        _ => panic!("`{}` is not a closed list of words", definition.name),
    }
}

fn constant(about: &str, name: &str, kind: &str, words: Vec<&str>) -> String {
    let words = words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ");
    format!("\n/** {about} */\nexport const {name}: readonly {kind}[] = [{words}];\n")
}
