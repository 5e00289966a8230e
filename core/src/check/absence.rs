//! Questions about what is missing: `missing` lists what is unknown, so what it is to have says what is known.

use alloc::vec::Vec;

use adjudicate_lang::logic::{Expression, Operator, Path};

use super::{
    constant::Constant,
    want::Want,
    world::{Key, World},
};

/// How many paths are looked at.
const MOST_PATHS: usize = 64;

/// What such a question comes to.
pub(super) enum Absence<'p> {
    /// What is wanted, or not, whatever is missing.
    Settled(bool),
    /// What is wanted exactly where these variables are unknown, or known.
    Unknown(Vec<(Key<'p>, bool)>),
}

/// What has to be missing for a part to come to what is wanted; `None` if it asks for something else, or for more than
/// can be said so.
pub(super) fn absence<'p>(world: World<'p>, part: Expression<'p>, want: Want) -> Option<Absence<'p>> {
    let World::Policy(policy) = world else { return None };
    let mut operands = part.operands();
    let (left, right) = (operands.next()?, operands.next()?);
    let operator = part.operator()?;
    let is_unequal = matches!(operator, Operator::Unequal | Operator::NotSameAs);
    let (expected, mut paths) = match operator {
        Operator::In => (Vec::from([left.constant()?.as_text()?]), listed(right)?),
        Operator::Equal | Operator::SameAs | Operator::Unequal | Operator::NotSameAs => {
            let (list, missing) = if left.constant().is_some() { (left, right) } else { (right, left) };
            (Constant::from(list.constant()?).texts?, listed(missing)?)
        }
        _ => return None,
    };
    // What is looked for twice is listed twice.
    let is_repeated = |(at, path): (usize, &&str)| paths.iter().take(at).any(|earlier| earlier == path);
    if paths.len() > MOST_PATHS || paths.iter().enumerate().any(is_repeated) {
        return None;
    }
    if operator == Operator::In {
        paths.retain(|path| expected.contains(path));
    }
    let holds = want.holds() != is_unequal;
    if !paths.iter().filter(|path| expected.contains(path)).eq(&expected) {
        return Some(Absence::Settled(!holds));
    }
    // That it is not so of several leaves open of which.
    if paths.is_empty() || (!holds && paths.len() > 1) {
        return paths.is_empty().then_some(Absence::Settled(holds));
    }
    let mut unknown = Vec::new();
    for path in paths {
        let number = policy.variable_number(&Path::new(path))?;
        let key = world.key(policy.variables().get(number as usize)?.path())?;
        unknown.push((key, expected.contains(&path) == holds));
    }
    Some(Absence::Unknown(unknown))
}

/// The paths that `missing` looks for, if they are constants.
fn listed(part: Expression<'_>) -> Option<Vec<&str>> {
    if part.operator() != Some(Operator::Missing) {
        return None;
    }
    // A first operand that is a list has all of them.
    match Constant::from(part.operands().next()?.constant()?).texts {
        Some(texts) => Some(texts),
        None => part.operands().map(|operand| operand.constant()?.as_text()).collect(),
    }
}
