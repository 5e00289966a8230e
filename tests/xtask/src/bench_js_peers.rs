//! `cargo xtask bench --js-peers`: other engines for JavaScript on the same rules, as a table in docs/benchmarks.md.
//!
//! The package `tests/js-peers` measures; no other task installs it.

use std::{fmt::Write as _, fs, path::PathBuf, process::ExitCode};

use serde_json::{Number, Value};

use crate::{
    bench_report::{BenchOptions, report},
    benchmarks_page::Block,
    build::{BINDGEN, PACKAGE},
    corpus,
    failure::{Doing, Failure, write},
    log::Log,
    step::{Step, Work},
    tools::Tool,
    values::{Values, last_object},
    workspace::Workspace,
};

const FOLDER: &str = "tests/js-peers";

static INSTALL: Step = Step {
    name: "js-peers",
    about: "installs the other engines",
    tools: &[Tool::Node],
    after: &[],
    work: Work::Function(install),
};

static MEASURE: Step = Step {
    name: "measure",
    about: "measures all engines in one run",
    tools: &[Tool::Node],
    after: &["npm-package", "corpus", "js-peers"],
    work: Work::Function(|workspace, log| measure(workspace, log, &[])),
};

static MEASURE_QUICKLY: Step =
    Step { work: Work::Function(|workspace, log| measure(workspace, log, &["--quick"])), ..MEASURE };

/// The engines: the key, the package whose version is shown, and the description.
const CONTESTANTS: [(&str, Option<&str>, &str); 10] = [
    ("adjudicate", None, "adjudicate, the whole evaluator under a parsed policy"),
    ("cedar_wasm", Some("@cedar-policy/cedar-wasm"), "cedar-wasm, policies parsed before"),
    ("zen_engine", Some("@gorules/zen-engine"), "ZEN, a decision, native and asynchronous"),
    ("zen_engine_expression", Some("@gorules/zen-engine"), "ZEN, one expression, native"),
    ("zen_engine_wasm", Some("@gorules/zen-engine-wasm"), "ZEN in WebAssembly, one expression"),
    ("json_rules_engine", Some("json-rules-engine"), "json-rules-engine, asynchronous"),
    ("json_logic_js", Some("json-logic-js"), "json-logic-js, interpreted"),
    ("json_logic_engine_run", Some("json-logic-engine"), "json-logic-engine, interpreted"),
    ("json_logic_engine", Some("json-logic-engine"), "json-logic-engine, compiled to JavaScript"),
    ("by_hand", None, "the rules written as JavaScript"),
];

/// Packs and installs the package, measures, and shows the results. The flags are those of the other benchmarks.
pub(crate) fn run(workspace: &Workspace, options: BenchOptions) -> Result<ExitCode, Failure> {
    let steps = [
        &BINDGEN,
        &PACKAGE,
        &corpus::ALONE,
        &INSTALL,
        if options.quick { &MEASURE_QUICKLY } else { &MEASURE },
    ];
    report(workspace, options, &steps, &results_file(workspace), Block::JsPeers, |values| {
        let lock = workspace.root().join(FOLDER).join("package-lock.json");
        Ok(table(values, &fs::read_to_string(&lock).doing("reading", lock.display())?))
    })
}

fn results_file(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("js-peers.json")
}

/// Uses the lock file but not `npm ci`, because that insists on the packages of all platforms, which not every registry
/// has.
fn install(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut npm = workspace.program("npm", &["install", "--no-save", "--no-audit", "--no-fund"]);
    npm.current_dir(workspace.root().join(FOLDER));
    log.run(npm).map(drop)
}

fn measure(workspace: &Workspace, log: &mut Log<'_>, flags: &[&str]) -> Result<(), Failure> {
    let mut node = workspace.program("node", &["tests/js-peers/measure.mjs"]);
    node.args(flags).env("ADJUDICATE_CONSUMER", corpus::consumer(workspace, log)?);
    node.env("ADJUDICATE_CORPUS", corpus::file(workspace));
    let values = last_object(&log.run(node)?)?;
    let json =
        serde_json::to_string(&values).map_err(|error| Failure::Broken(format!("the results: {error}")))?;
    write(&results_file(workspace), json)
}

/// The results as a Markdown table.
fn table(values: &Values, lock: &str) -> String {
    let value = |key: &str| values.get(key).and_then(Number::as_f64).unwrap_or(f64::NAN);
    let mut out = String::from(
        "| nine rules, in Node | text to text, µs | against ours | live objects, µs | against ours |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    for (name, package, what) in CONTESTANTS {
        let version = package.map(|package| format!(" {}", version(lock, package))).unwrap_or_default();
        let what = what.replacen(',', &format!("{version},"), 1);
        let [text, live] = ["text", "live"].map(|level| {
            let key = format!("js_peer_{name}_{level}");
            let ratio = value(&format!("{key}_ratio"));
            // Two significant digits for engines that are a hundred times as fast.
            let decimals = if ratio < 0.1 { 4 } else { 2 };
            format!("{:.2} | {ratio:.decimals$}", value(&format!("{key}_us")))
        });
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {what} | {text} | {live} |");
    }
    out
}

/// Returns the version of a package in a lock file of npm.
fn version(lock: &str, package: &str) -> String {
    let lock: Value = serde_json::from_str(lock).unwrap_or_default();
    let place = format!("node_modules/{package}");
    let version = lock.get("packages").and_then(|packages| packages.get(place)?.get("version")?.as_str());
    version.unwrap_or("unknown").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::parse;

    const LOCK: &str = r#"{"packages": {"node_modules/json-logic-js": {"version": "2.0.5"}}}"#;

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert_eq!(version(LOCK, "json-logic-js"), "2.0.5");
        assert_eq!(version(LOCK, "json-logic"), "unknown");
        assert_eq!(version("", "json-logic-js"), "unknown");
    }

    #[test]
    fn every_contestant_has_a_line_and_a_missing_value_shows() {
        let json = r#"{"js_peer_json_logic_js_text_us": 9.5,
            "js_peer_json_logic_js_text_ratio": 0.251,
            "js_peer_by_hand_live_us": 0.5, "js_peer_by_hand_live_ratio": 0.00412}"#;
        let table = table(&parse(json).unwrap(), LOCK);
        assert!(table.contains("| json-logic-js 2.0.5, interpreted | 9.50 | 0.25 | NaN | NaN |"), "{table}");
        assert!(table.contains("| the rules written as JavaScript | NaN | NaN | 0.50 | 0.0041 |"), "{table}");
        assert!(table.contains("| adjudicate, the whole evaluator under a parsed policy | NaN |"), "{table}");
        assert_eq!(table.lines().count(), 2 + CONTESTANTS.len());
    }
}
