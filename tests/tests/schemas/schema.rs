//! Schemas as the tests use them.

use std::{collections::BTreeMap, fs};

use adjudicate_core::{
    Steps,
    json::{self, Node, ReadLimits},
    schema::{Documents, Draft, Options, Schema, Violation},
};
use adjudicate_tests::workspace_root;
use serde_json::Value;

/// The schemas in `docs/schemas`, by name.
pub(crate) struct Schemas(BTreeMap<String, String>);

impl Schemas {
    pub(crate) fn read() -> Self {
        let folder = workspace_root().join("docs/schemas");
        let files = fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be listed").path());
        let schemas = files.filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".schema.json")?.to_owned();
            Some((name, fs::read_to_string(&path).expect("it can be read")))
        });
        Self(schemas.collect())
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, text)| (name.as_str(), text.as_str()))
    }

    pub(crate) fn compile(&self, name: &str) -> Compiled {
        let text = self.0.get(name).unwrap_or_else(|| panic!("no schema of `{name}`"));
        Compiled::new(json::read(text.as_bytes(), ReadLimits::DOCUMENT).expect("it is JSON").root())
    }
}

/// A compiled schema.
pub(crate) struct Compiled(Schema);

impl Compiled {
    pub(crate) fn new(schema: Node<'_>) -> Self {
        Self::with(schema, &Documents::default())
    }

    /// A schema that refers to another document.
    pub(crate) fn beside(schema: Node<'_>, url: &str, document: Node<'_>) -> Self {
        Self::with(schema, &Documents::default().with(url, document))
    }

    fn with(schema: Node<'_>, documents: &Documents<'_>) -> Self {
        let options = Options { draft: Draft::Draft2020, formats: false };
        let compiled = Schema::compile(schema, documents, options, &mut Steps::default());
        Self(compiled.unwrap_or_else(|error| panic!("{}", error.to_json())))
    }

    pub(crate) fn faults(&self, instance: Node<'_>) -> Vec<Violation> {
        let found = self.0.validate(instance, &mut Steps::default());
        found.unwrap_or_else(|error| panic!("{}", error.to_json()))
    }

    /// Asserts that a document is valid.
    #[track_caller]
    pub(crate) fn accept(&self, document: &[u8], name: &str) {
        let tape = json::read(document, ReadLimits::DOCUMENT).expect("it is JSON");
        let faults = self.faults(tape.root());
        assert!(faults.is_empty(), "{name}: {faults:?}");
    }
}

/// Calls `take` with each object in a document, and its JSON Pointer.
pub(crate) fn visit(value: &Value, path: String, take: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(members) => {
            take(&path, value);
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1").replace('%', "%25").replace('^', "%5E");
                visit(member, format!("{path}/{name}"), take);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(item, format!("{path}/{index}"), take);
            }
        }
        _ => {}
    }
}
