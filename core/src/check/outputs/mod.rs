//! Outputs: the values that a contract's schema allows, and the satisfiability of conditions over them (docs/reference/plans.md).
//!
//! ```text
//! Schema -> Ground -> domains of variables (walk) -> search -> a proof that no output exists, or an output (output_model)
//! ```
//!
//! A domain contains every value of some valid output, and perhaps more. So proofs are sound, and an output is reported only
//! after the schema and every condition accepted it.

mod output_model;
mod walk;

pub(super) use output_model::output;

pub(crate) use super::search::Satisfiability;

use alloc::{boxed::Box, rc::Rc, string::String, vec::Vec};
use core::cell::{Cell, RefCell};

use adjudicate_lang::{
    Steps,
    json::{self, Node, OwnedValue},
    logic::{Expression, Operator, Types, Value, VariablePath},
    schema::{KeywordLocation, Schema},
};

use super::{
    abstract_state::AbstractState,
    domain::Domain,
    expected_truth::{ExpectedCondition, ExpectedTruth},
    model_values::reread,
    narrow::plain_variable,
    scope::VariableScope,
    search::{find, judge},
};

/// The most levels of nested lists.
const MOST_LISTS: usize = 3;
/// The most outputs that are tried for a branch of a search.
pub(super) const CHOICES: usize = 16;
/// The most steps for testing one value against a rule.
const STEPS_OF_VALUE: u64 = 1 << 16;

/// A step of a path into an output.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'w> {
    /// The field with this name, or the item with this index.
    Name(&'w str),
    /// Any item.
    Each,
}

impl<'w> Step<'w> {
    /// The name; `None` for any item.
    const fn name(self) -> Option<&'w str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Each => None,
        }
    }
}

/// A schema as a source of domains.
pub(crate) struct Ground<'p> {
    /// Without a schema, any value is allowed.
    schema: Option<&'p Schema>,
    /// Keywords to ignore.
    cuts: &'p [KeywordLocation],
    /// True if required fields are analyzed, too.
    is_deep: bool,
    /// The number of names of a path that lead to the value of the schema.
    base: usize,
    steps: Cell<u64>,
    /// The keywords used so far, if they are recorded.
    seen: RefCell<Option<Vec<KeywordLocation>>>,
}

/// An output, or an item of lists in it.
#[derive(Clone, Copy)]
pub(super) struct Outputs<'p> {
    ground: &'p Ground<'p>,
    /// The lists on the path, outermost first.
    lists: [Option<&'p VariablePath>; MOST_LISTS],
}

impl<'p> Ground<'p> {
    /// A schema without some of its keywords; all questions share a budget.
    pub(crate) const fn new(schema: Option<&'p Schema>, cuts: &'p [KeywordLocation], steps: u64) -> Self {
        Self { schema, cuts, is_deep: false, base: 0, steps: Cell::new(steps), seen: RefCell::new(None) }
    }

    /// The same, with required fields analyzed.
    pub(crate) const fn deep(mut self) -> Self {
        self.is_deep = true;
        self
    }

    /// The same, for paths whose first names lead to the value that the schema describes.
    pub(super) const fn below(mut self, names: usize) -> Self {
        self.base = names;
        self
    }

    /// Returns true if the schema provably allows no value.
    pub(crate) fn is_empty(&self) -> bool {
        self.domain(&[]).is_empty()
    }

    /// Judges if all conditions can hold for one output.
    pub(crate) fn judge(&'p self, conditions: &[Expression<'p>], steps: &mut Steps) -> Satisfiability {
        judge(self.state(), &goals(conditions, ExpectedTruth::True), steps)
    }

    /// Judges if all conditions can hold or be unknown for one output.
    pub(crate) fn judge_leniently(
        &'p self,
        conditions: &[Expression<'p>],
        steps: &mut Steps,
    ) -> Satisfiability {
        judge(self.state(), &goals(conditions, ExpectedTruth::NotFalse), steps)
    }

    /// A valid output for which all conditions hold, if one is found.
    pub(crate) fn witness(&'p self, conditions: &[Expression<'p>], steps: &mut Steps) -> Option<OwnedValue> {
        let schema = self.schema?;
        let mut budget = Steps::new(steps.left());
        let goals = goals(conditions, ExpectedTruth::True);
        let shown = find(self.state(), &goals, &mut budget, &mut |state| {
            (0..CHOICES).find_map(|choice| {
                let output = output_model::output(state, choice, steps)?;
                is_witness(schema, &output, conditions, steps).then_some(output)
            })
        });
        settle(steps, &budget);
        shown
    }

    const fn state(&'p self) -> AbstractState<'p> {
        AbstractState::new(VariableScope::Output(Outputs::new(self)))
    }

    /// The variables of a condition that read a field `length` of a text or list, which has none: each once, in order. Variables
    /// with a default are left out.
    pub(crate) fn lengths(&'p self, condition: Expression<'p>) -> Vec<&'p VariablePath> {
        let mut found = Vec::new();
        let mut pending = Vec::from([(condition, Outputs::new(self))]);
        while let Some((part, outputs)) = pending.pop() {
            if let Some(path) = plain_variable(part) {
                if !found.contains(&path) && outputs.misses_length(path.segments()) {
                    found.push(path);
                }
                continue;
            }
            let list = part.operands().next().and_then(plain_variable);
            for (place, operand) in part.operands().enumerate().rev() {
                let scope = match part.operator() {
                    // The body of `reduce` sees more than the item.
                    Some(Operator::Reduce) if place == 1 => None,
                    Some(operator) if operator.iterates() && place == 1 => {
                        list.and_then(|list| outputs.inside(list))
                    }
                    _ => Some(outputs),
                };
                pending.extend(scope.map(|scope| (operand, scope)));
            }
        }
        found
    }

    /// Runs `work`, and returns the keywords it used, each once.
    pub(crate) fn watched<T>(&self, work: impl FnOnce() -> T) -> (T, Vec<KeywordLocation>) {
        *self.seen.borrow_mut() = Some(Vec::new());
        let done = work();
        (done, self.seen.take().unwrap_or_default())
    }

    fn note(&self, keyword: KeywordLocation) {
        if let Some(seen) = &mut *self.seen.borrow_mut()
            && !seen.contains(&keyword)
        {
            seen.push(keyword);
        }
    }

    fn pay(&self, steps: usize) -> bool {
        let left = self.steps.get().checked_sub(steps as u64);
        self.steps.set(left.unwrap_or_default());
        left.is_some()
    }

    pub(crate) fn left(&self) -> u64 {
        self.steps.get()
    }

    /// Runs `work` on a share of the budget.
    fn with_steps<T>(&self, most: u64, work: impl FnOnce(&mut Steps) -> T) -> T {
        let budget = self.steps.get().min(most);
        let mut steps = Steps::new(budget);
        let done = work(&mut steps);
        self.pay(usize::try_from(budget - steps.left()).unwrap_or(usize::MAX));
        done
    }
}

