//! `cargo xtask bench --peers`: other engines on the same rules and schemas, as tables in docs/benchmarks.md.
//!
//! The workspace `tests/peers` measures; no other task compiles it.

use std::{fmt::Write as _, fs, path::PathBuf, process::ExitCode};

use serde_json::Number;

use crate::{
    bench_report::{BenchOptions, report},
    benchmarks_page::{self, Block},
    failure::{Doing, Failure, write},
    log::Log,
    step::{Step, Work},
    values::{Values, last_object},
    workspace::Workspace,
};

const MANIFEST: &str = "tests/peers/Cargo.toml";
const LOCK: &str = "tests/peers/Cargo.lock";

static PROGRAM: Step = Step {
    name: "peers",
    about: "builds the measuring program, and with it the other engines",
    tools: &[],
    after: &[],
    work: Work::Function(build),
};

static MEASURE: Step = Step {
    name: "measure",
    about: "measures all engines in one run",
    tools: &[],
    after: &["peers"],
    work: Work::Function(|workspace, log| measure(workspace, log, &[])),
};

static MEASURE_QUICKLY: Step =
    Step { work: Work::Function(|workspace, log| measure(workspace, log, &["--quick"])), ..MEASURE };

/// The engines of the decision: the key, the crate whose version is shown, and the description.
const CONTESTANTS: [(&str, Option<&str>, &str); 7] = [
    ("adjudicate", None, "adjudicate, the whole evaluator"),
    ("conditions", None, "adjudicate, the nine conditions alone"),
    ("datalogic", Some("datalogic-rs"), "datalogic-rs, JSONLogic"),
    ("cel", Some("cel"), "cel, CEL"),
    ("cel_interpreter", Some("cel-interpreter"), "cel-interpreter, its former name"),
    ("regorus", Some("regorus"), "regorus, Rego on its virtual machine"),
    ("cedar", Some("cedar-policy"), "cedar-policy, Cedar"),
];

/// The validated instances: the key, the description, and whether the instance is valid.
const SCHEMAS: [(&str, &str, bool); 18] = [
    ("content_small", "content pipeline's output, 3 variants", true),
    ("content_large", "the same, 200 variants", true),
    ("content_wrong", "the same, five faults", false),
    ("package", "`package.json`", true),
    ("package_wrong", "the same, five faults", false),
    ("bundle", "health records, `oneOf` of `$ref`, 50 entries", true),
    ("bundle_wrong", "the same, five faults", false),
    ("numbers", "2,500 numbers with limits", true),
    ("numbers_wrong", "the same, 51 faults", false),
    ("strings", "600 strings with patterns", true),
    ("strings_wrong", "the same, ten faults", false),
    ("tree_wide", "tree, 364 nodes", true),
    ("tree_deep", "tree, 60 levels", true),
    ("tree_wrong", "the same, two faults within", false),
    ("unique", "`uniqueItems`, three lists of 400", true),
    ("unique_wrong", "the same, two repetitions", false),
    ("enums", "1,000 values of `enum` and `const`", true),
    ("enums_wrong", "the same, 20 faults", false),
];

/// The validators except this engine.
const VALIDATORS: [&str; 2] = ["jsonschema", "boon"];

/// The questions to the validators: verdicts on parsed values and from text, and all that is wrong.
const QUESTIONS: [&str; 3] = ["parsed", "text", "errors"];

/// Builds and runs the measurement, and shows the results. The flags are those of the other benchmarks.
pub(crate) fn run(workspace: &Workspace, options: BenchOptions) -> Result<ExitCode, Failure> {
    let steps = [&PROGRAM, if options.quick { &MEASURE_QUICKLY } else { &MEASURE }];
    report(workspace, options, &steps, &results_file(workspace), Block::Peers, |values| {
        let lock = workspace.root().join(LOCK);
        Ok(tables(values, &fs::read_to_string(&lock).doing("reading", lock.display())?))
    })
}

fn results_file(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("peers.json")
}

fn target(workspace: &Workspace) -> PathBuf {
    workspace.scratch().join("peers")
}

fn build(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut cargo = workspace.cargo(&["build", "--release", "--manifest-path", MANIFEST]);
    cargo.arg("--target-dir").arg(target(workspace));
    log.run(cargo).map(drop)
}

