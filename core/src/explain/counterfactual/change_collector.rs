//! The collector of changes to the envelope's JSON.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::{Node, OwnedValue, Pointer},
};

use super::changed_envelope::ChangedEnvelope;
use crate::{
    documents::counterfactual::{ChangeOp, EvidenceChange},
    evaluate::Judged,
};

/// Collects the changes of some acts.
pub(super) struct ChangeCollector<'a, 'd> {
    pub facts: &'a Judged<'a>,
    /// The unchanged envelope.
    pub original: &'d mut ChangedEnvelope<'a>,
    /// The budget of the search.
    pub steps: &'d mut Steps,
    pub changes: Vec<EvidenceChange>,
}

impl ChangeCollector<'_, '_> {
    /// Stores a value at a path whose parent exists.
    pub(super) fn put(&mut self, path: impl Into<String>, value: OwnedValue) {
        let path = path.into();
        let was = self.original.node(&path).map(OwnedValue::from);
        if was.as_ref() == Some(&value) {
            return;
        }
        let op = if was.is_some() { ChangeOp::Replace } else { ChangeOp::Add };
        self.changes.push(EvidenceChange { op, path, value: Some(value), was });
    }

    /// Adds an item to a list.
    pub(super) fn insert(&mut self, list: &str, index: usize, value: OwnedValue) {
        let path = Pointer::new(list).index(index).into_string();
        self.changes.push(EvidenceChange { op: ChangeOp::Add, path, value: Some(value), was: None });
    }

    /// Removes items from a list, the last one first, so that the other indices stay valid.
    pub(super) fn remove(&mut self, list: &str, indices: impl DoubleEndedIterator<Item = usize>) {
        let items: Vec<Node<'_>> = self.original.node(list).into_iter().flat_map(Node::items).collect();
        for index in indices.rev() {
            let path = Pointer::new(list).index(index).into_string();
            let was = items.get(index).copied().map(OwnedValue::from);
            self.changes.push(EvidenceChange { op: ChangeOp::Remove, path, value: None, was });
        }
    }
}
