//! Trust policy documents: accepted ones, and rejected ones with their paths.

use adjudicate_trust::{MAX_KEYS, MAX_PINS, MAX_POLICY_BYTES, TrustPolicy};
use serde_json::{Value, json};

use crate::signing::{entry, install, key, module, policy, signed_by};

const FULL: &str = r#"{
    "keys": [
        {"id": "ID", "name": "release", "public_key": "KEY",
         "not_before": "2026-01-01T00:00:00Z", "not_after": "2026-12-31T23:59:59+01:00", "revoked": false, "x-who": null},
        {"name": "security", "public_key": "OTHER"}
    ],
    "threshold": 2,
    "pins": ["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    "minimum_versions": {"gate": "1.4.0", "x-gate": "0.1.0-rc.1"},
    "downgrade": "refuse",
    "unsigned": "refuse",
    "x-note": {"any": [1]},
    "$schema": "https://example.com/trust.json"
}"#;

fn full() -> String {
    let (one, other) = (key('a').public(), key('b').public());
    FULL.replace("ID", &one.id().to_string())
        .replace("KEY", &one.to_string())
        .replace("OTHER", &other.to_string())
}

/// The code and path of the error.
fn fault(text: &str) -> (String, String) {
    let error = TrustPolicy::parse(text.as_bytes()).unwrap_err();
    (error.code().as_str().to_owned(), error.path().to_owned())
}

#[test]
fn a_full_policy_is_parsed_and_an_empty_one_is_the_default() {
    assert!(TrustPolicy::parse(full().as_bytes()).is_ok());
    assert_eq!(TrustPolicy::parse(b"{}").unwrap(), TrustPolicy::default());
}

#[test]
fn each_fault_has_its_path() {
    let other = key('b').public().to_string();
    for (from, to, code, path) in [
        ("\"keys\"", "\"kesy\"", "unknown_field", "/kesy"),
        ("\"threshold\": 2", "\"threshold\": 2, \"threshold\": 2", "duplicate_key", "/threshold"),
        ("\"threshold\": 2", "\"threshold\": -1", "invalid_value", "/threshold"),
        ("\"threshold\": 2", "\"threshold\": 1.5", "invalid_value", "/threshold"),
        ("\"threshold\": 2", "\"threshold\": \"2\"", "invalid_value", "/threshold"),
        ("\"threshold\": 2", "\"threshold\": null", "invalid_value", "/threshold"),
        ("\"threshold\": 2", "\"threshold\": 99999999999", "invalid_value", "/threshold"),
        ("\"threshold\": 2", "\"threshold\": 3", "invalid_policy", "/threshold"),
        ("\"threshold\": 2", "\"threshold\": 0", "invalid_policy", "/unsigned"),
        ("\"name\": \"release\"", "\"name\": \"\"", "invalid_policy", "/keys/0/name"),
        ("\"name\": \"release\",", "", "missing_field", "/keys/0/name"),
        ("\"name\": \"security\"", "\"name\": \"release\"", "invalid_policy", "/keys/1/name"),
        ("\"name\": \"security\"", "\"nmae\": \"security\"", "unknown_field", "/keys/1/nmae"),
        ("\"revoked\": false", "\"revoked\": \"no\"", "invalid_value", "/keys/0/revoked"),
        ("2026-01-01T00:00:00Z", "2026-01-01", "invalid_value", "/keys/0/not_before"),
        ("2026-12-31T23:59:59+01:00", "2025-12-31T23:59:59Z", "invalid_policy", "/keys/0/not_after"),
        ("2026-12-31T23:59:59+01:00", "2026-01-01T00:59:59+01:00", "invalid_policy", "/keys/0/not_after"),
        ("ed25519:", "ed448:", "invalid_value", "/keys/0/public_key"),
        ("\"sha256:e3", "\"sha256:", "invalid_value", "/pins/0"),
        ("[\"sha256:e3", "[7, \"sha256:e3", "invalid_value", "/pins/0"),
        ("\"1.4.0\"", "\"1.4\"", "invalid_value", "/minimum_versions/gate"),
        ("\"x-gate\"", "\"\"", "invalid_policy", "/minimum_versions/"),
        ("\"downgrade\": \"refuse\"", "\"downgrade\": \"maybe\"", "invalid_value", "/downgrade"),
        ("\"unsigned\": \"refuse\"", "\"unsigned\": true", "invalid_value", "/unsigned"),
        (other.as_str(), &key('a').public().to_string(), "invalid_policy", "/keys/1/public_key"),
        (&key('a').public().id().to_string(), "000000000000000000000000", "invalid_policy", "/keys/0/id"),
        (&key('a').public().id().to_string(), "release", "invalid_value", "/keys/0/id"),
        ("{\n", "[", "malformed_json", ""),
    ] {
        let text = full().replacen(from, to, 1);
        assert_ne!(text, full(), "{from}");
        assert_eq!(fault(&text), (code.to_owned(), path.to_owned()), "{from} -> {to}");
    }
}

