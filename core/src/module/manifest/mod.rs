//! The manifest of a module: a custom section that hosts read without running anything.
//!
//! Owns the section's name, its JSON form and its strict reader, for every host. Does not find the section in a module.

mod name;
mod tests_field;
mod values;

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, Document, OwnedId},
    json,
};
use serde::Serialize;

use super::Digest;
use crate::codes;

pub use name::{ModuleName, are_digits, check_module_name};
pub use tests_field::{MAX_TESTS, TESTS};
pub use values::{Abi, ModuleVersion, OperationList};

/// The name of the custom section.
pub const SECTION: &str = "adjudicate.manifest";

/// Largest size of a manifest: 256 KiB, which leaves space for tests.
pub const MAX_BYTES: usize = 256 << 10;

/// The major version of the binary interface that this host supports.
pub const ABI: u32 = 1;

/// The manifest of a module (docs/reference/modules.md).
///
/// ```
/// use adjudicate_core::module::Manifest;
/// let manifest = Manifest::parse(br#"{"abi": 1, "name": "strict", "version": "1.2.0", "operations": ["evaluate"]}"#)?;
/// assert_eq!((&*manifest.name, manifest.version.minor), ("strict", 2));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Document)]
#[document(expecting = "an object", root)]
pub struct Manifest {
    /// The major version of the interface.
    pub abi: Abi,
    /// The module's name, for humans. Two modules may have the same name.
    pub name: ModuleName,
    /// The module's version.
    pub version: ModuleVersion,
    /// The purpose of the module.
    pub description: Option<String>,
    /// The module's license.
    pub license: Option<String>,
    /// The operations of the module: at least one, each once.
    pub operations: OperationList,
    /// The engine that the module contains, if any.
    pub engine: Option<EngineLabel>,
    /// The policy that is embedded in the module, if any.
    pub policy: Option<PolicyLabel>,
    /// The needs of the module.
    pub limits: Option<ModuleNeeds>,
    #[serde(skip)]
    text: String,
}

/// The engine that a module is built on.
#[derive(Clone, Debug, PartialEq, Eq, Document)]
#[document(expecting = "an object")]
pub struct EngineLabel {
    /// The engine's name.
    pub name: OwnedId,
    /// The engine's version.
    pub version: ModuleVersion,
}

/// The policy document that is baked into a module.
#[derive(Clone, Debug, PartialEq, Eq, Document)]
#[document(expecting = "an object")]
pub struct PolicyLabel {
    /// The policy's name.
    pub name: OwnedId,
    /// The policy's version.
    pub version: ModuleVersion,
    /// The digest of the document.
    pub digest: Digest,
    /// The ids of its rules.
    pub rules: Vec<String>,
}

/// The needs of a module. A host with lower limits does not load it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object")]
pub struct ModuleNeeds {
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
    /// Parses a manifest by the rules of all documents. Repeated keys, null and unknown fields are errors, except fields whose
    /// names begin with `x-`.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_MANIFEST`] with the path of the wrong field.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let limits = json::ReadLimits { documents: &[], bytes: MAX_BYTES };
        let manifest = json::read(bytes, limits).and_then(|tape| {
            let manifest: Self = document::read(tape.root())?;
            Ok(Self { text: tape.text().to_owned(), ..manifest })
        });
        manifest.map_err(|error| error.map_all(&|error| refusal(error.message(), error.path())))
    }

    /// The JSON as the module has it, with its `x-` fields.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The error for a wrong manifest; `path` is relative to the manifest.
#[must_use]
pub fn refusal(message: &str, path: &str) -> Error {
    Error::new(codes::MODULE_MANIFEST, format!("manifest: {message}")).at(path)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use crate::Operation;

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
        assert_eq!(*manifest.operations, [Operation::Evaluate]);
        assert_eq!(
            manifest.policy.as_ref().map(|policy| policy.rules.as_slice()),
            Some(&["r".to_owned()][..])
        );
        assert_eq!(manifest.limits.map(|limits| (limits.fuel, limits.output_bytes)), Some((Some(5), None)));
        assert_eq!(manifest.text(), FULL);
    }

    #[test]
    fn each_fault_has_its_path() {
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
            (r#""name": "adjudicate""#, r#""name": """#, "/engine/name"),
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

    #[test]
    fn each_fault_is_reported() {
        let error =
            Manifest::parse(br#"{"abi": 2, "name": "-n", "version": "1", "operations": []}"#).unwrap_err();
        let faults: Vec<_> = error.all().map(|error| (error.code(), error.message(), error.path())).collect();
        let expected = [
            ("manifest: this host speaks version `1` only, found `2`", "/abi"),
            ("manifest: a module's name does not begin with `-`, as options do", "/name"),
            ("manifest: expected a version such as `1.2.0`, found `1`", "/version"),
            ("manifest: expected at least one operation", "/operations"),
        ];
        assert_eq!(faults, expected.map(|(message, path)| (codes::MODULE_MANIFEST, message, path)));
    }
}
