//! The JSON Schemas in `docs/schemas`, applied by the engine's own validator. Every fixture is valid, and every refused
//! call that a schema can refuse is invalid. `tests/schemas/accepted.json` has the refused calls that schemas accept,
//! by reason. `tests/schemas/check.py` asserts the same with another validator.

mod agreement;
mod operations;
mod order;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use adjudicate_core::{
    Operation, Steps,
    json::{self, Node, ReadLimits},
    schema::{Documents, Draft, Options, Schema, Violation},
};
use adjudicate_tests::{Composition, Corpus, Fixture, workspace_root};
use serde_json::Value;

use crate::policies::suite::{Suite, read};

/// The refused calls that schemas accept.
fn accepted() -> Value {
    let text =
        fs::read_to_string(workspace_root().join("tests/schemas/accepted.json")).expect("the list is there");
    serde_json::from_str(&text).expect("the list is JSON")
}

/// The refused calls of an operation that schemas accept.
fn accepted_of(reasons: &Value, operation: &str) -> BTreeSet<String> {
    let names = reasons.as_array().expect("a list of reasons").iter();
    let names = names.flat_map(|reason| reason["fixtures"][operation].as_array().into_iter().flatten());
    names.map(|name| name.as_str().expect("a name").to_owned()).collect()
}

