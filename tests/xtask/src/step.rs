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
    Failure,
    log::{Log, Progress},
    tally::Tally,
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
    /// The names of the tools that its scripts need.
    tools: &'static str,
    /// The names of the steps whose products this one reads. They run first; if one fails, this one does not run.
    after: &'static str,
    /// A script that must succeed.
    script: &'static str,
    /// Scripts whose tests are counted. They run after the other one.
    tests: &'static [&'static str],
    /// A check by this program.
    check: Option<Check>,
}

/// Fails with a list of faults.
type Check = fn(&Workspace) -> Result<(), Failure>;

/// A step that does nothing yet.
pub(crate) const fn step(name: &'static str, about: &'static str) -> Step {
    Step { name, about, tools: "", after: "", script: "", tests: &[], check: None }
}

impl Step {
    pub(crate) const fn tools(self, tools: &'static str) -> Self {
        Self { tools, ..self }
    }

    pub(crate) const fn after(self, after: &'static str) -> Self {
        Self { after, ..self }
    }

    pub(crate) const fn script(self, script: &'static str) -> Self {
        Self { script, ..self }
    }

    pub(crate) const fn tests(self, tests: &'static [&'static str]) -> Self {
        Self { tests, ..self }
    }

    pub(crate) const fn check(self, check: Check) -> Self {
        Self { check: Some(check), ..self }
    }

    /// The names of the steps that this one needs.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &'static str> {
        self.after.split_whitespace()
    }

    /// The tools that the step needs: those that it lists, and clippy, whose compiler compiles tests.
    pub(crate) fn required_tools(&self) -> Result<Vec<&'static Tool>, Failure> {
        let scripts = [&[self.script], self.tests].concat();
        let lints = scripts.iter().any(|script| script.contains("cargo_test") || script.contains("lint"));
        self.tools.split_whitespace().chain(lints.then_some("clippy")).map(tools::find).collect()
    }

    fn carry_out(&self, workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
        for tool in self.required_tools()? {
            tool.require(workspace)?;
        }
        if !self.script.is_empty() {
            log.run(workspace.script(self.script), self.script)?;
        }
        for tests in self.tests {
            log.run_tests(workspace.script(tests), tests)?;
        }
        self.check.map_or(Ok(()), |check| check(workspace))
    }
}

/// The outcome of a step.
pub(crate) struct Outcome {
    name: &'static str,
    /// The tests that the step ran. A step that failed without a count is one.
    tally: Tally,
    pub(crate) has_failed: bool,
    time: Duration,
}

