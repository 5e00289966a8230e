//! Entries of a shared ledger, stored with the numbers that the ledger assigned.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;
use rusqlite::{Transaction, params};
use semver::Version;

use super::{
    Aborted, Store, cluster, first_row, modules, rows,
    slots::{self, ActiveVersion, ENTRY},
};
use crate::{
    codes,
    history::{SlotEntry, SlotState},
};

/// The outcome of storing an entry as the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryOutcome {
    /// The entry is the current one.
    Active,
    /// A later entry is the current one. This entry is part of the history.
    Superseded,
    /// The current entry is not the one with which this entry was judged. Nothing was changed.
    Stale,
}

impl Store {
    /// Makes an entry of the ledger the current one, if the slot is still in the entry with the number `before`.
    ///
    /// Fails with [`codes::UNKNOWN_MODULE`] if a module of the entry was removed after it was judged; the caller can fetch the
    /// module again.
    pub(crate) fn store_entry(
        &self,
        ledger: &str,
        entry: &SlotEntry,
        before: Option<i64>,
        active_versions: &[ActiveVersion],
    ) -> Result<EntryOutcome, Error> {
        self.write(|change| {
            cluster::check(change, Some(ledger))?;
            slots::check_room(change, &entry.slot)?;
            let before_it = slots::current(change, &entry.slot)?;
            let current = before_it.as_ref().map(|entry| entry.id);
            if current.is_none_or(|current| current < entry.id) {
                if current != before {
                    return Ok(EntryOutcome::Stale);
                }
                slots::check_members(change, before_it.as_ref(), &entry.state)?;
            }
            insert(change, entry, false)?;
            slots::raise(change, &entry.slot, active_versions)?;
            if current.is_some_and(|current| current > entry.id) {
                return Ok(EntryOutcome::Superseded);
            }
            slots::point(change, &entry.slot, entry.id)?;
            Ok(EntryOutcome::Active)
        })
    }

    /// Adds an entry to a slot's history only. It was superseded before this host judged it.
    pub(crate) fn store_history(&self, ledger: &str, entry: &SlotEntry) -> Result<(), Error> {
        // The follower repeats known entries. A read avoids waiting for writers.
        if self.read(|read| Ok(slots::numbered(read, entry.id)?))?.as_ref() == Some(entry) {
            return Ok(());
        }
        self.write(|change| {
            cluster::check(change, Some(ledger))?;
            slots::check_room(change, &entry.slot)?;
            insert(change, entry, true)
        })
    }

