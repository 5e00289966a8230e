//! The string interner: strings that several conditions of a policy share.

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use crate::order;

/// Strings that several programs share, sorted and distinct.
#[derive(Clone, Debug)]
pub struct StringInterner(Option<Box<[Arc<str>]>>);

impl StringInterner {
    /// No strings.
    pub const EMPTY: Self = Self(None);

    /// Interns the strings that occur more than once. A string that occurs once would save no memory.
    #[must_use]
    pub fn repeated<'t>(texts: impl Iterator<Item = &'t Arc<str>>) -> Self {
        let mut all: Vec<&Arc<str>> = texts.collect();
        order::sort_by(&mut all, Ord::cmp);
        let repeated: Vec<Arc<str>> = all
            .chunk_by(|left, right| left == right)
            .filter_map(|equal| equal.first().filter(|_| equal.len() > 1))
            .map(|text| Arc::clone(text))
            .collect();
        Self((!repeated.is_empty()).then(|| repeated.into()))
    }

    /// Returns copies of the same strings.
    #[must_use]
    pub fn copied(&self) -> Self {
        Self(self.0.as_ref().map(|texts| texts.iter().map(|text| Arc::from(&**text)).collect()))
    }

    /// Returns the interned string that equals `text`, or a copy of `text`.
    #[must_use]
    pub fn detached(&self, text: &str) -> Arc<str> {
        let texts = self.0.as_deref().unwrap_or_default();
        let place = texts.binary_search_by(|other| (**other).cmp(text)).ok();
        place.and_then(|place| texts.get(place)).map_or_else(|| Arc::from(text), Arc::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_strings_are_interned_once() {
        let all: Vec<Arc<str>> = ["b", "a", "c", "b", "a", "b"].map(Arc::from).into();
        let texts = StringInterner::repeated(all.iter());
        assert_eq!(texts.0.as_deref().unwrap(), [Arc::from("a"), Arc::from("b")]);
        assert!(Arc::ptr_eq(&texts.detached("a"), &texts.detached("a")));
        assert!(!Arc::ptr_eq(&texts.detached("c"), &texts.detached("c")));
        assert!(!Arc::ptr_eq(&texts.copied().detached("a"), &texts.detached("a")));
        assert_eq!(&*texts.detached("d"), "d");
    }
}
