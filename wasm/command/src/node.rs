//! The program that runs the module: Node.
#![expect(unsafe_code, reason = "the functions of Node take addresses in the memory of the module")]

use std::path::PathBuf;

use adjudicate::Environment;
use adjudicate_collect::{call_host, requests::SystemAnswer};

#[link(wasm_import_module = "adjudicate")]
unsafe extern "C" {
    /// Takes a message, waits for its answer, and returns the length of the answer.
    fn ask(address: *const u8, length: usize) -> usize;

    /// Writes the answer to an address.
    fn answer(address: *mut u8);
}

/// Sends a message to Node, and returns the answer.
pub(crate) fn call(message: &[u8]) -> Vec<u8> {
    // SAFETY: Node reads the bytes of the slice, and keeps no address.
    let length = unsafe { ask(message.as_ptr(), message.len()) };
    let mut bytes = vec![0; length];
    // SAFETY: Node writes as many bytes as `ask` returned.
    unsafe { answer(bytes.as_mut_ptr()) };
    bytes
}

/// Returns the environment of the process of Node.
pub(crate) fn environment() -> Environment {
    let path = |name: &str| text(name).map(PathBuf::from);
    Environment {
        // The module has no current folder.
        folder: path("currentFolder").unwrap_or_default(),
        columns: || text("columns")?.parse().ok(),
        // The progress would need a thread.
        shows_progress: false,
        program: path("program"),
        ..Environment::of_process()
    }
}

/// Asks Node for a text.
fn text(name: &str) -> Option<String> {
    match call_host(&[name.as_bytes().to_vec()]) {
        Ok(SystemAnswer::Bytes(text)) => String::from_utf8(text).ok(),
        _ => None,
    }
}
