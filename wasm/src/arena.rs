//! The memory of the policy module: one arena that grows upwards and is wound back, never freed block by block.
//!
//! A call allocates, answers, and is forgotten as a whole, so allocating is an addition and a comparison, and a
//! million calls leave memory as flat as one does. The newest block is special: it can grow, shrink and be given
//! back in place, which is what strings and lists that are being filled do. (How this compares with general
//! allocators is measured in `BENCHMARKS.md`.)
//!
//! Here are the sums only, over plain addresses and in safe code. Turning an address into memory is `abi`'s.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Where free memory begins, and how to get more. Atomics because a global allocator must be shareable; on a target
/// without threads they are plain loads and stores.
pub(crate) struct Arena {
    /// The first free address; 0 before first use.
    top: AtomicUsize,
    /// The first address that is not there yet; 0 before first use.
    end: AtomicUsize,
    source: Source,
}

/// Where an arena's memory comes from.
pub(crate) struct Source {
    /// The first address of the arena.
    pub(crate) start: fn() -> usize,
    /// Makes memory reach at least up to an address, and says how far it reaches now; `None` when it cannot.
    pub(crate) reach: fn(usize) -> Option<usize>,
}

impl Arena {
    /// An arena that takes nothing before it is used.
    pub(crate) const fn new(source: Source) -> Self {
        Self { top: AtomicUsize::new(0), end: AtomicUsize::new(0), source }
    }

    /// Takes `size` bytes at a multiple of `align`, a power of two; `None` when memory cannot grow so far.
    #[inline]
    pub(crate) fn take(&self, size: usize, align: usize) -> Option<usize> {
        let top = self.top.load(Relaxed);
        let start = top.checked_add(align - 1)? & !(align - 1);
        let next = start.checked_add(size)?;
        // Not `>`: before first use both are 0, and even no bytes at all must have a true address.
        if next >= self.end.load(Relaxed) {
            return self.take_more(size, align);
        }
        self.top.store(next, Relaxed);
        Some(start)
    }

    /// The first use, and each use that memory must grow for.
    #[cold]
    fn take_more(&self, size: usize, align: usize) -> Option<usize> {
        let top = self.top();
        let start = top.checked_add(align - 1)? & !(align - 1);
        let next = start.checked_add(size)?;
        self.end.store((self.source.reach)(next)?, Relaxed);
        self.top.store(next, Relaxed);
        Some(start)
    }

    /// Makes the block at `start` `new` bytes long where it is, if it is the newest block or shrinks.
    #[inline]
    pub(crate) fn resize(&self, start: usize, old: usize, new: usize) -> bool {
        let top = self.top.load(Relaxed);
        if start.checked_add(old) != Some(top) {
            return new <= old;
        }
        match start.checked_add(new) {
            Some(next) if next <= self.end.load(Relaxed) => self.top.store(next, Relaxed),
            _ => {
                self.top.store(start, Relaxed);
                if self.take_more(new, 1).is_none() {
                    self.top.store(top, Relaxed);
                    return false;
                }
            }
        }
        true
    }

    /// Gives the block at `start` back, if it is the newest; any other waits for the arena to be wound back. Out of line,
    /// for values are dropped in more than a thousand places.
    #[inline(never)]
    pub(crate) fn give_back(&self, start: usize, size: usize) {
        if start.checked_add(size) == Some(self.top.load(Relaxed)) {
            self.top.store(start, Relaxed);
        }
    }

    /// The first free address.
    pub(crate) fn top(&self) -> usize {
        match self.top.load(Relaxed) {
            0 => (self.source.start)(),
            top => top,
        }
    }

    /// The first address that is known not to be there yet; 0 where nothing is known.
    pub(crate) fn reached(&self) -> usize {
        self.end.load(Relaxed)
    }

    /// Forgets how far memory reaches, as before first use: the next block asks anew.
    pub(crate) fn forget_reach(&self) {
        self.end.store(0, Relaxed);
    }

    /// Forgets every block from `top` on. Memory stays as large as it is.
    pub(crate) fn wind_back(&self, top: usize) {
        self.top.store(top, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, Source};

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
    fn even_no_bytes_have_an_address() {
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
        arena.give_back(older, 4);
        assert_eq!(arena.top(), newest + 4, "and is not given back");
        arena.give_back(newest, 4);
        assert_eq!(arena.top(), newest);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
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
    fn a_reach_that_was_forgotten_is_asked_for_anew() {
        let arena = arena();
        let block = arena.take(8, 8).unwrap();
        assert_eq!(arena.reached(), 2 * PAGE);
        arena.forget_reach();
        assert_eq!((arena.reached(), arena.top()), (0, block + 8));
        assert!(arena.resize(block, 8, 16) && arena.reached() == 2 * PAGE);
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
