//! How often a composition failed among its last calls.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use super::settings::FaultRate;

/// The last calls of a composition. A call that goes well costs one addition.
#[derive(Debug, Default)]
pub(super) struct Window {
    calls: AtomicU64,
    /// The numbers of the calls that failed, as many as matter.
    faults: Mutex<VecDeque<u64>>,
    /// Whether somebody was asked to act on them, and has not answered yet.
    is_asked: AtomicBool,
}

impl Window {
    /// Counts a call, and answers its number.
    pub(super) fn count(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether nobody was asked to act on the faults yet: of the many calls that fail at once, one asks.
    pub(super) fn asks(&self) -> bool {
        !self.is_asked.swap(true, Ordering::Relaxed)
    }

    /// Whoever was asked is done: the next fault that is one too many asks again.
    pub(super) fn answered(&self) {
        self.is_asked.store(false, Ordering::Relaxed);
    }

    /// Counts a fault. Answers whether it was one too many; asked again, it is again.
    pub(super) fn is_over(&self, rate: FaultRate, call: u64) -> bool {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.push_back(call);
        let now = self.calls.load(Ordering::Relaxed);
        // Calls end in another order than they began.
        faults.retain(|fault| fault + u64::from(rate.calls) >= now);
        let most = usize::try_from(rate.faults).unwrap_or(usize::MAX);
        while faults.len() > most {
            faults.pop_front();
        }
        faults.len() >= most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_asks_until_there_is_an_answer() {
        let window = Window::default();
        assert_eq!([window.asks(), window.asks()], [true, false]);
        window.answered();
        assert_eq!([window.asks(), window.asks()], [true, false]);
    }

    #[test]
    fn so_many_faults_among_so_many_calls() {
        let rate = FaultRate { faults: 3, calls: 10 };
        // Which calls fail, and whether the last of them is one too many.
        for (faults, expected) in [
            (&[0][..], false),
            (&[0, 1, 2], true),
            (&[0, 1, 9], true),
            (&[0, 1, 10], false),
            (&[0, 8, 12, 17], true),
            (&[0, 8, 12, 19], false),
            (&[0, 6, 12, 18, 24, 30], false),
        ] {
            let window = Window::default();
            let mut is_over = false;
            for call in 0..=faults.last().copied().unwrap_or_default() {
                assert_eq!(window.count(), call);
                if faults.contains(&call) {
                    is_over = window.is_over(rate, call);
                }
            }
            assert_eq!(is_over, expected, "{faults:?}");
        }
    }
}
