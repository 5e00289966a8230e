//! Choices that are the same for the same seed (SplitMix64).

pub(super) struct Random(u64);

impl Random {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = u64::try_from(bound).expect("a bound fits");
        usize::try_from((mixed ^ (mixed >> 31)) % bound).expect("less than the bound")
    }

    /// Takes an item out of a list.
    pub(super) fn take<T>(&mut self, items: &mut Vec<T>) -> T {
        let place = self.below(items.len());
        items.swap_remove(place)
    }
}
