//! The module interface, version 1, in wasm: addresses in, addresses out, and the memory behind them.
//!
//! ```text
//! | stack | statics | latest reply | buffers handed out | scratch of the call ... |
//!                   ^ start of the heap                 ^ top, when a call begins
//! ```
//!
//! Memory is taken from the bottom up, and only the newest block can be freed. After a call, all blocks are freed and
//! the reply is moved down to the start. So the reply outlives any number of `adjudicate_alloc` until the next call,
//! and memory never exceeds the need of the largest call. All the unsafe code of the crate is here. `cargo xtask miri`
//! runs it under Miri, with a stand-in for linear memory (`tests/miri`).
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

/// The record of the latest reply, which the host reads: two little-endian `u32`s.
static REPLY: Record = Record { address: AtomicUsize::new(0), length: AtomicUsize::new(0) };

#[repr(C)]
struct Record {
    address: AtomicUsize,
    length: AtomicUsize,
}

/// Allocates from the bottom up. Atomic because a global allocator must be shareable; without threads that is a plain
/// integer.
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

    /// Takes `size` bytes at a multiple of `align`; 0 if memory cannot grow so far.
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

/// Allocates a buffer of `length` bytes for the next call; 0 if memory cannot grow so far.
#[must_use]
pub fn allocate(length: usize) -> usize {
    MEMORY.take(length, align_of::<u64>())
}

/// Runs an operation on a buffer. Returns the address of the reply record.
#[must_use]
pub fn call(policy: &Policy, operation: i32, address: usize, length: usize) -> usize {
    let end = address.checked_add(length).filter(|end| address >= heap_start() && *end <= MEMORY.top());
    let input: &[u8] = match end {
        // SAFETY: between the start of the heap and the top are the latest reply and the allocated buffers. These bytes
        // exist, and no reference points to them. The policy allocates above the top, so it does not write to them.
        Some(_) if length > 0 => unsafe {
            slice::from_raw_parts(ptr::with_exposed_provenance(address), length)
        },
        // An empty buffer, or one from elsewhere: neither is JSON.
        _ => &[],
    };
    let reply = policy.call(operation, input).leak();
    let (from, size) = (reply.as_ptr().expose_provenance(), reply.len());
    MEMORY.top.store(heap_start(), Relaxed);
    let to = MEMORY.take(size, 1);
    // SAFETY: both are inside of memory, which contains the reply. The blocks between the start of the heap and the
    // reply are free, and `copy` allows the two to overlap.
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
    // SAFETY: the linker defines this symbol. Only its address has a meaning, and only the address is read.
    unsafe extern "C" {
        static __heap_base: u8;
    }
    (&raw const __heap_base).expose_provenance()
}

/// Grows memory at least up to `end`, if it can. Returns its size.
#[cfg(target_arch = "wasm32")]
fn reach(end: usize) -> Option<usize> {
    let pages = wasm32::memory_size::<0>();
    let missing = end.div_ceil(PAGE_BYTES).saturating_sub(pages);
    if missing > 0 && wasm32::memory_grow::<0>(missing) == usize::MAX {
        return None;
    }
    Some((pages + missing) * PAGE_BYTES)
}

// SAFETY: the arena returns each address between the start of the heap and the end of memory at most once until it is
// freed. `call` frees all blocks only when nothing except the reply is still in use.
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
            // SAFETY: the caller guarantees `old` bytes at `block`. The new block is larger and was taken just now.
            unsafe { ptr::copy_nonoverlapping(block, moved, old) };
        }
        moved
    }
}

/// A panic is a trap. The host has a code for it, and the module contains no code for panic messages.
#[cfg(all(target_arch = "wasm32", not(feature = "std")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    wasm32::unreachable()
}
