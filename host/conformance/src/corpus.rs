//! The corpus for hosts: hostile and unusual modules, each with the expected outcome.
//!
//! The modules are WebAssembly scripts in `hostile`. `generated` builds those that are mostly repetition. `cases.json` has the
//! expected outcomes; the README next to it describes the format.

use std::{borrow::Cow, collections::BTreeMap, error};

use adjudicate_core::{
    Error, Operation,
    document::{Describe, Type},
    json::Nullable,
};
use adjudicate_sandbox::{Limits, OwnLimits, codes};
use serde::{Deserialize, Serialize};

use crate::generated;

/// The assembled modules: the file, the name and the bytes of each.
static MODULES: &[(&str, &str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/hostile.rs"));

/// The text of `cases.json`.
const CASES: &str = include_str!("../hostile/cases.json");

/// The corpus for hosts.
///
/// ```
/// use adjudicate_conformance::{Corpus, ExpectedOutcome};
/// let corpus = Corpus::read()?;
/// let case = corpus.cases().iter().find(|case| case.name == "infinite-loop").ok_or("no such case")?;
/// assert_eq!(case.outcome, ExpectedOutcome::Call("module_out_of_fuel".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Corpus {
    document: Document,
}

/// The content of `cases.json`, as it is exported.
#[derive(Clone, Debug, Deserialize, Describe, Serialize)]
#[document(name = "ConformanceCases")]
#[serde(deny_unknown_fields)]
struct Document {
    /// The version of the format: 1.
    #[document(schema = r#"{"const": 1}"#)]
    format: u32,
    /// The purpose of the file.
    about: String,
    /// Capabilities in which hosts differ, each with its meaning. Cases have the outcomes without them.
    capabilities: BTreeMap<String, String>,
    /// The limits of a case that has no others.
    limits: OwnLimits,
    /// The operation of a case that names no other.
    #[document(described = "Operation")]
    operation: String,
    /// The text of the input of a case that has no other.
    input: String,
    /// The exact answer of a good module to this input.
    answer: String,
    /// The name of the case with a good module. Call it after each other case, to show that the host still works.
    good: String,
    /// The cases.
    cases: Vec<ConformanceCase>,
}

/// A module, its call, and the expected outcome.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Describe, Serialize)]
#[document(name = "Case")]
#[serde(deny_unknown_fields)]
pub struct ConformanceCase {
    /// The name: lower case, digits and dashes.
    pub name: String,
    /// The behavior of the module, in a sentence.
    pub about: String,
    /// The file of the module, next to `cases.json`.
    // The export replaces generators by files.
    #[document(described = "String")]
    module: Source,
    /// The operation.
    #[document(described = "Operation")]
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    /// The text of the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    /// Spaces follow the input until it has so many bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pad_to: Option<usize>,
    /// The number of calls, 1 by default. Each must have the expected outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u32>,
    /// The limits that differ from those of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<OwnLimits>,
    /// The expected outcome.
    pub outcome: ExpectedOutcome,
    /// The expected outcomes on hosts without a capability, by the name of the capability. If it is null, the module may do anything, as
    /// long as the host lives and the good module answers after it. Of several that a host lacks, null goes first, and outcomes agree.
    #[document(described = "BTreeMap<String, Nullable<ExpectedOutcome>>")]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub without: BTreeMap<String, Option<ExpectedOutcome>>,
    /// The id of the requirement that the module breaks. If it is absent, a host that refuses the module is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<String>,
}

/// The source of a module.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
enum Source {
    /// The file next to `cases.json` that has the module under the name of the case.
    File(String),
    /// A generator, by name.
    Generated { generated: String },
}

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedOutcome {
    /// The module is not loaded: the code of the error.
    Load(String),
    /// The module is loaded, and each call fails or replies with an error: the code.
    Call(String),
    /// The module is loaded, and each call has this answer.
    Ok(String),
    /// The module is loaded, and each call has the answer of the corpus, [`Corpus::answer`].
    Answer,
}

/// The outcome that is a word.
#[derive(Describe)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "it describes `ExpectedOutcome::Answer`")]
enum OutcomeWord {
    /// The module is loaded, and each call has the answer of the file.
    Answer,
}

/// An outcome with a code or a text: one of the fields.
#[derive(Describe)]
#[document(schema = r#"{"oneOf": [{"required": ["load"]}, {"required": ["call"]}, {"required": ["ok"]}]}"#)]
#[expect(dead_code, reason = "it describes the other variants of `ExpectedOutcome`")]
struct OutcomeObject {
    /// The module is not loaded: the code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<String>,
    /// The module is loaded, and each call fails or replies with an error: the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// The module is loaded, and each call has this answer, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<String>,
}

impl Describe for ExpectedOutcome {
    fn describe() -> Type {
        Type::Either(vec![OutcomeWord::describe(), OutcomeObject::describe()])
    }
}

/// Describes the file that [`Corpus::to_json`] writes.
impl Describe for Corpus {
    fn describe() -> Type {
        Document::describe()
    }
}

/// A call of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The operation.
    pub operation: Operation,
    /// The text of the input.
    pub input: Cow<'a, str>,
    /// The number of calls. Each must have the expected outcome.
    pub times: u32,
}

