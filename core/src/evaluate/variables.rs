//! The variables of conditions, looked up on demand: each path once for all rules of a policy.

use alloc::vec::Vec;
use core::cell::OnceCell;

use adjudicate_lang::{
    Error, Steps,
    json::Node,
    logic::{Scope, Value, VariablePath},
};

use super::{fact, facts::Facts};
use crate::policy::{Root, Variable, declares};

/// The variables that the conditions of one policy see in one envelope.
pub(crate) struct Variables<'f> {
    facts: &'f Facts<'f>,
    input: Node<'f>,
    /// By number.
    values: Vec<OnceCell<Value<'f>>>,
}

impl<'f> Variables<'f> {
    /// Creates the variables without any value.
    pub(crate) fn new(facts: &'f Facts<'f>, input: Node<'f>) -> Self {
        let mut values = Vec::new();
        values.resize_with(facts.policy().variables().len(), OnceCell::new);
        Self { facts, input, values }
    }

    /// Returns true if the variable with this number is unknown.
    pub(super) fn is_unknown(&self, number: u32, steps: &mut Steps) -> Result<bool, Error> {
        Ok(self.numbered(number, steps)?.is_none_or(Value::is_unknown))
    }

    /// The pointer to the variable with this number, if it is part of the envelope.
    pub(super) fn pointer(&self, number: u32) -> Option<&'f str> {
        self.variable(number)?.pointer()
    }

    fn variable(&self, number: u32) -> Option<&'f Variable> {
        self.facts.policy().variables().get(number as usize)
    }

    /// Stores the value of a variable in `out`, whether or not a condition of the policy uses it.
    pub(crate) fn look_up(
        &self,
        variable: &Variable,
        out: &mut Value<'f>,
        steps: &mut Steps,
    ) -> Result<(), Error> {
        match variable.root() {
            Root::Input if self.is_hidden(variable, steps)? => {
                *out = Value::Unknown;
                Ok(())
            }
            Root::Input => Value::from(self.input).descend(variable.rest(), out, steps),
            Root::Parameter(parameter) => {
                let value = fact::number(self.facts.policy().parameter(parameter));
                value.descend(variable.rest(), out, steps)
            }
            Root::Fact(fact) => fact::value(fact, self.facts, steps)?.descend(variable.rest(), out, steps),
        }
    }

    /// Returns whether a part of the envelope is unknown to conditions because the policy's `inputs` do not declare it, or because
    /// it breaks them.
    fn is_hidden(&self, variable: &Variable, steps: &mut Steps) -> Result<bool, Error> {
        let Some(inputs) = self.facts.policy().inputs() else { return Ok(false) };
        if !(variable.rest().is_empty() || variable.is_input()) {
            return Ok(false);
        }
        let path: Vec<Option<&str>> = variable.rest().iter().map(|name| Some(&**name)).collect();
        if declares(inputs.schema(), &path, steps)?.is_err() {
            return Ok(true);
        }
        Ok(variable.pointer().is_some_and(|pointer| self.facts.breaches().hides(pointer)))
    }
}

impl<'f> Scope<'f> for Variables<'f> {
    fn resolve(&self, path: &VariablePath, out: &mut Value<'f>, steps: &mut Steps) -> Result<(), Error> {
        if let Some(number) = self.facts.policy().variable_number(path)
            && let Some(value) = self.numbered(number, steps)?
        {
            out.clone_from(value);
            return Ok(());
        }
        // A computed path that names no variable is unknown.
        match Variable::find(path) {
            Some(variable) => self.look_up(&variable, out, steps),
            None => {
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
