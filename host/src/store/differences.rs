//! Differences between the answers of slots and their shadows.

use adjudicate_core::{Error, document::Describe};
use rusqlite::{Row, params};
use serde::Serialize;

use super::{Store, rows};

/// A call to which the shadow gave another answer. Answers are reduced to their hash and to the fields that programs act on. Values
/// that the slot's decision records redact are left out.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[document(name = "Difference")]
pub struct ShadowDifference {
    /// The slot.
    pub slot: String,
    /// The time of the call, in milliseconds since 1970.
    pub at: i64,
    /// The entry of the slot's history that was active.
    pub entry: i64,
    /// The operation.
    pub operation: String,
    /// The run, if the call names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The hash of the input, as in its decision record: keyed if the slot's records are keyed.
    pub input: String,
    /// The answer that the caller got.
    pub answer: String,
    /// The answer of the shadow.
    pub shadow: String,
}

/// The differences between the answers of a slot and of its shadow.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct DifferenceList {
    /// The differences, the latest first.
    pub differences: Vec<ShadowDifference>,
}

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
        let sql = "SELECT slot, at, entry, operation, run_id, input, answer, shadow FROM differences
                   WHERE slot = ?1 ORDER BY id DESC LIMIT ?2";
        self.read(|read| Ok(rows(read, sql, params![slot, most], difference)?))
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
