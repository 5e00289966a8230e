//! Scopes: the variables of conditions, and their domains before any restriction.

use alloc::{boxed::Box, rc::Rc, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    logic::{Expression, Form, Operator, Scope, Types, Value, VariablePath},
    paths::Glob,
};

use super::{
    domain::Domain,
    expected_truth::{ExpectedCondition, ExpectedTruth},
    inputs::Checked,
    outputs::Outputs,
    shape::{self, PathTarget, Shape},
};
use crate::{
    codes,
    policy::{Fact, Parameter, Policy, Root},
};

#[derive(Clone, Copy)]
pub(super) enum VariableScope<'p> {
    /// The variables of a policy's conditions.
    Policy(Checked<'p>),
    /// An item of a list.
    Item(Shape),
    /// An output, or an item of a list in it.
    Output(Outputs<'p>),
}

/// The identity of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'p> {
    /// A whole fact.
    Fact(Fact),
    /// Any other variable, by its path.
    Path(&'p VariablePath),
}

impl<'p> VariableScope<'p> {
    /// The variable of a path; `None` for a parameter, which is a constant.
    #[inline(never)]
    pub(super) fn key(self, path: &'p VariablePath) -> Option<Key<'p>> {
        let Self::Policy(checked) = self else { return Some(Key::Path(path)) };
        match root(checked.policy, path) {
            Some((Root::Parameter(_), _)) => None,
            Some((Root::Fact(fact), true)) => Some(Key::Fact(fact)),
            _ => Some(Key::Path(path)),
        }
    }

    pub(super) fn parameter(self, path: &VariablePath) -> Option<u64> {
        let Self::Policy(checked) = self else { return None };
        match root(checked.policy, path) {
            Some((Root::Parameter(parameter), true)) => Some(checked.policy.parameter(parameter)),
            _ => None,
        }
    }

    /// The domain of a variable before any restriction.
    pub(super) fn domain(self, key: Key<'p>) -> Domain<'p> {
        match (self, key) {
            (Self::Policy(checked), Key::Fact(fact)) => fact_domain(checked.policy, fact),
            (Self::Output(outputs), Key::Path(path)) => *outputs.domain(path.segments()),
            (_, Key::Path(path)) => {
                self.target(path).map_or_else(|_| Domain::absent(), |target| target.domain())
            }
            // Only policies have facts.
            (_, Key::Fact(_)) => Domain::absent(),
        }
    }

    /// The scope of a list's items.
    pub(super) fn items(self, key: Key<'p>, list: Shape) -> Self {
        match key {
            Key::Path(path) if self.names(path).is_some() => {
                let items = self.outputs().and_then(|outputs| outputs.inside(path));
                items.map_or(Self::Item(Shape::Any), Self::Output)
            }
            _ => Self::Item(list.item()),
        }
    }

    /// Returns true if a variable, or the whole value without one, can have this value, judged by the schema beyond its domain.
    pub(super) fn may_be(self, key: Option<Key<'_>>, value: &Value<'_>) -> bool {
        match (self, key) {
            (Self::Output(outputs), None) => outputs.may_be(&[], value),
            (_, Some(Key::Path(path))) if self.names(path).is_some() => {
                self.outputs().is_none_or(|outputs| outputs.may_be(path.segments(), value))
            }
            _ => true,
        }
    }

    /// The value that a schema describes, if one does: an output, or the declared inputs of a policy.
    pub(super) fn outputs(self) -> Option<Outputs<'p>> {
        match self {
            Self::Policy(checked) => Some(checked.inputs?.outputs()),
            Self::Output(outputs) => Some(outputs),
            Self::Item(_) => None,
        }
    }

    /// The names that lead from such a value to a variable; `None` if the variable is not a part of it.
    pub(super) fn names(self, path: &'p VariablePath) -> Option<&'p [Box<str>]> {
        match self {
            Self::Policy(checked) => path.segments().get(1..).filter(|_| checked.input(path).is_some()),
            Self::Output(_) => Some(path.segments()),
            Self::Item(_) => None,
        }
    }

    /// Returns whether a schema describes a variable.
    pub(super) fn is_described(self, key: Key<'p>) -> bool {
        matches!(key, Key::Path(path) if self.names(path).is_some())
    }

    /// The values that a variable can have, or a message for humans if there are none.
    pub(super) fn target(self, path: &VariablePath) -> Result<Target<'p>, String> {
        match self {
            Self::Policy(checked) => match checked.input(path) {
                Some(target) => target.clone().map(Target::Input),
                None => shape::path_target(checked.policy, path).map(Target::Place),
            },
            Self::Item(shape) => shape.lead(path.segments()).map(Target::Place),
            Self::Output(outputs) => outputs.target(path.segments()).map(Target::Input),
        }
    }

    /// The values that an item can have.
    pub(super) fn whole(self) -> Target<'p> {
        let shape = match self {
            Self::Output(outputs) => return Target::Input(Rc::new(*outputs.domain(&[]))),
            Self::Item(shape) => shape,
            Self::Policy(_) => Shape::Any,
        };
        Target::Place(PathTarget { shape, optional: false, nullable: false })
    }
}

/// The values that a variable can have.
pub(super) enum Target<'p> {
    /// A place in a document, or a fact.
    Place(PathTarget),
    /// A declared input.
    Input(Rc<Domain<'p>>),
}

impl<'p> Target<'p> {
    pub(super) fn types(&self) -> Types {
        match self {
            Self::Place(place) if place.nullable => place.shape.types().or(Types::NULL),
            Self::Place(place) => place.shape.types(),
            Self::Input(domain) => domain.types,
        }
    }

    /// The shape of the values, if they are in a document.
    pub(super) const fn shape(&self) -> Shape {
        match self {
            Self::Place(place) => place.shape,
            Self::Input(_) => Shape::Any,
        }
    }

    pub(super) fn domain(&self) -> Domain<'p> {
        match self {
            Self::Place(place) => Domain::new(*place),
            Self::Input(domain) => (**domain).clone(),
        }
    }
}

