//! The cases of a report in an order in which those of two reports pair up.

use alloc::{borrow::Cow, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{
    Error, Steps, order,
    paths::{is_outside, is_plain, normalize},
};

use super::renames::Renames;
use crate::documents::evidence::{Case, CaseStatus};

/// The cost of a case, in steps.
const CASE: usize = 8;

/// A case under the names that it has after the change.
#[derive(Clone, Debug)]
pub(super) struct ComparedCase<'a> {
    pub index: usize,
    pub case: &'a Case<'a>,
    pub id: Cow<'a, str>,
    pub file: Option<Cow<'a, str>>,
    /// A number that equal validators and ids have.
    number: u32,
}

impl ComparedCase<'_> {
    pub(super) fn is_failed(&self) -> bool {
        self.case.status == CaseStatus::Failed
    }

    /// Returns true if the case ran.
    pub(super) fn is_run(&self) -> bool {
        self.case.status != CaseStatus::Skipped
    }

    fn by_key(&self, other: &Self) -> Ordering {
        (self.number.cmp(&other.number))
            .then_with(|| self.id.cmp(&other.id))
            .then_with(|| self.case.validator.cmp(&other.case.validator))
    }
}

/// The path of the file of a case, in normal form. A path outside of the workspace stays as it is.
pub(super) fn file_of<'a>(case: &Case<'a>) -> Option<Cow<'a, str>> {
    let file = case.file.filter(|file| !file.is_empty())?;
    Some(if is_plain(file) || is_outside(file) { Cow::Borrowed(file) } else { normalize(file) })
}

/// The cases in an order in which those of one validator and id are adjacent, by file, then in document order.
pub(super) fn sorted<'a>(
    cases: &'a [Case<'a>],
    renames: Option<&Renames<'_>>,
    steps: &mut Steps,
) -> Result<Vec<ComparedCase<'a>>, Error> {
    let mut compared = Vec::with_capacity(cases.len());
    // The cases of a file are mostly adjacent.
    let (mut written, mut file) = (None, None);
    for (index, case) in cases.iter().enumerate() {
        steps.spend(CASE)?;
        if case.file != written {
            written = case.file;
            file = file_of(case).map(|file| match renames {
                Some(renames) => renames.of_file(file),
                None => file,
            });
        }
        let id = match renames {
            Some(renames) => renames.in_id(case.id, steps)?,
            None => Cow::Borrowed(case.id),
        };
        let number = number_of(case.validator, &id);
        compared.push(ComparedCase { index, case, id, file: file.clone(), number });
    }
    let compare = |left: &ComparedCase<'_>, right: &ComparedCase<'_>| {
        left.by_key(right).then_with(|| left.file.cmp(&right.file)).then_with(|| left.index.cmp(&right.index))
    };
    order::sort_by_u32(&mut compared, |case| case.number, compare);
    Ok(compared)
}

/// A number of a validator and an id, by which cases are sorted faster than by their texts: a hash of eight bytes at a time.
fn number_of(validator: Option<&str>, id: &str) -> u32 {
    let add = |hash: u64, word: [u8; 8]| {
        (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95)
    };
    let hash = [validator.unwrap_or_default(), id].into_iter().fold(0, |hash, text| {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        let mut last = [rest.len() as u8; 8];
        last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        add(words.iter().fold(hash, |hash, word| add(hash, *word)), last)
    });
    (hash >> 32) as u32
}

/// Calls `pair` for the cases of each validator and id of the baseline, with those of the report.
pub(super) fn in_pairs<'c, 'a>(
    before: &'c [ComparedCase<'a>],
    now: &'c [ComparedCase<'a>],
    mut pair: impl FnMut(&'c [ComparedCase<'a>], &'c [ComparedCase<'a>]),
) {
    let mut rest = now;
    for group in before.chunk_by(|left, right| left.by_key(right).is_eq()) {
        let Some(first) = group.first() else { continue };
        let start = rest.iter().take_while(|case| case.by_key(first).is_lt()).count();
        let from = rest.get(start..).unwrap_or_default();
        let end = from.iter().take_while(|case| case.by_key(first).is_eq()).count();
        let (same, after) = from.split_at_checked(end).unwrap_or_default();
        pair(group, same);
        rest = after;
    }
}

/// Pairs the cases of two lists that have the same file, or with `also_without` no file. Returns those that are left of each, in
/// their order. Both are sorted by file.
pub(super) fn without_same_file<'c, 'a>(
    left: impl Iterator<Item = &'c ComparedCase<'a>>,
    right: impl Iterator<Item = &'c ComparedCase<'a>>,
    also_without: bool,
) -> (Vec<&'c ComparedCase<'a>>, Vec<&'c ComparedCase<'a>>) {
    let (mut left, mut right) = (left.peekable(), right.peekable());
    let (mut left_over, mut right_over) = (Vec::new(), Vec::new());
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match one.file.cmp(&other.file) {
            Ordering::Equal if also_without || one.file.is_some() => {
                left.next();
                right.next();
            }
            Ordering::Less | Ordering::Equal => left_over.extend(left.next()),
            Ordering::Greater => right_over.extend(right.next()),
        }
    }
    left_over.extend(left);
    right_over.extend(right);
    (left_over, right_over)
}
