//! `cargo xtask test` and `cargo xtask matrix`: the list of everything that must hold.
//!
//! Cheap steps come first, and those that share compiled dependencies stand together: wasmtime is compiled once for
//! looking at (clippy, docs) and once for running. Native tests run twice, per package and for the workspace as a
//! whole, since cargo unifies the features of shared dependencies and the answers must not depend on that.

use std::process::ExitCode;

use crate::{
    build::{BAKED, BINDGEN, ENGINE, PACKAGE},
    cluster,
    failure::Failure,
    foreign, guests, javascript,
    log::Log,
    matrix, playground, playground_browser,
    progress::Progress,
    registry,
    step::{self, Step, Work},
    tools::{Tool, WASM_TARGET},
    workspace::Workspace,
};

/// The steps of `cargo xtask test`, in the order in which they run; those of the matrix come after them.
static STEPS: &[&Step] = &[
    &Step {
        name: "format",
        about: "rustfmt would change nothing",
        tools: &[Tool::Rustfmt],
        after: &[],
        work: Work::Cargo(&["fmt", "--all", "--check"]),
    },
    &ENGINE,
    &BINDGEN,
    &PACKAGE,
    &Step {
        name: "clippy",
        about: "clippy warns of nothing in the workspace, tests included",
        tools: &[Tool::Clippy],
        after: &[],
        // With the features, so that the tests that need them are looked at too.
        work: Work::Cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            cluster::FEATURES,
            "--features",
            registry::FEATURES,
            "--",
            "--deny",
            "warnings",
        ]),
    },
    &Step {
        name: "clippy-wasm",
        about: "clippy warns of nothing in the wasm crate, behind either door, nor in the guest SDK",
        tools: &[Tool::Clippy, Tool::WasmTarget],
        after: &[],
        work: Work::Function(clippy_wasm),
    },
    &Step {
        name: "fuzz-targets",
        about: "the fuzz targets compile; running them takes a nightly compiler and cargo-fuzz",
        tools: &[],
        after: &[],
        work: Work::Function(fuzz_targets),
    },
    &Step {
        name: "docs",
        about: "rustdoc warns of nothing",
        tools: &[],
        after: &[],
        work: Work::Function(docs),
    },
    &Step {
        name: "core",
        about: "tests of adjudicate-core with its own features only",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--package", "adjudicate-core"]),
    },
    &Step {
        name: "wasm",
        about: "tests of adjudicate-wasm, compiled for this machine",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--package", "adjudicate-wasm"]),
    },
    &Step {
        name: "xtask",
        about: "tests of this program",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--package", "xtask"]),
    },
    &Step {
        name: "corpus-native",
        about: "the corpus and the laws, natively, with the core's own features only",
        tools: &[],
        after: &[],
        work: Work::Function(corpus_native),
    },
    &Step {
        name: "imports",
        about: "the engine module imports nothing and is what its manifest says",
        tools: &[],
        after: &["engine"],
        work: Work::CargoTests(&[
            "--package",
            "adjudicate-tests",
            "--no-default-features",
            "--test",
            "all",
            "--",
            "engine_module::",
        ]),
    },
    &Step {
        name: "host",
        about: "tests of adjudicate-host",
        tools: &[],
        after: &["engine"],
        work: Work::CargoTests(&["--package", "adjudicate-host"]),
    },
    &Step {
        name: "cli",
        about: "tests of adjudicate-cli",
        tools: &[],
        after: &["engine"],
        work: Work::CargoTests(&["--package", "adjudicate-cli"]),
    },
    &registry::STEP,
    &cluster::STEP,
    &guests::STEP,
    &Step {
        name: "guest-sdk",
        about: "tests of adjudicate-guest: it reads and decides as the engine does",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--package", "adjudicate-guest"]),
    },
    &Step {
        name: "corpus-cli",
        about: "the corpus and garbage through the command line, with and without a module",
        tools: &[],
        after: &["engine"],
        work: Work::Function(corpus_cli),
    },
    &BAKED,
    &Step {
        name: "corpus-wasmtime",
        about: "the corpus through the engine module and baked policies in the wasmtime sandbox",
        tools: &[],
        after: &["engine", "baked", "guests"],
        // The host is named too for the features that its own tests give to shared crates: wasmtime is compiled
        // for those already.
        work: Work::CargoTests(&[
            "--package",
            "adjudicate-tests",
            "--package",
            "adjudicate-host",
            "--test",
            "all",
            "--",
            "sandbox::",
            "baked::",
        ]),
    },
    &Step {
        name: "workspace",
        about: "all native tests again, with the features of all members together",
        tools: &[],
        after: &["engine", "baked", "guests"],
        work: Work::CargoTests(&["--workspace", "--lib", "--bins", "--tests", "--examples"]),
    },
    &Step {
        name: "doctests",
        about: "the examples in the documentation",
        tools: &[],
        after: &[],
        work: Work::CargoTests(&["--workspace", "--doc"]),
    },
    &javascript::CORPUS_NODE_ESM,
    &javascript::CORPUS_NODE_CJS,
    &javascript::CORPUS_NODE_ABI,
    &javascript::CORPUS_CHROMIUM,
    &javascript::BINDGEN_NODE,
    &javascript::BINDGEN_CHROMIUM,
    &foreign::HOSTILE,
    &foreign::PYTHON_HOST,
    &javascript::NPM,
    &matrix::FIRST,
    &playground::STEP,
    &playground_browser::STEP,
];

