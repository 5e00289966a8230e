//! Known failures: failed cases that failed on the base revision, too.

use alloc::vec::Vec;

use super::cases::{ComparedCase, without_same_file};

/// Adds the indices of the failed cases of one validator and id, if they are known. Each stands for one failure of the baseline, of the
/// same file where both name one. If one does not, it is unknown which of them is new, and none is known.
pub(super) fn add<'a>(before: &[ComparedCase<'a>], now: &[ComparedCase<'a>], known: &mut Vec<usize>) {
    let failed = || now.iter().filter(|case| case.is_failed());
    let (new, free) = without_same_file(failed(), before.iter().filter(|case| case.is_failed()), false);
    let with_file = |cases: &[&ComparedCase<'a>]| cases.iter().filter(|case| case.file.is_some()).count();
    let (new_with_file, free_with_file) = (with_file(&new), with_file(&free));
    // A case without a file can also stand for a failure that has one.
    if new.len() <= free.len() && new_with_file + free_with_file <= free.len() {
        known.extend(failed().map(|case| case.index));
    }
}
