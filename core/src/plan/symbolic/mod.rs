//! Symbolic satisfaction: finds constraints of a contract that no result of its schema can satisfy (docs/reference/plans.md).
//!
//! ```text
//! Schema, constraints -> each alone, then all that share a variable, then pairs (here) -> [Clash]
//! Clash -> minimal conflicting parts and keywords (parts) -> a result for each constraint alone (witness)
//! ```
//!
//! `excluded` does the same for the contract of a node that alone gives every field of a constraint.
//!
//! Every finding is proven; a search that takes too much work finds nothing. All searches of one contract share one budget, apart
//! from the plan's.

mod answer;
mod check;
mod excluded;
mod parts;
mod witness;

use alloc::{vec, vec::Vec};

pub(super) use answer::findings;
pub(crate) use check::{check_contract, check_guardrails};
pub(super) use excluded::Excluded;
pub use witness::witness_text;

use adjudicate_lang::{
    Steps,
    logic::{Expression, VariablePath},
    order,
    schema::{KeywordLocation, Schema},
};

use crate::{
    check::outputs::{Ground, Satisfiability},
    documents::{Constraint, diagnostic::Level},
};

/// The budgets for searches and for walking the schema: one each for single constraints, for groups, and for reasons. They also
/// bound memory, because a step takes about a byte.
const STEPS: u64 = 2_000_000;
const STEPS_OF_SCHEMA: u64 = 3_000_000;
/// The budget of one search.
const STEPS_OF_SEARCH: u64 = 1_000_000;
/// The cost of starting a search.
const SEARCH: u64 = 512;
/// The most conflicts named for each constraint, and the most pairs in all.
const MOST_NAMED: usize = 5;
const MOST_PAIRS: usize = 100;
/// The largest group that is searched pair by pair without proof of a conflict.
const FEW: usize = 16;

/// Constraints that cannot all be satisfied: one, or several that each can be.
#[derive(Clone, Debug)]
pub(super) struct Clash {
    /// Their indices, in order; empty if the schema allows nothing at all.
    pub members: Vec<usize>,
}

/// A contract under analysis.
pub(super) struct Analysis<'c> {
    pub schema: &'c Schema,
    pub constraints: &'c [Constraint<'c>],
    /// The remaining budgets for searches and for walking the schema.
    search: Steps,
    walk: u64,
}

