//! The progress bar on standard error, if that is a terminal.

use std::io::Read;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::environment::Environment;
use crate::input::Source;

/// The templates of the bar: with a known end, and without.
const WITH_END: &str = "{bar:32} {percent:>3} %  {msg}  {eta} left";
const WITHOUT_END: &str = "{spinner} {msg}  {elapsed}";

/// A progress bar, which may be hidden. It counts the bytes of a file, or records.
pub(crate) struct Progress {
    bar: ProgressBar,
    counts_records: bool,
}

impl Progress {
    /// Returns a bar for the bytes of a file. For a stream of unknown length, the bar only shows the number of cases.
    pub(crate) fn of_file(source: &Source, is_hidden: bool, env: &Environment) -> Self {
        let length = match source {
            Source::File(path) => {
                std::fs::metadata(env.path(path)).ok().filter(|it| it.is_file()).map(|it| it.len())
            }
            Source::Stdin => None,
        };
        Self { bar: bar(length, is_hidden, env), counts_records: false }
    }

    /// Returns a bar for `count` records.
    pub(crate) fn of_records(count: u64, is_hidden: bool, env: &Environment) -> Self {
        Self { bar: bar(Some(count), is_hidden, env), counts_records: true }
    }

    /// Returns a stream whose bytes are counted.
    pub(crate) fn counted<R: Read>(&self, stream: R) -> impl Read + use<R> {
        self.bar.wrap_read(stream)
    }

    /// Sets the number of finished cases.
    pub(crate) fn done(&self, cases: u64) {
        if self.counts_records {
            self.bar.set_position(cases);
        }
        self.bar.set_message(format!("{cases} done"));
    }
}

fn bar(length: Option<u64>, is_hidden: bool, env: &Environment) -> ProgressBar {
    let template = if length.is_some() { WITH_END } else { WITHOUT_END };
    let target = match !is_hidden && env.shows_progress {
        true => ProgressDrawTarget::stderr_with_hz(10),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(length, target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━╸─"));
    }
    bar
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
    }
}
