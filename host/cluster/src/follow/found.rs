//! What was found in the bucket, as far as anything is made of it: anybody who may write there can put any key and any value.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_host::Entry;
use adjudicate_sandbox::Digest;
use async_nats::jetstream::kv::Operation;

use crate::{identity, slot_entry};

/// What the bucket holds, or what came. Keys that are no slots' are nobody's, and nothing of them is kept.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The cluster's id, or why it is none, by its revision.
    id: Option<(u64, Result<String, Error>)>,
    slots: BTreeMap<String, Revisions>,
}

/// What was found under the key of a slot. What is no entry is known by its error, and only if nothing is behind it.
#[derive(Debug, Default)]
pub(super) struct Revisions {
    /// Entries by their revisions, each with the digest of its text.
    pub(super) entries: BTreeMap<u64, (Entry, Digest)>,
    /// The last of all revisions.
    pub(super) last: u64,
    /// Why the last is no entry, if it is none.
    pub(super) unreadable: Option<Error>,
    /// Whether the key was deleted at last.
    pub(super) is_gone: bool,
}

impl Found {
    /// Takes what is under a key.
    pub(super) fn take(&mut self, key: &str, revision: u64, operation: Operation, value: &[u8]) {
        if key == identity::KEY {
            self.take_id(revision, identity::parse(operation, value));
        } else if let Some(slot) = key.strip_prefix(slot_entry::PREFIX) {
            let read = slot_entry::entry(slot, operation, revision, value);
            let read = read.map(|entry| (entry, Digest::of(value)));
            let is_gone = operation != Operation::Put;
            self.slots.entry(slot.to_owned()).or_default().take(revision, read, is_gone);
        }
    }

    /// Takes all that was found elsewhere.
    pub(super) fn add(&mut self, other: Self) {
        if let Some((revision, id)) = other.id {
            self.take_id(revision, id);
        }
        for (slot, Revisions { entries, last, unreadable, is_gone }) in other.slots {
            let revisions = self.slots.entry(slot).or_default();
            entries.into_iter().for_each(|(revision, entry)| revisions.take(revision, Ok(entry), false));
            if let Some(error) = unreadable {
                revisions.take(last, Err(error), is_gone);
            }
        }
    }

    /// The cluster's id, or why it is none; `None` where nothing was found of it.
    pub(super) fn id(&self) -> Option<&Result<String, Error>> {
        self.id.as_ref().map(|(_, id)| id)
    }

    /// What was found of each slot.
    pub(super) const fn slots(&self) -> &BTreeMap<String, Revisions> {
        &self.slots
    }

    /// What was found of each slot, in the order in which it is to be taken: first of those that are here, then of others, whose keys
    /// were not deleted before those whose were, and of each the first that was there. A host has room for so many, and whatever is made
    /// up comes later.
    pub(super) fn in_order(self, is_here: impl Fn(&str) -> bool) -> Vec<(String, Revisions)> {
        let mut slots: Vec<_> = self.slots.into_iter().collect();
        slots.sort_by_cached_key(|(slot, found)| {
            let first = found.entries.keys().next().copied();
            (!is_here(slot), found.is_gone, first.unwrap_or(found.last))
        });
        slots
    }

    fn take_id(&mut self, revision: u64, id: Result<String, Error>) {
        if self.id.as_ref().is_none_or(|(last, _)| *last <= revision) {
            self.id = Some((revision, id));
        }
    }
}

impl Revisions {
    fn take(&mut self, revision: u64, read: Result<(Entry, Digest), Error>, is_gone: bool) {
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
    fn garbage_is_known_by_the_last_of_it_and_what_is_no_slots_by_nothing() {
        let good = r#"{"format":1,"slot":"s","at":1,"action":"configure","note":"","state":{},
            "settings":{"on_fault":"error","limits":{}}}"#;
        let put = |found: &mut Found, key: &str, revision, value: &str| {
            found.take(key, revision, Operation::Put, value.as_bytes());
        };
        let mut found = Found::default();
        for revision in 1..1000 {
            put(&mut found, &format!("notes.{revision}"), revision, "garbage");
            put(&mut found, "slot.t", revision, "garbage");
        }
        put(&mut found, "slot.s", 1001, good);
        let mut later = Found::default();
        put(&mut later, "slot.s", 1003, "garbage");
        put(&mut later, "slot.s", 1002, good);
        put(&mut later, "cluster", 1004, "mine");
        found.add(later);
        assert!(found.id().is_some_and(Result::is_err));
        let slots = found.slots();
        assert_eq!(slots.keys().collect::<Vec<_>>(), ["s", "t"]);
        assert!(slots["t"].entries.is_empty() && slots["t"].last == 999 && slots["t"].unreadable.is_some());
        assert_eq!(slots["s"].entries.keys().collect::<Vec<_>>(), [&1001, &1002]);
        assert!(slots["s"].last == 1003 && slots["s"].unreadable.is_some());
    }
    #[test]
    fn what_is_here_comes_first_and_then_what_was_there_first() {
        let entry = |slot: &str| {
            format!(
                r#"{{"format":1,"slot":"{slot}","at":1,"action":"configure","note":"","state":{{}},
                    "settings":{{"on_fault":"error","limits":{{}}}}}}"#
            )
        };
        let mut found = Found::default();
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
