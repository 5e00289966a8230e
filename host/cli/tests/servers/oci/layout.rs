//! A pushed module has CNCF's Wasm OCI artifact layout, checked by a client of its own.

use adjudicate_sandbox::Digest;
use serde_json::{Value, json};

use super::{
    module,
    registry::{Registry, RegistryOptions},
};
use crate::command::TestFolder;

const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The fields of an object, in order.
fn members(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_manifest_a_config_and_one_layer() {
    let (place, registry) = (TestFolder::new(), Registry::start(RegistryOptions::default()));
    let module = module("1.2.0", 3 << 20);
    place.file("gate.wasm", &module);
    let json_of =
        place.process(&["push", "gate.wasm", &registry.reference("acme/gate:1.2.0"), "--plain-http"]).json();

    let (head, text) = registry.page("/v2/acme/gate/manifests/1.2.0", MANIFEST);
    assert!(
        head.starts_with("http/1.1 200") && head.contains(&format!("content-type: {MANIFEST}")),
        "{head}"
    );
    let digest = Digest::sha256(&text).to_string();
    assert!(head.contains(&format!("docker-content-digest: {digest}")), "{head}");
    assert_eq!(json_of["manifest_digest"], digest);
    let manifest: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(members(&manifest), ["annotations", "config", "layers", "mediaType", "schemaVersion"]);
    assert_eq!((&manifest["schemaVersion"], &manifest["mediaType"]), (&json!(2), &json!(MANIFEST)));
    assert_eq!(
        manifest["annotations"],
        json!({
            "org.opencontainers.image.title": "gate",
            "org.opencontainers.image.version": "1.2.0",
            "org.opencontainers.image.description": "says \"no\"",
            "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
        })
    );

    // The module alone lies under its digest.
    let layers = manifest["layers"].as_array().unwrap();
    let [layer] = layers.as_slice() else { panic!("{manifest}") };
    assert_eq!(members(layer), ["digest", "mediaType", "size"]);
    assert_eq!(layer["mediaType"], "application/wasm");
    let blob = |descriptor: &Value| {
        let digest = descriptor["digest"].as_str().unwrap();
        let (head, body) = registry.page(&format!("/v2/acme/gate/blobs/{digest}"), "*/*");
        assert!(head.starts_with("http/1.1 200"), "{head}");
        assert_eq!(
            (Digest::sha256(&body).to_string().as_str(), body.len()),
            (digest, usize::try_from(descriptor["size"].as_u64().unwrap()).unwrap())
        );
        body
    };
    assert!(blob(layer) == module);
    assert_eq!((&json_of["digest"], &json_of["bytes"]), (&layer["digest"], &layer["size"]));

    assert_eq!(members(&manifest["config"]), ["digest", "mediaType", "size"]);
    assert_eq!(manifest["config"]["mediaType"], "application/vnd.wasm.config.v0+json");
    let config: Value = serde_json::from_slice(&blob(&manifest["config"])).unwrap();
    assert_eq!(
        config,
        json!({
            "created": "1970-01-01T00:00:00Z",
            "architecture": "wasm",
            "os": "wasip1",
            "layerDigests": [layer["digest"]],
        })
    );
}
