//! `keygen`, `sign`, `verify`: from a key to a verdict, by files alone.

use std::fs;

use adjudicate_host::trust::{PublicKey, SecretKey};
use adjudicate_sandbox::Digest;
use serde_json::{Value, json};

use crate::{command::TestFolder, modules::good};

/// A key pair of this name; its entry for a policy.
fn keygen(place: &TestFolder, name: &str) -> Value {
    let run = place.run(&["keygen", "--out", name]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.json()["key"].clone()
}

fn sign(place: &TestFolder, module: &str, key: &str, output: &str) -> Value {
    let run = place.run(&["sign", module, "--key", key, "-o", output]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.json()
}

/// A module and two keys, `a` and `b`; the module signed by `a` and by both.
fn signed() -> (TestFolder, Value, Value) {
    let place = TestFolder::new();
    place.file("gate.wasm", good());
    let (a, b) = (keygen(&place, "a"), keygen(&place, "b"));
    sign(&place, "gate.wasm", "a.key", "one.wasm");
    sign(&place, "one.wasm", "b.key", "both.wasm");
    (place, a, b)
}

/// The module that `a` signed, with a letter of its manifest changed.
fn changed(place: &TestFolder) -> Vec<u8> {
    let mut bytes = fs::read(place.path("one.wasm")).unwrap();
    let at = bytes.windows(5).position(|window| window == b"tests").unwrap();
    bytes[at] = b'r';
    bytes
}

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
    keygen(&place, "a");
    let before = fs::read(place.path("a.key")).unwrap();
    let run = place.run(&["keygen", "--out", "a"]);
    assert_eq!((run.code().as_str(), run.status), ("unwritable_output", Some(74)));
    fs::remove_file(place.path("a.pub")).unwrap();
    assert_eq!(place.run(&["keygen", "--out", "a"]).code(), "unwritable_output");
    assert!(!place.path("a.pub").exists() && fs::read(place.path("a.key")).unwrap() == before);
    place.file("b.pub", "mine");
    assert_eq!(place.run(&["keygen", "--out", "b"]).code(), "unwritable_output");
    assert!(!place.path("b.key").exists());
    assert_eq!(fs::read_to_string(place.path("b.pub")).unwrap(), "mine");
    for (out, name) in [("x", ""), ("..", "x"), ("./", "x"), ("/", "x")] {
        assert_eq!(place.run(&["keygen", "--out", out, "--name", name]).code(), "wrong_usage");
    }
    assert_eq!(place.run(&["keygen", "--out", "no/where"]).code(), "unwritable_output");
}

#[test]
fn several_signers_sign_one_after_the_other() {
    let (place, a, b) = signed();
    let both = fs::read(place.path("both.wasm")).unwrap();
    let report = sign(&place, "one.wasm", "b.key", "again.wasm");
    assert_eq!(fs::read(place.path("again.wasm")).unwrap(), both);
    assert_eq!(
        report,
        json!({
            "file": "again.wasm",
            "digest": Digest::sha256(&both).to_string(),
            "content_digest": Digest::sha256(&good()[8..]).to_string(),
            "key": b["id"],
            "signatures": [{"key": a["id"]}, {"key": b["id"]}],
        })
    );
    let inspected = place.run(&["inspect", "both.wasm"]).json();
    assert_eq!(inspected["signatures"], report["signatures"]);
    assert_eq!(inspected["content_digest"], report["content_digest"]);
    let table = place.run(&["inspect", "both.wasm", "--format", "table"]).stdout;
    assert!(table.contains(&format!("signed by   {}, {}", a["id"], b["id"]).replace('"', "")), "{table}");
    let run = place.run(&["sign", "both.wasm", "--key", "a.key", "--in-place"]);
    assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)));
    let run = place.run(&["sign", "gate.wasm", "--key", "a.key", "-o", "t.wasm", "--format", "table"]);
    assert!(run.stdout.starts_with("SIGNED t.wasm\n"), "{}", run.stdout);
}

#[test]
fn only_the_named_file_is_overwritten() {
    let (place, ..) = signed();
    let run = place.run(&["sign", "gate.wasm", "--key", "a.key"]);
    assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)));
    let run = place.run(&["sign", "gate.wasm", "--key", "a.key", "--in-place", "-o", "x.wasm"]);
    assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)));
    assert_eq!(place.run(&["sign", "gate.wasm", "--key", "a.key", "-o", "a.key"]).code(), "wrong_usage");
    assert!(SecretKey::read_file(&place.path("a.key")).is_ok());
    assert_eq!(fs::read(place.path("gate.wasm")).unwrap(), good());

    let run = place.run(&["sign", "gate.wasm", "--key", "a.key", "--in-place"]);
    assert_eq!(run.status, Some(0));
    assert_eq!(fs::read(place.path("gate.wasm")).unwrap(), fs::read(place.path("one.wasm")).unwrap());
    let left: Vec<_> = fs::read_dir(place.path("")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".new")), "{left:?}");
}

#[test]
fn invalid_modules_and_keys_are_not_signed_with() {
    let (place, ..) = signed();
    place.file("text.key", "not a key");
    place.file("broken.wasm", &good()[..good().len() - 1]);
    place.file("empty.wasm", b"\0asm\x01\0\0\0");
    place.file("changed.wasm", changed(&place));
    for (module, key, code, status) in [
        ("gate.wasm", "none.key", "unreadable_input", 2),
        ("gate.wasm", "text.key", "unreadable_input", 2),
        ("gate.wasm", "a.pub", "unreadable_input", 2),
        ("none.wasm", "a.key", "unreadable_input", 2),
        ("broken.wasm", "a.key", "module_malformed", 3),
        ("empty.wasm", "a.key", "module_exports", 3),
        ("changed.wasm", "b.key", "module_signature", 3),
    ] {
        let run = place.run(&["sign", module, "--key", key, "-o", "out.wasm"]);
        // The files that the test wrote are open to others, which is looked at before what is in them.
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{module}, {key}");
        assert!(!place.path("out.wasm").exists());
    }
}

