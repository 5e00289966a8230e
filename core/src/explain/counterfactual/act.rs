//! Acts: single facts that another run could truthfully report.

use alloc::{format, string::String};

use adjudicate_lang::{json::OwnedValue, order::SortedSet};

use crate::documents::evidence::{Claim, Intent};

/// A statement of changed evidence. The order is the order of changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Act {
    /// The step ran to its end.
    Complete,
    /// A validator exits 0.
    Pass(String),
    /// A validator did not time out.
    InTime(String),
    /// A case of the harness passed, by index.
    PassCase(usize),
    /// A new case of the harness passed, by index among the new ones.
    AddCase(usize),
    /// A case of the baseline passed, by its index there, with the id that it has now.
    RestoreCase(usize, String),
    /// The counts of the harness agree with its cases, of which none failed, except known ones.
    Count,
    /// A harness report exists, with a passed case.
    Report,
    /// A remark on the user's experience is absent, by index.
    DropRemark(usize),
    /// An artifact exists.
    Artifact(String),
    /// The intent is stated.
    Intent(Intent),
    /// The list of claims is stated, even if it is empty.
    SayClaims,
    /// A claim is made.
    Claim(Claim),
    /// A claim is not made.
    Withdraw(Claim),
    /// The workspace has another diff.
    Diff(DiffAct),
    /// A review issue is absent, by index.
    Resolve(usize),
    /// A review without issues exists.
    Review,
    /// The evidence with this name is collected.
    Collect(String),
    /// A field has a value, by pointer: an extension field, or a counted or measured number.
    Set(String, OwnedValue),
}

/// A change to the diff.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiffAct {
    /// A file is not changed.
    Undo(String),
    /// The files under a pattern are not changed.
    UndoUnder(String),
    /// Only the first changed paths remain, this many.
    Keep(usize),
    /// Nothing is changed.
    UndoAll,
    /// A file is changed.
    Add(String),
    /// The typed diff includes the files that only the summary names.
    Agree,
    /// The diff names every file, for example instead of a directory, and counts its lines.
    Name,
}

/// Iterates over the values of acts of one kind.
macro_rules! values_of {
    ($acts:expr, $kind:pat => $value:expr) => {
        $acts.iter().filter_map(|act| match act {
            $kind => Some($value),
            _ => None,
        })
    };
}
pub(super) use values_of;

pub(super) type Acts = SortedSet<Act>;

/// The part of the envelope that an act changes; acts on different parts are separate changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ChangeTarget {
    Diff,
    Claims,
    Member(String),
    Other(Act),
}

impl Act {
    pub(super) fn place(&self) -> ChangeTarget {
        match self {
            Self::Diff(_) => ChangeTarget::Diff,
            Self::SayClaims | Self::Claim(_) | Self::Withdraw(_) => ChangeTarget::Claims,
            Self::Set(pointer, _) => ChangeTarget::Member(object_of(pointer).into()),
            other => ChangeTarget::Other(other.clone()),
        }
    }

    /// Returns true if the act contradicts one of some acts.
    pub(super) fn contradicts(&self, acts: &Acts) -> bool {
        match self {
            Self::Claim(claim) => acts.contains(&Self::Withdraw(*claim)),
            Self::Withdraw(claim) => acts.contains(&Self::Claim(*claim)),
            Self::Intent(_) => {
                let mut stated = acts.iter().filter(|act| matches!(act, Self::Intent(_)));
                stated.any(|act| act != self)
            }
            Self::Set(pointer, _) => {
                if first_set(acts, "").is_none() && !is_of_a_file(pointer) {
                    return false;
                }
                let is_other = |place: &str| {
                    first_set(acts, place).is_some_and(|act| {
                        matches!(act, Self::Set(other, _) if other == place) && act != self
                    })
                };
                let is_within = |act: &Self| matches!(act, Self::Set(other, _) if other.strip_prefix(&**pointer).is_some_and(|rest| rest.starts_with('/')));
                let mut around = pointer.match_indices('/').filter_map(|(end, _)| pointer.get(..end));
                is_other(pointer) && !is_counted(pointer)
                    || first_set(acts, &format!("{pointer}/")).is_some_and(is_within)
                    || around.any(is_other)
                    || is_of_a_file(pointer) && diffs(acts).any(|act| *act != Self::Diff(DiffAct::Agree))
            }
            // Naming the files uses the diff unchanged.
            Self::Diff(DiffAct::Name) => diffs(acts).any(|act| act != self),
            Self::Diff(DiffAct::Agree) => acts.contains(&Self::Diff(DiffAct::Name)),
            // Removing files shifts the indices of others.
            Self::Diff(_) => {
                let of_files = first_set(acts, FILES);
                acts.contains(&Self::Diff(DiffAct::Name))
                    || matches!(of_files, Some(Self::Set(pointer, _)) if is_of_a_file(pointer))
            }
            _ => false,
        }
    }
}

/// Adds an act; of several values for a counted number, the last one counts.
pub(super) fn insert(acts: &mut Acts, act: Act) {
    if let Act::Set(pointer, _) = &act
        && is_counted(pointer)
    {
        let earlier = first_set(acts, pointer);
        let before = earlier.filter(|act| matches!(act, Act::Set(other, _) if other == pointer)).cloned();
        if let Some(before) = before {
            acts.remove(&before);
        }
    }
    acts.insert(act);
}

/// Returns true if a field is no extension field: one rule may need a higher number than another.
fn is_counted(pointer: &str) -> bool {
    !pointer.contains("/x-")
}

/// The pointer to the counts of a report.
pub(super) const SUMMARY: &str = "/evidence/harness_report/summary";

/// The pointer to the files of a typed diff.
pub(super) const FILES: &str = "/evidence/diff/files/";

fn is_of_a_file(pointer: &str) -> bool {
    pointer.starts_with(FILES)
}

/// The acts on the diff.
fn diffs(acts: &Acts) -> impl Iterator<Item = &Act> {
    acts.iter().filter(|act| matches!(act, Act::Diff(_)))
}

/// The first act that sets a field at or after `pointer`.
fn first_set<'s>(acts: &'s Acts, pointer: &str) -> Option<&'s Act> {
    acts.from(&Act::Set(pointer.into(), OwnedValue::Null)).first()
}

/// The outermost extension field on the path of a field. If it is new, its fields are one change together.
fn object_of(pointer: &str) -> &str {
    let own = pointer.find("/x-").unwrap_or(pointer.len());
    let end =
        pointer.get(own + 1..).and_then(|rest| rest.find('/')).map_or(pointer.len(), |end| own + 1 + end);
    pointer.get(..end).unwrap_or(pointer)
}
