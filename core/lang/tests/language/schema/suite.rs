//! The official test suite of both drafts: all required cases pass, and a list has the deviations of the optional cases.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use adjudicate_lang::{
    Steps,
    json::Tape,
    schema::{Documents, Draft, Options, Schema},
};
use serde_json::Value;

use crate::schema::read;

/// Returns the folder of the suite, or `None` if it is missing, which is an error in CI.
fn suite() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let folder = env::var_os("ADJUDICATE_SUITES").map_or_else(beside, PathBuf::from).join("json-schema");
    if folder.is_dir() {
        return Some(folder);
    }
    assert_ne!(env::var("CI").as_deref(), Ok("true"), "no suite in {}", folder.display());
    eprintln!("skipped: no suite in {}; set ADJUDICATE_SUITES", folder.display());
    None
}

/// Returns the `.json` files of the folder `below`, with their paths from `folder` on, sorted. With `deep`, includes nested
/// folders.
fn files(folder: &Path, below: &str, deep: bool) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder.join(below)).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() && deep {
            found.extend(files(folder, &format!("{name}/"), deep));
        } else if name.ends_with(".json") {
            found.push((name, fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// The documents that the suite serves, by URI, without the meta-schemas, which are built in.
struct Served(Vec<(String, String)>);

impl Served {
    fn read(suite: &Path) -> Self {
        let remotes = files(&suite.join("remotes"), "", true).into_iter();
        let remotes = remotes.map(|(name, text)| (format!("http://localhost:1234/{name}"), text));
        Self(remotes.collect())
    }
}

/// The number of cases, and the cases with another result.
#[derive(Default)]
struct Tally {
    cases: usize,
    deviations: Vec<String>,
}

/// Runs the cases of one file.
fn run(name: &str, text: &str, served: &[(&str, Tape<'_>)], options: Options, tally: &mut Tally) {
    let mut documents = Documents::default();
    for (uri, document) in served {
        documents = documents.with(uri, document.root());
    }
    let groups: Vec<Value> = serde_json::from_str(text).unwrap();
    for group in groups {
        let title = format!("{name}: {}", group["description"].as_str().unwrap());
        let schema = group["schema"].to_string();
        let schema = read(&schema);
        let schema = Schema::compile(schema.root(), &documents, options, &mut Steps::default());
        for case in group["tests"].as_array().unwrap() {
            tally.cases += 1;
            let title = format!("{title}: {}", case["description"].as_str().unwrap());
            let schema = match &schema {
                Ok(schema) => schema,
                Err(error) => {
                    tally.deviations.push(format!("{title}: {error}"));
                    continue;
                }
            };
            let instance = case["data"].to_string();
            let instance = read(&instance);
            let valid = schema.is_valid(instance.root(), &mut Steps::default()).unwrap();
            let found = schema.validate(instance.root(), &mut Steps::default()).unwrap();
            assert_eq!(valid, found.is_empty(), "{title}: {found:?}");
            if case["valid"] != valid {
                tally.deviations.push(title);
            }
        }
    }
}

fn with_served(suite: &Path, act: impl FnOnce(&[(&str, Tape<'_>)])) {
    let served = Served::read(suite);
    let served: Vec<_> = served.0.iter().map(|(uri, text)| (uri.as_str(), read(text))).collect();
    act(&served);
}

#[test]
fn every_required_case_passes() {
    let Some(suite) = suite() else { return };
    with_served(&suite, |served| {
        for (folder, draft, fewest) in
            [("draft7", Draft::Draft7, 927), ("draft2020-12", Draft::Draft2020, 1_299)]
        {
            let mut tally = Tally::default();
            for (name, text) in files(&suite.join(folder), "", false) {
                run(&name, &text, served, Options { draft, formats: false }, &mut tally);
            }
            assert_eq!(tally.deviations, [""; 0], "{folder}");
            assert!(tally.cases >= fewest, "{folder}: {} cases", tally.cases);
        }
    });
}

/// The optional files with deviations, and the number of deviating cases. Content keywords are not checked, other drafts are
/// rejected (both of their cases need one), and these formats only annotate.
const DEVIATIONS: [(&str, usize); 19] = [
    ("draft7/optional/content.json", 4),
    ("draft7/optional/cross-draft.json", 2),
    ("draft7/optional/format/ecmascript-regex.json", 6),
    ("draft7/optional/format/hostname.json", 35),
    ("draft7/optional/format/idn-email.json", 2),
    ("draft7/optional/format/idn-hostname.json", 54),
    ("draft7/optional/format/iri-reference.json", 2),
    ("draft7/optional/format/iri.json", 6),
    ("draft7/optional/format/regex.json", 1),
    ("draft7/optional/format/uri-template.json", 13),
    ("draft2020-12/optional/cross-draft.json", 1),
    ("draft2020-12/optional/format/ecmascript-regex.json", 6),
    ("draft2020-12/optional/format/hostname.json", 35),
    ("draft2020-12/optional/format/idn-email.json", 2),
    ("draft2020-12/optional/format/idn-hostname.json", 54),
    ("draft2020-12/optional/format/iri-reference.json", 2),
    ("draft2020-12/optional/format/iri.json", 6),
    ("draft2020-12/optional/format/regex.json", 1),
    ("draft2020-12/optional/format/uri-template.json", 13),
];

/// Every other optional case passes, so the asserting formats agree with the suite.
#[test]
fn optional_cases_pass_except_the_listed_ones() {
    let Some(suite) = suite() else { return };
    with_served(&suite, |served| {
        let mut found = Vec::new();
        for (folder, draft) in [("draft7", Draft::Draft7), ("draft2020-12", Draft::Draft2020)] {
            for (name, text) in files(&suite, &format!("{folder}/optional/"), true) {
                let mut tally = Tally::default();
                let formats = name.contains("/format/");
                run(&name, &text, served, Options { draft, formats }, &mut tally);
                found.extend((!tally.deviations.is_empty()).then_some((name, tally.deviations.len())));
            }
        }
        let mut listed = DEVIATIONS.map(|(name, count)| (name.to_owned(), count)).to_vec();
        listed.sort();
        found.sort();
        assert_eq!(found, listed);
    });
}
