//! Removes a module, a slot, or everything that no slot's history within a retention needs.
//!
//! One transaction finds the needed data and removes the rest from the database. Then compiled code is removed, and last the free
//! pages are given back. If the process dies in between, the next collection does the rest.

use std::{collections::BTreeSet, fs};

use adjudicate_core::{Error, document::Describe};
use adjudicate_sandbox::{Digest, sweep};
use adjudicate_trust::counted;
use rusqlite::{Row, Transaction, params};
use serde::Serialize;

use super::{
    Aborted, COMPILED, DATABASE, InstalledModule, Store, cluster, lock, modules, needs::RetainedHistory,
    slots, store_error,
};
use crate::{
    Retention, codes,
    history::{ChangeReason, SlotEntry},
};

/// The free pages that one transaction gives back: 4 MiB, so that other changes do not wait long for it.
const PAGES: u32 = 1024;
/// SQLite's number for a database whose free pages can be given back a few at a time.
const INCREMENTAL: i64 = 2;

/// The removals of [`Store::collect`], made or only planned. As JSON, `modules` are those of [`Store::modules`].
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[document(name = "Collected")]
pub struct Removals {
    /// True if nothing was removed, and this lists the removals of a real run.
    pub dry_run: bool,
    /// The modules, by name, version and digest.
    pub modules: Vec<InstalledModule>,
    /// The number of differences between a slot's answers and its shadow's.
    pub differences: u64,
    /// The number of files of compiled code.
    pub compiled: u64,
    /// The bytes of all these.
    pub bytes: u64,
    /// The bytes by which the files of the store became smaller. SQLite keeps pages that another process still reads.
    pub freed: u64,
}

impl Store {
    /// Removes a module that no slot needs from this store. A ledger that several hosts share keeps the module's bytes.
    /// [`Store::collect`] gives the space back to the file system.
    ///
    /// `now` is in milliseconds since 1970. A slot needs all members of a composition: base, override and restrictions.
    ///
    /// # Errors
    ///
    /// - [`codes::IN_USE`], with the slots that need the module. A slot needs a module that is active, canary or shadow, or is in
    ///   an entry that a rollback would try first. It also needs the modules in its history within the retention, and in the
    ///   decision records of that time.
    /// - [`codes::UNKNOWN_MODULE`], [`codes::STORE_FAULT`].
    pub fn uninstall(
        &self,
        module: Digest,
        retention: Retention,
        now: i64,
    ) -> Result<InstalledModule, Error> {
        let found = self.module(module)?;
        let (mut needs, scanned) = self.needs_of_records(retention, now)?;
        self.write(|change| {
            needs.complete(change, retention, now, &scanned)?;
            if let Some(users) = needs.describe(module) {
                let message = format!("`{}@{}` ({module}) is needed: {users}", found.name, found.version);
                return Err(Error::new(codes::IN_USE, message).into());
            }
            remove_module(change, module, now)
        })?;
        let gone = module.hex();
        self.sweep(false, |module| module == gone);
        Ok(found)
    }

    /// Removes a slot with its settings, its history and the differences of its shadow, and returns the entry that it was in.
    /// With `expected`, only if that is the number of the entry.
    ///
    /// The highest versions that were active in the slot and its own trust policy stay, and count for a new slot of
    /// this name. So deleting a slot does not allow a downgrade. Its decision records stay, too. You can verify and
    /// export them, but no longer replay them with the modules of their entries. A new slot of this name continues
    /// their chain.
    ///
    /// ```
    /// use adjudicate_sandbox::{Host, HostSettings};
    /// use adjudicate_host::{SlotSettings, Slots, Store, ChangeReason};
    /// # let directory = tempfile::tempdir().unwrap();
    /// let store = Store::open(&directory.path().join("store"))?;
    /// let slots = Slots::open(store.clone(), Host::new(HostSettings::default())?)?;
    /// let entry = slots.create("release", SlotSettings::default(), &ChangeReason::default())?.entry();
    /// assert_eq!(store.delete_slot("release", Some(entry.id))?, entry);
    /// assert_eq!(store.slot("release").unwrap_err().code().as_str(), "unknown_slot");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`codes::UNKNOWN_SLOT`], [`codes::SLOT_CHANGED`], [`codes::STORE_FAULT`]; [`codes::WRONG_USAGE`] for a slot that
    /// several hosts share, because a host that is away would not learn of it.
    pub fn delete_slot(&self, slot: &str, expected: Option<i64>) -> Result<SlotEntry, Error> {
        self.write(|change| {
            if let Some(ledger) = cluster::cluster(change)? {
                let message = format!(
                    "the slots of this store belong to the cluster `{}`, where slots cannot be deleted",
                    cluster::shown(&ledger)
                );
                return Err(Error::new(codes::WRONG_USAGE, message).into());
            }
            let current = slots::current(change, slot)?.ok_or_else(|| slots::unknown_slot(slot))?;
            ChangeReason { expected, ..ChangeReason::default() }.check(Some(&current))?;
            for sql in [
                "DELETE FROM slots WHERE name = ?1",
                "DELETE FROM history WHERE slot = ?1",
                "DELETE FROM differences WHERE slot = ?1",
            ] {
                change.execute(sql, [slot])?;
            }
            Ok(current)
        })
    }

