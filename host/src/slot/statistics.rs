//! What a slot has seen since this process opened it.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use adjudicate_core::ErrorCode;
use adjudicate_sandbox::Digest;
use serde::Serialize;

/// What a slot has seen since this process opened it. Counts of calls, but for `known`, `trouble` and `unrecorded`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// All calls.
    pub calls: u64,
    /// Those that the canary was asked.
    pub canary_calls: u64,
    /// Those in which a module failed, or the host could not ask it, by the code of the error; whatever the caller got.
    pub faults: BTreeMap<&'static str, u64>,
    /// Those of them in which it was the canary that failed.
    pub canary_faults: u64,
    /// Those that the shadow was asked too.
    pub shadow_calls: u64,
    /// Those to which it gave another answer.
    pub shadow_differences: u64,
    /// Those that it was not asked, for it was too far behind.
    pub shadow_dropped: u64,
    /// Modules in force that this process knows as engines, or as policies that are baked into one: they run without fuel, and
    /// what they answer is not checked.
    pub known: Vec<Digest>,
    /// Why this process does not run what the store has in force, or the ledger that several hosts share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Why decision records of the slot cannot be written: its calls fail for as long as that lasts.
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

/// One more.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    pub(super) fn fault(&self, code: ErrorCode) {
        *self.faults.lock().unwrap_or_else(PoisonError::into_inner).entry(code.as_str()).or_default() += 1;
    }

    /// The counts alone.
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
