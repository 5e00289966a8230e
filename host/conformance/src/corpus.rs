//! The corpus for hosts: hostile modules with what must become of each, and odd ones that a host has to run.
//!
//! The modules stand in `hostile` as WebAssembly text, but for those that are mostly repetition, which
//! `generated` makes. What is expected stands beside them, in `cases.json`; its README has the form.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::{Limits, codes};
use serde::{Deserialize, Serialize};

use crate::generated;

/// The assembled modules by the names of their files.
static MODULES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/hostile.rs"));

/// What is expected of them.
const CASES: &str = include_str!("../hostile/cases.json");

/// The corpus for hosts.
///
/// ```
/// use adjudicate_conformance::{Corpus, Outcome};
/// let corpus = Corpus::read()?;
/// let case = corpus.cases().iter().find(|case| case.name == "infinite-loop").ok_or("no such case")?;
/// assert_eq!(case.outcome, Outcome::Call("module_out_of_fuel".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Corpus {
    document: Document,
}

/// `cases.json`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Document {
    /// The version of this form.
    format: u32,
    about: String,
    /// What hosts differ by: cases say what becomes of a module without it.
    capabilities: BTreeMap<String, String>,
    limits: Ceilings,
    operation: String,
    input: String,
    answer: String,
    good: String,
    cases: Vec<Case>,
}

/// Limits as they are written: what is left out is as for all cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
struct Ceilings {
    #[serde(skip_serializing_if = "Option::is_none")]
    module_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline_ms: Option<u64>,
}

/// A module, how it is called, and what must become of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The name: lower case, digits and dashes.
    pub name: String,
    /// What the module attempts, in a sentence.
    pub about: String,
    module: Source,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pad_to: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<Ceilings>,
    /// What becomes of it.
    pub outcome: Outcome,
    /// What becomes of it in a host that has not got a capability; `None` where such a host may do as it likes, as long as it survives.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub without: BTreeMap<String, Option<Outcome>>,
    /// The requirement that the module breaks, by its id; `None` for a module that breaks none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<String>,
}

/// Where a module comes from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
enum Source {
    /// A file beside `cases.json`.
    File(String),
    /// The generator of this name.
    Generated { generated: String },
}

/// What becomes of a module.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is not loaded; the code.
    Load(String),
    /// It is loaded, and each call fails or is answered by an error; the code.
    Call(String),
    /// It is loaded, and each call is answered by this text.
    Ok(String),
    /// It is loaded, and each call is answered by the answer of the whole corpus, [`Corpus::answer`].
    Answer,
}

/// A call that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// What is asked.
    pub operation: Operation,
    /// The input's text.
    pub input: Cow<'a, str>,
    /// How often, one call after the other; what is expected is expected of each.
    pub times: u32,
}

impl Corpus {
    /// Reads the corpus that is part of this library.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if it is broken, which the tests keep it from.
    pub fn read() -> Result<Self, Error> {
        let document: Document = serde_json::from_str(CASES).map_err(|error| broken(&error.to_string()))?;
        match document.format {
            1 => Ok(Self { document }),
            other => Err(broken(&format!("it is of format {other}"))),
        }
    }

    /// All cases, in their order.
    #[must_use]
    pub fn cases(&self) -> &[Case] {
        &self.document.cases
    }

    /// What a good module answers to the input of the whole corpus, byte for byte.
    #[must_use]
    pub fn answer(&self) -> &str {
        &self.document.answer
    }

    /// The case whose module is called after each other one, to show that the host is as it was.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if there is none.
    pub fn good(&self) -> Result<&Case, Error> {
        let good = self.cases().iter().find(|case| case.name == self.document.good);
        good.ok_or_else(|| broken("it has no good module"))
    }

