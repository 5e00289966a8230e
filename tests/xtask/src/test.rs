//! `cargo xtask quick` and `cargo xtask test`: the lists of steps.
//!
//! The steps of the gate compile native code with one set of features, so cargo compiles each crate once. Steps that need
//! another set, a program of another project, a budget or a long time are for `--all`.

use std::{process::ExitCode, time::Instant};

use crate::{
    archives,
    build::{BAKED, BINDGEN, ENGINE, PACKAGE},
    changed, cluster, corpus,
    failure::Failure,
    foreign, guests, javascript,
    log::Log,
    matrix, miri, playground, playground_browser,
    progress::Progress,
    registry, rust_versions,
    step::{self, Step, Work},
    tools::{Tool, WASM_TARGET},
    words,
    workspace::{Artifacts, Workspace},
};

/// The command, and the program that writes the corpus. The tests of all members give their dependencies these features,
/// so cargo compiles each once. With a test of their package, cargo also builds its programs.
pub(crate) static COMMAND: Step = Step {
    name: "command",
    about: "builds the `adjudicate` command, and the program that writes the corpus",
    tools: &[],
    after: &[],
    work: Work::CargoBuild(&["--workspace", "--test", "cli", "--test", "memory"]),
};

/// The gate: the steps of `cargo xtask test`, in the order in which they run.
static STEPS: &[&Step] = &[
    &FORMAT,
    &words::STEP,
    &BINDGEN,
    &ENGINE,
    &PACKAGE,
    &COMMAND,
    &corpus::STEP,
    &BAKED,
    &foreign::HOSTILE,
    &Step {
        name: "clippy",
        about: "clippy warns of nothing in the workspace, tests included",
        tools: &[Tool::Clippy],
        after: &[],
        work: Work::Function(|workspace, log| lint(workspace, log, &["--workspace"])),
    },
    &Step {
        name: "tests",
        about: "tests and examples of all members; the corpus natively, in the wasmtime sandbox, and samples by the command",
        tools: &[],
        after: &["engine", "command", "baked"],
        work: Work::CargoTests(&["--workspace"]),
    },
    &javascript::CORPUS_NODE,
    &javascript::CORPUS_CHROMIUM,
    &javascript::NPM,
];

/// The additional steps of `cargo xtask test --all`. They compile with other features or compilers, fetch much, need a
/// server of another project, hold budgets, or take long.
static FURTHER: &[&Step] = &[
    &guests::STEP,
    &Step {
        name: "clippy-further",
        about: "clippy warns of nothing in the tests that only `--all` runs",
        tools: &[Tool::Clippy],
        after: &[],
        work: Work::Function(|workspace, log| {
            let tests = ["cluster", "guests", "memory", "servers"].iter().flat_map(|name| ["--test", name]);
            lint(workspace, log, &[&["--workspace"], &tests.collect::<Vec<_>>()[..]].concat())
        }),
    },
    &Step {
        name: "features",
        about: "clippy warns of nothing in the command without each of its features, and without any",
        tools: &[Tool::Clippy],
        after: &[],
        work: Work::Function(features),
    },
    &Step {
        name: "clippy-wasm",
        about: "clippy warns of nothing in the wasm crate, with either feature, nor in the guest SDK",
        tools: &[Tool::Clippy, Tool::WasmTarget],
        after: &[],
        work: Work::Function(clippy_wasm),
    },
    &Step {
        name: "fuzz-targets",
        about: "the fuzz targets except `module` compile; running them takes a nightly compiler and cargo-fuzz",
        tools: &[],
        after: &[],
        work: Work::Function(|workspace, log| fuzz_targets(workspace, log, &[])),
    },
    &Step {
        name: "fuzz-module",
        about: "the fuzz target `module` compiles, and wasmtime for it",
        tools: &[],
        after: &[],
        work: Work::Function(|workspace, log| fuzz_targets(workspace, log, &["--features", "host"])),
    },
    &miri::STEP,
    &Step {
        name: "rustdoc",
        about: "rustdoc warns of nothing",
        tools: &[],
        after: &[],
        work: Work::Function(docs),
    },
    &Step {
        name: "tests-further",
        about: "tests that kill processes at random, that depend on the order of threads, or that take long",
        tools: &[],
        after: &["engine", "command", "baked"],
        work: Work::CargoTests(&["--workspace", "--tests", "--", "--ignored"]),
    },
    &Step {
        name: "tests-guests",
        about: "the modules of step `guests` in the wasmtime sandbox",
        tools: &[],
        after: &["guests"],
        work: Work::CargoTests(&["--workspace", "--test", "guests"]),
    },
    &Step {
        name: "memory",
        about: "the memory of each operation is bounded by its input",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--workspace", "--test", "memory"]),
    },
    &Step {
        name: "servers",
        about: "the server as a process: attacks, TLS, tokens, shutdown, memory, a soak",
        tools: &[],
        after: &["engine"],
        work: Work::CargoTests(&["--workspace", "--test", "servers", "--", "serve::"]),
    },
    &registry::STEP,
    &cluster::STEP,
    &foreign::PYTHON_HOST,
    &foreign::SCHEMAS,
    &foreign::MCP,
    &foreign::WORKFLOWS,
    &archives::STEP,
    &javascript::BINDGEN_TESTS,
    &javascript::BINDGEN_NODE,
    &javascript::BINDGEN_CHROMIUM,
    &javascript::NPM_FURTHER,
    &playground::STEP,
    &playground_browser::STEP,
    &matrix::FIRST,
    &matrix::RUNTIMES,
    &matrix::BUNDLERS,
    &matrix::NEXT,
];

