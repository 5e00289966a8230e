//! The memory of the policy module: one arena that grows upwards and is wound back as a whole.
//!
//! Allocation is an addition and a comparison. At the end of a call the arena frees all blocks of the call together, so a
//! million calls take as much memory as the largest one. Only the newest block can grow, shrink and be freed in place, as
//! strings and lists do while they are filled. (`docs/contribute/experiments.md` compares the arena with general allocators.)
//!
//! A call that builds and drops many values, such as the search of `explain`, would fill memory with unused blocks. So during a
//! call the arena ends at a bound. Beyond the bound, a general allocator (`abi`) returns memory and reuses freed blocks.
//!
//! This module only calculates with addresses, in safe code. `abi` turns addresses into memory.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The least number of bytes from the start of the arena to its bound. With their input, most calls need fewer.
const LEAST_BYTES: usize = 1 << 20;
/// The size of a page of WebAssembly memory.
pub(crate) const PAGE_BYTES: usize = 64 << 10;

/// The state of the allocator. The fields are atomic because a global allocator must be `Sync`; on a target without threads,
/// atomics are plain loads and stores.
pub(crate) struct Arena {
    /// The first free address; 0 before first use.
    top: AtomicUsize,
    /// The address of the newest block.
    newest: AtomicUsize,
    /// The first address beyond the memory of the arena; 0 before first use.
    end: AtomicUsize,
    /// The highest end of the arena; `usize::MAX` between calls.
    bound: AtomicUsize,
    source: Source,
}

/// The source of an arena's memory.
pub(crate) struct Source {
    /// The first address of the arena.
    pub(crate) start: fn() -> usize,
    /// Grows memory at least up to an address and returns how far memory reaches; `None` if it cannot grow.
    pub(crate) reach: fn(usize) -> Option<usize>,
}

impl Arena {
    /// Returns an empty arena. It asks for memory when it is first used.
    pub(crate) const fn new(source: Source) -> Self {
        Self {
            top: AtomicUsize::new(0),
            newest: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            bound: AtomicUsize::new(usize::MAX),
            source,
        }
    }

    /// Allocates `size` bytes at a multiple of `align`, a power of two; `None` beyond the bound, or if memory cannot grow so far.
    #[inline]
    pub(crate) fn take(&self, size: usize, align: usize) -> Option<usize> {
        let top = self.top.load(Relaxed);
        let start = top.checked_add(align - 1)? & !(align - 1);
        let next = start.checked_add(size)?;
        // Not `>`: before first use both are 0, and a block of 0 bytes must have a valid address, too.
        if next >= self.end.load(Relaxed) {
            return self.grow(size, align);
        }
        self.top.store(next, Relaxed);
        self.newest.store(start, Relaxed);
        Some(start)
    }

    /// Allocates a block beyond `end`, and the first block of all.
    #[cold]
    fn grow(&self, size: usize, align: usize) -> Option<usize> {
        let top = self.top();
        let start = top.checked_add(align - 1)? & !(align - 1);
        let next = start.checked_add(size)?;
        let bound = self.bound();
        if next > bound {
            return None;
        }
        self.end.store((self.source.reach)(next)?.min(bound), Relaxed);
        self.top.store(next, Relaxed);
        self.newest.store(start, Relaxed);
        Some(start)
    }

    /// Resizes the block at `start` in place; returns whether that was possible. The newest block can grow, any block can shrink.
    #[inline]
    pub(crate) fn resize(&self, start: usize, old: usize, new: usize) -> bool {
        let top = self.top.load(Relaxed);
        if start.checked_add(old) != Some(top) {
            return new <= old;
        }
        match start.checked_add(new) {
            Some(next) if next <= self.end.load(Relaxed) => {
                self.top.store(next, Relaxed);
                self.newest.store(start, Relaxed);
            }
            _ => {
                self.top.store(start, Relaxed);
                if self.grow(new, 1).is_none() {
                    self.top.store(top, Relaxed);
                    return false;
                }
            }
        }
        true
    }

    /// Frees the block at `start` if it is the newest. Any other block stays in use until the arena is wound back. The size is not
    /// passed, because then more than two thousand places need not calculate it.
    #[inline]
    pub(crate) fn give_back(&self, start: usize) {
        if start == self.newest.load(Relaxed) {
            self.top.store(start, Relaxed);
        }
    }

    /// Sets the bound for a call, above all buffers. The arena ends there until it is wound back.
    pub(crate) fn bind(&self) {
        let bound = self.top().max((self.source.start)() + LEAST_BYTES).next_multiple_of(PAGE_BYTES);
        self.bound.store(bound, Relaxed);
        self.end.store(self.end.load(Relaxed).min(bound), Relaxed);
    }

