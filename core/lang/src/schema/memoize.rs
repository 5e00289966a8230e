//! Lookup and storage of results in the memo table.

use core::mem;

use super::{
    annotations::Annotations,
    memo::{MAX_WORDS, MemoEntry, MemoKey},
    range::SchemaId,
    validate::Validator,
};
use crate::json::Node;

impl<'i> Validator<'_, 'i, '_> {
    const fn key(&self, id: SchemaId, value: Node<'i>, evaluated: Option<&Annotations>) -> MemoKey {
        MemoKey {
            id,
            position: value.position() as u32,
            collects: self.collects,
            annotations: evaluated.is_some(),
        }
    }

    /// Returns the stored result of a schema for a value. After `None`, the caller must evaluate and then call [`Self::memoize`].
    #[cold]
    #[inline(never)]
    pub(super) fn memoized(
        &mut self,
        id: SchemaId,
        value: Node<'i>,
        evaluated: Option<&mut Annotations>,
    ) -> Option<bool> {
        let key = self.key(id, value, evaluated.as_deref());
        let (slot, tries) = self.memo.slot(key, &self.scope);
        self.spend(tries + self.scope.len());
        let known = self.memo.entries.get(slot).and_then(Option::as_ref);
        match (known, evaluated) {
            (Some(known), None) => Some(known.holds),
            (Some(known), Some(evaluated)) => {
                evaluated.merge(&known.annotations);
                let (holds, words) = (known.holds, known.annotations.len());
                self.spend(words);
                Some(holds)
            }
            (None, Some(evaluated)) => {
                self.memo.before.push(mem::take(evaluated));
                None
            }
            (None, None) => None,
        }
    }

    /// Stores the result of a schema for a value, and merges its annotations with the annotations from before.
    #[cold]
    #[inline(never)]
    pub(super) fn memoize(
        &mut self,
        id: SchemaId,
        value: Node<'i>,
        holds: bool,
        evaluated: Option<&mut Annotations>,
    ) {
        let key = self.key(id, value, evaluated.as_deref());
        let mut annotations = Annotations::default();
        if let Some(evaluated) = evaluated {
            annotations = mem::replace(evaluated, self.memo.before.pop().unwrap_or_default());
            evaluated.merge(&annotations);
        }
        let words = annotations.len() + self.scope.len();
        // After the budget runs out, nothing reads the table.
        if !self.spend(1 + words) || words > MAX_WORDS {
            return;
        }
        self.memo.reserve(words);
        let (slot, tries) = self.memo.slot(key, &self.scope);
        self.spend(tries);
        if let Some(slot) = self.memo.entries.get_mut(slot) {
            *slot = Some(MemoEntry { key, scope: self.scope.as_slice().into(), holds, annotations });
        }
    }
}
