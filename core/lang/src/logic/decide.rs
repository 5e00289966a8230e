//! Decisions: conditions, comparisons, connectives, quantifiers, patterns.
//!
//! A decision is `Some(truth)`, or `None` for unknown, which exists only in strict mode. It fits into a register and a value does
//! not, so nested conditions avoid values.
//!
//! In strict mode, `and` and `or` follow Kleene's logic. An operand after an unknown condition might not be evaluated with more
//! data, so a type error there counts as unknown and not as an error.

use alloc::format;

use super::{
    cost::PART,
    evaluate::{Frame, Machine, MachineResult},
    operator::Operator,
    part::{Part, PartKind},
    strict, text,
    types::Types,
    value::Value,
};
use crate::{codes, error::Error};

impl<'v> Machine<'v, '_> {
    /// Evaluates a condition.
    pub(super) fn condition(&mut self, at: u32, frame: &Frame<'_, 'v>) -> MachineResult<Option<bool>> {
        let part = self.program.part(at);
        if part.decides {
            self.spend(PART, at)?;
            return self.decision(at, part, frame);
        }
        let mut slot = Value::Unknown;
        let coercions = self.program.coercions;
        match (self.value(at, frame, &mut slot)?, coercions) {
            (value, Some(coercions)) => Ok(Some((coercions.truthy)(value))),
            (Value::Bool(truth), None) => Ok(Some(*truth)),
            (Value::Unknown, None) => Ok(None),
            (value, None) => {
                let Some(parent) = self.program.parent(at) else {
                    let message = format!("a condition is {}, found {}", Types::BOOL, value.types());
                    return Err(self.fail(Error::new(codes::INVALID_EXPRESSION, message), at));
                };
                let asks = self.program.part(parent).kind.operator();
                Err(self.type_error(at, asks.unwrap_or(Operator::If), Types::BOOL, value))
            }
        }
    }

    /// Evaluates a condition after an unknown one; a type error counts as unknown.
    pub(super) fn speculation(&mut self, at: u32, frame: &Frame<'_, 'v>) -> MachineResult<Option<bool>> {
        self.condition(at, frame).or_else(|failed| if self.forgives() { Ok(None) } else { Err(failed) })
    }

    pub(super) fn decision(
        &mut self,
        at: u32,
        part: &'v Part,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Option<bool>> {
        match part.kind {
            PartKind::Glob(_) | PartKind::Regex(_) => self.matching(at, part, frame),
            PartKind::Operation(operator) => match operator {
                Operator::And => self.connective(part, false, frame),
                Operator::Or => self.connective(part, true, frame),
                Operator::Not => self.negation(part, frame),
                Operator::AllOf | Operator::NoneOf | Operator::SomeOf => {
                    self.quantifier(at, part, operator, frame)
                }
                _ => self.comparison(at, part, operator, frame),
            },
            // No other kind is a decision.
            _ => Ok(None),
        }
    }

    /// Evaluates `and`, which stops at false, or `or`, which stops at true.
    fn connective(
        &mut self,
        part: &'v Part,
        stop: bool,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Option<bool>> {
        let mut outcome = Some(!stop);
        for operand in part.operands() {
            let truth = match outcome {
                Some(_) => self.condition(operand, frame)?,
                None => self.speculation(operand, frame)?,
            };
            match truth {
                Some(truth) if truth == stop => return Ok(Some(stop)),
                Some(_) => {}
                None => outcome = None,
            }
        }
        Ok(outcome)
    }

    fn negation(&mut self, part: &'v Part, frame: &Frame<'_, 'v>) -> MachineResult<Option<bool>> {
        // A missing operand is `undefined`, which counts as false.
        let truth = if part.count > 0 { self.condition(part.first(), frame)? } else { Some(false) };
        Ok(truth.map(|truth| !truth))
    }

    /// Evaluates an operator that evaluates all operands first.
    #[inline(never)]
    fn comparison(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Option<bool>> {
        if let (None, 2) = (self.program.coercions, part.count) {
            return self.comparison_of_two(at, part, operator, frame);
        }
        let mut slots = [const { Value::Unknown }; 3];
        let operands = self.operands(part, frame, &mut slots)?;
        let outcome = match self.program.coercions {
            None => strict::decide(operator, operands, part.count(), self.steps),
            Some(coercions) => (coercions.decide)(operator, operands, self.steps).map(Some),
        };
        outcome.map_err(|error| self.fail(error, at))
    }

    /// The fast path of strict comparisons with two operands, the most common conditions.
    #[inline]
    fn comparison_of_two(
        &mut self,
        at: u32,
        part: &'v Part,
        operator: Operator,
        frame: &Frame<'_, 'v>,
    ) -> MachineResult<Option<bool>> {
        let mut slots = [const { Value::Unknown }; 2];
        let [left, right] = &mut slots;
        let left = self.value(part.first(), frame, left)?;
        let right = self.value(part.first() + 1, frame, right)?;
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

    /// Evaluates `glob` or `regex` with a precompiled pattern.
    #[inline(never)]
    fn matching(&mut self, at: u32, part: &'v Part, frame: &Frame<'_, 'v>) -> MachineResult<Option<bool>> {
        let mut slot = Value::Unknown;
        let subject = self.value(part.first(), frame, &mut slot)?;
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
                    return Err(self.type_error(part.first(), operator, Types::TEXT, subject));
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
        // The compiler assigned every index, so each is in range.
        found.transpose().map_err(|error| self.fail(error, at))
    }
}