/// Returns the named steps and all steps that they need, in the order of the list.
pub(crate) fn choose(all: &[&'static Step], names: &[&str]) -> Result<Vec<&'static Step>, Failure> {
    if let Some(name) = names.iter().find(|name| all.iter().all(|step| step.name != **name)) {
        return Err(format!("`{name}` is neither a step nor an area: see `cargo xtask test --list`").into());
    }
    let mut chosen: Vec<&Step> = Vec::new();
    // Backwards, because a step needs only steps before it in the list.
    for step in all.iter().rev() {
        let is_needed = chosen.iter().any(|later| later.needs().any(|name| name == step.name));
        if names.contains(&step.name) || is_needed {
            chosen.insert(0, step);
        }
    }
    Ok(chosen)
}

/// Installs the tools that any of the steps needs, and runs all steps, even if some fail. Two steps run at a time: one
/// that needs Node, and one that does not. Two steps of cargo would only wait for each other.
pub(crate) fn run(
    steps: &[&'static Step],
    workspace: &Workspace,
    progress: &Progress,
) -> Result<Vec<Outcome>, Failure> {
    let mut tools: Vec<&Tool> = Vec::new();
    for step in steps {
        let more = step.required_tools()?.into_iter();
        tools.extend(
            more.filter(|tool| tools.iter().all(|known| known.name != tool.name)).collect::<Vec<_>>(),
        );
    }
    // Packages take a while to fetch, and only steps that need Node need them.
    let (packages, tools): (Vec<_>, Vec<_>) =
        tools.into_iter().partition(|tool| tool.name.starts_with("npm-"));
    let (node, cargo): (Vec<&Step>, Vec<&Step>) =
        steps.iter().partition(|step| step.tools.split_whitespace().any(|tool| tool == "node"));
    let provided = perform("tools", progress, |log| tools::provide(&tools, workspace, log));
    let done = &Done { outcomes: Mutex::new(vec![provided]), changed: Condvar::new() };
    thread::scope(|scope| {
        for (lane, packages) in [(cargo, Vec::new()), (node, packages)] {
            scope.spawn(move || {
                if !packages.is_empty() {
                    done.add(perform("packages", progress, |log| tools::provide(&packages, workspace, log)));
                }
                for step in lane {
                    let obstacle = done.wait_for(step, steps);
                    done.add(perform(step.name, progress, |log| {
                        obstacle.map_or(Ok(()), Err)?;
                        step.carry_out(workspace, log)
                    }));
                }
            });
        }
    });
    let mut outcomes = std::mem::take(&mut *done.outcomes());
    outcomes.sort_by_key(|outcome| steps.iter().position(|step| step.name == outcome.name));
    Ok(outcomes)
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
        for needed in step.needs().filter(|name| runs(name)) {
            let outcome = loop {
                if let Some(outcome) = outcomes.iter().find(|outcome| outcome.name == needed) {
                    break outcome;
                }
                outcomes = self.changed.wait(outcomes).unwrap_or_else(PoisonError::into_inner);
            };
            if outcome.has_failed {
                return Some(format!("not run, since `{needed}` failed").into());
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

/// Shows the begin and the end of some work, and its output if it failed.
fn perform(
    name: &'static str,
    progress: &Progress,
    work: impl FnOnce(&mut Log<'_>) -> Result<(), Failure>,
) -> Outcome {
    progress.print(&format!("{name:<NAME$} begins"));
    let started = Instant::now();
    let mut log = Log::new(progress, name, env::var_os("CI").map(|_| SILENCE));
    // A step that panics has failed, because other steps may wait for its end.
    let ended =
        catch_unwind(AssertUnwindSafe(|| work(&mut log))).unwrap_or_else(|_| Err("it panicked".into()));
    let mut outcome = Outcome { name, tally: log.tally, has_failed: ended.is_err(), time: started.elapsed() };
    if outcome.has_failed && outcome.tally.failed == 0 {
        outcome.tally.failed = 1;
    }
    let failure = ended.err().map(|failure| format!("\n{}{name}: {failure}", log.unseen()));
    progress.print(&format!("{}{}", line(&outcome), failure.unwrap_or_default()));
    outcome
}

/// The width of the column of step names.
const NAME: usize = 22;

fn line(outcome: &Outcome) -> String {
    let Tally { passed, failed, .. } = outcome.tally;
    let word = if outcome.has_failed { "FAILED" } else { "ok" };
    let tests = match (passed, failed) {
        (0, 0) => String::new(),
        (_, 0) => format!("  {passed} passed"),
        _ => format!("  {passed} passed, {failed} failed"),
    };
    format!("{:<NAME$} {word:<6} {:>7.1} s{tests}", outcome.name, outcome.time.as_secs_f64())
}

/// Prints the table of all steps. The last line is the sum of their tests.
pub(crate) fn summarise(outcomes: &[Outcome], time: Duration, progress: &Progress) {
    let mut sum = Tally::default();
    outcomes.iter().for_each(|outcome| sum.add(outcome.tally));
    let lines: Vec<String> = outcomes.iter().map(line).collect();
    progress.print(&format!("\n{}\n{:<NAME$} {:>14.1} s", lines.join("\n"), "total", time.as_secs_f64()));
    progress.print(&format!("{} passed, {} failed", sum.passed, sum.failed));
}

/// Returns success if every step succeeded.
pub(crate) fn exit_code(outcomes: &[Outcome]) -> ExitCode {
    ExitCode::from(u8::from(outcomes.iter().any(|outcome| outcome.has_failed)))
}