#[test]
fn each_fault_of_fields_and_values_is_reported() {
    let text = r#"{"kesy": [], "keys": [{"public_key": "k", "not_after": "soon"}], "pins": ["a"], "minimum_versions": {"b": "1"}}"#;
    let error = TrustPolicy::parse(text.as_bytes()).unwrap_err();
    let faults: Vec<_> = error.all().map(|error| (error.code().as_str(), error.path())).collect();
    let expected = [
        ("unknown_field", "/kesy"),
        ("invalid_value", "/keys/0/public_key"),
        ("invalid_value", "/keys/0/not_after"),
        ("missing_field", "/keys/0/name"),
        ("invalid_value", "/pins/0"),
        ("invalid_value", "/minimum_versions/b"),
    ];
    assert_eq!(faults, expected);
}

#[test]
fn policies_that_cannot_work_are_rejected() {
    let digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    for (document, path) in [
        (json!({"keys": []}), "/keys"),
        (json!({"pins": []}), "/pins"),
        (json!({"threshold": 0, "pins": [digest, digest]}), "/pins/1"),
        (json!({"threshold": 0, "pins": [digest, digest.to_uppercase().replace("SHA", "sha")]}), "/pins/1"),
        (json!({"threshold": 0}), "/threshold"),
        (json!({"threshold": 0, "keys": [entry('a')]}), "/threshold"),
        (json!({"threshold": 1}), "/threshold"),
        (json!({"threshold": 1, "unsigned": "allow"}), "/threshold"),
        (json!({"threshold": 2, "keys": [entry('a')]}), "/threshold"),
        (json!({"pins": [digest]}), "/threshold"),
        (json!({"threshold": 0, "pins": [digest], "unsigned": "refuse"}), "/unsigned"),
    ] {
        let expected = ("invalid_policy".to_owned(), path.to_owned());
        assert_eq!(fault(&document.to_string()), expected, "{document}");
    }
    for document in [
        json!({"threshold": 0, "pins": [digest]}),
        json!({"threshold": 0, "pins": [digest], "unsigned": "allow"}),
        json!({"pins": [digest], "unsigned": "allow"}),
        json!({"unsigned": "allow"}),
        json!({"minimum_versions": {}}),
        // Revoking a key in a hurry must succeed, even if no module is accepted then.
        json!({"keys": [entry('a'), with_revoked('b')], "threshold": 2}),
    ] {
        policy(&document);
    }
}

fn with_revoked(who: char) -> Value {
    let mut entry = entry(who);
    entry["revoked"] = json!(true);
    entry
}

#[test]
fn policies_are_bounded() {
    let keys = |count: u32| {
        let people = (0..count).map(|at| entry(char::from_u32(at + 32).unwrap()));
        json!({"keys": people.collect::<Vec<_>>()}).to_string()
    };
    let count = u32::try_from(MAX_KEYS).unwrap();
    assert!(TrustPolicy::parse(keys(count).as_bytes()).is_ok());
    assert_eq!(fault(&keys(count + 1)), ("limit_exceeded".to_owned(), "/keys".to_owned()));
    let pins = |count| {
        let pins: Vec<_> = (0..count).map(|at| format!("sha256:{at:064x}")).collect();
        json!({"threshold": 0, "pins": pins}).to_string()
    };
    assert!(TrustPolicy::parse(pins(MAX_PINS).as_bytes()).is_ok());
    assert_eq!(fault(&pins(MAX_PINS + 1)), ("limit_exceeded".to_owned(), "/pins".to_owned()));
    assert_eq!(fault(&" ".repeat(MAX_POLICY_BYTES + 1)).0, "limit_exceeded");
}

#[test]
fn the_policy_of_one_key_equals_its_document() {
    let (name, public) = ("a \"quoted\" name", key('a').public());
    let policy = TrustPolicy::of_key(name, public.clone());
    let document = json!({"keys": [{"name": name, "public_key": public.to_string()}]}).to_string();
    assert_eq!(TrustPolicy::parse(document.as_bytes()).unwrap(), policy);
    assert!(install(&signed_by("a", &module("1.0.0")), &policy).is_ok());
    assert_eq!(install(&signed_by("b", &module("1.0.0")), &policy).unwrap_err(), "module_untrusted_key");
}
