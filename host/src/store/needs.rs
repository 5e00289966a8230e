//! The modules that slots need: for their current state, for their histories within a retention, and for replaying the decision
//! records of that part of the history.

use std::collections::BTreeMap;

use adjudicate_sandbox::Digest;
use rusqlite::{Transaction, params};

use super::{
    Aborted, Store, first_row, rows,
    slots::{self, ENTRY},
};
use crate::{
    Retention,
    history::{Composition, SlotState},
    retention::before,
};

/// The number of records that one transaction reads.
const PAGE: i64 = 2000;
/// The number of slots that an error lists.
const MOST_NAMED: usize = 8;

/// The reason why a slot needs a module, most important first. An error lists only the first reason of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ModuleNeed {
    Active,
    Canary,
    Shadow,
    /// An entry of the history within the retention.
    Entry(i64),
    /// An entry that a rollback of the slot would try first.
    Rollback(i64),
    /// A decision record of an entry within the retention.
    Record(i64),
}

/// The needed modules, each with the slots that need it.
#[derive(Debug, Default)]
pub(super) struct ModuleNeeds(BTreeMap<Digest, BTreeMap<String, ModuleNeed>>);

/// The part of a slot's history that is within the retention.
#[derive(Debug)]
pub(super) struct RetainedHistory {
    pub(super) slot: String,
    /// The number of its first entry.
    pub(super) first: i64,
}

/// For each slot the number of the last record whose needs are known.
pub(super) type Scanned = BTreeMap<String, i64>;

impl Store {
    /// The needs of the decision records within the retention. Reads a page of records in each transaction.
    pub(super) fn needs_of_records(
        &self,
        retention: Retention,
        now: i64,
    ) -> Result<(ModuleNeeds, Scanned), adjudicate_core::Error> {
        let (mut needs, mut scanned) = (ModuleNeeds::default(), Scanned::new());
        for RetainedHistory { slot, first } in self.read(|read| kept(read, retention, now))? {
            let head = self.record_head(&slot)?.map_or(0, |link| link.sequence);
            let mut to = head;
            // Records are in the order of entries, except for a batch that is written late. A batch is smaller than a page, so a page
            // without a record within the retention ends the search.
            while to > 0 && self.read(|read| needs.add_records(read, &slot, first, to - PAGE, to))? {
                to -= PAGE;
            }
            scanned.insert(slot, head);
        }
        Ok((needs, scanned))
    }
}

impl ModuleNeeds {
    /// Adds the needs of slots, of histories, and of records that were written after the scan.
    pub(super) fn complete(
        &mut self,
        read: &Transaction<'_>,
        retention: Retention,
        now: i64,
        scanned: &Scanned,
    ) -> Result<Vec<RetainedHistory>, Aborted> {
        let kept = kept(read, retention, now)?;
        for RetainedHistory { slot, first } in &kept {
            if let Some(current) = slots::current(read, slot)? {
                let SlotState { active, shadow, canary } = &current.state;
                self.add(slot, active.iter(), ModuleNeed::Active);
                self.add(slot, canary.iter().map(|canary| &canary.composition), ModuleNeed::Canary);
                self.add(slot, shadow.iter(), ModuleNeed::Shadow);
                for (entry, _) in slots::entries_before(read, slot, &current, &[])? {
                    self.add(&entry.slot, entry.state.active.iter(), ModuleNeed::Rollback(entry.id));
                }
            }
            let sql = format!("{ENTRY} WHERE h.slot = ?1 AND h.id >= ?2 ORDER BY h.id DESC");
            let mut found = read.prepare_cached(&sql)?;
            for entry in found.query_map(params![slot, first], slots::entry)? {
                let entry = entry?;
                self.add(&entry.slot, entry.state.compositions(), ModuleNeed::Entry(entry.id));
            }
            let after = scanned.get(slot).copied().unwrap_or_default();
            self.add_records(read, slot, *first, after, i64::MAX)?;
        }
        Ok(kept)
    }

    pub(super) fn has(&self, module: Digest) -> bool {
        self.0.contains_key(&module)
    }

