//! The manifest: what a module says of itself, in a custom section that is read without running anything.
//!
//! Owns the section's name, its JSON form and its strict reading. Does not compare the manifest with the module's
//! exports: that is a check of the whole module.

mod checked;
mod name;
pub(crate) mod section;

use adjudicate_core::{Error, Operation, json};
use semver::Version;
use serde::{Deserialize, Serialize, de::IgnoredAny};

use crate::{codes, digest::Digest};

pub use name::{are_digits, check_module_name};
pub use section::{append, leb128, read};

/// The name of the custom section.
pub const SECTION: &str = "adjudicate.manifest";

/// How many bytes the manifest may have: 256 KiB, so that there is room for tests.
pub const MAX_BYTES: usize = 256 << 10;

/// The major version of the binary interface that this host speaks.
pub const ABI: u32 = 1;

/// What a module says of itself (SPEC section 13.1).
///
/// ```
/// use adjudicate_sandbox::Manifest;
/// let manifest = Manifest::parse(br#"{"abi": 1, "name": "strict", "version": "1.2.0", "operations": ["evaluate"]}"#)?;
/// assert_eq!((manifest.name.as_str(), manifest.version.minor), ("strict", 2));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Manifest {
    /// The major version of the interface, which is [`ABI`].
    #[serde(deserialize_with = "checked::abi")]
    pub abi: u32,
    /// The module's name, for people; it identifies nothing. It does not look like a digest or an option: [`check_module_name`].
    #[serde(deserialize_with = "checked::module_name")]
    pub name: String,
    /// The module's version.
    #[serde(deserialize_with = "checked::version")]
    pub version: Version,
    /// What the module is for.
    pub description: Option<String>,
    /// The module's licence.
    pub license: Option<String>,
    /// The operations it offers, at least one, each once.
    #[serde(deserialize_with = "checked::operations")]
    pub operations: Vec<Operation>,
    /// The engine it is built on, if it says so.
    pub engine: Option<EngineLabel>,
    /// The policy that is baked into it, if one is.
    pub policy: Option<PolicyLabel>,
    /// What it needs of a host.
    pub limits: Option<Needs>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
    #[serde(skip)]
    text: String,
}

/// The engine that a module is built on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct EngineLabel {
    /// The engine's name.
    #[serde(deserialize_with = "checked::name")]
    pub name: String,
    /// The engine's version.
    #[serde(deserialize_with = "checked::version")]
    pub version: Version,
}

/// The policy document that is baked into a module.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct PolicyLabel {
    /// The policy's name.
    #[serde(deserialize_with = "checked::name")]
    pub name: String,
    /// The policy's version.
    #[serde(deserialize_with = "checked::version")]
    pub version: Version,
    /// The digest of the document.
    #[serde(deserialize_with = "checked::digest")]
    pub digest: Digest,
    /// The ids of its rules.
    pub rules: Vec<String>,
}

/// What a module needs of a host, where it says so. A host whose limits are below does not load it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
pub struct Needs {
    /// Fuel for one call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// Bytes of linear memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Bytes of input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_bytes: Option<u64>,
    /// Bytes of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
}

impl Manifest {
    /// Reads a manifest's JSON, by the rules of all documents: unknown members are refused unless their name
    /// begins with `x-`, as are repeated keys and null.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_MANIFEST`], with the path of the member at fault.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let limits = json::Limits { documents: &[], bytes: MAX_BYTES };
        let manifest = json::read(bytes, limits).and_then(|tape| {
            let manifest: Self = tape.decode()?;
            Ok(Self { text: tape.text().to_owned(), ..manifest })
        });
        manifest.map_err(|error| refusal(error.message(), error.path()))
    }

    /// The JSON as the module holds it, with its `x-` members.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// A manifest's refusal; `path` points into the manifest.
pub(crate) fn refusal(message: &str, path: &str) -> Error {
    Error::new(codes::MODULE_MANIFEST, format!("manifest: {message}")).at(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = r#"{"abi": 1, "name": "n", "version": "1.2.3-rc.1", "description": "", "license": "MIT",
        "operations": ["evaluate"], "engine": {"name": "adjudicate", "version": "0.1.0", "x-commit": "abc"},
        "policy": {"name": "p", "version": "1.0.0", "rules": ["r"],
            "digest": "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        "limits": {"fuel": 5, "memory_bytes": 65536}, "x-home": {"any": [null]},
        "$schema": "https://example.com/manifest.json"}"#;

    #[test]
    fn a_full_manifest_is_read() {
        let manifest = Manifest::parse(FULL.as_bytes()).unwrap();
        assert_eq!(manifest.operations, [Operation::Evaluate]);
        assert_eq!(
            manifest.policy.as_ref().map(|policy| policy.rules.as_slice()),
            Some(&["r".to_owned()][..])
        );
        assert_eq!(manifest.limits.map(|limits| (limits.fuel, limits.output_bytes)), Some((Some(5), None)));
        assert_eq!(manifest.text(), FULL);
    }

    #[test]
    fn each_fault_is_named_where_it_is() {
        for (from, to, path) in [
            (r#""abi": 1"#, r#""abi": 2"#, "/abi"),
            (r#""abi": 1"#, r#""abi": 1.0"#, "/abi"),
            (r#""abi": 1,"#, "", "/abi"),
            (r#""name": "n""#, r#""name": """#, "/name"),
            (r#""name": "n""#, r#""name": null"#, "/name"),
            (r#""name": "n""#, r#""name": "-n""#, "/name"),
            (r#""name": "n""#, r#""name": "sha256:deadbeef""#, "/name"),
            (r#""name": "n""#, r#""nmae": "n""#, "/nmae"),
            ("1.2.3-rc.1", "1.2", "/version"),
            (r#""license": "MIT""#, r#""license": 1"#, "/license"),
            (r#"["evaluate"]"#, "[]", "/operations"),
            (r#"["evaluate"]"#, r#""evaluate""#, "/operations"),
            (r#"["evaluate"]"#, r#"["evaluate", "evaluate"]"#, "/operations"),
            (r#"["evaluate"]"#, r#"["evalute"]"#, "/operations/0"),
            (r#"["evaluate"]"#, "[1]", "/operations/0"),
            (r#""version": "0.1.0""#, r#""version": "x""#, "/engine/version"),
            ("x-commit", "commit", "/engine/commit"),
            ("sha256:e3", "sha256:", "/policy/digest"),
            (r#""rules": ["r"],"#, "", "/policy/rules"),
            (r#""fuel": 5"#, r#""fuel": -5"#, "/limits/fuel"),
            (r#""fuel": 5"#, r#""fuel": 99999999999999999999"#, "/limits/fuel"),
            (r#""limits": {"fuel": 5, "memory_bytes": 65536}"#, r#""limits": []"#, "/limits"),
            (r#""abi": 1"#, r#""abi": 1, "abi": 1"#, "/abi"),
        ] {
            let text = FULL.replacen(from, to, 1);
            assert_ne!(text, FULL, "{from}");
            let error = Manifest::parse(text.as_bytes()).unwrap_err();
            assert_eq!((error.code(), error.path()), (codes::MODULE_MANIFEST, path), "{error}");
        }
        for garbage in [&b""[..], b"{", b"[]", b"null", b"\xff", &vec![b' '; MAX_BYTES + 1]] {
            assert_eq!(Manifest::parse(garbage).unwrap_err().code(), codes::MODULE_MANIFEST);
        }
    }
}
