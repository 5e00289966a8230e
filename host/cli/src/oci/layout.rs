//! How a module lies in a registry: the Wasm OCI artifact layout of CNCF's TAG Runtime, for core modules.
//!
//! ```text
//! manifest (application/vnd.oci.image.manifest.v1+json)
//!   config -> application/vnd.wasm.config.v0+json: architecture `wasm`, os `wasip1`, the digest of the layer
//!   layers -> one, application/wasm: the module
//! ```
//!
//! Owns the documents: what they say for a module, and whether others keep to the layout. Sends and fetches nothing.

use std::collections::BTreeMap;

use adjudicate_core::{Error, ErrorCode, json};
use adjudicate_host::{Digest, Manifest, visible};
use serde::{Deserialize, Serialize};

/// What a manifest is.
pub(super) const MANIFEST_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG_TYPE: &str = "application/vnd.wasm.config.v0+json";
const LAYER_TYPE: &str = "application/wasm";

/// How large a manifest, and the config, may be. Those of the layout have less than 2 KiB.
pub(super) const DOCUMENT_BYTES: usize = 1 << 20;

const ARCHITECTURE: &str = "wasm";
/// Of a module without components, whatever it imports.
const OS: &str = "wasip1";
/// The layout wants a moment. It is always this one, so that a module always has the same manifest.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// What is pushed for a module.
#[derive(Debug)]
pub(super) struct Artifact {
    pub(super) manifest: Vec<u8>,
    pub(super) config: Vec<u8>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    schema_version: u8,
    media_type: &'a str,
    config: Blob<'a>,
    layers: [Blob<'a>; 1],
    annotations: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Blob<'a> {
    media_type: &'a str,
    digest: Digest,
    size: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenConfig<'a> {
    created: &'a str,
    architecture: &'a str,
    os: &'a str,
    layer_digests: [Digest; 1],
}

impl Artifact {
    /// The documents for a module: of the same module, the same bytes.
    pub(super) fn of(module: &[u8], about: &Manifest) -> Self {
        let digest = Digest::of(module);
        let config = json::write(&WrittenConfig {
            created: CREATED,
            architecture: ARCHITECTURE,
            os: OS,
            layer_digests: [digest],
        });
        let told = [
            ("org.opencontainers.image.title", Some(about.name.clone())),
            ("org.opencontainers.image.version", Some(about.version.to_string())),
            ("org.opencontainers.image.description", about.description.clone()),
            ("org.opencontainers.image.licenses", about.license.clone()),
        ];
        let annotations = told.into_iter().filter_map(|(key, told)| Some((key, told?)));
        let manifest = json::write(&Written {
            schema_version: 2,
            media_type: MANIFEST_TYPE,
            config: Blob {
                media_type: CONFIG_TYPE,
                digest: Digest::of(config.as_bytes()),
                size: config.len(),
            },
            layers: [Blob { media_type: LAYER_TYPE, digest, size: module.len() }],
            annotations: annotations.collect(),
        });
        Self { manifest: manifest.into_bytes(), config: config.into_bytes() }
    }
}

/// What a manifest says of a blob: what it must be before a byte of it is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub(super) digest: Digest,
    pub(super) bytes: usize,
}

/// What a manifest that keeps to the layout says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) config: Descriptor,
    pub(super) layer: Descriptor,
}

