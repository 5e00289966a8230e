//! The policy-module interface, version 1 (docs/reference/modules.md): addresses in, addresses out.
//!
//! Owns the exports, the module's memory and the one pointer to the configured policy. All unsafe code of the crate is here,
//! because only this module turns addresses into bytes.
//!
//! ```text
//! | stack | statics | configured policy | latest reply | buffers handed out | scratch of the call ... |
//!                                       ^ floor                             ^ top, when a call begins
//! ```
//!
//! During a call, a general allocator (`dlmalloc`) above the arena serves the blocks that do not fit into the arena, and reuses
//! freed blocks. At the end of the call, its memory is free as a whole, too.
//!
//! At the end of a call, the arena is wound back to the floor and the reply is moved down there. So the reply stays valid
//! during any number of `adjudicate_alloc` calls until the next call, as the interface promises. Buffers are valid for one
//! call, and memory is never larger than the largest call needs.
//!
//! A host may make another call after a call that trapped. The later call first frees the memory of the trapped one (`recover`).
//!
//! `adjudicate_configure` copies the policy down to the floor in one piece, and zeroes all memory above it. So a snapshot that
//! is taken then (`adjudicate build`) contains the engine, the policy and zeros, which take no space in a module.
//!
//! `cargo xtask miri` runs this file under Miri, with a stand-in for linear memory (`tests/miri`).
#![expect(unsafe_code, reason = "the host passes addresses, and the allocator returns them")]

use alloc::{alloc::handle_alloc_error, string::String};
use core::{
    alloc::{GlobalAlloc, Layout},
    cell::{OnceCell, UnsafeCell},
    mem,
    ptr::{self, NonNull},
    slice,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
#[cfg(target_arch = "wasm32")]
use core::{arch::wasm32, panic::PanicInfo};

use adjudicate_core::{Error, Policy, codes, reply};
use dlmalloc::Dlmalloc;

use crate::{
    arena::{Arena, PAGE_BYTES, Source},
    manifest, session,
};

/// The largest alignment. Two copies of a value that begin at multiples of it have the same layout.
const ALIGNMENT: usize = align_of::<u128>();

/// The minor version of the interface.
const MINOR_VERSION: i32 = 0;

#[global_allocator]
static MEMORY: Arena = Arena::new(Source { start: heap_start, reach });

/// The memory above the arena's bound, during a call that needs more than the arena.
static BEYOND: OneThread<UnsafeCell<Dlmalloc<Pages>>> =
    OneThread(UnsafeCell::new(Dlmalloc::new_with_allocator(Pages)));

/// The address of the next page for `BEYOND`; 0 while a call does not use it.
static NEXT_PAGE: AtomicUsize = AtomicUsize::new(0);

/// The address that the arena is wound back to. The configured policy lies below it. 0 without a configured policy.
static FLOOR: AtomicUsize = AtomicUsize::new(0);

/// The address and length of the latest reply, for the host.
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

impl ReplyRecord {
    /// Points to a static text.
    fn hold(&self, text: &'static str) -> &Self {
        self.store(text.as_ptr().expose_provenance(), text.len())
    }

    fn store(&self, address: usize, length: usize) -> &Self {
        self.address.store(address, Relaxed);
        self.length.store(length, Relaxed);
        self
    }
}

/// A value that only one thread can access, because there is only one.
struct OneThread<T>(T);

// SAFETY: the interface is wasm32 without threads: the module imports nothing, so its memory cannot be shared.
unsafe impl<T> Sync for OneThread<T> {}

/// Marks version 1 of the interface; returns the minor version.
// SAFETY: no other symbol of the module has this name. The same goes for the exports below.
#[unsafe(no_mangle)]
extern "C" fn adjudicate_abi_1() -> i32 {
    MINOR_VERSION
}

/// Returns the address of a buffer of `length` bytes, valid for the next call; 0 if memory cannot grow so far.
#[unsafe(no_mangle)]
extern "C" fn adjudicate_alloc(length: usize) -> usize {
    recover();
    MEMORY.take(length, align_of::<u64>()).unwrap_or(0)
}

/// Runs an operation on a buffer; returns the address of the reply record.
#[unsafe(no_mangle)]
extern "C" fn adjudicate_call(operation: i32, address: usize, length: usize) -> &'static ReplyRecord {
    answer(address, length, |input| session::call(operation, input, POLICY.0.get()))
}

/// Parses the policy document in a buffer for all later calls; returns the address of the reply record.
#[unsafe(no_mangle)]
extern "C" fn adjudicate_configure(address: usize, length: usize) -> &'static ReplyRecord {
    let record = configure(address, length);
    wipe_stack();
    record
}

/// Calls `run` if the input lies in a buffer, and keeps the reply or the error.
fn answer(address: usize, length: usize, run: impl FnOnce(&[u8]) -> String) -> &'static ReplyRecord {
    recover();
    park(match buffer(address, length) {
        Ok(input) => {
            MEMORY.bind();
            run(input)
        }
        Err(error) => reply(Err(error)),
    })
}

