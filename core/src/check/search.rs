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
    candidates::fits,
    compare::compare_all,
    expected_truth::{ExpectedCondition, ExpectedTruth},
    relate::{keep, propagate},
    scope::VariableScope,
};

/// The most branches of one search.
const MAX_WAYS: usize = 512;
/// The most levels of nested lists that are searched.
const MAX_NESTING: usize = 3;
/// The most branches from which a model is made.
const TRIALS: usize = 6;
/// The cost of one part.
const PART: usize = 64;
/// The cost of starting a branch, and of each variable, goal and choice in it.
const WAY: usize = 256;

/// The satisfiability of goals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Satisfiability {
    /// It is proven that no branch is possible, with this reason.
    Never(Conflict),
    /// Some branch was not found impossible, which does not prove that it is possible.
    Perhaps,
    /// The search was truncated.
    Undecided,
}

impl Satisfiability {
    /// Returns true if the goals are proven unsatisfiable.
    pub(crate) const fn is_never(self) -> bool {
        matches!(self, Self::Never(_))
    }
}

/// A branch, as far as it is explored.
#[derive(Clone)]
struct Branch<'p> {
    state: AbstractState<'p>,
    goals: Vec<ExpectedCondition<'p>>,
    /// The alternatives of disjunctions; each disjunction needs one.
    choices: Vec<Rc<Alternatives<'p>>>,
}

/// Goals that can be met instead of each other.
type Alternatives<'p> = Vec<Vec<ExpectedCondition<'p>>>;

