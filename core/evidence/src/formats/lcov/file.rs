//! The records of one file. A file may come several times, for example once for each test; what one of them reached is reached.

use alloc::{
    collections::BTreeMap,
    string::{String, ToString as _},
};

use crate::{CoverageCount, FileCoverage, text::bounded_id};

/// The lines, branches and functions of a file so far.
#[derive(Debug, Default)]
pub(super) struct FileRecords {
    lines: HitMap<i64>,
    branches: HitMap<String>,
    functions: HitMap<String>,
    /// The names of functions by their index, from `FNL` and `FNA`. Aliases of a function share an index.
    leaders: BTreeMap<u64, String>,
}

/// The lines, branches or functions of a file: whether the run reached each, and the totals for files without such records.
#[derive(Debug)]
struct HitMap<K> {
    hits: BTreeMap<K, bool>,
    totals: CoverageCount,
}

impl<K> Default for HitMap<K> {
    fn default() -> Self {
        Self { hits: BTreeMap::new(), totals: CoverageCount::default() }
    }
}

impl<K: Ord> HitMap<K> {
    fn add(&mut self, key: K, is_hit: bool) {
        *self.hits.entry(key).or_default() |= is_hit;
    }

    fn count(&self) -> CoverageCount {
        if self.hits.is_empty() {
            return CoverageCount { hit: self.totals.hit.min(self.totals.found), ..self.totals };
        }
        let hit = self.hits.values().filter(|is_hit| **is_hit).count();
        CoverageCount { found: self.hits.len() as u64, hit: hit as u64 }
    }
}

impl FileRecords {
    /// Begins the records of the file, which may have records already.
    pub(super) fn begin(&mut self) {
        self.leaders.clear();
    }

    /// Adds a record. Unknown records are skipped. Returns `None` for a known record that is malformed.
    pub(super) fn record(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "DA" => {
                let (line, count) = value.split_once(',')?;
                self.lines.add(line.trim().parse().ok()?, is_hit(count.split(',').next()?));
            }
            "BRDA" => self.branch(value)?,
            "FN" => {
                let name = function_name(value)?;
                self.functions.add(bounded_id(name), false);
            }
            "FNDA" => {
                let (count, name) = value.split_once(',')?;
                self.functions.add(bounded_id(name.trim()), is_hit(count));
            }
            "FNL" => {
                let (index, place) = value.split_once(',')?;
                place.split(',').next()?.trim().parse::<i64>().ok()?;
                self.leaders.insert(index.trim().parse().ok()?, String::new());
            }
            "FNA" => self.alias(value)?,
            "LF" => self.lines.totals.found = self.lines.totals.found.max(number(value)?),
            "LH" => self.lines.totals.hit = self.lines.totals.hit.max(number(value)?),
            "BRF" => self.branches.totals.found = self.branches.totals.found.max(number(value)?),
            "BRH" => self.branches.totals.hit = self.branches.totals.hit.max(number(value)?),
            "FNF" => self.functions.totals.found = self.functions.totals.found.max(number(value)?),
            "FNH" => self.functions.totals.hit = self.functions.totals.hit.max(number(value)?),
            _ => {}
        }
        Some(())
    }

    /// Adds `LINE,BLOCK,BRANCH,TAKEN`. The branch may be an expression with commas. `-` says that the line never ran.
    fn branch(&mut self, value: &str) -> Option<()> {
        let (branch, taken) = value.rsplit_once(',')?;
        let (line, place) = branch.split_once(',')?;
        let (block, _) = place.split_once(',')?;
        line.trim().parse::<i64>().ok()?;
        // The letter `U` marks a branch that was excluded.
        if !block.contains('U') {
            self.branches.add(bounded_id(branch), is_hit(taken));
        }
        Some(())
    }

    /// Adds `INDEX,COUNT,NAME`. The first alias names the function.
    fn alias(&mut self, value: &str) -> Option<()> {
        let (index, rest) = value.split_once(',')?;
        let (count, name) = rest.split_once(',')?;
        let leader = self.leaders.entry(index.trim().parse().ok()?).or_default();
        if leader.is_empty() {
            *leader = bounded_id(name.trim());
        }
        let leader = leader.to_string();
        self.functions.add(leader, is_hit(count));
        Some(())
    }

    /// Returns the counts of the file.
    pub(super) fn finish(self, path: String) -> FileCoverage {
        let (lines, branches, functions) =
            (self.lines.count(), self.branches.count(), self.functions.count());
        FileCoverage { path, lines, branches, functions }
    }
}

/// Returns the name of `LINE,NAME` or `LINE,END,NAME`. A name may have commas. Lines are negative in some reports.
fn function_name(value: &str) -> Option<&str> {
    let (line, rest) = value.split_once(',')?;
    line.trim().parse::<i64>().ok()?;
    let end = rest.split_once(',').filter(|(end, _)| end.trim().parse::<i64>().is_ok());
    Some(end.map_or(rest, |(_, name)| name).trim())
}

/// Returns whether a count is above 0. Some counts are negative or `-`, and some are too large for an integer.
fn is_hit(count: &str) -> bool {
    let count = count.trim();
    let mantissa = count.split(['e', 'E']).next().unwrap_or_default();
    !count.starts_with('-') && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
}

fn number(value: &str) -> Option<u64> {
    value.trim().parse().ok()
}
