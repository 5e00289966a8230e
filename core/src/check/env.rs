//! What variables may be, all at once: one way in which a condition could come to what is wanted.

use alloc::{collections::BTreeMap, vec::Vec};

use super::{
    domain::{Domain, Test, Truths as _, Want},
    narrow::{narrow, plain_variable},
    shape::{self, Place, Shape},
};
use crate::{
    codes::ErrorCode,
    error::Error,
    logic::{Expression, Form, Operator, Path, Scope, Types, Value},
    policy::{Fact, Parameter, Policy, Root},
    steps::Steps,
};

/// What variables lead into.
#[derive(Clone, Copy)]
pub(super) enum World<'p> {
    /// The roots of a policy's conditions.
    Policy(&'p Policy),
    /// An item of a list.
    Item(Shape),
}

/// Which variable it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'p> {
    /// A whole fact.
    Fact(Fact),
    /// Anything else, by its path.
    Path(&'p Path),
}

/// Why there is no such way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conflict {
    /// No value is left for a variable.
    Values,
    /// A variable must be known whose evidence something else excludes.
    Absent,
}

/// One way in which things could be.
#[derive(Clone)]
pub(super) struct Env<'p> {
    pub world: World<'p>,
    pub variables: BTreeMap<Key<'p>, Domain<'p>>,
    /// Parts that ask for several variables, or for computed ones: nothing is concluded from them.
    pub loose: Vec<Test<'p>>,
}

impl<'p> Env<'p> {
    pub(super) const fn new(world: World<'p>) -> Self {
        Self { world, variables: BTreeMap::new(), loose: Vec::new() }
    }

    /// What a fact may be.
    pub(super) fn fact(&mut self, fact: Fact) -> &mut Domain<'p> {
        self.domain(Key::Fact(fact))
    }

    /// What a variable may be.
    // Once: it is called wherever a fact is looked at.
    #[inline(never)]
    pub(super) fn domain(&mut self, key: Key<'p>) -> &mut Domain<'p> {
        let world = self.world;
        self.variables.entry(key).or_insert_with(|| world.domain(key))
    }

    /// Whether something has been asked of one of these facts.
    pub(super) fn asks_any(&self, facts: &[Fact]) -> bool {
        facts.iter().any(|fact| self.variables.contains_key(&Key::Fact(*fact)))
    }

    /// Whether the policy has paths that a fact is about.
    pub(super) fn has_paths(&self, fact: Fact) -> bool {
        match (self.world, fact) {
            (World::Policy(policy), Fact::DiffForbidden) => !policy.forbidden_paths().is_empty(),
            (World::Policy(policy), Fact::DiffProtected) => !policy.protected_paths().is_empty(),
            _ => false,
        }
    }

    /// Narrows the variables to those for which a part comes to what is wanted.
    pub(super) fn assume(&mut self, (part, want): Test<'p>, steps: &mut Steps) -> Result<(), Conflict> {
        let Some(asked) = asked(self.world, part) else {
            self.loose.push((part, want));
            return Ok(());
        };
        if asked.is_empty() {
            // Parameters and constants alone: it is so whatever the evidence is.
            let nothing = One { world: self.world, key: None, value: &Value::Unknown };
            let is_so = admits(part.holds(&nothing, steps), want);
            return if is_so { Ok(()) } else { Err(Conflict::Values) };
        }
        let [key] = asked.as_slice() else {
            self.know_operands(part, want)?;
            self.loose.push((part, want));
            return Ok(());
        };
        let (world, key) = (self.world, *key);
        let domain = self.domain(key);
        if domain.unknown && !comes_to(world, key, &Value::Unknown, (part, want), steps) {
            domain.unknown = false;
            if domain.types == Types::NONE {
                return Err(Conflict::Absent);
            }
        }
        narrow(world, domain, part, want);
        domain.tests.push((part, want));
        domain.settle();
        if domain.is_empty() { Err(Conflict::Values) } else { Ok(()) }
    }

    /// Where two variables are compared and the outcome has to be known, both have to be.
    fn know_operands(&mut self, part: Expression<'p>, want: Want) -> Result<(), Conflict> {
        use Operator::{AtLeast, AtMost, Equal, Greater, In, Less, NotSameAs, SameAs, Unequal};
        let compares = part.operator().is_some_and(|operator| {
            matches!(operator, Equal | SameAs | Unequal | NotSameAs | Less | AtMost | Greater | AtLeast | In)
        });
        if !compares || !want.is_strict() || part.operands().len() != 2 {
            return Ok(());
        }
        for operand in part.operands() {
            if let Some(key) = plain_variable(operand).and_then(|path| self.world.key(path)) {
                let domain = self.domain(key);
                domain.unknown = false;
                if domain.is_empty() {
                    return Err(Conflict::Absent);
                }
            }
        }
        Ok(())
    }

    /// Tries the values of the variables that have but a few.
    pub(super) fn try_values(&mut self, steps: &mut Steps) -> Result<(), Conflict> {
        let world = self.world;
        for (key, domain) in &mut self.variables {
            let tests = core::mem::take(&mut domain.tests);
            let mut holds =
                |value: &Value<'_>| tests.iter().all(|test| comes_to(world, *key, value, *test, steps));
            if domain.types.meets(Types::BOOL) {
                domain.truths = domain.truths.map_each(&mut |is, may| may && holds(&Value::Bool(is)));
            }
            if let Some(only) = &mut domain.texts.only {
                only.retain(|text| holds(&Value::Text(text)));
            }
            domain.tests = tests;
            domain.settle();
            if domain.is_empty() {
                return Err(Conflict::Values);
            }
        }
        Ok(())
    }
}

