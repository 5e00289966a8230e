//! Outputs: what a contract's schema allows, and whether conditions over an output can hold (SPEC section 7.4).
//!
//! ```text
//! Schema -> Ground -> domains of variables (walk) -> search -> it is proven that no output does, or an output that does (draft)
//! ```
//!
//! A domain has every value that some valid output has there, and perhaps more. What is proven is so; an output is shown only
//! after it was validated and every condition held of it.

mod draft;
mod walk;

use alloc::{boxed::Box, string::String, vec::Vec};
use core::cell::{Cell, RefCell};

use adjudicate_lang::{
    Steps,
    json::{self, Limits, OwnedValue},
    logic::{Expression, Operator, Path, Types, Value},
    schema::{Keyword, Schema},
};

use super::{
    domain::Domain,
    env::Env,
    narrow::plain_variable,
    search::{Answer, search},
    want::{Test, Want},
    world::World,
};

/// How many lists one stands in another of.
const MOST_LISTS: usize = 3;
/// How many ways are tried before a search for an output gives up, and how many outputs for each.
const TRIALS: usize = 6;
const CHOICES: usize = 16;
/// What one value may take to be held against a rule.
const STEPS_OF_VALUE: u64 = 1 << 16;

/// A step from an output into it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'w> {
    /// The member of that name, or the item of that index.
    Name(&'w str),
    /// Any item.
    Each,
}

/// What a schema allows, to be asked about conditions.
pub(crate) struct Ground<'p> {
    /// Without one anything is allowed.
    schema: Option<&'p Schema>,
    /// Keywords that are taken as if they were not there.
    cuts: &'p [Keyword],
    /// Whether members that are required are looked into, too.
    is_deep: bool,
    steps: Cell<u64>,
    /// The keywords that were looked at, once they are asked for.
    seen: RefCell<Option<Vec<Keyword>>>,
}

/// Whether conditions can hold of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is proven that they cannot.
    Never,
    /// It was not found that they cannot.
    Perhaps,
    /// There was too much to look at.
    Undecided,
}

/// An output, or an item of lists in it.
#[derive(Clone, Copy)]
pub(super) struct Outputs<'p> {
    ground: &'p Ground<'p>,
    /// The lists that lead there, the outermost first.
    lists: [Option<&'p Path>; MOST_LISTS],
}

impl<'p> Ground<'p> {
    /// What a schema allows without some of its keywords; all that is asked of it shares a budget.
    pub(crate) const fn new(schema: Option<&'p Schema>, cuts: &'p [Keyword], steps: u64) -> Self {
        Self { schema, cuts, is_deep: false, steps: Cell::new(steps), seen: RefCell::new(None) }
    }

    /// The same, where members that are required are looked into.
    pub(crate) const fn deep(mut self) -> Self {
        self.is_deep = true;
        self
    }

    /// Whether it is proven that there is no value at all that is allowed.
    pub(crate) fn is_empty(&self) -> bool {
        self.domain(&[]).is_empty()
    }