    /// Removes modules, compiled code without a module, and differences of earlier entries that no slot's history within a
    /// retention needs. Entries of histories and decision records stay. Then gives the space back to the file system. With
    /// `dry_run`, removes nothing.
    ///
    /// `now` is in milliseconds since 1970. A module that was installed a short time ago stays ([`Retention::GRACE`]).
    ///
    /// The first collection with free space rewrites a database that an earlier version made. The rewrite takes up to
    /// twice the size of the database in free disk space. Meanwhile, changes by other processes wait, for 10 seconds at
    /// most. Later collections free the pages a few at a time.
    ///
    /// ```
    /// use adjudicate_host::{Retention, Store};
    /// # let directory = tempfile::tempdir().unwrap();
    /// let store = Store::open(&directory.path().join("store"))?;
    /// let collected = store.collect(Retention::Entries(5), 1_795_219_200_000, true)?;
    /// assert!(collected.dry_run && collected.modules.is_empty());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`]. If the space could not be given back, the message says so; a later collection gives it back.
    pub fn collect(&self, retention: Retention, now: i64, dry_run: bool) -> Result<Removals, Error> {
        let before = self.size();
        let (mut needs, scanned) = self.needs_of_records(retention, now)?;
        let since = retention.installed_since(now);
        let mut find = |read: &Transaction<'_>| {
            let kept = needs.complete(read, retention, now, &scanned)?;
            let mut removed = modules::all(read)?;
            removed.retain(|module| module.installed_at < since && !needs.has(module.digest));
            let differences = find_differences(read, &kept)?;
            Ok((removed, kept, differences))
        };
        let (modules, _, (differences, difference_bytes)) = match dry_run {
            true => self.read(find)?,
            false => self.write(|change| {
                let found = find(change)?;
                found.0.iter().try_for_each(|module| remove_module(change, module.digest, now))?;
                remove_differences(change, &found.1)?;
                Ok(found)
            })?,
        };
        let stay: BTreeSet<String> = self.modules()?.iter().map(|module| module.digest.hex()).collect();
        let go: BTreeSet<String> = modules.iter().map(|module| module.digest.hex()).collect();
        let (compiled, code) = self.sweep(dry_run, |module| !stay.contains(module) || go.contains(module));
        if !dry_run {
            self.give_back().map_err(|error| {
                error.within(&format!(
                    "{} removed, but their space was not given back to the file system; collect again",
                    counted(modules.len(), "module")
                ))
            })?;
        }
        let bytes = modules.iter().map(|module| module.bytes).sum::<u64>() + difference_bytes + code;
        let freed = before.saturating_sub(self.size());
        Ok(Removals { dry_run, modules, differences, compiled, bytes, freed })
    }

    /// Removes compiled code of modules. Returns how many files and bytes.
    fn sweep(&self, dry_run: bool, goes: impl Fn(&str) -> bool) -> (u64, u64) {
        sweep(&self.inner.directory.join(COMPILED), dry_run, goes)
    }

    /// The bytes of the store's files. A file that cannot be inspected counts as empty.
    fn size(&self) -> u64 {
        let directory = &self.inner.directory;
        let database = [DATABASE.to_owned(), format!("{DATABASE}-wal")].map(|name| directory.join(name));
        let compiled = fs::read_dir(directory.join(COMPILED)).into_iter().flatten().flatten();
        let files = database.into_iter().chain(compiled.map(|file| file.path()));
        files.filter_map(|file| fs::metadata(file).ok()).map(|about| about.len()).sum()
    }

    /// Gives free pages of the database back to the file system.
    fn give_back(&self) -> Result<(), Error> {
        let writer = self.inner.writer.as_ref().map_err(Clone::clone)?;
        let number = |name: &str| {
            let sql = format!("PRAGMA {name}");
            lock(writer)
                .query_row(&sql, [], |row| row.get::<_, i64>(0))
                .map_err(|error| store_error(error.into()))
        };
        let run = |sql: &str| lock(writer).execute_batch(sql).map_err(|error| store_error(error.into()));
        if number("auto_vacuum")? != INCREMENTAL && number("freelist_count")? > 0 {
            run("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")?;
        }
        let mut free = number("freelist_count")?;
        while free > 0 {
            self.write(|change| {
                let mut vacuum = change.prepare(&format!("PRAGMA incremental_vacuum({PAGES})"))?;
                let mut rows = vacuum.query([])?;
                // SQLite frees one page for each row.
                while rows.next()?.is_some() {}
                Ok(())
            })?;
            // Stops when other processes free pages as fast as this one gives them back.
            let left = number("freelist_count")?;
            free = if left < free { left } else { 0 };
        }
        // A concurrent reader or writer may keep SQLite from emptying the log; SQLite then does it later.
        number("wal_checkpoint(TRUNCATE)").map(drop)
    }
}

