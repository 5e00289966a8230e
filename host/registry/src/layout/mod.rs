//! The form of a module in a registry: the Wasm OCI artifact layout of CNCF's TAG Runtime, for core modules.
//!
//! ```text
//! manifest (application/vnd.oci.image.manifest.v1+json)
//!   config -> application/vnd.wasm.config.v0+json: architecture `wasm`, os `wasip1`, the digest of the layer
//!   layers -> one, application/wasm: the module
//! ```
//!
//! Owns the documents: writes those of a module, and checks those of a registry. Does no I/O.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use adjudicate_core::{
    Error,
    json::{self, Kind, Node},
};
use adjudicate_trust::{Digest, Manifest, codes, visible};
use serde::Serialize;

/// The media types of a manifest, of its config and of its layer.
pub(super) const MANIFEST_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG_TYPE: &str = "application/vnd.wasm.config.v0+json";
const LAYER_TYPE: &str = "application/wasm";

/// The limit for a manifest and for a config. Those of the layout have less than 2 KiB.
pub(super) const DOCUMENT_BYTES: usize = 1 << 20;

const ARCHITECTURE: &str = "wasm";
/// The `os` of a core module, with any imports.
const OS: &str = "wasip1";
/// The time that the layout requires. It is constant, so that a module always has the same manifest.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// The documents that are pushed with a module.
#[derive(Debug)]
pub(super) struct Artifact {
    pub(super) manifest: Vec<u8>,
    pub(super) config: Vec<u8>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManifestJson<'a> {
    schema_version: u8,
    media_type: &'a str,
    config: BlobJson<'a>,
    layers: [BlobJson<'a>; 1],
    annotations: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BlobJson<'a> {
    media_type: &'a str,
    digest: Digest,
    size: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConfigJson<'a> {
    created: &'a str,
    architecture: &'a str,
    os: &'a str,
    layer_digests: [Digest; 1],
}

impl Artifact {
    /// Returns the documents for a module. The same module gives the same bytes.
    pub(super) fn new(module: &[u8], about: &Manifest) -> Self {
        let digest = Digest::sha256(module);
        let config = json::write(&ConfigJson {
            created: CREATED,
            architecture: ARCHITECTURE,
            os: OS,
            layer_digests: [digest],
        });
        let value = [
            ("org.opencontainers.image.title", Some(about.name.to_string())),
            ("org.opencontainers.image.version", Some(about.version.to_string())),
            ("org.opencontainers.image.description", about.description.clone()),
            ("org.opencontainers.image.licenses", about.license.clone()),
        ];
        let annotations = value.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let manifest = json::write(&ManifestJson {
            schema_version: 2,
            media_type: MANIFEST_TYPE,
            config: BlobJson {
                media_type: CONFIG_TYPE,
                digest: Digest::sha256(config.as_bytes()),
                size: config.len(),
            },
            layers: [BlobJson { media_type: LAYER_TYPE, digest, size: module.len() }],
            annotations: annotations.collect(),
        });
        Self { manifest: manifest.into_bytes(), config: config.into_bytes() }
    }
}

/// The digest and size of a blob, by the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub(super) digest: Digest,
    pub(super) bytes: usize,
}

/// The config and module of a manifest with the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModuleManifest {
    pub(super) config: Descriptor,
    pub(super) layer: Descriptor,
}

/// Reads a manifest, and checks the layout and the limit for modules.
///
/// # Errors
///
/// Those of reading JSON; [`codes::MISSING_FIELD`] and [`codes::INVALID_VALUE`] for violations of the layout, [`codes::LIMIT_EXCEEDED`] for a config
/// and [`codes::MODULE_TOO_LARGE`] for a module over its limit.
pub(super) fn read_manifest(text: &[u8], most: usize) -> Result<ModuleManifest, Error> {
    let tape = json::read(text, json::ReadLimits { documents: &[], bytes: DOCUMENT_BYTES })?;
    let root = Field::root(tape.root());
    if root.node.member("mediaType").is_some() {
        root.field("mediaType")?.expect_text(MANIFEST_TYPE)?;
    }
    match root.field("schemaVersion")?.number()? {
        2 => {}
        other => return Err(invalid(format!("expected 2, found {other}"), "/schemaVersion")),
    }
    let config = descriptor(&root.field("config")?, CONFIG_TYPE)?;
    let layer = descriptor(&root.field("layers")?.only("layer, the module")?, LAYER_TYPE)?;
    if config.bytes > DOCUMENT_BYTES {
        let message = format!("the config of {} bytes is over the limit of {DOCUMENT_BYTES}", config.bytes);
        return Err(Error::new(codes::LIMIT_EXCEEDED, message).at("/config/size"));
    }
    if layer.bytes > most {
        let message = format!("the module of {} bytes is over the limit of {most}", layer.bytes);
        return Err(Error::new(codes::MODULE_TOO_LARGE, message).at("/layers/0/size"));
    }
    Ok(ModuleManifest { config, layer })
}

