//! The packed npm package in every supported environment: the steps that build its consumers with the tools of other
//! projects.
//!
//! Only `cargo xtask test --all` runs them, because they fetch several hundred megabytes.

use crate::{
    corpus,
    failure::Failure,
    javascript::with_chromium,
    log::Log,
    step::{Step, Work},
    tools::Tool,
    workspace::Workspace,
};

pub(crate) static FIRST: Step = Step {
    name: "consumers",
    about: "the packed package in Node, and in pages of Vite and esbuild; its sizes, and what publint and attw say",
    tools: &[Tool::Node, Tool::NpmPackages, Tool::FirstConsumers, Tool::Chromium],
    after: &["engine", "guests", "corpus", "npm-package"],
    work: Work::Function(|workspace, log| {
        tests(workspace, log, "first", &["bundles.test.mjs", "package.test.mjs", "sizes.test.mjs"])
    }),
};

pub(crate) static RUNTIMES: Step = Step {
    name: "matrix-runtimes",
    about: "the packed package in Bun, Deno and workerd",
    tools: &[Tool::Node, Tool::NpmPackages, Tool::OtherConsumers],
    after: &["guests", "corpus", "npm-package"],
    work: Work::Function(|workspace, log| tests(workspace, log, "rest", &["runtimes.test.mjs"])),
};

pub(crate) static BUNDLERS: Step = Step {
    name: "matrix-bundlers",
    about: "the packed package in pages of webpack, Rollup and Parcel",
    tools: &[Tool::Node, Tool::NpmPackages, Tool::OtherConsumers, Tool::Chromium],
    after: &["guests", "corpus", "npm-package"],
    work: Work::Function(|workspace, log| tests(workspace, log, "rest", &["bundlers.test.mjs"])),
};

pub(crate) static NEXT: Step = Step {
    name: "matrix-next",
    about: "the packed package in an application of Next.js: a page, a route in Node, a route on the edge runtime",
    tools: &[Tool::Node, Tool::NpmPackages, Tool::OtherConsumers, Tool::Chromium],
    after: &["guests", "corpus", "npm-package"],
    work: Work::Function(|workspace, log| tests(workspace, log, "rest", &["next.test.mjs"])),
};

/// Runs the files of a folder of `tests/matrix` one after the other, because each keeps both cores busy.
fn tests(workspace: &Workspace, log: &mut Log<'_>, folder: &str, files: &[&str]) -> Result<(), Failure> {
    let mut node = workspace.program("node", &["--test", "--test-concurrency=1"]);
    node.args(files).current_dir(workspace.root().join("tests/matrix").join(folder));
    node.env("ADJUDICATE_PACKAGE", workspace.npm_package()).env("ADJUDICATE_ENGINE", workspace.engine());
    node.env("ADJUDICATE_CORPUS", corpus::file(workspace));
    node.env("ADJUDICATE_GUESTS", workspace.artifacts().join("guests"));
    log.run_tests(with_chromium(node))
}
