//! The tables of docs/benchmarks.md, and the generated blocks.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::Number;

use crate::{
    benchmarks_rows::{Budget, GRIDS, Grid, PEER_ROWS, ROWS, Row},
    failure::{Doing, Failure, write},
    values::Values,
};

/// A generated block of the page.
#[derive(Clone, Copy)]
pub(crate) enum Block {
    /// Written by `cargo xtask bench`.
    Results,
    /// Written by `cargo xtask bench --peers`.
    Peers,
    /// Written by `cargo xtask bench --js-peers`.
    JsPeers,
    /// Written by `cargo xtask bench --extism`.
    Extism,
}

impl Block {
    /// Returns the lines before and after the block.
    const fn marks(self) -> (&'static str, &'static str) {
        match self {
            Self::Results => {
                ("<!-- results: begin, written by `cargo xtask bench` -->", "<!-- results: end -->")
            }
            Self::Peers => {
                ("<!-- peers: begin, written by `cargo xtask bench --peers` -->", "<!-- peers: end -->")
            }
            Self::JsPeers => (
                "<!-- js-peers: begin, written by `cargo xtask bench --js-peers` -->",
                "<!-- js-peers: end -->",
            ),
            Self::Extism => {
                ("<!-- extism: begin, written by `cargo xtask bench --extism` -->", "<!-- extism: end -->")
            }
        }
    }
}

/// The results as Markdown tables, which are also readable as plain text.
pub(crate) fn tables(values: &Values) -> String {
    let mut out = table_of(ROWS, values);
    for Grid { columns, budget, rows } in &GRIDS {
        let _ =
            write!(out, "\n| {} |\n| ---{} |\n", columns.join(" | "), " | ---:".repeat(columns.len() - 1));
        for (label, keys) in *rows {
            let cells = keys.iter().map(|key| match *key {
                "" => String::new(),
                key => cell(value_of(key, values), budget),
            });
            let _ = writeln!(out, "| {label} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    }
    out
}

/// The budgets of the results of other engines, as a Markdown table.
pub(crate) fn peers_table(values: &Values) -> String {
    table_of(PEER_ROWS, values)
}

fn table_of(rows: &[Row], values: &Values) -> String {
    let mut out = String::from("| measurement | measured | budget |\n| --- | ---: | ---: |\n");
    for Row { key, what, budget } in rows {
        let limit = match *budget {
            Budget::AtMost(limit) => format!("≤{}", shown(limit)),
            Budget::AtLeast(limit) => format!("≥{}", shown(limit)),
            Budget::None => String::new(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {what} | {} | {limit} |", cell(value_of(key, values), budget));
    }
    out
}

/// Returns the value, and whether it misses the budget.
fn cell(value: f64, budget: &Budget) -> String {
    format!("{}{}", shown(value), if budget.is_kept(value) { "" } else { " missed" })
}

fn value_of(key: &str, values: &Values) -> f64 {
    values.get(key).and_then(Number::as_f64).unwrap_or(f64::NAN)
}

/// Replaces the tables between the marks of a block. The rest of the page stays as it is.
pub(crate) fn rewrite(page: &Path, block: Block, tables: &str) -> Result<(), Failure> {
    let text = fs::read_to_string(page).doing("reading", page.display())?;
    let (begin, end) = block.marks();
    let (before, rest) = split(&text, begin, page)?;
    let (_, after) = split(rest, end, page)?;
    write(page, format!("{before}{begin}\n\n{tables}\n{end}{after}"))
}

fn split<'a>(text: &'a str, mark: &str, page: &Path) -> Result<(&'a str, &'a str), Failure> {
    text.split_once(mark).ok_or_else(|| Failure::Broken(format!("{} has no line `{mark}`", page.display())))
}

/// Values from 1,000 on without decimals, others with two.
fn shown(value: f64) -> String {
    if value >= 1000.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_checked_and_a_missing_value_misses_its_budget() {
        let json = r#"{"evaluate_codec_ratio": 2.004, "threads_2_speedup": 1.5, "engine_brotli_bytes": 123456,
                "memory_evaluate_times": 33.5, "short_native_us": 6.25, "files_2000_native_us": 1367.2}"#;
        let values: Values = serde_json::from_str(json).unwrap();
        let table = tables(&values);
        for line in [
            "| native against the codec floor | 2.00 missed | ≤2.00 |",
            "| two threads against one: fresh | 1.50 | ≥1.00 |",
            "| engine.wasm, brotli, bytes | 123456 | ≤200000 |",
            "| Node against native | NaN missed | ≤2.50 |",
        ] {
            assert!(table.contains(&format!("\n{line}\n")), "{line}\n{table}");
        }
        assert!(table.contains("\n| `evaluate` | 33.50 missed |\n| `facts` | NaN missed |\n"));
        assert!(table.contains("\n| native | 6.25 | NaN | 1367 |\n| codec floor | NaN | NaN |  |\n"));
    }

    #[test]
    fn only_the_text_between_the_marks_is_rewritten() {
        let page = std::env::temp_dir().join(format!("benchmarks-{}.md", std::process::id()));
        let [(begin, end), (other_begin, other_end)] = [Block::Results, Block::Peers].map(Block::marks);
        let text = |one: &str, other: &str| {
            format!("# Before\n\n{begin}\n{one}\n{end}\n\nText\n{other_begin}\n{other}\n{other_end}\nAfter\n")
        };
        fs::write(&page, text("old", "older")).unwrap();
        rewrite(&page, Block::Peers, "| new |\n").unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), text("old", "\n| new |\n"));
        rewrite(&page, Block::Results, "| newer |\n").unwrap();
        assert_eq!(fs::read_to_string(&page).unwrap(), text("\n| newer |\n", "\n| new |\n"));
        fs::write(&page, "no marks").unwrap();
        assert!(rewrite(&page, Block::Results, "").is_err());
        fs::remove_file(&page).unwrap();
    }
}
