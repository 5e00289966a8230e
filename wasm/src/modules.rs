//! Policy modules for JavaScript, which loads and calls them: `js/src/load.ts` and `module.ts`.

use alloc::{string::String, vec::Vec};

use adjudicate_core::{
    Operation,
    module::{Manifest, Reply, ReplyError, Reported},
};
use sha2::{Digest, Sha256};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

use crate::js::{ErrorDetails, thrown, unknown, value};

/// Checks the input of a call as the operation reads it, before a policy module is called.
///
/// # Errors
///
/// As [`call`](crate::js::call()).
#[wasm_bindgen]
pub fn admit(operation: i32, input: &[u8]) -> Result<(), JsValue> {
    operation_of(operation)?.read(input).map(drop).map_err(thrown)
}

/// Returns the answer in a policy module's reply, byte for byte, if it passes the operation's output contract.
///
/// # Errors
///
/// As [`call`](crate::js::call()); also the error that the module reported.
#[wasm_bindgen]
pub fn judge(operation: i32, input: &[u8], reply: &[u8]) -> Result<String, JsValue> {
    let operation = operation_of(operation)?;
    let input = operation.read(input).map_err(thrown)?;
    let reply = Reply::parse(reply).map_err(thrown)?;
    match reply.answer_to(operation, input.root()) {
        Ok(answer) => Ok(answer.text.into()),
        Err(ReplyError::Reported(error)) => {
            let others = error.others.iter().map(details).collect();
            Err(value(&ErrorDetails { others, ..details(&error) }))
        }
        Err(ReplyError::Fault(error)) => Err(thrown(error)),
    }
}

/// Checks the text of a manifest.
///
/// # Errors
///
/// As [`call`](crate::js::call()).
#[wasm_bindgen]
pub fn manifest(text: &[u8]) -> Result<(), JsValue> {
    Manifest::parse(text).map(drop).map_err(thrown)
}

/// SHA-256 of bytes in pieces, because all bytes together may be too many for this memory.
#[wasm_bindgen]
#[derive(Default)]
pub struct Hash(Sha256);

#[wasm_bindgen]
impl Hash {
    /// Returns the hash of no bytes.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Returns the 32 bytes; consumes the hash.
    pub fn finish(self) -> Vec<u8> {
        self.0.finalize().to_vec()
    }
}

fn details<'a>(error: &Reported<'a>) -> ErrorDetails<'a> {
    ErrorDetails { code: error.code, message: error.message, path: error.path, others: Vec::new() }
}

pub(crate) fn operation_of(number: i32) -> Result<Operation, JsValue> {
    Operation::from_number(number).ok_or_else(|| unknown(number))
}
