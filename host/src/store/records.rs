//! Decision records: appended to the chain of their slot, and read in pages.

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;
use rusqlite::{Row, Transaction, params};

use super::{Aborted, Store, fault, first_row, rows};
use crate::record::{Chain, Link, Record, UnchainedRecord};

/// The size of a page of records in bytes. A page has at least one record.
const PAGE_BYTES: usize = 4 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordRow {
    pub(crate) link: Link,
    pub(crate) at: i64,
    pub(crate) document: String,
}

/// A range of a slot's records, by number and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordRange {
    /// Only records after this number.
    pub after: i64,
    /// Only records from this time on, in milliseconds since 1970.
    pub since: i64,
    /// Only records before this time.
    pub until: i64,
}

impl Default for RecordRange {
    fn default() -> Self {
        Self { after: 0, since: i64::MIN, until: i64::MAX }
    }
}

impl Store {
    /// The position of a slot's last record; `None` without records.
    ///
    /// # Errors
    ///
    /// [`store_fault`](crate::codes::STORE_FAULT) if the store cannot be read.
    pub fn record_head(&self, slot: &str) -> Result<Option<Link>, Error> {
        self.read(|read| Ok(head(read, slot)?))
    }

    /// The names of the slots with records.
    ///
    /// # Errors
    ///
    /// As for [`Store::record_head`].
    pub fn recorded_slots(&self) -> Result<Vec<String>, Error> {
        self.read(|read| {
            // Jumps from name to name in the index, independent of the number of records.
            let sql = "WITH RECURSIVE each (slot) AS (
                    SELECT min(slot) FROM records
                    UNION ALL
                    SELECT (SELECT min(slot) FROM records WHERE slot > each.slot) FROM each WHERE each.slot IS NOT NULL
                ) SELECT slot FROM each WHERE slot IS NOT NULL";
            Ok(rows(read, sql, [], |row| row.get(0))?)
        })
    }

    /// The number of a slot's records in a range.
    ///
    /// # Errors
    ///
    /// As for [`Store::record_head`].
    pub fn count_records(&self, slot: &str, range: RecordRange) -> Result<u64, Error> {
        let count: i64 = self.read(|read| {
            let sql =
                "SELECT count(*) FROM records WHERE slot = ?1 AND sequence > ?2 AND at >= ?3 AND at < ?4";
            let parameters = params![slot, range.after, range.since, range.until];
            Ok(read.query_row(sql, parameters, |row| row.get(0))?)
        })?;
        Ok(count.unsigned_abs())
    }

    /// Passes the records of a slot in a range to `take`, as lines of JSON in order, each with its hash. Holds only a few records
    /// in memory.
    ///
    /// # Errors
    ///
    /// As for [`Store::record_head`]; also the errors of `take`.
    pub fn export_records<E: From<Error>>(
        &self,
        slot: &str,
        range: RecordRange,
        mut take: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_record(slot, range, |row| take(&Record::exported(row.link.hash, &row.document)))
    }

    /// Verifies the whole chain of a slot, which must contain these positions. Returns its end and the number of records.
    ///
    /// # Errors
    ///
    /// [`broken_chain`](crate::codes::BROKEN_CHAIN) with the number of the record; also the errors of [`Store::record_head`].
    pub fn verify_records(&self, slot: &str, holding: &[Link]) -> Result<(Link, u64), Error> {
        let chain = holding.iter().fold(Chain::for_slot(slot), |chain, link| chain.holding(*link));
        let mut chain = chain;
        self.each_record(slot, RecordRange::default(), |row| {
            chain.row(&row.document, row.link, row.at).map(drop)
        })?;
        chain.finish()
    }

    /// Passes the records of a slot in a range to `take`, and verifies each record and its link to the previous one.
    ///
    /// # Errors
    ///
    /// As for [`Store::verify_records`]; also the errors of `take`.
    pub fn read_records<E: From<Error>>(
        &self,
        slot: &str,
        range: RecordRange,
        mut take: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        // Clocks may go back, so only a range of time may have gaps.
        let may_jump = range != RecordRange::default();
        let mut chain = Chain::for_slot(slot);
        self.each_record(slot, range, |row| {
            let before = row.link.sequence - 1;
            if may_jump && chain.end().sequence != before {
                // The chain reports a record that cannot be parsed.
                let previous = Record::parse(row.document.as_bytes()).map(|record| record.previous);
                let hash = previous.unwrap_or(Link::START.hash);
                chain = Chain::for_slot(slot).after(Link { sequence: before, hash });
            }
            take(chain.row(&row.document, row.link, row.at)?)
        })
    }

    /// The key for keyed hashes of inputs. It is drawn when it is first needed.
    pub(crate) fn record_key(&self) -> Result<[u8; 32], Error> {
        let find =
            |read: &Transaction<'_>| first_row(read, "SELECT key FROM record_key", [], |row| row.get(0));
        if let Some(key) = self.read(|read| Ok(find(read)?))? {
            return Ok(key);
        }
        let mut fresh = [0; 32];
        getrandom::fill(&mut fresh).map_err(|error| {
            Error::caused_by(crate::codes::STORE_FAULT, "the system gives no random key", error)
        })?;
        self.write(|change| {
            change
                .execute("INSERT INTO record_key (id, key) VALUES (1, ?1) ON CONFLICT DO NOTHING", [fresh])?;
            // Another process may have stored a key meanwhile.
            find(change)?.ok_or_else(|| fault("the store lost its key").into())
        })
    }

    /// Appends records, grouped by slot, to the chains of their slots, all or none of them. Returns their numbers.
    pub(crate) fn append_records<'d>(
        &self,
        drafts: impl Iterator<Item = &'d UnchainedRecord>,
    ) -> Result<Vec<i64>, Error> {
        self.write(|change| {
            let sql = "INSERT INTO records (slot, sequence, at, hash, document) VALUES (?1, ?2, ?3, ?4, ?5)";
            let mut insert = change.prepare_cached(sql)?;
            let mut sequences = Vec::new();
            let mut last: Option<(&str, Link)> = None;
            for draft in drafts {
                let end = match last {
                    Some((slot, link)) if slot == draft.slot => link,
                    _ => head(change, &draft.slot)?.unwrap_or(Link::START),
                };
                let (document, link) = draft.placed(&end);
                let hash = link.hash.as_bytes();
                insert.execute(params![draft.slot, link.sequence, draft.at, hash, document])?;
                sequences.push(link.sequence);
                last = Some((&draft.slot, link));
            }
            Ok(sequences)
        })
    }

    /// Tests whether a record of this size can be appended to a slot's chain: writes one and removes it in the same transaction.
    /// The log gets every changed page, so the test needs the disk space of a record.
    pub(crate) fn try_record(&self, slot: &str, bytes: usize) -> Result<(), Error> {
        self.write(|change| {
            let sequence = head(change, slot)?.unwrap_or(Link::START).sequence + 1;
            let insert = "INSERT INTO records (slot, sequence, at, hash, document)
                VALUES (?1, ?2, 0, zeroblob(32), CAST(zeroblob(?3) AS TEXT))";
            change.execute(insert, params![slot, sequence, i64::try_from(bytes).unwrap_or(i64::MAX)])?;
            change
                .execute("DELETE FROM records WHERE slot = ?1 AND sequence = ?2", params![slot, sequence])?;
            Ok(())
        })
    }

    fn each_record<E: From<Error>>(
        &self,
        slot: &str,
        range: RecordRange,
        mut take: impl FnMut(RecordRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after = range.after;
        loop {
            let page = self.read(|read| page(read, slot, RecordRange { after, ..range }))?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.link.sequence;
            for row in page {
                take(row)?;
            }
        }
    }
}

