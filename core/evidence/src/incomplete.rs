//! The reasons why a report cannot be complete.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Display;

use crate::{limits::MAX_REASONS, text::one_line};

/// A list of reasons. The first [`MAX_REASONS`] are kept, the others are counted.
#[derive(Debug, Default)]
pub(crate) struct IncompleteReasons {
    kept: Vec<String>,
    more: usize,
}

impl IncompleteReasons {
    /// Adds a reason, unless the list already has it.
    pub(crate) fn add(&mut self, reason: impl Display) {
        if self.kept.len() >= MAX_REASONS {
            self.more += 1;
            return;
        }
        let reason = one_line(&format!("{reason}"));
        if !self.kept.contains(&reason) {
            self.kept.push(reason);
        }
    }

    /// Adds a reason if the report claims more than it lists.
    pub(crate) fn compare(&mut self, scope: &str, noun: &str, claimed: u64, listed: u64) {
        if claimed > listed {
            self.add(format!("{scope} counts more {noun} ({claimed}) than it lists ({listed})"));
        }
    }

    /// Returns the reasons as one text, or `None` if there are none.
    pub(crate) fn into_text(self) -> Option<String> {
        let mut text = self.kept.join("; ");
        if self.more > 0 {
            text.push_str(&format!("; and {} more", self.more));
        }
        (!text.is_empty()).then_some(text)
    }
}