    /// The slots that need a module, as text for an error; `None` if no slot does.
    pub(super) fn describe(&self, module: Digest) -> Option<String> {
        let slots = self.0.get(&module)?;
        let mut describe: Vec<_> = slots
            .iter()
            .take(MOST_NAMED)
            .map(|(slot, need)| format!("the slot `{slot}` {}", need.describe()))
            .collect();
        if let Some(more) = slots.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            describe.push(format!("{more} more"));
        }
        Some(describe.join(", "))
    }

    fn add<'a>(&mut self, slot: &str, compositions: impl Iterator<Item = &'a Composition>, need: ModuleNeed) {
        for member in compositions.flat_map(Composition::members) {
            self.add_module(slot, member.module, need);
        }
    }

    fn add_module(&mut self, slot: &str, module: Digest, need: ModuleNeed) {
        let slots = self.0.entry(module).or_default();
        let known = slots.entry(slot.to_owned()).or_insert(need);
        *known = need.min(*known);
    }

    /// Adds the needs of records after the number `after` and up to `to`, if they are of entries from `first` on. Returns whether
    /// there are such records.
    fn add_records(
        &mut self,
        read: &Transaction<'_>,
        slot: &str,
        first: i64,
        after: i64,
        to: i64,
    ) -> Result<bool, Aborted> {
        let sql = "SELECT r.sequence, m.value FROM records r LEFT JOIN json_each(r.document, '$.modules') m
                   WHERE r.slot = ?1 AND r.sequence > ?2 AND r.sequence <= ?3
                   AND json_extract(r.document, '$.entry') >= ?4";
        let mut found = read.prepare_cached(sql)?;
        let mut rows = found.query(params![slot, after, to, first])?;
        let mut are_any = false;
        while let Some(row) = rows.next()? {
            are_any = true;
            // A name that is not a digest names no module.
            let module: Option<String> = row.get(1)?;
            if let Some(module) = module.and_then(|module| module.parse().ok()) {
                self.add_module(slot, module, ModuleNeed::Record(row.get(0)?));
            }
        }
        Ok(are_any)
    }
}

impl ModuleNeed {
    fn describe(self) -> String {
        match self {
            Self::Active => "has it active".to_owned(),
            Self::Canary => "has it as canary".to_owned(),
            Self::Shadow => "has it as shadow".to_owned(),
            Self::Entry(id) => format!("had it in entry {id}, within the retention"),
            Self::Rollback(id) => format!("would be rolled back to it (entry {id})"),
            Self::Record(sequence) => {
                format!("has a decision record ({sequence}) of it, within the retention")
            }
        }
    }
}

/// Each slot with the first entry of its history within a retention.
fn kept(read: &Transaction<'_>, retention: Retention, now: i64) -> Result<Vec<RetainedHistory>, Aborted> {
    let slots: Vec<(String, i64)> =
        rows(read, "SELECT name, entry FROM slots ORDER BY name", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut kept = Vec::new();
    for (slot, current) in slots {
        let first = match retention {
            Retention::Age(age) => first_since(read, &slot, before(now, age))?,
            Retention::Entries(entries) => {
                let sql = "SELECT id FROM history WHERE slot = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2";
                let nth = params![slot, entries.saturating_sub(1)];
                // All entries, if there are fewer.
                first_row(read, sql, nth, |row| row.get(0))?.or(Some(i64::MIN))
            }
        };
        kept.push(RetainedHistory { first: first.unwrap_or(current).min(current), slot });
    }
    Ok(kept)
}

/// The entry that a slot was in at a time, or else its first entry after that time.
fn first_since(read: &Transaction<'_>, slot: &str, since: i64) -> Result<Option<i64>, rusqlite::Error> {
    let sql = "SELECT min(id) FROM history WHERE slot = ?1 AND at >= ?2";
    let after: Option<i64> = read.prepare_cached(sql)?.query_row(params![slot, since], |row| row.get(0))?;
    let sql = "SELECT max(id) FROM history WHERE slot = ?1 AND id < ?2";
    let behind = params![slot, after.unwrap_or(i64::MAX)];
    let before: Option<i64> = read.prepare_cached(sql)?.query_row(behind, |row| row.get(0))?;
    Ok(before.or(after))
}
