//! Hosts that share their slots through NATS, against a real server.

use crate::{
    failure::Failure,
    log::Log,
    python,
    step::{Step, Work},
    tools::Tool,
    workspace::Workspace,
};

pub(crate) static STEP: Step = Step {
    name: "cluster",
    about: "several hosts share slots and records through a nats-server that is killed and meddled with",
    tools: &[Tool::Python, Tool::NatsServer],
    after: &["engine"],
    work: Work::Function(cluster),
};

fn cluster(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    for tests in [&["--test", "cluster"][..], &["--test", "servers", "--", "cluster::"]] {
        let mut test = workspace.cargo_test(&["--workspace"]);
        test.args(tests);
        test.env("ADJUDICATE_NATS_SERVER", python::NATS.programs(workspace).join("nats-server"));
        log.run_tests(test)?;
    }
    Ok(())
}
