//! The tables of docs/benchmarks.md: the description and the budget of each number, and the generated blocks.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::Number;

use crate::{
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

/// The limit that a number must keep.
enum Budget {
    AtMost(f64),
    AtLeast(f64),
    None,
}

/// One line of the table.
struct Row {
    key: &'static str,
    what: &'static str,
    budget: Budget,
}

const fn row(key: &'static str, what: &'static str, budget: Budget) -> Row {
    Row { key, what, budget }
}

/// Ten times as many rules take at most 14 times as long.
const NEAR_LINEAR: Budget = Budget::AtMost(1.15);

/// At most 24 times the input plus 64 MiB, which is eight times an input of 8 MiB.
const MEMORY: Budget = Budget::AtMost(32.0);

/// The rows of the table, in order. The budgets of reasons and traces are promises to users.
const ROWS: &[Row] = &[
    row("evaluate_codec_ratio", "native, JSON to JSON, against the codec floor", Budget::AtMost(2.0)),
    row("evaluate_handle_us", "native, parsed envelope and policy handle, µs", Budget::AtMost(2.5)),
    row("sandbox_fresh_ratio", "sandbox, fresh instance, fuel, against native", Budget::AtMost(2.0)),
    row("sandbox_known_ratio", "sandbox, fresh instance, known engine, against native", Budget::AtMost(1.5)),
    row(
        "baked_known_ratio",
        "baked policy, fresh instance, known, against native with a parsed policy",
        Budget::AtMost(1.5),
    ),
    row("baked_fresh_ratio", "the same with fuel, its answers checked", Budget::None),
    row(
        "short_baked_bytes_per_byte",
        "baked policy: bytes beyond the engine's, a byte of a small policy",
        Budget::AtMost(2.0),
    ),
    row("long_baked_bytes_per_byte", "the same: of a policy with tests", Budget::AtMost(2.0)),
    row("large_baked_bytes_per_byte", "the same: of 1,000 rules", Budget::AtMost(2.0)),
    row(
        "files_2000_fuel_share",
        "a diff of 2,000 files, summary and typed list, 15 path patterns: part of the default fuel",
        Budget::AtMost(0.5),
    ),
    row(
        "files_2000_fresh_ratio",
        "the same: sandbox, fresh instance, default limits, against native",
        Budget::None,
    ),
    row("files_2000_fresh_us", "the same: sandbox, µs", Budget::None),
    row("files_2000_native_us", "the same: native, µs", Budget::None),
    row("collect_10000_ms", "a collection of 10,000 files without its validators, ms", Budget::AtMost(150.0)),
    row("collect_files_growth", "collecting 1,000 to 10,000 files: grows to this power of N", NEAR_LINEAR),
    row("collect_cases_growth", "collecting reports of 100 to 5,000 cases: the same", NEAR_LINEAR),
    row("sandbox_warm_ratio", "sandbox, instance kept, fuel, against native", Budget::None),
    row("node_text_ratio", "Node, text to text, against native", Budget::AtMost(2.5)),
    row("threads_2_speedup", "sandbox, fuel, two threads against one", Budget::AtLeast(1.0)),
    row("threads_2_known_speedup", "sandbox, known engine, two threads against one", Budget::AtLeast(1.0)),
    row(
        "threads_2_native_speedup",
        "native, two threads against one: the limit of the machine",
        Budget::None,
    ),
    row("swap_p99_ratio", "HTTP, two connections: p99 during 200 swaps, against before", Budget::AtMost(2.0)),
    row("swap_p50_ratio", "the same: p50", Budget::None),
    row("serve_native_ratio", "HTTP: calls a second, native, against an empty handler", Budget::None),
    row(
        "serve_slot_ratio",
        "HTTP: calls a second, through a slot with the engine module, against it",
        Budget::None,
    ),
    row("reasons_ratio", "decision with reasons, against the decision alone", Budget::AtMost(1.2)),
    row("trace_ratio", "decision, reasons and full trace, against the decision alone", Budget::AtMost(2.0)),
    row("reasons_text_ratio", "with reasons, JSON to JSON, against the decision alone", Budget::AtMost(1.2)),
    row("trace_text_ratio", "reasons and full trace, JSON to JSON, against it", Budget::AtMost(2.0)),
    row("rules_load_growth", "loading 100 to 10,000 rules: grows to this power of N", NEAR_LINEAR),
    row("rules_evaluate_growth", "evaluating with them: the same", NEAR_LINEAR),
    row(
        "rules_index_ratio",
        "evaluating 10,000 rules without the index, against with it",
        Budget::AtLeast(1.0),
    ),
    row(
        "memory_evaluate_times",
        "memory: peak against an input of 8 MiB, hungriest call: `evaluate`",
        MEMORY,
    ),
    row("memory_facts_times", "the same: `facts`", MEMORY),
    row("memory_refine_times", "the same: `refine`", MEMORY),
    row("memory_validate_plan_times", "the same: `validate_plan`", MEMORY),
    row("memory_merge_diagnostics_times", "the same: `merge_diagnostics`", MEMORY),
    row("memory_observe_output_times", "the same: `observe_output`", MEMORY),
    row("memory_apply_guardrails_times", "the same: `apply_guardrails`", MEMORY),
    row("memory_normalize_plan_times", "the same: `normalize_plan`", MEMORY),
    row("memory_verify_replay_times", "the same: `verify_replay`", MEMORY),
    row("memory_deliberate_times", "the same: `deliberate`", MEMORY),
    row("memory_check_policy_times", "the same: `check_policy`", MEMORY),
    row("memory_explain_times", "the same: `explain`", MEMORY),
    row("memory_composition_times", "the same: three decisions, composed", MEMORY),
    row("rules_10_load_us", "10 rules: load, µs", Budget::None),
    row("rules_10_evaluate_us", "10 rules: evaluate, µs", Budget::None),
    row("rules_100_load_us", "100 rules: load, µs", Budget::None),
    row("rules_100_evaluate_us", "100 rules: evaluate, µs", Budget::None),
    row("rules_1000_load_us", "1,000 rules: load, µs", Budget::None),
    row("rules_1000_evaluate_us", "1,000 rules: evaluate, µs", Budget::None),
    row("rules_10000_load_us", "10,000 rules: load, µs", Budget::None),
    row("rules_10000_evaluate_us", "10,000 rules: evaluate, µs", Budget::None),
    row("rules_10000_scan_us", "10,000 rules: evaluate without the index, µs", Budget::None),
    row("plan_growth", "judging plans of 100 to 10,000 nodes: grows to this power of N", NEAR_LINEAR),
    row("diagnostics_growth", "merging 1,000 to 100,000 diagnostics: the same", NEAR_LINEAR),
    row("plan_nodes_100_us", "a plan of 100 nodes, µs", Budget::None),
    row("plan_nodes_1000_us", "a plan of 1,000 nodes, µs", Budget::None),
    row("plan_nodes_10000_us", "a plan of 10,000 nodes, 30,000 edges, 1,000 constraints, µs", Budget::None),
    row("diagnostics_1000_us", "1,000 diagnostics, µs", Budget::None),
    row("diagnostics_10000_us", "10,000 diagnostics, µs", Budget::None),
    row("diagnostics_100000_us", "100,000 diagnostics, µs", Budget::None),
    row("steps_growth", "normalising plans of 100 to 10,000 steps: grows to this power of N", NEAR_LINEAR),
    row("turns_growth", "deliberating on 100 to 10,000 turns: the same", NEAR_LINEAR),
    row("events_growth", "verifying 1,000 to 100,000 events line by line: the same", NEAR_LINEAR),
    row("steps_100_us", "a plan of 100 subtasks, normalised, µs", Budget::None),
    row("steps_1000_us", "1,000 subtasks, µs", Budget::None),
    row("steps_10000_us", "10,000 subtasks, µs", Budget::None),
    row("turns_100_us", "a ledger of 100 turns, µs", Budget::None),
    row("turns_1000_us", "1,000 turns, µs", Budget::None),
    row("turns_10000_us", "10,000 turns, µs", Budget::None),
    row("events_1000_us", "a log of 1,000 events, µs", Budget::None),
    row("events_10000_us", "10,000 events, µs", Budget::None),
    row("events_100000_us", "100,000 events, µs", Budget::None),
    row("events_100000_kept_ids", "entries that tell their ids apart", Budget::None),
    row("normalize_plan_us", "`normalize_plan` of three subtasks, µs", Budget::None),
    row("verify_replay_us", "`verify_replay` of one session, µs", Budget::None),
    row("deliberate_us", "`deliberate` on six turns, µs", Budget::None),
    row("validate_plan_us", "`validate_plan` of a pipeline of four nodes, µs", Budget::None),
    row("merge_diagnostics_us", "`merge_diagnostics` of three, µs", Budget::None),
    row("observe_output_us", "`observe_output` of two posts, µs", Budget::None),
    row("apply_guardrails_us", "`apply_guardrails` of one policy, µs", Budget::None),
    row("schema_validate_us", "the schema of the posts alone, compiled, µs", Budget::None),
    row("serve_empty_per_second", "HTTP: calls a second, empty handler", Budget::None),
    row("serve_native_per_second", "HTTP: calls a second, short envelope, native", Budget::None),
    row("serve_slot_per_second", "HTTP: calls a second, short envelope, slot", Budget::None),
    row("swap_quiet_p99_us", "HTTP, through a slot with fuel: p99 without swaps, µs", Budget::None),
    row("swap_p99_us", "the same, while versions are swapped, µs", Budget::None),
    row("swap_calls", "calls that were answered meanwhile; none failed", Budget::None),
    row("engine_raw_bytes", "engine.wasm", Budget::None),
    row("engine_gzip_bytes", "engine.wasm, gzip", Budget::None),
    row("engine_brotli_bytes", "engine.wasm, brotli", Budget::AtMost(200_000.0)),
    row("npm_engine_raw_bytes", "the npm package's wasm", Budget::None),
    row("npm_engine_brotli_bytes", "the npm package's wasm, brotli", Budget::None),
    row("npm_tarball_bytes", "the npm package, packed", Budget::None),
    row("collect_files_1000_us", "a collection of 1,000 files, µs", Budget::None),
    row("collect_cases_100_us", "a collection of 100 cases, µs", Budget::None),
    row("collect_cases_5000_us", "a collection of 5,000 cases, µs", Budget::None),
    row("short_native_us", "short envelope, native, µs", Budget::None),
    row("short_floor_us", "short envelope, codec floor, µs", Budget::None),
    row("short_handle_us", "short envelope, handle, µs", Budget::None),
    row("short_fresh_us", "short envelope, sandbox fresh, µs", Budget::None),
    row("short_known_us", "short envelope, sandbox known, µs", Budget::None),
    row("short_node_us", "short envelope, Node, µs", Budget::None),
    row("long_native_us", "long envelope, native, µs", Budget::None),
    row("long_floor_us", "long envelope, codec floor, µs", Budget::None),
    row("long_handle_us", "long envelope, handle, µs", Budget::None),
    row("long_fresh_us", "long envelope, sandbox fresh, µs", Budget::None),
    row("long_known_us", "long envelope, sandbox known, µs", Budget::None),
    row("long_node_us", "long envelope, Node, µs", Budget::None),
];

/// The rows of other engines, which have budgets of their own.
const PEER_ROWS: &[Row] = &[
    row(
        "peer_cel_prepared_ratio",
        "cel with a prebuilt context, against the whole evaluator",
        Budget::AtLeast(1.0),
    ),
    row(
        "peer_schema_text_ratio",
        "schemas from text, against the faster of the two, geometric mean",
        Budget::AtMost(1.0),
    ),
    row("peer_schema_text_worst", "the same, the worst line", Budget::AtMost(1.2)),
    row("peer_schema_parsed_ratio", "schemas on parsed values: the same mean", Budget::AtMost(1.2)),
    row("peer_schema_parsed_worst", "the same, the worst line", Budget::AtMost(1.2)),
    row("peer_schema_errors_ratio", "all that is wrong, with paths: the same mean", Budget::AtMost(1.2)),
    row("peer_schema_errors_worst", "the same, the worst line", Budget::AtMost(1.2)),
];

/// The results as a Markdown table, which is also readable as plain text.
pub(crate) fn table(values: &Values) -> String {
    table_of(ROWS, values)
}

/// The budgets of the results of other engines, as a Markdown table.
pub(crate) fn peers_table(values: &Values) -> String {
    table_of(PEER_ROWS, values)
}

fn table_of(rows: &[Row], values: &Values) -> String {
    let mut out =
        String::from("| measurement | key | measured | budget | |\n| --- | --- | ---: | ---: | --- |\n");
    for Row { key, what, budget } in rows {
        let value = values.get(*key).and_then(Number::as_f64).unwrap_or(f64::NAN);
        let (limit, reached) = match *budget {
            Budget::AtMost(limit) => (format!("≤ {}", shown(key, limit)), value <= limit),
            Budget::AtLeast(limit) => (format!("≥ {}", shown(key, limit)), value >= limit),
            Budget::None => (String::new(), true),
        };
        let verdict = match (limit.is_empty(), reached) {
            (true, _) => "",
            (false, true) => "reached",
            (false, false) => "missed",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {what} | `{key}` | {} | {limit} | {verdict} |", shown(key, value));
    }
    out
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

/// Bytes in full, other values with two decimals.
fn shown(key: &str, value: f64) -> String {
    if key.ends_with("_bytes") { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_checked_and_a_missing_value_misses_its_budget() {
        let json =
            r#"{"evaluate_codec_ratio": 2.004, "threads_2_speedup": 1.5, "engine_brotli_bytes": 123456}"#;
        let values: Values = serde_json::from_str(json).unwrap();
        let table = table(&values);
        let line =
            |key: &str| table.lines().find(|line| line.contains(&format!("`{key}`"))).map(str::to_owned);
        assert!(
            line("evaluate_codec_ratio").is_some_and(|line| line.ends_with("| 2.00 | ≤ 2.00 | missed |"))
        );
        assert!(line("threads_2_speedup").is_some_and(|line| line.ends_with("| 1.50 | ≥ 1.00 | reached |")));
        assert!(
            line("engine_brotli_bytes").is_some_and(|line| line.ends_with("| 123456 | ≤ 200000 | reached |"))
        );
        assert!(line("node_text_ratio").is_some_and(|line| line.ends_with("| NaN | ≤ 2.50 | missed |")));
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
