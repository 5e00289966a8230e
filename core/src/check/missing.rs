//! Derives from a condition on the operator `missing` which variables are known and which are unknown.

use alloc::vec::Vec;

use adjudicate_lang::logic::{Expression, Operator, VariablePath};

use super::{
    abstract_state::Conflict,
    constant::Constant,
    expected_truth::ExpectedTruth,
    inputs::Checked,
    scope::{Key, VariableScope},
};

/// The most paths that are considered.
const MOST_PATHS: usize = 64;

/// The variables that must be unknown (true) or known (false) for a part to have the wanted truth value; `None` if the part has no
/// `missing`, or is too complex.
pub(super) fn missing_variables<'p>(
    scope: VariableScope<'p>,
    part: Expression<'p>,
    expected: ExpectedTruth,
) -> Option<Result<Vec<(Key<'p>, bool)>, Conflict>> {
    let VariableScope::Policy(Checked { policy, .. }) = scope else { return None };
    let mut operands = part.operands();
    let (left, right) = (operands.next()?, operands.next()?);
    let operator = part.operator()?;
    let is_unequal = matches!(operator, Operator::Unequal | Operator::NotSameAs);
    let (listed, mut paths) = match operator {
        Operator::In => (Vec::from([left.constant()?.as_text()?]), listed(right)?),
        Operator::Equal | Operator::SameAs | Operator::Unequal | Operator::NotSameAs => {
            let (list, missing) = if left.constant().is_some() { (left, right) } else { (right, left) };
            (Constant::from(list.constant()?).texts?, listed(missing)?)
        }
        _ => return None,
    };
    // `missing` lists a repeated path twice.
    let is_repeated = |(at, path): (usize, &&str)| paths.iter().take(at).any(|earlier| earlier == path);
    if paths.len() > MOST_PATHS || paths.iter().enumerate().any(is_repeated) {
        return None;
    }
    if operator == Operator::In {
        paths.retain(|path| listed.contains(path));
    }
    let holds = expected.holds() != is_unequal;
    if !paths.iter().filter(|path| listed.contains(path)).eq(&listed) {
        return Some(if holds { Err(Conflict::Values) } else { Ok(Vec::new()) });
    }
    if paths.is_empty() {
        return Some(if holds { Ok(Vec::new()) } else { Err(Conflict::Values) });
    }
    // A false condition on several paths does not fix which of them is known.
    if !holds && paths.len() > 1 {
        return None;
    }
    let mut unknown = Vec::new();
    for path in paths {
        let key = scope.key(policy.variable(&VariablePath::new(path))?.path())?;
        unknown.push((key, listed.contains(&path) == holds));
    }
    Some(Ok(unknown))
}

/// The paths of a `missing`, if they are constants.
fn listed(part: Expression<'_>) -> Option<Vec<&str>> {
    if part.operator() != Some(Operator::Missing) {
        return None;
    }
    // A list as first operand has all paths.
    match Constant::from(part.operands().next()?.constant()?).texts {
        Some(texts) => Some(texts),
        None => part.operands().map(|operand| operand.constant()?.as_text()).collect(),
    }
}
