//! The engine module, called as a host calls it, with the allocator and the addresses of `wasm/src/abi.rs`.
#![no_main]

mod memory;

use adjudicate_core::Operation;
// Links its allocator and its exports.
use adjudicate_wasm as _;

use memory::{ENVELOPE, ask, heap_start, take_highest, text, write};

/// The number of bytes from the start of the heap to the least bound of the arena (`wasm/src/arena.rs`).
const ARENA: usize = 1 << 20;

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
    calls_beyond_the_arena();
    // A configured policy settles at the floor, so every later block lies above it.
    assert!(configure(b"{\"policy\":7}").starts_with(r#"{"error":"#));
    let reply = configure(POLICY);
    assert!(reply.starts_with(r#"{"ok":"#), "{reply}");
    assert!(configure(POLICY).starts_with(r#"{"error":"#));
    answers_and_errors();
    addresses_that_are_none();
    calls_beyond_the_arena();
    0
}

fn answers_and_errors() {
    for &operation in Operation::ALL {
        let reply = call(operation, b"[]");
        assert!(reply.starts_with(r#"{"error":"#), "{operation:?}: {reply}");
    }
    let reply = call(Operation::Evaluate, ENVELOPE);
    assert!(reply.starts_with(r#"{"ok":{"decision":"#));
    // A reply outlives buffers that are allocated after it, but not the next call.
    let (first, length) = (reply.as_bytes()[0], reply.len());
    let buffers = [adjudicate_alloc(1), adjudicate_alloc(0), adjudicate_alloc(4096)];
    assert!(buffers.is_sorted() && (first, length) == (reply.as_bytes()[0], reply.len()));
    assert!(call(Operation::Explain, ENVELOPE).starts_with(r#"{"ok":"#));
}

/// A call whose buffers fill the arena allocates all of its blocks in the general allocator.
fn calls_beyond_the_arena() {
    // Not a copy, which would lie in the memory of the module.
    let digest = |text: &str| text.bytes().fold(text.len(), |sum, byte| sum.rotate_left(7) ^ usize::from(byte));
    let expected = digest(call(Operation::Explain, ENVELOPE));
    // The second call finds the allocator as the first call left it.
    for _ in 0..2 {
        let input = adjudicate_alloc(ENVELOPE.len());
        write(input, ENVELOPE);
        let top = adjudicate_alloc(0);
        assert_ne!(adjudicate_alloc(heap_start() + ARENA - top), 0);
        take_highest();
        let reply = text(adjudicate_call(Operation::Explain.number(), input, ENVELOPE.len()));
        assert_eq!(digest(reply), expected);
        assert!(take_highest() > heap_start() + ARENA);
    }
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
