//! Envelopes that stay in the engine's memory, for JavaScript.

use alloc::{rc::Rc, string::String};

use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::js::{Policy, thrown};

/// An envelope that takes changes, and its policy.
#[wasm_bindgen]
pub struct OpenEnvelope {
    envelope: adjudicate_core::OpenEnvelope,
    policy: Option<Rc<adjudicate_core::Policy>>,
}

#[wasm_bindgen]
impl OpenEnvelope {
    /// Opens the input of `evaluate`.
    ///
    /// # Errors
    ///
    /// As [`call`](crate::js::call()).
    #[wasm_bindgen(constructor)]
    pub fn new(input: &[u8]) -> Result<Self, JsValue> {
        let envelope = adjudicate_core::OpenEnvelope::read(input).map_err(thrown)?;
        Ok(Self { envelope, policy: None })
    }

    /// Sets the policy of all evaluations.
    pub fn policy(&mut self, policy: &Policy) {
        self.policy = Some(policy.share());
    }

    /// Sets the value at a JSON Pointer.
    ///
    /// # Errors
    ///
    /// As [`call`](crate::js::call()).
    pub fn set(&mut self, pointer: &str, value: &[u8]) -> Result<(), JsValue> {
        self.envelope.set(pointer, value).map_err(thrown)
    }

    /// Removes the value at a JSON Pointer.
    ///
    /// # Errors
    ///
    /// As [`call`](crate::js::call()).
    pub fn remove(&mut self, pointer: &str) -> Result<(), JsValue> {
        self.envelope.remove(pointer).map_err(thrown)
    }

    /// Returns the text with all changes.
    pub fn text(&self) -> String {
        self.envelope.text().into()
    }

    /// Evaluates the envelope.
    ///
    /// # Errors
    ///
    /// As [`call`](crate::js::call()).
    pub fn evaluate(&mut self) -> Result<String, JsValue> {
        self.envelope.evaluate(self.policy.as_deref()).map_err(thrown)
    }
}
