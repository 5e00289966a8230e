//! The numbers of docs/benchmarks.md: the key, the description and the budget of each.

/// The limit that a number must keep.
pub(crate) enum Budget {
    AtMost(f64),
    AtLeast(f64),
    None,
}

impl Budget {
    /// Returns whether a value keeps the limit. A missing value keeps none.
    pub(crate) const fn is_kept(&self, value: f64) -> bool {
        match *self {
            Self::AtMost(limit) => value <= limit,
            Self::AtLeast(limit) => value >= limit,
            Self::None => true,
        }
    }
}

/// One line of the table of budgets.
pub(crate) struct Row {
    pub(crate) key: &'static str,
    pub(crate) what: &'static str,
    pub(crate) budget: Budget,
}

const fn row(key: &'static str, what: &'static str, budget: Budget) -> Row {
    Row { key, what, budget }
}

/// Ten times as many rules take at most 14 times as long.
const NEAR_LINEAR: Budget = Budget::AtMost(1.15);

/// The rows of the table, in order. The budgets of reasons and traces are promises to users.
pub(crate) static ROWS: &[Row] = &[
    row("evaluate_codec_ratio", "native against the codec floor", Budget::AtMost(2.0)),
    row("evaluate_handle_us", "handle, µs", Budget::AtMost(2.5)),
    row("sandbox_fresh_ratio", "sandbox, fresh, against native", Budget::AtMost(2.0)),
    row("sandbox_known_ratio", "sandbox, known, against native", Budget::AtMost(1.5)),
    row("sandbox_warm_ratio", "sandbox, kept, against native", Budget::None),
    row("baked_known_ratio", "baked policy, known, against handle", Budget::AtMost(1.5)),
    row("baked_fresh_ratio", "baked policy, fresh, against handle", Budget::None),
    row("short_baked_bytes_per_byte", "baked policy, small: bytes for each byte", Budget::AtMost(2.0)),
    row("long_baked_bytes_per_byte", "the same, with tests", Budget::AtMost(2.0)),
    row("large_baked_bytes_per_byte", "the same, 1,000 rules", Budget::AtMost(2.0)),
    row("files_2000_fuel_share", "2,000 files, 15 patterns: share of the default fuel", Budget::AtMost(0.5)),
    row("files_2000_fresh_ratio", "2,000 files: fresh, against native", Budget::None),
    row("collect_10000_ms", "collecting 10,000 files, ms", Budget::AtMost(150.0)),
    row("node_text_ratio", "Node against native", Budget::AtMost(2.5)),
    row("threads_2_speedup", "two threads against one: fresh", Budget::AtLeast(1.0)),
    row("threads_2_known_speedup", "the same: known", Budget::AtLeast(1.0)),
    row("threads_2_native_speedup", "the same: native", Budget::None),
    row("swap_p99_ratio", "HTTP, p99 during 200 swaps, against before", Budget::AtMost(2.0)),
    row("swap_p50_ratio", "HTTP, p50 during 200 swaps, against before", Budget::None),
    row("serve_native_ratio", "HTTP calls a second, native, against empty", Budget::None),
    row("serve_slot_ratio", "HTTP calls a second, a slot, against empty", Budget::None),
    row("reasons_ratio", "reasons against the decision alone", Budget::AtMost(1.2)),
    row("trace_ratio", "trace against the decision alone", Budget::AtMost(2.0)),
    row("reasons_text_ratio", "the same, text to text: reasons", Budget::AtMost(1.2)),
    row("trace_text_ratio", "the same, text to text: trace", Budget::AtMost(2.0)),
    row("rules_index_ratio", "10,000 rules without the index, against with it", Budget::AtLeast(1.0)),
    row("rules_load_growth", "growth: rules, load", NEAR_LINEAR),
    row("rules_evaluate_growth", "growth: rules, evaluate", NEAR_LINEAR),
    row("plan_growth", "growth: plan nodes", NEAR_LINEAR),
    row("diagnostics_growth", "growth: diagnostics", NEAR_LINEAR),
    row("steps_growth", "growth: subtasks", NEAR_LINEAR),
    row("turns_growth", "growth: turns", NEAR_LINEAR),
    row("events_growth", "growth: events", NEAR_LINEAR),
    row("collect_files_growth", "growth: files collected", NEAR_LINEAR),
    row("collect_cases_growth", "growth: cases collected", NEAR_LINEAR),
    row("engine_brotli_bytes", "engine.wasm, brotli, bytes", Budget::AtMost(200_000.0)),
];

/// A table of numbers with one budget, or without.
pub(crate) struct Grid {
    pub(crate) columns: &'static [&'static str],
    pub(crate) budget: Budget,
    /// The label of each row and the key of each of its cells. Cells without a key are empty.
    pub(crate) rows: &'static [(&'static str, &'static [&'static str])],
}

