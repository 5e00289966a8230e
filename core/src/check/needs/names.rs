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
    let mut pending = Vec::from([(root, Vec::new())]);
    while let Some((part, lists)) = pending.pop() {
        if let Some((lists, constant)) = comparison(part, &lists) {
            let names = Constant::from(constant).all_texts();
            for list in lists.iter().filter(|_| !names.is_empty()) {
                found.entry(list.pointer()).or_default().extend(&names);
            }
        }
        let is_iteration = part.operator().is_some_and(Operator::iterates);
        let items = part.operands().next().filter(|_| is_iteration).map(lists_of).unwrap_or_default();
        let inner = part.operands().enumerate();
        pending.extend(inner.map(|(place, operand)| match is_iteration && place == 1 {
            true => (operand, items.clone()),
            false => (operand, lists.clone()),
        }));
    }
    found
}

/// Returns the lists and the constant of a comparison of items with a constant. `lists` are those of the iteration around it.
fn comparison<'p>(
    part: Expression<'p>,
    lists: &[Expression<'p>],
) -> Option<(Vec<Expression<'p>>, &'p Value<'p>)> {
    let mut operands = part.operands();
    let (left, right) = (operands.next()?, operands.next()?);
    let (constant, other) = match (left.constant(), right.constant()) {
        _ if !part.operator()?.equates() => return None,
        (Some(constant), _) => (constant, right),
        (None, constant) => (constant?, left),
    };
    let is_item = matches!(other.form(), Form::Variable(path) if path.segments().is_empty());
    Some((if is_item { lists.to_vec() } else { lists_of(other) }, constant))
}

/// Returns the variables from which the items of a list come: the list itself, that of a `filter`, or those of a `merge`.
fn lists_of(list: Expression<'_>) -> Vec<Expression<'_>> {
    let mut found = Vec::new();
    let mut pending = Vec::from([list]);
    while let Some(part) = pending.pop() {
        match (part.form(), part.operator()) {
            (Form::Variable(_), _) => found.push(part),
            (_, Some(Operator::Filter)) => pending.extend(part.operands().next()),
            (_, Some(Operator::Merge)) => pending.extend(part.operands()),
            _ => {}
        }
    }
    found
}
