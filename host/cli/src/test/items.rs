//! The items in which two lists differ.

use adjudicate_core::{
    check::{Difference, differences},
    json::{self, Kind, Node, OwnedValue, ReadLimits},
};

use crate::layout;

/// The items in which a list differs from its expectation, as JSON text.
pub(super) struct ItemDifference {
    /// The expected items that no actual item fits.
    pub missing: Vec<String>,
    /// The actual items that fit no expected item.
    pub extra: Vec<String>,
}

impl ItemDifference {
    /// Compares the items of both lists, in any order; `None` if one of the values is no list.
    pub(super) fn new(difference: &Difference) -> Option<Self> {
        let (expected, actual) = (layout::json(&difference.expected), layout::json(&difference.actual));
        let expected = json::read(expected.as_bytes(), ReadLimits::ANSWER).ok()?;
        let actual = json::read(actual.as_bytes(), ReadLimits::ANSWER).ok()?;
        if [expected.root(), actual.root()].iter().any(|list| list.kind() != Kind::Array) {
            return None;
        }
        let mut extra: Vec<Node<'_>> = actual.root().items().collect();
        let mut missing = Vec::new();
        for item in expected.root().items() {
            match extra.iter().position(|actual| differences(item, *actual).is_empty()) {
                Some(place) => {
                    extra.remove(place);
                }
                None => missing.push(text(item)),
            }
        }
        Some(Self { missing, extra: extra.into_iter().map(text).collect() })
    }
}

fn text(item: Node<'_>) -> String {
    layout::json(&OwnedValue::from(item))
}
