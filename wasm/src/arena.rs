//! The memory of the policy module: one arena that grows upwards and is wound back as a whole.
//!
//! To allocate is an addition and a comparison. At the end of a call the arena forgets all blocks of the call together, so a
//! million calls take as much memory as the largest one. Only the newest block can grow, shrink and be freed in place, as
//! strings and lists do while they are filled. (`BENCHMARKS.md` compares the arena with general allocators.)
//!
//! A call that builds and drops many values, as the search of `explain` does, would fill memory with unused blocks. So when
//! memory reaches beyond [`NOTED_FROM`], the arena keeps freed blocks in lists, and uses them before memory grows further.
//!
//! This module only calculates with addresses, in safe code. `abi` turns addresses into memory.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The address beyond which memory must reach before freed blocks are noted. Most calls stay below, and pay one comparison for
/// each freed block.
pub(crate) const NOTED_FROM: usize = 1 << 20;
/// The number of lists of noted blocks. Below 128 bytes, each multiple of 8 has a list; then each power of two has four lists; the
/// last list has all blocks of 64 KiB or more.
const LISTS: usize = 16 + 4 * 9 + 1;
/// The number of blocks of a list that are tested for their size.
const LOOKED_AT: usize = 8;
/// The size of a word. A noted block begins with two words: the address of the next block of its list, and its own size.
const WORD: usize = size_of::<usize>();

/// The state of the allocator. The fields are atomic because a global allocator must be `Sync`; on a target without threads,
/// atomics are plain loads and stores.
pub(crate) struct Arena {
    /// The first free address; 0 before first use.
    top: AtomicUsize,
    /// The first address beyond memory; 0 before first use.
    end: AtomicUsize,
    /// Freed blocks are noted while memory reaches beyond this address; `usize::MAX` means never.
    noted_from: AtomicUsize,
    /// The address of the first noted block of each list; 0 for an empty list.
    noted: [AtomicUsize; LISTS],
    source: Source,
}

/// The source of an arena's memory.
pub(crate) struct Source {
    /// The first address of the arena.
    pub(crate) start: fn() -> usize,
    /// Grows memory at least up to an address and returns how far memory reaches; `None` if it cannot grow.
    pub(crate) reach: fn(usize) -> Option<usize>,
    /// Reads the word at an address in a noted block.
    pub(crate) load: fn(usize) -> usize,
    /// Writes a word to an address in a noted block.
    pub(crate) store: fn(usize, usize),
}

impl Arena {
    /// Returns an empty arena. It asks for memory when it is first used.
    pub(crate) const fn new(source: Source) -> Self {
        Self {
            top: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            noted_from: AtomicUsize::new(usize::MAX),
            noted: [const { AtomicUsize::new(0) }; LISTS],
            source,
        }
    }

    /// Allocates `size` bytes at a multiple of `align`, a power of two; `None` if memory cannot grow so far.
    #[inline]
    pub(crate) fn take(&self, size: usize, align: usize) -> Option<usize> {
        let top = self.top.load(Relaxed);
        let start = top.checked_add(align - 1)? & !(align - 1);
        let next = start.checked_add(size)?;
        // Not `>`: before first use both are 0, and a block of 0 bytes must have a valid address, too.
        if next >= self.end.load(Relaxed) {
            return self.take_more(size, align);
        }
        self.top.store(next, Relaxed);
        Some(start)
    }

    /// Allocates if memory ends before the block would: uses a noted block, or else grows memory. The first use comes here, too.
    #[cold]
    fn take_more(&self, size: usize, align: usize) -> Option<usize> {
        if let Some(start) = self.take_noted(size, align) {
            return Some(start);
        }
        self.grow(size, align)
    }

    fn grow(&self, size: usize, align: usize) -> Option<usize> {
        let top = self.top();
        let start = top.checked_add(align - 1)? & !(align - 1);
        let next = start.checked_add(size)?;
        self.end.store((self.source.reach)(next)?, Relaxed);
        self.top.store(next, Relaxed);
        Some(start)
    }

