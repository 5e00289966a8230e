//! The policy-module interface, version 1 (SPEC section 13.1): addresses in, addresses out.
//!
//! Owns the exports, the module's memory and the one pointer to the configured policy. All the unsafe code of the
//! crate is here, because an address from outside can only be turned into bytes here.
//!
//! ```text
//! | stack | statics | configured policy | latest reply | buffers handed out | scratch of the call ... |
//!                                       ^ floor                             ^ top, when a call begins
//! ```
//!
//! When a call has its reply, the arena is wound back to the floor and the reply is moved down there. So the reply
//! outlives any number of `adjudicate_alloc` calls until the next call, as the interface promises; buffers are good
//! for one call; and memory is never larger than the largest call needed.
#![expect(unsafe_code, reason = "the host speaks in addresses, and the allocator hands them out")]

use alloc::string::String;
use core::{
    alloc::{GlobalAlloc, Layout},
    arch::wasm32,
    cell::OnceCell,
    panic::PanicInfo,
    ptr, slice,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use adjudicate_core::{Error, ErrorCode, Policy, reply};

use crate::{
    arena::{Arena, Source},
    manifest, session,
};

const PAGE_BYTES: usize = 64 << 10;

/// The minor version of the interface.
const MINOR_VERSION: i32 = 0;

#[global_allocator]
static MEMORY: Arena = Arena::new(Source { start: heap_start, reach });

/// What the arena is wound back to: below it lies the configured policy. 0 before first use.
static FLOOR: AtomicUsize = AtomicUsize::new(0);

/// Where the latest reply is: what the host reads.
static REPLY: ReplyRecord = ReplyRecord { address: AtomicUsize::new(0), length: AtomicUsize::new(0) };

static POLICY: OneThread<OnceCell<Policy>> = OneThread(OnceCell::new());

// SAFETY: a static that no code refers to; the linker turns it into the custom section of that name.
#[used]
#[unsafe(link_section = "adjudicate.manifest")]
static MANIFEST: [u8; manifest::BYTES.len()] = manifest::BYTES;

/// The reply record of the interface: two little-endian `u32`s.
#[repr(C)]
struct ReplyRecord {
    address: AtomicUsize,
    length: AtomicUsize,
}

/// A value that only one thread can see, because there is only one.
struct OneThread<T>(T);

// SAFETY: the interface is wasm32 without threads: the module imports nothing, so its memory cannot be shared.
unsafe impl<T> Sync for OneThread<T> {}

/// Marks the interface; answers the minor version.
// SAFETY: no other symbol of the module has this name. The same goes for the exports below.
#[unsafe(no_mangle)]
extern "C" fn adjudicate_abi_1() -> i32 {
    MINOR_VERSION
}

/// Hands out a buffer of `length` bytes, good for the next call; 0 when memory cannot grow so far.
#[unsafe(no_mangle)]
extern "C" fn adjudicate_alloc(length: usize) -> usize {
    MEMORY.take(length, align_of::<u64>()).unwrap_or(0)
}

/// Runs an operation on a buffer; answers the address of the reply record.
#[unsafe(no_mangle)]
extern "C" fn adjudicate_call(operation: i32, address: usize, length: usize) -> &'static ReplyRecord {
    answer(address, length, |input| session::call(operation, input, POLICY.0.get()))
}

/// Parses the policy document in a buffer for all later calls; answers the address of the reply record.
#[unsafe(no_mangle)]
extern "C" fn adjudicate_configure(address: usize, length: usize) -> &'static ReplyRecord {
    answer(address, length, |document| {
        let was_configured = POLICY.0.get().is_some();
        let text = session::configure(document, &POLICY.0);
        if !was_configured && POLICY.0.get().is_some() {
            FLOOR.store(MEMORY.top(), Relaxed);
        }
        text
    })
}

/// Runs `run` on the bytes that the host wrote, if it wrote them where it was told to, and keeps the reply.
fn answer(address: usize, length: usize, run: impl FnOnce(&[u8]) -> String) -> &'static ReplyRecord {
    let text = match address.checked_add(length) {
        _ if length == 0 => run(&[]),
        // SAFETY: between the floor and the top lie the latest reply and the buffers handed out: initialised bytes
        // that nothing else refers to, and that nothing writes to while `run` allocates above the top.
        Some(end) if floor() <= address && end <= MEMORY.top() => {
            run(unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(address), length) })
        }
        _ => {
            let message = "the input is not in a buffer that `adjudicate_alloc` gave";
            reply(Err(Error::new(ErrorCode::InvalidValue, message)))
        }
    };
    park(text)
}

/// Winds the arena back to the floor, with the reply as the one thing kept.
fn park(text: String) -> &'static ReplyRecord {
    let text = text.leak();
    let (start, floor) = (text.as_ptr().expose_provenance(), floor());
    MEMORY.wind_back(floor);
    // The reply of the call that configured lies below the floor that it raised, and stays there.
    let address = if start < floor { start } else { move_down(text, floor) };
    REPLY.address.store(address, Relaxed);
    REPLY.length.store(text.len(), Relaxed);
    &REPLY
}

/// Moves a text that lies at the floor or above it down to the floor, the top of the arena that was wound back.
fn move_down(text: &str, floor: usize) -> usize {
    // Memory reaches at least as far as where the text is, so there is room; a trap, should that ever be wrong.
    let Some(address) = MEMORY.take(text.len(), 1) else { wasm32::unreachable() };
    debug_assert_eq!(address, floor);
    // SAFETY: the source is initialised. The destination is `text.len()` bytes that the arena has just handed out, so
    // they are inside of memory, and nothing uses them: whatever lay above the floor is forgotten, but for the text,
    // and `copy` allows the two to overlap.
    unsafe { ptr::copy(text.as_ptr(), ptr::with_exposed_provenance_mut(address), text.len()) };
    address
}

fn floor() -> usize {
    match FLOOR.load(Relaxed) {
        0 => heap_start(),
        floor => floor,
    }
}

fn heap_start() -> usize {
    // SAFETY: the linker defines this symbol; only its address means anything, and only that is taken.
    unsafe extern "C" {
        static __heap_base: u8;
    }
    (&raw const __heap_base).expose_provenance()
}

/// Makes memory reach at least up to `end`, and says how far it reaches now.
fn reach(end: usize) -> Option<usize> {
    let pages = wasm32::memory_size::<0>();
    let missing = end.div_ceil(PAGE_BYTES).saturating_sub(pages);
    if missing > 0 && wasm32::memory_grow::<0>(missing) == usize::MAX {
        return None;
    }
    Some((pages + missing) * PAGE_BYTES)
}

// SAFETY: the arena hands out each address between the start of the heap and the end of memory at most once until it
// is given back or the arena is wound back, which `park` does when nothing above the floor is in use any more.
unsafe impl GlobalAlloc for Arena {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.take(layout.size(), layout.align()) {
            Some(address) => ptr::with_exposed_provenance_mut(address),
            None => ptr::null_mut(),
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.give_back(block.addr(), layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if self.resize(block.addr(), layout.size(), size) {
            return block;
        }
        let Some(address) = self.take(size, layout.align()) else { return ptr::null_mut() };
        let moved = ptr::with_exposed_provenance_mut(address);
        // SAFETY: the caller vouches for `layout.size()` bytes at `block`. `resize` refuses only to grow, so the new
        // block is the larger one, and it was taken just now, so the two are apart.
        unsafe { ptr::copy_nonoverlapping(block, moved, layout.size()) };
        moved
    }
}

/// A panic is a trap: the host maps it to a code of its own, and nothing of the machinery of messages is linked in.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    wasm32::unreachable()
}
