//! The commands of the store, one process each.

use serde_json::Value;

use crate::{
    command::{ENVELOPE, Run, TestFolder, answer, error_code},
    modules::replying_with,
};

/// A module that answers what the engine answers, with a flag of its own.
fn flagging(version: &str, flag: &str) -> Vec<u8> {
    let answer = answer(ENVELOPE).replacen(r#""risk_flags":[]"#, &format!(r#""risk_flags":["{flag}"]"#), 1);
    let manifest = format!(r#"{{"abi":1,"name":"judge","version":"{version}","operations":["evaluate"]}}"#);
    replying_with(&manifest, &format!(r#"{{"ok":{answer}}}"#), "")
}

/// Runs a command on the store of the folder.
fn run(place: &TestFolder, args: &[&str]) -> Run {
    let store = place.path("store");
    place.run(&[args, &["--store", store.to_str().unwrap()]].concat())
}

/// Returns the output of a command.
fn output(place: &TestFolder, args: &[&str]) -> Value {
    let run = run(place, args);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{args:?}");
    serde_json::from_str(&run.stdout).unwrap()
}

fn install(place: &TestFolder, version: &str, flag: &str) -> String {
    let module = place.file(&format!("{version}.wasm"), flagging(version, flag));
    let output = output(place, &["install", &module, "--allow-unsigned"]);
    output["module"]["digest"].as_str().unwrap().to_owned()
}

/// The flags of the slot's answer.
fn flags(place: &TestFolder) -> String {
    let envelope = place.file("envelope.json", ENVELOPE);
    output(place, &["evaluate", &envelope, "--slot", "release"])["decision"]["risk_flags"].to_string()
}

#[test]
fn a_rollback_is_judged_like_an_activation() {
    let place = TestFolder::new();
    install(&place, "1.0.0", "one");
    install(&place, "2.0.0", "two");
    let first = output(&place, &["activate", "release", "judge@1.0.0", "--create", "--allow-unsigned"]);
    output(&place, &["activate", "release", "judge@2.0.0", "--allow-unsigned"]);
    let trust = place.file("trust.json", r#"{"unsigned":"allow","minimum_versions":{"judge":"2.0.0"}}"#);
    run(&place, &["trust", "--set", &trust]);
    for args in [&["rollback", "release"][..], &["rollback", "release", "--to", &first["id"].to_string()]] {
        let refused = run(&place, args);
        assert_eq!((refused.code().as_str(), refused.status), ("module_downgrade", Some(3)), "{args:?}");
    }
    assert_eq!(flags(&place), r#"["two"]"#);
}

#[test]
fn a_policy_is_installed_activated_replaced_and_rolled_back() {
    let place = TestFolder::new();
    let one = install(&place, "1.0.0", "one");
    install(&place, "1.1.0", "two");
    let first = output(
        &place,
        &["activate", "release", "judge@1.0.0", "--create", "--allow-unsigned", "--note", "the first"],
    );
    assert_eq!(first["state"]["active"]["base"]["module"], one);
    assert_eq!(flags(&place), r#"["one"]"#);
    output(
        &place,
        &["activate", "release", "judge@1.1.0", "--allow-unsigned", "--expected", &first["id"].to_string()],
    );
    assert_eq!(flags(&place), r#"["two"]"#);
    output(&place, &["rollback", "release"]);
    assert_eq!(flags(&place), r#"["one"]"#);

    let history = output(&place, &["history", "release"]);
    let actions: Vec<_> = history["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["rollback", "activate", "activate", "configure"]);
    assert_eq!(history["history"][2]["note"], "the first");
    assert_eq!(
        output(&place, &["history", "release", "--limit", "1"])["history"].as_array().unwrap().len(),
        1
    );
    let list = output(&place, &["list"]);
    assert_eq!(
        (list["modules"].as_array().unwrap().len(), &list["slots"][0]["slot"]),
        (2, &Value::from("release"))
    );
    assert_eq!(output(&place, &["slot", "release"]), list["slots"][0]);

    output(&place, &["canary", "release", "judge@1.1.0", "--permille", "1000", "--allow-unsigned"]);
    assert_eq!(flags(&place), r#"["two"]"#);
    output(&place, &["canary", "release", "--off"]);
    assert_eq!(flags(&place), r#"["one"]"#);
    // A process with a single call also calls the shadow before it ends.
    output(&place, &["shadow", "release", "judge@1.1.0", "--allow-unsigned"]);
    assert_eq!(flags(&place), r#"["one"]"#);
    let differences = output(&place, &["shadow", "release", "--differences"]);
    assert_eq!(differences["differences"].as_array().unwrap().len(), 1, "{differences}");
    assert_eq!(output(&place, &["shadow", "release", "--off"])["state"]["shadow"], Value::Null);
}

#[test]
fn settings_and_trust_are_read_strictly_and_printed() {
    let place = TestFolder::new();
    let settings = place.file("settings.yaml", "on_fault: fail_closed\nlimits:\n  fuel: 5000\n");
    let entry = output(&place, &["slot", "release", "--settings", &settings]);
    assert_eq!(
        (&entry["settings"]["on_fault"], &entry["settings"]["limits"]["fuel"]),
        (&"fail_closed".into(), &5000.into())
    );
    let policy = place.file("trust.json", r#"{"unsigned":"allow","x-who":"tests"}"#);
    assert_eq!(output(&place, &["trust"])["trust"], Value::Null);
    assert_eq!(output(&place, &["trust", "--set", &policy])["trust"]["unsigned"], "allow");
    let own = place.file("own.yaml", "x-who: tests\n");
    assert_eq!(
        output(&place, &["trust", "--slot", "release", "--set", &own])["trust"]["unsigned"],
        Value::Null
    );
    assert_eq!(output(&place, &["trust", "--slot", "release", "--unset"])["trust"]["unsigned"], "allow");
    // If the policy allows unsigned modules, no option is needed.
    let module = place.file("m.wasm", flagging("1.0.0", "one"));
    output(&place, &["install", &module]);
    output(&place, &["activate", "release", "judge"]);
    let table = run(&place, &["list", "--format", "table"]).stdout;
    assert!(table.contains("Modules\njudge 1.0.0\n") && table.contains("\nrelease entry "), "{table}");
}

#[test]
fn failed_commands_report_a_code_and_change_nothing() {
    let place = TestFolder::new();
    let digest = install(&place, "1.0.0", "one");
    output(&place, &["activate", "release", &digest, "--create", "--allow-unsigned"]);
    let bad_settings = place.file("bad.json", r#"{"on_falt":"error"}"#);
    let unsigned = place.file("unsigned.wasm", flagging("2.0.0", "x"));
    let garbage = place.file("garbage.wasm", "not a module");
    let trust = place.file("trust.json", r#"{"threshold":5}"#);
    let empty = place.file("empty.json", "");
    let before = output(&place, &["list"]);
    for (args, status, code) in [
        (&["install", "missing.wasm"][..], 2, "unreadable_input"),
        (&["install", &garbage, "--allow-unsigned"], 3, "module_malformed"),
        (&["install", &unsigned], 3, "module_unsigned"),
        (&["install", &unsigned, "--slot", "nobody"], 64, "unknown_slot"),
        (&["activate", "nobody", &digest], 64, "unknown_slot"),
        (&["activate", "No Body", &digest, "--create", "--allow-unsigned"], 64, "wrong_usage"),
        (&["activate", "release", "nobody"], 64, "unknown_module"),
        (&["activate", "release", "nobody@1.0.0"], 64, "unknown_module"),
        (&["activate", "release", &"0".repeat(64)], 64, "unknown_module"),
        (&["activate", "release", &digest], 3, "module_unsigned"),
        (&["activate", "release", &digest, "--allow-unsigned", "--expected", "999"], 64, "slot_changed"),
        (&["activate", "release", &digest, "--allow-unsigned", "--restrict", "nobody"], 64, "unknown_module"),
        (&["rollback", "release"], 64, "unknown_version"),
        (&["rollback", "release", "--to", "999"], 64, "unknown_version"),
        (&["rollback", "nobody"], 64, "unknown_slot"),
        (&["shadow", "release"], 64, "wrong_usage"),
        (&["shadow", "release", &digest, "--off"], 64, "wrong_usage"),
        (&["shadow", "nobody", "--differences"], 64, "unknown_slot"),
        (&["canary", "release", &digest], 64, "wrong_usage"),
        (&["canary", "release", &digest, "--permille", "1001"], 64, "wrong_usage"),
        (&["canary", "release", "--off", "--permille", "1"], 64, "wrong_usage"),
        (&["canary", "release", "--off", "--allow-unsigned"], 64, "wrong_usage"),
        (&["shadow", "release", "--off", "--restrict", &digest], 64, "wrong_usage"),
        (&["shadow", "release", "--differences", "--override", &digest], 64, "wrong_usage"),
        (&["shadow", "release", "--differences", "--nats", "nats://127.0.0.1:1"], 64, "wrong_usage"),
        (&["shadow", "release", "--differences", "5", "--nats-allow-unsigned"], 64, "wrong_usage"),
        (&["shadow", "release", "--differences", "--nats-replicas", "3"], 64, "wrong_usage"),
        (&["history", "nobody"], 64, "unknown_slot"),
        (&["slot", "nobody"], 64, "unknown_slot"),
        (&["slot", "release", "--create"], 64, "slot_changed"),
        (&["slot", "release", "--note", "why"], 64, "wrong_usage"),
        (&["slot", "release", "--expected", "1"], 64, "wrong_usage"),
        (&["slot", "release", "--settings", &bad_settings], 2, "unknown_field"),
        (&["trust", "--set", &trust], 2, "invalid_policy"),
        // An empty file does not remove a trust policy.
        (&["trust", "--slot", "release", "--set", &empty], 2, "malformed_json"),
        (&["trust", "--slot", "nobody"], 64, "unknown_slot"),
        (&["trust", "--unset"], 64, "wrong_usage"),
        (&["trust", "--slot", "release", "--unset", "--input-format", "yaml"], 64, "wrong_usage"),
        (&["evaluate", &bad_settings, "--slot", "nobody"], 64, "unknown_slot"),
        (&["evaluate", &bad_settings, "--slot", "release", "--module", "m.wasm"], 64, "wrong_usage"),
        (&["evaluate", &bad_settings, "--slot", "release", "--fuel", "5"], 64, "wrong_usage"),
        (&["evaluate", &bad_settings, "--slot", "release", "--no-cache"], 64, "wrong_usage"),
        (&["evaluate", &bad_settings, "--slot", "release", "--known-engine", &digest], 64, "wrong_usage"),
        (&["evaluate", &bad_settings], 64, "wrong_usage"),
        (&["refine", &bad_settings, "--module", &unsigned], 64, "wrong_usage"),
    ] {
        let run = run(&place, args);
        assert!(run.stderr.starts_with("{"), "{args:?}: {run:?}");
        assert_eq!(
            (run.status, error_code(&run.stderr).as_str(), run.stdout.as_str()),
            (Some(status), code, ""),
            "{args:?}"
        );
        if code == "unknown_slot" {
            let hint = "unknown slot `nobody`; this store has `release`; to create it: `adjudicate activate nobody MODULE --create`";
            assert!(run.stderr.contains(hint), "{run:?}");
        }
    }
    assert_eq!(output(&place, &["list"]), before);
}

#[test]
fn a_store_is_found_where_the_environment_says_and_refused_where_others_may_read_it() {
    use std::os::unix::fs::PermissionsExt;

    let place = TestFolder::new();
    let run = place.run(&["list"]);
    assert_eq!((run.status, error_code(&run.stderr).as_str()), (Some(64), "wrong_usage"));
    let of = |name: &'static str, value: &std::path::Path| -> Run {
        place.run_where(&[(name, value.into())], &["list"], b"")
    };
    for (name, directory, made) in [
        ("ADJUDICATE_STORE", "a", "a/adjudicate.db"),
        ("XDG_DATA_HOME", "b", "b/adjudicate/adjudicate.db"),
        ("HOME", "c", "c/.local/share/adjudicate/adjudicate.db"),
    ] {
        let run = of(name, &place.path(directory));
        assert_eq!((run.status, run.stdout.as_str()), (Some(0), "{\"modules\":[],\"slots\":[]}\n"), "{name}");
        assert!(place.path(made).is_file(), "{made}");
        let mode = std::fs::metadata(place.path(made)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
    std::fs::set_permissions(place.path("a"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = of("ADJUDICATE_STORE", &place.path("a"));
    assert_eq!((run.status, error_code(&run.stderr).as_str()), (Some(3), "store_fault"));
}

#[test]
fn names_that_look_like_digests_or_options_are_refused_wherever_a_module_is_named() {
    let place = TestFolder::new();
    let envelope = place.file("envelope.json", ENVELOPE);
    for name in ["sha256:deadbeef", "deadbeef", "-judge"] {
        // A name of the same length, for nothing here makes a module of such a name.
        let manifest = r#"{"abi":1,"name":"NAME","version":"1.0.0","operations":["evaluate"]}"#;
        let stand_in = "n".repeat(name.len());
        let good = replying_with(&manifest.replace("NAME", &stand_in), &answer(ENVELOPE), "");
        let at = good.windows(name.len()).position(|window| window == stand_in.as_bytes()).unwrap();
        let module = [&good[..at], name.as_bytes(), &good[at + name.len()..]].concat();
        let module = place.file("named.wasm", module);
        for refused in [
            run(&place, &["install", &module, "--allow-unsigned"]),
            place.run(&["inspect", &module]),
            place.run(&["evaluate", &envelope, "--module", &module]),
            place.run(&["evaluate", &envelope, "--restrict", &module]),
        ] {
            assert_eq!(
                (refused.code().as_str(), refused.status),
                ("module_manifest", Some(3)),
                "{name} {refused:?}"
            );
            assert!(refused.stderr.contains(r#""path":"/name""#), "{refused:?}");
        }
        for verb in ["activate", "shadow"] {
            let unknown = run(&place, &[verb, "release", "--allow-unsigned", "--", name]);
            assert_ne!(unknown.status, Some(0), "{name} {unknown:?}");
        }
    }
    install(&place, "1.0.0", "one");
    for meant in ["sha256:deadbeef", "sha256:judge", "sha256:judge@1.0.0"] {
        let unknown = run(&place, &["activate", "release", meant, "--create", "--allow-unsigned"]);
        assert_eq!((unknown.code().as_str(), unknown.status), ("unknown_module", Some(64)), "{meant}");
    }
}
