//! Texts that several conditions of a policy have, kept once.

use alloc::{boxed::Box, sync::Arc, vec::Vec};

use crate::order;

/// Texts that several programs share, in order, each once.
#[derive(Clone, Debug)]
pub struct Texts(Option<Box<[Arc<str>]>>);

impl Texts {
    /// No texts.
    pub const EMPTY: Self = Self(None);

    /// The texts that occur more than once; any other takes no more memory where it is.
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

    /// Copies of the same texts.
    #[must_use]
    pub fn copied(&self) -> Self {
        Self(self.0.as_ref().map(|texts| texts.iter().map(|text| Arc::from(&**text)).collect()))
    }

    /// The shared text that equals `text`, or else a copy of it.
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
    fn what_is_there_twice_is_kept_once() {
        let all: Vec<Arc<str>> = ["b", "a", "c", "b", "a", "b"].map(Arc::from).into();
        let texts = Texts::repeated(all.iter());
        assert_eq!(texts.0.as_deref().unwrap(), [Arc::from("a"), Arc::from("b")]);
        assert!(Arc::ptr_eq(&texts.detached("a"), &texts.detached("a")));
        assert!(!Arc::ptr_eq(&texts.detached("c"), &texts.detached("c")));
        assert!(!Arc::ptr_eq(&texts.copied().detached("a"), &texts.detached("a")));
        assert_eq!(&*texts.detached("d"), "d");
    }
}
