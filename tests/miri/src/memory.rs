//! A stand-in for linear memory, and the reads and writes of a host.

use std::{
    cell::UnsafeCell,
    ptr::{copy_nonoverlapping, null, with_exposed_provenance, with_exposed_provenance_mut},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// A call of `evaluate` that gets an answer.
pub(crate) const ENVELOPE: &[u8] = br#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":["publish","fix"],"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":" M src/lib.rs\n","validation":{"mechanical_outcome":"completed","exit_codes":{"test":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#;

const PAGE_BYTES: usize = 64 << 10;
/// Enough pages for the calls, and few enough to run out of memory.
const PAGES: usize = 32;

#[repr(align(65536))]
struct Memory(UnsafeCell<[u8; PAGES * PAGE_BYTES]>);

// SAFETY: the programs have one thread.
unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(UnsafeCell::new([0; PAGES * PAGE_BYTES]));
/// The highest address that the module asked for.
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// Starts the program without Miri, which itself starts it at `miri_start`.
// SAFETY: no other symbol of the program has this name. The same goes for the next ones.
#[unsafe(no_mangle)]
extern "C" fn main(_: i32, _: *const *const u8) -> i32 {
    i32::from(crate::miri_start(0, null()) != 0)
}

/// The linker of a module defines the start of its heap.
#[unsafe(no_mangle)]
pub(crate) fn heap_start() -> usize {
    MEMORY.0.get().expose_provenance()
}

/// All pages exist from the start.
#[unsafe(no_mangle)]
fn reach(end: usize) -> Option<usize> {
    let limit = heap_start() + PAGES * PAGE_BYTES;
    HIGHEST.fetch_max(end, Relaxed);
    (end <= limit).then_some(limit)
}

/// Returns the highest address that the module asked for since the last call of this function.
#[cfg(feature = "engine")]
pub(crate) fn take_highest() -> usize {
    HIGHEST.swap(0, Relaxed)
}

/// Writes the bytes that a host passes to the module.
pub(crate) fn write(address: usize, bytes: &[u8]) {
    assert!(address >= heap_start() && address + bytes.len() <= heap_start() + PAGES * PAGE_BYTES);
    // SAFETY: it is inside of the memory, where nothing but the buffer that the module returned is.
    unsafe { copy_nonoverlapping(bytes.as_ptr(), with_exposed_provenance_mut(address), bytes.len()) }
}

/// Returns the text at the address and length in a reply's record. It is valid until the next call, which reuses the
/// memory.
pub(crate) fn text(record: *const [usize; 2]) -> &'static str {
    // SAFETY: the module has just answered with the address of its record, and with initialised bytes that it names.
    let bytes = unsafe {
        let [address, length] = *record;
        std::slice::from_raw_parts(with_exposed_provenance::<u8>(address), length)
    };
    std::str::from_utf8(bytes).expect("a reply is UTF-8")
}

/// Passes bytes to a call, and returns its reply.
pub(crate) fn ask(allocate: fn(usize) -> usize, bytes: &[u8], call: impl FnOnce(usize) -> *const [usize; 2]) -> &'static str {
    let address = allocate(bytes.len());
    assert_ne!(address, 0, "there is room");
    write(address, bytes);
    text(call(address))
}
