//! What can be known to be wrong before anything is evaluated.

use alloc::{
    boxed::Box,
    format,
    string::{String, ToString as _},
};

use super::{
    Mode, compat::Coercions, compile::Draft, operator::Operator, path::Path, types::Types, value::Value,
};
use crate::steps::Steps;

/// The place of an operand, and what is wrong with it.
type Misfit = (u32, String);

/// Whether an operator can have so many operands. The reference leaves operands it does not know alone, and has a
/// meaning for ones that are not there, except that nothing is no product.
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

/// What a strict operation may give; an error for an operand that can never be what it takes.
pub(super) fn types(operator: Operator, operands: &[Draft]) -> Result<Types, Misfit> {
    let row = operator.signature();
    let mut found = Types::ANY;
    for (place, draft) in operands.iter().enumerate() {
        // Numbers are compared with numbers, and strings with strings.
        let takes = if operator.orders() { row.takes_at(place).and(found) } else { row.takes_at(place) };
        fits(operator, place, takes, draft)?;
        found = found.and(draft.gives);
    }
    match operator {
        Operator::If | Operator::Ternary => branches(operator, operands),
        Operator::Log => Ok(found),
        _ => Ok(row.gives),
    }
}

/// What the branches of `if` may give, which conditions stand between.
fn branches(operator: Operator, operands: &[Draft]) -> Result<Types, Misfit> {
    // Without a last branch there is null.
    let mut gives = if operands.len().is_multiple_of(2) { Types::NULL } else { Types::NONE };
    for (place, draft) in operands.iter().enumerate() {
        if place % 2 == 0 && place + 1 < operands.len() {
            fits(operator, place, Types::BOOL, draft)?;
        } else {
            gives = gives.or(draft.gives);
        }
    }
    Ok(gives)
}

fn fits(operator: Operator, place: usize, takes: Types, draft: &Draft) -> Result<(), Misfit> {
    if takes.meets(draft.gives) {
        return Ok(());
    }
    Err((u32::try_from(place).unwrap_or(u32::MAX), refusal(operator, takes, draft.gives)))
}

/// `` `+` takes a number, found a string ``
pub(super) fn refusal(operator: Operator, takes: Types, found: Types) -> String {
    format!("`{}` takes {takes}, found {found}", operator.name())
}

/// The path that the first operand of `var` names.
pub(super) fn path(value: &Value<'_>, coercions: Option<&Coercions>) -> Result<Path, String> {
    match (coercions, value) {
        (_, Value::Text(_) | Value::BuiltText(_)) => Ok(Path::new(value.as_text().unwrap_or_default())),
        (None, Value::Number(number)) => match number.whole() {
            Some(index) if index >= 0 => Ok(Path::new(&index.to_string())),
            _ => Err(format!("a path is a string or an index, found the number {number}")),
        },
        (None, other) => Err(refusal(Operator::Var, Types::ORDERED, other.types())),
        (Some(_), Value::Null | Value::Unknown) => Ok(Path::new("")),
        (Some(coercions), other) => {
            // A scalar, or a list of the expression: what it takes to write one is bounded by its size.
            let text = (coercions.text)(other, &mut Steps::default())
                .map_err(|error| error.message().to_string())?;
            // Only the empty string is all of the data, and not the empty text of an empty list.
            Ok(if text.is_empty() { Path::of(&[Box::default()]) } else { Path::new(&text) })
        }
    }
}
