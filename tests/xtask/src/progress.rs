//! The screen while steps run: one line a step, kept alive on a terminal, plain everywhere else.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use crate::{step::Outcome, tally::Tally};

/// How wide a line may be before a terminal would wrap it and repainting would leave rubbish behind.
const LINE_WIDTH: usize = 100;
/// How wide the names of steps are printed.
const NAME_WIDTH: usize = 22;

/// Where a run of steps stands, and where that is shown.
pub(crate) struct Progress {
    out: Box<dyn Write>,
    live: bool,
    verbose: bool,
    total: usize,
    done: usize,
    name: &'static str,
    started: Instant,
}

impl Progress {
    /// Shows on stdout, for tasks whose result is what they show.
    pub(crate) fn on_stdout(total: usize, verbose: bool) -> Self {
        Self::new(Box::new(io::stdout()), io::stdout().is_terminal(), total, verbose)
    }

    /// Shows on stderr, for tasks that print data on stdout.
    pub(crate) fn on_stderr(total: usize, verbose: bool) -> Self {
        Self::new(Box::new(io::stderr()), io::stderr().is_terminal(), total, verbose)
    }

    fn new(out: Box<dyn Write>, terminal: bool, total: usize, verbose: bool) -> Self {
        Self { out, live: terminal && !verbose, verbose, total, done: 0, name: "", started: Instant::now() }
    }

    /// A step begins.
    pub(crate) fn begin(&mut self, name: &'static str) {
        (self.name, self.started) = (name, Instant::now());
        let heading = self.heading();
        self.print(&if self.verbose { format!("{heading}\n") } else { heading });
    }

    /// The running step said something.
    pub(crate) fn line(&mut self, line: &str) {
        if self.verbose {
            self.print(&format!("{line}\n"));
        } else {
            self.tick(line);
        }
    }

    /// The running step is still alive; `last` is what it said last.
    pub(crate) fn tick(&mut self, last: &str) {
        if self.live {
            let line = format!("{} {:>7}  {}", self.heading(), seconds(self.started.elapsed()), last.trim());
            let shown: String = line.chars().filter(|c| !c.is_control()).take(LINE_WIDTH).collect();
            self.print(&format!("\r\x1b[2K{shown}"));
        }
    }

    /// The step ended: its verdict, and its whole output if that is of interest.
    pub(crate) fn end(&mut self, outcome: &Outcome, output: &str) {
        if self.live {
            self.print("\r\x1b[2K");
        }
        let heading = if self.live || self.verbose { self.heading() } else { String::new() };
        self.print(&format!("{heading} {}\n", verdict(outcome)));
        self.done += 1;
        if let Some(failure) = &outcome.failure {
            if !self.verbose {
                self.print(output);
            }
            self.print(&format!("{}: {failure}\n", outcome.name));
        }
    }

    /// The table of all steps; the last line is the sum of their tests, where a step that failed without one counts.
    pub(crate) fn summary(&mut self, outcomes: &[Outcome]) {
        let mut sum = Tally::default();
        let mut table = String::from("\n");
        for outcome in outcomes {
            sum.add(outcome.tally);
            table.push_str(&format!("{:<NAME_WIDTH$} {}\n", outcome.name, verdict(outcome)));
        }
        let time = outcomes.iter().map(|outcome| outcome.time).sum();
        self.print(&format!("{table}{:<NAME_WIDTH$} {:>14}\n", "total", seconds(time)));
        self.print(&format!("{} passed, {} failed\n", sum.passed, sum.failed));
    }

    fn heading(&self) -> String {
        format!("[{:>2}/{}] {:<NAME_WIDTH$}", self.done + 1, self.total, self.name)
    }

    /// A screen that went away (a closed pipe) is no reason to stop the work.
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
