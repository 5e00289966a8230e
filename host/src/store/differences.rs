//! Differences between the answers of slots and their shadows.

use adjudicate_core::Error;
use rusqlite::{Row, params};

use super::Store;
use crate::history::ShadowDifference;

/// The number of differences kept per slot.
const MOST: i64 = 10_000;

impl Store {
    /// Stores differences, except those of a slot that was deleted meanwhile, and removes the oldest beyond the bound.
    pub(crate) fn keep_differences(&self, differences: &[ShadowDifference]) -> Result<(), Error> {
        self.write(|change| {
            let mut add = change.prepare_cached(
                "INSERT INTO differences (slot, at, entry, operation, run_id, input, answer, shadow)
                 SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
                 WHERE EXISTS (SELECT 1 FROM history WHERE id = ?3 AND slot = ?1)",
            )?;
            let mut trim = change.prepare_cached(
                "DELETE FROM differences WHERE slot = ?1 AND id <=
                 (SELECT id FROM differences WHERE slot = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            )?;
            for each in differences {
                let ShadowDifference { slot, at, entry, operation, run_id, input, answer, shadow } = each;
                add.execute(params![slot, at, entry, operation, run_id, input, answer, shadow])?;
                trim.execute(params![slot, MOST])?;
            }
            Ok(())
        })
    }

    /// The latest differences between a slot's answers and its shadow's, latest first. The store keeps 10,000 per slot.
    ///
    /// # Errors
    ///
    /// [`store_fault`](crate::codes::STORE_FAULT) if the store cannot be read.
    pub fn differences(&self, slot: &str, most: u32) -> Result<Vec<ShadowDifference>, Error> {
        self.read(|read| {
            let mut found = read.prepare_cached(
                "SELECT slot, at, entry, operation, run_id, input, answer, shadow FROM differences
                 WHERE slot = ?1 ORDER BY id DESC LIMIT ?2",
            )?;
            let rows = found.query_map(params![slot, most], difference)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

fn difference(row: &Row<'_>) -> Result<ShadowDifference, rusqlite::Error> {
    Ok(ShadowDifference {
        slot: row.get(0)?,
        at: row.get(1)?,
        entry: row.get(2)?,
        operation: row.get(3)?,
        run_id: row.get(4)?,
        input: row.get(5)?,
        answer: row.get(6)?,
        shadow: row.get(7)?,
    })
}