/// Configures the policy. Out of line, so that its stack frame can be zeroed afterwards.
#[inline(never)]
fn configure(address: usize, length: usize) -> &'static ReplyRecord {
    recover();
    let is_configured = POLICY.0.get().is_some();
    let policy = buffer(address, length).and_then(|document| session::policy(document, is_configured));
    match policy {
        Ok(policy) => {
            // The cell is empty: `session::policy` refuses a second policy.
            let _ = POLICY.0.set(settle(policy));
            REPLY.hold(session::CONFIGURED)
        }
        Err(error) => park(reply(Err(error))),
    }
}

/// Frees the memory of a call that trapped, with its buffers and the reply before it.
fn recover() {
    if MEMORY.bound() != usize::MAX {
        release();
    }
}

/// Frees all memory above the floor.
fn release() {
    MEMORY.wind_back(floor());
    NEXT_PAGE.store(0, Relaxed);
}

/// Returns the input of a call. The input must lie in buffers that `adjudicate_alloc` returned.
fn buffer<'a>(address: usize, length: usize) -> Result<&'a [u8], Error> {
    match address.checked_add(length) {
        _ if length == 0 => Ok(&[]),
        // SAFETY: between the floor and the top lie the latest reply and the allocated buffers: initialised bytes
        // that nothing else refers to. While a call reads them, it allocates above the top or in blocks that it freed itself,
        // so nothing writes to them. Each caller stops reading them before it winds the arena back.
        Some(end) if floor() <= address && end <= MEMORY.top() => {
            Ok(unsafe { slice::from_raw_parts(ptr::with_exposed_provenance(address), length) })
        }
        _ => {
            let message = "the input is not in a buffer that `adjudicate_alloc` returned";
            Err(Error::new(codes::INVALID_VALUE, message))
        }
    }
}

/// Moves a policy down to the floor, raises the floor above it, and zeroes the memory above.
///
/// The parts of a parsed policy lie scattered among other blocks. The parts of a copy lie in one piece, and a copy of the copy
/// takes the same number of bytes anywhere.
fn settle(policy: Policy) -> Policy {
    let (above, start, end) = copied(policy);
    // The copy at the floor may overlap the first copy, if parsing took less memory than the policy itself. A second copy above
    // the first is far enough away.
    let (above, end) = if floor().next_multiple_of(ALIGNMENT) + (end - start) > start {
        let (above, _, end) = copied(above);
        (above, end)
    } else {
        (above, end)
    };
    MEMORY.wind_back(floor());
    let (settled, _, floor) = copied(above);
    FLOOR.store(floor, Relaxed);
    wipe(floor, reach(end).unwrap_or(end));
    MEMORY.wind_back(floor);
    settled
}

/// Returns a copy of a policy, and the addresses of its start and end.
///
/// The original is not dropped, because the arena may have been wound back to below its blocks, which then must not be freed.
fn copied(policy: Policy) -> (Policy, usize, usize) {
    let start = MEMORY.top().next_multiple_of(ALIGNMENT);
    MEMORY.wind_back(start);
    let copy = policy.detached();
    mem::forget(policy);
    (copy, start, MEMORY.top())
}

/// Zeroes unused memory.
fn wipe(from: usize, to: usize) {
    // SAFETY: both callers pass existing memory that nothing refers to: memory above the floor while no call runs, or the stack
    // below the frame of the only function that runs.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(from).write_bytes(0, to.saturating_sub(from)) }
}

/// Zeroes the part of the stack that earlier frames used. The stack comes first in memory and grows down; nothing lies below
/// address 1024.
#[cfg(target_arch = "wasm32")]
#[inline(never)]
fn wipe_stack() {
    let mark = 0_u8;
    wipe(1024, (&raw const mark).expose_provenance());
}

/// Does nothing: on other targets the stack lies elsewhere.
#[cfg(not(target_arch = "wasm32"))]
fn wipe_stack() {}

/// Winds the arena back to the floor and keeps only the reply.
fn park(text: String) -> &'static ReplyRecord {
    let text = text.leak();
    release();
    REPLY.store(move_down(text, floor()), text.len())
}

/// Moves a text down to the floor, from the floor or above it. The floor is the top of the arena, which was wound back.
fn move_down(text: &str, floor: usize) -> usize {
    // Memory reaches at least to the end of the text, so this cannot fail. In wasm, `unreachable` is a trap.
    let Some(address) = MEMORY.take(text.len(), 1) else { unreachable!() };
    debug_assert_eq!(address, floor);
    // SAFETY: the source is initialised. The destination is `text.len()` bytes that the arena has just allocated, so
    // they are inside of memory. Nothing uses them, because all blocks above the floor are free except the text, and
    // `copy` allows the two to overlap.
    unsafe { ptr::copy(text.as_ptr(), ptr::with_exposed_provenance_mut(address), text.len()) };
    address
}

