//! Statistics of a slot since this process opened it.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use adjudicate_core::{ErrorCode, document::Describe};
use adjudicate_sandbox::Digest;
use serde::Serialize;

/// Statistics of a slot since this process opened it: counts of calls, known modules, and problems.
#[derive(Clone, Debug, Default, PartialEq, Eq, Describe, Serialize)]
pub struct Statistics {
    /// All calls.
    pub calls: u64,
    /// Calls of the canary.
    pub canary_calls: u64,
    /// Calls in which a module failed or could not be called, by error code, whatever the caller got.
    pub faults: BTreeMap<&'static str, u64>,
    /// Calls in which the canary failed.
    pub canary_faults: u64,
    /// Calls that the shadow also got.
    pub shadow_calls: u64,
    /// Calls to which the shadow gave another answer.
    pub shadow_differences: u64,
    /// Calls that the shadow did not get, because it was too far behind.
    pub shadow_dropped: u64,
    /// Active modules that this process knows as engines, or as policies baked into one. They run without fuel, and their answers
    /// are not checked.
    pub known: Vec<Digest>,
    /// The reason why this process does not run the active state of the store or the shared ledger.
    #[serde(rename = "trouble", skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The reason why decision records of the slot cannot be written. Its calls fail meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unrecorded: Option<String>,
}

/// The counters behind [`Statistics`].
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) calls: AtomicU64,
    pub(super) canary_calls: AtomicU64,
    pub(super) canary_faults: AtomicU64,
    pub(super) shadow_calls: AtomicU64,
    pub(super) shadow_differences: AtomicU64,
    pub(super) shadow_dropped: AtomicU64,
    faults: Mutex<BTreeMap<&'static str, u64>>,
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    pub(super) fn fault(&self, code: ErrorCode) {
        *self.faults.lock().unwrap_or_else(PoisonError::into_inner).entry(code.as_str()).or_default() += 1;
    }

    /// Returns the counts only.
    pub(super) fn read(&self) -> Statistics {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        Statistics {
            calls: of(&self.calls),
            canary_calls: of(&self.canary_calls),
            faults: faults.clone(),
            canary_faults: of(&self.canary_faults),
            shadow_calls: of(&self.shadow_calls),
            shadow_differences: of(&self.shadow_differences),
            shadow_dropped: of(&self.shadow_dropped),
            ..Statistics::default()
        }
    }
}
