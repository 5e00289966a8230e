//! The number of faults among the latest calls of a composition.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use adjudicate_core::ErrorCode;
use adjudicate_sandbox::Digest;
use adjudicate_trust::counted;

use crate::history::{FaultRate, SlotAction};

/// The latest faults, as many as a rate needs.
#[derive(Debug, Default)]
struct Faults {
    /// The number of the call and the code of each fault, in the order in which the calls ended.
    last: VecDeque<(u64, ErrorCode)>,
    /// The distinct inputs that failed last, with the number of their latest call, the latest last.
    inputs: VecDeque<(u64, Digest)>,
}

/// The latest calls of a composition. A call without a fault costs one addition.
#[derive(Debug, Default)]
pub(super) struct Window {
    calls: AtomicU64,
    faults: Mutex<Faults>,
    /// True while an action on the faults is requested and not finished.
    is_asked: AtomicBool,
}

impl Window {
    /// Counts a call and returns its number.
    pub(super) fn count(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// Marks an action as requested. Returns false if one was already requested, so that many concurrent faults request one.
    pub(super) fn asks(&self) -> bool {
        !self.is_asked.swap(true, Ordering::Relaxed)
    }

    /// Marks the action as finished. The next fault above the rate requests another one.
    pub(super) fn answered(&self) {
        self.is_asked.store(false, Ordering::Relaxed);
    }

    /// Counts a fault of a call with this input. If the rate is reached, returns a description of the faults.
    pub(super) fn exceeds(
        &self,
        rate: FaultRate,
        call: u64,
        code: ErrorCode,
        input: Digest,
    ) -> Option<String> {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let Faults { last, inputs } = &mut *faults;
        last.push_back((call, code));
        let known = inputs.iter().position(|(_, known)| *known == input).and_then(|at| inputs.remove(at));
        inputs.push_back((known.map_or(call, |(before, _)| before.max(call)), input));
        let now = self.calls.load(Ordering::Relaxed);
        // Calls may end in another order than they began.
        let is_recent = |call: u64| call + u64::from(rate.calls) >= now;
        last.retain(|(call, _)| is_recent(*call));
        inputs.retain(|(call, _)| is_recent(*call));
        let most = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        let (least, least_inputs) = (most(rate.faults.max(FaultRate::INPUTS)), most(FaultRate::INPUTS));
        last.drain(..last.len().saturating_sub(least));
        inputs.drain(..inputs.len().saturating_sub(least_inputs));
        (last.len() >= least && inputs.len() >= least_inputs).then(|| {
            format!(
                "{} within the last {}, from {} or more distinct inputs ({})",
                counted(last.len(), "fault"),
                counted(rate.calls, "call"),
                FaultRate::INPUTS,
                by_code(last.iter().map(|(_, code)| *code))
            )
        })
    }
}

/// Faults at the rate at which the host changes a slot by itself.
#[derive(Debug)]
pub(super) struct FaultObservation {
    pub(super) slot: String,
    /// The active entry of the slot's history.
    pub(super) entry: i64,
    /// The change: a rollback, or the withdrawal of the canary.
    pub(super) action: SlotAction,
    pub(super) note: String,
    /// The window that counted the faults. It is notified of the outcome.
    pub(super) window: Arc<Window>,
}

/// The number of faults by code: `` `module_trap` 2, `module_not_utf8` 1 ``.
fn by_code(codes: impl Iterator<Item = ErrorCode>) -> String {
    let codes: Vec<_> = codes.collect();
    let count = |code: &ErrorCode| codes.iter().filter(|other| *other == code).count();
    let counts = FaultRate::COUNTED.iter().map(|code| (code, count(code))).filter(|(_, count)| *count > 0);
    counts.map(|(code, count)| format!("`{code}` {count}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[test]
    fn an_action_is_requested_once_until_it_is_finished() {
        let window = Window::default();
        assert_eq!([window.asks(), window.asks()], [true, false]);
        window.answered();
        assert_eq!([window.asks(), window.asks()], [true, false]);
    }

    #[test]
    fn a_rate_needs_its_faults_within_its_calls_from_three_inputs() {
        let rate = |faults, calls| FaultRate { faults, calls };
        // The calls that fail, with their inputs, and whether the last one reaches the rate.
        for (rate, faults, expected) in [
            (rate(3, 10), &[(0, 1)][..], false),
            (rate(3, 10), &[(0, 1), (1, 2), (2, 3)], true),
            (rate(3, 10), &[(0, 1), (1, 2), (9, 3)], true),
            (rate(3, 10), &[(0, 1), (1, 2), (10, 3)], false),
            (rate(3, 10), &[(0, 1), (8, 2), (12, 3), (17, 4)], true),
            (rate(3, 10), &[(0, 1), (8, 2), (12, 3), (19, 4)], false),
            (rate(3, 10), &[(0, 1), (6, 2), (12, 3), (18, 4), (24, 5), (30, 6)], false),
            // Repeated faults of one input count as one input.
            (rate(3, 10), &[(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1)], false),
            (rate(3, 10), &[(0, 1), (1, 2), (2, 1), (3, 2), (4, 1)], false),
            (rate(3, 10), &[(0, 1), (1, 2), (2, 1), (3, 2), (4, 3)], true),
            (rate(3, 10), &[(0, 3), (1, 1), (2, 2), (3, 2), (4, 2), (5, 2)], true),
            (rate(3, 10), &[(0, 3), (1, 1), (2, 2), (3, 2), (4, 2), (11, 2)], false),
            // Rates below three faults still need three inputs. Rates above three need more faults.
            (rate(1, 10), &[(0, 1), (1, 2)], false),
            (rate(1, 10), &[(0, 1), (1, 2), (2, 3)], true),
            (rate(5, 10), &[(0, 1), (1, 2), (2, 3), (3, 4)], false),
            (rate(5, 10), &[(0, 1), (1, 2), (2, 3), (3, 1), (4, 1)], true),
        ] {
            let window = Window::default();
            let mut exceeded = None;
            for call in 0..=faults.last().unwrap().0 {
                assert_eq!(window.count(), call);
                if let Some((_, input)) = faults.iter().find(|(at, _)| *at == call) {
                    exceeded = window.exceeds(rate, call, codes::MODULE_TRAP, Digest::sha256(&[*input]));
                }
            }
            assert_eq!(exceeded.is_some(), expected, "{faults:?}");
        }
    }

    #[test]
    fn counted_faults_are_listed_by_code() {
        let window = Window::default();
        let rate = FaultRate { faults: 3, calls: 100 };
        let fault = |code, input: &[u8]| window.exceeds(rate, window.count(), code, Digest::sha256(input));
        assert_eq!(fault(codes::MODULE_TRAP, b"1"), None);
        assert_eq!(fault(codes::MODULE_NOT_UTF8, b"2"), None);
        let fault_text = "3 faults within the last 100 calls, from 3 or more distinct inputs (`module_trap` 2, `module_not_utf8` 1)";
        assert_eq!(fault(codes::MODULE_TRAP, b"3").as_deref(), Some(fault_text));
    }
}
