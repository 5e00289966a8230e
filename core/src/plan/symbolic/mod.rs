//! Symbolic satisfaction: which constraints of a contract no result that its schema allows can satisfy (SPEC section 7.4).
//!
//! ```text
//! Schema, constraints -> each alone, then all that share a variable, then pairs (here) -> [Clash]
//! Clash -> the parts and keywords without which it would be none (parts) -> a result for each alone (witness)
//! ```
//!
//! `excluded` asks the same of the contract of a node that alone gives what a constraint is about.
//!
//! What is found is proven; whatever takes too much work is not found. All that is done for one contract shares one budget,
//! apart from that of the plan.

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
    logic::{Expression, Path},
    order,
    schema::{Keyword, Schema},
};

use super::Constraint;
use crate::{
    check::outputs::{Ground, Verdict},
    plan::Level,
};

/// The budgets for searches, and for going through the schema: for constraints alone, for those together, and for why they clash.
/// They bound memory, too: a step of them takes about a byte.
const STEPS: u64 = 2_000_000;
const STEPS_OF_SCHEMA: u64 = 3_000_000;
/// The budget of one search.
const STEPS_OF_SEARCH: u64 = 1_000_000;
/// What it costs to begin a search.
const SEARCH: u64 = 512;
/// How many constraints that clash are named for each, and how many pairs in all.
const MOST_NAMED: usize = 5;
const MOST_PAIRS: usize = 100;
/// How many constraints that share variables are looked at pair by pair where it is not known that they clash.
const FEW: usize = 16;

/// Constraints that cannot all be satisfied: one, or several of which each can.
#[derive(Clone, Debug)]
pub(super) struct Clash {
    /// Their places, in order; none where the schema allows nothing at all.
    pub members: Vec<usize>,
}

/// A contract that is looked at.
pub(super) struct Analysis<'c> {
    pub schema: &'c Schema,
    pub constraints: &'c [Constraint<'c>],
    /// What is left for searches, and for going through the schema.
    search: Steps,
    walk: u64,
}

impl<'c> Analysis<'c> {
    pub(super) const fn new(schema: &'c Schema, constraints: &'c [Constraint<'c>]) -> Self {
        Self { schema, constraints, search: Steps::new(STEPS), walk: STEPS_OF_SCHEMA }
    }

    /// Everything that is proven not to go together.
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

    /// Begins with budgets of their own.
    const fn begin(&mut self) {
        (self.search, self.walk) = (Steps::new(STEPS), STEPS_OF_SCHEMA);
    }

    /// Whether some constraints can never hold together.
    fn is_never(&mut self, members: &[usize]) -> bool {
        self.verdict(members) == Verdict::Never
    }

    fn verdict(&mut self, members: &[usize]) -> Verdict {
        self.judge(&self.conditions(members), &[])
    }

    /// What some constraints say.
    fn conditions(&self, members: &[usize]) -> Vec<Expression<'c>> {
        let constraints: &'c [Constraint<'c>] = self.constraints;
        let constraints = members.iter().filter_map(|at| constraints.get(*at));
        constraints.map(|constraint| constraint.program.root()).collect()
    }

    /// Whether some conditions can hold together, without some keywords of the schema.
    fn judge(&mut self, conditions: &[Expression<'_>], cuts: &[Keyword]) -> Verdict {
        // What the walk could not look at may be anything; what was proven without is proven all the same.
        self.lend(STEPS_OF_SEARCH, cuts, |ground, lent| ground.judge(conditions, lent))
    }

    /// The keywords that are looked at when some conditions are judged.
    fn keywords(&mut self, conditions: &[Expression<'_>]) -> Vec<Keyword> {
        self.lend(STEPS_OF_SEARCH, &[], |ground, lent| ground.watched(|| ground.judge(conditions, lent)).1)
    }

    /// Looks at the schema, without some of its keywords, for as much as one search may cost, and pays what it did.
    fn lend<T>(&mut self, most: u64, cuts: &[Keyword], look: impl FnOnce(&Ground<'_>, &mut Steps) -> T) -> T {
        let ground = Ground::new(Some(self.schema), cuts, self.walk);
        let budget = most.min(self.search.left());
        let mut lent = Steps::new(budget);
        let found = look(&ground, &mut lent);
        self.walk = ground.left();
        self.search = Steps::new(self.search.left().saturating_sub(budget - lent.left() + SEARCH));
        found
    }

    /// Whether the schema, without some keywords, allows nothing, and the keywords that were looked at.
    fn allows_nothing(&mut self, cuts: &[Keyword]) -> (bool, Vec<Keyword>) {
        let ground = Ground::new(Some(self.schema), cuts, self.walk).deep();
        let found = ground.watched(|| ground.is_empty());
        self.walk = ground.left();
        found
    }

    /// Constraints that share variables, directly or by way of others, in order; those that share none are in no group.
    fn groups(&self, live: &[usize]) -> Vec<Vec<usize>> {
        let mut asked: Vec<(Path, usize)> = Vec::new();
        for (place, constraint) in
            live.iter().enumerate().filter_map(|(place, at)| Some((place, self.constraints.get(*at)?)))
        {
            let variables =
                constraint.program.variables().into_iter().filter(|variable| !variable.in_iteration);
            asked.extend(variables.filter_map(|variable| Some((variable.path?, place))));
        }
        order::sort_by(&mut asked, |(left, one), (right, other)| left.cmp(right).then(one.cmp(other)));
        let mut leader: Vec<usize> = (0..live.len()).collect();
        for pair in asked.windows(2) {
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

    /// What of a group cannot be satisfied together: pairs; where there are none and all together cannot, as few as make it so.
    fn clashes_of(&mut self, group: &[usize], clashes: &mut Vec<Clash>) {
        match self.verdict(group) {
            Verdict::Perhaps => return,
            Verdict::Undecided if group.len() > FEW => return,
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

    /// As few of some constraints as cannot be satisfied together with others, of which all together cannot.
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

/// Who leads the group of one.
fn led_by(leader: &mut [usize], mut at: usize) -> usize {
    while let Some(next) = leader.get(at).copied().filter(|next| *next != at) {
        // Half of the way is left each time.
        let beyond = leader.get(next).copied().unwrap_or(next);
        if let Some(slot) = leader.get_mut(at) {
            *slot = beyond;
        }
        at = beyond;
    }
    at
}
