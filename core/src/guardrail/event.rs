//! What happened in a run, and what its caller has counted.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    json::{
        Node,
        object::{Field, Form, count, optional, read_document, read_values, required},
    },
    logic::Number,
    order,
};

use super::document::{EventKind, Selector, number};

/// An event of a run.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    pub(super) kind: EventKind,
    pub(super) node: Option<Selector<'a>>,
    pub(super) output: Option<Node<'a>>,
    pub(super) elapsed: Option<Number>,
    metrics: Numbers<'a>,
}

/// What the caller has counted and measured before the event.
#[derive(Clone, Debug, Default)]
pub struct State<'a> {
    retries: Numbers<'a>,
    metrics: Numbers<'a>,
}

const EVENT: &[Field] = &[
    required("kind", Form::Word(EventKind::WORDS)),
    optional("node", Form::Object),
    optional("output", Form::Any),
    optional("elapsedMs", Form::Magnitude),
    optional("metrics", Form::Object),
];

const STATE: &[Field] = &[optional("retries", Form::Object), optional("metrics", Form::Object)];

impl<'a> Event<'a> {
    /// Reads an event.
    ///
    /// # Errors
    ///
    /// The first in document order; paths begin at the event.
    pub fn read(value: Node<'a>) -> Result<Self, Error> {
        // What is required replaces this.
        let mut event = Self {
            kind: EventKind::Manual,
            node: None,
            output: None,
            elapsed: None,
            metrics: Numbers::default(),
        };
        read_document(value, EVENT, &mut |at, member| {
            match at {
                0 => {
                    let text = member.as_str().unwrap_or_default();
                    event.kind = EventKind::from_text(text).unwrap_or(event.kind);
                }
                1 => event.node = Some(Selector::read(member)?),
                2 => event.output = Some(member),
                3 => event.elapsed = Some(number(member)),
                _ => event.metrics = Numbers::read(member, Form::Number)?,
            }
            Ok(())
        })?;
        Ok(event)
    }

    /// The value of a metric: the event's, else the one that was measured before.
    pub(super) fn metric(&self, state: &State<'_>, name: &str) -> Option<Number> {
        self.metrics.of(name).or_else(|| state.metrics.of(name)).map(number)
    }
}

impl<'a> State<'a> {
    /// Reads a state.
    ///
    /// # Errors
    ///
    /// The first in document order; paths begin at the state.
    pub fn read(value: Node<'a>) -> Result<Self, Error> {
        let mut state = Self::default();
        read_document(value, STATE, &mut |at, member| {
            match at {
                0 => state.retries = Numbers::read(member, Form::Count)?,
                _ => state.metrics = Numbers::read(member, Form::Number)?,
            }
            Ok(())
        })?;
        Ok(state)
    }

    /// How often a guardrail has been retried.
    pub(super) fn retries(&self, id: &str) -> u64 {
        self.retries.of(id).and_then(count).unwrap_or_default()
    }
}

/// Numbers by name, in the order of the names.
#[derive(Clone, Debug, Default)]
struct Numbers<'a>(Vec<(&'a str, Node<'a>)>);

impl<'a> Numbers<'a> {
    fn read(object: Node<'a>, form: Form) -> Result<Self, Error> {
        read_values(object, form)?;
        let mut numbers: Vec<_> = object.members().collect();
        order::sort_by(&mut numbers, |(left, _), (right, _)| left.cmp(right));
        Ok(Self(numbers))
    }

    fn of(&self, name: &str) -> Option<Node<'a>> {
        let place = self.0.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
        self.0.get(place).map(|(_, number)| *number)
    }
}
