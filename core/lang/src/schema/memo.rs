//! The memo table: results of schemas for values, so that repeated branches to the same schema are evaluated once.
//!
//! Ordinary validation never stores anything. Storing begins when far more schemas have been applied than the instance has values.
//! From then on, schemas that branch at each of many levels cost a few results per level. Each result includes the evaluated
//! annotations.

use alloc::{boxed::Box, vec::Vec};
use core::mem;

use super::{annotations::Annotations, equality_key::FACTOR, range::SchemaId};
use crate::json::Node;

/// The number of applications before storing begins: a constant, plus a number per name and value of the instance.
const APPLICATIONS: usize = 1 << 14;
const APPLICATIONS_PER_VALUE: usize = 4;

/// The number of applications that a violation counts as, because recording it takes as long.
const APPLICATIONS_PER_VIOLATION: usize = 32;

/// The initial and the largest size of the table. Both are powers of two, and half of the table stays free.
const INITIAL_SLOTS: usize = 1 << 9;
const MAX_SLOTS: usize = 1 << 16;

/// The most words that all entries together may hold in scopes and annotations.
pub(super) const MAX_WORDS: usize = 1 << 19;

#[derive(Default)]
pub(super) struct MemoTable {
    /// The number of applications left before storing begins.
    applications_left: usize,
    /// Open addressing: an entry is at its hash, or in the first free slot after it.
    pub entries: Vec<Option<MemoEntry>>,
    /// The number of entries, and of their words.
    count: usize,
    words: usize,
    /// Per schema being evaluated: the annotations from before its evaluation began.
    pub before: Vec<Annotations>,
}

/// The result of a schema for a value.
pub(super) struct MemoEntry {
    pub key: MemoKey,
    /// The targets of dynamic references.
    pub scope: Box<[SchemaId]>,
    pub holds: bool,
    /// The evaluated annotations that the schema adds.
    pub annotations: Annotations,
}

/// The input of an evaluation, except the dynamic scope.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoKey {
    pub id: SchemaId,
    pub position: u32,
    /// True if violations are collected.
    pub collects: bool,
    /// True if the caller needs evaluated annotations.
    pub annotations: bool,
}

impl MemoTable {
    pub(super) fn new(instance: Node<'_>) -> Self {
        Self {
            applications_left: APPLICATIONS + APPLICATIONS_PER_VALUE * instance.extent(),
            ..Self::default()
        }
    }

    /// Counts an application. Returns whether results are stored from now on.
    #[inline]
    pub(super) const fn count_application(&mut self) -> bool {
        match self.applications_left.checked_sub(1) {
            Some(applications_left) => self.applications_left = applications_left,
            None => return true,
        }
        false
    }

    /// Counts a violation.
    pub(super) const fn count_violation(&mut self) {
        self.applications_left = self.applications_left.saturating_sub(APPLICATIONS_PER_VIOLATION);
    }
}

impl MemoKey {
    /// Returns a hash of the key and the scope.
    fn fingerprint(self, scope: &[SchemaId]) -> usize {
        let words = [self.id, self.position, u32::from(self.collects) << 1 | u32::from(self.annotations)];
        let words = words.iter().chain(scope);
        let mixed = words.fold(0_u64, |state, word| {
            let state = (state ^ u64::from(*word)).wrapping_mul(FACTOR);
            state ^ state >> 29
        });
        mixed as usize
    }
}

impl MemoTable {
    /// Returns the slot of a key, occupied or free, and the number of tries.
    pub(super) fn slot(&self, key: MemoKey, scope: &[SchemaId]) -> (usize, usize) {
        let mask = self.entries.len().wrapping_sub(1);
        let wanted = key.fingerprint(scope);
        let is_match = |slot: usize| match self.entries.get(slot & mask) {
            Some(Some(entry)) => entry.key == key && *entry.scope == *scope,
            _ => true,
        };
        let tries =
            (0..self.entries.len()).find(|tries| is_match(wanted.wrapping_add(*tries))).unwrap_or_default();
        (wanted.wrapping_add(tries) & mask, tries + 1)
    }

    /// Reserves space for an entry with `words` words. Clears the table if it would exceed a limit.
    pub(super) fn reserve(&mut self, words: usize) {
        self.words += words;
        self.count += 1;
        if self.count > MAX_SLOTS / 2 || self.words > MAX_WORDS {
            self.entries.clear();
            (self.count, self.words) = (1, words);
        }
        if self.count * 2 > self.entries.len() {
            let slots = (self.entries.len() * 2).max(INITIAL_SLOTS);
            let entries = mem::take(&mut self.entries);
            self.entries.resize_with(slots, || None);
            for entry in entries.into_iter().flatten() {
                let (slot, _) = self.slot(entry.key, &entry.scope);
                if let Some(slot) = self.entries.get_mut(slot) {
                    *slot = Some(entry);
                }
            }
        }
    }
}
