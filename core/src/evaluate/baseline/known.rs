//! Known failures: failed cases that failed on the base revision, too.

use alloc::vec::Vec;

use super::cases::{ComparedCase, without_same_file};

/// Adds the indices of the known failures among the cases of one validator and id. Each stands for one failure of the baseline, of
/// the same file where both name one. If the baseline has fewer failures, it is not known which of them is new, and none is known.
pub(super) fn add<'a>(before: &[ComparedCase<'a>], now: &[ComparedCase<'a>], known: &mut Vec<usize>) {
    let failed = || now.iter().filter(|case| case.is_failed());
    let failed_before = || before.iter().filter(|case| case.is_failed());
    if failed().count() > failed_before().count() {
        return;
    }
    let (new, free) = without_same_file(failed(), failed_before());
    let (with_file, without_file): (Vec<&ComparedCase<'_>>, Vec<_>) =
        new.into_iter().partition(|case| case.file.is_some());
    let free_with_file = free.iter().filter(|case| case.file.is_some()).count();
    let free_without_file = free.len() - free_with_file;
    // A case without a file takes a failure that has one first, because no other file fits that.
    let others = without_file.len().saturating_sub(free_with_file);
    let is_with_file_new = free_without_file == 0;
    if !is_with_file_new && with_file.len() + others > free_without_file || is_with_file_new && others > 0 {
        return;
    }
    // Both are in one order.
    let mut new = with_file.into_iter().filter(|_| is_with_file_new).peekable();
    known.extend(
        failed().map(|case| case.index).filter(|index| new.next_if(|new| new.index == *index).is_none()),
    );
}
