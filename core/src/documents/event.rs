//! The events of a run, and the numbers that the caller has counted.

use alloc::vec::Vec;

use adjudicate_lang::{
    Decimal,
    document::{Document, Magnitude, Reader, Shape},
    json::Node,
    order,
};

use super::{EventKind, Selector};

/// An event of a run.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(name = "GuardrailEvent", expecting = "an object", root)]
pub struct GuardrailEvent<'a> {
    /// The kind of the event.
    pub kind: EventKind,
    /// The node at which it happened.
    pub node: Option<Selector<'a>>,
    /// The output, which conditions are about: any value.
    pub output: Option<Node<'a>>,
    /// The time since the start, in milliseconds, for example `1500`.
    pub elapsed_ms: Option<Magnitude>,
    /// The metrics by name, for example `{"coverage": 0.8}`. They replace those of the state.
    #[serde(default)]
    pub metrics: Numbers<'a, Decimal>,
}

/// The numbers that the caller has counted and measured before the event.
#[derive(Clone, Debug, Default, Document)]
#[document(expecting = "an object", root)]
pub struct RunState<'a> {
    /// The number of retries of each guardrail, by its id.
    #[serde(default)]
    pub retries: Numbers<'a, u64>,
    /// The metrics by name, for example `{"coverage": 0.8}`.
    #[serde(default)]
    pub metrics: Numbers<'a, Decimal>,
}

impl GuardrailEvent<'_> {
    /// Returns the value of a metric: that of the event, else that of the state.
    pub(crate) fn metric(&self, state: &RunState<'_>, name: &str) -> Option<Decimal> {
        self.metrics.get(name).or_else(|| state.metrics.get(name))
    }
}

/// Numbers by name.
#[derive(Clone, Debug)]
pub struct Numbers<'a, N>(Vec<(&'a str, N)>);

impl<N> Default for Numbers<'_, N> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'t: 'a, 'a, N: Document<'t>> Document<'t> for Numbers<'a, N> {
    const SHAPE: Shape = Shape::Map(&N::SHAPE);

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let mut numbers = Vec::new();
        let is_object = reader.members(node, &mut |name, value, reader| {
            numbers.extend(N::read(value, reader).map(|number| (name, number)));
        });
        order::sort_by(&mut numbers, |(left, _), (right, _)| left.cmp(right));
        is_object.then_some(Self(numbers))
    }
}

impl<N: Copy> Numbers<'_, N> {
    /// Returns the number of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<N> {
        let place = self.0.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        self.0.get(place).map(|(_, number)| *number)
    }
}
