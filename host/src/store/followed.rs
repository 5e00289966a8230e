//! Entries of a ledger that several hosts share: taken over with the numbers that it gave them.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;
use rusqlite::{OptionalExtension, Transaction, params};
use semver::Version;

use super::{
    Aborted, Store,
    blob::Blob,
    cluster,
    slots::{self, ENTRY, Height},
};
use crate::{
    codes,
    history::{Entry, State},
};

/// What came of an entry that was to be put in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The slot is in it.
    InForce,
    /// The slot is in a later one; this one is part of its history.
    Superseded,
    /// The slot is in another one than it was judged beside, and nothing was changed.
    Stale,
}

impl Store {
    /// Puts a slot into an entry of the ledger, if the slot still is in the entry with the number `before`.
    ///
    /// Fails with [`codes::UNKNOWN_MODULE`] if a module of the entry was removed after it was judged; the caller can fetch the
    /// module again.
    pub(crate) fn take_entry(
        &self,
        ledger: &str,
        entry: &Entry,
        before: Option<i64>,
        heights: &[Height],
    ) -> Result<Taken, Error> {
        self.write(|change| {
            cluster::check(change, Some(ledger))?;
            slots::check_room(change, &entry.slot)?;
            let before_it = slots::current(change, &entry.slot)?;
            let current = before_it.as_ref().map(|entry| entry.id);
            if current.is_none_or(|current| current < entry.id) && current != before {
                return Ok(Taken::Stale);
            }
            if current.is_none_or(|current| current < entry.id) {
                slots::check_members(change, before_it.as_ref(), &entry.state)?;
            }
            insert(change, entry, false)?;
            slots::raise(change, &entry.slot, heights)?;
            if current.is_some_and(|current| current > entry.id) {
                return Ok(Taken::Superseded);
            }
            slots::point(change, &entry.slot, entry.id)?;
            Ok(Taken::InForce)
        })
    }

    /// Makes an entry of the ledger part of a slot's history, and no more: it was superseded before it was judged here.
    pub(crate) fn take_history(&self, ledger: &str, entry: &Entry) -> Result<(), Error> {
        // Who follows says again and again what is there already; that needs no turn among those who write.
        if self.read(|read| Ok(slots::numbered(read, entry.id)?))?.as_ref() == Some(entry) {
            return Ok(());
        }
        self.write(|change| {
            cluster::check(change, Some(ledger))?;
            slots::check_room(change, &entry.slot)?;
            insert(change, entry, true)
        })
    }

    /// The highest versions that were in force in a slot before an entry, by name, as far as they were judged here.
    pub(crate) fn heights_before(&self, slot: &str, entry: i64) -> Result<BTreeMap<String, Version>, Error> {
        self.read(|read| {
            let sql = "SELECT DISTINCT state FROM history WHERE slot = ?1 AND id < ?2 AND NOT unjudged";
            let mut states = read.prepare_cached(sql)?;
            let mut rows = states.query(params![slot, entry])?;
            // A removed module still counts: a version below it stays a downgrade.
            let mut module = read.prepare_cached(
                "SELECT name, version FROM modules WHERE digest = ?1
                 UNION ALL SELECT name, version FROM removed_modules WHERE digest = ?1 LIMIT 1",
            )?;
            let mut heights = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let state: State =
                    serde_json::from_str(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)
                        .map_err(|error| super::unreadable(0, error))?;
                for member in state.active.iter().flat_map(|active| active.members()) {
                    let Height { name, version } =
                        module.query_row([Blob(member.module)], slots::height_of)?;
                    let height = heights.entry(name).or_insert_with(|| version.clone());
                    if *height < version {
                        *height = version;
                    }
                }
            }
            Ok(heights)
        })
    }

    /// The entries of a slot's history before this one, the latest first, each with whether it was judged here; up to the first
    /// of which `goes_on` says no.
    pub(crate) fn judged_before(
        &self,
        slot: &str,
        entry: i64,
        mut goes_on: impl FnMut(&Entry, bool) -> bool,
    ) -> Result<Vec<(Entry, bool)>, Error> {
        self.read(|read| {
            let sql = format!("{ENTRY} WHERE h.slot = ?1 AND h.id < ?2 ORDER BY h.id DESC");
            let mut found = read.prepare_cached(&sql)?;
            let mut rows = found.query(params![slot, entry])?;
            let mut entries = Vec::new();
            while let Some(row) = rows.next()? {
                let (entry, is_judged) = (slots::entry(row)?, slots::is_judged(row)?);
                let goes_on = goes_on(&entry, is_judged);
                entries.push((entry, is_judged));
                if !goes_on {
                    break;
                }
            }
            Ok(entries)
        })
    }

    /// The entries of a slot's history that were never judged here, the earliest first: of those with one state that follow each
    /// other only the first, before which the least was in force.
    pub(crate) fn unjudged(&self, slot: &str) -> Result<Vec<Entry>, Error> {
        let mut entries: Vec<Entry> = self.read(|read| {
            let sql = format!("{ENTRY} WHERE h.slot = ?1 AND h.unjudged ORDER BY h.id");
            let mut found = read.prepare_cached(&sql)?;
            let rows = found.query_map([slot], slots::entry)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })?;
        entries.dedup_by(|next, kept| next.state == kept.state);
        Ok(entries)
    }

    /// Notes which versions were in force in a slot.
    pub(crate) fn raise_heights(&self, slot: &str, heights: &[Height]) -> Result<(), Error> {
        if heights.is_empty() {
            return Ok(());
        }
        self.write(|change| Ok(slots::raise(change, slot, heights)?))
    }

    /// Whether an entry was judged here before it became part of the history.
    pub(crate) fn is_judged(&self, entry: &Entry) -> Result<bool, Error> {
        self.read(|read| {
            let mut found = read.prepare_cached("SELECT NOT unjudged FROM history WHERE id = ?1")?;
            Ok(found.query_row([entry.id], |row| row.get(0)).optional()?.unwrap_or_default())
        })
    }

    /// Which of these modules the store does not have.
    pub(crate) fn lacks(&self, modules: impl Iterator<Item = Digest>) -> Result<Vec<Digest>, Error> {
        self.read(|read| {
            let mut found = read.prepare_cached("SELECT 1 FROM modules WHERE digest = ?1")?;
            let mut lacking = Vec::new();
            for digest in modules {
                if !found.exists([Blob(digest)])? && !lacking.contains(&digest) {
                    lacking.push(digest);
                }
            }
            Ok(lacking)
        })
    }
}

