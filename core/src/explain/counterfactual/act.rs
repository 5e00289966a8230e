//! Acts: what another run could truthfully report, one thing at a time.

use alloc::{collections::BTreeSet, string::String};

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
    /// A member of the caller's own has a value, by its pointer.
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
    /// The diff names its files and counts their lines.
    Name,
}

/// A value of a member of the caller's own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scalar {
    Bool(bool),
    /// As it is written.
    Number(String),
    Text(String),
    EmptyList,
}

/// What is done together.
pub(super) type Acts = BTreeSet<Act>;

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
            Self::Set(pointer, _) => Place::Member(pointer.clone()),
            other => Place::Other(other.clone()),
        }
    }

    /// Whether it says something else than one of some acts.
    pub(super) fn contradicts(&self, acts: &Acts) -> bool {
        match self {
            Self::Claim(claim) => acts.contains(&Self::Withdraw(*claim)),
            Self::Withdraw(claim) => acts.contains(&Self::Claim(*claim)),
            Self::Intent(_) => {
                let mut said = acts.range(Self::Intent(Intent::Implement)..=Self::Intent(Intent::Other));
                said.any(|act| act != self)
            }
            Self::Set(pointer, _) => {
                let mut set = acts.range(Self::Set(pointer.clone(), Scalar::Bool(false))..);
                set.next()
                    .is_some_and(|act| matches!(act, Self::Set(other, _) if other == pointer) && act != self)
            }
            // Naming the files takes the diff as it is.
            Self::Diff(DiffAct::Name) => {
                let mut diffs = acts.range(Self::Diff(DiffAct::Undo(String::new()))..Self::Resolve(0));
                diffs.any(|act| act != self)
            }
            Self::Diff(_) => acts.contains(&Self::Diff(DiffAct::Name)),
            _ => false,
        }
    }
}
