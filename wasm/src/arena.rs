//! The memory of the policy module: one arena that grows upwards and is wound back as a whole.
//!
//! A call allocates, answers, and is forgotten as a whole, so allocating is an addition and a comparison, and a
//! million calls leave memory as flat as one does. The newest block is special: it can grow, shrink and be given
//! back in place, which is what strings and lists that are being filled do. (How this compares with general
//! allocators is measured in `BENCHMARKS.md`.)
//!
//! A call that tries much and forgets it, as the search of `explain` does, would fill memory with blocks that nobody uses.
//! So once memory has grown, a call notes the blocks that it gives back, and before memory grows further they are used again.
//!
//! Here are the sums only, over plain addresses and in safe code. Turning an address into memory is `abi`'s.

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How far memory reaches when blocks begin to be noted. Most calls end below, and pay a comparison for a block.
pub(crate) const NOTED_FROM: usize = 1 << 20;
/// The lists of noted blocks, by size: each multiple of 8 bytes below 128 has one, then each power of two has four.
const LISTS: usize = 16 + 4 * 9 + 1;
/// How many blocks of a list are looked at for one that is large enough.
const LOOKED_AT: usize = 8;
/// A noted block begins with the address of the next one of its list, and its own size.
const WORD: usize = size_of::<usize>();

/// Where free memory begins, and how to get more. Atomics because a global allocator must be shareable; on a target
/// without threads they are plain loads and stores.
pub(crate) struct Arena {
    /// The first free address; 0 before first use.
    top: AtomicUsize,
    /// The first address that is not there yet; 0 before first use.
    end: AtomicUsize,
    /// Blocks are noted once memory reaches beyond this address; `usize::MAX` while none is to be noted.
    noted_from: AtomicUsize,
    /// The first noted block of each list; 0 where there is none.
    noted: [AtomicUsize; LISTS],
    source: Source,
}

/// Where an arena's memory comes from.
pub(crate) struct Source {
    /// The first address of the arena.
    pub(crate) start: fn() -> usize,
    /// Makes memory reach at least up to an address, and says how far it reaches now; `None` when it cannot.
    pub(crate) reach: fn(usize) -> Option<usize>,
    /// Reads the word at an address in a noted block.
    pub(crate) load: fn(usize) -> usize,
    /// Writes a word to an address in a noted block.
    pub(crate) store: fn(usize, usize),
}

impl Arena {
    /// An arena that takes nothing before it is used.
    pub(crate) const fn new(source: Source) -> Self {
        Self {
            top: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            noted_from: AtomicUsize::new(usize::MAX),
            noted: [const { AtomicUsize::new(0) }; LISTS],
            source,
        }
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

    /// The first use, and each use that memory must grow for unless a noted block serves.
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

    /// Makes the block at `start` `new` bytes long where it is, if it is the newest block or shrinks.
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

    /// Gives the block at `start` back, if it is the newest; any other is noted, or waits for the arena to be wound back. Out
    /// of line, for values are dropped in more than a thousand places.
    #[inline(never)]
    pub(crate) fn give_back(&self, start: usize, size: usize) {
        if start.checked_add(size) == Some(self.top.load(Relaxed)) {
            self.top.store(start, Relaxed);
        } else if self.end.load(Relaxed) > self.noted_from.load(Relaxed) {
            self.note(start, size);
        }
    }

    /// Begins to note the blocks that are given back, until the arena is wound back.
    pub(crate) fn begin_to_note(&self) {
        self.noted_from.store(NOTED_FROM, Relaxed);
    }

    /// Notes what of a block is whole words, unless it is too small to hold a note.
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

    /// Takes a noted block of at least `size` bytes: one of the same list, or else the first one of a list of larger blocks.
    fn take_noted(&self, size: usize, align: usize) -> Option<usize> {
        let size = size.max(2 * WORD).next_multiple_of(WORD);
        let (own, larger) = self.noted.get(list_of(size)..)?.split_first()?;
        self.take_from(own, LOOKED_AT, size, align)
            .or_else(|| larger.iter().find_map(|first| self.take_from(first, 1, size, align)))
    }

    /// Takes one of the first blocks of a list that is large enough, and notes what is left of it.
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

    /// The first address that is known not to be there yet; 0 where nothing is known.
    pub(crate) fn reached(&self) -> usize {
        self.end.load(Relaxed)
    }

    /// Forgets how far memory reaches, as before first use: the next block asks anew.
    pub(crate) fn forget_reach(&self) {
        self.end.store(0, Relaxed);
    }

    /// Forgets every block from `top` on, and every noted one. Memory stays as large as it is.
    pub(crate) fn wind_back(&self, top: usize) {
        self.top.store(top, Relaxed);
        if self.noted_from.swap(usize::MAX, Relaxed) != usize::MAX && self.end.load(Relaxed) > NOTED_FROM {
            self.noted.iter().for_each(|first| first.store(0, Relaxed));
        }
    }
}

/// The list of the blocks of a size.
fn list_of(size: usize) -> usize {
    match size.checked_ilog2() {
        // Its two bits after the first one tell the four lists of a power of two apart.
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

    /// What noted blocks hold, by address.
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

    /// Asserts that a block is apart from all others, and keeps it.
    fn keep(live: &mut BTreeMap<usize, usize>, start: usize, size: usize) {
        let below = live.range(..start).next_back();
        assert!(below.is_none_or(|(other, length)| other + length <= start), "{start} lies in {below:?}");
        let above = live.range(start..).next();
        assert!(above.is_none_or(|(other, _)| start + size <= *other), "{start} reaches into {above:?}");
        live.insert(start, size);
    }

    /// Numbers from 0 to below a limit, always the same ones.
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
            // What is tried is forgotten in another order than it came, but for what is kept of it.
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
