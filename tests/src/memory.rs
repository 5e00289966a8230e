//! The memory of calls: an allocator that counts, and calls that take much memory for their size (docs/reference/errors.md).

pub mod calls;
mod lists;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicBool, AtomicIsize, Ordering},
};

pub use calls::{Amount, Hungry, calls, composed};

/// The most bytes of memory per byte of input.
pub const TIMES: usize = 24;
/// The additional bytes for the items that an answer lists; their number is bounded.
pub const FIXED: usize = 64 << 20;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator, which counts bytes while [`peak`] runs. Declare it as the global allocator of a binary.
pub struct Counting;

fn count(bytes: isize) {
    if IS_COUNTING.load(Ordering::Relaxed) {
        let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
        PEAK.fetch_max(live, Ordering::Relaxed);
    }
}

/// The size of a block, which never exceeds `isize`.
fn size(layout: Layout) -> isize {
    layout.size().cast_signed()
}

#[expect(unsafe_code, reason = "an allocator has to be; every call is handed on as it came")]
// SAFETY: the system's allocator does the work, with the caller's arguments.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(size(layout));
        // SAFETY: the caller fulfils the conditions of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-size(layout));
        // SAFETY: the block came from the system's allocator, with this layout.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // While a block moves, both copies exist.
        count(new_size.cast_signed());
        count(-size(layout));
        // SAFETY: the block came from the system's allocator, with this layout.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

/// Returns the most bytes that were allocated at once while `run` ran, in addition to the earlier ones. Only one call
/// may run at a time.
pub fn peak<T>(run: impl FnOnce() -> T) -> (T, usize) {
    LIVE.store(0, Ordering::Relaxed);
    PEAK.store(0, Ordering::Relaxed);
    IS_COUNTING.store(true, Ordering::Relaxed);
    let outcome = run();
    IS_COUNTING.store(false, Ordering::Relaxed);
    (outcome, PEAK.load(Ordering::Relaxed).unsigned_abs())
}

impl Hungry {
    /// The most bytes that the call holds at once, its input included, and the length of its answer.
    #[must_use]
    pub fn peak(&self) -> (usize, usize) {
        let (answer, peak) =
            peak(|| self.operation.call(self.input.as_bytes()).map_or(0, |answer| answer.len()));
        (peak + self.input.len(), answer)
    }
}
