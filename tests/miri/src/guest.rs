//! A policy module, called as a host calls it, with the allocator and the addresses of `wasm/guest/src/module.rs`.
#![no_main]

mod memory;

use std::ptr::with_exposed_provenance;

use adjudicate_guest::{ChangedFile, module, prelude::*};

use memory::{ENVELOPE, ask, text};

/// The number of the operation `evaluate`, the only one of this module.
const EVALUATE: i32 = 1;

adjudicate_guest::policy! { decide: decide, name: "frozen", version: "1.0.0" }

fn decide(envelope: Envelope<'_>) -> Vec<Finding<'_>> {
    let files = envelope.evidence().changed_files().unwrap_or_default();
    let finding = |file: ChangedFile<'_>| {
        Finding::new("frozen", Status::NeedsHuman, format!("`{}` changed", file.path()))
    };
    files.into_iter().map(finding).collect()
}

/// The address of the reply's record.
fn reply(address: usize, length: usize) -> *const [usize; 2] {
    with_exposed_provenance(module::call(&POLICY, EVALUATE, address, length))
}

fn call(input: &[u8]) -> &'static str {
    ask(module::allocate, input, |address| reply(address, input.len()))
}

#[unsafe(no_mangle)]
fn miri_start(_: isize, _: *const *const u8) -> isize {
    for _ in 0..2 {
        assert!(call(b"[]").starts_with(r#"{"error":"#));
        let answer = call(ENVELOPE);
        assert!(answer.starts_with(r#"{"ok":{"decision":"#), "{answer}");
        let buffer = module::allocate(16);
        for (address, length) in [(0, 1), (buffer, 17), (buffer + 16, 1), (usize::MAX, 2), (buffer, usize::MAX)] {
            assert!(text(reply(address, length)).starts_with(r#"{"error":"#));
        }
        for length in [usize::MAX, usize::MAX / 2, 1 << 30] {
            assert_eq!(module::allocate(length), 0);
        }
    }
    0
}
