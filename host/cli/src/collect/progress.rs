//! The progress on standard error, if that is a terminal.

use std::time::Duration;

use adjudicate_collect::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::environment::Environment;

/// The template of the line.
const TEMPLATE: &str = "{bar:32} {pos}/{len}  {msg}  {elapsed}";

/// A line with the validator that runs, which may be hidden.
pub(super) struct ProgressLine(ProgressBar);

impl ProgressLine {
    pub(super) fn new(is_hidden: bool, env: &Environment) -> Self {
        let target = match !is_hidden && env.shows_progress {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self(bar)
    }

    pub(super) fn show(&self, progress: Progress) {
        match progress {
            Progress::Started(id, index, count) => {
                self.0.set_length(count as u64);
                self.0.set_position(index as u64);
                self.0.set_message(id.to_owned());
                self.0.enable_steady_tick(Duration::from_millis(250));
            }
            Progress::Ended(..) => self.0.inc(1),
            _ => {}
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_the_validator_and_its_number() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
        let line = ProgressLine::new(true, &Environment::of_process());
        line.show(Progress::Started("lint".into(), 1, 3));
        assert_eq!((line.0.position(), line.0.length(), line.0.message()), (1, Some(3), "lint".to_owned()));
        line.show(Progress::Ended("lint".into(), true));
        assert_eq!(line.0.position(), 2);
    }
}
