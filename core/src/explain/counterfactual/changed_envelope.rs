//! Changes to an envelope, as operations and applied.

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    json::{
        self, Kind, Node, OwnedValue,
        object::{ObjectWriter, write_list},
        unescape_segment, write_verbatim,
    },
    order,
};

use crate::documents::{counterfactual::ChangeOp, counterfactual::EvidenceChange};

/// The most recent fields that are searched for the parent of another; a new report has fewer.
const LAST: usize = 4;

/// Merges the fields of another object into one. They arrive in the order of pointers, so the parent of a field is among the last.
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

/// An envelope under change; unopened parts stay borrowed.
#[derive(Clone, Debug)]
pub(super) enum ChangedEnvelope<'t> {
    Kept(Node<'t>),
    New(OwnedValue),
    Open(OpenContainer<'t>),
}

#[derive(Clone, Debug)]
pub(super) struct OpenContainer<'t> {
    /// The container before all changes.
    node: Node<'t>,
    /// The parts with their names; the names of items are empty.
    parts: Vec<(Cow<'t, str>, ChangedEnvelope<'t>)>,
    /// The indices of the original fields, sorted by name, because there may be many fields and many changes.
    order: Vec<usize>,
}

impl<'t> OpenContainer<'t> {
    fn new(node: Node<'t>) -> Self {
        let kept = |(name, part): (&'t str, Node<'t>)| (Cow::Borrowed(name), ChangedEnvelope::Kept(part));
        let parts: Vec<(Cow<'t, str>, ChangedEnvelope<'t>)> = match node.kind() {
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

    /// The index of an original field, or of an item.
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

impl<'t> ChangedEnvelope<'t> {
    /// The original node at a pointer.
    pub(super) fn node(&mut self, pointer: &str) -> Option<Node<'t>> {
        match self.at(pointer)? {
            Self::Kept(node) | Self::Open(OpenContainer { node, .. }) => Some(*node),
            Self::New(_) => None,
        }
    }

    /// Applies a change, unless its path leads nowhere. Fields are never removed.
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

    /// Opens a container, so that its parts can be found and changed. New values stay closed.
    fn open(&mut self) -> Option<&mut OpenContainer<'t>> {
        if let Self::Kept(node) = self
            && matches!(node.kind(), Kind::Array | Kind::Object)
        {
            *self = Self::Open(OpenContainer::new(*node));
        }
        match self {
            Self::Open(parts) => Some(parts),
            _ => None,
        }
    }

    /// The envelope as JSON.
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
                let mut members = ObjectWriter::open(out);
                for (name, value) in &object.parts {
                    members.part(name, |out| value.write(out));
                }
                members.close();
            }
        }
    }
}
