//! The lists of fields in the pages of `docs/reference`, which `cargo xtask generate` writes from the JSON Schemas: so from the types.
//!
//! A list is between `<!-- fields DOCUMENT -->`, or `<!-- fields DOCUMENT TYPE -->` for a type in the document, and `<!-- end -->`.
//! Items `FIELD=TARGET` in the first marker link fields to sections. `<!-- fields operations -->` is the table of operations, and
//! `<!-- fields methods -->` the table of their methods in `js/README.md`.

use std::{collections::BTreeMap, fs};

use adjudicate_core::{Operation, json::OwnedValue};
use adjudicate_tests::{generated::assert_current, workspace_root};

use crate::typescript::methods::Arguments;

const BEGIN: &str = "<!-- fields ";
const END: &str = "<!-- end -->";
const DEFINITIONS: &str = "#/$defs/";

/// Most words of a closed list that a type shows.
const MOST_WORDS: usize = 8;

#[test]
fn the_tables_of_fields_are_current() {
    let mut tables = 0;
    let pages = fs::read_dir(workspace_root().join("docs/reference"))
        .expect("the pages")
        .map(|entry| format!("docs/reference/{}", entry.expect("a page").file_name().display()))
        .filter(|path| path.ends_with(".md"));
    for path in pages.chain(["js/README.md".to_owned()]) {
        let page = fs::read_to_string(workspace_root().join(&path)).expect("a page");
        let mut pieces = page.split(BEGIN);
        let mut current = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (of, rest) = piece.split_once(" -->").expect("a marker ends");
            let (_, rest) =
                rest.split_once(END).unwrap_or_else(|| panic!("{path}: `fields {of}` has no end"));
            let table = match of {
                "operations" => operations(),
                "methods" => methods(),
                of => list(of, &page),
            };
            current += &format!("{BEGIN}{of} -->\n\n{table}\n{END}{rest}");
            tables += 1;
        }
        if current != page {
            assert_current(&path, &current);
        }
    }
    assert!(tables > 12, "{tables} tables");
}

/// The table of operations.
fn operations() -> String {
    let rows = Operation::ALL.iter().map(|operation| {
        format!("| {} | `{}` | {} |\n", operation.number(), operation.name(), operation.summary())
    });
    rows.fold("| number | operation | meaning |\n| --- | --- | --- |\n".into(), |table, row| table + &row)
}

/// The table of the methods of operations.
fn methods() -> String {
    let row = |arguments: Arguments| {
        let (operation, engine) = (arguments.operation, arguments.form());
        let policy = arguments.under_policy().map(|arguments| format!("`{}`", arguments.form()));
        format!("| `{engine}` | {} | {} |\n", policy.unwrap_or_default(), operation.summary())
    };
    let head = "| of an engine | of a parsed policy | meaning |\n| --- | --- | --- |\n";
    head.to_owned() + &Arguments::all().map(row).collect::<String>()
}

/// The list of the fields of a document, or of a type in it. A field that is neither `optional` nor has a default is required.
fn list(of: &str, page: &str) -> String {
    let (links, names): (Vec<_>, Vec<_>) = of.split(' ').partition(|word| word.contains('='));
    let mut links: BTreeMap<_, _> = links.into_iter().filter_map(|link| link.split_once('=')).collect();
    let schema = Schema::read(names[0], page);
    let kind = names.get(1).map_or(&schema.root, |name| schema.definition(name));
    let required = items(kind, "required");
    let mut list = String::new();
    let Some(OwnedValue::Object(fields)) = kind.lookup("properties") else { panic!("`{of}` has no fields") };
    for (field, form) in fields.iter().filter(|(field, _)| field != "$schema") {
        let presence = match form.lookup("default") {
            _ if required.contains(&OwnedValue::text(field)) => String::new(),
            Some(default) => format!(", default `{}`", default.to_text()),
            None => ", optional".to_owned(),
        };
        let name = match links.remove(&**field) {
            Some(target) => format!("[`{field}`]({target})"),
            None => format!("`{field}`"),
        };
        let about = text_of(form, "description");
        list += &format!("- {name} ({}{presence}): {about}\n", schema.type_of(form));
    }
    assert!(links.is_empty(), "`fields {of}`: no such fields: {links:?}");
    list
}

fn text_of<'a>(form: &'a OwnedValue, name: &str) -> &'a str {
    form.lookup(name).and_then(OwnedValue::as_str).unwrap_or_default()
}

fn items<'a>(form: &'a OwnedValue, name: &str) -> &'a [OwnedValue] {
    let Some(OwnedValue::List(items)) = form.lookup(name) else { return &[] };
    items
}

struct Schema<'a> {
    document: &'a str,
    root: OwnedValue,
    page: &'a str,
}

impl<'a> Schema<'a> {
    fn read(document: &'a str, page: &'a str) -> Self {
        let file = workspace_root().join(format!("docs/schemas/{document}.schema.json"));
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        Self { document, root: OwnedValue::from_json(&text), page }
    }

    fn definition(&self, name: &str) -> &OwnedValue {
        let definition = self.root.lookup("$defs").and_then(|all| all.lookup(name));
        definition.unwrap_or_else(|| panic!("`{}` has no type `{name}`", self.document))
    }

    /// The type of a value, in words.
    fn type_of(&self, form: &OwnedValue) -> String {
        if let Some(name) = text_of(form, "$ref").strip_prefix(DEFINITIONS) {
            return self.named(name);
        }
        let forms = items(form, "anyOf").iter().map(|form| self.type_of(form));
        let types = items(form, "type").iter().filter_map(OwnedValue::as_str).map(str::to_owned);
        let either: Vec<_> = forms.chain(types).collect();
        let part = |name| form.lookup(name).filter(|part| matches!(part, OwnedValue::Object(_)));
        match (text_of(form, "type"), part("items"), part("additionalProperties")) {
            ("array", item, _) => {
                format!("list: {}", item.map_or("any".to_owned(), |item| self.type_of(item)))
            }
            ("object", _, Some(value)) => format!("object of {}", self.type_of(value)),
            ("", ..) if either.is_empty() => "any".to_owned(),
            ("", ..) => either.join(" or "),
            (other, ..) => other.to_owned(),
        }
    }

    /// A type with a name: its words, a link to its list in the page, or the type that it narrows.
    fn named(&self, name: &str) -> String {
        let definition = self.definition(name);
        let words = items(definition, "oneOf").iter().map(|word| format!("`{}`", text_of(word, "const")));
        if let Some((before, _)) = self.page.split_once(&format!("{BEGIN}{} {name} ", self.document)) {
            let mut headings =
                before.lines().filter_map(|line| line.split_once("# ")).map(|(_, heading)| heading);
            let anchor = headings.next_back().unwrap_or_default().to_lowercase().replace(' ', "-");
            let anchor =
                anchor.replace(|letter: char| !letter.is_alphanumeric() && !"-_".contains(letter), "");
            return format!("[{name}](#{anchor})");
        }
        match text_of(definition, "type") {
            "string" if words.len() > MOST_WORDS => "a word".to_owned(),
            "string" if words.len() > 0 => words.collect::<Vec<_>>().join(", "),
            _ if definition.lookup("properties").is_some() || words.len() > 0 => "object".to_owned(),
            _ => self.type_of(definition),
        }
    }
}
