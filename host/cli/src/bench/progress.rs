//! The progress on standard error, if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::environment::Environment;

/// The template of the bar.
const TEMPLATE: &str = "{bar:32} {pos}/{len}  {msg}";

/// A bar with the case that is measured, which may be hidden.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub(super) fn new(cases: usize, is_hidden: bool, env: &Environment) -> Self {
        let target = match !is_hidden && env.shows_progress {
            true => ProgressDrawTarget::stderr_with_hz(10),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(cases as u64), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("━╸─"));
        }
        Self(bar)
    }

    /// Shows the next case.
    pub(super) fn begin(&self, name: &str) {
        if !self.0.message().is_empty() {
            self.0.inc(1);
        }
        self.0.set_message(adjudicate_trust::visible(name));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_has_the_case_and_the_number_of_finished_ones() {
        assert!(ProgressStyle::with_template(TEMPLATE).is_ok());
        let bar = Bar::new(2, true, &Environment::of_process());
        bar.begin("small\u{1b}");
        bar.begin("large");
        assert_eq!((bar.0.position(), bar.0.length(), bar.0.message()), (1, Some(2), "large".to_owned()));
    }
}
