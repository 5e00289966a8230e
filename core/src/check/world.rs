//! What variables there are, and what they may be before anything is asked of them.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error, Steps,
    logic::{Expression, Form, Operator, Path, Scope, Value},
};

use super::{
    domain::Domain,
    outputs::Outputs,
    shape::{self, Place, Shape},
    want::{Test, Want},
};
use crate::{
    codes,
    policy::{Fact, Parameter, Policy, Root},
};

/// What variables lead into.
#[derive(Clone, Copy)]
pub(super) enum World<'p> {
    /// The roots of a policy's conditions.
    Policy(&'p Policy),
    /// An item of a list.
    Item(Shape),
    /// An output, or an item of a list in it.
    Output(Outputs<'p>),
}

/// Which variable it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'p> {
    /// A whole fact.
    Fact(Fact),
    /// Anything else, by its path.
    Path(&'p Path),
}

impl<'p> World<'p> {
    /// Which variable a path leads to; `None` for a parameter, which is none here.
    #[inline(never)]
    pub(super) fn key(self, path: &'p Path) -> Option<Key<'p>> {
        let Self::Policy(policy) = self else { return Some(Key::Path(path)) };
        match root(policy, path) {
            Some((Root::Parameter(_), _)) => None,
            Some((Root::Fact(fact), true)) => Some(Key::Fact(fact)),
            _ => Some(Key::Path(path)),
        }
    }

    /// The value of a parameter.
    pub(super) fn parameter(self, path: &Path) -> Option<u64> {
        let Self::Policy(policy) = self else { return None };
        match root(policy, path) {
            Some((Root::Parameter(parameter), true)) => Some(policy.parameter(parameter)),
            _ => None,
        }
    }

    /// What a variable may be before anything is asked of it.
    pub(super) fn domain(self, key: Key<'p>) -> Domain<'p> {
        let place = match (self, key) {
            (Self::Policy(policy), Key::Fact(fact)) => return of_fact(policy, fact),
            (Self::Policy(policy), Key::Path(path)) => shape::of_path(policy, path),
            (Self::Item(shape), Key::Path(path)) => shape.lead(path.segments()),
            (Self::Output(outputs), Key::Path(path)) => return *outputs.domain(path.segments()),
            (_, Key::Fact(_)) => Ok(Place { shape: Shape::Any, optional: true, nullable: true }),
        };
        place.map_or_else(|_| Domain::absent(), Domain::of)
    }

    /// Whether a path leads to that variable.
    fn is(self, key: Key<'_>, path: &Path) -> bool {
        match (self, key) {
            (_, Key::Path(known)) => known == path,
            (Self::Policy(policy), Key::Fact(fact)) => root(policy, path) == Some((Root::Fact(fact), true)),
            (_, Key::Fact(_)) => false,
        }
    }

    /// The items of a list.
    pub(super) fn items(self, key: Key<'p>, list: Shape) -> Self {
        match (self, key) {
            (Self::Output(outputs), Key::Path(path)) => {
                outputs.inside(path).map_or(Self::Item(Shape::Any), Self::Output)
            }
            _ => Self::Item(list.item()),
        }
    }

    /// Whether a variable, or without one the whole, can have that value, as far as a schema says more of it than its domain.
    pub(super) fn may_be(self, key: Option<Key<'_>>, value: &Value<'_>) -> bool {
        match (self, key) {
            (Self::Output(outputs), Some(Key::Path(path))) => outputs.may_be(path.segments(), value),
            (Self::Output(outputs), None) => outputs.may_be(&[], value),
            _ => true,
        }
    }
}

/// What a fact may be under a policy.
fn of_fact<'p>(policy: &Policy, fact: Fact) -> Domain<'p> {
    let place =
        Place { shape: shape::of_fact(fact), optional: fact.row().unknown.is_some(), nullable: false };
    let mut domain = Domain::of(place);
    let none = match fact {
        Fact::DiffForbidden => policy.forbidden_paths().is_empty(),
        Fact::DiffProtected => policy.protected_paths().is_empty(),
        _ => false,
    };
    if none {
        domain.unknown = false;
        domain.list.length.be_zero();
    }
    if fact == Fact::RefinementCap {
        domain.range.at_most(&policy.parameter(Parameter::RefinementCap).into(), true);
    }
    domain
}

/// Where a path begins, and whether it ends there. What the envelope calls otherwise is the fact that it is.
fn root(policy: &Policy, path: &Path) -> Option<(Root, bool)> {
    let number = policy.variable_number(path)?;
    let variable = policy.variables().get(number as usize)?;
    let names = ["evidence", "validation", "mechanical_outcome"];
    if variable.root() == Root::Input && variable.rest().iter().map(|name| &**name).eq(names) {
        return Some((Root::Fact(Fact::Outcome), true));
    }
    Some((variable.root(), variable.rest().is_empty()))
}

/// What a part asks for, parameters aside.
pub(super) enum Asked<'p> {
    Nothing,
    One(Key<'p>),
    Several,
    /// What is computed could be any.
    Computed,
}

pub(super) fn asked<'p>(world: World<'p>, part: Expression<'p>, steps: &mut Steps) -> Asked<'p> {
    let mut asked = Asked::Nothing;
    let mut pending = Vec::from([part]);
    while let Some(part) = pending.pop() {
        let _ = steps.spend(1);
        match (part.form(), part.operator()) {
            (Form::Variable(path), _) => match (world.key(path), &asked) {
                (Some(key), Asked::Nothing) => asked = Asked::One(key),
                (Some(key), Asked::One(known)) if *known != key => asked = Asked::Several,
                _ => {}
            },
            (_, Some(Operator::Var | Operator::Missing | Operator::MissingSome)) => return Asked::Computed,
            _ => {}
        }
        let iterates = part.operator().is_some_and(Operator::iterates);
        // The body of an iteration sees its item only.
        let outside = part.operands().enumerate().filter(|(place, _)| !(iterates && *place == 1));
        pending.extend(outside.map(|(_, operand)| operand));
    }
    asked
}

/// Whether a part that asks for no variable comes to what is wanted.
pub(super) fn holds_anyway(world: World<'_>, (part, want): Test<'_>, steps: &mut Steps) -> bool {
    admits(part.holds(&One { world, key: None, value: &Value::Unknown }, steps), want)
}

/// Whether a part comes to what is wanted where a variable has that value, and it asks for no other.
pub(super) fn comes_to(
    world: World<'_>,
    key: Key<'_>,
    value: &Value<'_>,
    (part, want): Test<'_>,
    steps: &mut Steps,
) -> bool {
    admits(part.holds(&One { world, key: Some(key), value }, steps), want)
}

/// Whether an outcome is one of those that are wanted. What takes too long may be.
pub(super) fn admits(outcome: Result<Option<bool>, Error>, want: Want) -> bool {
    match outcome {
        Ok(outcome) => want.admits(outcome),
        Err(error) => !want.is_strict() || error.code() == codes::LIMIT_EXCEEDED,
    }
}

/// One variable with a value, the parameters, and nothing else.
struct One<'a, 'v> {
    world: World<'a>,
    key: Option<Key<'a>>,
    value: &'a Value<'v>,
}

impl<'v> Scope<'v> for One<'_, 'v> {
    fn resolve(&self, path: &Path, out: &mut Value<'v>, _: &mut Steps) -> Result<(), Error> {
        let is_it = self.key.is_some_and(|key| self.world.is(key, path));
        *out = match (is_it, self.world.parameter(path)) {
            (true, _) => self.value.clone(),
            (false, Some(parameter)) => Value::Number(parameter.into()),
            (false, None) => Value::Unknown,
        };
        Ok(())
    }
}
