//! The search over all branches of a condition.
//!
//! A condition is split at its connectives: conjunctions narrow one [`AbstractState`], and disjunctions create several. The
//! number of branches and the work are bounded, and a truncated search reports that.

use alloc::{rc::Rc, vec::Vec};

use adjudicate_lang::{
    Steps,
    logic::{Expression, Form, Operator, Types, Value},
};

use super::{
    abstract_state::{AbstractState, Conflict},
    compare::compare_all,
    expected_truth::{ExpectedCondition, ExpectedTruth},
    relate::{keep, propagate},
    scope::{VariableScope, admits},
};

/// The most branches of one search.
const MAX_WAYS: usize = 512;
/// The most levels of nested lists that are searched.
const MAX_NESTING: usize = 3;
/// The cost of one part.
const PART: usize = 64;
/// The cost of starting a branch, and of each variable, goal and choice in it.
const WAY: usize = 256;

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchResult {
    /// It is proven that no branch is possible, with this reason.
    Impossible(Conflict),
    /// Some branch was not found impossible, which does not prove that it is possible.
    Possible,
    /// The search was truncated.
    Undecided,
}

/// A branch, as far as it is explored.
#[derive(Clone)]
struct Branch<'p> {
    state: AbstractState<'p>,
    goals: Vec<ExpectedCondition<'p>>,
    /// Disjunctions; each needs one alternative.
    choices: Vec<ExpectedCondition<'p>>,
}

/// The structure of a goal.
enum GoalStructure<'p> {
    /// All of these must hold.
    All(Vec<ExpectedCondition<'p>>),
    /// One of these must hold.
    Any(Vec<Vec<ExpectedCondition<'p>>>),
    /// The goal has a fixed truth value.
    Settled(bool),
    /// The goal is a condition on variables.
    Leaf,
}

/// Explores the branches that meet all goals. `found` receives each branch that is not found impossible, and returns true to
/// stop.
pub(super) fn search<'p>(
    start: AbstractState<'p>,
    goals: Vec<ExpectedCondition<'p>>,
    steps: &mut Steps,
    found: &mut dyn FnMut(&AbstractState<'p>) -> bool,
) -> SearchResult {
    search_within(start, goals, steps, 0, found)
}

fn search_within<'p>(
    start: AbstractState<'p>,
    goals: Vec<ExpectedCondition<'p>>,
    steps: &mut Steps,
    nesting: usize,
    found: &mut dyn FnMut(&AbstractState<'p>) -> bool,
) -> SearchResult {
    let mut pending = Vec::from([Branch { state: start, goals, choices: Vec::new() }]);
    let mut is_possible = false;
    let mut why = Conflict::Values;
    let mut ways = 0;
    while let Some(mut way) = pending.pop() {
        ways += 1;
        let size = way.state.variables.len() + way.goals.len() + way.choices.len();
        if ways > MAX_WAYS || steps.spend(WAY * (1 + size)).is_err() {
            return SearchResult::Undecided;
        }
        match way.go(steps, nesting) {
            Err(Conflict::Exhausted) => return SearchResult::Undecided,
            Err(Conflict::Absent) => why = Conflict::Absent,
            Err(Conflict::Values) => {}
            Ok(()) => match way.next_choice() {
                Some(alternatives) => pending
                    .extend(alternatives.into_iter().rev().map(|goals| Branch { goals, ..way.clone() })),
                None => {
                    is_possible = true;
                    if found(&way.state) {
                        return SearchResult::Possible;
                    }
                }
            },
        }
        if steps.left() == 0 {
            return SearchResult::Undecided;
        }
    }
    if is_possible { SearchResult::Possible } else { SearchResult::Impossible(why) }
}

impl<'p> Branch<'p> {
    /// Processes all goals that do not depend on a choice.
    fn go(&mut self, steps: &mut Steps, nesting: usize) -> Result<(), Conflict> {
        while let Some((part, expected)) = self.goals.pop() {
            steps.spend(PART).map_err(|_| Conflict::Exhausted)?;
            match take_apart(self.state.scope, part, expected) {
                GoalStructure::All(goals) => self.goals.extend(goals.into_iter().rev()),
                GoalStructure::Any(_) => self.choices.push((part, expected)),
                GoalStructure::Settled(true) => {}
                GoalStructure::Settled(false) => return Err(Conflict::Values),
                GoalStructure::Leaf => self.state.assume((part, expected), steps)?,
            }
        }
        self.state.pay(steps)?;
        if let VariableScope::Policy(_) = self.state.scope {
            propagate(&mut self.state)?;
        }
        self.state.try_values(steps)?;
        try_items(&mut self.state, steps, nesting)?;
        match self.state.scope {
            VariableScope::Policy(_) => propagate(&mut self.state)?,
            VariableScope::Output(_) => compare_all(&mut self.state)?,
            VariableScope::Item(_) => {}
        }
        Ok(())
    }

    /// The alternatives of the choice with the fewest.
    fn next_choice(&mut self) -> Option<Vec<Vec<ExpectedCondition<'p>>>> {
        let mut best: Option<(usize, Vec<Vec<ExpectedCondition<'p>>>)> = None;
        for (index, (part, expected)) in self.choices.iter().enumerate() {
            let GoalStructure::Any(alternatives) = take_apart(self.state.scope, *part, *expected) else {
                continue;
            };
            if best.as_ref().is_none_or(|(_, fewest)| alternatives.len() < fewest.len()) {
                best = Some((index, alternatives));
            }
        }
        let (index, alternatives) = best?;
        self.choices.remove(index);
        Some(alternatives)
    }
}

/// Splits a goal at its connective, if it has one.
#[inline(never)]
fn take_apart<'p>(
    scope: VariableScope<'p>,
    part: Expression<'p>,
    expected: ExpectedTruth,
) -> GoalStructure<'p> {
    if let Form::Constant(value) = part.form() {
        return GoalStructure::Settled(match value {
            Value::Bool(truth) => expected.admits(Some(*truth)),
            _ => !expected.is_strict(),
        });
    }
    let each =
        |expected: ExpectedTruth| part.operands().map(|operand| (operand, expected)).collect::<Vec<_>>();
    let any = |expected: ExpectedTruth| {
        part.operands().map(|operand| Vec::from([(operand, expected)])).collect::<Vec<_>>()
    };
    match part.operator() {
        Some(Operator::And) if expected.holds() => all_or_cut_short(scope, part, expected),
        Some(Operator::Or) if !expected.holds() => all_or_cut_short(scope, part, expected),
        // One item with a type error ends an iteration, whatever the other items are.
        Some(operator) if operator.iterates() && !expected.is_strict() && scope.may_have_type_error(part) => {
            GoalStructure::Settled(true)
        }
        Some(Operator::And | Operator::Or) => GoalStructure::Any(any(expected)),
        Some(Operator::Not) => GoalStructure::All(each(expected.negated())),
        Some(Operator::Truth) => GoalStructure::All(each(expected)),
        Some(Operator::If | Operator::Ternary) => GoalStructure::Any(branches(part, expected)),
        _ => GoalStructure::Leaf,
    }
}