    /// Resizes the block at `start` in place; returns whether that was possible. The newest block can grow, any block can shrink.
    #[inline]
    pub(crate) fn resize(&self, start: usize, old: usize, new: usize) -> bool {
        let top = self.top.load(Relaxed);
        if start.checked_add(old) != Some(top) {
            if new < old {
                self.give_back(start + new, old - new);
            }
            return new <= old;
        }
        match start.checked_add(new) {
            Some(next) if next <= self.end.load(Relaxed) => self.top.store(next, Relaxed),
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

    /// Frees the block at `start`. The newest block is free at once. Another one is noted, or stays in use until the arena is
    /// wound back. Out of line, because values are dropped in more than a thousand places.
    #[inline(never)]
    pub(crate) fn give_back(&self, start: usize, size: usize) {
        if start.checked_add(size) == Some(self.top.load(Relaxed)) {
            self.top.store(start, Relaxed);
        } else if self.end.load(Relaxed) > self.noted_from.load(Relaxed) {
            self.note(start, size);
        }
    }

    /// Begins to note freed blocks, until the arena is wound back.
    pub(crate) fn begin_to_note(&self) {
        self.noted_from.store(NOTED_FROM, Relaxed);
    }

    /// Notes a block from its first aligned word on, unless the rest is too small for a note.
    #[cold]
    fn note(&self, start: usize, size: usize) {
        let unaligned = start.wrapping_neg() % WORD;
        let Some(size) = size.checked_sub(unaligned).filter(|size| *size >= 2 * WORD) else { return };
        if let Some(first) = self.noted.get(list_of(size)) {
            let start = start + unaligned;
            (self.source.store)(start, first.load(Relaxed));
            (self.source.store)(start + WORD, size);
            first.store(start, Relaxed);
        }
    }

    /// Takes a noted block of at least `size` bytes: one of the list for this size, or else the first block of a list of larger
    /// blocks.
    fn take_noted(&self, size: usize, align: usize) -> Option<usize> {
        let size = size.max(2 * WORD).next_multiple_of(WORD);
        let (own, larger) = self.noted.get(list_of(size)..)?.split_first()?;
        self.take_from(own, LOOKED_AT, size, align)
            .or_else(|| larger.iter().find_map(|first| self.take_from(first, 1, size, align)))
    }

    /// Takes the first large enough block among the first `most` blocks of a list, and notes the rest of it.
    fn take_from(&self, first: &AtomicUsize, most: usize, size: usize, align: usize) -> Option<usize> {
        let mut before = 0;
        let mut start = first.load(Relaxed);
        for _ in 0..most {
            if start == 0 {
                break;
            }
            let (after, length) = ((self.source.load)(start), (self.source.load)(start + WORD));
            if length >= size && start.is_multiple_of(align) {
                match before {
                    0 => first.store(after, Relaxed),
                    before => (self.source.store)(before, after),
                }
                self.note(start + size, length - size);
                return Some(start);
            }
            (before, start) = (start, after);
        }
        None
    }

    /// The first free address.
    pub(crate) fn top(&self) -> usize {
        match self.top.load(Relaxed) {
            0 => (self.source.start)(),
            top => top,
        }
    }

    /// The first address beyond memory, as far as known; 0 if unknown.
    pub(crate) fn reached(&self) -> usize {
        self.end.load(Relaxed)
    }

    /// Forgets how far memory reaches, as before first use: the next block asks again.
    pub(crate) fn forget_reach(&self) {
        self.end.store(0, Relaxed);
    }

    /// Frees every block from `top` on, and forgets all noted blocks. Memory keeps its size.
    pub(crate) fn wind_back(&self, top: usize) {
        self.top.store(top, Relaxed);
        if self.noted_from.swap(usize::MAX, Relaxed) != usize::MAX && self.end.load(Relaxed) > NOTED_FROM {
            self.noted.iter().for_each(|first| first.store(0, Relaxed));
        }
    }
}

/// Returns the index of the list for blocks of a size.
fn list_of(size: usize) -> usize {
    match size.checked_ilog2() {
        // The two bits after the highest one select one of the four lists of a power of two.
        Some(bits @ 7..) => (16 + 4 * (bits as usize - 7) + ((size >> (bits - 2)) & 3)).min(LISTS - 1),
        _ => size / 8,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::BTreeMap,
        sync::atomic::{AtomicUsize, Ordering::Relaxed},
    };

    use super::{Arena, NOTED_FROM, Source, WORD};

    const START: usize = 0x1_0003;
    const PAGE: usize = 0x1_0000;
    const MAXIMUM: usize = 4 * PAGE;

    fn arena() -> Arena {
        Arena::new(Source {
            start: || START,
            reach: |end| (end <= MAXIMUM).then(|| end.next_multiple_of(PAGE).max(2 * PAGE)),
            load: |_| panic!("nothing is noted"),
            store: |_, _| panic!("nothing is noted"),
        })
    }

    const NOTED_BYTES: usize = 64 * PAGE;

    /// The memory of noted blocks, by word.
    static NOTED: [AtomicUsize; NOTED_BYTES / WORD] = [const { AtomicUsize::new(0) }; NOTED_BYTES / WORD];

    fn word(address: usize) -> &'static AtomicUsize {
        assert_eq!(address % WORD, 0);
        &NOTED[(address - NOTED_FROM) / WORD]
    }

    /// An arena whose memory reaches so far that blocks are noted.
    fn noting() -> Arena {
        let arena = Arena::new(Source {
            start: || NOTED_FROM,
            reach: |end| (end <= NOTED_FROM + NOTED_BYTES).then(|| end.next_multiple_of(PAGE)),
            load: |address| word(address).load(Relaxed),
            store: |address, value| word(address).store(value, Relaxed),
        });
        arena.begin_to_note();
        arena
    }

    /// Asserts that a block overlaps no live block, and adds it to them.
    fn keep(live: &mut BTreeMap<usize, usize>, start: usize, size: usize) {
        let below = live.range(..start).next_back();
        assert!(below.is_none_or(|(other, length)| other + length <= start), "{start} lies in {below:?}");
        let above = live.range(start..).next();
        assert!(above.is_none_or(|(other, _)| start + size <= *other), "{start} reaches into {above:?}");
        live.insert(start, size);
    }

    /// Returns a generator of numbers below a limit, with a fixed seed.
    fn numbers() -> impl FnMut(usize) -> usize {
        let mut seed = 1_u64;
        move |limit| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % limit
        }
    }

