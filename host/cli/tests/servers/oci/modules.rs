//! Modules on their way through a registry.

use serde_json::{Value, json};

use super::{
    module,
    registry::{Registry, RegistryOptions},
};
use crate::command::TestFolder;

#[test]
fn a_pulled_module_has_the_pushed_bytes() {
    let (place, registry) = (TestFolder::new(), Registry::start(RegistryOptions::default()));
    let tag = registry.reference("a/b/gate:1.0.0");
    // Of the largest module that is accepted, too.
    for padding in [0, (16 << 20) - 1000] {
        let module = module("1.0.0", padding);
        place.file("gate.wasm", &module);
        let pushed = place.process(&["push", "gate.wasm", &tag, "--plain-http"]).json();
        let digest = pushed["manifest_digest"].as_str().unwrap();
        for reference in
            [tag.clone(), registry.reference(&format!("a/b/gate@{digest}")), format!("{tag}@{digest}")]
        {
            let pulled = place.process(&["pull", &reference, "--plain-http", "-o", "pulled.wasm"]).json();
            assert!(std::fs::read(place.path("pulled.wasm")).unwrap() == module, "{reference}");
            for member in ["digest", "manifest_digest", "bytes", "name", "version"] {
                assert_eq!(pulled[member], pushed[member], "{member}");
            }
        }
    }
    assert_eq!(
        place.process(&["pull", &registry.reference("a/b/gate:2"), "--plain-http", "-o", "x"]).code(),
        "not_found"
    );
    assert_eq!(
        place.process(&["pull", &registry.reference("a/c:1.0.0"), "--plain-http", "-o", "x"]).code(),
        "not_found"
    );
    assert!(!place.path("x").exists());
}

#[test]
fn a_tag_moves_and_a_digest_stays() {
    let (place, registry) = (TestFolder::new(), Registry::start(RegistryOptions::default()));
    let tag = registry.reference("gate:latest");
    let push = |version: &str| {
        place.file("gate.wasm", module(version, 0));
        place.process(&["push", "gate.wasm", &tag, "--plain-http"]).json()
    };
    let one = push("1.0.0");
    assert_eq!((&one["replaced"], &one["unchanged"]), (&Value::Null, &json!(false)));
    let again = push("1.0.0");
    assert_eq!((&again["replaced"], &again["unchanged"]), (&Value::Null, &json!(true)));
    let two = push("2.0.0");
    assert_eq!((&two["replaced"], &two["unchanged"]), (&one["manifest_digest"], &json!(false)));
    let version = |reference: &str| {
        place.process(&["pull", reference, "--plain-http", "-o", "pulled.wasm"]).json()["version"].clone()
    };
    assert_eq!(version(&tag), "2.0.0");
    assert_eq!(version(&format!("{tag}@{}", one["manifest_digest"].as_str().unwrap())), "1.0.0");
}

#[test]
fn a_signed_module_goes_from_one_store_to_another() {
    let (place, registry) = (TestFolder::new(), Registry::start(RegistryOptions::default()));
    let reference = registry.reference("acme/gate:1.0.0");
    place.file("gate.wasm", module("1.0.0", 0));
    let key = place.process(&["keygen", "--out", "release"]).json()["key"].clone();
    place.file("trust.json", json!({"keys": [key]}).to_string());
    place.process(&["sign", "gate.wasm", "--key", "release.key", "--in-place"]).json();
    for store in ["here", "there"] {
        place.process(&["trust", "--set", "trust.json", "--store", store]).json();
    }
    let installed = place.process(&["install", "gate.wasm", "--store", "here"]).json();
    let pushed = place.process(&["push", "gate@1.0.0", &reference, "--plain-http", "--store", "here"]).json();
    assert_eq!(pushed["digest"], installed["module"]["digest"]);
    let pulled = place.process(&["pull", &reference, "--plain-http", "--install", "--store", "there"]).json();
    assert_eq!(pulled["installed"]["module"]["digest"], pushed["digest"]);
    let list = place.process(&["list", "--store", "there"]).json();
    assert_eq!(list["modules"][0]["digest"], pushed["digest"]);
    // The other store has no trust policy for this key.
    place.file("other.wasm", module("1.1.0", 0));
    let unsigned = registry.reference("acme/gate:1.1.0");
    place.process(&["push", "other.wasm", &unsigned, "--plain-http"]).json();
    let install = ["pull", &unsigned, "--plain-http", "--install", "--store", "there"];
    assert_eq!(place.process(&install).code(), "module_unsigned");
    assert_eq!(place.process(&["list", "--store", "there"]).json()["modules"].as_array().unwrap().len(), 1);
}