fn descriptor(blob: &Field<'_>, media_type: &str) -> Result<Descriptor, Error> {
    blob.field("mediaType")?.expect_text(media_type)?;
    if blob.node.member("urls").is_some_and(|urls| !urls.is_empty()) {
        let message = "the blob has `urls`, and must be in the registry itself";
        return Err(invalid(message.to_owned(), &format!("{}/urls", blob.path)));
    }
    let bytes = usize::try_from(blob.field("size")?.number()?).unwrap_or(usize::MAX);
    Ok(Descriptor { digest: blob.field("digest")?.digest()?, bytes })
}

/// Reads a config, and checks the layout and the digest of the layer in the manifest.
///
/// # Errors
///
/// Those of reading JSON, [`codes::MISSING_FIELD`] and [`codes::INVALID_VALUE`].
pub(super) fn read_config(text: &[u8], layer: Digest) -> Result<(), Error> {
    let tape = json::read(text, json::ReadLimits { documents: &[], bytes: DOCUMENT_BYTES })?;
    let root = Field::root(tape.root());
    root.field("architecture")?.expect_text(ARCHITECTURE)?;
    root.field("os")?.expect_text(OS)?;
    let digest = root.field("layerDigests")?.only("digest, the module's")?;
    match digest.digest()? {
        found if found == layer => Ok(()),
        found => Err(invalid(
            format!("expected the digest of the manifest's layer, `{layer}`, found `{found}`"),
            &digest.path,
        )),
    }
}

/// A value and its path. Unknown fields are allowed: the layout lets documents have more.
struct Field<'t> {
    node: Node<'t>,
    path: String,
}

impl<'t> Field<'t> {
    const fn root(node: Node<'t>) -> Self {
        Self { node, path: String::new() }
    }

    fn field(&self, name: &str) -> Result<Self, Error> {
        let path = format!("{}/{name}", self.path);
        if self.node.kind() != Kind::Object {
            return Err(invalid("expected an object".to_owned(), &self.path));
        }
        match self.node.member(name) {
            Some(node) => Ok(Self { node, path }),
            None => Err(Error::new(codes::MISSING_FIELD, format!("missing field `{name}`")).at(path)),
        }
    }

    /// Returns the only item of a list.
    fn only(&self, what: &str) -> Result<Self, Error> {
        let refusal = |found: &str| Err(invalid(format!("expected one {what}, found {found}"), &self.path));
        if self.node.kind() != Kind::Array {
            return refusal("no list");
        }
        match (self.node.items().next(), self.node.len()) {
            (Some(node), 1) => Ok(Self { node, path: format!("{}/0", self.path) }),
            (_, count) => refusal(&count.to_string()),
        }
    }

    fn text(&self) -> Result<&'t str, Error> {
        self.node.as_str().ok_or_else(|| invalid("expected a string".to_owned(), &self.path))
    }

    fn expect_text(&self, expected: &str) -> Result<(), Error> {
        match self.text()? {
            found if found == expected => Ok(()),
            found => Err(invalid(format!("expected `{expected}`, found `{}`", short(found)), &self.path)),
        }
    }

    fn number(&self) -> Result<u64, Error> {
        let number = self.node.as_number().and_then(|number| number.parse().ok());
        number.ok_or_else(|| invalid("expected a whole number".to_owned(), &self.path))
    }

    /// Returns a SHA-256 digest, which every registry supports.
    fn digest(&self) -> Result<Digest, Error> {
        let text = self.text()?;
        text.parse().ok().filter(|digest: &Digest| digest.to_string() == text).ok_or_else(|| {
            let message =
                format!("expected `sha256:` and 64 lower-case hexadecimal digits, found `{}`", short(text));
            invalid(message, &self.path)
        })
    }
}

/// Returns the error for a value that the layout does not allow.
fn invalid(message: String, path: &str) -> Error {
    Error::new(codes::INVALID_VALUE, message).at(path)
}

/// Returns the text of a registry in a form for messages.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 200;
    let cut: String = text.chars().take(LONGEST).collect();
    let rest = if cut.len() < text.len() { "..." } else { "" };
    visible(&cut) + rest
}