    #[test]
    fn blocks_that_are_used_again_are_apart() {
        let (arena, mut random, mut reused) = (noting(), numbers(), 0);
        for _ in 0..20 {
            let mut live = BTreeMap::new();
            for _ in 0..10_000 {
                let largest = [24, 300, 5_000][random(3)];
                let size = 1 + random(largest);
                let picked = live.keys().nth(random(live.len().max(1))).copied();
                match (random(8), picked) {
                    (0..3, Some(start)) => arena.give_back(start, live.remove(&start).unwrap()),
                    (3, Some(start)) => {
                        let old = live.remove(&start).unwrap();
                        let is_in_place = arena.resize(start, old, size);
                        keep(&mut live, start, if is_in_place { size } else { old });
                    }
                    _ if live.len() > 100 => {}
                    _ => {
                        let (top, align) = (arena.top(), 1 << random(5));
                        let Some(start) = arena.take(size, align) else { continue };
                        assert_eq!(start % align, 0);
                        reused += usize::from(start < top);
                        keep(&mut live, start, size);
                    }
                }
            }
            arena.wind_back(NOTED_FROM);
            arena.begin_to_note();
        }
        assert!(reused > 1_000, "{reused}");
    }

    #[test]
    fn trying_the_same_again_and_again_takes_no_more_memory() {
        let (arena, mut random) = (noting(), numbers());
        for _ in 0..1_000 {
            // All blocks are freed in another order than they were allocated, except one that is kept.
            let sizes = [16, 24, 40, 700, 96, 2_048, 160, 5_000, 33, 512];
            let mut blocks: Vec<_> = sizes.map(|size| (arena.take(size, 8).unwrap(), size)).into();
            while !blocks.is_empty() {
                let (start, size) = blocks.swap_remove(random(blocks.len()));
                arena.give_back(start, size);
            }
            assert!(arena.take(16, 8).is_some());
        }
        // 1,000 rounds take 8.6 MB, of which 16 kB are kept.
        assert!(arena.reached() - NOTED_FROM <= 20 * PAGE, "{}", arena.reached() - NOTED_FROM);
    }

    #[test]
    fn a_noted_block_is_forgotten_when_the_arena_is_wound_back() {
        let arena = noting();
        let block = arena.take(64, 8).unwrap();
        let rest = PAGE - 64;
        assert!(arena.take(rest, 1).is_some());
        arena.give_back(block, 64);
        assert_eq!(arena.take(64, 8), Some(block), "memory would have to grow");
        arena.give_back(block, 64);
        arena.wind_back(NOTED_FROM);
        assert_eq!((arena.take(PAGE, 1), arena.take(64, 8)), (Some(NOTED_FROM), Some(NOTED_FROM + PAGE)));
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