#[test]
fn a_verdict_says_who_signed_and_why_that_is_enough() {
    let (place, a, b) = signed();
    let policy = place.file("trust.json", json!({"keys": [a, b], "threshold": 2}).to_string());
    let run = place.run(&["verify", "both.wasm", "--trust", &policy]);
    let verdict = run.json();
    assert_eq!(
        (run.status, &verdict["accepted"], &verdict["counted"]),
        (Some(0), &json!("signatures"), &json!(2))
    );
    assert_eq!(verdict["signatures"][1], json!({"key": b["id"], "name": "b", "standing": "counted"}));
    let run = place.run(&["verify", "one.wasm", "--trust", &policy]);
    assert_eq!((run.code().as_str(), run.status), ("module_below_threshold", Some(3)));
    for key in ["a.pub", "b.pub"] {
        let run = place.run(&["verify", "both.wasm", "--key", key, "--format", "table"]);
        assert!(run.stdout.starts_with("TRUSTED constant 0.1.0\n"), "{run:?}");
        assert!(run.stdout.contains("  unknown") && run.stdout.contains("  counted"), "{}", run.stdout);
    }
    assert_eq!(place.run(&["verify", "one.wasm", "--key", "b.pub"]).code(), "module_untrusted_key");
    assert_eq!(place.run(&["verify", "gate.wasm", "--key", "a.pub"]).code(), "module_unsigned");
}

#[test]
fn policies_are_documents_as_all_others() {
    let (place, a, _) = signed();
    let yaml = format!("keys:\n- name: a\n  public_key: {}\n", a["public_key"]);
    place.file("trust.yaml", &yaml);
    assert_eq!(place.run(&["verify", "one.wasm", "--trust", "trust.yaml"]).status, Some(0));
    let run =
        place.run_with(&["verify", "one.wasm", "--trust", "-", "--input-format", "yaml"], yaml.as_bytes());
    assert_eq!(run.status, Some(0));
    for (text, code, path) in [
        ("{\"kesy\": []}", "unknown_field", "/kesy"),
        ("{\"threshold\": 3}", "invalid_policy", "/threshold"),
        ("{", "malformed_json", ""),
    ] {
        let run = place.run_with(&["verify", "one.wasm", "--trust", "-"], text.as_bytes());
        assert_eq!((run.code().as_str(), run.status), (code, Some(2)));
        assert!(
            run.stderr.contains("trust policy: ") && run.stderr.contains(&format!("\"path\":\"{path}\""))
        );
    }
}

#[test]
fn the_time_of_the_judgment_is_an_option() {
    let (place, mut a, _) = signed();
    a["not_before"] = json!("2027-01-01T00:00:00Z");
    a["not_after"] = json!("2027-12-31T23:59:59Z");
    place.file("trust.json", json!({"keys": [a]}).to_string());
    let at = |time: &str| place.run(&["verify", "one.wasm", "--trust", "trust.json", "--at", time]);
    assert_eq!(at("2027-12-31T23:59:59Z").status, Some(0));
    assert_eq!(at("2028-01-01T00:00:00Z").code(), "module_key_expired");
    assert_eq!(at("2027-01-01T00:00:00+00:01").code(), "module_key_expired");
    let run = at("2027-01-01");
    assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)));
    assert!(run.stderr.contains("`2027-01-01`: expected a time"), "{}", run.stderr);
}

#[test]
fn a_verdict_needs_a_policy_or_a_key() {
    let (place, ..) = signed();
    place.file("trust.json", "{}");
    for more in [
        &[][..],
        &["--key", "a.pub", "--trust", "trust.json"],
        &["--key", "a.pub", "--input-format", "yaml"],
        &["--at", "2027-01-01T00:00:00Z"],
    ] {
        let run = place.run(&[&["verify", "one.wasm"], more].concat());
        assert_eq!((run.code().as_str(), run.status), ("wrong_usage", Some(64)), "{more:?}");
    }
    assert_eq!(place.run(&["verify", "one.wasm", "--trust", "trust.json"]).code(), "module_untrusted_key");
    place.file("bad.pub", "no key");
    assert_eq!(place.run(&["verify", "one.wasm", "--key", "bad.pub"]).code(), "invalid_value");
    // Trusted bytes that no host would load are no good module.
    let bare = adjudicate_sandbox::manifest::append(
        b"\0asm\x01\0\0\0",
        r#"{"abi":1,"name":"n","version":"1.0.0","operations":["evaluate"]}"#,
    );
    let key = SecretKey::read_file(&place.path("a.key")).unwrap();
    place.file("bare.wasm", adjudicate_host::trust::sign(&bare.unwrap(), &key).unwrap());
    assert_eq!(place.run(&["verify", "bare.wasm", "--key", "a.pub"]).code(), "module_exports");
}

#[test]
fn a_signed_module_decides_and_a_broken_signature_is_seen_by_inspect() {
    let (place, ..) = signed();
    let envelope = place.file("envelope.json", crate::command::ENVELOPE);
    assert_eq!(place.run(&["evaluate", &envelope, "--module", "both.wasm"]).status, Some(0));
    place.file("changed.wasm", changed(&place));
    for args in [&["inspect", "changed.wasm"][..], &["verify", "changed.wasm", "--key", "a.pub"]] {
        let run = place.run(args);
        assert_eq!((run.code().as_str(), run.status), ("module_signature", Some(3)));
    }
}
