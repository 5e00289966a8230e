//! The names that conditions compare with the items of a list.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    string::String,
    vec::Vec,
};

use adjudicate_lang::logic::{Expression, Form, Operator, Value};

use crate::check::constant::Constant;

/// Returns the texts that a condition compares with items of lists, by the JSON Pointer of the variable that is the list.
pub(super) fn compared_names(root: Expression<'_>) -> BTreeMap<String, BTreeSet<&str>> {
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut pending = Vec::from([(root, None)]);
    while let Some((part, list)) = pending.pop() {
        if let Some((list, constant)) = comparison(part, list) {
            let names = Constant::from(constant).all_texts();
            if !names.is_empty() {
                found.entry(list.pointer()).or_default().extend(names);
            }
        }
        let is_iteration = part.operator().is_some_and(Operator::iterates);
        let items = part.operands().next().filter(|_| is_iteration).and_then(list_of);
        let inner = part.operands().enumerate();
        pending.extend(inner.map(|(place, operand)| match is_iteration && place == 1 {
            true => (operand, items),
            false => (operand, list),
        }));
    }
    found
}

/// Returns the list and the constant of a comparison of items with a constant. `list` is the list of the iteration around it.
fn comparison<'p>(
    part: Expression<'p>,
    list: Option<Expression<'p>>,
) -> Option<(Expression<'p>, &'p Value<'p>)> {
    let compares = matches!(
        part.operator()?,
        Operator::In | Operator::Equal | Operator::SameAs | Operator::Unequal | Operator::NotSameAs
    );
    let mut operands = part.operands();
    let (left, right) = (operands.next()?, operands.next()?);
    let (constant, other) = match (left.constant(), right.constant()) {
        _ if !compares => return None,
        (Some(constant), _) => (constant, right),
        (None, constant) => (constant?, left),
    };
    let is_item = matches!(other.form(), Form::Variable(path) if path.segments().is_empty());
    Some((if is_item { list? } else { list_of(other)? }, constant))
}

/// Returns the variable from which the items of a list come: the list itself, or that of a `filter`.
fn list_of(part: Expression<'_>) -> Option<Expression<'_>> {
    match (part.form(), part.operator()) {
        (Form::Variable(_), _) => Some(part),
        (_, Some(Operator::Filter)) => list_of(part.operands().next()?),
        _ => None,
    }
}
