//! What variables may be, all at once: one way in which a condition could come to what is wanted.

use alloc::{rc::Rc, vec::Vec};

use adjudicate_lang::{
    Steps,
    logic::{Expression, Form, Operator, Types, Value},
};

use super::{
    absence::{Absence, absence},
    domain::{Domain, Truths as _},
    narrow::{narrow, plain_variable},
    relate::{exclude, keep},
    want::{Test, Want},
    world::{Asked, Key, World, asked, comes_to, holds_anyway},
};
use crate::policy::{Fact, Policy};

/// How many texts are held against each rule of a schema.
const FEW_TEXTS: usize = 64;

/// Why no such way is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conflict {
    /// No value is left for a variable.
    Values,
    /// A variable must be known whose evidence something else excludes.
    Absent,
    /// There may be one: the budget has run out.
    Exhausted,
}

/// One way in which things could be.
#[derive(Clone)]
pub(super) struct Env<'p> {
    pub world: World<'p>,
    /// The variables that something is asked of, in their order. What ways have in common, they share.
    pub variables: Vec<(Key<'p>, Rc<Domain<'p>>)>,
    /// Parts that ask for several variables, or for computed ones: nothing is concluded from them.
    pub loose: Vec<Test<'p>>,
}

impl<'p> Env<'p> {
    pub(super) const fn new(world: World<'p>) -> Self {
        Self { world, variables: Vec::new(), loose: Vec::new() }
    }