    /// The highest versions, by name, that were active in a slot before an entry, as far as this host judged them.
    pub(crate) fn active_versions_before(
        &self,
        slot: &str,
        entry: i64,
    ) -> Result<BTreeMap<String, Version>, Error> {
        self.read(|read| {
            let sql = "SELECT DISTINCT state FROM history WHERE slot = ?1 AND id < ?2 AND NOT unjudged";
            let mut states = read.prepare_cached(sql)?;
            let mut rows = states.query(params![slot, entry])?;
            // A removed module still counts: a version below it stays a downgrade.
            let mut module = read.prepare_cached(
                "SELECT name, version FROM modules WHERE digest = ?1
                 UNION ALL SELECT name, version FROM removed_modules WHERE digest = ?1 LIMIT 1",
            )?;
            let mut active_versions = BTreeMap::new();
            while let Some(row) = rows.next()? {
                let state: SlotState =
                    slots::document(0, row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?;
                for member in state.active.iter().flat_map(|active| active.members()) {
                    let ActiveVersion { name, version } =
                        module.query_row([member.module.as_bytes()], slots::height_of)?;
                    let height = active_versions.entry(name).or_insert_with(|| version.clone());
                    if *height < version {
                        *height = version;
                    }
                }
            }
            Ok(active_versions)
        })
    }

    /// The entries of a slot's history before this one, latest first, each with whether this host judged it. Stops after the
    /// first entry for which `goes_on` returns false.
    pub(crate) fn judged_before(
        &self,
        slot: &str,
        entry: i64,
        mut goes_on: impl FnMut(&SlotEntry, bool) -> bool,
    ) -> Result<Vec<(SlotEntry, bool)>, Error> {
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

    /// The entries of a slot's history that this host never judged, earliest first. Of consecutive entries with the same state
    /// only the first counts, because the fewest versions were active before it.
    pub(crate) fn unjudged(&self, slot: &str) -> Result<Vec<SlotEntry>, Error> {
        let sql = format!("{ENTRY} WHERE h.slot = ?1 AND h.unjudged ORDER BY h.id");
        let mut entries = self.read(|read| Ok(rows(read, &sql, [slot], slots::entry)?))?;
        entries.dedup_by(|next, kept| next.state == kept.state);
        Ok(entries)
    }

    /// Records the versions that were active in a slot.
    pub(crate) fn raise_active_versions(
        &self,
        slot: &str,
        active_versions: &[ActiveVersion],
    ) -> Result<(), Error> {
        if active_versions.is_empty() {
            return Ok(());
        }
        self.write(|change| Ok(slots::raise(change, slot, active_versions)?))
    }

    /// True if this host judged an entry before it became part of the history.
    pub(crate) fn is_judged(&self, entry: &SlotEntry) -> Result<bool, Error> {
        self.read(|read| {
            let sql = "SELECT NOT unjudged FROM history WHERE id = ?1";
            Ok(first_row(read, sql, [entry.id], |row| row.get(0))?.unwrap_or_default())
        })
    }

    /// The modules that the store does not have.
    pub(crate) fn lacks(&self, modules: impl Iterator<Item = Digest>) -> Result<Vec<Digest>, Error> {
        self.read(|read| modules::lacking(read, modules))
    }
}

/// Stores an entry unless it exists. Rejects an entry whose number another entry has.
fn insert(change: &Transaction<'_>, entry: &SlotEntry, unjudged: bool) -> Result<(), Aborted> {
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
                "entry {} of the ledger, of the slot `{}`, differs from this store's entry of that number, of the slot `{}`: \
                 the ledger was replaced",
                entry.id, entry.slot, there.slot
            );
            Err(Error::new(codes::CLUSTER_FAULT, message).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{SlotAction, SlotSettings};

    #[test]
    fn an_entry_becomes_current_only_after_the_one_it_was_judged_with() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        store.bind("one").unwrap();
        let entry = |id| SlotEntry {
            id,
            slot: "release".to_owned(),
            at: id,
            action: SlotAction::Configure,
            note: String::new(),
            state: SlotState::default(),
            settings: SlotSettings::default(),
        };
        let current = || store.find_slot("release").unwrap().map(|entry| entry.id);
        let take = |id, before| store.store_entry("one", &entry(id), before, &[]).unwrap();
        assert_eq!((take(5, Some(4)), current()), (EntryOutcome::Stale, None));
        assert_eq!((take(5, None), current()), (EntryOutcome::Active, Some(5)));
        assert_eq!((take(9, None), current()), (EntryOutcome::Stale, Some(5)));
        assert_eq!((take(9, Some(4)), current()), (EntryOutcome::Stale, Some(5)));
        assert_eq!((take(9, Some(5)), current()), (EntryOutcome::Active, Some(9)));
        // Known and superseded entries change nothing, whatever entry they were judged with.
        assert_eq!((take(9, Some(5)), current()), (EntryOutcome::Active, Some(9)));
        assert_eq!((take(7, Some(5)), current()), (EntryOutcome::Superseded, Some(9)));
        store.store_history("one", &entry(8)).unwrap();
        store.store_history("one", &entry(9)).unwrap();
        let judged = |id| store.is_judged(&entry(id)).unwrap();
        assert_eq!([5, 7, 8, 9].map(judged), [true, true, false, true]);
        let history = store.history("release", 10).unwrap();
        assert_eq!(history.iter().map(|entry| entry.id).collect::<Vec<_>>(), [9, 8, 7, 5]);
        // Entries of another ledger are rejected, and so is a second entry of one number.
        let refused =
            |ledger, entry: &SlotEntry| store.store_entry(ledger, entry, Some(9), &[]).unwrap_err().code();
        assert_eq!(refused("two", &entry(10)), codes::WRONG_USAGE);
        assert_eq!(refused("one", &SlotEntry { at: 0, ..entry(8) }), codes::CLUSTER_FAULT);
        let other = SlotEntry { slot: "other".to_owned(), ..entry(8) };
        let taken = store.store_entry("one", &other, None, &[]).map_err(|error| error.code());
        assert_eq!(taken, Err(codes::CLUSTER_FAULT));
    }

    #[test]
    fn the_number_of_slots_is_bounded() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        store.bind("one").unwrap();
        let entry = |slot: &str, id| SlotEntry {
            id,
            slot: slot.to_owned(),
            at: id,
            action: SlotAction::Configure,
            note: String::new(),
            state: SlotState::default(),
            settings: SlotSettings::default(),
        };
        let most = i64::try_from(Store::MOST_SLOTS).unwrap();
        // One transaction, because thousands would take long.
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
            |slot: &str, id, before| code(store.store_entry("one", &entry(slot, id), before, &[]).map(drop));
        assert_eq!(take("one-more", most + 1, None), Err(codes::LIMIT_EXCEEDED));
        assert_eq!(
            code(store.store_history("one", &entry("one-more", most + 1))),
            Err(codes::LIMIT_EXCEEDED)
        );
        assert_eq!(code(store.check_room("one-more")), Err(codes::LIMIT_EXCEEDED));
        assert_eq!(take("slot-7", most + 1, Some(7)), Ok(()));
        assert_eq!(store.slots().unwrap().len(), Store::MOST_SLOTS);
    }
}