impl<'p> World<'p> {
    /// Which variable a path leads to; `None` for a parameter, which is none here.
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
            Some((Root::Parameter(parameter), true)) => Some(value(policy, parameter)),
            _ => None,
        }
    }

    /// What a variable may be before anything is asked of it.
    fn domain(self, key: Key<'p>) -> Domain<'p> {
        let place = match (self, key) {
            (Self::Policy(policy), Key::Fact(fact)) => return of_fact(policy, fact),
            (Self::Policy(policy), Key::Path(path)) => shape::of_path(policy, path),
            (Self::Item(shape), Key::Path(path)) => shape.lead(path.segments()),
            (Self::Item(_), Key::Fact(_)) => Ok(Place { shape: Shape::Any, optional: true, nullable: true }),
        };
        place.map_or_else(|_| Domain::absent(), Domain::of)
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
        domain.list.length.at_most(&crate::logic::Number::ZERO, true);
    }
    if let (Fact::RefinementCap, Some(cap)) = (fact, policy.refinement_cap()) {
        domain.range.at_most(&crate::logic::Number::from(cap), true);
    }
    domain
}

/// Where a path begins, and whether it ends there.
fn root(policy: &Policy, path: &Path) -> Option<(Root, bool)> {
    let number = policy.variable_number(path)?;
    let variable = policy.variables().get(number as usize)?;
    Some((variable.root(), variable.rest().is_empty()))
}

fn value(policy: &Policy, parameter: Parameter) -> u64 {
    policy.parameter(parameter)
}

/// The variables that a part asks for, parameters aside; `None` if one is computed.
fn asked<'p>(world: World<'p>, part: Expression<'p>) -> Option<Vec<Key<'p>>> {
    let mut keys = Vec::new();
    let mut pending = Vec::from([part]);
    while let Some(part) = pending.pop() {
        match (part.form(), part.operator()) {
            (Form::Variable(path), _) => match world.key(path) {
                Some(key) if !keys.contains(&key) => keys.push(key),
                _ => {}
            },
            (_, Some(Operator::Var | Operator::Missing | Operator::MissingSome)) => return None,
            _ => {}
        }
        let iterates = part.operator().is_some_and(Operator::iterates);
        // The body of an iteration sees its item only.
        let outside = part.operands().enumerate().filter(|(place, _)| !(iterates && *place == 1));
        pending.extend(outside.map(|(_, operand)| operand));
    }
    Some(keys)
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
        Err(error) => !want.is_strict() || error.code() == ErrorCode::LimitExceeded,
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

impl World<'_> {
    /// Whether a path leads to that variable.
    fn is(self, key: Key<'_>, path: &Path) -> bool {
        match (self, key) {
            (_, Key::Path(known)) => known == path,
            (Self::Policy(policy), Key::Fact(fact)) => root(policy, path) == Some((Root::Fact(fact), true)),
            (Self::Item(_), Key::Fact(_)) => false,
        }
    }
}
