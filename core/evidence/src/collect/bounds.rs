//! The limits of an envelope's parts, so that the whole stays below the 8 MiB of a document, and the list of evidence beyond them.
//!
//! | part | limit | beyond it |
//! | --- | --- | --- |
//! | cases | 10,000 and 2 MiB | passed and skipped cases are counted in `x-collect`; others are uncollected |
//! | cases of the baseline | 10,000 and 2 MiB | none of them are listed |
//! | issues of the review | 10,000 and 512 KiB | uncollected |
//! | typed diff | 1.5 MiB | an opaque diff, and uncollected |
//! | coverage | 512 KiB | uncollected |
//! | artifacts | 512 KiB | uncollected |
//! | transcript summary | 64 KiB | uncollected |
//! | items of `uncollected` | 200, texts of 500 characters | the last item counts the others |
//!
//! External evidence has only the limit of a document, so it can make an envelope too large. Then there is no decision.

use alloc::{format, string::String, vec::Vec};

use adjudicate_core::{document::Extra, owned::Uncollected};

use crate::text::{bounded, one_line};

pub(super) const MAX_ITEMS: usize = 10_000;
pub(super) const MAX_CASE_BYTES: usize = 2 << 20;
pub(super) const MAX_ISSUE_BYTES: usize = 512 << 10;
pub(super) const MAX_DIFF_BYTES: usize = 3 << 19;
pub(super) const MAX_COVERAGE_BYTES: usize = 512 << 10;
pub(super) const MAX_ARTIFACT_BYTES: usize = 512 << 10;
pub(super) const MAX_CLAIMS_BYTES: usize = 64 << 10;
pub(super) const MAX_UNCOLLECTED: usize = 200;
pub(super) const MAX_REASON_CHARACTERS: usize = 500;

/// A budget of items and of bytes as JSON.
pub(super) struct Budget {
    items: usize,
    bytes: usize,
}

impl Budget {
    pub(super) const fn new(items: usize, bytes: usize) -> Self {
        Self { items, bytes }
    }

    /// Takes the size of an item from the budget. Returns false if the budget is too small.
    pub(super) fn take(&mut self, bytes: usize) -> bool {
        // A comma joins two items.
        let rest = self.items.checked_sub(1).zip(self.bytes.checked_sub(bytes.saturating_add(1)));
        if let Some((items, bytes)) = rest {
            *self = Self { items, bytes };
        }
        rest.is_some()
    }
}

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
