//! `schema --of`: the JSON Schemas of documents, and the files in `docs/schemas` that `cargo xtask generate` writes with it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use adjudicate_tests::generated::assert_current;
use serde_json::{Value, json};

use crate::{
    command::{ENVELOPE, POLICY, TestFolder},
    modules::good,
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas")
}

/// The names that the command lists.
fn listed(place: &TestFolder) -> Vec<String> {
    let run = place.run(&["schema"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.stdout.lines().map(|line| line.split_once("  ").unwrap().0.to_owned()).collect()
}

fn schema(place: &TestFolder, name: &str) -> String {
    let run = place.run(&["schema", "--of", name]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{name}");
    run.stdout
}

#[test]
fn files_are_what_the_command_prints() {
    let place = TestFolder::new();
    let schemas =
        listed(&place).into_iter().map(|name| (format!("{name}.schema.json"), schema(&place, &name)));
    let schemas: BTreeMap<String, String> = schemas.collect();
    for (file, text) in &schemas {
        assert_current(folder().join(file), text);
    }
    let files =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = files.filter(|file| file.ends_with(".schema.json")).collect();
    assert_eq!(files, schemas.keys().cloned().collect(), "docs/schemas: run `cargo xtask generate`");
}

/// The line before the list in the page of schemas.
const LIST: &str =
    "<!-- `cargo xtask generate` writes this list and the files from the types in the code. -->\n\n";

#[test]
fn the_page_lists_every_schema() {
    let page = folder().join("README.md");
    let text = fs::read_to_string(&page).unwrap();
    let (before, rest) = text.split_once(LIST).unwrap();
    let (_, after) = rest.split_once("\n\n## ").unwrap();
    let names = listed(&TestFolder::new()).into_iter();
    let links: Vec<_> = names.map(|name| format!("- [`{name}`]({name}.schema.json)\n")).collect();
    let current = format!("{before}{LIST}{}\n## {after}", links.concat());
    assert_current(&page, &current);
}

/// Validates a document by the file `schema.json`.
fn validation(place: &TestFolder, document: &Value) -> Value {
    place.file("document.json", document.to_string());
    let run = place.run(&["schema", "--schema", "schema.json", "document.json"]);
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"))
}

/// Asserts that a document is valid by its schema, and invalid with a field that its schema does not have.
pub(crate) fn assert_described(name: &str, document: &Value) {
    let place = TestFolder::new();
    place.file("schema.json", schema(&place, name));
    let valid = validation(&place, document);
    assert_eq!(valid["valid"], true, "{name}: {valid}");
    let mut wrong = document.clone();
    wrong["nonsense"] = 1.into();
    assert_eq!(validation(&place, &wrong)["valid"], false, "{name}");
}

#[test]
fn records_and_reports_are_valid() {
    let place = crate::watch::place();
    place.records(2);
    place.file("policy.json", POLICY);
    place.file("invalid.json", r#"{"policy": "p", "version": "1", "rules": 1}"#);
    place.file("envelope.json", ENVELOPE);
    place.file("calls.ndjson", format!("{ENVELOPE}\nno JSON\n"));
    place.file("module.wasm", good());
    place.file("trust.json", r#"{"unsigned": "allow"}"#);
    let made = place.run(&["verdict", "make", "envelope.json", "--policy", "policy.json"]);
    place.file("verdict.json", made.stdout);
    let replay = ["replay", "calls.ndjson", "--policy", "policy.json", "--fail-on", "success->unsafe"];
    let token = ["token", "create", "--role", "admin", "--name", "ci", "--expires", "2099-01-31T12:00:00Z"];
    for (name, args, at) in [
        ("record", &["records", "export", "--slot", "s", "--store", "store"][..], ""),
        ("record-position", &["records", "head", "--slot", "s", "--store", "store"], ""),
        ("record-position", &["records", "verify", "--slot", "s", "--store", "store"], ""),
        ("replay-summary", &[&replay[..], &["--samples", "2", "--format", "json"]].concat(), ""),
        ("conformance-report", &["conformance", "module.wasm", "--format", "json"], ""),
        ("test-report", &["test", "bad.json", "--case", "cases.json", "--format", "json"], ""),
        ("check-report", &["check", "policy.json", "invalid.json", "--format", "json"], ""),
        ("verdict-report", &["verdict", "verify", "verdict.json"], ""),
        ("inspect-report", &["inspect", "module.wasm"], ""),
        ("keygen-report", &["keygen", "--out", "release"], ""),
        ("sign-report", &["sign", "module.wasm", "--key", "release.key", "--output", "signed.wasm"], ""),
        ("verify-report", &["verify", "signed.wasm", "--key", "release.pub"], ""),
        ("trust-report", &["trust", "--store", "store"], ""),
        ("trust-report", &["trust", "--set", "trust.json", "--store", "store"], ""),
        ("install-report", &["install", "module.wasm", "--store", "store"], ""),
        ("slot-entry", &["activate", "s", "constant", "--store", "store"], ""),
        ("list-report", &["list", "--store", "store"], ""),
        ("history-report", &["history", "s", "--store", "store"], ""),
        ("slot-entry", &["history", "s", "--store", "store"], "/history/0"),
        ("differences-report", &["shadow", "s", "--differences", "9", "--store", "store"], ""),
        ("delete-report", &["slot", "s", "--delete", "--store", "store"], ""),
        ("gc-report", &["gc", "--dry-run", "--store", "store"], ""),
        ("uninstall-report", &["uninstall", "constant", "--store", "store"], ""),
        ("token", &[&token[..], &["--token-file", "token", "--store", "store"]].concat(), ""),
        ("token-list", &["token", "list", "--store", "store"], ""),
        ("token", &["token", "revoke", "ci", "--store", "store"], ""),
    ] {
        let run = place.run(args);
        let line = run.stdout.lines().next().unwrap_or_else(|| panic!("{args:?}: {run:?}"));
        let written: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{args:?}: {run:?}"));
        assert_described(name, written.pointer(at).unwrap());
    }
}

/// Documents of hosts, and each with one mistake.
#[test]
fn documents_of_hosts_are_valid_and_mistakes_are_not() {
    let place = TestFolder::new();
    let key = format!("ed25519:{}", "8a".repeat(32));
    let digest = format!("sha256:{}", "8a".repeat(32));
    let key =
        json!({"name": "release", "public_key": key, "not_before": "2026-01-01T00:00:00Z", "revoked": false});
    let documents = [
        (
            "trust-policy",
            json!({"keys": [key], "threshold": 1, "pins": [digest], "minimum_versions": {"gate": "1.4.0"}}),
        ),
        (
            "manifest",
            json!({"abi": 1, "name": "gate", "version": "1.2.0", "operations": ["evaluate", "refine"]}),
        ),
        (
            "slot-settings",
            json!({"on_fault": "fail_closed", "limits": {"fuel": 5}, "rollback": {"faults": 3, "calls": 100}}),
        ),
        ("cases", json!([{"name": "a", "input": {}, "expect": {"error": {}}}])),
        (
            "cases",
            json!({"name": "a", "input": {}, "cases": [{"name": "b", "set": {"/a": 1}, "expect": {"b": 1}}]}),
        ),
    ];
    let mistakes = [
        ("trust-policy", "/keys", json!([])),
        ("trust-policy", "/keys/0/public_key", json!("8a")),
        ("trust-policy", "/keys/0/name", json!("")),
        ("trust-policy", "/pins/0", json!("8a")),
        ("trust-policy", "/minimum_versions/gate", json!("1")),
        ("manifest", "/abi", json!(2)),
        ("manifest", "/operations", json!([])),
        ("manifest", "/operations/1", json!("evaluate")),
        ("manifest", "/operations/1", json!("evaluat")),
        ("manifest", "/name", json!("-x")),
        ("slot-settings", "/on_fault", json!("ask")),
        ("slot-settings", "/limits/fuel", json!(-1)),
        ("cases", "/0/expect", json!({})),
        ("cases", "/0", json!({"name": "a", "input": {}})),
        ("cases", "/cases", json!([])),
        ("cases", "/cases/0/name", json!(1)),
    ];
    let mut refused = 0;
    for (name, document) in documents {
        place.file("schema.json", schema(&place, name));
        assert_eq!(validation(&place, &document)["valid"], true, "{name}");
        for (_, path, value) in mistakes.iter().filter(|(of, ..)| *of == name) {
            let mut wrong = document.clone();
            let Some(field) = wrong.pointer_mut(path) else { continue };
            *field = value.clone();
            assert_eq!(validation(&place, &wrong)["valid"], false, "{name}{path}: {value}");
            refused += 1;
        }
    }
    assert_eq!(refused, mistakes.len());
}

/// SchemaStore's `src/api/json/catalog.json` takes the entries as they are.
#[test]
fn the_catalogue_names_schemas_that_there_are() {
    let place = TestFolder::new();
    let catalog: Value =
        serde_json::from_str(&fs::read_to_string(folder().join("catalog.json")).unwrap()).unwrap();
    let entries = catalog["schemas"].as_array().unwrap();
    assert!(!entries.is_empty());
    for entry in entries {
        let fields: BTreeSet<&str> = entry.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(fields, BTreeSet::from(["name", "description", "fileMatch", "url"]));
        let (_, file) = entry["url"].as_str().unwrap().rsplit_once('/').unwrap();
        let schema: Value =
            serde_json::from_str(&schema(&place, file.strip_suffix(".schema.json").unwrap())).unwrap();
        assert_eq!((&entry["url"], &entry["description"]), (&schema["$id"], &schema["description"]));
        assert!(
            entry["fileMatch"]
                .as_array()
                .unwrap()
                .iter()
                .all(|pattern| pattern.as_str().unwrap().contains("adjudicate"))
        );
    }
}