/// Steps that run only by name or in an area. Most are parts of other steps, for work on one crate, because they
/// compile fewer dependencies.
static PARTS: &[&Step] = &[
    // Not part of a run, because not every machine can fetch other compilers.
    &rust_versions::STEP,
    &Step {
        name: "clippy-changed",
        about: "clippy warns of nothing in the members that git finds changed",
        tools: &[Tool::Clippy],
        after: &[],
        work: Work::Function(changed::clippy),
    },
    &Step {
        name: "units-core",
        about: "the unit tests of adjudicate-core and adjudicate-lang",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--package", "adjudicate-core", "--package", "adjudicate-lang", "--lib"]),
    },
    &Step {
        name: "tests-core",
        about: "tests and examples of core, lang, derive, evidence and yaml with their own features only",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&[
            "--package",
            "adjudicate-core",
            "--package",
            "adjudicate-lang",
            "--package",
            "adjudicate-derive",
            "--package",
            "adjudicate-evidence",
            "--package",
            "adjudicate-yaml",
        ]),
    },
    &Step {
        name: "corpus-native",
        about: "the corpus, natively",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--package", "adjudicate-core", "--test", "engine", "--", "corpus::"]),
    },
    &Step {
        name: "doctests",
        about: "the examples in the documentation",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--workspace", "--doc"]),
    },
    &Step {
        name: "tests-host",
        about: "tests of adjudicate-sandbox, adjudicate-conformance, adjudicate-host and adjudicate-cluster",
        tools: &[],
        after: &["engine"],
        work: Work::CargoTests(&[
            "--package",
            "adjudicate-sandbox",
            "--package",
            "adjudicate-conformance",
            "--package",
            "adjudicate-host",
            "--package",
            "adjudicate-cluster",
        ]),
    },
    &Step {
        name: "tests-cli",
        about: "tests of the command, and of adjudicate-registry and adjudicate-serve",
        tools: &[],
        after: &["engine"],
        work: Work::CargoTests(&[
            "--package",
            "adjudicate",
            "--package",
            "adjudicate-registry",
            "--package",
            "adjudicate-serve",
        ]),
    },
    &Step {
        name: "tests-wasm",
        about: "tests of adjudicate-wasm and of adjudicate-guest, compiled for this machine",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--package", "adjudicate-wasm", "--package", "adjudicate-guest"]),
    },
];

static FORMAT: Step = Step {
    name: "format",
    about: "rustfmt would change nothing",
    tools: &[Tool::Rustfmt],
    after: &[],
    work: Work::Cargo(&["fmt", "--all", "--check"]),
};

/// The steps of `cargo xtask quick`.
const QUICK: [&str; 5] = ["format", "words", "clippy-changed", "units-core", "corpus-native"];

/// Each area with its steps.
static AREAS: [(&str, &[&str]); 7] = [
    ("core", &["format", "tests-core", "corpus-native"]),
    ("wasm", &["engine", "clippy-wasm", "tests-wasm", "wasm-bindgen-node"]),
    ("host", &["format", "tests-host"]),
    ("cli", &["format", "tests-cli"]),
    ("js", &["corpus-node", "corpus-chromium", "npm"]),
    ("docs", &["format", "rustdoc", "doctests"]),
    ("matrix", &["consumers", "matrix-runtimes", "matrix-bundlers", "matrix-next"]),
];

/// Prints the output of `--list`.
pub(crate) fn list() -> ExitCode {
    for (title, steps) in
        [("cargo xtask test", STEPS), ("with --all", FURTHER), ("only by name, or in an area", PARTS)]
    {
        println!("{title}");
        for step in steps {
            println!("  {:<22} {}", step.name, step.about);
        }
    }
    println!("areas");
    for (area, steps) in AREAS {
        println!("  {area:<22} {}", steps.join(", "));
    }
    println!("cargo xtask quick");
    println!("  {}", QUICK.join(", "));
    ExitCode::SUCCESS
}

/// Runs the steps of `cargo xtask quick`.
pub(crate) fn quick(workspace: Workspace, verbose: bool) -> Result<ExitCode, Failure> {
    run_named(workspace, &QUICK, verbose)
}

/// Runs the named steps and areas, with the steps whose products they read. Without a name it runs `STEPS`, and with
/// `all` also the additional steps.
pub(crate) fn run(
    workspace: Workspace,
    names: &[&str],
    all: bool,
    verbose: bool,
) -> Result<ExitCode, Failure> {
    let everything = [STEPS, if all { FURTHER } else { &[] }].concat();
    let names: Vec<&str> = match names {
        [] => everything.iter().map(|step| step.name).collect(),
        names => names.iter().flat_map(|name| steps_of(name)).collect(),
    };
    run_named(workspace, &names, verbose)
}

