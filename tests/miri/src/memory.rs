//! A stand-in for linear memory, and what a host does with it.

use std::{
    cell::UnsafeCell,
    ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut},
};

/// A call of `evaluate` that is answered.
pub(crate) const ENVELOPE: &[u8] = br#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":["publish","fix"],"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":" M src/lib.rs\n","validation":{"mechanical_outcome":"completed","exit_codes":{"test":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#;

const PAGE_BYTES: usize = 64 << 10;
/// So much that the calls fit and that there is an end to run into.
const PAGES: usize = 32;

#[repr(align(65536))]
struct Memory(UnsafeCell<[u8; PAGES * PAGE_BYTES]>);

// SAFETY: the programs have one thread.
unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(UnsafeCell::new([0; PAGES * PAGE_BYTES]));

/// The linker of a module says where its heap begins.
// SAFETY: no other symbol of the program has this name. The same goes for the next one.
#[unsafe(no_mangle)]
fn heap_start() -> usize {
    MEMORY.0.get().expose_provenance()
}

/// All of it is there from the beginning.
#[unsafe(no_mangle)]
fn reach(end: usize) -> Option<usize> {
    let limit = heap_start() + PAGES * PAGE_BYTES;
    (end <= limit).then_some(limit)
}

/// Writes what a host hands over.
pub(crate) fn write(address: usize, bytes: &[u8]) {
    assert!(address >= heap_start() && address + bytes.len() <= heap_start() + PAGES * PAGE_BYTES);
    // SAFETY: it is inside of the memory, where nothing but the buffer that the module handed out is.
    unsafe { copy_nonoverlapping(bytes.as_ptr(), with_exposed_provenance_mut(address), bytes.len()) }
}

/// The text that the record of a reply names, an address and a length. It is good until the next call: the program's heap is the module's, and is
/// forgotten then.
pub(crate) fn text(record: *const [usize; 2]) -> &'static str {
    // SAFETY: the module has just answered with the address of its record, and with initialised bytes that it names.
    let bytes = unsafe {
        let [address, length] = *record;
        std::slice::from_raw_parts(with_exposed_provenance::<u8>(address), length)
    };
    std::str::from_utf8(bytes).expect("a reply is UTF-8")
}

/// Hands a call over, and asks what comes of it.
pub(crate) fn ask(allocate: fn(usize) -> usize, bytes: &[u8], call: impl FnOnce(usize) -> *const [usize; 2]) -> &'static str {
    let address = allocate(bytes.len());
    assert_ne!(address, 0, "there is room");
    write(address, bytes);
    text(call(address))
}
