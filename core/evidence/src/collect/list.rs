//! The list of evidence that could not be collected.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::{document::Extra, owned::Uncollected};

use super::bounds::{MAX_REASON_CHARACTERS, MAX_UNCOLLECTED};
use crate::text::{bounded, one_line};

/// The evidence that could not be collected, each item once. Items beyond [`MAX_UNCOLLECTED`] are counted.
#[derive(Default)]
pub(super) struct UncollectedList {
    items: Vec<Uncollected>,
    more: usize,
}

impl UncollectedList {
    /// Adds an item.
    pub(super) fn add(&mut self, what: &str, reason: &str) {
        let item = item(what, reason);
        if self.items.contains(&item) {
            return;
        }
        match self.items.len() < MAX_UNCOLLECTED {
            true => self.items.push(item),
            false => self.more += 1,
        }
    }

    /// Returns the items, or `None` if everything was collected.
    pub(super) fn into_items(mut self) -> Option<Vec<Uncollected>> {
        if self.more > 0 {
            let reason = format!("{} more items could not be collected", self.more);
            self.items.push(item("other evidence", &reason));
        }
        (!self.items.is_empty()).then_some(self.items)
    }
}

fn item(what: &str, reason: &str) -> Uncollected {
    Uncollected { what: line(what), reason: line(reason), extra: Extra::new() }
}

/// Returns a text as one short line that is not blank.
fn line(text: &str) -> String {
    match one_line(text).trim() {
        "" => "unknown".into(),
        line => bounded(line, MAX_REASON_CHARACTERS),
    }
}
