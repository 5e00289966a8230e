//! The variables of conditions, looked up when they are asked for: each path once for all rules of a policy.

use alloc::vec::Vec;
use core::cell::OnceCell;

use adjudicate_lang::{
    Error, Steps,
    json::Node,
    logic::{Path, Scope, Value},
};

use super::{fact, facts::Facts};
use crate::policy::{Root, Variable};

/// The variables that the conditions of one policy see in one envelope.
pub(crate) struct Variables<'f> {
    facts: &'f Facts<'f>,
    input: Value<'f>,
    /// By number.
    values: Vec<OnceCell<Value<'f>>>,
}

impl<'f> Variables<'f> {
    /// No value is looked up yet.
    pub(crate) fn new(facts: &'f Facts<'f>, input: Node<'f>) -> Self {
        let mut values = Vec::new();
        values.resize_with(facts.policy().variables().len(), OnceCell::new);
        Self { facts, input: Value::from(input), values }
    }

    /// Whether the variable with that number is unknown.
    pub(super) fn is_unknown(&self, number: u32, steps: &mut Steps) -> Result<bool, Error> {
        Ok(self.numbered(number, steps)?.is_none_or(Value::is_unknown))
    }

    /// Where in the envelope the variable with that number is, if it is a part of it.
    pub(super) fn pointer(&self, number: u32) -> Option<&'f str> {
        self.variable(number)?.pointer()
    }

    fn variable(&self, number: u32) -> Option<&'f Variable> {
        self.facts.policy().variables().get(number as usize)
    }

    /// Leaves the value of a variable in `out`, whether a condition of the policy asks for it or not.
    pub(crate) fn look_up(
        &self,
        variable: &Variable,
        out: &mut Value<'f>,
        steps: &mut Steps,
    ) -> Result<(), Error> {
        match variable.root() {
            Root::Input => self.input.descend(variable.rest(), out, steps),
            Root::Parameter(parameter) => {
                let value = fact::number(self.facts.policy().parameter(parameter));
                value.descend(variable.rest(), out, steps)
            }
            Root::Fact(fact) => fact::value(fact, self.facts, steps)?.descend(variable.rest(), out, steps),
        }
    }
}

impl<'f> Scope<'f> for Variables<'f> {
    fn resolve(&self, path: &Path, out: &mut Value<'f>, steps: &mut Steps) -> Result<(), Error> {
        if let Some(number) = self.facts.policy().variable_number(path)
            && let Some(value) = self.numbered(number, steps)?
        {
            out.clone_from(value);
            return Ok(());
        }
        // A path that is computed: one that leads nowhere is not there.
        match Variable::find(path) {
            Ok(variable) => self.look_up(&variable, out, steps),
            Err(_) => {
                *out = Value::Unknown;
                Ok(())
            }
        }
    }

    fn numbered(&self, number: u32, steps: &mut Steps) -> Result<Option<&Value<'f>>, Error> {
        let Some(cell) = self.values.get(number as usize) else { return Ok(None) };
        if let Some(value) = cell.get() {
            return Ok(Some(value));
        }
        let Some(variable) = self.variable(number) else { return Ok(None) };
        let mut value = Value::Unknown;
        self.look_up(variable, &mut value, steps)?;
        Ok(Some(cell.get_or_init(|| value)))
    }
}
