//! The words and the views of the crate are made from the types of the engine: `cargo xtask generate` writes `src/views.rs` and
//! `src/words.rs`, and copies `src/roles.rs`.

use std::{collections::BTreeSet, fmt::Write as _, fs};

use adjudicate_core::{
    document::{Content, Definition, Describe, Field, Others, Type, plain},
    evaluate::{ClassifiedBy, ResolutionKind},
    schemas,
};
use adjudicate_tests::{generated::assert_current, workspace_root};

/// The type that a guest does not read, because it refuses every call with a policy.
const POLICY: &str = "adjudicate_core::documents::policy::PolicyDocument";

/// The objects of the input, as views, and the closed lists that they refer to.
#[derive(Default)]
struct Guest {
    known: Vec<&'static str>,
    objects: String,
    lists: Vec<&'static Definition>,
}

impl Guest {
    /// Walks the input of `evaluate`: a call, or an envelope alone.
    fn new() -> Self {
        let row = schemas::all().find(|row| row.name == "evaluate-call").expect("`evaluate` has an input");
        let Type::Either(inputs) = (row.describe)() else { panic!("a call, or an envelope alone") };
        let mut guest = Self::default();
        for input in inputs {
            let _ = guest.shape(&input);
        }
        guest
    }

    /// Returns the shape of a type. A type that the guest cannot check fails the test.
    fn shape(&mut self, of: &Type) -> String {
        match of {
            Type::Any => "Shape::Anything".into(),
            Type::Bool => "Shape::Bool".into(),
            Type::Integer { minimum: Some(least), maximum: Some(most) } => match (*least, *most) {
                (0, most) if most == u64::MAX.into() => "Shape::Count".into(),
                (least, most) if least == i64::MIN.into() && most == i64::MAX.into() => {
                    "Shape::Integer".into()
                }
                other => panic!("no shape for the integers {other:?}"),
            },
            Type::Number { minimum: Some(0), maximum: None } => "Shape::Magnitude".into(),
            Type::Text { min_length: 0, pattern: "" } => "Shape::Text".into(),
            Type::List(item) => format!("Shape::List(&{})", self.shape(item)),
            Type::Map(value) => format!("Shape::Map(&{})", self.shape(value)),
            Type::Nullable(value) => match self.shape(value).as_str() {
                anything @ "Shape::Anything" => anything.into(),
                shape => format!("Shape::Nullable(&{shape})"),
            },
            Type::Either(types) => match types.as_slice() {
                [text, Type::List(item)]
                    if [text, &**item].map(|part| self.shape(part)) == ["Shape::Text"; 2] =>
                {
                    "Shape::Notes".into()
                }
                other => panic!("no shape for {other:?}"),
            },
            Type::Named(definition) => self.named(definition),
            other => panic!("no shape for {other:?}: add one to `wasm/guest/src/check.rs`"),
        }
    }

    fn named(&mut self, definition: &'static Definition) -> String {
        let name = definition.name;
        let is_new = !self.known.contains(&definition.source);
        if is_new {
            self.known.push(definition.source);
        }
        match definition.content {
            _ if definition.source == POLICY => "Shape::Anything".into(),
            Content::Type(_) if name == "Pattern" => "Shape::Pattern".into(),
            Content::Type(_) if name == "PromptReference" => "Shape::Prompt".into(),
            Content::Type(_) if name == "Tree" => "Shape::Tree".into(),
            Content::Words(_) => {
                if is_new {
                    self.lists.push(definition);
                }
                format!("Shape::Word({name}::WORDS)")
            }
            Content::Object { fields, others, expecting } => {
                if is_new {
                    self.object(definition, fields, others, expecting);
                }
                format!("Shape::Object(&{})", snake_case(name).to_uppercase())
            }
            _ => panic!("no shape for `{}`: add one to `wasm/guest/src/check.rs`", definition.source),
        }
    }

    fn object(&mut self, definition: &Definition, fields: &[Field], others: Others, expecting: &str) {
        let is_open = match others {
            Others::Refused => false,
            Others::Open => true,
            Others::Closed | Others::Root | Others::Carried => {
                panic!("`{}` has fields that guests refuse", definition.source)
            }
        };
        // The rule between several fields is a function of the object's name. Without it, the crate does not compile.
        let name = snake_case(definition.name);
        let rule = if definition.keywords.is_empty() { "none" } else { &name };
        let mut rows = String::new();
        for field in fields {
            assert_eq!(field.keywords, "", "guests do not check the keywords of `{}`", field.name);
            if field.name == "$schema" {
                let _ = writeln!(rows, "        {:?};", field.name);
                continue;
            }
            let of = (field.describe)();
            let shape = self.shape(&of);
            let presence = if field.is_required { "required" } else { "optional" };
            let (read, kind) = match (&*name, field.name) {
                ("envelope", "allowed_next_steps") => ("steps", "impl Iterator<Item = Step<'a>>".into()),
                _ => read(&of, !field.is_required && (field.default)().is_none()),
            };
            let (field, about) = (field.name, comment(field.about, "        "));
            let _ = writeln!(
                rows,
                "        /// {about}\n        {field}: {presence}({shape}), {read} -> {kind};"
            );
        }
        // Only the crate itself reads the call around an envelope.
        let visible = if name == "evaluate_call" { "pub(crate)" } else { "pub" };
        let _ = write!(
            self.objects,
            "\n    /// {}\n    {visible} struct {}: {}({expecting:?}, {is_open}, {rule}) {{\n{rows}    }}\n",
            comment(definition.about, "    "),
            view(definition),
            name.to_uppercase(),
        );
    }
}

