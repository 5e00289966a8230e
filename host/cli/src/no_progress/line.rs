//! In a WebAssembly module, which has no threads: no progress is shown.

use adjudicate_collect::Progress;

use crate::environment::Environment;

/// A line with the validator that runs. There is none.
pub(super) struct ProgressLine;

impl ProgressLine {
    pub(super) const fn new(_: bool, _: &Environment) -> Self {
        Self
    }

    pub(super) fn show(&self, _: Progress) {}
}
