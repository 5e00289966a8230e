//! The abstract state: the domains of all variables on one branch of a condition.

use alloc::{rc::Rc, vec::Vec};

use adjudicate_lang::{
    Steps,
    logic::{Expression, Form, Operator, Types, Value},
};

use super::{
    domain::Domain,
    expected_truth::{ExpectedCondition, ExpectedTruth},
    missing::missing_variables,
    narrow::{narrow, plain_variable},
    relate::{exclude, keep},
    scope::{Key, UsedVariables, VariableScope, comes_to, paths_of, used_variables},
};
use crate::policy::{Fact, Policy};

/// The most texts that are tested against each rule of a schema.
const FEW_TEXTS: usize = 64;

/// The reason why a branch is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// A variable has no possible value.
    Values,
    /// A variable must be known, but its evidence is excluded.
    Absent,
    /// The budget has run out, so the branch may be possible.
    Exhausted,
}

/// The abstract state of one branch.
#[derive(Clone)]
pub(super) struct AbstractState<'p> {
    pub scope: VariableScope<'p>,
    /// The restricted variables, sorted. Branches share the domains they have in common.
    pub variables: Vec<(Key<'p>, Rc<Domain<'p>>)>,
    /// Parts with several or computed variables; they restrict nothing.
    pub loose: Vec<ExpectedCondition<'p>>,
    /// The number of lists around the variables.
    pub nesting: usize,
}

impl<'p> AbstractState<'p> {
    pub(super) const fn new(scope: VariableScope<'p>) -> Self {
        Self { scope, variables: Vec::new(), loose: Vec::new(), nesting: 0 }
    }

