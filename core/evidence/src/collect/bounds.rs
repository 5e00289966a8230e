//! The limits of an envelope's parts, so that the whole stays below the 8 MiB of a document.
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
