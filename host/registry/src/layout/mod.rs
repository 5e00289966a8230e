//! How a module lies in a registry: the Wasm OCI artifact layout of CNCF's TAG Runtime, for core modules.
//!
//! ```text
//! manifest (application/vnd.oci.image.manifest.v1+json)
//!   config -> application/vnd.wasm.config.v0+json: architecture `wasm`, os `wasip1`, the digest of the layer
//!   layers -> one, application/wasm: the module
//! ```
//!
//! Owns the documents: what they say for a module, and whether others keep to the layout. Sends and fetches nothing.

mod member;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use adjudicate_core::{Error, json};
use adjudicate_sandbox::{Digest, Manifest, codes};
use serde::Serialize;

pub(super) use member::short;
use member::{Member, invalid};

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

/// Reads a manifest, and holds it to the layout and to the limit for modules.
///
/// # Errors
///
/// Those of reading JSON; [`codes::MISSING_FIELD`] and [`codes::INVALID_VALUE`] for what the layout rules out, [`codes::LIMIT_EXCEEDED`] for a config
/// and [`codes::MODULE_TOO_LARGE`] for a module over its limit.
pub(super) fn read_manifest(text: &[u8], most: usize) -> Result<Found, Error> {
    let tape = json::read(text, json::Limits { documents: &[], bytes: DOCUMENT_BYTES })?;
    let root = Member::root(tape.root());
    if root.node.member("mediaType").is_some() {
        root.of("mediaType")?.says(MANIFEST_TYPE)?;
    }
    match root.of("schemaVersion")?.number()? {
        2 => {}
        other => return Err(invalid(format!("expected 2, found {other}"), "/schemaVersion")),
    }
    let config = descriptor(&root.of("config")?, CONFIG_TYPE)?;
    let layer = descriptor(&root.of("layers")?.only("layer, the module")?, LAYER_TYPE)?;
    if config.bytes > DOCUMENT_BYTES {
        let message = format!("the config of {} bytes is over the limit of {DOCUMENT_BYTES}", config.bytes);
        return Err(Error::new(codes::LIMIT_EXCEEDED, message).at("/config/size"));
    }
    if layer.bytes > most {
        let message = format!("the module of {} bytes is over the limit of {most}", layer.bytes);
        return Err(Error::new(codes::MODULE_TOO_LARGE, message).at("/layers/0/size"));
    }
    Ok(Found { config, layer })
}

fn descriptor(blob: &Member<'_>, media_type: &str) -> Result<Descriptor, Error> {
    blob.of("mediaType")?.says(media_type)?;
    if blob.node.member("urls").is_some_and(|urls| !urls.is_empty()) {
        let message = "it is to be fetched from somewhere else than the registry";
        return Err(invalid(message.to_owned(), &format!("{}/urls", blob.path)));
    }
    let bytes = usize::try_from(blob.of("size")?.number()?).unwrap_or(usize::MAX);
    Ok(Descriptor { digest: blob.of("digest")?.digest()?, bytes })
}

/// Reads a config, and holds it to the layout and to the layer that the manifest has.
///
/// # Errors
///
/// Those of reading JSON, [`codes::MISSING_FIELD`] and [`codes::INVALID_VALUE`].
pub(super) fn read_config(text: &[u8], layer: Digest) -> Result<(), Error> {
    let tape = json::read(text, json::Limits { documents: &[], bytes: DOCUMENT_BYTES })?;
    let root = Member::root(tape.root());
    root.of("architecture")?.says(ARCHITECTURE)?;
    root.of("os")?.says(OS)?;
    let digest = root.of("layerDigests")?.only("digest, the module's")?;
    match digest.digest()? {
        found if found == layer => Ok(()),
        found => Err(invalid(format!("the manifest's layer is `{layer}`, this is `{found}`"), &digest.path)),
    }
}
