//! LCOV tracefiles. Each line is a record; `SF` begins the records of a file, and `end_of_record` ends them.
//!
//! Lines, branches and functions are counted from their records. The totals `LF`, `LH`, `BRF`, `BRH`, `FNF` and `FNH` count only for a
//! file without such records.

mod file;

use alloc::{collections::BTreeMap, format, string::String};

use adjudicate_core::Error;

use super::row::FormatRow;
use crate::{
    Coverage, Reading,
    fault::{malformed, over_limit},
    incomplete::IncompleteReasons,
    limits::MAX_FILES,
    lines::lines,
    text::bounded_id,
};

use file::FileRecords;

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
