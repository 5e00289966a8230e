//! Conditions, and the operations that decide something: comparisons, connectives, quantifiers, patterns.
//!
//! A decision is `Some` truth, or `None` if that is unknown, which it never is in compat mode. It fits into a register
//! where a value does not, so conditions within conditions are decided without one.
//!
//! In strict mode `and` and `or` are Kleene's. Behind a condition that is unknown an operand might not be evaluated
//! at all if more were known; so a type error there is no error but one more thing unknown.

use alloc::format;

use super::{
    evaluate::{Machine, Outcome, PART, Place},
    operator::Operator,
    program::{Part, PartKind},
    strict, text,
    types::Types,
    value::Value,
};
use crate::{codes, error::Error};

impl<'v> Machine<'v, '_> {
    /// Whether a condition holds.
    pub(super) fn condition(&mut self, at: u32, place: &Place<'_, 'v>) -> Outcome<Option<bool>> {
        let part = self.program.part(at);
        if part.decides {
            self.spend(PART, at)?;
            return self.decision(at, part, place);
        }
        let mut room = Value::Unknown;
        let coercions = self.program.coercions;
        match (self.value(at, place, &mut room)?, coercions) {
            (value, Some(coercions)) => Ok(Some((coercions.truthy)(value))),
            (Value::Bool(truth), None) => Ok(Some(*truth)),
            (Value::Unknown, None) => Ok(None),
            (value, None) => {
                let Some(parent) = self.program.parent(at) else {
                    let message = format!("a condition is {}, found {}", Types::BOOL, value.types());
                    return Err(self.fail(Error::new(codes::INVALID_EXPRESSION, message), at));
                };
                let asks = self.program.part(parent).kind.operator();
                Err(self.misfit(at, asks.unwrap_or(Operator::If), Types::BOOL, value))
            }
        }
    }

    /// Whether a condition holds that might not be asked for if more were known.
    pub(super) fn speculation(&mut self, at: u32, place: &Place<'_, 'v>) -> Outcome<Option<bool>> {
        self.condition(at, place).or_else(|failed| if self.forgives() { Ok(None) } else { Err(failed) })
    }

    pub(super) fn decision(
        &mut self,
        at: u32,
        part: &'v Part,
        place: &Place<'_, 'v>,
    ) -> Outcome<Option<bool>> {
        match part.kind {
            PartKind::Glob(_) | PartKind::Regex(_) => self.matching(at, part, place),
            PartKind::Operation(operator) => match operator {
                Operator::And => self.connective(part, false, place),
                Operator::Or => self.connective(part, true, place),
                Operator::Not => self.negation(part, place),
                Operator::AllOf | Operator::NoneOf | Operator::SomeOf => {
                    self.quantifier(at, part, operator, place)
                }
                _ => self.comparison(at, part, operator, place),
            },
            // Nothing else decides.
            _ => Ok(None),
        }
    }

    /// `and`, which stops at false, and `or`, which stops at true.
    fn connective(&mut self, part: &'v Part, stop: bool, place: &Place<'_, 'v>) -> Outcome<Option<bool>> {
        let mut outcome = Some(!stop);
        for operand in part.operands() {
            let truth = match outcome {
                Some(_) => self.condition(operand, place)?,
                None => self.speculation(operand, place)?,
            };
            match truth {
                Some(truth) if truth == stop => return Ok(Some(stop)),
                Some(_) => {}
                None => outcome = None,
            }
        }
        Ok(outcome)
    }

    fn negation(&mut self, part: &'v Part, place: &Place<'_, 'v>) -> Outcome<Option<bool>> {
        // `undefined` is not true.
        let truth = if part.count > 0 { self.condition(part.first(), place)? } else { Some(false) };
        Ok(truth.map(|truth| !truth))
    }

    /// An operator that evaluates its operands first.
    #[inline(never)]
    fn comparison(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        place: &Place<'_, 'v>,
    ) -> Outcome<Option<bool>> {
        if let (None, 2) = (self.program.coercions, part.count) {
            return self.comparison_of_two(at, part, operator, place);
        }
        let mut rooms = [const { Value::Unknown }; 3];
        let operands = self.operands(part, place, &mut rooms)?;
        let outcome = match self.program.coercions {
            None => strict::decide(operator, operands, part.count(), self.steps),
            Some(coercions) => (coercions.decide)(operator, operands, self.steps).map(Some),
        };
        outcome.map_err(|error| self.fail(error, at))
    }

    /// What most conditions are made of.
    #[inline]
    fn comparison_of_two(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        place: &Place<'_, 'v>,
    ) -> Outcome<Option<bool>> {
        let mut rooms = [const { Value::Unknown }; 2];
        let [left, right] = &mut rooms;
        let left = self.value(part.first(), place, left)?;
        let right = self.value(part.first() + 1, place, right)?;
        if let (Value::Number(left), Value::Number(right)) = (left, right)
            && let Some(accepts) = strict::accepts(operator)
        {
            return Ok(left.compare(right).map(accepts));
        }
        if let Some(wanted) = strict::equates(operator)
            && let (Some(left), Some(right)) = (left.as_text(), right.as_text())
        {
            if left.len() != right.len() {
                return Ok(Some(!wanted));
            }
            self.spend(left.len(), at)?;
            return Ok(Some((left == right) == wanted));
        }
        let outcome = strict::decide(operator, [left, right, &Value::Unknown], part.count(), self.steps);
        outcome.map_err(|error| self.fail(error, at))
    }

    /// `glob` and `regex` with a pattern that was compiled before.
    #[inline(never)]
    fn matching(&mut self, at: u32, part: &'v Part, place: &Place<'_, 'v>) -> Outcome<Option<bool>> {
        let mut room = Value::Unknown;
        let subject = self.value(part.first(), place, &mut room)?;
        let written;
        let text = match subject.as_text() {
            Some(text) => text,
            None => match self.program.coercions {
                Some(coercions) => {
                    written = (coercions.text)(subject, self.steps).map_err(|error| self.fail(error, at))?;
                    &written
                }
                None if subject.is_unknown() => return Ok(None),
                None => {
                    let operator = part.kind.operator().unwrap_or(Operator::Glob);
                    return Err(self.misfit(part.first(), operator, Types::TEXT, subject));
                }
            },
        };
        let program = self.program;
        let found = match part.kind {
            PartKind::Glob(index) => {
                let glob =
                    program.patterns.as_ref().and_then(|patterns| patterns.globs.get(usize::from(index)));
                glob.map(|glob| text::matches_glob(glob, text, self.steps))
            }
            PartKind::Regex(index) => {
                let regex =
                    program.patterns.as_ref().and_then(|patterns| patterns.regexes.get(usize::from(index)));
                regex.map(|regex| regex.matches(text, self.steps))
            }
            _ => None,
        };
        // Every number in the tables was given out by the compiler.
        found.transpose().map_err(|error| self.fail(error, at))
    }
}
