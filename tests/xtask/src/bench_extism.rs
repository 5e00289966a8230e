//! `cargo xtask bench --extism`: the engine in our host and as an Extism plugin, as tables in docs/benchmarks.md.
//!
//! The workspace `tests/extism` measures; no other task compiles it.

use std::{fmt::Write as _, fs, path::PathBuf, process::ExitCode};

use serde_json::Number;

use crate::{
    bench_peers::version,
    bench_report::{BenchOptions, report},
    benchmarks_page::Block,
    build::{self, ENGINE},
    failure::{Doing, Failure, write},
    log::Log,
    step::{Step, Work},
    tools::{Tool, WASM_TARGET},
    values::{Values, last_object},
    workspace::Workspace,
};

const MANIFEST: &str = "tests/extism/Cargo.toml";
const LOCK: &str = "tests/extism/Cargo.lock";

static PLUGIN: Step = Step {
    name: "plugin",
    about: "builds and optimises the engine as an Extism plugin",
    tools: &[Tool::WasmTarget, Tool::Node, Tool::NpmPackages],
    after: &[],
    work: Work::Function(plugin),
};

static PROGRAM: Step = Step {
    name: "extism",
    about: "builds the measuring program, and with it Extism and its wasmtime",
    tools: &[],
    after: &[],
    work: Work::Function(program),
};

static MEASURE: Step = Step {
    name: "measure",
    about: "measures both in one run",
    tools: &[],
    after: &["engine", "plugin", "extism"],
    work: Work::Function(|workspace, log| measure(workspace, log, &[])),
};

static MEASURE_QUICKLY: Step =
    Step { work: Work::Function(|workspace, log| measure(workspace, log, &["--quick"])), ..MEASURE };

/// Ways to get an answer: the key, and the description.
const WAYS: [(&str, &str); 12] = [
    ("native", "native, no sandbox"),
    ("ours_fresh_all", "adjudicate, fresh, all limits"),
    ("ours_fresh_known", "adjudicate, fresh, known"),
    ("ours_kept_all", "adjudicate, kept, all limits"),
    ("ours_kept_known", "adjudicate, kept, known"),
    ("extism_fresh_all", "Extism, fresh, limited"),
    ("extism_fresh_none", "Extism, fresh, no limits"),
    ("extism_pooled_all", "Extism, fresh in wasmtime's pool, limited"),
    ("extism_pooled_none", "Extism, fresh in wasmtime's pool, no limits"),
    ("extism_kept_all", "Extism, kept, limited"),
    ("extism_kept_none", "Extism, kept, no limits"),
    ("extism_checked_out_all", "Extism, kept in its `Pool`, limited"),
];

/// The ratios of two ways: the key, and the description.
const PAIRS: [(&str, &str); 8] = [
    ("fresh_all", "fresh and limited, both"),
    ("pooled_all", "fresh and limited, both in a pool"),
    ("fresh_none", "fresh without fuel, both"),
    ("pooled_none", "fresh without fuel, both in a pool"),
    ("kept_all_fresh", "limited: their kept plugin, our fresh instance"),
    ("kept_none_fresh", "without fuel: their kept plugin, our fresh instance"),
    ("kept_all", "kept and limited, both"),
    ("kept_none", "kept, without fuel, both"),
];

/// Ways to load a module.
const LOADERS: [(&str, &str); 9] = [
    ("compile_ours_all", "adjudicate compiles, all limits"),
    ("compile_ours_known", "adjudicate compiles, known"),
    ("compile_extism_all", "Extism compiles, limited"),
    ("compile_extism_none", "Extism compiles, no limits"),
    ("cached_ours_all", "adjudicate, cached, all limits"),
    ("cached_ours_known", "adjudicate, cached, known"),
    ("cached_ours_running", "adjudicate, cached, a running host"),
    ("cached_extism_all", "Extism, cached, limited"),
    ("cached_extism_none", "Extism, cached, no limits"),
];

/// The sizes of both sandboxes: the key, and the description.
const SIZES: [(&str, &str); 2] =
    [("module_{}_bytes", "the module, bytes"), ("instance_{}_kb", "memory of an instance after a call, KB")];

/// The measured calls, as they are called in the keys.
const WORKLOADS: [&str; 3] = ["short", "long", "rules"];

/// Builds and runs the measurement, and shows the results. The flags are those of the other benchmarks.
pub(crate) fn run(workspace: &Workspace, options: BenchOptions) -> Result<ExitCode, Failure> {
    let steps = [&ENGINE, &PLUGIN, &PROGRAM, if options.quick { &MEASURE_QUICKLY } else { &MEASURE }];
    report(workspace, options, &steps, &results_file(workspace), Block::Extism, |values| {
        let lock = workspace.root().join(LOCK);
        Ok(tables(values, &fs::read_to_string(&lock).doing("reading", lock.display())?))
    })
}

