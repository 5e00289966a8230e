//! The ways in which conditions could come to what is wanted, gone through one by one.
//!
//! A condition is taken apart at its connectives: what must all be so narrows one [`Env`], what may be so or so makes
//! several of it. The number of them is bounded, and so is the work; a search that is cut short says so.

use alloc::{rc::Rc, vec::Vec};

use adjudicate_lang::{
    Steps,
    logic::{Expression, Form, Operator, Types, Value},
};

use super::{
    compare::compare_all,
    env::{Conflict, Env},
    relate::{keep, propagate},
    want::{Test, Want},
    world::{World, admits},
};

/// How many ways one search goes through.
const MAX_WAYS: usize = 512;
/// How many lists within lists are looked into.
const MAX_NESTING: usize = 3;
/// What it costs to look at a part.
const PART: usize = 64;
/// What it costs to begin a way, and what each variable, goal and choice of it costs.
const WAY: usize = 256;

/// What a search comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It is proven that there is no way; this is why.
    Impossible(Conflict),
    /// There is a way that was not found to be impossible, which does not prove that it is possible.
    Possible,
    /// The search was cut short.
    Undecided,
}

/// One way, as far as it has been gone.
#[derive(Clone)]
struct Way<'p> {
    env: Env<'p>,
    goals: Vec<Test<'p>>,
    /// Of each of these, one alternative has to be taken.
    choices: Vec<Test<'p>>,
}

