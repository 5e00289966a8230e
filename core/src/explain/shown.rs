//! Values of the evidence as an explanation shows them: known, unknown, or too large to show.

use alloc::{borrow::Cow, string::String};
use core::cell::Cell;

use adjudicate_lang::{
    Error, Steps,
    logic::{Number, Scope as _, Value},
};
use serde::{Deserialize, Serialize};

use super::inputs;
use crate::{
    evaluate::{Facts, Variables, fact_value},
    policy::{Root, Variable},
};

/// The largest value that is shown, in parts and bytes of text.
const LARGEST: u64 = 4_096;
/// The longest list that is looked into.
const LONGEST: usize = 256;
/// What all values of one answer may take together: what a policy repeats must not make an answer of any size.
const ALL: u64 = 1 << 20;

/// Something that a rule looks at.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Input<'a> {
    /// The variable, as conditions spell it: `facts.diff.count`.
    pub variable: Cow<'a, str>,
    /// Where in the envelope it comes from, or should be; null for what the policy says.
    pub evidence_ref: Option<Cow<'a, str>>,
    /// Whether the value is there.
    pub state: ShownState,
    /// The value; null unless it is `known`.
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub value: Value<'a>,
}

/// Whether a value is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ShownState {
    /// It is.
    Known,
    /// The evidence does not say, or no value came of what it says.
    Unknown,
    /// It is known and too large to show.
    Omitted,
}

/// How much may still be shown.
#[derive(Debug)]
pub(super) struct Room(Cell<u64>);

impl Default for Room {
    fn default() -> Self {
        Self(Cell::new(ALL))
    }
}

impl Room {
    /// The value, if there is room for it.
    pub(super) fn show<'a>(&self, value: Value<'a>) -> (ShownState, Value<'a>) {
        if value.is_unknown() {
            return (ShownState::Unknown, Value::Null);
        }
        let mut room = Steps::new(LARGEST.min(self.0.get()));
        let before = room.left();
        if value.len() > LONGEST || value.measure(&mut room).is_err() {
            return (ShownState::Omitted, Value::Null);
        }
        self.0.set(self.0.get() - (before - room.left()));
        (ShownState::Known, value)
    }
}

/// Looks up variables for one answer.
pub(super) struct Inputs<'a> {
    facts: &'a Facts<'a>,
    variables: Variables<'a>,
    pub room: Room,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(facts: &'a Facts<'a>) -> Self {
        Self { facts, variables: Variables::new(facts, facts.input()), room: Room::default() }
    }

    /// What conditions see.
    pub(super) const fn scope(&self) -> &Variables<'a> {
        &self.variables
    }

    /// A fact or a threshold of the policy with its value; for the envelope there is `input`.
    pub(super) fn whole(&self, root: Root, steps: &mut Steps) -> Input<'a> {
        match root {
            Root::Fact(fact) => {
                let value = fact_value(fact, self.facts, steps);
                self.shown(fact.row().variable.into(), Some(inputs::source(fact, self.facts).into()), value)
            }
            Root::Parameter(parameter) => {
                let value = Value::Number(Number::from(self.facts.policy().parameter(parameter)));
                self.shown(parameter.variable().into(), None, Ok(value))
            }
            Root::Input => self.shown("input".into(), Some("".into()), Ok(Value::from(self.facts.input()))),
        }
    }

    /// A variable with its value.
    pub(super) fn input(&self, variable: &Variable, steps: &mut Steps) -> Input<'a> {
        // One that no condition of the policy asks for has to be copied.
        let number = self.facts.policy().variable_number(variable.path());
        if let Some(number) = number
            && let Some(variable) = self.facts.policy().variables().get(number as usize)
        {
            return self.numbered(number, variable, steps);
        }
        let mut value = Value::Unknown;
        let found = self.variables.look_up(variable, &mut value, steps).map(|()| value);
        let evidence_ref = self.source(variable).map(|source| String::from(source).into());
        self.shown(String::from(variable.text()).into(), evidence_ref, found)
    }

    /// The variable of the policy with that number, looked up once.
    pub(super) fn numbered(&self, number: u32, variable: &'a Variable, steps: &mut Steps) -> Input<'a> {
        let value = self.variables.numbered(number, steps);
        let value = value.map(|value| value.cloned().unwrap_or(Value::Unknown));
        self.shown(variable.text().into(), self.source(variable).map(Cow::Borrowed), value)
    }

    /// Where in the envelope a variable comes from, or should.
    fn source<'b>(&self, variable: &'b Variable) -> Option<&'b str> {
        match variable.root() {
            Root::Input => variable.pointer(),
            Root::Fact(fact) => Some(inputs::source(fact, self.facts)),
            Root::Parameter(_) => None,
        }
    }

    /// What takes too many steps to look up is not shown.
    fn shown(
        &self,
        variable: Cow<'a, str>,
        evidence_ref: Option<Cow<'a, str>>,
        value: Result<Value<'a>, Error>,
    ) -> Input<'a> {
        let (state, value) = match value {
            Ok(value) => self.room.show(value),
            Err(_) => (ShownState::Omitted, Value::Null),
        };
        Input { variable, evidence_ref, state, value }
    }
}