fn results_file(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("extism.json")
}

fn target(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("extism")
}

/// The file of the plugin, optimised like the engine module.
fn plugin_file(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("modules/extism.wasm")
}

fn plugin(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    build(workspace, log, &["--package", "adjudicate-extism-plugin", "--target", WASM_TARGET])?;
    let built = target(workspace).join(WASM_TARGET).join("release/adjudicate_extism_plugin.wasm");
    let file = plugin_file(workspace);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).doing("creating", folder.display())?;
    }
    build::optimise(workspace, log, &built, &file)
}

fn program(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    build(workspace, log, &["--package", "adjudicate-extism"])
}

fn build(workspace: &Workspace, log: &mut Log<'_>, what: &[&str]) -> Result<(), Failure> {
    let mut cargo = workspace.cargo(&["build", "--release", "--manifest-path", MANIFEST]);
    cargo.args(what).arg("--target-dir").arg(target(workspace));
    log.run(cargo).map(drop)
}

fn measure(workspace: &Workspace, log: &mut Log<'_>, flags: &[&str]) -> Result<(), Failure> {
    let mut program = workspace.program(target(workspace).join("release/adjudicate-extism"), &[]);
    program.arg(workspace.engine()).arg(plugin_file(workspace)).args(flags);
    let values = last_object(&log.run(program)?)?;
    let json =
        serde_json::to_string(&values).map_err(|error| Failure::Broken(format!("the results: {error}")))?;
    write(&results_file(workspace), json)
}

/// The results as Markdown tables: calls, the ratios of the two sandboxes, loading, and sizes.
fn tables(values: &Values, lock: &str) -> String {
    let value = |key: String| values.get(&key).and_then(Number::as_f64).unwrap_or(f64::NAN);
    let extism = version(lock, "extism");
    let mut out = String::from("| a call, µs | short | long | nine rules |\n| --- | ---: | ---: | ---: |\n");
    // Writing to a string cannot fail.
    for (way, what) in WAYS {
        let what = what.replacen("Extism", &format!("Extism {extism}"), 1);
        let calls = WORKLOADS.map(|workload| format!("{:.1}", value(format!("call_{way}_{workload}_us"))));
        let _ = writeln!(out, "| {what} | {} |", calls.join(" | "));
    }
    out.push_str(
        "\n| Extism's time, ours being 1 | short | long | nine rules |\n| --- | ---: | ---: | ---: |\n",
    );
    for (pair, what) in PAIRS {
        let ratios = WORKLOADS.map(|workload| format!("{:.2}", value(format!("against_{pair}_{workload}"))));
        let _ = writeln!(out, "| {what} | {} |", ratios.join(" | "));
    }
    out.push_str("\n| from a file to the first answer | ms |\n| --- | ---: |\n");
    for (loader, what) in LOADERS {
        let _ = writeln!(out, "| {what} | {:.1} |", value(format!("load_{loader}_ms")));
    }
    out.push_str("\n| | adjudicate | Extism |\n| --- | ---: | ---: |\n");
    for (key, what) in SIZES {
        let [ours, extism] = ["ours", "extism"].map(|who| value(key.replace("{}", who)));
        let _ = writeln!(out, "| {what} | {ours:.0} | {extism:.0} |");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::parse;

    #[test]
    fn every_way_has_a_line_and_a_missing_value_shows() {
        let json = r#"{"call_extism_kept_all_short_us": 33.25, "against_kept_all_rules": 1.5, "module_ours_bytes": 1000000,
            "load_cached_extism_all_ms": 12.34}"#;
        let lock = "[[package]]\nname = \"extism\"\nversion = \"1.30.0\"\n";
        let tables = tables(&parse(json).unwrap(), lock);
        for line in [
            "| Extism 1.30.0, kept, limited | 33.2 | NaN | NaN |",
            "| kept and limited, both | NaN | NaN | 1.50 |",
            "| Extism, cached, limited | 12.3 |",
            "| the module, bytes | 1000000 | NaN |",
        ] {
            assert!(tables.lines().any(|it| it == line), "{line}\n{tables}");
        }
        let lines = tables.lines().filter(|line| line.starts_with('|')).count();
        assert_eq!(lines, 4 * 2 + WAYS.len() + PAIRS.len() + LOADERS.len() + SIZES.len());
    }
}
