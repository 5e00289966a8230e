//! The steps that run in Node and in Chromium: the packed npm package, the engine module, wasm-bindgen's tests.

use std::process::Command;

use crate::{
    corpus,
    failure::Failure,
    foreign::hostile_modules,
    log::Log,
    step::{Step, Work},
    tools::{self, Tool, WASM_TARGET},
    workspace::Workspace,
};

pub(crate) static CORPUS_NODE: Step = Step {
    name: "corpus-node",
    about: "the corpus in Node: the packed npm package, imported and required, and the engine module and baked policies",
    tools: &[Tool::Node],
    after: &["engine", "baked", "npm-package", "corpus"],
    work: Work::Function(corpus_node),
};

pub(crate) static CORPUS_CHROMIUM: Step = Step {
    name: "corpus-chromium",
    about: "the corpus through the npm package, the engine module and baked policies in headless Chromium",
    tools: &[Tool::Node, Tool::NpmPackages, Tool::Chromium],
    after: &["engine", "baked", "npm-package", "corpus"],
    work: Work::Function(corpus_chromium),
};

/// wasm-bindgen's test runner.
pub(crate) static BINDGEN_TESTS: Step = Step {
    name: "bindgen-tests",
    about: "builds wasm-bindgen's test runner, in the version of Cargo.lock",
    tools: &[],
    after: &[],
    work: Work::Cargo(&[
        "build",
        "--package",
        "xtask",
        "--features",
        "bindgen-tests",
        "--bin",
        "bindgen-tests",
    ]),
};

pub(crate) static BINDGEN_NODE: Step = Step {
    name: "wasm-bindgen-node",
    about: "wasm-bindgen-test in Node",
    tools: &[Tool::WasmTarget, Tool::Node],
    after: &["bindgen-tests"],
    work: Work::Function(bindgen_node),
};

pub(crate) static BINDGEN_CHROMIUM: Step = Step {
    name: "wasm-bindgen-chromium",
    about: "wasm-bindgen-test in headless Chromium",
    tools: &[Tool::WasmTarget, Tool::Node, Tool::NpmPackages, Tool::Chromium],
    after: &["bindgen-tests"],
    work: Work::Function(bindgen_chromium),
};

pub(crate) static NPM: Step = Step {
    name: "npm",
    about: "the npm package's own tests, on the packed package",
    tools: &[Tool::Node, Tool::NpmPackages, Tool::Chromium],
    after: &["engine", "baked", "command", "corpus", "npm-package", "hostile-modules"],
    work: Work::Function(|workspace, log| npm(workspace, log, "test")),
};

pub(crate) static NPM_FURTHER: Step = Step {
    name: "npm-further",
    about: "the npm package's memory over many calls, and the modules of step `guests` in Node and in Chromium",
    tools: &[Tool::Node, Tool::NpmPackages, Tool::Chromium],
    after: &["guests", "corpus", "npm-package"],
    work: Work::Function(|workspace, log| npm(workspace, log, "test:further")),
};

/// Runs the script of `tests/corpus` for Node where the packed package is installed.
fn corpus_node(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let folder = corpus::consumer(workspace, log)?;
    let mut node = workspace.program("node", &["node.mjs"]);
    node.current_dir(&folder).env("ADJUDICATE_CORPUS", corpus::file(workspace));
    node.env("ADJUDICATE_ENGINE", workspace.engine()).env("ADJUDICATE_BAKED", workspace.baked());
    log.run_tests(node)
}

/// The same for the script that serves that folder to a browser.
fn corpus_chromium(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut node = workspace.program("node", &["tests/corpus/chromium.mjs"]);
    node.env("ADJUDICATE_CONSUMER", corpus::consumer(workspace, log)?);
    node.env("ADJUDICATE_CORPUS", corpus::file(workspace)).env("ADJUDICATE_ENGINE", workspace.engine());
    node.env("ADJUDICATE_BAKED", workspace.baked());
    log.run_tests(with_chromium(node))
}

/// The arguments of cargo that run wasm-bindgen's tests.
const TEST_ARGUMENTS: [&str; 9] = [
    "test",
    "--package",
    "adjudicate-wasm",
    "--no-default-features",
    "--features",
    "js",
    "--test",
    "js",
    "--target",
];

fn bindgen_node(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let test = workspace.cargo(&[TEST_ARGUMENTS.as_slice(), &[WASM_TARGET]].concat());
    log.run_tests(with_bindgen_runner(workspace, test))
}

/// The runner serves a page, and the script opens the page in a browser. So no WebDriver is needed.
fn bindgen_chromium(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let command =
        [&["js/scripts/wasm-tests.mjs", "cargo"], TEST_ARGUMENTS.as_slice(), &[WASM_TARGET]].concat();
    let test = workspace.program("node", &command);
    log.run_tests(with_chromium(with_bindgen_runner(workspace, test)))
}

/// Runs a script of the npm package.
fn npm(workspace: &Workspace, log: &mut Log<'_>, script: &str) -> Result<(), Failure> {
    let mut test = workspace.program("npm", &["run", script]);
    test.current_dir(workspace.js());
    test.env("ADJUDICATE_INSTALLED", corpus::consumer(workspace, log)?.join("node_modules/adjudicate"));
    test.env("ADJUDICATE_ENGINE", workspace.engine()).env("ADJUDICATE_COMMAND", workspace.command());
    test.env("ADJUDICATE_BAKED", workspace.baked())
        .env("ADJUDICATE_GUESTS", workspace.artifacts().join("guests"));
    test.env("ADJUDICATE_HOSTILE", hostile_modules(workspace))
        .env("ADJUDICATE_CORPUS", corpus::file(workspace));
    log.run_tests(with_chromium(test))
}

fn with_bindgen_runner(workspace: &Workspace, mut command: Command) -> Command {
    let runner = workspace.built(None, "debug").join("bindgen-tests");
    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
    command
}

/// Sets the variable that names the browser.
pub(crate) fn with_chromium(mut command: Command) -> Command {
    if let Some(chromium) = tools::chromium() {
        command.env("CHROMIUM", chromium);
    }
    command
}