fn floor() -> usize {
    match FLOOR.load(Relaxed) {
        0 => heap_start(),
        floor => floor,
    }
}

#[cfg(miri)]
unsafe extern "Rust" {
    safe fn heap_start() -> usize;
    safe fn reach(end: usize) -> Option<usize>;
}

#[cfg(target_arch = "wasm32")]
fn heap_start() -> usize {
    // SAFETY: the linker defines this symbol; only its address has a meaning, and this function takes only the address.
    unsafe extern "C" {
        static __heap_base: u8;
    }
    (&raw const __heap_base).expose_provenance()
}

/// Grows memory at least up to `end`, and returns how far it reaches.
#[cfg(target_arch = "wasm32")]
fn reach(end: usize) -> Option<usize> {
    let pages = wasm32::memory_size::<0>();
    let missing = end.div_ceil(PAGE_BYTES).saturating_sub(pages);
    if missing > 0 && wasm32::memory_grow::<0>(missing) == usize::MAX {
        return None;
    }
    Some((pages + missing) * PAGE_BYTES)
}

/// Passes the allocator above the arena's bound to `act`. A call that first uses the allocator gets a new one.
#[cold]
#[inline(never)]
fn beyond<T>(act: impl FnOnce(&mut Dlmalloc<Pages>) -> T) -> T {
    // SAFETY: there is one thread, and the allocator does not call back: `Pages` does not allocate.
    let allocator = unsafe { &mut *BEYOND.0.get() };
    if NEXT_PAGE.load(Relaxed) == 0 {
        NEXT_PAGE.store(MEMORY.bound(), Relaxed);
        *allocator = Dlmalloc::new_with_allocator(Pages);
    }
    act(allocator)
}

/// The pages above the arena's bound, in order.
struct Pages;

// SAFETY: each page is allocated once during a call, and none is given back.
unsafe impl dlmalloc::Allocator for Pages {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let start = NEXT_PAGE.load(Relaxed);
        match start.checked_add(size).filter(|end| reach(*end).is_some()) {
            Some(end) => {
                NEXT_PAGE.store(end, Relaxed);
                (ptr::with_exposed_provenance_mut(start), size, 0)
            }
            None => (ptr::null_mut(), 0, 0),
        }
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, _: *mut u8, _: usize, _: usize) -> bool {
        false
    }

    fn free(&self, _: *mut u8, _: usize) -> bool {
        false
    }

    fn can_release_part(&self, _: u32) -> bool {
        false
    }

    fn allocates_zeros(&self) -> bool {
        false
    }

    fn page_size(&self) -> usize {
        PAGE_BYTES
    }
}

impl Arena {
    /// Allocates a block, or ends the program. Because of the type, no caller tests the address.
    #[inline(never)]
    fn block(&self, layout: Layout) -> NonNull<u8> {
        let block = match self.take(layout.size(), layout.align()) {
            // SAFETY: the stack comes first in memory, so no block has the address 0.
            Some(address) => {
                return unsafe { NonNull::new_unchecked(ptr::with_exposed_provenance_mut(address)) };
            }
            // Between calls, only the end of memory bounds the arena.
            None if self.bound() == usize::MAX => None,
            // SAFETY: the size of a layout is not zero here, and the alignment is a power of two.
            None => NonNull::new(beyond(|memory| unsafe { memory.malloc(layout.size(), layout.align()) })),
        };
        block.unwrap_or_else(|| handle_alloc_error(layout))
    }
}

// SAFETY: the arena returns each address between the start of the heap and its bound at most once until the block is
// freed or the arena is wound back. `BEYOND` has the memory above the bound. The functions above wind the arena back
// only while nothing above the new top is in use, except a value that they move down next.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.block(layout).as_ptr()
    }

    // Out of line, because values are dropped in more than a thousand places.
    #[inline(never)]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        if block.addr() < self.bound() {
            self.give_back(block.addr());
        } else {
            // SAFETY: the block lies above the bound, so it is of that allocator.
            beyond(|memory| unsafe { memory.c_free(block) });
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if block.addr() >= self.bound() {
            // SAFETY: as for `dealloc`.
            return beyond(|memory| unsafe { memory.realloc(block, layout.size(), layout.align(), size) });
        }
        if self.resize(block.addr(), layout.size(), size) {
            return block;
        }
        // SAFETY: the caller vouches for the size, which is not zero, and for the alignment.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        // SAFETY: the caller vouches for `layout.size()` bytes at `block`. `resize` refuses only to grow, so the new block is the
        // larger one, and it was taken just now, so the two are apart.
        unsafe { ptr::copy_nonoverlapping(block, moved, layout.size()) };
        self.give_back(block.addr());
        moved
    }
}

/// A panic is a trap, which the host reports as `module_trap`. So no code for messages is linked in.
#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    wasm32::unreachable()
}
