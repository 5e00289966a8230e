//! Tests of writing and reading the documents of the layout.

use adjudicate_trust::codes;

use super::*;

/// A module of one byte. The layout does not read modules.
const MODULE: &[u8] = b"m";

fn artifact() -> Artifact {
    let about = r#"{"abi":1,"name":"strict","version":"1.2.0","license":"MIT","operations":["evaluate"]}"#;
    Artifact::new(MODULE, &Manifest::parse(about.as_bytes()).unwrap())
}

#[test]
fn a_module_always_has_the_same_manifest() {
    let artifact = artifact();
    let layer = Digest::sha256(MODULE);
    let config = format!(
        r#"{{"created":"1970-01-01T00:00:00Z","architecture":"wasm","os":"wasip1","layerDigests":["{layer}"]}}"#
    );
    assert_eq!(String::from_utf8(artifact.config).unwrap(), config);
    let manifest = format!(
        r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{{"mediaType":"application/vnd.wasm.config.v0+json","digest":"{}","size":{}}},"layers":[{{"mediaType":"application/wasm","digest":"{layer}","size":1}}],"annotations":{{"org.opencontainers.image.licenses":"MIT","org.opencontainers.image.title":"strict","org.opencontainers.image.version":"1.2.0"}}}}"#,
        Digest::sha256(config.as_bytes()),
        config.len()
    );
    assert_eq!(String::from_utf8(artifact.manifest).unwrap(), manifest);
}

#[test]
fn written_documents_are_read_with_and_without_further_fields() {
    let artifact = artifact();
    let found = read_manifest(&artifact.manifest, 1).unwrap();
    assert_eq!(found.layer, Descriptor { digest: Digest::sha256(MODULE), bytes: 1 });
    assert_eq!(found.config.digest, Digest::sha256(&artifact.config));
    read_config(&artifact.config, found.layer.digest).unwrap();
    let text = String::from_utf8(artifact.manifest).unwrap();
    let more = text.replacen('{', r#"{"artifactType":"a/b","subject":{"x":null},"#, 1);
    let less = more.replacen(r#""mediaType":"application/vnd.oci.image.manifest.v1+json","#, "", 1);
    for text in [more, less] {
        assert_eq!(read_manifest(text.as_bytes(), 1).unwrap(), found, "{text}");
    }
}

#[test]
fn manifests_that_break_the_layout_are_rejected_at_the_field() {
    let text = String::from_utf8(artifact().manifest).unwrap();
    let layer = &text[text.find(r#"[{"#).unwrap() + 1..text.find(r#"}],"#).unwrap() + 1];
    let cases = [
        (r#""schemaVersion":2"#, r#""schemaVersion":1"#, "/schemaVersion"),
        (r#""schemaVersion":2"#, r#""schemaVersion":"2""#, "/schemaVersion"),
        (r#""schemaVersion":2,"#, "", "/schemaVersion"),
        ("image.manifest.v1", "image.index.v1", "/mediaType"),
        ("vnd.wasm.config.v0", "vnd.oci.empty.v1", "/config/mediaType"),
        ("application/wasm", "application/vnd.oci.image.layer.v1.tar", "/layers/0/mediaType"),
        (r#""size":1}"#, r#""size":2}"#, "/layers/0/size"),
        (r#""size":1}"#, r#""size":-1}"#, "/layers/0/size"),
        (r#""size":1}"#, r#""size":1e0}"#, "/layers/0/size"),
        (r#""size":1}"#, r#""size":99999999999999999999}"#, "/layers/0/size"),
        (r#""size":1}"#, r#""size":1,"urls":["https://elsewhere"]}"#, "/layers/0/urls"),
        (r#""digest":"sha256:"#, r#""digest":"sha512:"#, "/config/digest"),
        (layer, "", "/layers"),
        (layer, &format!("{layer},{layer}"), "/layers"),
        (&format!("[{layer}]"), "{}", "/layers"),
        (&format!("[{layer}]"), "[7]", "/layers/0"),
        (r#""schemaVersion":2"#, r#""schemaVersion":2,"schemaVersion":2"#, "/schemaVersion"),
    ];
    for (from, to, path) in cases {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        let error = read_manifest(broken.as_bytes(), 1).unwrap_err();
        assert_eq!(error.path(), path, "{to}: {error}");
    }
    for text in ["", "[]", "null", "<html>", "{"] {
        assert!(read_manifest(text.as_bytes(), 1).is_err(), "{text}");
    }
}

#[test]
fn configs_that_break_the_layout_are_rejected_at_the_field() {
    let text = String::from_utf8(artifact().config).unwrap();
    let digest = Digest::sha256(MODULE).to_string();
    let cases = [
        (r#""wasm""#, r#""amd64""#, "/architecture"),
        ("wasip1", "wasip2", "/os"),
        ("wasip1", "linux", "/os"),
        (&digest, &Digest::sha256(b"").to_string(), "/layerDigests/0"),
        (&digest, "", "/layerDigests/0"),
        (&format!(r#""{digest}""#), "", "/layerDigests"),
        (r#""layerDigests""#, r#""rootfs""#, "/layerDigests"),
    ];
    for (from, to, path) in cases {
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        let error = read_config(broken.as_bytes(), Digest::sha256(MODULE)).unwrap_err();
        assert_eq!(error.path(), path, "{to}: {error}");
    }
}

#[test]
fn the_config_of_a_module_is_below_the_limit() {
    let text = String::from_utf8(artifact().manifest).unwrap();
    let size = format!(r#""size":{}"#, artifact().config.len());
    let large = text.replacen(&size, r#""size":99999999"#, 1);
    let error = read_manifest(large.as_bytes(), 1).unwrap_err();
    assert_eq!((error.code(), error.path()), (codes::LIMIT_EXCEEDED, "/config/size"));
}