/// The structure of a goal.
enum GoalStructure<'p> {
    /// All of these must hold.
    All(Vec<ExpectedCondition<'p>>),
    /// One of these must hold.
    Any(Alternatives<'p>),
    /// The goal has a fixed truth value.
    Settled(bool),
    /// The goal is a condition on variables.
    Leaf,
}

/// Judges if all goals can be met.
pub(super) fn judge<'p>(
    start: AbstractState<'p>,
    goals: &[ExpectedCondition<'p>],
    steps: &mut Steps,
) -> Satisfiability {
    search(start, goals.to_vec(), steps, &mut |_| true)
}

/// The first result of `make` for a branch that meets all goals, of the first few branches.
pub(super) fn find<'p, T>(
    start: AbstractState<'p>,
    goals: &[ExpectedCondition<'p>],
    steps: &mut Steps,
    make: &mut dyn FnMut(&AbstractState<'p>) -> Option<T>,
) -> Option<T> {
    let (mut made, mut trials) = (None, 0);
    search(start, goals.to_vec(), steps, &mut |state| {
        trials += 1;
        made = make(state);
        made.is_some() || trials == TRIALS
    });
    made
}

/// Explores the branches that meet all goals. `found` receives each branch that is not found impossible, and returns true to
/// stop.
pub(super) fn search<'p>(
    start: AbstractState<'p>,
    goals: Vec<ExpectedCondition<'p>>,
    steps: &mut Steps,
    found: &mut dyn FnMut(&AbstractState<'p>) -> bool,
) -> Satisfiability {
    let mut pending = Vec::from([Branch { state: start, goals, choices: Vec::new() }]);
    let mut is_possible = false;
    let mut why = Conflict::Values;
    let mut ways = 0;
    while let Some(mut way) = pending.pop() {
        ways += 1;
        let size = way.state.variables.len() + way.goals.len() + way.choices.len();
        if ways > MAX_WAYS || steps.spend(WAY * (1 + size)).is_err() {
            return Satisfiability::Undecided;
        }
        match way.go(steps) {
            Err(Conflict::Exhausted) => return Satisfiability::Undecided,
            Err(Conflict::Absent) => why = Conflict::Absent,
            Err(Conflict::Values) => {}
            Ok(()) => match way.next_choice() {
                Some(alternatives) => {
                    let branch = |goals: &Vec<_>| Branch { goals: goals.clone(), ..way.clone() };
                    pending.extend(alternatives.iter().rev().map(branch));
                }
                None => {
                    is_possible = true;
                    if found(&way.state) {
                        return Satisfiability::Perhaps;
                    }
                }
            },
        }
        if steps.left() == 0 {
            return Satisfiability::Undecided;
        }
    }
    if is_possible { Satisfiability::Perhaps } else { Satisfiability::Never(why) }
}

impl<'p> Branch<'p> {
    /// Processes all goals that do not depend on a choice.
    fn go(&mut self, steps: &mut Steps) -> Result<(), Conflict> {
        while let Some((part, expected)) = self.goals.pop() {
            steps.spend(PART).map_err(|_| Conflict::Exhausted)?;
            match take_apart(self.state.scope, part, expected) {
                GoalStructure::All(goals) => self.goals.extend(goals.into_iter().rev()),
                GoalStructure::Any(alternatives) => self.choices.push(Rc::new(alternatives)),
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
        try_items(&mut self.state, steps)?;
        match self.state.scope {
            VariableScope::Policy(_) => propagate(&mut self.state)?,
            VariableScope::Output(_) => compare_all(&mut self.state)?,
            VariableScope::Item(_) => {}
        }
        Ok(())
    }

    /// Takes the choice with the fewest alternatives.
    fn next_choice(&mut self) -> Option<Rc<Alternatives<'p>>> {
        let fewest = self.choices.iter().enumerate().min_by_key(|(_, choice)| choice.len());
        let index = fewest.map(|(index, _)| index)?;
        Some(self.choices.remove(index))
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
    let each = |expected: ExpectedTruth| part.operands().map(move |operand| (operand, expected));
    match part.operator() {
        Some(Operator::And) if expected.holds() => {
            all_or_cut_short(scope, each(expected).collect(), expected)
        }
        Some(Operator::Or) if !expected.holds() => {
            all_or_cut_short(scope, each(expected).collect(), expected)
        }
        // One item with a type error ends an iteration, whatever the other items are.
        Some(operator) if operator.iterates() && !expected.is_strict() && scope.may_have_type_error(part) => {
            GoalStructure::Settled(true)
        }
        Some(Operator::And | Operator::Or) => {
            GoalStructure::Any(each(expected).map(|operand| Vec::from([operand])).collect())
        }
        Some(Operator::Not) => GoalStructure::All(each(expected.negated()).collect()),
        Some(Operator::Truth) => GoalStructure::All(each(expected).collect()),
        Some(Operator::If | Operator::Ternary) => GoalStructure::Any(branches(part, expected)),
        _ => GoalStructure::Leaf,
    }
}

/// A condition that is unknown, or a type error.
fn undecided(condition: Expression<'_>) -> [ExpectedCondition<'_>; 2] {
    [(condition, ExpectedTruth::NotTrue), (condition, ExpectedTruth::NotFalse)]
}

/// All operands have the wanted truth value. If unknown will do, one operand may also have a type error, which ends a connective
/// before its deciding operands. After an unknown operand outside, that counts as unknown.
fn all_or_cut_short<'p>(
    scope: VariableScope<'p>,
    each: Vec<ExpectedCondition<'p>>,
    expected: ExpectedTruth,
) -> GoalStructure<'p> {
    let mut ways = Vec::new();
    for (place, (operand, _)) in each.iter().enumerate().filter(|_| !expected.is_strict()) {
        if scope.may_have_type_error(*operand) {
            ways.push(each.iter().copied().take(place).chain(undecided(*operand)).collect());
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
fn branches(part: Expression<'_>, expected: ExpectedTruth) -> Alternatives<'_> {
    let operands: Vec<_> = part.operands().collect();
    let mut ways = Vec::new();
    let mut before: Vec<ExpectedCondition<'_>> = Vec::new();
    let mut pairs = operands.chunks_exact(2);
    for pair in pairs.by_ref() {
        let [condition, value] = pair else { continue };
        let after = |goals: [_; 2]| before.iter().copied().chain(goals).collect();
        ways.push(after([(*condition, ExpectedTruth::True), (*value, expected)]));
        if !expected.is_strict() {
            ways.push(after(undecided(*condition)));
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
fn try_items(state: &mut AbstractState<'_>, steps: &mut Steps) -> Result<(), Conflict> {
    let (scope, nesting) = (state.scope, state.nesting + 1);
    if nesting > MAX_NESTING {
        return Ok(());
    }
    for (key, domain) in &mut state.variables {
        let list = &domain.list;
        let asks = [list.some.len(), list.each.len(), list.has.len()];
        if !domain.types.meets(Types::LIST) || asks == [0; 3] {
            continue;
        }
        let items = scope.items(*key, domain.shape);
        let mut is_possible = list.has.iter().all(|text| {
            let text = Value::Text(text);
            items.may_be(None, &text) && fits(&text, &list.each, steps)
        });
        // If there is an item, it meets all conditions on every item.
        let some = list.some.iter().map(|test| Some(*test));
        let any_item = list.length.is_positive().then_some(None);
        for test in some.chain(any_item) {
            let goals: Vec<_> = test.into_iter().chain(list.each.iter().copied()).collect();
            let start = AbstractState { nesting, ..AbstractState::new(items) };
            is_possible &= !judge(start, &goals, steps).is_never();
        }
        if !is_possible {
            let domain = Rc::make_mut(domain);
            domain.drop_type(Types::LIST);
            keep(domain)?;
        }
    }
    Ok(())
}
