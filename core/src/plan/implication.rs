//! Implication: comparisons that hold for every value that a schema allows.
//!
//! The check uses only the type, bounds, `const` and `enum` of a field that is required at every step of its path. So `true` is
//! certain, and `false` may mean unknown.

use alloc::vec::Vec;
use core::cmp::Ordering;

use adjudicate_lang::{
    Error, Steps,
    json::Node,
    logic::{Expression, Form, Number, Operator, Program, Scope, Types, Value, VariablePath},
};

use super::schema;
use crate::check::{expected_truth::ExpectedTruth, orders::comparisons, range::Range};

/// The cost of one part, in steps.
const LOOK: usize = 16;

/// Returns true if the expression provably holds for everything that the schema allows.
pub(super) fn holds(program: &Program, schema: Node<'_>, steps: &mut Steps) -> Result<bool, Error> {
    Implication { schema, steps }.holds(program.root())
}

struct Implication<'t, 's> {
    schema: Node<'t>,
    steps: &'s mut Steps,
}

impl<'t> Implication<'t, '_> {
    fn holds(&mut self, part: Expression<'_>) -> Result<bool, Error> {
        self.steps.spend(LOOK)?;
        let Some(operator) = part.operator() else { return Ok(false) };
        match operator {
            Operator::And => self.all(part),
            // An operand before the one that holds could fail on a type error, so only the first counts.
            Operator::Or => match part.operands().next() {
                Some(first) if self.holds(first)? => Ok(true),
                _ => self.holds_of_each(part),
            },
            Operator::Truth => self.all(part),
            _ => Ok(self.compares(part)? || self.holds_of_each(part)?),
        }
    }

    fn all(&mut self, part: Expression<'_>) -> Result<bool, Error> {
        for operand in part.operands() {
            if !self.holds(operand)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if a comparison holds for all values within the ranges of its operands.
    fn compares(&mut self, part: Expression<'_>) -> Result<bool, Error> {
        let mut is_any = false;
        for (orders, [left, right]) in comparisons((part, ExpectedTruth::True)) {
            let (Some(left), Some(right)) = (self.range(left)?, self.range(right)?) else { return Ok(false) };
            if left.may_be(orders.others(), &right) {
                return Ok(false);
            }
            is_any = true;
        }
        Ok(is_any)
    }

    /// The range of an operand that is known to be a number.
    fn range(&mut self, operand: Expression<'_>) -> Result<Option<Range>, Error> {
        self.steps.spend(LOOK)?;
        if let Some(constant) = operand.constant() {
            return Ok(constant.as_number().map(Range::only));
        }
        if let Form::Variable(path) = operand.form() {
            let is_number = |schema: &Node<'t>| {
                schema::has_type(*schema, "number") || schema::has_type(*schema, "integer")
            };
            return Ok(self.find(path, &operand)?.filter(is_number).map(range_of_number));
        }
        match (operand.operator(), operand.operands().next()) {
            (Some(Operator::Length), Some(counted)) => match counted.form() {
                Form::Variable(path) => Ok(self.find(path, &counted)?.and_then(range_of_length)),
                Form::Operation(Operator::Missing) if self.is_all_there(counted)? => {
                    Ok(Some(Range::only(&Number::ZERO)))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Returns true if every path of a `missing` is required.
    fn is_all_there(&mut self, missing: Expression<'_>) -> Result<bool, Error> {
        for operand in missing.operands() {
            let Some(path) = operand.constant().and_then(Value::as_text) else { return Ok(false) };
            if self.at(&VariablePath::new(path))?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if an expression holds for each value of its variable's `const` or `enum`, or for every value of its type.
    fn holds_of_each(&mut self, part: Expression<'_>) -> Result<bool, Error> {
        let Some((path, variable)) = only_variable(part) else { return Ok(false) };
        let Some(schema) = self.find(path, &variable)? else { return Ok(false) };
        let listed = match (schema.member("const"), schema.member("enum")) {
            (Some(constant), _) => Vec::from([constant]),
            (None, Some(list)) => list.items().collect(),
            (None, None) => return Ok(differs(part, schema)),
        };
        for value in &listed {
            let held = part.holds(&Only { path, value: Value::from(*value) }, self.steps);
            // A type error does not hold.
            if !matches!(held, Ok(Some(true))) {
                return Ok(false);
            }
        }
        Ok(!listed.is_empty())
    }

    /// The schema of a variable without a default.
    fn find(&mut self, path: &VariablePath, variable: &Expression<'_>) -> Result<Option<Node<'t>>, Error> {
        if variable.operands().len() > 1 {
            return Ok(None);
        }
        self.at(path)
    }

    /// The schema at a path if every step of the path is required.
    fn at(&mut self, path: &VariablePath) -> Result<Option<Node<'t>>, Error> {
        let mut schema = self.schema;
        if path.segments().is_empty() {
            return Ok(None);
        }
        for segment in path.segments() {
            let weight = |name| schema.member(name).map_or(0, Node::len);
            self.steps.spend(LOOK + schema.len() + weight("properties") + weight("required"))?;
            match schema::member(schema, segment, true) {
                Some(member) => schema = member,
                None => return Ok(None),
            }
        }
        Ok(Some(schema))
    }
}

/// The path that all variables of an expression share, and one of them; `None` for several, computed or defaulted paths.
fn only_variable(part: Expression<'_>) -> Option<(&VariablePath, Expression<'_>)> {
    let mut only: Option<(&VariablePath, Expression<'_>)> = None;
    let mut pending = Vec::from([(part, false)]);
    while let Some((part, is_body)) = pending.pop() {
        match (part.form(), part.operator()) {
            // Variables in the body of an iteration read items.
            (_, Some(Operator::Var)) if is_body => {}
            (Form::Variable(path), _) if part.operands().len() < 2 => match only {
                Some((other, _)) if other != path => return None,
                _ => only = Some((path, part)),
            },
            (_, Some(Operator::Var | Operator::Missing | Operator::MissingSome)) => return None,
            _ => {}
        }
        let iterates = part.operator().is_some_and(Operator::iterates);
        let operands = part.operands().enumerate();
        pending.extend(operands.map(|(place, operand)| (operand, is_body || (iterates && place == 1))));
    }
    only
}

/// Returns true if an expression compares its variable for inequality with a constant of a type that its schema excludes.
fn differs(part: Expression<'_>, schema: Node<'_>) -> bool {
    let is_unequal = matches!(part.operator(), Some(Operator::Unequal | Operator::NotSameAs));
    let is_variable = |operand: &Expression<'_>| matches!(operand.form(), Form::Variable(_));
    let constant = part.operands().find_map(Expression::constant);
    let types = schema.member("type").map(|types| match types.as_str() {
        Some(name) => types_of(name),
        None => types.items().filter_map(Node::as_str).fold(Types::NONE, |all, name| all | types_of(name)),
    });
    match (constant, types) {
        (Some(constant), Some(types)) => {
            is_unequal
                && part.operands().any(|operand| is_variable(&operand))
                && !types.meets(constant.types())
        }
        _ => false,
    }
}

/// The types that a JSON Schema type name allows; all types for an unknown name.
fn types_of(name: &str) -> Types {
    match name {
        "null" => Types::NULL,
        "boolean" => Types::BOOL,
        "number" | "integer" => Types::NUMBER,
        "string" => Types::TEXT,
        "array" => Types::LIST,
        "object" => Types::OBJECT,
        _ => Types::ANY,
    }
}

/// A scope with one variable.
struct Only<'v, 'p> {
    path: &'p VariablePath,
    value: Value<'v>,
}

impl<'v> Scope<'v> for Only<'v, '_> {
    fn resolve(&self, path: &VariablePath, out: &mut Value<'v>, _: &mut Steps) -> Result<(), Error> {
        *out = if path == self.path { self.value.clone() } else { Value::Unknown };
        Ok(())
    }
}

/// The range that a schema gives a number.
fn range_of_number(schema: Node<'_>) -> Range {
    let end = |included: &str, excluded: &str, wanted: Ordering| {
        let number = |name: &str| schema.member(name).and_then(Node::as_number).map(Number::read);
        match (number(included), number(excluded)) {
            (Some(at), Some(beyond)) if at.compare(&beyond) == Some(wanted) => Some((at, true)),
            (_, Some(beyond)) => Some((beyond, false)),
            (at, None) => at.map(|at| (at, true)),
        }
    };
    Range {
        low: end("minimum", "exclusiveMinimum", Ordering::Greater),
        high: end("maximum", "exclusiveMaximum", Ordering::Less),
        ..Range::ANY
    }
}

/// The range that a schema gives the length of a string, array or object.
fn range_of_length(schema: Node<'_>) -> Option<Range> {
    const COUNTED: [(&str, &str, &str); 3] = [
        ("string", "minLength", "maxLength"),
        ("array", "minItems", "maxItems"),
        ("object", "minProperties", "maxProperties"),
    ];
    let (_, least, most) = COUNTED.into_iter().find(|(name, _, _)| schema::has_type(schema, name))?;
    let number = |name: &str| schema.member(name).and_then(Node::as_number).map(Number::read);
    let low = number(least).unwrap_or(Number::ZERO);
    Some(Range { low: Some((low, true)), high: number(most).map(|high| (high, true)), ..Range::ANY })
}

#[cfg(test)]
mod tests;
