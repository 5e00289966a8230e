//! LCOV tracefiles. Each line is a record; `SF` begins the records of a file, and `end_of_record` ends them.
//!
//! Lines, branches and functions are counted from their records. The totals `LF`, `LH`, `BRF`, `BRH`, `FNF` and `FNH` count only for a
//! file without such records.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString as _},
};

use adjudicate_core::Error;

use super::FormatRow;
use crate::{
    Coverage, CoverageCount, FileCoverage, Reading,
    limits::MAX_FILES,
    lines::{lines, malformed, over_limit},
    reading::IncompleteReasons,
    text::bounded_id,
};

pub(super) const ROW: FormatRow = FormatRow {
    name: "lcov",
    writers: &["lcov", "gcov", "istanbul (jest, nyc, c8, vitest)", "cargo llvm-cov", "coverage.py", "node"],
    file_names: &["lcov.info", "*.lcov", "lcov-*.info", "coverage.info"],
    sniff,
    read,
};

fn sniff(text: &str) -> bool {
    let mut beginnings = lines(text).take(200).map(|line| line.text).filter(|line| !line.trim().is_empty());
    let is_head = |line: &str| ["TN:", "SF:", "VER:", "#"].iter().any(|record| line.starts_with(record));
    // Comments may come first.
    beginnings.by_ref().take_while(|line| is_head(line)).any(|line| line.starts_with("SF:"))
}

fn read(text: &str) -> Result<Reading, Error> {
    let mut files: BTreeMap<String, FileRecords> = BTreeMap::new();
    let mut incomplete = IncompleteReasons::default();
    let mut open: Option<&mut FileRecords> = None;
    for line in lines(text) {
        let record = line.text.trim_end();
        if record == "end_of_record" {
            open = None;
            continue;
        }
        let Some((name, value)) = record.split_once(':') else {
            if !line.has_break && !record.is_empty() {
                incomplete.add(format!("line {}: the record is cut", line.number));
            }
            continue;
        };
        if name == "SF" || name == "KF" {
            if open.is_some() {
                incomplete.add(format!("line {}: the file before this one did not end", line.number));
            }
            let path = bounded_id(value.trim());
            if files.len() >= MAX_FILES && !files.contains_key(&path) {
                return Err(over_limit(line.number, format!("the report has more than {MAX_FILES} files")));
            }
            open = Some(files.entry(path).or_default());
            open.iter_mut().for_each(|file| file.begin());
        } else if let Some(file) = &mut open {
            let is_read = file.record(name, value).is_some();
            if !is_read {
                let record = adjudicate_core::json::shorten(record);
                return Err(malformed(line.number, format!("malformed record `{record}`")));
            }
        } else if matches!(name, "DA" | "BRDA" | "FN" | "FNDA" | "FNL" | "FNA") {
            incomplete.add(format!("line {}: a record outside of a file", line.number));
        }
    }
    if open.is_some() {
        incomplete.add("the report ends inside of the records of a file");
    }
    if files.is_empty() {
        incomplete.add("the report lists no file");
    }
    Ok(Reading::Coverage(total(files, incomplete)))
}

fn total(files: BTreeMap<String, FileRecords>, incomplete: IncompleteReasons) -> Coverage {
    let mut coverage = Coverage { incomplete: incomplete.into_text(), ..Coverage::default() };
    for (path, records) in files {
        let file = records.finish(path);
        coverage.lines.add(file.lines);
        coverage.branches.add(file.branches);
        coverage.functions.add(file.functions);
        coverage.files.push(file);
    }
    coverage
}

/// The lines, branches and functions of a file so far. A file may come several times, for example once for each test. Parts that one of
/// them reached are reached.
#[derive(Debug, Default)]
struct FileRecords {
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
    fn begin(&mut self) {
        self.leaders.clear();
    }

    /// Adds a record. Unknown records are skipped. Returns `None` for a known record that is malformed.
    fn record(&mut self, name: &str, value: &str) -> Option<()> {
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
    fn finish(self, path: String) -> FileCoverage {
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