/// What a goal is made of.
enum Parts<'p> {
    /// All of these.
    All(Vec<Test<'p>>),
    /// One of these.
    Any(Vec<Vec<Test<'p>>>),
    /// It is so already, or can never be.
    Settled(bool),
    /// It is a question about variables.
    Leaf,
}

/// Goes through the ways in which all goals are met; `found` is shown each that is not found to be impossible, and says
/// whether that is enough.
pub(super) fn search<'p>(
    start: Env<'p>,
    goals: Vec<Test<'p>>,
    steps: &mut Steps,
    found: &mut dyn FnMut(&Env<'p>) -> bool,
) -> Answer {
    search_within(start, goals, steps, 0, found)
}

fn search_within<'p>(
    start: Env<'p>,
    goals: Vec<Test<'p>>,
    steps: &mut Steps,
    nesting: usize,
    found: &mut dyn FnMut(&Env<'p>) -> bool,
) -> Answer {
    let mut pending = Vec::from([Way { env: start, goals, choices: Vec::new() }]);
    let mut is_possible = false;
    let mut why = Conflict::Values;
    let mut ways = 0;
    while let Some(mut way) = pending.pop() {
        ways += 1;
        let size = way.env.variables.len() + way.goals.len() + way.choices.len();
        if ways > MAX_WAYS || steps.spend(WAY * (1 + size)).is_err() {
            return Answer::Undecided;
        }
        match way.go(steps, nesting) {
            Err(Conflict::Exhausted) => return Answer::Undecided,
            Err(Conflict::Absent) => why = Conflict::Absent,
            Err(Conflict::Values) => {}
            Ok(()) => match way.next_choice() {
                Some(alternatives) => {
                    pending.extend(alternatives.into_iter().rev().map(|goals| Way { goals, ..way.clone() }))
                }
                None => {
                    is_possible = true;
                    if found(&way.env) {
                        return Answer::Possible;
                    }
                }
            },
        }
        if steps.left() == 0 {
            return Answer::Undecided;
        }
    }
    if is_possible { Answer::Possible } else { Answer::Impossible(why) }
}

impl<'p> Way<'p> {
    /// Does what has to be done whatever is chosen.
    fn go(&mut self, steps: &mut Steps, nesting: usize) -> Result<(), Conflict> {
        while let Some((part, want)) = self.goals.pop() {
            steps.spend(PART).map_err(|_| Conflict::Exhausted)?;
            match take_apart(self.env.world, part, want) {
                Parts::All(goals) => self.goals.extend(goals.into_iter().rev()),
                Parts::Any(_) => self.choices.push((part, want)),
                Parts::Settled(true) => {}
                Parts::Settled(false) => return Err(Conflict::Values),
                Parts::Leaf => self.env.assume((part, want), steps)?,
            }
        }
        self.env.pay(steps)?;
        if let World::Policy(_) = self.env.world {
            propagate(&mut self.env)?;
        }
        self.env.try_values(steps)?;
        try_items(&mut self.env, steps, nesting)?;
        match self.env.world {
            World::Policy(_) => propagate(&mut self.env)?,
            World::Output(_) => compare_all(&mut self.env)?,
            World::Item(_) => {}
        }
        Ok(())
    }

    /// The alternatives of the choice that has the fewest.
    fn next_choice(&mut self) -> Option<Vec<Vec<Test<'p>>>> {
        let mut best: Option<(usize, Vec<Vec<Test<'p>>>)> = None;
        for (index, (part, want)) in self.choices.iter().enumerate() {
            let Parts::Any(alternatives) = take_apart(self.env.world, *part, *want) else { continue };
            if best.as_ref().is_none_or(|(_, fewest)| alternatives.len() < fewest.len()) {
                best = Some((index, alternatives));
            }
        }
        let (index, alternatives) = best?;
        self.choices.remove(index);
        Some(alternatives)
    }
}

/// Takes a goal apart at the connective that it is, if it is one.
#[inline(never)]
fn take_apart<'p>(world: World<'p>, part: Expression<'p>, want: Want) -> Parts<'p> {
    if let Form::Constant(value) = part.form() {
        return Parts::Settled(match value {
            Value::Bool(truth) => want.admits(Some(*truth)),
            _ => !want.is_strict(),
        });
    }
    let each = |want: Want| part.operands().map(|operand| (operand, want)).collect::<Vec<_>>();
    let any = |want: Want| part.operands().map(|operand| Vec::from([(operand, want)])).collect::<Vec<_>>();
    match part.operator() {
        Some(Operator::And) if want.holds() => all_or_cut_short(world, part, want),
        Some(Operator::Or) if !want.holds() => all_or_cut_short(world, part, want),
        // One item whose type does not fit ends it, whatever the others are.
        Some(operator) if operator.iterates() && !want.is_strict() && world.may_misfit(part) => {
            Parts::Settled(true)
        }
        Some(Operator::And | Operator::Or) => Parts::Any(any(want)),
        Some(Operator::Not) => Parts::All(each(want.negated())),
        Some(Operator::Truth) => Parts::All(each(want)),
        Some(Operator::If | Operator::Ternary) => Parts::Any(branches(part, want)),
        _ => Parts::Leaf,
    }
}

/// All operands come to what is wanted. Or, where unknown will do, the types of one do not fit, which ends a connective
/// before it comes to those that would decide: past an unknown operand outside of it that counts as unknown.
fn all_or_cut_short<'p>(world: World<'p>, part: Expression<'p>, want: Want) -> Parts<'p> {
    let each: Vec<Test<'p>> = part.operands().map(|operand| (operand, want)).collect();
    if want.is_strict() {
        return Parts::All(each);
    }
    let mut ways = Vec::new();
    for (place, operand) in part.operands().enumerate() {
        if world.may_misfit(operand) {
            let mut way: Vec<Test<'p>> = each.iter().copied().take(place).collect();
            way.extend([(operand, Want::NotTrue), (operand, Want::NotFalse)]);
            ways.push(way);
        }
    }
    if ways.is_empty() {
        return Parts::All(each);
    }
    ways.push(each);
    Parts::Any(ways)
}

/// The ways through an `if`: each branch with its condition true and those before it false; and where it may be unknown,
/// a condition that is unknown.
fn branches(part: Expression<'_>, want: Want) -> Vec<Vec<Test<'_>>> {
    let operands: Vec<_> = part.operands().collect();
    let mut ways = Vec::new();
    let mut before: Vec<Test<'_>> = Vec::new();
    let mut pairs = operands.chunks_exact(2);
    for pair in pairs.by_ref() {
        let [condition, value] = pair else { continue };
        let mut way = before.clone();
        way.extend([(*condition, Want::True), (*value, want)]);
        ways.push(way);
        if !want.is_strict() {
            let mut way = before.clone();
            way.extend([(*condition, Want::NotTrue), (*condition, Want::NotFalse)]);
            ways.push(way);
        }
        before.push((*condition, Want::False));
    }
    match pairs.remainder() {
        [last] => {
            before.push((*last, want));
            ways.push(before);
        }
        // Null is no condition.
        _ if !want.is_strict() => ways.push(before),
        _ => {}
    }
    ways
}

/// Looks whether lists can have the items that they are to have.
fn try_items(env: &mut Env<'_>, steps: &mut Steps, nesting: usize) -> Result<(), Conflict> {
    if nesting >= MAX_NESTING {
        return Ok(());
    }
    let world = env.world;
    for (key, domain) in &mut env.variables {
        let list = &domain.list;
        let asks = [list.some.len(), list.each.len(), list.has.len()];
        if !domain.types.meets(Types::LIST) || asks == [0; 3] {
            continue;
        }
        let items = world.items(*key, domain.shape);
        let mut is_possible = list.has.iter().all(|text| {
            let text = Value::Text(text);
            items.may_be(None, &text)
                && list.each.iter().all(|(body, want)| admits(body.holds(&text, steps), *want))
        });
        // Where there is an item, all that is said of each is said of it.
        let some = list.some.iter().map(|test| Some(*test));
        let any_item = list.length.is_positive().then_some(None);
        for test in some.chain(any_item) {
            let goals = test.into_iter().chain(list.each.iter().copied()).collect();
            let answer = search_within(Env::new(items), goals, steps, nesting + 1, &mut |_| true);
            is_possible &= !matches!(answer, Answer::Impossible(_));
        }
        if !is_possible {
            let domain = Rc::make_mut(domain);
            domain.drop_type(Types::LIST);
            keep(domain)?;
        }
    }
    Ok(())
}
