//! `push` and `pull` with a registry that others wrote.

use crate::{
    failure::Failure,
    log::Log,
    step::{Step, Work},
    tools::{self, Tool},
    workspace::Workspace,
};

/// The feature behind which those tests are that need a registry.
pub(crate) const FEATURES: &str = "adjudicate/oci-tests";

pub(crate) static STEP: Step = Step {
    name: "oci",
    about: "modules pushed to and pulled from a registry, Debian's docker-registry",
    tools: &[Tool::Registry],
    after: &[],
    work: Work::Function(oci),
};

fn oci(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let mut test = workspace.cargo_test(&["--package", "adjudicate"]);
    test.args(["--features", FEATURES, "--test", "oci"]);
    // It is there: the step asks for it.
    test.env(tools::REGISTRY, tools::registry().unwrap_or_default());
    log.run_tests(test)
}