    /// Whether all of some conditions can hold of one output.
    pub(crate) fn judge(&'p self, conditions: &[Expression<'p>], steps: &mut Steps) -> Verdict {
        self.verdict(conditions, Want::True, steps)
    }

    /// Whether all of some conditions can hold of one output, or be unknown of it.
    pub(crate) fn judge_leniently(&'p self, conditions: &[Expression<'p>], steps: &mut Steps) -> Verdict {
        self.verdict(conditions, Want::NotFalse, steps)
    }

    fn verdict(&'p self, conditions: &[Expression<'p>], want: Want, steps: &mut Steps) -> Verdict {
        match self.search(conditions, want, steps, &mut |_| true) {
            Answer::Impossible(_) => Verdict::Never,
            Answer::Possible => Verdict::Perhaps,
            Answer::Undecided => Verdict::Undecided,
        }
    }

    /// An output that is valid, and of which all of some conditions hold, if one is found.
    pub(crate) fn witness(&'p self, conditions: &[Expression<'p>], steps: &mut Steps) -> Option<OwnedValue> {
        let schema = self.schema?;
        let mut shown = None;
        let mut trials = 0;
        let mut budget = Steps::new(steps.left());
        self.search(conditions, Want::True, &mut budget, &mut |env| {
            trials += 1;
            for choice in 0..CHOICES {
                shown = draft::output(env, choice, steps)
                    .filter(|output| is_witness(schema, output, conditions, steps));
                if shown.is_some() {
                    break;
                }
            }
            shown.is_some() || trials >= TRIALS
        });
        settle(steps, &budget);
        shown
    }

    fn search(
        &'p self,
        conditions: &[Expression<'p>],
        want: Want,
        steps: &mut Steps,
        found: &mut dyn FnMut(&Env<'p>) -> bool,
    ) -> Answer {
        let goals: Vec<Test<'p>> = conditions.iter().rev().map(|condition| (*condition, want)).collect();
        let world = World::Output(Outputs { ground: self, lists: [None; MOST_LISTS] });
        search(Env::new(world), goals, steps, found)
    }

    /// The variables of a condition that ask a text or a list for a member `length`, which neither has: each once, in the order of
    /// the condition. Those with a default are left out.
    pub(crate) fn lengths(&'p self, condition: Expression<'p>) -> Vec<&'p Path> {
        let mut found = Vec::new();
        let mut pending = Vec::from([(condition, Outputs { ground: self, lists: [None; MOST_LISTS] })]);
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
                    // A fold sees more than the item.
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

    /// What is done, with the keywords that were looked at on the way, each once.
    pub(crate) fn watched<T>(&self, work: impl FnOnce() -> T) -> (T, Vec<Keyword>) {
        *self.seen.borrow_mut() = Some(Vec::new());
        let done = work();
        (done, self.seen.take().unwrap_or_default())
    }

    fn note(&self, keyword: Keyword) {
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

    /// How much may still be looked at.
    pub(crate) fn left(&self) -> u64 {
        self.steps.get()
    }

    /// Does what takes steps.
    fn with_steps<T>(&self, most: u64, work: impl FnOnce(&mut Steps) -> T) -> T {
        let lent = self.steps.get().min(most);
        let mut steps = Steps::new(lent);
        let done = work(&mut steps);
        self.pay(usize::try_from(lent - steps.left()).unwrap_or(usize::MAX));
        done
    }
}

/// Takes from a budget what was used of one that began as it is.
fn settle(steps: &mut Steps, lent: &Steps) {
    *steps = Steps::new(steps.left().min(lent.left()));
}

/// Whether an output, written and read as any other, is valid, and all conditions hold of it.
fn is_witness(
    schema: &Schema,
    output: &OwnedValue,
    conditions: &[Expression<'_>],
    steps: &mut Steps,
) -> bool {
    let text = json::write(output);
    let Ok(tape) = json::read(text.as_bytes(), Limits::DOCUMENT) else { return false };
    let mut lent = Steps::new(steps.left());
    let is_valid = schema.is_valid(tape.root(), &mut lent).unwrap_or(false);
    settle(steps, &lent);
    is_valid
        && conditions.iter().all(|condition| matches!(condition.holds(&tape.root(), steps), Ok(Some(true))))
}

impl<'p> Outputs<'p> {
    /// What a variable may be.
    pub(super) fn domain(self, path: &[Box<str>]) -> Box<Domain<'p>> {
        self.ground.domain(&self.way(path))
    }

    /// Whether a variable may have that value, as far as each rule of the schema says.
    pub(super) fn may_be(self, path: &[Box<str>], value: &Value<'_>) -> bool {
        self.ground.may_be(&self.way(path), &json::write(value))
    }

    /// Returns whether a variable names the length of a text or a list as if it were a member.
    fn misses_length(self, path: &[Box<str>]) -> bool {
        match path.split_last() {
            Some((last, parent)) if **last == *"length" => {
                self.domain(path).types == Types::NONE
                    && self.domain(parent).types.meets(Types::TEXT.or(Types::LIST))
            }
            _ => false,
        }
    }

    /// The items of a list; `None` where lists are too deep inside of each other.
    pub(super) fn inside(mut self, list: &'p Path) -> Option<Self> {
        *self.lists.iter_mut().find(|known| known.is_none())? = Some(list);
        Some(self)
    }

    /// The way to a variable.
    pub(super) fn way<'w>(&self, path: &'w [Box<str>]) -> Vec<Step<'w>>
    where
        'p: 'w,
    {
        let mut way = Vec::new();
        for list in self.lists.iter().flatten() {
            way.extend(list.segments().iter().map(|name| Step::Name(name)));
            way.push(Step::Each);
        }
        way.extend(path.iter().map(|name| Step::Name(name)));
        way
    }

    pub(super) const fn ground(self) -> &'p Ground<'p> {
        self.ground
    }
}

/// Where keywords stand, each once, in their order: of long ones, as many as the budget is for.
pub(crate) fn places(schema: &Schema, keywords: &[Keyword], steps: &mut Steps) -> Vec<String> {
    let places = keywords.iter().map(|keyword| schema.place_of(*keyword));
    let mut places: Vec<String> = places.take_while(|place| steps.spend(4 * place.len()).is_ok()).collect();
    adjudicate_lang::order::sort_by(&mut places, |left, right| json::compare_pointers(left, right));
    places.dedup();
    places
}
