//! The engine for JavaScript: UTF-8 text in, text out (SPEC section 15).
//!
//! Owns the wasm-bindgen exports that the npm package is made of; `js/src` gives them their public form. JSON text is
//! the one boundary for decisions: an object would be decoded by other rules than text (inherited members, `NaN`,
//! unknown fields), and so could be decided differently. Only values that *start* in Rust cross as objects.
//!
//! Lengths and limits are checked in `js/src/text.ts`, before text is copied into memory that never shrinks again.
//!
//! Types are declared by tsify on the core's wire types; its conversions are not used, because they leak when they
//! fail.

use alloc::{string::String, vec::Vec};

use adjudicate_core::{Error, Operation, VERSION, call_input, evaluate::evaluate_text};
use serde::Serialize;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// What tsify cannot derive: types with a hand-written form, and unions of names that are data in the core.
#[wasm_bindgen(typescript_custom_section)]
const DECLARATIONS: &str = include_str!("types.d.ts");

/// Evaluates one call: an envelope, or `{envelope, policy}`. Answers the evaluation as JSON text.
///
/// # Errors
///
/// `{code, message, path}` as an object, when there is no answer.
#[wasm_bindgen]
pub fn evaluate(call: &[u8]) -> Result<String, JsValue> {
    Operation::Evaluate.call(call).map_err(thrown)
}

/// Evaluates an envelope under a policy document, both as JSON text.
///
/// # Errors
///
/// As [`evaluate`]; also when the policy is `null`.
#[wasm_bindgen(js_name = evaluateWithPolicy)]
pub fn evaluate_with_policy(envelope: &[u8], policy: &[u8]) -> Result<String, JsValue> {
    call_input(envelope, Some(policy))
        .and_then(|call| Operation::Evaluate.call(call.as_bytes()))
        .map_err(thrown)
}

/// A policy document, parsed once for many calls.
#[wasm_bindgen]
pub struct Policy(adjudicate_core::Policy);

#[wasm_bindgen]
impl Policy {
    /// Parses a policy document.
    ///
    /// # Errors
    ///
    /// As [`evaluate`].
    #[wasm_bindgen(constructor)]
    pub fn new(document: &[u8]) -> Result<Self, JsValue> {
        adjudicate_core::Policy::parse(document).map(Self).map_err(thrown)
    }

    /// Evaluates a bare envelope under this policy.
    ///
    /// # Errors
    ///
    /// As [`evaluate()`].
    pub fn evaluate(&self, envelope: &[u8]) -> Result<String, JsValue> {
        evaluate_text(envelope, Some(&self.0)).map_err(thrown)
    }

    /// The policy's name.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.0.name().into()
    }

    /// The policy's version.
    #[wasm_bindgen(getter)]
    pub fn version(&self) -> String {
        self.0.version().into()
    }
}

/// The version of the engine.
#[wasm_bindgen]
pub fn version() -> String {
    VERSION.into()
}

/// The names of the operations on offer, in the order of their numbers.
#[wasm_bindgen]
pub fn operations() -> JsValue {
    let names: Vec<_> = Operation::ALL.iter().map(|operation| operation.name()).collect();
    value(&names)
}

/// What an error carries, as an object.
#[derive(Serialize)]
struct ErrorDetails<'a> {
    code: &'a str,
    message: &'a str,
    path: &'a str,
}

fn thrown(error: Error) -> JsValue {
    value(&ErrorDetails { code: error.code().as_str(), message: error.message(), path: error.path() })
}

/// A value that starts in Rust, as JavaScript has it.
fn value<T: Serialize>(value: &T) -> JsValue {
    // Strings and lists of strings always have a form in JavaScript.
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}
