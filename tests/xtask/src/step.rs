//! A run of named steps: their choice, order and outcomes.

use std::{
    env,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    failure::Failure,
    log::Log,
    outcome::Outcome,
    progress::Progress,
    tools::{self, Tool},
    workspace::Workspace,
};

/// The longest time for which a program of a step in CI may print nothing. The longest test takes a minute.
const SILENCE: Duration = Duration::from_secs(600);

/// A named task or test.
pub(crate) struct Step {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// The description for `--list`.
    pub(crate) about: &'static str,
    /// The tools that the action needs.
    pub(crate) tools: &'static [Tool],
    /// Steps whose products this one reads. They run first; if one fails, this one does not run.
    pub(crate) after: &'static [&'static str],
    pub(crate) work: Work,
}

impl Step {
    /// The tools that the step needs: those that it lists, and clippy, whose compiler compiles tests.
    fn tools(&self) -> impl Iterator<Item = Tool> {
        let compiles_tests = matches!(self.work, Work::CargoBuild(_) | Work::CargoTests(_));
        self.tools.iter().copied().chain(compiles_tests.then_some(Tool::Clippy))
    }
}

/// The action of a step.
pub(crate) enum Work {
    /// Runs cargo, which must succeed.
    Cargo(&'static [&'static str]),
    /// Compiles tests with these arguments of `cargo test`, and the programs that they run.
    CargoBuild(&'static [&'static str]),
    /// Runs `cargo test` with these arguments; the tests are counted.
    CargoTests(&'static [&'static str]),
    /// Another action.
    Function(fn(&Workspace, &mut Log<'_>) -> Result<(), Failure>),
}

impl Work {
    fn carry_out(&self, workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
        match self {
            Self::Cargo(arguments) => log.run(workspace.cargo(arguments)).map(drop),
            Self::CargoBuild(arguments) => log.run(workspace.cargo_build(arguments)).map(drop),
            Self::CargoTests(arguments) => log.run_tests(workspace.cargo_test(arguments)),
            Self::Function(function) => function(workspace, log),
        }
    }
}

/// Returns the named steps and all steps that they need, in the order of the list.
pub(crate) fn choose(all: &[&'static Step], names: &[&str]) -> Result<Vec<&'static Step>, Failure> {
    if let Some(name) = names.iter().find(|name| all.iter().all(|step| step.name != **name)) {
        return Err(Failure::Broken(format!(
            "`{name}` is neither a step nor an area: see `cargo xtask test --list`"
        )));
    }
    let mut chosen: Vec<&Step> = Vec::new();
    // Backwards, because a step needs only steps before it in the list.
    for step in all.iter().rev() {
        let needed = chosen.iter().any(|later| later.after.contains(&step.name));
        if names.contains(&step.name) || needed {
            chosen.insert(0, step);
        }
    }
    Ok(chosen)
}

/// Installs the tools that any of the steps needs, and runs all steps one after the other, even if some fail.
pub(crate) fn run(steps: &[&'static Step], workspace: &Workspace, progress: &Progress) -> Vec<Outcome> {
    run_lanes(steps, &[steps.to_vec()], workspace, progress)
}

/// As [`run`], with two steps at a time: one that needs Node, and one that does not.
///
/// Two steps of cargo would only wait for each other.
pub(crate) fn run_beside(
    steps: &[&'static Step],
    workspace: &Workspace,
    progress: &Progress,
) -> Vec<Outcome> {
    let (node, cargo) = steps.iter().partition(|step| step.tools.contains(&Tool::Node));
    run_lanes(steps, &[cargo, node], workspace, progress)
}

fn run_lanes(
    steps: &[&'static Step],
    lanes: &[Vec<&'static Step>],
    workspace: &Workspace,
    progress: &Progress,
) -> Vec<Outcome> {
    let (packages, tools): (Vec<Tool>, Vec<Tool>) =
        steps.iter().flat_map(|step| step.tools()).partition(|tool| tool.is_packages());
    progress.expect(steps.len() + 1 + usize::from(!packages.is_empty()));
    let tools = perform("tools", progress, |log| tools::provide(&tools, workspace, log));
    let done = &Done { outcomes: Mutex::new(vec![tools]), changed: Condvar::new() };
    let packages = &packages;
    thread::scope(|scope| {
        for lane in lanes {
            scope.spawn(move || {
                // Packages take a while to fetch, and only this lane needs them.
                if lane.iter().flat_map(|step| step.tools()).any(Tool::is_packages) {
                    done.add(perform("packages", progress, |log| tools::provide(packages, workspace, log)));
                }
                for step in lane {
                    let obstacle = done.wait_for(step, steps);
                    done.add(perform(step.name, progress, |log| {
                        obstacle.map_or(Ok(()), Err)?;
                        step.tools().try_for_each(|tool| tool.require(workspace))?;
                        step.work.carry_out(workspace, log)
                    }));
                }
            });
        }
    });
    let mut outcomes = std::mem::take(&mut *done.outcomes());
    outcomes.sort_by_key(|outcome| steps.iter().position(|step| step.name == outcome.name));
    outcomes
}

/// The outcomes of the steps that ended, for the steps that wait for them.
struct Done {
    outcomes: Mutex<Vec<Outcome>>,
    changed: Condvar,
}

impl Done {
    /// Waits for all steps of this run that a step needs, and returns why it cannot run if one of them failed.
    fn wait_for(&self, step: &Step, steps: &[&'static Step]) -> Option<Failure> {
        let runs = |name: &str| steps.iter().any(|step| step.name == name);
        let mut outcomes = self.outcomes();
        for needed in step.after.iter().filter(|name| runs(name)) {
            let outcome = loop {
                if let Some(outcome) = outcomes.iter().find(|outcome| outcome.name == *needed) {
                    break outcome;
                }
                outcomes = self.changed.wait(outcomes).unwrap_or_else(PoisonError::into_inner);
            };
            if outcome.failure.is_some() {
                return Some(Failure::Broken(format!("not run, since `{needed}` failed")));
            }
        }
        None
    }

    fn add(&self, outcome: Outcome) {
        self.outcomes().push(outcome);
        self.changed.notify_all();
    }

    fn outcomes(&self) -> MutexGuard<'_, Vec<Outcome>> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn perform(
    name: &'static str,
    progress: &Progress,
    work: impl FnOnce(&mut Log<'_>) -> Result<(), Failure>,
) -> Outcome {
    progress.begin(name);
    let started = Instant::now();
    let mut log = Log::new(progress, name);
    if env::var_os("CI").is_some() {
        log = log.stop_silent(SILENCE);
    }
    // A step that panics has failed, because other steps may wait for its end.
    let result = catch_unwind(AssertUnwindSafe(|| work(&mut log)))
        .unwrap_or_else(|_| Err(Failure::Broken("it panicked".into())));
    let (output, tally) = log.finish();
    let outcome = Outcome::new(name, tally, result.err(), started.elapsed());
    progress.end(&outcome, &output);
    outcome
}

/// Returns success if every step succeeded.
pub(crate) fn exit_code(outcomes: &[Outcome]) -> ExitCode {
    if outcomes.iter().all(|outcome| outcome.failure.is_none()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