    /// The highest end of the arena; `usize::MAX` between calls.
    #[inline]
    pub(crate) fn bound(&self) -> usize {
        self.bound.load(Relaxed)
    }

    /// The first free address.
    pub(crate) fn top(&self) -> usize {
        match self.top.load(Relaxed) {
            0 => (self.source.start)(),
            top => top,
        }
    }

    /// Frees every block from `top` on, and removes the bound. Memory keeps its size; the next block finds out how far it reaches.
    pub(crate) fn wind_back(&self, top: usize) {
        self.top.store(top, Relaxed);
        self.newest.store(0, Relaxed);
        self.end.store(0, Relaxed);
        self.bound.store(usize::MAX, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, LEAST_BYTES, Source};

    const START: usize = 0x1_0003;
    const PAGE: usize = 0x1_0000;
    const MAXIMUM: usize = 4 * PAGE;

    fn arena() -> Arena {
        Arena::new(Source {
            start: || START,
            reach: |end| (end <= MAXIMUM).then(|| end.next_multiple_of(PAGE).max(2 * PAGE)),
        })
    }

    #[test]
    fn blocks_are_aligned_and_apart() {
        let arena = arena();
        assert_eq!(arena.take(1, 1), Some(START));
        assert_eq!(arena.take(16, 8), Some(0x1_0008));
        assert_eq!(arena.take(3, 1), Some(0x1_0018));
        assert_eq!(arena.take(4, 4), Some(0x1_001c));
    }

    #[test]
    fn a_block_of_no_bytes_has_an_address() {
        assert_eq!(arena().take(0, 1), Some(START));
    }

    #[test]
    fn the_newest_block_changes_in_place() {
        let arena = arena();
        let older = arena.take(8, 8).unwrap();
        let newest = arena.take(8, 8).unwrap();
        assert!(arena.resize(newest, 8, 100) && arena.top() == newest + 100);
        assert!(arena.resize(newest, 100, 3 * PAGE - 16) && arena.top() == newest + 3 * PAGE - 16);
        assert!(arena.resize(newest, 3 * PAGE - 16, 4) && arena.top() == newest + 4);
        assert!(!arena.resize(older, 8, 16), "an older block cannot grow");
        assert!(arena.resize(older, 8, 4), "but it can shrink");
        assert_eq!(arena.top(), newest + 4);
        arena.give_back(older);
        assert_eq!(arena.top(), newest + 4, "and is not given back");
        arena.give_back(newest);
        assert_eq!(arena.top(), newest);
    }

    #[test]
    fn a_block_that_does_not_fit_is_refused_and_changes_nothing() {
        let arena = arena();
        let block = arena.take(8, 8).unwrap();
        for size in [MAXIMUM, usize::MAX - 8, usize::MAX] {
            assert_eq!(arena.take(size, 1), None, "{size}");
            assert_eq!(arena.take(size, 1 << 16), None, "{size}");
            assert!(!arena.resize(block, 8, size), "{size}");
            assert_eq!(arena.top(), block + 8);
        }
        assert!(arena.take(8, 8).is_some());
    }

    #[test]
    fn during_a_call_the_arena_ends_at_its_bound() {
        let arena = Arena::new(Source { start: || START, reach: |end| Some(end.next_multiple_of(PAGE)) });
        let input = arena.take(8 * PAGE, 8).unwrap();
        arena.bind();
        let bound = arena.bound();
        assert_eq!(bound, (START + LEAST_BYTES).next_multiple_of(PAGE));
        let block = arena.take(8, 8).unwrap();
        assert_eq!(arena.take(bound - arena.top() + 1, 1), None);
        assert!(!arena.resize(block, 8, bound - block + 1), "the newest block cannot grow beyond it, either");
        assert!(arena.resize(block, 8, bound - block));
        assert_eq!(arena.take(1, 1), None);
        arena.wind_back(input);
        assert_eq!(arena.bound(), usize::MAX);
        assert!(arena.take(2 * LEAST_BYTES, 8).is_some());
    }

    #[test]
    fn the_bound_lies_above_all_buffers() {
        let arena = Arena::new(Source { start: || START, reach: |end| Some(end.next_multiple_of(PAGE)) });
        assert!(arena.take(3 * LEAST_BYTES, 8).is_some());
        arena.bind();
        assert!((arena.top()..arena.top() + PAGE).contains(&arena.bound()));
    }

    #[test]
    fn memory_stays_flat_when_wound_back() {
        let arena = arena();
        let floor = arena.top();
        for _ in 0..1_000_000 {
            arena.wind_back(floor);
            assert!(arena.take(2 * PAGE, 8).is_some());
        }
    }
}
