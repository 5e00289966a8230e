//! The module interface, version 1, in wasm: addresses in, addresses out, and the memory behind them.
//!
//! ```text
//! | stack | statics | latest reply | buffers handed out | scratch of the call ... |
//!                   ^ start of the heap                 ^ top, when a call begins
//! ```
//!
//! Memory is taken from the bottom up and never given back block by block, but for the newest. When a call has its reply,
//! everything is forgotten and the reply is moved down to the start: so it outlives any number of `adjudicate_alloc` until the
//! next call, and memory is never larger than the largest call needed. All the unsafe code of the crate is here; `cargo xtask
//! miri` runs it under Miri, with a stand-in for linear memory (`tests/miri`).
#![expect(unsafe_code, reason = "the host speaks in addresses, and an allocator hands them out")]

#[cfg(target_arch = "wasm32")]
use core::arch::wasm32;
use core::{
    alloc::{GlobalAlloc, Layout},
    ptr, slice,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use crate::policy::Policy;

#[cfg(target_arch = "wasm32")]
const PAGE_BYTES: usize = 64 << 10;

#[global_allocator]
static MEMORY: Arena = Arena { top: AtomicUsize::new(0) };

/// Where the latest reply is: what the host reads, two little-endian `u32`s.
static REPLY: Record = Record { address: AtomicUsize::new(0), length: AtomicUsize::new(0) };

#[repr(C)]
struct Record {
    address: AtomicUsize,
    length: AtomicUsize,
}

/// Takes from the bottom up. Atomic because a global allocator must be shareable; without threads that is a plain integer.
struct Arena {
    /// The first free address; 0 before first use.
    top: AtomicUsize,
}

impl Arena {
    fn top(&self) -> usize {
        match self.top.load(Relaxed) {
            0 => heap_start(),
            top => top,
        }
    }

    /// Takes `size` bytes at a multiple of `align`; 0 when memory cannot grow so far.
    fn take(&self, size: usize, align: usize) -> usize {
        let Some(start) = self.top().checked_add(align - 1).map(|start| start & !(align - 1)) else {
            return 0;
        };
        let Some(end) = start.checked_add(size) else { return 0 };
        if reach(end).is_none() {
            return 0;
        }
        self.top.store(end, Relaxed);
        start
    }
}

/// Hands out a buffer of `length` bytes, good for the next call; 0 when memory cannot grow so far.
#[must_use]
pub fn allocate(length: usize) -> usize {
    MEMORY.take(length, align_of::<u64>())
}

/// Runs an operation on a buffer; answers the address of the reply record.
#[must_use]
pub fn call(policy: &Policy, operation: i32, address: usize, length: usize) -> usize {
    let end = address.checked_add(length).filter(|end| address >= heap_start() && *end <= MEMORY.top());
    let input: &[u8] = match end {
        // SAFETY: between the start of the heap and the top lie the latest reply and the buffers handed out: bytes that are
        // there, that nothing else refers to, and that nothing writes to while the policy allocates above the top.
        Some(_) if length > 0 => unsafe {
            slice::from_raw_parts(ptr::with_exposed_provenance(address), length)
        },
        // Nothing, or nothing of ours: no JSON either way.
        _ => &[],
    };
    let reply = policy.call(operation, input).leak();
    let (from, size) = (reply.as_ptr().expose_provenance(), reply.len());
    MEMORY.top.store(heap_start(), Relaxed);
    let to = MEMORY.take(size, 1);
    // SAFETY: both are inside of memory, which reaches at least as far as where the reply is. What lay between the start of the
    // heap and the reply is forgotten, and `copy` allows the two to overlap.
    unsafe {
        ptr::copy::<u8>(ptr::with_exposed_provenance(from), ptr::with_exposed_provenance_mut(to), size);
    }
    REPLY.address.store(to, Relaxed);
    REPLY.length.store(size, Relaxed);
    (&raw const REPLY).expose_provenance()
}

#[cfg(miri)]
unsafe extern "Rust" {
    safe fn heap_start() -> usize;
    safe fn reach(end: usize) -> Option<usize>;
}

#[cfg(target_arch = "wasm32")]
fn heap_start() -> usize {
    // SAFETY: the linker defines this symbol; only its address means anything, and only that is taken.
    unsafe extern "C" {
        static __heap_base: u8;
    }
    (&raw const __heap_base).expose_provenance()
}

/// Makes memory reach at least up to `end`, if it can, and says how far it reaches now.
#[cfg(target_arch = "wasm32")]
fn reach(end: usize) -> Option<usize> {
    let pages = wasm32::memory_size::<0>();
    let missing = end.div_ceil(PAGE_BYTES).saturating_sub(pages);
    if missing > 0 && wasm32::memory_grow::<0>(missing) == usize::MAX {
        return None;
    }
    Some((pages + missing) * PAGE_BYTES)
}

// SAFETY: the arena hands out each address between the start of the heap and the end of memory at most once until it is given
// back or everything is forgotten, which `call` does when nothing but the reply is in use any more.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ptr::with_exposed_provenance_mut(self.take(layout.size(), layout.align()))
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if block.addr() + layout.size() == self.top() {
            self.top.store(block.addr(), Relaxed);
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let old = layout.size();
        if size <= old {
            return block;
        }
        if block.addr() + old == self.top() && self.take(size - old, 1) != 0 {
            return block;
        }
        let moved = ptr::with_exposed_provenance_mut::<u8>(self.take(size, layout.align()));
        if !moved.is_null() {
            // SAFETY: the caller vouches for `old` bytes at `block`; the new block is larger and was taken just now.
            unsafe { ptr::copy_nonoverlapping(block, moved, old) };
        }
        moved
    }
}

/// A panic is a trap: the host has a code for it, and nothing of the machinery of messages is linked in.
#[cfg(all(target_arch = "wasm32", not(feature = "std")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    wasm32::unreachable()
}
