//! Lost cases: those that ran on the base revision, and do not run now.

use alloc::{borrow::Cow, vec::Vec};

use adjudicate_lang::order;

use super::cases::{ComparedCase, without_same_file};
use crate::documents::evidence::Case;

/// A case of the baseline that does not run now.
#[derive(Clone, Debug)]
pub(super) struct LostCase<'c, 'a> {
    /// The index in the baseline.
    pub index: usize,
    pub case: &'a Case<'a>,
    /// The id and the file after the change.
    pub id: &'c Cow<'a, str>,
    pub file: Option<&'c Cow<'a, str>>,
    /// True if a case of this id is skipped now.
    pub is_skipped: bool,
    /// True if no case of this id is skipped now.
    pub is_absent: bool,
}

impl<'a> LostCase<'_, 'a> {
    /// The index in the baseline, and the id after the change.
    pub(super) fn named(&self) -> (usize, Cow<'a, str>) {
        (self.index, self.id.clone())
    }
}

/// Adds the lost cases of one validator and id. Each case that runs now stands for one of the baseline.
pub(super) fn add<'c, 'a>(
    before: &'c [ComparedCase<'a>],
    now: &'c [ComparedCase<'a>],
    lost: &mut Vec<LostCase<'c, 'a>>,
) {
    let ran = before.iter().filter(|case| case.is_run());
    let (mut left, others) = without_same_file(ran, now.iter().filter(|case| case.is_run()), true);
    order::sort_by(&mut left, |left, right| left.index.cmp(&right.index));
    let skipped = now.iter().filter(|case| !case.is_run()).count();
    lost.extend(left.into_iter().skip(others.len()).enumerate().map(|(place, gone)| LostCase {
        index: gone.index,
        case: gone.case,
        id: &gone.id,
        file: gone.file.as_ref(),
        is_skipped: place < skipped,
        is_absent: skipped == 0,
    }));
}