fn remove_module(change: &Transaction<'_>, module: Digest, now: i64) -> Result<(), Aborted> {
    change.execute(
        "INSERT INTO removed_modules (digest, name, version, removed_at)
         SELECT digest, name, version, ?2 FROM modules WHERE digest = ?1
         ON CONFLICT (digest) DO UPDATE SET removed_at = ?2",
        params![module.as_bytes(), now],
    )?;
    change.execute("DELETE FROM modules WHERE digest = ?1", [module.as_bytes()])?;
    Ok(())
}

/// The differences that a collection removes: those of deleted slots, and of entries before the retention.
const GONE: &str = "slot NOT IN (SELECT name FROM slots)";
const OLD: &str = "slot = ?1 AND entry < ?2";

/// Returns the number of the differences to remove, and their bytes.
fn find_differences(read: &Transaction<'_>, kept: &[RetainedHistory]) -> Result<(u64, u64), Aborted> {
    let (mut count, mut bytes) = (0, 0);
    let mut add = |row: &Row<'_>| {
        count += row.get::<_, i64>(0)?.unsigned_abs();
        bytes += row.get::<_, i64>(1)?.unsigned_abs();
        Ok(())
    };
    let sql = |which| {
        let length = |column| format!("length(CAST({column} AS BLOB))");
        let bytes = ["input", "answer", "shadow"].map(length).join(" + ");
        format!("SELECT count(*), coalesce(sum({bytes}), 0) FROM differences WHERE {which}")
    };
    read.query_row(&sql(GONE), [], &mut add)?;
    let mut old = read.prepare(&sql(OLD))?;
    for RetainedHistory { slot, first } in kept {
        old.query_row(params![slot, first], &mut add)?;
    }
    Ok((count, bytes))
}

fn remove_differences(change: &Transaction<'_>, kept: &[RetainedHistory]) -> Result<(), Aborted> {
    change.execute(&format!("DELETE FROM differences WHERE {GONE}"), [])?;
    let mut old = change.prepare(&format!("DELETE FROM differences WHERE {OLD}"))?;
    for RetainedHistory { slot, first } in kept {
        old.execute(params![slot, first])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        history::{SlotAction, SlotSettings, SlotState},
        store::SlotChange,
    };

    #[test]
    fn creating_and_deleting_a_slot_is_a_change() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let before = store.generation().unwrap();
        let change = SlotChange {
            action: SlotAction::Configure,
            note: String::new(),
            state: SlotState::default(),
            settings: SlotSettings::default(),
            active_versions: Vec::new(),
        };
        store.change_slot("release", 1, |_| Ok(change)).unwrap();
        let made = store.generation().unwrap();
        store.delete_slot("release", None).unwrap();
        let deleted = store.generation().unwrap();
        assert!(before != made && made != deleted && deleted != before);
    }
}