    /// The policy whose conditions are looked at, unless it is an item of a list.
    pub(super) const fn policy(&self) -> Option<&'p Policy> {
        match self.world {
            World::Policy(policy) => Some(policy),
            World::Item(_) | World::Output(_) => None,
        }
    }

    /// What a fact may be.
    pub(super) fn fact(&mut self, fact: Fact) -> &mut Domain<'p> {
        self.domain(Key::Fact(fact))
    }

    /// What a variable may be.
    // Once: it is called wherever a fact is looked at.
    #[inline(never)]
    #[expect(clippy::indexing_slicing, reason = "the variable is put there")]
    pub(super) fn domain(&mut self, key: Key<'p>) -> &mut Domain<'p> {
        let place = self.variables.partition_point(|(known, _)| *known < key);
        let is_new = self.variables.get(place).is_none_or(|(known, _)| *known != key);
        if is_new {
            self.variables.insert(place, (key, Rc::new(self.world.domain(key))));
        }
        Rc::make_mut(&mut self.variables[place].1)
    }

    /// What a variable may be, if something is asked of it.
    pub(super) fn asked(&self, key: Key<'p>) -> Option<&Domain<'p>> {
        let place = self.variables.partition_point(|(known, _)| *known < key);
        self.variables.get(place).filter(|(known, _)| *known == key).map(|(_, domain)| &**domain)
    }

    /// Whether something has been asked of one of these facts.
    pub(super) fn asks_any(&self, facts: &[Fact]) -> bool {
        facts.iter().any(|fact| self.asked(Key::Fact(*fact)).is_some())
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
    #[inline(never)]
    pub(super) fn assume(&mut self, (part, want): Test<'p>, steps: &mut Steps) -> Result<(), Conflict> {
        match absence(self.world, part, want) {
            Some(Absence::Settled(true)) => return Ok(()),
            Some(Absence::Settled(false)) => return Err(Conflict::Values),
            Some(Absence::Unknown(variables)) => {
                return variables.into_iter().try_for_each(|(key, unknown)| self.know(key, !unknown));
            }
            None => {}
        }
        let (world, key) = (self.world, asked(self.world, part, steps));
        let key = match key {
            Asked::Nothing => {
                // Parameters and constants alone: it is so whatever the evidence is.
                let is_so = holds_anyway(world, (part, want), steps);
                return if is_so { Ok(()) } else { Err(Conflict::Values) };
            }
            Asked::One(key) => key,
            Asked::Several | Asked::Computed => {
                self.know_operands((part, want), steps)?;
                self.loose.push((part, want));
                return Ok(());
            }
        };
        // Its place is found among what is there, and then constants among its texts.
        let constants = part.operands().filter_map(Expression::constant).map(Value::len).sum();
        let weight = self.asked(key).map_or(constants, |domain| domain.weight(constants));
        steps.spend(self.variables.len().saturating_add(weight)).map_err(|_| Conflict::Exhausted)?;
        let domain = self.domain(key);
        if domain.unknown && !comes_to(world, key, &Value::Unknown, (part, want), steps) {
            domain.unknown = false;
            if domain.types == Types::NONE {
                return Err(Conflict::Absent);
            }
        }
        narrow(world, domain, part, want);
        domain.tests.push((part, want));
        keep(domain)
    }

    /// Pays for going through all variables.
    pub(super) fn pay(&self, steps: &mut Steps) -> Result<(), Conflict> {
        let weights = self.variables.iter().map(|(_, domain)| domain.weight(0));
        steps.spend(weights.fold(0, usize::saturating_add)).map_err(|_| Conflict::Exhausted)
    }

    /// Narrows a variable to what is known, or to what is not.
    fn know(&mut self, key: Key<'p>, is_known: bool) -> Result<(), Conflict> {
        let domain = self.domain(key);
        if !is_known {
            return exclude(domain).map_err(|_| Conflict::Values);
        }
        domain.unknown = false;
        if domain.is_empty() { Err(Conflict::Absent) } else { Ok(()) }
    }

    /// Narrows to known values the variables without which a part is unknown, where its outcome has to be known.
    fn know_operands(&mut self, (part, want): Test<'p>, steps: &mut Steps) -> Result<(), Conflict> {
        if !want.is_strict() {
            return Ok(());
        }
        let mut pending = Vec::from([(part, want == Want::True)]);
        while let Some((part, is_true)) = pending.pop() {
            steps.spend(1).map_err(|_| Conflict::Exhausted)?;
            match plain_variable(part) {
                Some(path) => self.world.key(path).map_or(Ok(()), |key| self.know(key, true))?,
                None => pending.extend(needed(part, is_true).map(|operand| (operand, false))),
            }
        }
        Ok(())
    }

    /// Tries the values of the variables that have but a few.
    pub(super) fn try_values(&mut self, steps: &mut Steps) -> Result<(), Conflict> {
        let world = self.world;
        for (key, domain) in &mut self.variables {
            if domain.tests.is_empty() {
                continue;
            }
            let domain = Rc::make_mut(domain);
            let tests = core::mem::take(&mut domain.tests);
            // Of many texts the domain says enough.
            let is_asked = domain.texts.only.as_ref().is_none_or(|only| only.len() <= FEW_TEXTS);
            let mut holds = |value: &Value<'_>| {
                (!is_asked || world.may_be(Some(*key), value))
                    && tests.iter().all(|test| comes_to(world, *key, value, *test, steps))
            };
            if let World::Output(_) = world {
                domain.numbers = domain.numbers.take().or_else(|| domain.range.few());
                if let Some(numbers) = &mut domain.numbers {
                    numbers.retain(|number| holds(&Value::Number(number.clone())));
                }
                if domain.types.meets(Types::NULL) && !holds(&Value::Null) {
                    domain.drop_type(Types::NULL);
                }
            }
            if domain.types.meets(Types::BOOL) {
                domain.truths = domain.truths.map_each(&mut |is, may| may && holds(&Value::Bool(is)));
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

/// The operands that have to be known for a part to be known, or to be true.
fn needed<'p>(part: Expression<'p>, is_true: bool) -> impl Iterator<Item = Expression<'p>> {
    let count = part.operands().len();
    let needed = match part.operator() {
        // A list with an unknown item is unknown. A variable with a default has nothing that it needs.
        None => matches!(part.form(), Form::List).then_some(count),
        // One of the two comparisons that it consists of can decide that it is false.
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