fn run_named(mut workspace: Workspace, names: &[&str], verbose: bool) -> Result<ExitCode, Failure> {
    let begin = Instant::now();
    let steps = step::choose(&all_steps(), names)?;
    // Budgets and archives are about the artefacts that are released. All other steps pass with any build of them.
    if !steps.iter().any(|step| FURTHER.iter().any(|further| further.name == step.name)) {
        workspace.artifacts = Artifacts::Gate;
    }
    let progress = Progress::on_stdout(verbose);
    let outcomes = step::run_beside(&steps, &workspace, &progress);
    progress.summary(&outcomes, begin.elapsed());
    Ok(step::exit_code(&outcomes))
}

/// Returns the steps of an area, or the one step of that name.
fn steps_of(name: &str) -> Vec<&str> {
    let area = AREAS.iter().find(|(area, _)| *area == name);
    area.map_or_else(|| vec![name], |(_, steps)| steps.to_vec())
}

/// Returns whether an area or a step has that name.
#[cfg(test)]
pub(crate) fn is_known(name: &str) -> bool {
    step::choose(&all_steps(), &steps_of(name)).is_ok()
}

/// All steps, of every list.
fn all_steps() -> Vec<&'static Step> {
    [STEPS, FURTHER, PARTS].concat()
}

/// Compiles the members as their tests do, and lints them. Any warning is a failure, also one of an earlier call, because cargo prints those again.
fn lint(workspace: &Workspace, log: &mut Log<'_>, arguments: &[&str]) -> Result<(), Failure> {
    let output = log.run(workspace.cargo_build(arguments))?;
    let warned = |line: &&str| line.starts_with("warning: `") && line.contains(" generated ");
    match output.lines().filter(warned).count() {
        0 => Ok(()),
        targets => Err(Failure::Broken(format!("clippy warns in {targets} targets"))),
    }
}

/// Checks the command together with all other members, so that its dependencies keep their features. The step does not notice a feature of a dependency that only another member names; the
/// release workflow does, because it builds the command alone.
fn features(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    for features in [
        "adjudicate/oci,adjudicate/serve",
        "adjudicate/nats,adjudicate/serve",
        "adjudicate/nats,adjudicate/oci",
        "",
    ] {
        let mut clippy = workspace.cargo(&["clippy", "--workspace", "--no-default-features"]);
        clippy.args(["--exclude", "adjudicate-tests", "--exclude", "adjudicate-benches"]);
        clippy.args(["--all-targets", "--features", features, "--", "--deny", "warnings"]);
        log.run(clippy)?;
    }
    Ok(())
}

fn clippy_wasm(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    // The module with the policy ABI has a panic handler of its own, so it cannot contain tests.
    for (features, targets) in [("abi", "--lib"), ("js", "--all-targets")] {
        let mut clippy = workspace.cargo(&["clippy", "--package", "adjudicate-wasm", targets]);
        clippy.args(["--target", WASM_TARGET, "--no-default-features", "--features", features]);
        clippy.args(["--", "--deny", "warnings"]);
        log.run(clippy)?;
    }
    let mut clippy =
        workspace.cargo(&["clippy", "--package", "adjudicate-guest", "--lib", "--target", WASM_TARGET]);
    clippy.args(["--", "--deny", "warnings"]);
    log.run(clippy).map(drop)
}

/// Checks the fuzz targets. Their workspace has other features of wasmtime, so the target that needs wasmtime compiles it again.
fn fuzz_targets(workspace: &Workspace, log: &mut Log<'_>, features: &[&str]) -> Result<(), Failure> {
    let mut check = workspace.cargo(&["check", "--manifest-path", "tests/fuzz/Cargo.toml", "--bins"]);
    check.args(features);
    let folder = workspace.scratch().join("fuzz");
    // Nothing is linked, so neither libFuzzer nor a C++ compiler is needed.
    check.env("CUSTOM_LIBFUZZER_PATH", folder.join("libfuzzer.a"));
    check.arg("--target-dir").arg(folder);
    log.run(check).map(drop)
}

fn docs(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut doc = workspace.cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    log.run(doc).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_unique_name_and_stands_after_the_steps_that_it_needs() {
        let steps = all_steps();
        for (index, step) in steps.iter().enumerate() {
            let before: Vec<&str> = steps[..index].iter().map(|step| step.name).collect();
            assert!(!before.contains(&step.name), "there are two steps `{}`", step.name);
            for needed in step.after {
                assert!(before.contains(needed), "`{}` needs `{needed}` before it", step.name);
            }
        }
    }

    #[test]
    fn areas_consist_of_steps_and_no_step_has_the_name_of_an_area() {
        let steps = all_steps();
        for (area, names) in AREAS {
            assert!(step::choose(&steps, names).is_ok(), "{area}");
            assert!(step::choose(&steps, &[area]).is_err(), "`{area}` is a step");
        }
        assert!(step::choose(&steps, &QUICK).is_ok());
    }
}
