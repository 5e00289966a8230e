//! The progress bar on standard error, if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::environment::Environment;
use crate::input::Source;

/// The templates of the bar: with a known end, and without.
const WITH_END: &str = "{bar:32} {percent:>3} %  {msg}  {eta} left";
const WITHOUT_END: &str = "{spinner} {msg}  {elapsed}";

/// A progress bar, which may be hidden.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
    counts: Unit,
}

/// The unit of the bar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Bytes,
    Records,
}

impl Progress {
    /// Returns a bar for the bytes of a file. For a stream of unknown length, the bar only shows the number of cases.
    pub(super) fn version_of_file(source: &Source, is_hidden: bool, env: &Environment) -> Self {
        let length = match source {
            Source::File(path) => {
                std::fs::metadata(env.path(path)).ok().filter(|it| it.is_file()).map(|it| it.len())
            }
            Source::Stdin => None,
        };
        Self::new(length, Unit::Bytes, is_hidden, env)
    }

    /// Returns a bar for `count` records.
    pub(super) fn of_records(count: u64, is_hidden: bool, env: &Environment) -> Self {
        Self::new(Some(count), Unit::Records, is_hidden, env)
    }

    fn new(length: Option<u64>, counts: Unit, is_hidden: bool, env: &Environment) -> Self {
        let template = if length.is_some() { WITH_END } else { WITHOUT_END };
        let target = match !is_hidden && env.shows_progress {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(length, target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self { bar, counts }
    }

    /// Adds bytes that were read.
    pub(super) fn read(&self, bytes: usize) {
        if self.counts == Unit::Bytes {
            self.bar.inc(bytes as u64);
        }
    }

    /// Sets the number of finished cases.
    pub(super) fn done(&self, cases: u64) {
        if self.counts == Unit::Records {
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
        let records = Progress::of_records(50, true, &Environment::of_process());
        records.read(1000);
        records.done(20);
        records.done(30);
        assert_eq!(seen(&records), (30, Some(50), "30 done".to_owned()));
        let stream = Progress::version_of_file(&Source::Stdin, true, &Environment::of_process());
        stream.read(1000);
        stream.read(500);
        stream.done(3);
        assert_eq!(seen(&stream), (1500, None, "3 done".to_owned()));
    }
}