/// All operands have the wanted truth value. If unknown will do, one operand may also have a type error, which ends a connective
/// before its deciding operands. After an unknown operand outside, that counts as unknown.
fn all_or_cut_short<'p>(
    scope: VariableScope<'p>,
    part: Expression<'p>,
    expected: ExpectedTruth,
) -> GoalStructure<'p> {
    let each: Vec<ExpectedCondition<'p>> = part.operands().map(|operand| (operand, expected)).collect();
    if expected.is_strict() {
        return GoalStructure::All(each);
    }
    let mut ways = Vec::new();
    for (place, operand) in part.operands().enumerate() {
        if scope.may_have_type_error(operand) {
            let mut way: Vec<ExpectedCondition<'p>> = each.iter().copied().take(place).collect();
            way.extend([(operand, ExpectedTruth::NotTrue), (operand, ExpectedTruth::NotFalse)]);
            ways.push(way);
        }
    }
    if ways.is_empty() {
        return GoalStructure::All(each);
    }
    ways.push(each);
    GoalStructure::Any(ways)
}

/// The branches of an `if`: each with its condition true and earlier ones false. If unknown will do, also a branch for each
/// unknown condition.
fn branches(part: Expression<'_>, expected: ExpectedTruth) -> Vec<Vec<ExpectedCondition<'_>>> {
    let operands: Vec<_> = part.operands().collect();
    let mut ways = Vec::new();
    let mut before: Vec<ExpectedCondition<'_>> = Vec::new();
    let mut pairs = operands.chunks_exact(2);
    for pair in pairs.by_ref() {
        let [condition, value] = pair else { continue };
        let mut way = before.clone();
        way.extend([(*condition, ExpectedTruth::True), (*value, expected)]);
        ways.push(way);
        if !expected.is_strict() {
            let mut way = before.clone();
            way.extend([(*condition, ExpectedTruth::NotTrue), (*condition, ExpectedTruth::NotFalse)]);
            ways.push(way);
        }
        before.push((*condition, ExpectedTruth::False));
    }
    match pairs.remainder() {
        [last] => {
            before.push((*last, expected));
            ways.push(before);
        }
        // A missing else branch gives null, which is no truth value.
        _ if !expected.is_strict() => ways.push(before),
        _ => {}
    }
    ways
}

/// Checks that lists can have items that meet their conditions.
fn try_items(state: &mut AbstractState<'_>, steps: &mut Steps, nesting: usize) -> Result<(), Conflict> {
    if nesting >= MAX_NESTING {
        return Ok(());
    }
    let scope = state.scope;
    for (key, domain) in &mut state.variables {
        let list = &domain.list;
        let asks = [list.some.len(), list.each.len(), list.has.len()];
        if !domain.types.meets(Types::LIST) || asks == [0; 3] {
            continue;
        }
        let items = scope.items(*key, domain.shape);
        let mut is_possible = list.has.iter().all(|text| {
            let text = Value::Text(text);
            items.may_be(None, &text)
                && list.each.iter().all(|(body, expected)| admits(body.holds(&text, steps), *expected))
        });
        // If there is an item, it meets all conditions on every item.
        let some = list.some.iter().map(|test| Some(*test));
        let any_item = list.length.is_positive().then_some(None);
        for test in some.chain(any_item) {
            let goals = test.into_iter().chain(list.each.iter().copied()).collect();
            let answer = search_within(AbstractState::new(items), goals, steps, nesting + 1, &mut |_| true);
            is_possible &= !matches!(answer, SearchResult::Impossible(_));
        }
        if !is_possible {
            let domain = Rc::make_mut(domain);
            domain.drop_type(Types::LIST);
            keep(domain)?;
        }
    }
    Ok(())
}