impl Corpus {
    /// Reads the corpus in this library.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if the corpus is malformed, which the tests prevent.
    pub fn read() -> Result<Self, Error> {
        let document: Document = serde_json::from_str(CASES).map_err(broken)?;
        match document.format {
            1 => Ok(Self { document }),
            other => Err(broken(format!("unknown format {other}"))),
        }
    }

    /// All cases in order.
    #[must_use]
    pub fn cases(&self) -> &[ConformanceCase] {
        &self.document.cases
    }

    /// The exact answer of a good module to the input of the corpus.
    #[must_use]
    pub fn answer(&self) -> &str {
        &self.document.answer
    }

    /// The case with the good module. Call it after each other case, to show that the host still works.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if there is none.
    pub fn good(&self) -> Result<&ConformanceCase, Error> {
        let good = self.cases().iter().find(|case| case.name == self.document.good);
        good.ok_or_else(|| broken("it has no good module"))
    }

    /// The bytes of a case's module.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if there is no such module.
    pub fn module(&self, case: &ConformanceCase) -> Result<Cow<'static, [u8]>, Error> {
        let found = match &case.module {
            Source::File(file) => {
                let found = MODULES.iter().find(|(of, name, _)| of == file && *name == case.name);
                found.map(|(_, _, bytes)| Cow::Borrowed(*bytes))
            }
            Source::Generated { generated } => {
                generated::module(generated, &self.document.answer).map(Cow::Owned)
            }
        };
        found.ok_or_else(|| broken(format!("it has no module for `{}`", case.name)))
    }

    /// The call of a case.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] for an unknown operation.
    pub fn call<'a>(&'a self, case: &'a ConformanceCase) -> Result<Call<'a>, Error> {
        let name = case.operation.as_ref().unwrap_or(&self.document.operation);
        let operation = Operation::from_name(name).ok_or_else(|| broken("it names an unknown operation"))?;
        let input = case.input.as_ref().unwrap_or(&self.document.input);
        let input = match case.pad_to {
            Some(bytes) => Cow::Owned(format!("{input}{}", " ".repeat(bytes.saturating_sub(input.len())))),
            None => Cow::Borrowed(input.as_str()),
        };
        Ok(Call { operation, input, times: case.calls.unwrap_or(1) })
    }

    /// The limits for loading a case's module.
    #[must_use]
    pub fn limits(&self, case: &ConformanceCase) -> Limits {
        case.limits.unwrap_or_default().over(&self.document.limits.over(&Limits::default()))
    }

    /// The corpus for hosts in other languages: `cases.json` with the names of assembled modules, NAME.wasm.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if it cannot be written as JSON, which does not happen.
    pub fn to_json(&self) -> Result<String, Error> {
        let mut document = self.document.clone();
        for case in &mut document.cases {
            case.module = Source::File(format!("{}.wasm", case.name));
        }
        serde_json::to_string_pretty(&document).map_err(broken)
    }
}

impl ConformanceCase {
    /// The file with the module's text; `None` for a generated module.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match &self.module {
            Source::File(file) => Some(file),
            Source::Generated { .. } => None,
        }
    }
}

fn broken(reason: impl Into<Box<dyn error::Error + Send + Sync>>) -> Error {
    Error::caused_by(codes::HOST_FAULT, "the corpus of conformance is broken", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_module_is_the_module_of_a_case() {
        let cases = Corpus::read().unwrap().document.cases;
        let of_cases: std::collections::BTreeSet<_> =
            cases.iter().filter_map(|case| Some((case.file()?, case.name.as_str()))).collect();
        assert_eq!(of_cases.len(), MODULES.len());
        assert_eq!(of_cases, MODULES.iter().map(|(file, name, _)| (*file, *name)).collect());
    }

    /// Hosts declare missing capabilities by these names.
    #[test]
    fn capabilities_are_known_used_and_documented() {
        let Document { capabilities, cases, .. } = Corpus::read().unwrap().document;
        let used: std::collections::BTreeSet<_> = cases.iter().flat_map(|case| case.without.keys()).collect();
        assert!(used.into_iter().eq(capabilities.keys()));
        // Read at run time, so that the tests of the packed crate compile.
        let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/conformance.md");
        let document = std::fs::read_to_string(document).unwrap();
        let mut listed: Vec<_> = document.lines().filter(|line| line.starts_with("- `")).collect();
        listed.sort_unstable();
        let list: Vec<_> = capabilities.iter().map(|(name, about)| format!("- `{name}`: {about}")).collect();
        assert_eq!(listed, list, "the list must be:\n{}", list.join("\n"));
    }

    #[test]
    fn the_error_of_the_reader_is_the_source() {
        let error = broken(serde_json::from_str::<Document>("{}").unwrap_err());
        assert!(error.message().starts_with("the corpus of conformance is broken: missing field"), "{error}");
        assert!(error::Error::source(&error).is_some_and(|source| source.is::<serde_json::Error>()));
    }

    /// For a host without several capabilities, the expected outcome must not depend on their order.
    #[test]
    fn the_outcome_without_several_capabilities_is_unique() {
        for case in Corpus::read().unwrap().cases() {
            let mut outcomes: Vec<_> = case.without.values().flatten().collect();
            outcomes.dedup();
            assert!(outcomes.len() <= 1, "{}", case.name);
        }
    }
}
