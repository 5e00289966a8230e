//! What a baked module says of itself: its manifest, with the policy's label and tests.

use std::borrow::Cow;

use adjudicate_core::{Error, is_hidden, policy::Test};
use semver::Version;
use serde::Serialize;

use crate::{
    carried::Carried,
    codes,
    inspect::Inspection,
    manifest::{ABI, MAX_BYTES, Needs, check_module_name},
};

/// What a baked module says of itself where the policy's own words are not to be used.
///
/// ```
/// use adjudicate_sandbox::ModuleLabel;
/// let label = ModuleLabel { name: Some("release-gate".into()), ..ModuleLabel::default() };
/// assert_eq!(label.version, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModuleLabel {
    /// The module's name, instead of the policy's.
    pub name: Option<String>,
    /// The module's version, instead of the policy's.
    pub version: Option<Version>,
    /// What it is for, instead of the policy's description.
    pub description: Option<String>,
    /// The licence of the policy. The engine's is not taken over: it is not the policy's.
    pub license: Option<String>,
}

/// How long a module's name may be.
const MAX_NAME: usize = 256;

/// The manifest, in the order of its members.
#[derive(Serialize)]
struct Written<'a> {
    abi: u32,
    name: &'a str,
    version: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<&'a str>,
    operations: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<WrittenEngine<'a>>,
    policy: WrittenPolicy<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<Needs>,
}

#[derive(Serialize)]
struct WrittenEngine<'a> {
    name: &'a str,
    version: String,
    /// Which engine exactly.
    #[serde(rename = "x-digest")]
    digest: String,
}

#[derive(Serialize)]
struct WrittenPolicy<'a> {
    name: &'a str,
    version: &'a str,
    digest: String,
    rules: Vec<&'a str>,
}

impl ModuleLabel {
    /// The manifest of the policy, baked into an engine.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for a name that is empty, too long or not what it looks like;
    /// [`codes::LIMIT_EXCEEDED`] for a manifest that is too long.
    pub(super) fn manifest(&self, document: &Carried, engine: &Inspection) -> Result<String, Error> {
        let policy = document.policy();
        let name = self.name.as_deref().unwrap_or(policy.name());
        // The document has a place that can be named.
        check_name(name).map_err(|error| if self.name.is_some() { error } else { error.at("/policy") })?;
        let written = Written {
            abi: ABI,
            name,
            version: self
                .version
                .as_ref()
                .map_or_else(|| policy.version().into(), |version| version.to_string().into()),
            description: self.description.as_deref().or(document.description()),
            license: self.license.as_deref(),
            operations: engine.manifest.operations.iter().map(|operation| operation.name()).collect(),
            engine: engine.manifest.engine.as_ref().map(|label| WrittenEngine {
                name: &label.name,
                version: label.version.to_string(),
                digest: engine.digest.to_string(),
            }),
            policy: WrittenPolicy {
                name: policy.name(),
                version: policy.version(),
                digest: document.digest().to_string(),
                rules: document.rules().collect(),
            },
            limits: engine.manifest.limits,
        };
        let mut text = serde_json::to_string(&written).map_err(|error| fault(&error))?;
        let untested = text.len();
        add_tests(&mut text, policy.tests())?;
        if text.len() <= MAX_BYTES {
            return Ok(text);
        }
        let rules = written.policy.rules.iter().map(|id| id.len()).sum();
        Err(self.too_long(text.len(), &written, rules, text.len() - untested))
    }

    /// That a manifest is too long, at what is longest of it.
    fn too_long(&self, bytes: usize, written: &Written<'_>, rules: usize, tests: usize) -> Error {
        let description = written.description.map_or(0, str::len);
        // What was said beside the document has no place in it.
        let at_description = if self.description.is_some() { "" } else { "/description" };
        let parts = [
            (rules, "/rules", "it holds their ids: give them shorter ones"),
            (tests, "/tests", "keep tests in a file of cases instead"),
            (description, at_description, "shorten the description"),
            (self.license.as_ref().map_or(0, String::len), "", "shorten the licence"),
        ];
        let longest = parts.into_iter().max_by_key(|(bytes, ..)| *bytes);
        let (_, path, advice) = longest.unwrap_or_default();
        let message = format!("the manifest would have {bytes} bytes; the limit is {MAX_BYTES}; {advice}");
        Error::new(codes::LIMIT_EXCEEDED, message).at(path)
    }
}

/// Adds tests to the text of an object. Their parts are JSON already.
fn add_tests(object: &mut String, tests: &[Test]) -> Result<(), Error> {
    if tests.is_empty() {
        return Ok(());
    }
    object.pop();
    for (place, test) in tests.iter().enumerate() {
        object.push_str(if place == 0 { r#","x-tests":["# } else { "," });
        let name = serde_json::to_string(test.name()).map_err(|error| fault(&error))?;
        let (input, expect) = (test.input(), test.expect());
        object.push_str(&format!(r#"{{"name":{name},"input":{input},"expect":{expect}}}"#));
    }
    object.push_str("]}");
    Ok(())
}

/// Refuses names that a module cannot be found by, or that do not look like what they are.
fn check_name(name: &str) -> Result<(), Error> {
    check_module_name(name)?;
    if !name.trim().is_empty() && name.len() <= MAX_NAME && !name.chars().any(is_hidden) {
        return Ok(());
    }
    let message = format!(
        "a module is called by 1 to {MAX_NAME} bytes of visible text; give it another name than the policy's"
    );
    Err(Error::new(codes::WRONG_USAGE, message))
}

/// That what the core wrote cannot be written on, which would be our own fault.
fn fault(error: &serde_json::Error) -> Error {
    Error::new(codes::HOST_FAULT, format!("the manifest cannot be written: {error}"))
}
