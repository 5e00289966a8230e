//! The manifest of a baked module, with the policy's label and tests. The tests must have the same meaning in a module.

use std::borrow::Cow;

use adjudicate_core::{Error, is_hidden, json, policy::Test};
use semver::Version;
use serde::Serialize;

use crate::{
    codes,
    embedded_policy::EmbeddedPolicy,
    inspect::Inspection,
    manifest::{ABI, MAX_BYTES, MAX_TESTS, ModuleNeeds, check_module_name},
};

/// Fields of the manifest that replace those of the policy.
///
/// ```
/// use adjudicate_sandbox::ModuleLabel;
/// let label = ModuleLabel { name: Some("release-gate".into()), ..ModuleLabel::default() };
/// assert_eq!(label.version, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleLabel {
    /// The module's name, instead of the policy's name.
    pub name: Option<String>,
    /// The module's version, instead of the policy's version.
    pub version: Option<Version>,
    /// The module's description, instead of the policy's description.
    pub description: Option<String>,
    /// The license of the policy. The license of the engine is not used, because it does not apply to the policy.
    pub license: Option<String>,
}

/// The longest name of a module, in bytes.
const MAX_NAME: usize = 256;

/// The manifest, in the order of its fields.
#[derive(Serialize)]
struct ManifestJson<'a> {
    abi: u32,
    name: &'a str,
    version: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<&'a str>,
    operations: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<EngineJson<'a>>,
    policy: PolicyJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<ModuleNeeds>,
}

#[derive(Serialize)]
struct EngineJson<'a> {
    name: &'a str,
    version: String,
    /// The digest of the engine.
    #[serde(rename = "x-digest")]
    digest: String,
}

#[derive(Serialize)]
struct PolicyJson<'a> {
    name: &'a str,
    version: &'a str,
    digest: String,
    rules: Vec<&'a str>,
}

impl ModuleLabel {
    /// Writes the manifest of the policy, baked into an engine.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for a name that is empty, too long or has invisible characters; [`codes::LIMIT_EXCEEDED`] for a
    /// manifest that is too long.
    pub(super) fn manifest(&self, document: &EmbeddedPolicy, engine: &Inspection) -> Result<String, Error> {
        let policy = document.policy();
        let name = self.name.as_deref().unwrap_or(policy.name());
        // A name from the document has a path in it.
        check_name(name).map_err(|error| if self.name.is_some() { error } else { error.at("/policy") })?;
        let written = ManifestJson {
            abi: ABI,
            name,
            version: self
                .version
                .as_ref()
                .map_or_else(|| policy.version().into(), |version| version.to_string().into()),
            description: self.description.as_deref().or(document.description()),
            license: self.license.as_deref(),
            operations: engine.manifest.operations.iter().map(|operation| operation.name()).collect(),
            engine: engine.manifest.engine.as_ref().map(|label| EngineJson {
                name: &label.name.0,
                version: label.version.to_string(),
                digest: engine.digest.to_string(),
            }),
            policy: PolicyJson {
                name: policy.name(),
                version: policy.version(),
                digest: document.digest().to_string(),
                rules: document.rules().collect(),
            },
            limits: engine.manifest.limits,
        };
        let mut text = serde_json::to_string(&written).map_err(fault)?;
        let untested = text.len();
        add_tests(&mut text, policy.tests())?;
        if text.len() <= MAX_BYTES {
            return Ok(text);
        }
        let rules = written.policy.rules.iter().map(|id| id.len()).sum();
        Err(self.too_long(text.len(), &written, rules, text.len() - untested))
    }

    /// The error for a manifest that is too long, at its longest part.
    fn too_long(&self, bytes: usize, written: &ManifestJson<'_>, rules: usize, tests: usize) -> Error {
        let description = written.description.map_or(0, str::len);
        // A description that replaces the document's has no path in the document.
        let at_description = if self.description.is_some() { "" } else { "/description" };
        let parts = [
            (rules, "/rules", "it holds their ids: give them shorter ones"),
            (tests, "/tests", "keep tests in a file of cases instead"),
            (description, at_description, "shorten the description"),
            (self.license.as_ref().map_or(0, String::len), "", "shorten the license"),
        ];
        let longest = parts.into_iter().max_by_key(|(bytes, ..)| *bytes);
        let (_, path, advice) = longest.unwrap_or_default();
        let message = format!("the manifest would have {bytes} bytes; the limit is {MAX_BYTES}; {advice}");
        Error::new(codes::LIMIT_EXCEEDED, message).at(path)
    }
}

/// Adds tests to the text of an object. Their parts are already JSON.
fn add_tests(object: &mut String, tests: &[Test]) -> Result<(), Error> {
    if tests.is_empty() {
        return Ok(());
    }
    object.pop();
    for (place, test) in tests.iter().enumerate() {
        object.push_str(if place == 0 { r#","x-tests":["# } else { "," });
        let name = serde_json::to_string(test.name()).map_err(fault)?;
        let (input, expect) = (test.input(), test.expect());
        object.push_str(&format!(r#"{{"name":{name},"input":{input},"expect":{expect}}}"#));
    }
    object.push_str("]}");
    Ok(())
}

/// Rejects names that look empty, are too long, or have invisible characters.
fn check_name(name: &str) -> Result<(), Error> {
    check_module_name(name)?;
    if !name.trim().is_empty() && name.len() <= MAX_NAME && !name.chars().any(is_hidden) {
        return Ok(());
    }
    let message =
        format!("the name of a module must be 1 to {MAX_NAME} bytes of visible text; choose another name");
    Err(Error::new(codes::WRONG_USAGE, message))
}

/// The error for a manifest that cannot be written, which is a defect of the host.
fn fault(error: serde_json::Error) -> Error {
    Error::caused_by(codes::HOST_FAULT, "the manifest cannot be written", error)
}

/// Rejects tests that cannot be tests of a module.
///
/// The input of a policy's test is an envelope. The input of a module's test is a call of `evaluate`: an envelope, or an object
/// with the field `envelope`. So a policy's test with an input that has this field would have another meaning.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] for too many tests; [`codes::INVALID_POLICY`] for a test with another meaning, or one that cannot
/// fail.
pub(super) fn check_tests(document: &EmbeddedPolicy) -> Result<(), Error> {
    let tests = document.policy().tests();
    if tests.len() > MAX_TESTS {
        let message = format!(
            "the policy has {} tests, the limit for a module is {MAX_TESTS}; move further tests to a file of cases",
            tests.len()
        );
        return Err(Error::new(codes::LIMIT_EXCEEDED, message).at("/tests"));
    }
    for (place, test) in tests.iter().enumerate() {
        let refusal = |message: &'static str, member: &str| {
            Err(Error::new(codes::INVALID_POLICY, message).at(format!("/tests/{place}/{member}")))
        };
        if test.expects_nothing() {
            return refusal(
                "an `expect` of empty objects accepts any answer, so this test cannot fail",
                "expect",
            );
        }
        let input = json::read(test.input().as_bytes(), json::ReadLimits::DOCUMENT)?;
        if input.root().member("envelope").is_some() {
            let message = "a module would take this for a call with its envelope inside, which is another test; \
                           leave it to a file of cases";
            return refusal(message, "input/envelope");
        }
    }
    Ok(())
}