/// Writes an entry down, unless it is there; refuses one whose number another one has.
fn insert(change: &Transaction<'_>, entry: &Entry, unjudged: bool) -> Result<(), Aborted> {
    let there = slots::numbered(change, entry.id)?;
    match there {
        None => slots::insert(change, Some(entry.id), entry, unjudged).map(drop),
        Some(there) if there == *entry => {
            if !unjudged {
                change.execute("UPDATE history SET unjudged = 0 WHERE id = ?1", [entry.id])?;
            }
            Ok(())
        }
        Some(there) => {
            let message = format!(
                "the ledger's entry {} of the slot `{}` is another one than this store has under that number, of the slot `{}`: \
                 the ledger was written anew",
                entry.id, entry.slot, there.slot
            );
            Err(Error::new(codes::CLUSTER_FAULT, message).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Action, SlotSettings};

    #[test]
    fn an_entry_is_put_in_force_only_beside_the_one_that_it_was_judged_beside() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        store.bind("one").unwrap();
        let entry = |id| Entry {
            id,
            slot: "release".to_owned(),
            at: id,
            action: Action::Configure,
            note: String::new(),
            state: State::default(),
            settings: SlotSettings::default(),
        };
        let current = || store.find_slot("release").unwrap().map(|entry| entry.id);
        let take = |id, before| store.take_entry("one", &entry(id), before, &[]).unwrap();
        assert_eq!((take(5, Some(4)), current()), (Taken::Stale, None));
        assert_eq!((take(5, None), current()), (Taken::InForce, Some(5)));
        assert_eq!((take(9, None), current()), (Taken::Stale, Some(5)));
        assert_eq!((take(9, Some(4)), current()), (Taken::Stale, Some(5)));
        assert_eq!((take(9, Some(5)), current()), (Taken::InForce, Some(9)));
        // What is there already, or behind what is, changes nothing, whatever it was judged beside.
        assert_eq!((take(9, Some(5)), current()), (Taken::InForce, Some(9)));
        assert_eq!((take(7, Some(5)), current()), (Taken::Superseded, Some(9)));
        store.take_history("one", &entry(8)).unwrap();
        store.take_history("one", &entry(9)).unwrap();
        let judged = |id| store.is_judged(&entry(id)).unwrap();
        assert_eq!([5, 7, 8, 9].map(judged), [true, true, false, true]);
        let history = store.history("release", 10).unwrap();
        assert_eq!(history.iter().map(|entry| entry.id).collect::<Vec<_>>(), [9, 8, 7, 5]);
        // Another ledger has no say, and a number is one entry.
        let refused =
            |ledger, entry: &Entry| store.take_entry(ledger, entry, Some(9), &[]).unwrap_err().code();
        assert_eq!(refused("two", &entry(10)), codes::WRONG_USAGE);
        assert_eq!(refused("one", &Entry { at: 0, ..entry(8) }), codes::CLUSTER_FAULT);
        let other = Entry { slot: "other".to_owned(), ..entry(8) };
        let taken = store.take_entry("one", &other, None, &[]).map_err(|error| error.code());
        assert_eq!(taken, Err(codes::CLUSTER_FAULT));
    }

    #[test]
    fn a_store_takes_no_more_slots_than_it_may_have() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        store.bind("one").unwrap();
        let entry = |slot: &str, id| Entry {
            id,
            slot: slot.to_owned(),
            at: id,
            action: Action::Configure,
            note: String::new(),
            state: State::default(),
            settings: SlotSettings::default(),
        };
        let most = i64::try_from(Store::MOST_SLOTS).unwrap();
        // As many transactions would take long.
        store
            .write(|change| {
                for id in 1..=most {
                    let slot = format!("slot-{id}");
                    slots::insert(change, Some(id), &entry(&slot, id), false)?;
                    slots::point(change, &slot, id)?;
                }
                Ok(())
            })
            .unwrap();
        let code = |result: Result<(), Error>| result.map_err(|error| error.code());
        let take =
            |slot: &str, id, before| code(store.take_entry("one", &entry(slot, id), before, &[]).map(drop));
        assert_eq!(take("one-more", most + 1, None), Err(codes::LIMIT_EXCEEDED));
        assert_eq!(code(store.take_history("one", &entry("one-more", most + 1))), Err(codes::LIMIT_EXCEEDED));
        assert_eq!(code(store.check_room("one-more")), Err(codes::LIMIT_EXCEEDED));
        assert_eq!(take("slot-7", most + 1, Some(7)), Ok(()));
        assert_eq!(store.slots().unwrap().len(), Store::MOST_SLOTS);
    }
}
