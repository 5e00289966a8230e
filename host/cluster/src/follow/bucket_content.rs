//! The content of the bucket in parsed form. Clients that may write to the bucket can store any key and value.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_host::SlotEntry;
use adjudicate_sandbox::Digest;
use async_nats::jetstream::kv::Operation;

use crate::{identity, slot_entry};

/// The content of the bucket, or its news. Keys of other kinds are dropped.
#[derive(Debug, Default)]
pub(super) struct BucketContent {
    /// The cluster's id, or the error of an invalid one, with its revision.
    pub(super) id: Option<(u64, Result<String, Error>)>,
    pub(super) slots: BTreeMap<String, Revisions>,
}

/// The revisions of a slot's key. An invalid value is kept as its error, and only if it is the last one.
#[derive(Debug, Default)]
pub(super) struct Revisions {
    /// The entries by revision, each with the digest of its text.
    pub(super) entries: BTreeMap<u64, (SlotEntry, Digest)>,
    pub(super) last: u64,
    /// The error of the last value, if it is not an entry.
    pub(super) unreadable: Option<Error>,
    /// True if the last operation deleted the key.
    pub(super) is_gone: bool,
}

impl BucketContent {
    pub(super) fn take(&mut self, key: &str, revision: u64, operation: Operation, value: &[u8]) {
        if key == identity::KEY {
            self.add_id(revision, identity::parse(operation, value));
        } else if let Some(slot) = key.strip_prefix(slot_entry::PREFIX) {
            let read = slot_entry::entry(slot, operation, revision, value);
            let read = read.map(|entry| (entry, Digest::sha256(value)));
            let is_gone = operation != Operation::Put;
            self.slots.entry(slot.to_owned()).or_default().take(revision, read, is_gone);
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        if let Some((revision, id)) = other.id {
            self.add_id(revision, id);
        }
        for (slot, Revisions { entries, last, unreadable, is_gone }) in other.slots {
            let revisions = self.slots.entry(slot).or_default();
            entries.into_iter().for_each(|(revision, entry)| revisions.take(revision, Ok(entry), false));
            if let Some(error) = unreadable {
                revisions.take(last, Err(error), is_gone);
            }
        }
    }

    /// The revisions of each slot, in the order in which to apply them. First come the slots of this host, then others, deleted
    /// keys last, and older slots before newer ones. The number of slots on a host is bounded, so invented slots come later.
    pub(super) fn in_order(self, is_here: impl Fn(&str) -> bool) -> Vec<(String, Revisions)> {
        let mut slots: Vec<_> = self.slots.into_iter().collect();
        slots.sort_by_cached_key(|(slot, found)| {
            let first = found.entries.keys().next().copied();
            (!is_here(slot), found.is_gone, first.unwrap_or(found.last))
        });
        slots
    }

    fn add_id(&mut self, revision: u64, id: Result<String, Error>) {
        if self.id.as_ref().is_none_or(|(last, _)| *last <= revision) {
            self.id = Some((revision, id));
        }
    }
}

impl Revisions {
    fn take(&mut self, revision: u64, read: Result<(SlotEntry, Digest), Error>, is_gone: bool) {
        let is_last = revision >= self.last;
        if is_last {
            (self.last, self.unreadable, self.is_gone) = (revision, read.as_ref().err().cloned(), is_gone);
        }
        if let Ok(entry) = read {
            self.entries.insert(revision, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_invalid_value_of_a_slot_is_kept() {
        let good = r#"{"format":1,"slot":"s","at":1,"action":"configure","note":"","state":{},
            "settings":{"on_fault":"error","limits":{}}}"#;
        let put = |found: &mut BucketContent, key: &str, revision, value: &str| {
            found.take(key, revision, Operation::Put, value.as_bytes());
        };
        let mut found = BucketContent::default();
        for revision in 1..1000 {
            put(&mut found, &format!("notes.{revision}"), revision, "garbage");
            put(&mut found, "slot.t", revision, "garbage");
        }
        put(&mut found, "slot.s", 1001, good);
        let mut later = BucketContent::default();
        put(&mut later, "slot.s", 1003, "garbage");
        put(&mut later, "slot.s", 1002, good);
        put(&mut later, "cluster", 1004, "mine");
        found.add(later);
        assert!(found.id.is_some_and(|(_, id)| id.is_err()));
        let slots = &found.slots;
        assert_eq!(slots.keys().collect::<Vec<_>>(), ["s", "t"]);
        assert!(slots["t"].entries.is_empty() && slots["t"].last == 999 && slots["t"].unreadable.is_some());
        assert_eq!(slots["s"].entries.keys().collect::<Vec<_>>(), [&1001, &1002]);
        assert!(slots["s"].last == 1003 && slots["s"].unreadable.is_some());
    }
    #[test]
    fn slots_of_this_host_come_first_and_older_slots_next() {
        let entry = |slot: &str| {
            format!(
                r#"{{"format":1,"slot":"{slot}","at":1,"action":"configure","note":"","state":{{}},
                    "settings":{{"on_fault":"error","limits":{{}}}}}}"#
            )
        };
        let mut found = BucketContent::default();
        for (slot, revision) in [("a", 2), ("release", 3), ("mine", 4), ("later", 5), ("release", 9)] {
            found.take(&format!("slot.{slot}"), revision, Operation::Put, entry(slot).as_bytes());
        }
        found.take("slot.b", 1, Operation::Put, b"garbage");
        found.take("slot.a", 10, Operation::Delete, b"");
        let slots = found.in_order(|slot| slot == "mine");
        let names: Vec<_> = slots.iter().map(|(slot, found)| (slot.as_str(), found.is_gone)).collect();
        assert_eq!(names, [("mine", false), ("b", false), ("release", false), ("later", false), ("a", true)]);
    }
}
