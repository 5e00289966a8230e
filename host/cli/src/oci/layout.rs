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

use adjudicate_core::{
    Error, ErrorCode,
    json::{self, Kind, Node},
};
use adjudicate_host::{Digest, Manifest, visible};
use serde::Serialize;

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
/// Those of reading JSON; [`ErrorCode::MissingField`] and [`ErrorCode::InvalidValue`] for what the layout rules out, [`ErrorCode::LimitExceeded`] for a config
/// and [`ErrorCode::ModuleTooLarge`] for a module over its limit.
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
        return Err(Error::new(ErrorCode::LimitExceeded, message).at("/config/size"));
    }
    if layer.bytes > most {
        let message = format!("the module of {} bytes is over the limit of {most}", layer.bytes);
        return Err(Error::new(ErrorCode::ModuleTooLarge, message).at("/layers/0/size"));
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
/// Those of reading JSON, [`ErrorCode::MissingField`] and [`ErrorCode::InvalidValue`].
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

/// A value, and where it stands. Others may stand beside it: the layout lets documents say more.
struct Member<'t> {
    node: Node<'t>,
    path: String,
}

impl<'t> Member<'t> {
    const fn root(node: Node<'t>) -> Self {
        Self { node, path: String::new() }
    }

    fn of(&self, name: &str) -> Result<Self, Error> {
        let path = format!("{}/{name}", self.path);
        if self.node.kind() != Kind::Object {
            return Err(invalid("expected an object".to_owned(), &self.path));
        }
        match self.node.member(name) {
            Some(node) => Ok(Self { node, path }),
            None => Err(Error::new(ErrorCode::MissingField, format!("missing field `{name}`")).at(path)),
        }
    }

    /// The one item of a list.
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

    fn says(&self, expected: &str) -> Result<(), Error> {
        match self.text()? {
            found if found == expected => Ok(()),
            found => Err(invalid(format!("expected `{expected}`, found `{}`", short(found)), &self.path)),
        }
    }

    fn number(&self) -> Result<u64, Error> {
        let number = self.node.as_number().and_then(|number| number.parse().ok());
        number.ok_or_else(|| invalid("expected a whole number".to_owned(), &self.path))
    }

    /// A digest of the one algorithm that every registry has.
    fn digest(&self) -> Result<Digest, Error> {
        let text = self.text()?;
        text.parse().ok().filter(|digest: &Digest| digest.to_string() == text).ok_or_else(|| {
            let message = format!("expected `sha256:` and 64 digits in lower case, found `{}`", short(text));
            invalid(message, &self.path)
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A module of one byte, which nothing here looks into.
    const MODULE: &[u8] = b"m";

    fn artifact() -> Artifact {
        let about =
            r#"{"abi":1,"name":"strict","version":"1.2.0","license":"MIT","operations":["evaluate"]}"#;
        Artifact::of(MODULE, &Manifest::parse(about.as_bytes()).unwrap())
    }

    #[test]
    fn a_module_has_one_manifest_to_the_byte() {
        let artifact = artifact();
        let layer = Digest::of(MODULE);
        let config = format!(
            r#"{{"created":"1970-01-01T00:00:00Z","architecture":"wasm","os":"wasip1","layerDigests":["{layer}"]}}"#
        );
        assert_eq!(String::from_utf8(artifact.config).unwrap(), config);
        let manifest = format!(
            r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{{"mediaType":"application/vnd.wasm.config.v0+json","digest":"{}","size":{}}},"layers":[{{"mediaType":"application/wasm","digest":"{layer}","size":1}}],"annotations":{{"org.opencontainers.image.licenses":"MIT","org.opencontainers.image.title":"strict","org.opencontainers.image.version":"1.2.0"}}}}"#,
            Digest::of(config.as_bytes()),
            config.len()
        );
        assert_eq!(String::from_utf8(artifact.manifest).unwrap(), manifest);
    }

    #[test]
    fn what_is_written_is_read_and_may_say_more() {
        let artifact = artifact();
        let found = read_manifest(&artifact.manifest, 1).unwrap();
        assert_eq!(found.layer, Descriptor { digest: Digest::of(MODULE), bytes: 1 });
        assert_eq!(found.config.digest, Digest::of(&artifact.config));
        read_config(&artifact.config, found.layer.digest).unwrap();
        let text = String::from_utf8(artifact.manifest).unwrap();
        let more = text.replacen('{', r#"{"artifactType":"a/b","subject":{"x":null},"#, 1);
        let less = more.replacen(r#""mediaType":"application/vnd.oci.image.manifest.v1+json","#, "", 1);
        for text in [more, less] {
            assert_eq!(read_manifest(text.as_bytes(), 1).unwrap(), found, "{text}");
        }
    }

    #[test]
    fn manifests_that_break_the_layout_are_refused_at_the_member() {
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
    fn configs_that_break_the_layout_are_refused_at_the_member() {
        let text = String::from_utf8(artifact().config).unwrap();
        let digest = Digest::of(MODULE).to_string();
        let cases = [
            (r#""wasm""#, r#""amd64""#, "/architecture"),
            ("wasip1", "wasip2", "/os"),
            ("wasip1", "linux", "/os"),
            (&digest, &Digest::of(b"").to_string(), "/layerDigests/0"),
            (&digest, "", "/layerDigests/0"),
            (&format!(r#""{digest}""#), "", "/layerDigests"),
            (r#""layerDigests""#, r#""rootfs""#, "/layerDigests"),
        ];
        for (from, to, path) in cases {
            let broken = text.replacen(from, to, 1);
            assert_ne!(broken, text, "{from}");
            let error = read_config(broken.as_bytes(), Digest::of(MODULE)).unwrap_err();
            assert_eq!(error.path(), path, "{to}: {error}");
        }
    }

    #[test]
    fn a_config_is_not_larger_than_any_config() {
        let text = String::from_utf8(artifact().manifest).unwrap();
        let size = format!(r#""size":{}"#, artifact().config.len());
        let large = text.replacen(&size, r#""size":99999999"#, 1);
        let error = read_manifest(large.as_bytes(), 1).unwrap_err();
        assert_eq!((error.code(), error.path()), (ErrorCode::LimitExceeded, "/config/size"));
    }
}
