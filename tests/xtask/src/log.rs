//! Running programs within a step: their output is kept, shown as it comes, and read for test counts.

use std::{
    io::{self, BufRead, BufReader, Read},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::{
    failure::{Doing, Failure},
    progress::Progress,
    tally::Tally,
};

/// How often a terminal line is repainted while a program says nothing.
const REPAINT: Duration = Duration::from_millis(250);

/// What the programs of one step printed, and what their tests came to.
pub(crate) struct Log<'a> {
    progress: &'a Progress,
    /// The step whose log it is.
    name: &'static str,
    text: String,
    tally: Tally,
}

impl<'a> Log<'a> {
    pub(crate) fn new(progress: &'a Progress, name: &'static str) -> Self {
        Self { progress, name, text: String::new(), tally: Tally::default() }
    }

    /// What was logged, and the tests counted.
    pub(crate) fn finish(self) -> (String, Tally) {
        (self.text, self.tally)
    }

    /// Adds a line of our own.
    pub(crate) fn note(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.progress.line(self.name, line);
    }

    /// Runs a program to its end; its output, stdout and stderr in the order they came, is the result.
    pub(crate) fn run(&mut self, command: Command) -> Result<String, Failure> {
        let (output, verdict) = self.finish_program(command)?;
        verdict.map(|()| output)
    }

    /// Runs a program that runs tests, and counts them. None at all, or a skipped one, is a failure.
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
        let mut child =
            command.stdin(Stdio::null()).stdout(writer).stderr(stderr).spawn().doing("running", &shown)?;
        // The command holds our ends of the pipe, without which the reader would never see its end.
        drop(command);
        let output = self.follow(reader);
        let status = child.wait().doing("running", &shown)?;
        let verdict = if status.success() {
            Ok(())
        } else {
            Err(Failure::Program { command: shown, status: status.to_string() })
        };
        Ok((output, verdict))
    }

    fn follow(&mut self, reader: impl Read + Send + 'static) -> String {
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
        let mut last = String::new();
        loop {
            match lines.recv_timeout(REPAINT) {
                Ok(line) => {
                    output.push_str(&line);
                    last = line.trim_end().to_owned();
                    self.progress.line(self.name, &last);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => self.progress.tick(self.name, &last),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        self.text.push_str(&output);
        output
    }
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
