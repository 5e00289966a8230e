//! How far it is: a line on standard error, if that is a terminal.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::input::Source;

/// What is drawn where the end is known, and where it is not.
const WITH_END: &str = "{bar:32} {percent:>3} %  {msg}  {eta} left";
const WITHOUT_END: &str = "{spinner} {msg}  {elapsed}";

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
        Self::new(length, Counts::Bytes, is_hidden)
    }

    /// Of so many records.
    pub(super) fn of_records(count: u64, is_hidden: bool) -> Self {
        Self::new(Some(count), Counts::Records, is_hidden)
    }

    fn new(length: Option<u64>, counts: Counts, is_hidden: bool) -> Self {
        let template = if length.is_some() { WITH_END } else { WITHOUT_END };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        for template in [WITH_END, WITHOUT_END] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
        let seen =
            |progress: &Progress| (progress.bar.position(), progress.bar.length(), progress.bar.message());
        let records = Progress::of_records(50, true);
        records.read(1000);
        records.done(20);
        records.done(30);
        assert_eq!(seen(&records), (30, Some(50), "30 done".to_owned()));
        let stream = Progress::of_file(&Source::Stdin, true);
        stream.read(1000);
        stream.read(500);
        stream.done(3);
        assert_eq!(seen(&stream), (1500, None, "3 done".to_owned()));
    }
}