/// Deducts from a budget the steps that its copy used.
fn settle(steps: &mut Steps, budget: &Steps) {
    *steps = Steps::new(steps.left().min(budget.left()));
}

/// The last condition first, because a search pops its goals.
fn goals<'p>(conditions: &[Expression<'p>], expected: ExpectedTruth) -> Vec<ExpectedCondition<'p>> {
    conditions.iter().rev().map(|condition| (*condition, expected)).collect()
}

/// Returns true if an output is valid and meets all conditions, after serializing and parsing it.
fn is_witness(
    schema: &Schema,
    output: &OwnedValue,
    conditions: &[Expression<'_>],
    steps: &mut Steps,
) -> bool {
    let is_valid = |output: Node<'_>| {
        let mut budget = Steps::new(steps.left());
        let is_valid = schema.is_valid(output, &mut budget).unwrap_or(false);
        settle(steps, &budget);
        is_valid && conditions.iter().all(|condition| condition.holds(&output, steps) == Ok(Some(true)))
    };
    reread(output, is_valid).unwrap_or(false)
}

impl<'p> Outputs<'p> {
    pub(super) const fn new(ground: &'p Ground<'p>) -> Self {
        Self { ground, lists: [None; MOST_LISTS] }
    }

    pub(super) fn domain(self, path: &[Box<str>]) -> Box<Domain<'p>> {
        self.ground.domain(&self.way(path))
    }

    /// The values that a declared variable can have, or a message for humans if there are none.
    pub(super) fn target(self, path: &[Box<str>]) -> Result<Rc<Domain<'p>>, String> {
        self.ground.target(&self.way(path)).map(|domain| Rc::new(*domain))
    }

    /// Returns true if a variable can have this value, judged by each rule of the schema.
    pub(super) fn may_be(self, path: &[Box<str>], value: &Value<'_>) -> bool {
        self.ground.may_be(&self.way(path), &json::write(value))
    }

    /// Returns true if a variable reads the length of a text or list as if it were a field.
    fn misses_length(self, path: &[Box<str>]) -> bool {
        match path.split_last() {
            Some((last, parent)) if **last == *"length" => {
                self.domain(path).types == Types::NONE
                    && self.domain(parent).types.meets(Types::TEXT.or(Types::LIST))
            }
            _ => false,
        }
    }

    /// The items of a list; `None` if lists are nested too deep.
    pub(super) fn inside(mut self, list: &'p VariablePath) -> Option<Self> {
        *self.lists.iter_mut().find(|known| known.is_none())? = Some(list);
        Some(self)
    }

    /// The path to a variable.
    pub(super) fn way<'w>(&self, path: &'w [Box<str>]) -> Vec<Step<'w>>
    where
        'p: 'w,
    {
        let mut way = Vec::new();
        // The outermost path begins at the root.
        let mut base = self.ground.base;
        for list in self.lists.iter().flatten() {
            way.extend(list.segments().iter().skip(base).map(|name| Step::Name(name)));
            way.push(Step::Each);
            base = 0;
        }
        way.extend(path.iter().skip(base).map(|name| Step::Name(name)));
        way
    }

    pub(super) const fn ground(self) -> &'p Ground<'p> {
        self.ground
    }
}

/// The pointers of keywords, each once, in order, as far as the budget allows.
pub(crate) fn places(schema: &Schema, keywords: &[KeywordLocation], steps: &mut Steps) -> Vec<String> {
    let places = keywords.iter().map(|keyword| schema.pointer_of(*keyword));
    let mut places: Vec<String> = places.take_while(|place| steps.spend(4 * place.len()).is_ok()).collect();
    adjudicate_lang::order::sort_by(&mut places, |left, right| json::compare_pointers(left, right));
    places.dedup();
    places
}
