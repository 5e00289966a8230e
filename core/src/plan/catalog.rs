//! The catalog of facets.

use alloc::vec::Vec;

use adjudicate_lang::{Error, Steps};

use super::names::Names;
use crate::documents::{Direction, Facet};

/// The catalog of facets.
#[derive(Debug)]
pub(super) struct Catalog<'a> {
    names: Names<'a>,
    facets: Vec<&'a Facet<'a>>,
}

impl<'a> Catalog<'a> {
    pub(super) fn new(facets: &'a [Facet<'a>]) -> Self {
        let (names, facets) = sorted(facets, |facet| facet.name.0);
        Self { names, facets }
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a Facet<'a>> {
        self.facets.get(self.names.find(name)? as usize).copied()
    }

    /// The facet closest to `name` whose direction is not `wrong`.
    pub(super) fn closest(
        &self,
        name: &str,
        wrong: Direction,
        steps: &mut Steps,
    ) -> Result<Option<&'a str>, Error> {
        let fits = |at| self.facets.get(at as usize).is_some_and(|facet| facet.direction != wrong);
        self.names.closest(name, &fits, steps)
    }

    /// All facets, by name.
    pub(super) fn facets(&self) -> &[&'a Facet<'a>] {
        &self.facets
    }
}

/// Borrowed values sorted by name; equal names keep their order.
pub(super) fn sorted<'a, T>(values: &'a [T], name: impl Fn(&'a T) -> &'a str) -> (Names<'a>, Vec<&'a T>) {
    let (names, places) = Names::sorted(&values.iter().map(name).collect::<Vec<_>>());
    (names, places.into_iter().filter_map(|place| values.get(place)).collect())
}
