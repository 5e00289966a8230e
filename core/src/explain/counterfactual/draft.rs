//! Changes to an envelope: as operations, and made.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    json::{
        self, Kind, Node, OwnedValue,
        object::{Members, write_list},
        unescape_segment, write_verbatim,
    },
    order,
};
use serde::{Deserialize, Serialize};

/// How many members are looked at for the one that another belongs to: more than a new report has.
const LAST: usize = 4;

/// One change to an envelope: an operation of a JSON Patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct EvidenceChange {
    /// What is done at the path.
    pub op: ChangeOp,
    /// JSON Pointer into the envelope, as the changes before it have left it.
    pub path: String,
    /// What is there then; absent for what is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "unknown"))]
    pub value: Option<OwnedValue>,
    /// What was there before; absent for what is added.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "unknown"))]
    pub was: Option<OwnedValue>,
}

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ChangeOp {
    /// A member or an item comes; an item that stands there moves on.
    Add,
    /// It goes; the items after it move up.
    Remove,
    /// It is another.
    Replace,
}

/// Takes the members of another object into one. They come in the order of pointers, so what a member belongs to is among
/// the last.
pub(super) fn merge(value: &mut OwnedValue, other: OwnedValue) {
    match (value, other) {
        (OwnedValue::Object(members), OwnedValue::Object(others)) => {
            for (name, other) in others {
                match members.iter_mut().rev().take(LAST).find(|(known, _)| *known == name) {
                    Some((_, known)) => merge(known, other),
                    None => members.push((name, other)),
                }
            }
        }
        (value, other) => *value = other,
    }
}

/// An envelope that is looked into or being changed: what is not opened is as it was.
#[derive(Clone, Debug)]
pub(super) enum Draft<'t> {
    Kept(Node<'t>),
    New(OwnedValue),
    Open(Parts<'t>),
}

/// A container that was opened.
#[derive(Clone, Debug)]
pub(super) struct Parts<'t> {
    /// What it was before all changes.
    node: Node<'t>,
    /// Its parts with their names, those of items empty.
    parts: Vec<(Cow<'t, str>, Draft<'t>)>,
    /// The places of the members that were there, in the order of names: there may be many, and many changes.
    order: Vec<usize>,
}

impl<'t> Parts<'t> {
    fn of(node: Node<'t>) -> Self {
        let kept = |(name, part): (&'t str, Node<'t>)| (Cow::Borrowed(name), Draft::Kept(part));
        let parts: Vec<(Cow<'t, str>, Draft<'t>)> = match node.kind() {
            Kind::Array => node.items().map(|item| kept(("", item))).collect(),
            _ => node.members().map(kept).collect(),
        };
        let name = |at: usize| parts.get(at).map_or("", |(name, _)| &**name);
        let order = match node.kind() {
            Kind::Array => Vec::new(),
            _ => order::sorted_indices(parts.len(), &mut |left, right| name(left).cmp(name(right))),
        };
        Self { node, parts, order }
    }

    /// Where the member of that name is that was there, or where the item of that place is or would be.
    fn place(&self, name: &str) -> Option<usize> {
        if self.is_list() {
            return name.parse().ok();
        }
        let name_at = |at: &usize| self.parts.get(*at).map_or("", |(name, _)| &**name);
        let found = self.order.binary_search_by(|at| name_at(at).cmp(name)).ok()?;
        self.order.get(found).copied()
    }

    fn is_list(&self) -> bool {
        self.node.kind() == Kind::Array
    }
}

impl<'t> Draft<'t> {
    /// What a pointer leads to that was there before all changes.
    pub(super) fn node(&mut self, pointer: &str) -> Option<Node<'t>> {
        match self.at(pointer)? {
            Self::Kept(node) | Self::Open(Parts { node, .. }) => Some(*node),
            Self::New(_) => None,
        }
    }

    /// Makes a change; one whose path leads nowhere is none. Members are never taken away.
    pub(super) fn apply(&mut self, change: &EvidenceChange) {
        let Some((parent, name)) = change.path.rsplit_once('/') else { return };
        let Some(within) = self.at(parent).and_then(Self::open) else { return };
        let name = unescape_segment(name);
        let (is_list, place, len) = (within.is_list(), within.place(&name), within.parts.len());
        let value = change.value.clone().map(Self::New);
        match (change.op, value, place) {
            (ChangeOp::Replace, Some(value), Some(place)) => {
                within.parts.get_mut(place).into_iter().for_each(|(_, part)| part.clone_from(&value));
            }
            (ChangeOp::Add, Some(value), None) if !is_list => within.parts.push((Cow::Owned(name), value)),
            (ChangeOp::Add, Some(value), Some(place)) if is_list && place <= len => {
                within.parts.insert(place, (Cow::Borrowed(""), value));
            }
            (ChangeOp::Remove, _, Some(place)) if is_list && place < len => drop(within.parts.remove(place)),
            _ => {}
        }
    }

    fn at(&mut self, pointer: &str) -> Option<&mut Self> {
        pointer.split('/').skip(1).try_fold(self, |here, name| {
            let within = here.open()?;
            let place = within.place(&unescape_segment(name))?;
            within.parts.get_mut(place).map(|(_, part)| part)
        })
    }

    /// Takes a container apart, so that its parts can be found and changed. What is new is not looked into.
    fn open(&mut self) -> Option<&mut Parts<'t>> {
        if let Self::Kept(node) = self
            && matches!(node.kind(), Kind::Array | Kind::Object)
        {
            *self = Self::Open(Parts::of(*node));
        }
        match self {
            Self::Open(parts) => Some(parts),
            _ => None,
        }
    }

    /// The text of the envelope.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Kept(node) => write_verbatim(*node, out),
            Self::New(value) => out.push_str(&json::write(value)),
            Self::Open(list) if list.is_list() => {
                write_list(list.parts.iter().map(|(_, item)| item), out, Self::write);
            }
            Self::Open(object) => {
                let mut members = Members::open(out);
                for (name, value) in &object.parts {
                    members.part(name, |out| value.write(out));
                }
                members.close();
            }
        }
    }
}
