//! The checks of the compiler: operand counts and operand types.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString as _},
};

use super::{
    Mode, compat::Coercions, operator::Operator, part::CompiledPart, path::VariablePath, types::Types,
    value::Value,
};
use crate::steps::Steps;

/// The index of an operand, and its error.
type OperandError = (u32, String);

/// Checks the number of operands. In compat mode, the reference's operators take any number, except that `*` needs one.
pub(super) fn count(operator: Operator, count: usize, mode: Mode) -> Result<(), String> {
    let row = operator.signature();
    let (least, most) = match (mode, operator) {
        (Mode::Compat, Operator::Times) => (1, None),
        (Mode::Compat, _) if row.reference => return Ok(()),
        _ => (row.least, row.most),
    };
    if count >= least && most.is_none_or(|most| count <= most) {
        return Ok(());
    }
    let expected = match most {
        None => format!("{least} or more"),
        Some(most) if most == least => least.to_string(),
        Some(most) => format!("{least} to {most}"),
    };
    let plural = if expected == "1" { "" } else { "s" };
    Err(format!("`{}` takes {expected} operand{plural}, found {count}", row.name))
}

/// Returns the result types of an operation in strict mode. Fails if an operand can never have a type that the operator takes.
pub(super) fn types(operator: Operator, operands: &[CompiledPart]) -> Result<Types, OperandError> {
    let row = operator.signature();
    let mut found = Types::ANY;
    for (place, part) in operands.iter().enumerate() {
        // An ordering compares numbers with numbers, or strings with strings.
        let takes = if operator.orders() { row.takes_at(place).and(found) } else { row.takes_at(place) };
        fits(operator, place, takes, part)?;
        found = found.and(part.gives);
    }
    match operator {
        Operator::If | Operator::Ternary => branches(operator, operands),
        Operator::Log => Ok(found),
        _ => Ok(row.gives),
    }
}

/// Checks the conditions of `if`, and returns the types of its branches.
fn branches(operator: Operator, operands: &[CompiledPart]) -> Result<Types, OperandError> {
    // Without a last branch, the result is null.
    let mut gives = if operands.len().is_multiple_of(2) { Types::NULL } else { Types::NONE };
    for (place, part) in operands.iter().enumerate() {
        if place % 2 == 0 && place + 1 < operands.len() {
            fits(operator, place, Types::BOOL, part)?;
        } else {
            gives = gives.or(part.gives);
        }
    }
    Ok(gives)
}

fn fits(operator: Operator, place: usize, takes: Types, part: &CompiledPart) -> Result<(), OperandError> {
    if takes.meets(part.gives) {
        return Ok(());
    }
    Err((u32::try_from(place).unwrap_or(u32::MAX), operator.refusal(takes, part.gives)))
}

/// Returns the path that the first operand of `var` names.
pub(super) fn path(value: &Value<'_>, coercions: Option<&Coercions>) -> Result<VariablePath, String> {
    match (coercions, value) {
        (_, Value::Text(_) | Value::BuiltText(_)) => {
            Ok(VariablePath::new(value.as_text().unwrap_or_default()))
        }
        (None, Value::Number(number)) => match number.whole() {
            Some(index) if index >= 0 => Ok(VariablePath::new(&index.to_string())),
            _ => Err(format!("a path is a string or an index, found the number {number}")),
        },
        (None, other) => Err(Operator::Var.refusal(Types::ORDERED, other.types())),
        (Some(_), Value::Null | Value::Unknown) => Ok(VariablePath::new("")),
        (Some(coercions), other) => {
            // A scalar or a list of the expression, so the size of the expression bounds the work.
            let text = (coercions.text)(other, &mut Steps::default())
                .map_err(|error| error.message().to_string())?;
            // Only the empty string names all data, and not the empty text of an empty list.
            Ok(if text.is_empty() {
                VariablePath::from_segments(&[Box::default()])
            } else {
                VariablePath::new(&text)
            })
        }
    }
}