/// The paths of a policy that determine a fact.
pub(super) fn paths_of(policy: &Policy, fact: Fact) -> Option<&[Glob]> {
    match fact {
        Fact::DiffForbidden => Some(policy.forbidden_paths()),
        Fact::DiffProtected => Some(policy.protected_paths()),
        _ => None,
    }
}

/// The domain of a fact under a policy.
fn fact_domain<'p>(policy: &Policy, fact: Fact) -> Domain<'p> {
    let place = PathTarget {
        shape: shape::fact_shape(fact),
        optional: fact.row().unknown.is_some(),
        nullable: false,
    };
    let mut domain = Domain::new(place);
    if paths_of(policy, fact).is_some_and(<[Glob]>::is_empty) {
        domain.unknown = false;
        domain.list.length.be_zero();
    }
    if fact == Fact::RefinementCap {
        domain.range.at_most(&policy.parameter(Parameter::RefinementCap).into(), true);
    }
    domain
}

/// The root of a path, and true if the path ends there. An alias in the envelope counts as its fact.
fn root(policy: &Policy, path: &VariablePath) -> Option<(Root, bool)> {
    let variable = policy.variable(path)?;
    let names = ["evidence", "validation", "mechanical_outcome"];
    if variable.root() == Root::Input && variable.rest().iter().map(|name| &**name).eq(names) {
        return Some((Root::Fact(Fact::Outcome), true));
    }
    Some((variable.root(), variable.rest().is_empty()))
}

/// The variables that a part uses, except parameters.
pub(super) enum UsedVariables<'p> {
    Nothing,
    One(Key<'p>),
    /// More than one, or a computed one, which could be any.
    Several,
}

pub(super) fn used_variables<'p>(
    scope: VariableScope<'p>,
    part: Expression<'p>,
    steps: &mut Steps,
) -> UsedVariables<'p> {
    let mut used = UsedVariables::Nothing;
    let mut pending = Vec::from([part]);
    while let Some(part) = pending.pop() {
        let _ = steps.spend(1);
        match (part.form(), part.operator()) {
            (Form::Variable(path), _) => match (scope.key(path), &used) {
                (Some(key), UsedVariables::Nothing) => used = UsedVariables::One(key),
                (Some(key), UsedVariables::One(known)) if *known != key => used = UsedVariables::Several,
                _ => {}
            },
            (_, Some(Operator::Var | Operator::Missing | Operator::MissingSome)) => {
                return UsedVariables::Several;
            }
            _ => {}
        }
        let iterates = part.operator().is_some_and(Operator::iterates);
        // The body of an iteration sees only its item.
        let outside = part.operands().enumerate().filter(|(place, _)| !(iterates && *place == 1));
        pending.extend(outside.map(|(_, operand)| operand));
    }
    used
}

/// Returns true if a part has its expected truth value when its only variable, if it has one, has this value.
pub(super) fn comes_to(
    scope: VariableScope<'_>,
    key: Option<Key<'_>>,
    value: &Value<'_>,
    (part, expected): ExpectedCondition<'_>,
    steps: &mut Steps,
) -> bool {
    admits(part.holds(&One { scope, key, value }, steps), expected)
}

/// Returns true if a result is as expected, or if computing it exceeds the budget.
pub(super) fn admits(outcome: Result<Option<bool>, Error>, expected: ExpectedTruth) -> bool {
    match outcome {
        Ok(outcome) => expected.admits(outcome),
        Err(error) => !expected.is_strict() || error.code() == codes::LIMIT_EXCEEDED,
    }
}

/// A scope with one variable, and the parameters.
struct One<'a, 'v> {
    scope: VariableScope<'a>,
    key: Option<Key<'a>>,
    value: &'a Value<'v>,
}

impl<'v> Scope<'v> for One<'_, 'v> {
    fn resolve(&self, path: &VariablePath, out: &mut Value<'v>, _: &mut Steps) -> Result<(), Error> {
        *out = match self.scope.parameter(path) {
            Some(parameter) => Value::Number(parameter.into()),
            None if self.scope.key(path) == self.key => self.value.clone(),
            None => Value::Unknown,
        };
        Ok(())
    }
}
