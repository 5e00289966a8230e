//! The unknown variables that the bodies of iterations read from items, as variables of the whole data.

use alloc::{
    boxed::Box,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Error, Steps,
    logic::{Expression, Form, Operator, Program, Scope as _, Value, VariablePath},
};

use super::variables::Variables;
use crate::policy::Variable;

/// Returns the variables in bodies of iterations that are unknown, in the order of the text: of each, the one of the first item
/// without a value, such as `facts.diff.files.2.insertions`.
pub(super) fn unknown_item_variables<'f>(
    condition: &'f Program,
    variables: &Variables<'f>,
    steps: &mut Steps,
) -> Result<Vec<Variable>, Error> {
    let mut unknown = Vec::new();
    for variable in condition.variables().into_iter().filter(|variable| variable.in_iteration) {
        let Some((list, inner)) = path_of(variable.expression) else { continue };
        let mut items = Value::Unknown;
        variables.resolve(list, &mut items, steps)?;
        let mut path = list.to_string();
        if find_unknown(&items, &inner, &mut path, steps)? {
            unknown.extend(Variable::find(&VariablePath::new(&path)));
        }
    }
    Ok(unknown)
}

/// The path from a list to a value in its items.
struct ItemPath<'p> {
    /// The conditions on the items.
    filters: Vec<Expression<'p>>,
    names: &'p [Box<str>],
}

/// Returns the path of the outermost list, and those within its items and the items of inner lists, outermost first. Returns `None`
/// for the item itself, for an accumulator, and for items of computed lists.
fn path_of(variable: Expression<'_>) -> Option<(&VariablePath, Vec<ItemPath<'_>>)> {
    let mut inner = Vec::new();
    let mut reader = variable;
    loop {
        // A default replaces an unknown value.
        let (Form::Variable(path), ..2) = (reader.form(), reader.operands().len()) else { return None };
        let Some(iteration) = reader.iteration() else {
            inner.reverse();
            return Some((path, inner));
        };
        let mut names = path.segments();
        if iteration.operator() == Some(Operator::Reduce) {
            let (first, others) = names.split_first()?;
            if **first != *"current" {
                return None;
            }
            names = others;
        }
        if names.is_empty() && inner.is_empty() {
            return None;
        }
        reader = iteration.operands().next()?;
        let mut filters = Vec::new();
        while reader.operator() == Some(Operator::Filter) {
            let mut operands = reader.operands();
            reader = operands.next()?;
            filters.extend(operands.next());
        }
        inner.push(ItemPath { filters, names });
    }
}

/// Extends the path of a list by the path to the first value in its items that is unknown. Returns whether there is one.
fn find_unknown<'f>(
    list: &Value<'f>,
    inner: &[ItemPath<'f>],
    path: &mut String,
    steps: &mut Steps,
) -> Result<bool, Error> {
    let Some((ItemPath { filters, names }, inner)) = inner.split_first() else {
        return Ok(list.is_unknown());
    };
    let own = path.len();
    for (index, item) in list.items().into_iter().flatten().enumerate() {
        if filters.iter().any(|filter| matches!(filter.holds(&item, steps), Ok(Some(false)))) {
            continue;
        }
        let mut value = Value::Unknown;
        item.descend(names, &mut value, steps)?;
        for name in [&*index.to_string()].into_iter().chain(names.iter().map(|name| &**name)) {
            path.push('.');
            path.push_str(name);
        }
        if find_unknown(&value, inner, path, steps)? {
            return Ok(true);
        }
        path.truncate(own);
    }
    Ok(false)
}
