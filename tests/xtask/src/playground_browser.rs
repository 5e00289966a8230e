//! The built playground in headless Chromium, used as people use it.

use crate::{
    corpus,
    failure::Failure,
    foreign::hostile_modules,
    javascript::with_chromium,
    log::Log,
    step::{Step, Work},
    tools::Tool,
    workspace::Workspace,
};

pub(crate) static STEP: Step = Step {
    name: "playground-browser",
    about: "the playground in headless Chromium: journeys, axe, hostile modules, no network; pictures of all views",
    tools: &[Tool::Node, Tool::NpmPackages, Tool::PlaygroundPackages, Tool::Chromium],
    after: &["command", "corpus", "baked", "guests", "hostile-modules", "playground"],
    work: Work::Function(browser),
};

fn browser(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut test = workspace.program("npm", &["run", "test:browser"]);
    test.current_dir(workspace.playground());
    test.env("ADJUDICATE", workspace.command()).env("ADJUDICATE_CORPUS", corpus::file(workspace));
    test.env("ADJUDICATE_BAKED", workspace.baked())
        .env("ADJUDICATE_GUESTS", workspace.artifacts().join("guests"));
    test.env("ADJUDICATE_HOSTILE", hostile_modules(workspace));
    log.run_tests(with_chromium(test))
}
