//! What calls may take of the memory, counted before they are admitted, and giving it back afterwards.

use std::sync::atomic::{AtomicU32, Ordering};

/// What the engine takes of each byte of its input at most, and beside that: its answer is among it.
const TIMES_INPUT: usize = 24;
const BESIDE: usize = 64 << 20;

/// A call of this many bytes leaves memory that is worth giving back, and a block of this many bytes is large.
const LARGE: usize = 256 << 10;

/// Bytes that the engine that is built in may take for an input of this length.
pub(crate) const fn of_engine(input: usize) -> usize {
    input.saturating_mul(TIMES_INPUT).saturating_add(BESIDE)
}

/// Bytes that a call of a slot may take: `modules` for the instance and the answers of its modules, and the host reads the input as the
/// engine does. A slot that is not loaded yet may take everything.
pub(crate) fn of_slot(input: usize, modules: Option<usize>) -> usize {
    modules.map_or(usize::MAX, |modules| input.saturating_mul(TIMES_INPUT).saturating_add(modules))
}

/// How often memory is given back after a large call: what is written to sockets is free a moment later.
const TIMES: u32 = 2;

/// How often the memory that calls have left behind is still to be given back.
#[derive(Debug, Default)]
pub(crate) struct LeftBehind(AtomicU32);

impl LeftBehind {
    /// Takes note of an input, or of an answer that was computed or written, of this length.
    pub(crate) fn note(&self, bytes: usize) {
        if bytes >= LARGE {
            self.0.store(TIMES, Ordering::Relaxed);
        }
    }

    /// Gives the operating system what is free, where there was a large call since the last time. It takes milliseconds.
    pub(crate) fn give_back(&self) {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |times| times.checked_sub(1));
        if left.is_ok() {
            trim();
        }
    }
}

/// Makes glibc take each large block from the operating system, and give it back when it is freed. Otherwise glibc raises its
/// threshold when the first block is freed: later blocks of up to 32 MiB come from the heaps of threads, where one small block in
/// use keeps the free memory around it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_large_blocks_apart() {
    #[expect(
        unsafe_code,
        reason = "a function of C; it takes two numbers, and may be called by any thread at any time"
    )]
    // SAFETY: `mallopt` has no preconditions.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE as libc::c_int);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) const fn keep_large_blocks_apart() {}

/// The allocator of glibc keeps what its threads freed, each for itself, for ever.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    #[expect(
        unsafe_code,
        reason = "a function of C; it takes no pointer, and may be called by any thread at any time"
    )]
    // SAFETY: `malloc_trim` has no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn trim() {}
