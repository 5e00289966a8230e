//! The log of a step: runs scripts, keeps and shows their output, and counts their tests.

use std::{
    io::{self, BufRead, BufReader, Write},
    os::unix::process::CommandExt as _,
    process::Command,
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use crate::{Failure, tally::Tally};

/// The stream that shows the progress of a run. Steps that run at the same time share it.
pub(crate) struct Progress {
    out: Mutex<Box<dyn Write + Send>>,
    verbose: bool,
}

impl Progress {
    /// Shows the steps and, if `verbose`, every line of their output.
    pub(crate) fn new(out: impl Write + Send + 'static, verbose: bool) -> Self {
        Self { out: Mutex::new(Box::new(out)), verbose }
    }

    /// Prints lines. A closed pipe does not stop the work.
    pub(crate) fn print(&self, lines: &str) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(out, "{lines}").and_then(|()| out.flush());
    }
}

/// The output of the scripts of one step, and the counts of their tests.
pub(crate) struct Log<'a> {
    progress: &'a Progress,
    /// The name of the step.
    name: &'static str,
    /// The longest time for which a script may print nothing.
    silence: Option<Duration>,
    text: String,
    pub(crate) tally: Tally,
}

impl<'a> Log<'a> {
    pub(crate) fn new(progress: &'a Progress, name: &'static str, silence: Option<Duration>) -> Self {
        Self { progress, name, silence, text: String::new(), tally: Tally::default() }
    }

    /// Returns the output, unless it was printed already.
    pub(crate) fn unseen(&self) -> &str {
        if self.progress.verbose { "" } else { &self.text }
    }

    /// Adds a line.
    pub(crate) fn note(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        if self.progress.verbose {
            self.progress.print(&format!("{}: {line}", self.name));
        }
    }

    /// Runs a script that runs tests, and counts them. No test at all, or a skipped one, is a failure.
    pub(crate) fn run_tests(&mut self, command: Command, shown: &str) -> Result<(), Failure> {
        let begin = self.text.len();
        let ended = self.run(command, shown);
        let tally = Tally::read(self.text.get(begin..).unwrap_or_default());
        self.tally.add(tally);
        ended?;
        match tally {
            Tally { skipped: 1.., .. } => Err(format!("`{shown}` skipped {} tests", tally.skipped).into()),
            Tally { failed: 1.., .. } => Err(format!("`{shown}` failed tests and yet ended well").into()),
            Tally { passed: 0, .. } => Err(format!("`{shown}` ran no test").into()),
            _ => Ok(()),
        }
    }

    /// Runs a script to its end, and keeps stdout and stderr in the order in which they came. A script that prints nothing
    /// for too long is stopped, so that a test that hangs is named instead of ending the whole run.
    pub(crate) fn run(&mut self, mut command: Command, shown: &str) -> Result<(), Failure> {
        self.note(&format!("$ {shown}"));
        let (reader, writer) = io::pipe()?;
        if self.silence.is_some() {
            // A group of its own, so that the programs that it started stop with it.
            command.process_group(0);
        }
        let mut child = command.stdout(writer.try_clone()?).stderr(writer).spawn()?;
        // The command holds our ends of the pipe. While they are open, the reader waits.
        drop(command);
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(reader).split(b'\n').map_while(Result::ok);
            lines
                .map(|line| sender.send(String::from_utf8_lossy(&line).into_owned()))
                .all(|sent| sent.is_ok())
        });
        let silence = self.silence.unwrap_or(Duration::MAX);
        loop {
            match lines.recv_timeout(silence) {
                Ok(line) => self.note(&line),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    // `kill` is a program on few machines, but every shell has it.
                    let kill = format!("kill -s KILL -- -{}", child.id());
                    Command::new("bash").args(["-c", &kill]).status()?;
                    child.wait()?;
                    let seconds = silence.as_secs();
                    return Err(
                        format!("`{shown}` printed nothing for {seconds} s, so it was stopped").into()
                    );
                }
            }
        }
        let status = child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("`{shown}` failed with {status}").into()) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Runs a script as a step that runs tests. Returns the reason of its failure, its tests and its output.
    fn run(script: &str) -> (String, Tally, String) {
        let progress = Progress::new(io::sink(), false);
        let mut log = Log::new(&progress, "test", Some(Duration::from_millis(300)));
        let mut bash = Command::new("bash");
        bash.args(["-c", script]);
        let failure = log.run_tests(bash, script).err();
        (failure.map(|failure| failure.to_string()).unwrap_or_default(), log.tally, log.unseen().to_owned())
    }

    #[test]
    fn a_silent_program_is_stopped_with_the_programs_that_it_started() {
        let begun = Instant::now();
        let (failure, _, output) = run("echo begins; sleep 600 & wait");
        assert!(failure.contains("printed nothing"), "{failure}");
        assert!(begun.elapsed() < Duration::from_secs(300), "the shell's own program was not waited for");
        assert!(output.contains("begins"));
    }

    #[test]
    fn failed_skipped_and_missing_tests_fail_a_step() {
        assert_eq!(run("echo 3 passed, 0 failed").0, "");
        let (failure, tally, output) = run("echo 3 passed, 2 failed; echo why >&2; exit 7");
        assert!(failure.ends_with("failed with exit status: 7"), "{failure}");
        assert_eq!((tally.passed, tally.failed), (3, 2));
        assert!(output.ends_with("why\n"), "{output}");
        assert!(run("echo 3 passed, 2 failed").0.ends_with("failed tests and yet ended well"));
        assert!(run("echo '# pass 1'; echo '# skipped 1'").0.ends_with("skipped 1 tests"));
        assert!(run("true").0.ends_with("ran no test"));
    }
}