    /// The bytes of a case's module.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if there is no such module.
    pub fn module(&self, case: &Case) -> Result<Cow<'static, [u8]>, Error> {
        let found = match &case.module {
            Source::File(file) => {
                let found = MODULES.iter().find(|(name, _)| name == file);
                found.map(|(_, bytes)| Cow::Borrowed(*bytes))
            }
            Source::Generated { generated } => {
                generated::module(generated, &self.document.answer).map(Cow::Owned)
            }
        };
        found.ok_or_else(|| broken(&format!("it has no module for `{}`", case.name)))
    }

    /// The call that a case is about.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] for an operation that there is not.
    pub fn call<'a>(&'a self, case: &'a Case) -> Result<Call<'a>, Error> {
        let name = case.operation.as_ref().unwrap_or(&self.document.operation);
        let operation = Operation::from_name(name).ok_or_else(|| broken("it names an unknown operation"))?;
        let input = case.input.as_ref().unwrap_or(&self.document.input);
        let input = match case.pad_to {
            Some(bytes) => Cow::Owned(format!("{input}{}", " ".repeat(bytes.saturating_sub(input.len())))),
            None => Cow::Borrowed(input.as_str()),
        };
        Ok(Call { operation, input, times: case.calls.unwrap_or(1) })
    }

    /// The limits that a case's module is loaded with.
    #[must_use]
    pub fn limits(&self, case: &Case) -> Limits {
        case.limits.unwrap_or_default().over(self.document.limits.over(Limits::default()))
    }

    /// The form in which hosts in other languages get the corpus: `cases.json` with the names of assembled modules, NAME.wasm.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if it cannot be written as JSON, which does not happen.
    pub fn to_json(&self) -> Result<String, Error> {
        let mut document = self.document.clone();
        for case in &mut document.cases {
            case.module = Source::File(format!("{}.wasm", case.name));
        }
        serde_json::to_string_pretty(&document).map_err(|error| broken(&error.to_string()))
    }
}

impl Case {
    /// The file that the module's text is in; `None` for one that is generated.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match &self.module {
            Source::File(file) => Some(file),
            Source::Generated { .. } => None,
        }
    }
}

impl Ceilings {
    fn over(self, base: Limits) -> Limits {
        Limits {
            module_bytes: self.module_bytes.unwrap_or(base.module_bytes),
            memory_bytes: self.memory_bytes.unwrap_or(base.memory_bytes),
            stack_bytes: self.stack_bytes.unwrap_or(base.stack_bytes),
            input_bytes: self.input_bytes.unwrap_or(base.input_bytes),
            output_bytes: self.output_bytes.unwrap_or(base.output_bytes),
            fuel: self.fuel.unwrap_or(base.fuel),
            deadline: self.deadline_ms.map_or(base.deadline, Duration::from_millis),
        }
    }
}

fn broken(reason: &str) -> Error {
    Error::new(codes::HOST_FAULT, format!("the corpus of conformance is broken: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hosts say what they lack by these names, and are told of nothing else.
    #[test]
    fn capabilities_are_known_used_and_documented() {
        let Document { capabilities, cases, .. } = Corpus::read().unwrap().document;
        let used: std::collections::BTreeSet<_> = cases.iter().flat_map(|case| case.without.keys()).collect();
        assert!(used.into_iter().eq(capabilities.keys()));
        let document = include_str!("../../../wasm/CONFORMANCE.md");
        let mut listed: Vec<_> = document.lines().filter(|line| line.starts_with("- `")).collect();
        listed.sort_unstable();
        let list: Vec<_> = capabilities.iter().map(|(name, about)| format!("- `{name}`: {about}")).collect();
        assert_eq!(listed, list, "the list must be:\n{}", list.join("\n"));
    }

    /// A host may lack several: what it is to expect must not depend on which of them it looks at first.
    #[test]
    fn what_is_expected_without_several_capabilities_is_one_thing() {
        for case in Corpus::read().unwrap().cases() {
            let mut outcomes: Vec<_> = case.without.values().flatten().collect();
            outcomes.dedup();
            assert!(outcomes.len() <= 1, "{}", case.name);
        }
    }
}
