//! The log of a step: runs programs, keeps and shows their output, and counts their tests.

use std::{
    io::{self, BufRead, BufReader, Read},
    os::unix::process::CommandExt as _,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use crate::{
    failure::{Doing, Failure},
    progress::Progress,
    tally::Tally,
};

/// The time between two repaints of a terminal line while a program prints nothing.
const REPAINT: Duration = Duration::from_millis(250);

/// The output of the programs of one step, and the counts of their tests.
pub(crate) struct Log<'a> {
    progress: &'a Progress,
    /// The name of the step.
    name: &'static str,
    text: String,
    tally: Tally,
    /// The longest time for which a program may print nothing.
    silence: Option<Duration>,
}

impl<'a> Log<'a> {
    pub(crate) fn new(progress: &'a Progress, name: &'static str) -> Self {
        Self { progress, name, text: String::new(), tally: Tally::default(), silence: None }
    }

    /// Stops each program that prints nothing for this long, so that a test that hangs is named instead of ending the whole run.
    pub(crate) fn stop_silent(self, after: Duration) -> Self {
        Self { silence: Some(after), ..self }
    }

    /// Returns the output, and the counts of the tests.
    pub(crate) fn finish(self) -> (String, Tally) {
        (self.text, self.tally)
    }

    /// Adds a line of this program.
    pub(crate) fn note(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.progress.line(self.name, line);
    }

    /// Runs a program to its end. Returns stdout and stderr in the order in which they came.
    pub(crate) fn run(&mut self, command: Command) -> Result<String, Failure> {
        let (output, verdict) = self.finish_program(command)?;
        verdict.map(|()| output)
    }

    /// Runs a program that runs tests, and counts them. No test at all, or a skipped one, is a failure.
    pub(crate) fn run_tests(&mut self, command: Command) -> Result<(), Failure> {
        let shown = shown(&command);
        let (output, verdict) = self.finish_program(command)?;
        let tally = Tally::read(&output);
        self.tally.add(tally);
        verdict?;
        match tally {
            Tally { skipped: 1.., .. } => Err(Failure::Skipped { command: shown, count: tally.skipped }),
            Tally { failed: 1.., .. } => {
                Err(Failure::Broken(format!("`{shown}` failed tests and yet ended well")))
            }
            _ if tally.total() == 0 => Err(Failure::NoTests { command: shown }),
            _ => Ok(()),
        }
    }

    fn finish_program(&mut self, mut command: Command) -> Result<(String, Result<(), Failure>), Failure> {
        let shown = shown(&command);
        self.note(&format!("$ {shown}"));
        let (reader, writer) = io::pipe().doing("running", &shown)?;
        let stderr = writer.try_clone().doing("running", &shown)?;
        if self.silence.is_some() {
            // A group of its own, so that the programs that it started stop with it.
            command.process_group(0);
        }
        let mut child =
            command.stdin(Stdio::null()).stdout(writer).stderr(stderr).spawn().doing("running", &shown)?;
        // The command holds our ends of the pipe. While they are open, the reader waits.
        drop(command);
        let (output, end) = self.follow(reader);
        if let End::Silent(after) = end {
            // `kill` is a program on few machines, but every shell has it.
            let kill = format!("kill -s KILL -- -{}", child.id());
            Command::new("sh").args(["-c", &kill]).status().doing("stopping", &shown)?;
            child.wait().doing("stopping", &shown)?;
            return Ok((output, Err(Failure::Silent { command: shown, seconds: after.as_secs() })));
        }
        let status = child.wait().doing("running", &shown)?;
        let verdict = if status.success() {
            Ok(())
        } else {
            Err(Failure::Program { command: shown, status: status.to_string() })
        };
        Ok((output, verdict))
    }

    fn follow(&mut self, reader: impl Read + Send + 'static) -> (String, End) {
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let mut output = String::new();
        let (mut last, mut spoke) = (String::new(), Instant::now());
        let end = loop {
            match lines.recv_timeout(REPAINT) {
                Ok(line) => {
                    output.push_str(&line);
                    (last, spoke) = (line.trim_end().to_owned(), Instant::now());
                    self.progress.line(self.name, &last);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => self.progress.tick(self.name, &last),
                Err(mpsc::RecvTimeoutError::Disconnected) => break End::Closed,
            }
            if let Some(silence) = self.silence.filter(|silence| spoke.elapsed() > *silence) {
                break End::Silent(silence);
            }
        };
        self.text.push_str(&output);
        (output, end)
    }
}

/// The reason why a program is followed no longer.
enum End {
    /// It closed its output.
    Closed,
    /// It printed nothing for this long.
    Silent(Duration),
}

/// The command as you would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_program_is_stopped_with_the_programs_that_it_started() {
        let progress = Progress::on_stderr(false);
        let mut log = Log::new(&progress, "test").stop_silent(Duration::from_millis(300));
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo begins; sleep 600 & wait"]);
        let begun = Instant::now();
        let failure = log.run(shell).expect_err("it is stopped");
        assert!(matches!(failure, Failure::Silent { .. }), "{failure}");
        assert!(begun.elapsed() < Duration::from_secs(300), "the shell's own program was not waited for");
        assert!(log.finish().0.contains("begins"));
    }
}