/// Returns the name of the view of an object. The crate has a type `Edit` for the edits that policies write.
fn view(definition: &Definition) -> &'static str {
    if definition.name == "Edit" { "ReviewEdit" } else { definition.name }
}

/// Returns the function of `view.rs` that reads a field, and the type of the result.
fn read(of: &Type, is_option: bool) -> (&'static str, String) {
    let items = |item: &str| format!("impl DoubleEndedIterator<Item = {item}>");
    match of {
        Type::List(item) if is_option => ("optional_list", format!("Option<{}>", items(&value(item)))),
        Type::List(item) => ("list", items(&value(item))),
        Type::Map(item) if !is_option => ("map", items(&format!("(&'a str, {})", value(item)))),
        // Null is a value of it.
        Type::Nullable(of) if value(of) == "&'a Value<'a>" => ("field", value(of)),
        Type::Nullable(of) => ("nullable_field", format!("Option<{}>", value(of))),
        of if is_option => ("optional_field", format!("Option<{}>", value(of))),
        of => ("field", value(of)),
    }
}

/// Returns the type in which policies read a single value.
fn value(of: &Type) -> String {
    match of {
        Type::Any | Type::Number { .. } | Type::Either(_) => "&'a Value<'a>".into(),
        Type::Bool => "bool".into(),
        Type::Integer { minimum: Some(0), .. } => "u64".into(),
        Type::Integer { .. } => "i64".into(),
        Type::Text { .. } => "&'a str".into(),
        Type::Named(definition) => match definition.content {
            _ if definition.source == POLICY => "&'a Value<'a>".into(),
            Content::Words(_) => definition.name.into(),
            Content::Object { .. } => format!("{}<'a>", view(definition)),
            Content::Type(describe) => value(&describe()),
            _ => panic!("no view of `{}`", definition.source),
        },
        other => panic!("no view of {other:?}"),
    }
}

/// Returns the lines of a doc comment; the caller writes the first `///`.
fn comment(about: &str, indent: &str) -> String {
    plain(about).replace("\n\n", &format!("\n{indent}///\n{indent}/// "))
}

/// Returns a name in snake case, for example `diff_file` for `DiffFile`.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// Returns a word in camel case, for example `RunAgent` for `RUN_AGENT`.
fn camel_case(word: &str) -> String {
    let parts = word.split('_').filter_map(|part| part.split_at_checked(1));
    parts.map(|(first, rest)| first.to_uppercase() + &rest.to_lowercase()).collect()
}

/// Returns the declaration of a closed list.
fn list(definition: &Definition) -> String {
    let Content::Words(words) = definition.content else { panic!("{} is no list", definition.source) };
    // The crate has a type `Resolution` for the kind alone.
    let name = definition.name.trim_end_matches("Kind");
    let name = if name == "Resolution" { name } else { definition.name };
    let mut text = format!("\nwords! {{\n    /// {}\n    {name} {{\n", comment(definition.about, "    "));
    for word in words {
        let (about, variant) = (comment(word.about, "        "), camel_case(word.name));
        let _ = writeln!(text, "        /// {about}\n        {variant} = {:?},", word.name);
    }
    text + "    }\n}\n"
}

#[test]
fn the_roles_are_current() {
    let roles = workspace_root().join("core/src/evaluate/roles.rs");
    assert_current("wasm/guest/src/roles.rs", &fs::read_to_string(roles).unwrap());
}

#[test]
fn the_views_are_current() {
    let guest = Guest::new();
    let lists: BTreeSet<_> = guest.lists.iter().map(|list| list.name).collect();
    let text = format!(
        "//! The objects of an envelope. `cargo xtask generate` writes this file from the types of the engine.\n\n\
         use crate::{{\n    check::{{Shape, optional, required}},\n    route::{{Step, steps}},\n    rules::{{diff_file, entry, none}},\n    value::Value,\n    \
         view::{{field, list, map, nullable_field, optional_field, optional_list, views}},\n    words::{{{}}},\n}};\n\nviews! {{{}}}\n",
        Vec::from_iter(lists).join(", "),
        guest.objects
    );
    assert_current("wasm/guest/src/views.rs", &text);
}

/// The closed lists of an envelope, and those of the answers that policies write.
#[test]
fn the_words_are_current() {
    let of_answers = [ClassifiedBy::describe(), ResolutionKind::describe()].map(|list| match list {
        Type::Named(definition) => definition,
        other => panic!("a closed list has a name, found {other:?}"),
    });
    let lists = Guest::new().lists.into_iter().chain(of_answers);
    let text = "//! The words of an envelope and of a decision. `cargo xtask generate` writes this file from the types of the engine.\n\n\
                use crate::word::words;\n";
    assert_current("wasm/guest/src/words.rs", &lists.fold(text.to_owned(), |text, of| text + &list(of)));
}
