//! The engine for JavaScript: UTF-8 text in, text out.
//!
//! Owns the wasm-bindgen exports that the npm package is made of; `js/src` gives them their public form. JSON text is
//! the one boundary for decisions: an object would be decoded by other rules than text (inherited fields, `NaN`,
//! unknown fields), and so could be decided differently. Only values that *start* in Rust cross as objects.
//!
//! Operations have numbers here, as in the module interface. [`operations`] lists them.
//!
//! Lengths and limits are checked in `js/src/text.ts`, before text is copied into memory that never shrinks again.
//!
//! tsify declares the types of most answers; its conversions are not used, because they leak when they fail. The types of inputs
//! are generated (`documents.d.ts`).

use alloc::{format, rc::Rc, string::String, vec::Vec};

use adjudicate_core::{
    Error, Operation, OperationFunction, VERSION, codes,
    evaluate::{self, AnswerText, CompositionMember, Severity, Status},
    join_documents,
    policy::{Rule, RuleMode},
};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// The types of inputs, and of the answers that tsify does not derive: generated from the descriptions of the documents.
#[wasm_bindgen(typescript_custom_section)]
const DOCUMENTS: &str = include_str!("documents.d.ts");

/// The error codes, generated from the tables of the crates.
#[wasm_bindgen(typescript_custom_section)]
const ERRORS: &str = include_str!("errors.d.ts");

/// Answers one call of the operation with that number, from JSON text to JSON text.
///
/// # Errors
///
/// `{code, message, path, others?}` as an object, when there is no answer.
#[wasm_bindgen]
pub fn call(operation: i32, input: &[u8]) -> Result<String, JsValue> {
    answer(operation, input, None)
}

/// Joins separate documents to the input of one call. `names` and `lengths` have one item for each document.
///
/// # Errors
///
/// As [`call`]: when one of them is not a document, or is `null`.
#[wasm_bindgen]
pub fn join(names: Vec<String>, lengths: &[u32], texts: &[u8]) -> Result<Vec<u8>, JsValue> {
    let mut rest = texts;
    let documents = names.iter().zip(lengths).map(|(name, length)| {
        let text = rest.split_off(..*length as usize).unwrap_or_default();
        (name.as_str(), text)
    });
    let documents: Vec<_> = documents.collect();
    join_documents(&documents).map(String::into_bytes).map_err(thrown)
}

/// A policy document, parsed once for many calls.
#[wasm_bindgen]
pub struct Policy(Rc<adjudicate_core::Policy>);

impl Policy {
    /// Returns the policy for a value that outlives this one.
    pub(crate) fn share(&self) -> Rc<adjudicate_core::Policy> {
        Rc::clone(&self.0)
    }
}

#[wasm_bindgen]
impl Policy {
    /// Parses a policy document.
    ///
    /// # Errors
    ///
    /// As [`call`].
    #[wasm_bindgen(constructor)]
    pub fn new(document: &[u8]) -> Result<Self, JsValue> {
        adjudicate_core::Policy::parse(document).map(|policy| Self(Rc::new(policy))).map_err(thrown)
    }

    /// Answers one call under this policy; refuses a call with a policy of its own.
    ///
    /// # Errors
    ///
    /// As [`call()`].
    pub fn call(&self, operation: i32, input: &[u8]) -> Result<String, JsValue> {
        answer(operation, input, Some(self.0.as_ref()))
    }

    /// Returns a [`PolicyInfo`].
    pub fn info(&self) -> JsValue {
        let policy = &self.0;
        value(&PolicyInfo {
            name: policy.name(),
            version: policy.version(),
            digest: policy.digest(),
            rules: policy.rules().iter().map(RuleInfo::new).collect(),
        })
    }
}

/// A call that a composition answers. Add the members, then evaluate it once.
#[wasm_bindgen]
#[derive(Default)]
pub struct ComposedCall {
    base: Option<Rc<adjudicate_core::Policy>>,
    overrides: Vec<OwnedMember>,
    restrictions: Vec<OwnedMember>,
}

/// A member of the composition.
enum OwnedMember {
    Policy(Rc<adjudicate_core::Policy>),
    Answer { origin: String, answer: Vec<u8> },
}

#[wasm_bindgen]
impl ComposedCall {
    /// Returns a composition of only the engine.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the policy of the base.
    pub fn base(&mut self, policy: &Policy) {
        self.base = Some(policy.share());
    }

    /// Adds a policy.
    pub fn policy(&mut self, overrides: bool, policy: &Policy) {
        self.add(overrides, OwnedMember::Policy(policy.share()));
    }

    /// Adds an external answer.
    pub fn answer(&mut self, overrides: bool, origin: String, answer: Vec<u8>) {
        self.add(overrides, OwnedMember::Answer { origin, answer });
    }