/// The tables below that of the budgets.
pub(crate) static GRIDS: [Grid; 5] = [
    Grid {
        // At most 24 times the input plus 64 MiB, which is eight times an input of 8 MiB.
        columns: &["memory for each byte of an input of 8 MiB, at most 32", "times"],
        budget: Budget::AtMost(32.0),
        rows: &[
            ("`evaluate`", &["memory_evaluate_times"]),
            ("`facts`", &["memory_facts_times"]),
            ("`refine`", &["memory_refine_times"]),
            ("`explain`", &["memory_explain_times"]),
            ("`check_policy`", &["memory_check_policy_times"]),
            ("`validate_plan`", &["memory_validate_plan_times"]),
            ("`merge_diagnostics`", &["memory_merge_diagnostics_times"]),
            ("`observe_output`", &["memory_observe_output_times"]),
            ("`apply_guardrails`", &["memory_apply_guardrails_times"]),
            ("`normalize_plan`", &["memory_normalize_plan_times"]),
            ("`verify_replay`", &["memory_verify_replay_times"]),
            ("`deliberate`", &["memory_deliberate_times"]),
            ("three decisions, composed", &["memory_composition_times"]),
        ],
    },
    Grid {
        columns: &["`evaluate`, µs", "short", "long", "2,000 files"],
        budget: Budget::None,
        rows: &[
            ("native", &["short_native_us", "long_native_us", "files_2000_native_us"]),
            ("codec floor", &["short_floor_us", "long_floor_us", ""]),
            ("handle", &["short_handle_us", "long_handle_us", ""]),
            ("sandbox, fresh", &["short_fresh_us", "long_fresh_us", "files_2000_fresh_us"]),
            ("sandbox, known", &["short_known_us", "long_known_us", ""]),
            ("Node", &["short_node_us", "long_node_us", ""]),
        ],
    },
    Grid {
        columns: &["µs for N", "10", "100", "1,000", "10,000", "100,000"],
        budget: Budget::None,
        rows: &[
            (
                "rules, load",
                &["rules_10_load_us", "rules_100_load_us", "rules_1000_load_us", "rules_10000_load_us", ""],
            ),
            (
                "rules, evaluate",
                &[
                    "rules_10_evaluate_us",
                    "rules_100_evaluate_us",
                    "rules_1000_evaluate_us",
                    "rules_10000_evaluate_us",
                    "",
                ],
            ),
            ("without the index", &["", "", "", "rules_10000_scan_us", ""]),
            (
                "plan nodes, 3 N edges",
                &["", "plan_nodes_100_us", "plan_nodes_1000_us", "plan_nodes_10000_us", ""],
            ),
            (
                "diagnostics",
                &["", "", "diagnostics_1000_us", "diagnostics_10000_us", "diagnostics_100000_us"],
            ),
            ("subtasks", &["", "steps_100_us", "steps_1000_us", "steps_10000_us", ""]),
            ("turns", &["", "turns_100_us", "turns_1000_us", "turns_10000_us", ""]),
            ("events", &["", "", "events_1000_us", "events_10000_us", "events_100000_us"]),
        ],
    },
    Grid {
        columns: &["one call", "µs"],
        budget: Budget::None,
        rows: &[
            ("`validate_plan`, four nodes", &["validate_plan_us"]),
            ("`merge_diagnostics`, three", &["merge_diagnostics_us"]),
            ("`observe_output`, two posts", &["observe_output_us"]),
            ("their schema alone, compiled", &["schema_validate_us"]),
            ("`apply_guardrails`, one policy", &["apply_guardrails_us"]),
            ("`normalize_plan`, three subtasks", &["normalize_plan_us"]),
            ("`verify_replay`, one session", &["verify_replay_us"]),
            ("`deliberate`, six turns", &["deliberate_us"]),
            ("a collection of 1,000 files", &["collect_files_1000_us"]),
            ("a collection of 100 cases", &["collect_cases_100_us"]),
            ("a collection of 5,000 cases", &["collect_cases_5000_us"]),
        ],
    },
    Grid {
        columns: &["size", "bytes"],
        budget: Budget::None,
        rows: &[
            ("engine.wasm", &["engine_raw_bytes"]),
            ("engine.wasm of npm, brotli", &["npm_engine_brotli_bytes"]),
            ("the npm package, packed", &["npm_tarball_bytes"]),
        ],
    },
];

/// The rows of other engines, which have budgets of their own.
pub(crate) static PEER_ROWS: &[Row] = &[
    row("peer_cel_prepared_ratio", "cel, prepared, against ours", Budget::AtLeast(1.0)),
    row("peer_schema_text_ratio", "schemas from text, mean", Budget::AtMost(1.0)),
    row("peer_schema_text_worst", "the worst", Budget::AtMost(1.2)),
    row("peer_schema_parsed_ratio", "schemas, parsed, mean", Budget::AtMost(1.2)),
    row("peer_schema_parsed_worst", "the worst", Budget::AtMost(1.2)),
    row("peer_schema_errors_ratio", "all violations, mean", Budget::AtMost(1.2)),
    row("peer_schema_errors_worst", "the worst", Budget::AtMost(1.2)),
];
