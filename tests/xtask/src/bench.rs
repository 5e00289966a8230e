//! `cargo xtask bench`: measured numbers, in the tables of docs/benchmarks.md.
//!
//! The page itself says which numbers it shows, and their budgets. A row has a key. A column `measured` shows the number
//! of this key, and a column with an ending in backticks shows the number of the key with that ending. A column `verdict`
//! compares the number of the key with the budget of the row.

use std::{collections::BTreeMap, fs, io, process::ExitCode};

use serde_json::Number;

use crate::{Failure, log::Progress, step, steps, workspace::Workspace};

const PAGE: &str = "docs/benchmarks.md";

/// The flags that measure something else, and the step of each.
pub(crate) const PARTS: [(&str, &str); 3] =
    [("--peers", "bench-peers"), ("--js-peers", "bench-js-peers"), ("--extism", "bench-extism")];

/// The measured numbers by key.
type Values = BTreeMap<String, Number>;

/// Measures, and shows the results. Those of a full run are written to their block of the page.
pub(crate) fn run(mut workspace: Workspace, flags: &[&str]) -> Result<ExitCode, Failure> {
    let has = |flag| flags.contains(&flag);
    let part = PARTS.into_iter().find(|(flag, _)| has(*flag)).map_or("bench", |(_, part)| part);
    let name = part.trim_start_matches("bench-");
    workspace.flags = if has("--quick") { "--quick" } else { "" };
    let file = workspace.path(&format!("target/xtask/bench/{name}.json"));
    let _ = fs::remove_file(&file);
    let progress = Progress::new(io::stderr(), has("--verbose"));
    let outcomes = step::run(&step::choose(&steps::all(), &[part])?, &workspace, &progress)?;
    if outcomes.iter().any(|outcome| outcome.has_failed) {
        return Ok(ExitCode::FAILURE);
    }
    let mut values = Values::new();
    for line in fs::read_to_string(file)?.lines() {
        values.extend(serde_json::from_str::<Values>(line)?);
    }
    if has("--json") {
        println!("{}", serde_json::to_string(&values)?);
        return Ok(ExitCode::SUCCESS);
    }
    let page = workspace.read(PAGE)?;
    let (before, block, after) = split(&page, name)?;
    let block = fill(block, &values);
    println!("{block}");
    if !has("--quick") {
        fs::write(workspace.path(PAGE), [before, &block, after].concat())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Splits the page into the text before the block of a part, the block, and the text after it.
fn split<'a>(page: &'a str, name: &str) -> Result<(&'a str, &'a str, &'a str), Failure> {
    let mark = |word: &str| {
        let mark = format!("<!-- {name}: {word} -->\n");
        page.find(&mark).map(|at| (at, at + mark.len())).ok_or(format!("{PAGE} has no line {mark}"))
    };
    let ((_, begin), (end, _)) = (mark("begin")?, mark("end")?);
    let (before, rest) = page.split_at(begin);
    let (block, after) =
        rest.split_at_checked(end.wrapping_sub(begin)).ok_or("a block ends before its begin")?;
    Ok((before, block, after))
}

/// Writes the numbers into the tables of a block.
fn fill(block: &str, values: &Values) -> String {
    let mut header: Vec<&str> = Vec::new();
    let mut filled = String::new();
    for line in block.lines() {
        let cells: Vec<&str> = match line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) {
            Some(line) => line.split('|').map(str::trim).collect(),
            None => Vec::new(),
        };
        if header.is_empty() || cells.is_empty() {
            header.clone_from(&cells);
        }
        let cell =
            |name| header.iter().zip(&cells).find(|(column, _)| **column == name).map(|(_, cell)| *cell);
        match cell("key").and_then(|key| key.strip_prefix('`')?.strip_suffix('`')) {
            Some(key) => {
                let budget = cell("budget").unwrap_or_default();
                let row = header
                    .iter()
                    .zip(&cells)
                    .map(|(column, cell)| fill_cell(column, cell, key, budget, values));
                filled.push_str(&format!("| {} |\n", row.collect::<Vec<_>>().join(" | ")));
            }
            None => filled.push_str(&format!("{line}\n")),
        }
    }
    filled
}

fn fill_cell(column: &str, cell: &str, key: &str, budget: &str, values: &Values) -> String {
    let value = |key: &str| values.get(key).and_then(Number::as_f64).unwrap_or(f64::NAN);
    match (column, column.split('`').nth(1)) {
        ("measured", _) => shown(key, value(key)),
        ("verdict", _) => verdict(budget, value(key)).to_owned(),
        (_, Some(ending)) if !cell.is_empty() => {
            let key = format!("{key}{ending}");
            shown(&key, value(&key))
        }
        _ => cell.to_owned(),
    }
}

/// A number that was not measured misses its budget.
fn verdict(budget: &str, value: f64) -> &'static str {
    let Some((sign, limit)) = budget.split_once(' ') else { return "" };
    let limit = limit.parse().unwrap_or(f64::NAN);
    match (sign, value <= limit, value >= limit) {
        ("≤", true, _) | ("≥", _, true) => "reached",
        _ => "missed",
    }
}

/// Bytes in full, small ratios with two significant digits, and other numbers with two decimals.
fn shown(key: &str, value: f64) -> String {
    match key {
        _ if key.ends_with("_bytes") => format!("{value:.0}"),
        _ if value < 0.1 && value > 0.0 => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_into_their_cells_and_a_missing_one_misses_its_budget() {
        let values = r#"{"codec_ratio": 2.004, "speedup": 1.5, "engine_bytes": 123456, "cel_us": 5.5, "cel_ratio": 0.0041}"#;
        let block = "Text\n\n| what | key | measured | budget | verdict |\n| --- | --- | ---: | ---: | --- |\n\
            | codec | `codec_ratio` | 1 | ≤ 2.00 | reached |\n| speedup | `speedup` | 1 | ≥ 1.00 | |\n\
            | size | `engine_bytes` | | ≤ 200000 | |\n| none | `node` | 1 | ≤ 2.50 | |\n| free | `cel_us` | | | |\n\n\
            | engine | key | µs `_us` | ratio `_ratio` |\n| --- | --- | ---: | ---: |\n\
            | CEL | `cel` | 1 | 2 |\n| other | `other` | 1 | |\n";
        let filled = "Text\n\n| what | key | measured | budget | verdict |\n| --- | --- | ---: | ---: | --- |\n\
            | codec | `codec_ratio` | 2.00 | ≤ 2.00 | missed |\n| speedup | `speedup` | 1.50 | ≥ 1.00 | reached |\n\
            | size | `engine_bytes` | 123456 | ≤ 200000 | reached |\n| none | `node` | NaN | ≤ 2.50 | missed |\n\
            | free | `cel_us` | 5.50 |  |  |\n\n\
            | engine | key | µs `_us` | ratio `_ratio` |\n| --- | --- | ---: | ---: |\n\
            | CEL | `cel` | 5.50 | 0.0041 |\n| other | `other` | NaN |  |\n";
        assert_eq!(fill(block, &serde_json::from_str(values).unwrap()), filled);
    }

    #[test]
    fn the_page_has_a_block_for_each_part() {
        let page = Workspace::locate().unwrap().read(PAGE).unwrap();
        for part in ["bench", "peers", "js-peers", "extism"] {
            let (before, block, after) = split(&page, part).unwrap();
            assert_eq!([before, block, after].concat(), page);
            assert!(block.contains("| key |"), "{part}");
        }
    }
}