fn is_error(answer: &str) -> bool {
    answer.starts_with(r#"{"error""#)
}

#[test]
fn fixtures_are_valid_and_refused_calls_are_not() {
    let (reasons, schemas) = (accepted(), Schemas::read());
    let corpus = Corpus::read().expect("the corpus can be read");
    let error = schemas.compile("error");
    for operation in Operation::ALL {
        let (call, answer) = (schemas.compile(operation.input()), schemas.compile(operation.output()));
        let fixtures = corpus.fixtures.iter().filter(|fixture| fixture.operation == *operation);
        let found: BTreeSet<String> =
            fixtures.filter_map(|fixture| judge(fixture, &call, &answer, &error)).collect();
        let name = operation.name();
        assert_eq!(found, accepted_of(&reasons, name), "{name}: refused calls that the schema accepts");
    }
}

/// The name of a fixture whose call the operation refuses and the schema accepts.
fn judge(fixture: &Fixture, call: &Compiled, answer: &Compiled, error: &Compiled) -> Option<String> {
    let name = || format!("{}/{}", fixture.operation.name(), fixture.name);
    let observed = fixture.answer.as_deref().expect("it has an answer");
    let is_error = is_error(observed);
    (if is_error { error } else { answer }).accept(observed.as_bytes(), &name());
    // No schema applies to a call that is no JSON document.
    let tape = fixture.operation.read(&fixture.call).ok()?;
    let faults = call.faults(tape.root());
    if is_error {
        return faults.is_empty().then(|| fixture.name.clone());
    }
    assert!(faults.is_empty(), "{}: {faults:?}", name());
    None
}

/// Answers of the engine are answers that a host accepts from a module.
#[test]
fn answers_are_those_of_a_module() {
    let schemas = Schemas::read();
    let corpus = Corpus::read().expect("the corpus can be read");
    for operation in [Operation::Evaluate, Operation::Refine, Operation::Explain] {
        let schema = schemas.compile(&format!("module-{}", operation.output()));
        for fixture in corpus.fixtures.iter().filter(|fixture| fixture.operation == operation) {
            let answer = fixture.answer.as_deref().expect("it has an answer");
            if !is_error(answer) {
                schema.accept(answer.as_bytes(), &fixture.name);
            }
        }
        assert!(!schema.faults(json::read(b"{}", ReadLimits::DOCUMENT).expect("JSON").root()).is_empty());
    }
}

/// A log has one event per line.
#[test]
fn events_are_valid_one_by_one() {
    let schema = Schemas::read().compile("replay-event");
    let corpus = Corpus::read().expect("the corpus can be read");
    let mut events = 0;
    for fixture in corpus.fixtures.iter().filter(|fixture| fixture.operation == Operation::VerifyReplay) {
        if is_error(fixture.answer.as_deref().expect("it has an answer")) {
            continue;
        }
        let tape = fixture.operation.read(&fixture.call).expect("it is JSON");
        for event in tape.root().member("events").into_iter().flat_map(|events| events.items()) {
            let faults = schema.faults(event);
            assert!(faults.is_empty(), "{}: {faults:?}", fixture.name);
            events += 1;
        }
    }
    assert!(events > 100, "{events}");
    for wrong in [r#"{}"#, r#"{"event": 1}"#, r#"{"event": "ToolCall", "id": 5}"#] {
        let tape = json::read(wrong.as_bytes(), ReadLimits::DOCUMENT).expect("JSON");
        assert!(!schema.faults(tape.root()).is_empty(), "{wrong}");
    }
}

#[test]
fn composed_answers_are_valid() {
    let schemas = Schemas::read();
    let (answer, error) = (schemas.compile("composed-evaluation"), schemas.compile("error"));
    let mut answers = 0;
    for composition in Composition::read_all().expect("the compositions can be read") {
        let text = composition.answer.expect("it has an answer");
        (if is_error(&text) { &error } else { &answer }).accept(text.as_bytes(), &composition.name);
        answers += 1;
    }
    assert!(answers > 10, "{answers}");
}

#[test]
fn policies_and_the_files_of_new_projects_are_valid() {
    let schemas = Schemas::read();
    let policy = schemas.compile("policy");
    for suite in Suite::all() {
        let [file, _] = &suite.files;
        policy.accept(read(file).to_text().as_bytes(), &suite.name);
    }
    for template in ["assemblyscript", "rust", "wat", "zig"] {
        let folder = workspace_root().join("host/cli/templates").join(template);
        for (schema, file) in [("envelope", "envelope.json"), ("tests", "tests.json")] {
            let text = fs::read(folder.join(file)).expect("the template has the file");
            schemas.compile(schema).accept(&text, &format!("{template}/{file}"));
        }
    }
    let folder = workspace_root().join("host/cli/templates/yaml");
    policy.accept(read(&folder.join("policy.yaml")).to_text().as_bytes(), "yaml/policy.yaml");
    let policies = workspace_root().join("fixtures/policies");
    let cases =
        fs::read_dir(policies).expect("it can be listed").map(|entry| entry.expect("it can be").path());
    let cases = cases.filter(|path| path.to_str().is_some_and(|path| path.contains(".cases.")));
    let cases: Vec<_> = cases.chain([folder.join("cases.yaml")]).collect();
    assert!(cases.len() > 3, "{cases:?}");
    for path in cases {
        schemas.compile("cases").accept(read(&path).to_text().as_bytes(), &path.display().to_string());
    }
    let envelope = fs::read(folder.join("envelope.json")).expect("the template has the file");
    schemas.compile("envelope").accept(&envelope, "yaml/envelope.json");
}

#[test]
fn replies_of_worked_examples_are_valid() {
    let schemas = Schemas::read();
    let evaluation = schemas.compile("module-evaluation");
    for module in ["assemblyscript", "rust", "wat", "zig"] {
        let path = workspace_root().join("fixtures/modules").join(module).with_extension("ndjson");
        for line in fs::read_to_string(path).expect("it can be read").lines() {
            let line: Value = serde_json::from_str(line).expect("each line is JSON");
            let reply: Value =
                serde_json::from_str(line["reply"].as_str().expect("a reply")).expect("a reply is JSON");
            if let Some(ok) = reply.get("ok") {
                evaluation.accept(ok.to_string().as_bytes(), &format!("{module}: {}", line["name"]));
            }
        }
    }
}

#[test]
fn schemas_are_valid_by_their_meta_schema() {
    let schemas = Schemas::read();
    let text = br#"{"$ref": "https://json-schema.org/draft/2020-12/schema"}"#;
    let meta = Compiled::new(json::read(text, ReadLimits::DOCUMENT).expect("it is JSON").root());
    for (name, text) in schemas.all() {
        meta.accept(text.as_bytes(), name);
    }
}

#[test]
fn examples_and_defaults_are_valid() {
    let mut found = 0;
    for (name, text) in Schemas::read().all() {
        let schema: Value = serde_json::from_str(text).expect("it is JSON");
        visit(&schema, String::new(), &mut |path, part| {
            let examples = part.get("examples").and_then(Value::as_array).into_iter().flatten();
            // A field that is named `default` or `examples` is a schema.
            for value in examples.chain(part.get("default").filter(|_| !path.ends_with("/properties"))) {
                let reference =
                    format!(r##"{{"$ref": "{}#{path}"}}"##, schema["$id"].as_str().expect("a URL"));
                let whole = json::read(text.as_bytes(), ReadLimits::DOCUMENT).expect("it is JSON");
                let reference = json::read(reference.as_bytes(), ReadLimits::DOCUMENT).expect("it is JSON");
                let compiled =
                    Compiled::beside(reference.root(), schema["$id"].as_str().expect("a URL"), whole.root());
                compiled.accept(value.to_string().as_bytes(), &format!("{name}{path}"));
                found += 1;
            }
        });
    }
    assert!(found > 20, "{found}");
}

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