impl<'c> Analysis<'c> {
    pub(super) const fn new(schema: &'c Schema, constraints: &'c [Constraint<'c>]) -> Self {
        Self { schema, constraints, search: Steps::new(STEPS), walk: STEPS_OF_SCHEMA }
    }

    /// All proven conflicts.
    pub(super) fn clashes(&mut self) -> Vec<Clash> {
        if self.allows_nothing(&[]).0 {
            return Vec::from([Clash { members: Vec::new() }]);
        }
        let mut clashes = Vec::new();
        let mut live = Vec::new();
        for (at, constraint) in self.constraints.iter().enumerate() {
            if self.is_never(&[at]) {
                clashes.push(Clash { members: Vec::from([at]) });
            } else if constraint.level == Level::Hard {
                live.push(at);
            }
        }
        self.begin();
        for group in self.groups(&live) {
            self.clashes_of(&group, &mut clashes);
        }
        self.begin();
        clashes
    }

    /// Resets the budgets.
    const fn begin(&mut self) {
        (self.search, self.walk) = (Steps::new(STEPS), STEPS_OF_SCHEMA);
    }

    /// Returns true if some constraints can never hold together.
    fn is_never(&mut self, members: &[usize]) -> bool {
        self.verdict(members).is_never()
    }

    fn verdict(&mut self, members: &[usize]) -> Satisfiability {
        self.judge(&self.conditions(members), &[])
    }

    /// The expressions of some constraints.
    fn conditions(&self, members: &[usize]) -> Vec<Expression<'c>> {
        let constraints: &'c [Constraint<'c>] = self.constraints;
        let constraints = members.iter().filter_map(|at| constraints.get(*at));
        constraints.map(|constraint| constraint.program().root()).collect()
    }

    /// Judges if some conditions can hold together, with some keywords of the schema ignored.
    fn judge(&mut self, conditions: &[Expression<'_>], cuts: &[KeywordLocation]) -> Satisfiability {
        // The unvisited parts of the schema may allow anything, so a proof without them stands.
        self.with_budget(STEPS_OF_SEARCH, cuts, |ground, steps| ground.judge(conditions, steps))
    }

    /// The keywords that the judgment of some conditions uses.
    fn keywords(&mut self, conditions: &[Expression<'_>]) -> Vec<KeywordLocation> {
        self.with_budget(STEPS_OF_SEARCH, &[], |ground, steps| {
            ground.watched(|| ground.judge(conditions, steps)).1
        })
    }

    /// Runs a search over the schema, without some keywords, with a bounded budget, and deducts its cost.
    fn with_budget<T>(
        &mut self,
        most: u64,
        cuts: &[KeywordLocation],
        look: impl FnOnce(&Ground<'_>, &mut Steps) -> T,
    ) -> T {
        let ground = Ground::new(Some(self.schema), cuts, self.walk);
        let budget = most.min(self.search.left());
        let mut steps = Steps::new(budget);
        let found = look(&ground, &mut steps);
        self.walk = ground.left();
        self.search = Steps::new(self.search.left().saturating_sub(budget - steps.left() + SEARCH));
        found
    }

    /// Returns true if the schema, without some keywords, allows nothing, and the keywords used.
    fn allows_nothing(&mut self, cuts: &[KeywordLocation]) -> (bool, Vec<KeywordLocation>) {
        let ground = Ground::new(Some(self.schema), cuts, self.walk).deep();
        let found = ground.watched(|| ground.is_empty());
        self.walk = ground.left();
        found
    }

    /// Groups of constraints that share variables, directly or through others, in order. A constraint that shares none is in no
    /// group.
    fn groups(&self, live: &[usize]) -> Vec<Vec<usize>> {
        let mut uses: Vec<(VariablePath, usize)> = Vec::new();
        for (place, constraint) in
            live.iter().enumerate().filter_map(|(place, at)| Some((place, self.constraints.get(*at)?)))
        {
            let variables =
                constraint.program().variables().into_iter().filter(|variable| !variable.in_iteration);
            uses.extend(variables.filter_map(|variable| Some((variable.path?, place))));
        }
        order::sort_by(&mut uses, |(left, one), (right, other)| left.cmp(right).then(one.cmp(other)));
        let mut leader: Vec<usize> = (0..live.len()).collect();
        for pair in uses.windows(2) {
            if let [(left, one), (right, other)] = pair
                && left == right
            {
                let (one, other) = (led_by(&mut leader, *one), led_by(&mut leader, *other));
                if let Some(slot) = leader.get_mut(one.max(other)) {
                    *slot = one.min(other);
                }
            }
        }
        let mut groups = vec![Vec::new(); live.len()];
        for (place, at) in live.iter().enumerate() {
            let first = led_by(&mut leader, place);
            if let Some(group) = groups.get_mut(first) {
                group.push(*at);
            }
        }
        groups.retain(|group: &Vec<usize>| group.len() > 1);
        groups
    }

    /// Finds the conflicts of a group: pairs, or else a minimal set if only all together conflict.
    fn clashes_of(&mut self, group: &[usize], clashes: &mut Vec<Clash>) {
        match self.verdict(group) {
            Satisfiability::Perhaps => return,
            Satisfiability::Undecided if group.len() > FEW => return,
            _ => {}
        }
        let mut named = vec![0; self.constraints.len()];
        let is_full = |named: &[usize], at: usize| named.get(at).is_some_and(|count| *count >= MOST_NAMED);
        let mut pairs = 0;
        for (place, one) in group.iter().enumerate() {
            for other in group.iter().skip(place + 1) {
                if is_full(&named, *one) && is_full(&named, *other) {
                    continue;
                }
                if self.search.left() == 0 || pairs == MOST_PAIRS {
                    return;
                }
                let members = [*one, *other];
                if self.is_never(&members) {
                    pairs += 1;
                    members
                        .iter()
                        .filter_map(|at| named.get_mut(*at).map(|count| *count += 1))
                        .for_each(drop);
                    clashes.push(Clash { members: members.into() });
                }
            }
        }
        if pairs > 0 {
            return;
        }
        let mut members = self.fewest(&[], group, false);
        order::sort_by(&mut members, Ord::cmp);
        if self.is_never(&members) {
            clashes.push(Clash { members });
        }
    }

    /// A minimal part of `of` that conflicts with `others`, by divide and conquer; all of `of` together must conflict.
    fn fewest(&mut self, others: &[usize], of: &[usize], is_new: bool) -> Vec<usize> {
        if is_new && self.is_never(others) {
            return Vec::new();
        }
        if of.len() < 2 {
            return of.into();
        }
        let (first, second) = of.split_at(of.len() / 2);
        let with_first = self.fewest(&[others, first].concat(), second, true);
        let mut fewest = self.fewest(&[others, &with_first].concat(), first, !with_first.is_empty());
        fewest.extend(with_first);
        fewest
    }
}

/// The representative of a group (union-find).
fn led_by(leader: &mut [usize], mut at: usize) -> usize {
    while let Some(next) = leader.get(at).copied().filter(|next| *next != at) {
        // Path halving.
        let beyond = leader.get(next).copied().unwrap_or(next);
        if let Some(slot) = leader.get_mut(at) {
            *slot = beyond;
        }
        at = beyond;
    }
    at
}