/// Which of all steps a task is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Those of `cargo xtask test`.
    Test,
    /// Those of `cargo xtask matrix`.
    Matrix,
    /// Both.
    Everything,
}

impl Extent {
    fn steps(self) -> Vec<&'static Step> {
        match self {
            Self::Test => STEPS.to_vec(),
            Self::Matrix => matrix::STEPS.to_vec(),
            Self::Everything => all_steps(),
        }
    }
}

/// Every step that there is.
fn all_steps() -> Vec<&'static Step> {
    [STEPS, matrix::STEPS.as_slice()].concat()
}

/// Prints what `--list` asks for.
pub(crate) fn list(extent: Extent) -> ExitCode {
    for step in extent.steps() {
        println!("{:<20} {}", step.name, step.about);
    }
    ExitCode::SUCCESS
}

/// Runs the steps named, or all that the task is about, with those whose products they read.
pub(crate) fn run(
    workspace: &Workspace,
    extent: Extent,
    names: &[&str],
    verbose: bool,
) -> Result<ExitCode, Failure> {
    let named = extent.steps().into_iter().map(|step| step.name);
    let names = if names.is_empty() { named.collect() } else { names.to_vec() };
    let steps = step::choose(&all_steps(), &names)?;
    let mut progress = Progress::on_stdout(steps.len() + 1, verbose);
    let outcomes = step::run(&steps, workspace, &mut progress);
    progress.summary(&outcomes);
    Ok(step::exit_code(&outcomes))
}

fn clippy_wasm(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    // The module behind the first door has its own panic handler, so it has no tests inside of it.
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

/// Checks the fuzz targets but for the one that needs wasmtime, which a workspace of its own would compile anew.
fn fuzz_targets(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut check = workspace.cargo(&["check", "--manifest-path", "tests/fuzz/Cargo.toml", "--bins"]);
    let folder = workspace.scratch().join("fuzz");
    // Nothing is linked, so libFuzzer itself need not be there, nor a C++ compiler for it.
    check.env("CUSTOM_LIBFUZZER_PATH", folder.join("libfuzzer.a"));
    check.arg("--target-dir").arg(folder);
    log.run(check).map(drop)
}

fn docs(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut doc = workspace.cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    log.run(doc).map(drop)
}

/// Runs what needs neither wasmtime nor an artefact.
fn corpus_native(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut test = workspace.cargo_test(&["--package", "adjudicate-tests", "--no-default-features"]);
    let others = ["cli::", "garbage::", "engine_module::"].into_iter().flat_map(|module| ["--skip", module]);
    test.arg("--").args(others);
    log.run_tests(test)
}

/// Builds the binary with its own features only, as it is installed, and runs the corpus through it.
fn corpus_cli(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    // As for its own tests, which were compiled before: `cargo build` would compile wasmtime once more.
    log.run(workspace.cargo(&["test", "--package", "adjudicate-cli", "--no-run"]))?;
    let mut test = workspace.cargo_test(&["--package", "adjudicate-tests", "--no-default-features"]);
    test.args(["--test", "all", "--", "cli::", "garbage::"]);
    log.run_tests(test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_has_a_name_of_its_own_and_stands_after_those_that_it_needs() {
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
    fn a_run_of_everything_is_a_test_and_the_matrix() {
        let names = |extent: Extent| extent.steps().iter().map(|step| step.name).collect::<Vec<_>>();
        assert_eq!(names(Extent::Everything), [names(Extent::Test), names(Extent::Matrix)].concat());
    }
}
