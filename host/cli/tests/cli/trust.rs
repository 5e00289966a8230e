//! `keygen`, `sign` and `verify`: files that are written, and damaged modules. `fixtures/commands/modules.json` has the reports.

use std::fs;

use adjudicate_host::trust::{PublicKey, SecretKey};
use serde_json::json;

use crate::{command::TestFolder, modules::good};

#[test]
fn a_key_pair_is_two_files_and_an_entry_of_a_policy() {
    let place = TestFolder::new();
    let run = place.run(&["keygen", "--out", "keys.v1", "--name", "release team"]);
    let public = PublicKey::read_file(&place.path("keys.v1.pub")).unwrap();
    let expected = json!({
        "key": {"id": public.id().to_string(), "name": "release team", "public_key": public.to_string()},
        "private_file": "keys.v1.key",
        "public_file": "keys.v1.pub",
    });
    assert_eq!((run.status, run.json()), (Some(0), expected));
    assert_eq!(SecretKey::read_file(&place.path("keys.v1.key")).unwrap().public(), public);
    let secret = fs::read_to_string(place.path("keys.v1.key")).unwrap();
    let body = secret.lines().nth(1).unwrap();
    assert!(!run.stdout.contains(body), "a secret key is in its file and nowhere else");
    let table = place.run(&["keygen", "--out", "other", "--format", "table"]).stdout;
    assert!(table.starts_with("other\n") && table.contains("ed25519:"), "{table}");
}

#[test]
fn existing_keys_are_not_overwritten() {
    let place = TestFolder::new();
    place.file("a.key", "mine");
    place.file("b.pub", "mine");
    for (name, other) in [("a", "a.pub"), ("b", "b.key")] {
        let run = place.run(&["keygen", "--out", name]);
        assert_eq!((run.code().as_str(), run.status), ("unwritable_output", Some(74)));
        assert!(!place.path(other).exists(), "{other}");
    }
    assert!(["a.key", "b.pub"].iter().all(|file| fs::read(place.path(file)).unwrap() == b"mine"));
}

#[test]
fn damaged_modules_are_refused_and_no_file_is_left() {
    let place = TestFolder::new();
    place.file("gate.wasm", good());
    for name in ["a", "b"] {
        assert_eq!(place.run(&["keygen", "--out", name]).status, Some(0));
    }
    assert_eq!(place.run(&["sign", "gate.wasm", "--key", "a.key", "-o", "one.wasm"]).status, Some(0));
    let signed = fs::read(place.path("one.wasm")).unwrap();
    assert_eq!(place.run(&["sign", "gate.wasm", "--key", "a.key", "--in-place"]).status, Some(0));
    assert!(fs::read(place.path("gate.wasm")).unwrap() == signed);

    let mut changed = signed;
    let at = changed.windows(5).position(|window| window == b"tests").unwrap();
    changed[at] = b'r';
    place.file("changed.wasm", changed);
    place.file("broken.wasm", &good()[..good().len() - 1]);
    place.file("empty.wasm", b"\0asm\x01\0\0\0");
    // Trusted bytes that no host would load are no good module.
    let manifest = r#"{"abi":1,"name":"n","version":"1.0.0","operations":["evaluate"]}"#;
    let bare = adjudicate_sandbox::manifest::append(b"\0asm\x01\0\0\0", manifest).unwrap();
    let key = SecretKey::read_file(&place.path("a.key")).unwrap();
    place.file("bare.wasm", adjudicate_host::trust::sign(&bare, &key).unwrap());
    let sign = |module: &'static str| ["sign", module, "--key", "b.key", "-o", "out.wasm"].to_vec();
    for (args, code) in [
        (sign("changed.wasm"), "module_signature"),
        (sign("broken.wasm"), "module_malformed"),
        (sign("empty.wasm"), "module_exports"),
        (vec!["inspect", "changed.wasm"], "module_signature"),
        (vec!["verify", "changed.wasm", "--key", "a.pub"], "module_signature"),
        (vec!["verify", "bare.wasm", "--key", "a.pub"], "module_exports"),
    ] {
        let run = place.run(&args);
        assert_eq!((run.code().as_str(), run.status), (code, Some(3)), "{args:?}");
    }
    let mut left = fs::read_dir(place.path("")).unwrap().map(|file| file.unwrap().file_name());
    assert!(left.all(|name| name != "out.wasm" && !name.to_string_lossy().ends_with(".new")));
}