    /// The policy whose conditions are checked, unless the state is that of a list item or an output.
    pub(super) const fn policy(&self) -> Option<&'p Policy> {
        match self.scope {
            VariableScope::Policy(checked) => Some(checked.policy),
            VariableScope::Item(_) | VariableScope::Output(_) => None,
        }
    }

    pub(super) fn fact(&mut self, fact: Fact) -> &mut Domain<'p> {
        self.domain(Key::Fact(fact))
    }

    // Not inlined, because every access to a fact calls it.
    #[inline(never)]
    #[expect(clippy::indexing_slicing, reason = "the variable is put there")]
    pub(super) fn domain(&mut self, key: Key<'p>) -> &mut Domain<'p> {
        let place = self.variables.partition_point(|(known, _)| *known < key);
        let is_new = self.variables.get(place).is_none_or(|(known, _)| *known != key);
        if is_new {
            self.variables.insert(place, (key, Rc::new(self.scope.domain(key))));
        }
        Rc::make_mut(&mut self.variables[place].1)
    }

    /// The domain of a variable, if it is restricted.
    pub(super) fn restricted(&self, key: Key<'p>) -> Option<&Domain<'p>> {
        let place = self.variables.partition_point(|(known, _)| *known < key);
        self.variables.get(place).filter(|(known, _)| *known == key).map(|(_, domain)| &**domain)
    }

    /// Returns true if one of these facts is restricted.
    pub(super) fn restricts_any(&self, facts: &[Fact]) -> bool {
        facts.iter().any(|fact| self.restricted(Key::Fact(*fact)).is_some())
    }

    /// Returns true if the policy has paths that determine the fact.
    pub(super) fn has_paths(&self, fact: Fact) -> bool {
        self.policy().and_then(|policy| paths_of(policy, fact)).is_some_and(|globs| !globs.is_empty())
    }

    /// Narrows the variables to values for which a part has the wanted truth value.
    #[inline(never)]
    pub(super) fn assume(
        &mut self,
        (part, expected): ExpectedCondition<'p>,
        steps: &mut Steps,
    ) -> Result<(), Conflict> {
        if let Some(variables) = missing_variables(self.scope, part, expected) {
            return variables?.into_iter().try_for_each(|(key, unknown)| self.know(key, !unknown));
        }
        let (scope, key) = (self.scope, used_variables(self.scope, part, steps));
        let key = match key {
            UsedVariables::Nothing => {
                // A part of parameters and constants has a fixed truth value.
                let is_so = comes_to(scope, None, &Value::Unknown, (part, expected), steps);
                return if is_so { Ok(()) } else { Err(Conflict::Values) };
            }
            UsedVariables::One(key) => key,
            UsedVariables::Several => {
                self.know_operands((part, expected), steps)?;
                self.loose.push((part, expected));
                return Ok(());
            }
        };
        // The cost: finding the variable, and comparing constants with its texts.
        let constants = part.operands().filter_map(Expression::constant).map(Value::len).sum();
        let weight = self.restricted(key).map_or(constants, |domain| domain.weight(constants));
        steps.spend(self.variables.len().saturating_add(weight)).map_err(|_| Conflict::Exhausted)?;
        let domain = self.domain(key);
        if domain.unknown && !comes_to(scope, Some(key), &Value::Unknown, (part, expected), steps) {
            domain.unknown = false;
            if domain.types == Types::NONE {
                return Err(Conflict::Absent);
            }
        }
        narrow(scope, domain, part, expected);
        domain.tests.push((part, expected));
        keep(domain)
    }

    /// Pays for a pass over all variables.
    pub(super) fn pay(&self, steps: &mut Steps) -> Result<(), Conflict> {
        let weights = self.variables.iter().map(|(_, domain)| domain.weight(0));
        steps.spend(weights.fold(0, usize::saturating_add)).map_err(|_| Conflict::Exhausted)
    }

    /// Requires a variable to be known, or to be unknown.
    pub(super) fn know(&mut self, key: Key<'p>, is_known: bool) -> Result<(), Conflict> {
        let domain = self.domain(key);
        if !is_known {
            return exclude(domain).map_err(|_| Conflict::Values);
        }
        domain.unknown = false;
        if domain.is_empty() { Err(Conflict::Absent) } else { Ok(()) }
    }

    /// If the result must be known, requires the variables without which a part is unknown.
    fn know_operands(
        &mut self,
        (part, expected): ExpectedCondition<'p>,
        steps: &mut Steps,
    ) -> Result<(), Conflict> {
        if !expected.is_strict() {
            return Ok(());
        }
        let mut pending = Vec::from([(part, expected == ExpectedTruth::True)]);
        while let Some((part, is_true)) = pending.pop() {
            steps.spend(1).map_err(|_| Conflict::Exhausted)?;
            match plain_variable(part) {
                Some(path) => self.scope.key(path).map_or(Ok(()), |key| self.know(key, true))?,
                None => pending.extend(needed(part, is_true).map(|operand| (operand, false))),
            }
        }
        Ok(())
    }

    /// Tests each value of the variables that have only a few.
    pub(super) fn try_values(&mut self, steps: &mut Steps) -> Result<(), Conflict> {
        let scope = self.scope;
        for (key, domain) in &mut self.variables {
            if domain.tests.is_empty() {
                continue;
            }
            let domain = Rc::make_mut(domain);
            let tests = core::mem::take(&mut domain.tests);
            // For many texts, the domain alone decides.
            let is_asked = domain.texts.only.as_ref().is_none_or(|only| only.len() <= FEW_TEXTS);
            let mut holds = |value: &Value<'_>| {
                (!is_asked || scope.may_be(Some(*key), value))
                    && tests.iter().all(|test| comes_to(scope, Some(*key), value, *test, steps))
            };
            if scope.is_described(*key) {
                domain.numbers = domain.numbers.take().or_else(|| domain.range.few());
                if let Some(numbers) = &mut domain.numbers {
                    numbers.retain(|number| holds(&Value::Number(number.clone())));
                }
                if domain.types.meets(Types::NULL) && !holds(&Value::Null) {
                    domain.drop_type(Types::NULL);
                }
            }
            if domain.types.meets(Types::BOOL) {
                let [no, yes] = domain.truths;
                domain.truths = [no && holds(&Value::Bool(false)), yes && holds(&Value::Bool(true))];
            }
            if let Some(only) = &mut domain.texts.only {
                only.retain(|text| holds(&Value::Text(text)));
            }
            domain.tests = tests;
            keep(domain)?;
        }
        Ok(())
    }
}

/// The operands that must be known for a part to be known, or to be true.
fn needed<'p>(part: Expression<'p>, is_true: bool) -> impl Iterator<Item = Expression<'p>> {
    let count = part.operands().len();
    let needed = match part.operator() {
        // A list with an unknown item is unknown. A variable with a default needs nothing.
        None => matches!(part.form(), Form::List).then_some(count),
        // A chain of two comparisons can be false by one of them.
        Some(Operator::Less | Operator::AtMost | Operator::Between) if count > 2 && !is_true => None,
        Some(Operator::And | Operator::Or | Operator::Var | Operator::Missing | Operator::MissingSome) => {
            None
        }
        Some(Operator::If | Operator::Ternary) => Some(1),
        Some(operator) if operator.iterates() => Some(1),
        Some(_) => Some(count),
    };
    part.operands().take(needed.unwrap_or_default())
}
