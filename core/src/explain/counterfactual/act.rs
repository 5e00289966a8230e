//! Acts: what another run could truthfully report, one thing at a time.

use alloc::{format, string::String};

use adjudicate_lang::order::SortedSet;

use crate::evaluate::{Claim, Intent};

/// Something that the evidence would say. The order is the order of changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Act {
    /// The step ran to its end.
    Complete,
    /// A validator exits 0.
    Pass(String),
    /// A validator did not run out of time.
    InTime(String),
    /// A case of the harness passed, by its place.
    PassCase(usize),
    /// There is another case of the harness, which passed, by its place among those that come.
    AddCase(usize),
    /// The counts of the harness agree with cases of which none failed.
    Count,
    /// There is a report of a harness, with a case that passed.
    Report,
    /// A remark on the user's experience does not come, by its place.
    DropRemark(usize),
    /// There is an artifact.
    Artifact(String),
    /// The intent is said.
    Intent(Intent),
    /// What is claimed is said, be it nothing.
    SayClaims,
    /// Something is claimed.
    Claim(Claim),
    /// Something is not claimed.
    Withdraw(Claim),
    /// Something else changed in the workspace.
    Diff(DiffAct),
    /// A review does not find an issue any more, by its place.
    Resolve(usize),
    /// A review is there, and it finds no issue.
    Review,
    /// The evidence of that name is collected.
    Collect(String),
    /// A member has a value, by its pointer: one of the caller's own, or a number that is counted or measured.
    Set(String, Scalar),
}

/// What the workspace would look like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DiffAct {
    /// A file is not changed.
    Undo(String),
    /// The files under a pattern are not changed.
    UndoUnder(String),
    /// So many of the changed paths, the first ones, are left.
    Keep(usize),
    /// Nothing is changed.
    UndoAll,
    /// A file is changed.
    Add(String),
    /// The typed diff names what only the summary names.
    Agree,
    /// The diff names each of its files, instead of a directory for example, and counts their lines.
    Name,
}

/// A value of a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scalar {
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    EmptyList,
}

/// What is done together.
pub(super) type Acts = SortedSet<Act>;

/// What of the envelope an act changes: acts on different places take a change each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Diff,
    Claims,
    Member(String),
    Other(Act),
}

impl Act {
    pub(super) fn place(&self) -> Place {
        match self {
            Self::Diff(_) => Place::Diff,
            Self::SayClaims | Self::Claim(_) | Self::Withdraw(_) => Place::Claims,
            Self::Set(pointer, _) => Place::Member(object_of(pointer).into()),
            other => Place::Other(other.clone()),
        }
    }

    /// Whether it says something else than one of some acts.
    pub(super) fn contradicts(&self, acts: &Acts) -> bool {
        match self {
            Self::Claim(claim) => acts.contains(&Self::Withdraw(*claim)),
            Self::Withdraw(claim) => acts.contains(&Self::Claim(*claim)),
            Self::Intent(_) => {
                let mut said = acts.iter().filter(|act| matches!(act, Self::Intent(_)));
                said.any(|act| act != self)
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
            // Naming the files takes the diff as it is.
            Self::Diff(DiffAct::Name) => diffs(acts).any(|act| act != self),
            Self::Diff(DiffAct::Agree) => acts.contains(&Self::Diff(DiffAct::Name)),
            // The places of files move when others go.
            Self::Diff(_) => {
                let of_files = first_set(acts, FILES);
                acts.contains(&Self::Diff(DiffAct::Name))
                    || matches!(of_files, Some(Self::Set(pointer, _)) if is_of_a_file(pointer))
            }
            _ => false,
        }
    }
}

/// Does an act beside others; a number that is counted is what was said of it last.
pub(super) fn insert(acts: &mut Acts, act: Act) {
    if let Act::Set(pointer, _) = &act
        && is_counted(pointer)
    {
        let said = first_set(acts, pointer);
        let before = said.filter(|act| matches!(act, Act::Set(other, _) if other == pointer)).cloned();
        if let Some(before) = before {
            acts.remove(&before);
        }
    }
    acts.insert(act);
}

/// Whether a member is none of the caller's own: what one rule wants more of, another may want still more of.
fn is_counted(pointer: &str) -> bool {
    !pointer.contains("/x-")
}

/// Where the files of a typed diff are.
pub(super) const FILES: &str = "/evidence/diff/files/";

fn is_of_a_file(pointer: &str) -> bool {
    pointer.starts_with(FILES)
}

/// What is done to the diff as a whole.
fn diffs(acts: &Acts) -> impl Iterator<Item = &Act> {
    acts.iter().filter(|act| matches!(act, Act::Diff(_)))
}

/// The first act by which a member has a value whose pointer is not before `pointer`.
fn first_set<'s>(acts: &'s Acts, pointer: &str) -> Option<&'s Act> {
    acts.from(&Act::Set(pointer.into(), Scalar::Bool(false))).first()
}

/// What comes with a member if it is not there: the outermost member of the caller's own that it is in. Members of one
/// object that is new are one change.
fn object_of(pointer: &str) -> &str {
    let own = pointer.find("/x-").unwrap_or(pointer.len());
    let end =
        pointer.get(own + 1..).and_then(|rest| rest.find('/')).map_or(pointer.len(), |end| own + 1 + end);
    pointer.get(..end).unwrap_or(pointer)
}
