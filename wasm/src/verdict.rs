//! Verdicts for JavaScript: text in, text out. `js/src/verdict` gives these functions their public form.
//!
//! A platform has its own Ed25519, and policy modules have instances of their own. So this file writes, reads and compares verdicts, and
//! JavaScript calls, signs and verifies. A call is read once: [`draft`] also returns the verdict around the answer.
//!
//! The module of a verdict is its JSON text, or absent for this engine.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::{
    Error, document,
    json::{self, Node, ReadLimits, Tape},
    verdict::{self, Recomputation, Verdict, VerdictModule, VerdictSignature},
};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::{
    js::{thrown, value},
    modules::operation_of,
};

/// Returns a [`VerdictDraft`] of a call, for [`make`].
///
/// # Errors
///
/// `{code, message, path, others?}` as an object.
#[wasm_bindgen(js_name = draftVerdict)]
pub fn draft(
    operation: i32,
    input: &[u8],
    policy: Option<Vec<u8>>,
    module: Option<Vec<u8>>,
) -> Result<JsValue, JsValue> {
    let operation = operation_of(operation)?;
    let input = json::read(input, ReadLimits::DOCUMENT).map_err(thrown)?;
    let policy = policy_tape(policy.as_deref()).map_err(thrown)?;
    let policy = policy.as_ref().map(Tape::root);
    let call = Verdict::join(operation, input.root(), policy).map_err(thrown)?;
    let none = json::read(b"null", ReadLimits::DOCUMENT).map_err(thrown)?;
    let text = with_module(module.as_deref(), |module| {
        Verdict::new(operation, input.root(), policy, module, none.root()).to_json()
    });
    let text = text.flatten().map_err(thrown)?;
    let (before, after) = text.rsplit_once(&answered(none.root())).unwrap_or_default();
    Ok(value(&VerdictDraft { call, before, after }))
}

/// Returns the verdict of a draft with its answer, unsigned.
///
/// # Errors
///
/// As [`draft`].
#[wasm_bindgen(js_name = makeVerdict)]
pub fn make(before: &str, answer: &[u8], after: &str) -> Result<String, JsValue> {
    let answer = json::read(answer, ReadLimits::ANSWER).map_err(thrown)?;
    verdict::within_limit([before, &answered(answer.root()), after].concat()).map_err(thrown)
}

/// Returns the part of a verdict that depends on the answer.
fn answered(answer: Node<'_>) -> String {
    format!(
        r#""answer":{},"digests":{{"answer":{}"#,
        json::verbatim(answer),
        json::write(&verdict::digest(answer))
    )
}

/// Returns a verdict with this signature. `key` is the public key, `ed25519:<hex>`; `bytes` is the signature in hexadecimal digits.
///
/// # Errors
///
/// As [`draft`].
#[wasm_bindgen(js_name = signVerdict)]
pub fn sign(verdict: &[u8], key: &str, bytes: &str) -> Result<String, JsValue> {
    let tape = Verdict::tape(verdict).map_err(thrown)?;
    let verdict = Verdict::read(tape.root()).map_err(thrown)?;
    Verdict { signature: Some(VerdictSignature { key, bytes }), ..verdict }.to_json().map_err(thrown)
}

/// Returns an [`OpenedVerdict`] for a program that has this module.
///
/// # Errors
///
/// As [`draft`].
#[wasm_bindgen(js_name = openVerdict)]
pub fn open(verdict: &[u8], module: Option<Vec<u8>>) -> Result<JsValue, JsValue> {
    let tape = Verdict::tape(verdict).map_err(thrown)?;
    let verdict = Verdict::read(tape.root()).map_err(thrown)?;
    let undecidable = with_module(module.as_deref(), |module| verdict.undecidable(module)).map_err(thrown)?;
    let call = undecidable.is_none().then(|| verdict.call()).transpose().map_err(thrown)?;
    Ok(value(&OpenedVerdict {
        operation: verdict.operation.name(),
        input: json::verbatim(verdict.input),
        policy: verdict.policy.map(json::verbatim),
        call,
        message: verdict.message(),
        signature: verdict.signature,
        undecided: undecidable.map(|reason| verdict.undecided(reason)),
    }))
}

/// Compares a verdict with the recomputed answer, or with the error of the call. Returns a [`Recomputation`].
///
/// # Errors
///
/// As [`draft`].
#[wasm_bindgen(js_name = compareVerdict)]
pub fn compare(verdict: &[u8], answer: Option<String>, error: Option<String>) -> Result<JsValue, JsValue> {
    let tape = Verdict::tape(verdict).map_err(thrown)?;
    let verdict = Verdict::read(tape.root()).map_err(thrown)?;
    let recomputed = answer.as_deref().ok_or(error.as_deref().unwrap_or_default());
    verdict.compare(recomputed).map(|found| value(&found)).map_err(thrown)
}

/// A verdict without its answer.
#[derive(Serialize, Tsify)]
struct VerdictDraft<'a> {
    /// The complete input of the call.
    call: String,
    /// The text before the answer.
    before: &'a str,
    /// The text behind the digest of the answer.
    after: &'a str,
}

/// The parts of a verdict, as JSON text.
#[derive(Serialize, Tsify)]
struct OpenedVerdict<'a> {
    /// The name of the operation.
    operation: &'a str,
    /// The input of the call, as in the verdict.
    input: String,
    /// The policy of the call, as in the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<String>,
    /// The complete input of the call, if the module can decide it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// The bytes that a signature covers.
    message: String,
    /// The signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<VerdictSignature<'a>>,
    /// The result, if the module cannot decide the call again.
    #[serde(skip_serializing_if = "Option::is_none")]
    undecided: Option<Recomputation>,
}

fn policy_tape(policy: Option<&[u8]>) -> Result<Option<Tape<'_>>, Error> {
    let tape = policy.map(|text| json::read(text, ReadLimits::DOCUMENT)).transpose();
    tape.map_err(|error| error.within("policy"))
}

/// Calls a function with the description of a module.
fn with_module<T>(module: Option<&[u8]>, call: impl FnOnce(VerdictModule<'_>) -> T) -> Result<T, Error> {
    let Some(text) = module else { return Ok(call(VerdictModule::ENGINE)) };
    let tape = json::read(text, ReadLimits::DOCUMENT)?;
    Ok(call(document::read(tape.root())?))
}
