//! How far it is: a line on standard error, if that is a terminal.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::input::Source;

/// A line that is drawn anew now and then, or nothing.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    counts: Counts,
}

/// What the bar is long of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Bytes,
    Records,
}

impl Progress {
    /// Of a file as far as it is read; of a stream, whose end nobody knows, how much of it was.
    pub(super) fn of_file(source: &Source, is_hidden: bool) -> Self {
        let length = match source {
            Source::File(path) => std::fs::metadata(path).ok().filter(|it| it.is_file()).map(|it| it.len()),
            Source::Stdin => None,
        };
        let template = match length {
            Some(_) => "{bar:32} {percent:>3} %  {msg}  {eta} left",
            None => "{spinner} {msg}  {elapsed}",
        };
        Self::new(length, template, Counts::Bytes, is_hidden)
    }

    /// Of so many records.
    pub(super) fn of_records(count: u64, is_hidden: bool) -> Self {
        let template = "{bar:32} {percent:>3} %  {msg}  {eta} left";
        Self::new(Some(count), template, Counts::Records, is_hidden)
    }

    fn new(length: Option<u64>, template: &str, counts: Counts, is_hidden: bool) -> Self {
        let target = match !is_hidden && io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(length, target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self { bar, counts }
    }

    /// So many more bytes were read.
    pub(super) fn read(&self, bytes: usize) {
        if self.counts == Counts::Bytes {
            self.bar.inc(bytes as u64);
        }
    }

    /// So many cases were done.
    pub(super) fn done(&self, cases: u64) {
        if self.counts == Counts::Records {
            self.bar.set_position(cases);
        }
        self.bar.set_message(format!("{cases} done"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
