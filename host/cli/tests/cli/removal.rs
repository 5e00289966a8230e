//! `uninstall`, `slot --delete` and `gc`, one process each.

use serde_json::{Value, json};

use crate::{
    command::{ENVELOPE, Run, TestFolder, answer},
    modules::replying_with,
};

fn run(place: &TestFolder, args: &[&str]) -> Run {
    let store = place.path("store");
    place.run(&[args, &["--store", store.to_str().unwrap()]].concat())
}

fn output(place: &TestFolder, args: &[&str]) -> Value {
    let run = run(place, args);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{args:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

/// Installs versions of a module and activates them, one after the other.
fn activate(place: &TestFolder, versions: &[&str]) {
    for version in versions {
        let manifest =
            format!(r#"{{"abi":1,"name":"judge","version":"{version}","operations":["evaluate"]}}"#);
        let module = replying_with(&manifest, &format!(r#"{{"ok":{}}}"#, answer(ENVELOPE)), "");
        let file = place.file("module.wasm", module);
        output(place, &["install", &file, "--allow-unsigned"]);
        let named = format!("judge@{version}");
        output(place, &["activate", "release", &named, "--create", "--allow-unsigned"]);
    }
}

fn versions(list: &Value) -> Vec<&str> {
    list["modules"].as_array().unwrap().iter().map(|module| module["version"].as_str().unwrap()).collect()
}

#[test]
fn a_store_is_cleaned_up() {
    let place = TestFolder::new();
    activate(&place, &["1.0.0", "1.1.0", "1.2.0", "1.3.0"]);
    for (args, output) in [
        (&["uninstall", "judge@1.3.0"][..], "the slot `release` has it active"),
        (&["uninstall", "judge@1.0.0"], "the slot `release` had it in entry 2, within the retention"),
        (
            &["uninstall", "judge@1.2.0", "--keep", "1"],
            "the slot `release` would be rolled back to it (entry 4)",
        ),
    ] {
        let refused = run(&place, args);
        assert_eq!((refused.code().as_str(), refused.status), ("in_use", Some(64)), "{refused:?}");
        assert!(refused.stderr.contains(output), "{refused:?}");
    }
    let uninstalled = output(&place, &["uninstall", "judge@1.0.0", "--keep", "2"]);
    assert_eq!(uninstalled["uninstalled"]["version"], "1.0.0");

    // Everything is recent; with `0s` nothing is.
    assert_eq!(versions(&output(&place, &["gc"])), [""; 0]);
    assert_eq!(versions(&output(&place, &["gc", "--keep", "1"])), [""; 0]);
    let dry = output(&place, &["gc", "--keep", "0s", "--dry-run"]);
    assert_eq!((versions(&dry), &dry["compiled"], &dry["freed"]), (vec!["1.1.0"], &json!(1), &json!(0)));
    assert_eq!(versions(&output(&place, &["list"])), ["1.1.0", "1.2.0", "1.3.0"]);
    let table = run(&place, &["gc", "--keep", "0s", "--format", "table"]);
    assert!(table.stdout.contains("judge 1.1.0") && table.stdout.contains("Removed"), "{table:?}");
    assert!(table.stdout.contains("compiled    1 file\n"), "{table:?}");
    assert_eq!(versions(&output(&place, &["list"])), ["1.2.0", "1.3.0"]);
    output(&place, &["rollback", "release"]);
    let refused = run(&place, &["rollback", "release", "--to", "2"]);
    assert_eq!((refused.code().as_str(), refused.status), ("unknown_module", Some(64)), "{refused:?}");

    let last = output(&place, &["slot", "release"]);
    let refused = run(&place, &["slot", "release", "--delete", "--expected", "1"]);
    assert_eq!((refused.code().as_str(), refused.status), ("slot_changed", Some(64)));
    let id = last["id"].to_string();
    assert_eq!(output(&place, &["slot", "release", "--delete", "--expected", &id]), json!({"deleted": last}));
    assert_eq!(output(&place, &["list"])["slots"], json!([]));
    assert_eq!(versions(&output(&place, &["gc", "--keep", "0s"])), ["1.2.0", "1.3.0"]);
    let table = run(&place, &["list", "--format", "table"]);
    assert!(!table.stdout.contains("judge"), "{table:?}");
}
