//! Values in an explanation: known, unknown, or too large to show.

use alloc::{borrow::Cow, string::String};
use core::cell::Cell;

use adjudicate_lang::{
    Error, Steps,
    logic::{Number, Scope as _, Value},
};

use super::inputs;
use crate::{
    documents::explanation::{Input, ShownState},
    evaluate::{Facts, Variables, fact_value},
    policy::{Root, Variable},
};

/// The largest value that is shown, in parts and bytes of text.
const LARGEST: u64 = 4_096;
/// The longest list whose items are measured.
const LONGEST: usize = 256;
/// The limit for all values of one answer, so that a repetitive policy cannot produce an answer of any size.
const ALL: u64 = 1 << 20;

/// Looks up variables for one answer.
pub(super) struct VariableLookup<'a> {
    facts: &'a Facts<'a>,
    /// The scope of conditions.
    pub variables: Variables<'a>,
    /// The remaining limit for all values.
    left: Cell<u64>,
}

impl<'a> VariableLookup<'a> {
    pub(super) fn new(facts: &'a Facts<'a>) -> Self {
        Self { facts, variables: Variables::new(facts, facts.input()), left: Cell::new(ALL) }
    }

    /// Returns the value, if the limit allows it.
    pub(super) fn show(&self, value: Value<'a>) -> (ShownState, Value<'a>) {
        if value.is_unknown() {
            return (ShownState::Unknown, Value::Null);
        }
        let mut steps = Steps::new(LARGEST.min(self.left.get()));
        let before = steps.left();
        if value.len() > LONGEST || value.measure(&mut steps).is_err() {
            return (ShownState::Omitted, Value::Null);
        }
        self.left.set(self.left.get() - (before - steps.left()));
        (ShownState::Known, value)
    }

    /// A fact or a threshold of the policy with its value; for the envelope, `input`.
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
        // A variable that no condition of the policy uses must be copied.
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

    /// Returns a variable of the policy with its value. The value is looked up once, under the `number` of the variable.
    pub(super) fn numbered(&self, number: u32, variable: &'a Variable, steps: &mut Steps) -> Input<'a> {
        let value = self.variables.numbered(number, steps);
        let value = value.map(|value| value.cloned().unwrap_or(Value::Unknown));
        self.shown(variable.text().into(), self.source(variable).map(Cow::Borrowed), value)
    }

    /// The pointer to the part of the envelope from which a variable is read, or would be.
    fn source<'b>(&self, variable: &'b Variable) -> Option<&'b str> {
        match variable.root() {
            Root::Input => variable.pointer(),
            Root::Fact(fact) => Some(inputs::source(fact, self.facts)),
            Root::Parameter(_) => None,
        }
    }

    /// A value that takes too many steps to look up is not shown.
    fn shown(
        &self,
        variable: Cow<'a, str>,
        evidence_ref: Option<Cow<'a, str>>,
        value: Result<Value<'a>, Error>,
    ) -> Input<'a> {
        let (state, value) = match value {
            Ok(value) => self.show(value),
            Err(_) => (ShownState::Omitted, Value::Null),
        };
        Input { variable, evidence_ref, state, value }
    }
}