/// The members by which manifests of all sorts are told apart.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    media_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    schema_version: u64,
    config: ReadBlob,
    layers: Vec<ReadBlob>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadBlob {
    media_type: String,
    digest: String,
    size: u64,
    urls: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadConfig {
    architecture: String,
    os: String,
    layer_digests: Vec<String>,
}

/// Reads a manifest, and holds it to the layout and to the limit for modules.
///
/// # Errors
///
/// Those of reading JSON; [`ErrorCode::InvalidValue`] for what the layout rules out, [`ErrorCode::LimitExceeded`] for a config
/// and [`ErrorCode::ModuleTooLarge`] for a module over its limit.
pub(super) fn read_manifest(text: &[u8], most: usize) -> Result<Found, Error> {
    let tape = json::read(text, json::Limits { documents: &[], bytes: DOCUMENT_BYTES })?;
    let head: Head = tape.decode()?;
    if let Some(media_type) = head.media_type {
        expect(&media_type, MANIFEST_TYPE, "/mediaType")?;
    }
    let read: Read = tape.decode()?;
    if read.schema_version != 2 {
        return Err(invalid(format!("expected 2, found {}", read.schema_version), "/schemaVersion"));
    }
    let [layer] = read.layers.as_slice() else {
        let message = format!("expected one layer, the module, found {}", read.layers.len());
        return Err(invalid(message, "/layers"));
    };
    let config = descriptor(&read.config, CONFIG_TYPE, "/config")?;
    let layer = descriptor(layer, LAYER_TYPE, "/layers/0")?;
    if config.bytes > DOCUMENT_BYTES {
        let message = format!("the config of {} bytes is over the limit of {DOCUMENT_BYTES}", config.bytes);
        return Err(Error::new(ErrorCode::LimitExceeded, message).at("/config/size"));
    }
    if layer.bytes > most {
        let message = format!("the module of {} bytes is over the limit of {most}", layer.bytes);
        return Err(Error::new(ErrorCode::ModuleTooLarge, message).at("/layers/0/size"));
    }
    Ok(Found { config, layer })
}

fn descriptor(blob: &ReadBlob, media_type: &str, path: &str) -> Result<Descriptor, Error> {
    expect(&blob.media_type, media_type, &format!("{path}/mediaType"))?;
    if blob.urls.as_ref().is_some_and(|urls| !urls.is_empty()) {
        let message = "it is to be fetched from somewhere else than the registry";
        return Err(invalid(message.to_owned(), &format!("{path}/urls")));
    }
    let bytes = usize::try_from(blob.size).unwrap_or(usize::MAX);
    Ok(Descriptor { digest: digest(&blob.digest, &format!("{path}/digest"))?, bytes })
}

/// A digest of the one algorithm that every registry has.
fn digest(text: &str, path: &str) -> Result<Digest, Error> {
    match text.parse::<Digest>() {
        Ok(digest) if digest.to_string() == text => Ok(digest),
        _ => {
            let message = format!("expected `sha256:` and 64 digits in lower case, found `{}`", short(text));
            Err(invalid(message, path))
        }
    }
}

/// Reads a config, and holds it to the layout and to the layer that the manifest has.
///
/// # Errors
///
/// Those of reading JSON, and [`ErrorCode::InvalidValue`].
pub(super) fn read_config(text: &[u8], layer: Digest) -> Result<(), Error> {
    let tape = json::read(text, json::Limits { documents: &[], bytes: DOCUMENT_BYTES })?;
    let read: ReadConfig = tape.decode()?;
    expect(&read.architecture, ARCHITECTURE, "/architecture")?;
    expect(&read.os, OS, "/os")?;
    let [digest_of_layer] = read.layer_digests.as_slice() else {
        let message = format!("expected the digest of one layer, found {}", read.layer_digests.len());
        return Err(invalid(message, "/layerDigests"));
    };
    if digest(digest_of_layer, "/layerDigests/0")? == layer {
        return Ok(());
    }
    let message = format!("the manifest's layer is `{layer}`, this is `{digest_of_layer}`");
    Err(invalid(message, "/layerDigests/0"))
}

fn expect(found: &str, expected: &str, path: &str) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(invalid(format!("expected `{expected}`, found `{}`", short(found)), path))
}

fn invalid(message: String, path: &str) -> Error {
    Error::new(ErrorCode::InvalidValue, message).at(path)
}

/// Text from a registry, for a message.
pub(super) fn short(text: &str) -> String {
    const LONGEST: usize = 200;
    let cut: String = text.chars().take(LONGEST).collect();
    let rest = if cut.len() < text.len() { "..." } else { "" };
    visible(&cut) + rest
}
