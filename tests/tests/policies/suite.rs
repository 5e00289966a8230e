//! Reading `fixtures/policies/`: the policies, and their tests, resolved by a reader of its own.
//!
//! This is a second implementation of files of cases: the command `test` has its own, and both must agree. Only YAML is
//! read by the command's reader, whose source is compiled in, because the command is a program and no library.

use std::{fs, path::PathBuf};

use adjudicate_core::{Policy, evaluate::evaluate_text};
use adjudicate_tests::workspace_root;

use crate::json::Json;

/// The file of cases for every policy.
const SHARED: &str = "every-policy.cases.yaml";

/// A policy with all of its tests.
pub(crate) struct Suite {
    pub(crate) name: String,
    /// The document without its tests.
    pub(crate) document: Json,
    pub(crate) policy: Policy,
    pub(crate) cases: Vec<Case>,
    /// The files of the document and of the cases.
    pub(crate) files: [PathBuf; 2],
}

/// A test of a policy.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) input: Json,
    pub(crate) expect: Json,
}

impl Suite {
    /// All policies, in the order of their names. Every file of the folder belongs to one of them.
    pub(crate) fn all() -> Vec<Self> {
        let listed = fs::read_dir(folder()).expect("the folder is there");
        let mut files: Vec<String> = listed
            .map(|file| file.expect("it can be listed").file_name().into_string().expect("names are UTF-8"))
            .collect();
        files.retain(|file| file != "README.md" && file != SHARED);
        files.sort();
        let (cases, documents): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.contains(".cases."));
        assert_eq!(documents.len(), cases.len(), "each file of cases belongs to a policy");
        let read = |file: &&String| {
            let (name, _) = file.rsplit_once('.').expect("it has an ending");
            let cases = cases.iter().find(|cases| cases.starts_with(&format!("{name}.cases.")));
            let cases = cases.unwrap_or_else(|| panic!("`{name}` has no cases"));
            Self::read(name, [file, cases].map(|file| folder().join(file)))
        };
        documents.iter().map(read).collect()
    }

    fn read(name: &str, files: [PathBuf; 2]) -> Self {
        let [document, further] = files.each_ref().map(read);
        let policy = Policy::parse(document.to_text().as_bytes());
        let policy = policy.unwrap_or_else(|error| panic!("{name}: {}", error.to_json()));
        assert_eq!(policy.name(), name, "a policy is called as its file is");
        let own = document.member("tests").expect("it brings tests").items();
        let mut cases: Vec<Case> = own.iter().map(|test| Case::new(test, test)).collect();
        assert_eq!(further.member("policy").and_then(Json::as_text), Some(name), "whose cases they are");
        cases.extend(Case::variants(&further));
        Self { name: name.to_owned(), document: document.without("tests"), policy, cases, files }
    }

    /// Returns whether some case fails under another policy.
    pub(crate) fn notices(&self, policy: &Policy) -> bool {
        self.cases.iter().any(|case| difference(&case.expect, &answer(&case.input, policy)).is_some())
    }
}

/// The cases for every policy, and their file.
pub(crate) fn shared() -> (Vec<Case>, PathBuf) {
    let file = folder().join(SHARED);
    let cases = read(&file).items().iter().flat_map(Case::variants).collect();
    (cases, file)
}

impl Case {
    /// The cases of an entry of a file: itself, or its variants.
    fn variants(case: &Json) -> Vec<Self> {
        match case.member("cases") {
            Some(variants) => variants.items().iter().map(|variant| Self::new(variant, case)).collect(),
            None => vec![Self::new(case, case)],
        }
    }

    /// A test, or a variant of another test's input.
    fn new(test: &Json, base: &Json) -> Self {
        let name = test.member("name").and_then(Json::as_text).expect("a test has a name").to_owned();
        let mut input = base.member("input").expect("a test has an input").clone();
        for pointer in test.member("remove").map(Json::items).unwrap_or_default() {
            put(&mut input, pointer.as_text().expect("a pointer is a text"), None);
        }
        if let Some(Json::Object(changes)) = test.member("set") {
            for (pointer, value) in changes {
                put(&mut input, pointer, Some(value));
            }
        }
        let expect = test.member("expect").expect("a test expects something").clone();
        Self { name, input, expect }
    }
}

/// Puts a value at a pointer, or removes the value there. All fields on the way must be objects.
pub(crate) fn put(document: &mut Json, pointer: &str, value: Option<&Json>) {
    let (parent, last) = pointer.rsplit_once('/').expect("a pointer has a segment");
    let mut place = document;
    for name in parent.split('/').skip(1) {
        place = place.member_mut(name).unwrap_or_else(|| panic!("{pointer} leads nowhere"));
    }
    *place = match value {
        Some(value) => place.with(last, value.clone()),
        None => {
            assert!(place.member(last).is_some(), "there is nothing at {pointer}");
            place.without(last)
        }
    };
}

/// The answer to an envelope under a policy.
pub(crate) fn answer(input: &Json, policy: &Policy) -> Json {
    let answer = evaluate_text(input.to_text().as_bytes(), Some(policy));
    Json::parse(answer.unwrap_or_else(|error| error.to_json()).as_bytes()).expect("an answer is JSON")
}

/// Describes where an answer differs from the expectation. An object must have the expected fields, and a list exactly
/// the expected items.
pub(crate) fn difference(expected: &Json, found: &Json) -> Option<String> {
    let within = |place: String, fault: String| Some(format!("/{place}{fault}"));
    match (expected, found) {
        (Json::Object(members), Json::Object(_)) => members.iter().find_map(|(name, expected)| {
            let Some(found) = found.member(name) else { return within(name.clone(), " is missing".into()) };
            difference(expected, found).and_then(|fault| within(name.clone(), fault))
        }),
        (Json::List(expected), Json::List(found)) if expected.len() == found.len() => {
            let mut pairs = expected.iter().zip(found).enumerate();
            pairs.find_map(|(index, (expected, found))| {
                difference(expected, found).and_then(|fault| within(index.to_string(), fault))
            })
        }
        (expected, found) if expected == found => None,
        (expected, found) => Some(format!(": expected {}, found {}", expected.to_text(), found.to_text())),
    }
}

fn folder() -> PathBuf {
    workspace_root().join("fixtures/policies")
}

pub(crate) fn read(file: &PathBuf) -> Json {
    let text = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let text = match file.extension().and_then(|ending| ending.to_str()) {
        Some("yaml") => adjudicate_yaml::to_json(&text)
            .unwrap_or_else(|error| panic!("{}: {}", file.display(), error.to_json())),
        _ => String::from_utf8(text).expect("JSON is UTF-8"),
    };
    Json::parse(text.as_bytes()).unwrap_or_else(|| panic!("{} is no JSON", file.display()))
}