fn head(read: &Transaction<'_>, slot: &str) -> Result<Option<Link>, rusqlite::Error> {
    let sql = "SELECT sequence, hash FROM records WHERE slot = ?1 ORDER BY sequence DESC LIMIT 1";
    first_row(read, sql, [slot], link)
}

/// The position in the first two columns of a row.
fn link(row: &Row<'_>) -> Result<Link, rusqlite::Error> {
    Ok(Link { sequence: row.get(0)?, hash: Digest::from_bytes(row.get(1)?) })
}

fn page(read: &Transaction<'_>, slot: &str, range: RecordRange) -> Result<Vec<RecordRow>, Aborted> {
    let sql = "SELECT sequence, hash, at, document FROM records
               WHERE slot = ?1 AND sequence > ?2 AND at >= ?3 AND at < ?4 ORDER BY sequence";
    let mut found = read.prepare_cached(sql)?;
    let mut rows = found.query(params![slot, range.after, range.since, range.until])?;
    let (mut page, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let row = RecordRow { link: link(row)?, at: row.get(2)?, document: row.get(3)? };
        bytes += row.document.len();
        page.push(row);
        if bytes >= PAGE_BYTES {
            break;
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_trial_needs_the_space_of_a_record_and_leaves_no_record() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let log = directory.path().join("store/adjudicate.db-wal");
        let size = || fs::metadata(&log).unwrap().len();
        for bytes in [0, 1000, 500_000, 200_000, 500_000] {
            let before = size();
            store.try_record("release", bytes).unwrap();
            assert!(size() >= before + bytes as u64 && size() > before, "{bytes}: {before}, {}", size());
            assert_eq!(store.record_head("release"), Ok(None));
        }
        assert!(store.recorded_slots().unwrap().is_empty());
    }
}
