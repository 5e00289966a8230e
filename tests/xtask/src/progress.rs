//! The display of running steps: one line a step, repainted on a terminal, printed once everywhere else.

use std::{
    io::{self, IsTerminal, Write},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{outcome::Outcome, tally::Tally};

/// The most characters of a line. A terminal wraps longer lines, and repainting would leave parts of them behind.
const LINE_WIDTH: usize = 100;
/// The width of the column of step names.
const NAME_WIDTH: usize = 22;

/// The progress of a run of steps, and the stream that shows it. Steps that run at the same time share it.
pub(crate) struct Progress {
    live: bool,
    verbose: bool,
    state: Mutex<State>,
}

struct State {
    out: Box<dyn Write + Send>,
    total: usize,
    done: usize,
    /// The running steps with their start, the longest-running first.
    running: Vec<(&'static str, Instant)>,
}

impl Progress {
    /// Shows on stdout, for tasks whose result is what they show.
    pub(crate) fn on_stdout(verbose: bool) -> Self {
        Self::new(Box::new(io::stdout()), io::stdout().is_terminal(), verbose)
    }

    /// Shows on stderr, for tasks that print data on stdout.
    pub(crate) fn on_stderr(verbose: bool) -> Self {
        Self::new(Box::new(io::stderr()), io::stderr().is_terminal(), verbose)
    }

    fn new(out: Box<dyn Write + Send>, terminal: bool, verbose: bool) -> Self {
        let state = Mutex::new(State { out, total: 0, done: 0, running: Vec::new() });
        Self { live: terminal && !verbose, verbose, state }
    }

    /// Sets the number of steps that will run.
    pub(crate) fn expect(&self, steps: usize) {
        self.state().total += steps;
    }

    /// Reports the start of a step.
    pub(crate) fn begin(&self, name: &'static str) {
        let mut state = self.state();
        state.running.push((name, Instant::now()));
        if !self.live {
            state.print(&format!("        {name:<NAME_WIDTH$} begins\n"));
        }
    }

    /// Reports a line that a running step printed.
    pub(crate) fn line(&self, name: &str, line: &str) {
        if self.verbose {
            self.state().print(&format!("{name}: {line}\n"));
        } else {
            self.tick(name, line);
        }
    }

    /// Repaints the line of a running step; `last` is its last line.
    pub(crate) fn tick(&self, name: &str, last: &str) {
        if self.live {
            let mut state = self.state();
            let Some((_, since)) = state.running.iter().find(|(running, _)| *running == name) else { return };
            let line =
                format!("{} {:>7}  {}", Self::heading(&state, name), seconds(since.elapsed()), last.trim());
            let shown: String = line.chars().filter(|c| !c.is_control()).take(LINE_WIDTH).collect();
            state.print(&format!("\r\x1b[2K{shown}"));
        }
    }

    /// Reports the end of a step: its verdict, and its output if the step failed or the progress is verbose.
    pub(crate) fn end(&self, outcome: &Outcome, output: &str) {
        let mut state = self.state();
        let clear = if self.live { "\r\x1b[2K" } else { "" };
        let heading = Self::heading(&state, outcome.name);
        state.print(&format!("{clear}{heading} {}\n", verdict(outcome)));
        state.running.retain(|(name, _)| *name != outcome.name);
        state.done += 1;
        if let Some(failure) = &outcome.failure {
            if !self.verbose {
                state.print(output);
            }
            state.print(&format!("{}: {failure}\n", outcome.name));
        }
    }

    /// Prints the table of all steps. The last line is the sum of their tests; a step that failed without a count is
    /// one.
    pub(crate) fn summary(&self, outcomes: &[Outcome], time: Duration) {
        let mut sum = Tally::default();
        let mut table = String::from("\n");
        for outcome in outcomes {
            sum.add(outcome.tally);
            table.push_str(&format!("{:<NAME_WIDTH$} {}\n", outcome.name, verdict(outcome)));
        }
        let mut state = self.state();
        state.print(&format!("{table}{:<NAME_WIDTH$} {:>14}\n", "total", seconds(time)));
        state.print(&format!("{} passed, {} failed\n", sum.passed, sum.failed));
    }

    fn heading(state: &State, name: &str) -> String {
        format!("[{:>2}/{}] {name:<NAME_WIDTH$}", state.done + 1, state.total)
    }

    /// Returns the state, which is usable even after a step panicked while it printed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A closed pipe does not stop the work.
    fn print(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
    }
}

fn verdict(outcome: &Outcome) -> String {
    let Tally { passed, failed, .. } = outcome.tally;
    let word = if outcome.failure.is_some() { "FAILED" } else { "ok" };
    let tests = match (passed, failed) {
        (0, 0) => String::new(),
        (_, 0) => format!("  {passed} passed"),
        _ => format!("  {passed} passed, {failed} failed"),
    };
    format!("{word:<6} {:>7}{tests}", seconds(outcome.time))
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