fn measure(workspace: &Workspace, log: &mut Log<'_>, flags: &[&str]) -> Result<(), Failure> {
    let program = workspace.program(target(workspace).join("release/adjudicate-peers"), flags);
    let values = last_object(&log.run(program)?)?;
    let json =
        serde_json::to_string(&values).map_err(|error| Failure::Broken(format!("the results: {error}")))?;
    write(&results_file(workspace), json)
}

/// The results as Markdown tables: the decision, the expressions, then the budgets.
fn tables(values: &Values, lock: &str) -> String {
    let value = |key: &str| values.get(key).and_then(Number::as_f64).unwrap_or(f64::NAN);
    let mut out = String::from(
        "| nine rules | prepared data, µs | against ours | text to text, µs | against ours |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
    // Writing to a string cannot fail.
    for (name, package, what) in CONTESTANTS {
        let version = package.map(|package| format!(" {}", version(lock, package))).unwrap_or_default();
        let what = what.replacen(',', &format!("{version},"), 1);
        let [prepared, text] = ["prepared", "text"].map(|level| {
            let key = format!("peer_{name}_{level}");
            format!("{:.2} | {:.2}", value(&format!("{key}_us")), value(&format!("{key}_ratio")))
        });
        let _ = writeln!(out, "| {what} | {prepared} | {text} |");
    }
    out.push_str(
        "\n| ten expressions, parsed data | ns, geometric mean | datalogic-rs against it |\n\
         | --- | ---: | ---: |\n",
    );
    for (name, what) in [("strict", "adjudicate, strict mode"), ("compat", "adjudicate, compat mode")] {
        let key = format!("peer_expressions_{name}");
        let _ = writeln!(
            out,
            "| {what} | {:.0} | {:.2} |",
            value(&format!("{key}_ns")),
            value(&format!("{key}_ratio"))
        );
    }
    let _ = writeln!(out, "| datalogic-rs | {:.0} | 1.00 |", value("peer_expressions_datalogic_ns"));
    schemas_table(values, lock, &mut out);
    out.push_str(&benchmarks_page::peers_table(values));
    out
}

/// Writes a line for each schema and instance. Only invalid instances have violations.
fn schemas_table(values: &Values, lock: &str, out: &mut String) {
    let [jsonschema, boon] = VALIDATORS.map(|name| version(lock, name));
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "\n| against the faster of jsonschema {jsonschema} and boon {boon} | parsed | from text | all violations |\n\
         | --- | ---: | ---: | ---: |"
    );
    for (key, what, is_valid) in SCHEMAS {
        let ratios = QUESTIONS.map(|question| {
            let ratio = values.get(&format!("peer_schema_{key}_{question}_ratio")).and_then(Number::as_f64);
            match (question, is_valid) {
                ("errors", true) => String::new(),
                _ => format!("{:.2}", ratio.unwrap_or(f64::NAN)),
            }
        });
        let _ = writeln!(out, "| {what} | {} |", ratios.join(" | "));
    }
    out.push('\n');
}

/// Returns the version of a package in a lock file; the newest, if the file has several.
pub(crate) fn version<'a>(lock: &'a str, package: &str) -> &'a str {
    let head = format!("name = \"{package}\"\nversion = \"");
    lock.rsplit_once(&head).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::parse;

    const SAMPLE: &str = "[[package]]\nname = \"cel\"\nversion = \"0.15.0\"\n\n\
        [[package]]\nname = \"cel-interpreter\"\nversion = \"0.10.0\"\n";

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert_eq!(version(SAMPLE, "cel"), "0.15.0");
        assert_eq!(version(SAMPLE, "cel-interpreter"), "0.10.0");
        assert_eq!(version(SAMPLE, "interpreter"), "unknown");
    }

    #[test]
    fn every_contestant_has_a_line_and_a_missing_value_shows() {
        let json = r#"{"peer_cel_prepared_us": 5.5, "peer_cel_prepared_ratio": 1.254, "peer_cel_text_us": 50,
            "peer_schema_tree_deep_parsed_ratio": 0.75}"#;
        let tables = tables(&parse(json).unwrap(), SAMPLE);
        assert!(tables.contains("| cel 0.15.0, CEL | 5.50 | 1.25 | 50.00 | NaN |"), "{tables}");
        assert!(tables.contains("| adjudicate, the whole evaluator | NaN |"), "{tables}");
        assert!(tables.contains("| tree, 60 levels | 0.75 | NaN |  |"), "{tables}");
        let lines = tables.lines().filter(|line| line.starts_with('|')).count();
        assert_eq!(lines, 2 + 7 + 2 + 3 + 2 + 18 + 2 + 7);
    }
}
