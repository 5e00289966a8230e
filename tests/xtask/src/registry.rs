//! `push` and `pull` with a registry of another project.

use crate::{
    failure::Failure,
    log::Log,
    step::{Step, Work},
    tools::{self, Tool},
    workspace::Workspace,
};

pub(crate) static STEP: Step = Step {
    name: "oci",
    about: "modules pushed to and pulled from a registry, Debian's docker-registry",
    tools: &[Tool::Registry],
    after: &[],
    work: Work::Function(oci),
};

fn oci(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut test = workspace.cargo_test(&["--workspace", "--test", "servers", "--", "oci::"]);
    // `docker-registry` exists, because the step requires it.
    test.env(tools::REGISTRY, tools::registry().unwrap_or_default());
    log.run_tests(test)
}
