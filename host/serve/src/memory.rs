//! The memory of calls: estimated before a call is admitted, and returned to the operating system after large calls.

use std::sync::atomic::{AtomicU32, Ordering};

/// The most memory that the engine uses: this many bytes for each byte of its input, and [`BASE`] more. The answer is included.
const TIMES_INPUT: usize = 24;
const BASE: usize = 64 << 20;

/// The size from which a block is large, and from which a call leaves memory to return.
const LARGE: usize = 256 << 10;

/// Returns the bytes that the built-in engine may use for an input of this length.
pub(crate) const fn of_engine(input: usize) -> usize {
    input.saturating_mul(TIMES_INPUT).saturating_add(BASE)
}

/// Returns the bytes that a call of a slot may use: `modules` for the instances and answers of its modules, and as much for the input
/// as the engine, because the host reads it, too. A slot that is not loaded counts as all memory.
pub(crate) fn of_slot(input: usize, modules: Option<usize>) -> usize {
    modules.map_or(usize::MAX, |modules| input.saturating_mul(TIMES_INPUT).saturating_add(modules))
}

/// The number of times that memory is returned after a large call. The second time covers buffers of sockets.
const TIMES: u32 = 2;

/// The number of times that memory is still to be returned.
#[derive(Debug, Default)]
pub(crate) struct FreedMemory(AtomicU32);

impl FreedMemory {
    /// Records an input or an answer of this length.
    pub(crate) fn note(&self, bytes: usize) {
        if bytes >= LARGE {
            self.0.store(TIMES, Ordering::Relaxed);
        }
    }

    /// Returns free memory to the operating system if there was a large call since the last time. It takes milliseconds.
    pub(crate) fn return_memory(&self) {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |times| times.checked_sub(1));
        if left.is_ok() {
            trim();
        }
    }
}

/// Makes glibc take each large block from the operating system, and give it back when it is freed. Otherwise glibc
/// raises its threshold when the first block is freed, and takes later blocks of up to 32 MiB from the heaps of
/// threads. There, one small block in use keeps the free memory around it.
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

/// Gives free memory back to the operating system. Without this, glibc keeps the memory that each thread freed.
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
