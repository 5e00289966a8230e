//! The engine module as a host uses it, over the allocator and the addresses of `wasm/src/abi.rs`.
#![no_main]

mod memory;

use adjudicate_core::Operation;
// For its allocator and its exports.
use adjudicate_wasm as _;

use memory::{ENVELOPE, ask, text};

const POLICY: &[u8] = br#"{"policy":"p","version":"1.0.0","forbidden_paths":["secrets/**"]}"#;

unsafe extern "C" {
    safe fn adjudicate_abi_1() -> i32;
    safe fn adjudicate_alloc(length: usize) -> usize;
    safe fn adjudicate_call(operation: i32, address: usize, length: usize) -> *const [usize; 2];
    safe fn adjudicate_configure(address: usize, length: usize) -> *const [usize; 2];
}

fn allocate(length: usize) -> usize {
    adjudicate_alloc(length)
}

fn call(operation: Operation, input: &[u8]) -> &'static str {
    ask(allocate, input, |address| adjudicate_call(operation.number(), address, input.len()))
}

fn configure(document: &[u8]) -> &'static str {
    ask(allocate, document, |address| adjudicate_configure(address, document.len()))
}

#[unsafe(no_mangle)]
fn miri_start(_: isize, _: *const *const u8) -> isize {
    assert_eq!(adjudicate_abi_1(), 0);
    answers_and_errors();
    addresses_that_are_none();
    // Configuring settles the policy at the floor, and what follows lies above it.
    assert!(configure(b"{\"policy\":7}").starts_with(r#"{"error":"#));
    let reply = configure(POLICY);
    assert!(reply.starts_with(r#"{"ok":"#), "{reply}");
    assert!(configure(POLICY).starts_with(r#"{"error":"#));
    answers_and_errors();
    addresses_that_are_none();
    0
}

fn answers_and_errors() {
    for &operation in Operation::ALL {
        let reply = call(operation, b"[]");
        assert!(reply.starts_with(r#"{"error":"#), "{operation:?}: {reply}");
    }
    let reply = call(Operation::Evaluate, ENVELOPE);
    assert!(reply.starts_with(r#"{"ok":{"decision":"#));
    // It outlives buffers that are handed out after it, and not the next call.
    let (first, length) = (reply.as_bytes()[0], reply.len());
    let buffers = [adjudicate_alloc(1), adjudicate_alloc(0), adjudicate_alloc(4096)];
    assert!(buffers.is_sorted() && (first, length) == (reply.as_bytes()[0], reply.len()));
    assert!(call(Operation::Explain, ENVELOPE).starts_with(r#"{"ok":"#));
}

fn addresses_that_are_none() {
    let buffer = adjudicate_alloc(16);
    for (address, length) in [(0, 1), (1, 7), (buffer, 17), (buffer + 16, 1), (usize::MAX, 2), (buffer, usize::MAX)] {
        let reply = text(adjudicate_call(Operation::Evaluate.number(), address, length));
        assert!(reply.contains("adjudicate_alloc"));
    }
    for length in [usize::MAX, usize::MAX / 2, 1 << 30] {
        assert_eq!(adjudicate_alloc(length), 0);
    }
}