    /// Evaluates an envelope with all members, and composes their answers; consumes the call.
    ///
    /// # Errors
    ///
    /// As [`call()`].
    pub fn evaluate(self, envelope: &[u8]) -> Result<String, JsValue> {
        let call = evaluate::ComposedCall {
            policy: self.base.as_deref(),
            answer: None,
            overrides: self.overrides.iter().map(OwnedMember::member).collect(),
            restrictions: self.restrictions.iter().map(OwnedMember::member).collect(),
        };
        call.evaluate(envelope).map_err(thrown)
    }

    fn add(&mut self, overrides: bool, member: OwnedMember) {
        let members = if overrides { &mut self.overrides } else { &mut self.restrictions };
        members.push(member);
    }
}

impl OwnedMember {
    fn member(&self) -> CompositionMember<'_> {
        match self {
            Self::Policy(policy) => CompositionMember::Policy(policy),
            Self::Answer { origin, answer } => CompositionMember::Answer(AnswerText { origin, answer }),
        }
    }
}

/// The version of the engine.
#[wasm_bindgen]
pub fn version() -> String {
    VERSION.into()
}

/// The operations on offer, `[name, number]` each, in the order of their numbers.
#[wasm_bindgen]
pub fn operations() -> JsValue {
    let offered = Operation::ALL.iter().filter(|operation| function_of(**operation).is_some());
    let names: Vec<_> = offered.map(|operation| (operation.name(), operation.number())).collect();
    value(&names)
}

/// A description of a parsed policy.
#[derive(Serialize, Tsify)]
struct PolicyInfo<'a> {
    /// The policy's name.
    name: &'a str,
    /// The policy's version.
    version: &'a str,
    /// The digest of the document's canonical JSON, `sha256:<hex>`.
    digest: &'a str,
    /// The policy's rules, in the order of the document.
    rules: Vec<RuleInfo<'a>>,
}

/// A description of a rule of a parsed policy.
#[derive(Serialize, Tsify)]
struct RuleInfo<'a> {
    /// The rule's name.
    id: &'a str,
    /// The status that it calls for.
    status: Status,
    /// The severity of its findings.
    severity: Severity,
    /// The flag that it raises, if any.
    flag: Option<&'a str>,
    /// The code of its blocker, if it has one.
    blocker: Option<&'a str>,
    /// The summary of its findings, in one line.
    summary: &'a str,
    /// `monitor` if its findings have no effect.
    mode: RuleMode,
}

impl<'a> RuleInfo<'a> {
    fn new(rule: &'a Rule) -> Self {
        Self {
            id: rule.id(),
            status: rule.status(),
            severity: rule.severity(),
            flag: rule.flag(),
            blocker: rule.blocker(),
            summary: rule.summary(),
            mode: rule.mode(),
        }
    }
}

fn answer(number: i32, input: &[u8], policy: Option<&adjudicate_core::Policy>) -> Result<String, JsValue> {
    let function = Operation::from_number(number).and_then(function_of).ok_or_else(|| unknown(number))?;
    function(input, policy).map_err(thrown)
}

/// Returns the function of an operation, if this build has it.
fn function_of(operation: Operation) -> Option<OperationFunction> {
    // Constants, so that `evaluate` links only the code of these operations.
    match operation {
        Operation::Evaluate => Some(const { Operation::Evaluate.function() }),
        Operation::Refine => Some(const { Operation::Refine.function() }),
        Operation::Explain => Some(const { Operation::Explain.function() }),
        other => cfg!(feature = "js").then(|| other.function()),
    }
}

/// The error of a number that no operation of this build has.
pub(crate) fn unknown(number: i32) -> JsValue {
    let message = format!("this engine has no operation number {number}");
    thrown(Error::new(codes::UNSUPPORTED_OPERATION, message))
}

/// The fields of an error, as an object.
#[derive(Serialize)]
pub(crate) struct ErrorDetails<'a> {
    pub(crate) code: &'a str,
    pub(crate) message: &'a str,
    pub(crate) path: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) others: Vec<Self>,
}

impl<'a> ErrorDetails<'a> {
    fn of_error(error: &'a Error) -> Self {
        Self { code: error.code().as_str(), message: error.message(), path: error.path(), others: Vec::new() }
    }
}

pub(crate) fn thrown(error: Error) -> JsValue {
    let others = error.all().skip(1).map(ErrorDetails::of_error).collect();
    value(&ErrorDetails { others, ..ErrorDetails::of_error(&error) })
}

/// A value that starts in Rust, as JavaScript has it.
pub(crate) fn value<T: Serialize>(value: &T) -> JsValue {
    // Values of text, small numbers and lists always have a form in JavaScript. An absent value is null, as in JSON.
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).unwrap_or(JsValue::UNDEFINED)
}
