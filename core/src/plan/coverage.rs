//! What comes of a plan that can be followed from node to node: what nodes lack, who gives what, and who sees to what.

use alloc::{vec, vec::Vec};

use adjudicate_lang::{Error, Steps};

use super::{
    enforcement::Candidates,
    facts::Facts,
    lists::Lists,
    reach::{Reach, answers},
};

/// What a sound plan covers.
#[derive(Debug)]
pub(super) struct Coverage {
    /// For each member, the nodes that need it and do not get it.
    pub lacking: Lists,
    /// For each member, the nodes that give it, and those of them that have what they need.
    pub givers: Lists,
    pub producers: Lists,
    /// For each constraint, the members that it is about.
    pub roots: Lists,
    /// For each constraint, those of them that nobody produces.
    pub missing: Lists,
    /// For each constraint, the nodes that see to it that it holds.
    pub enforcers: Lists,
    /// For each constraint, the capabilities whose nodes would.
    pub able: Lists,
}

impl Coverage {
    pub(super) fn of(facts: &Facts<'_>, steps: &mut Steps) -> Result<Self, Error> {
        let keys = facts.key_count();
        let givers = facts.gives.transposed(keys);
        let lacking = lacking(facts, &givers, steps)?;
        let mut lacks = vec![false; facts.nodes.len()];
        for (_, node) in lacking.pairs() {
            if let Some(lacks) = lacks.get_mut(node as usize) {
                *lacks = true;
            }
        }
        let has_all = |(_, node): &(u32, u32)| lacks.get(*node as usize) == Some(&false);
        let producers = Lists::of(keys, &givers.pairs().filter(has_all).collect::<Vec<_>>());
        let roots = roots(facts, steps)?;
        let is_missing = |(_, root): &(u32, u32)| producers.at(*root).is_empty();
        let missing = Lists::of(roots.len(), &roots.pairs().filter(is_missing).collect::<Vec<_>>());
        let candidates = Candidates::of(facts, &roots, steps)?;
        let enforcers = enforcers(facts, &producers, &roots, &missing, &candidates.nodes, steps)?;
        Ok(Self { lacking, givers, producers, roots, missing, enforcers, able: candidates.capabilities })
    }
}

impl Coverage {
    /// The only node that `by`, a list of nodes for each member, has for the members that a constraint is about.
    pub(super) fn only(&self, by: &Lists, demand: u32) -> Option<u32> {
        only(self.roots.at(demand), by)
    }
}

/// The only node that some members have; `None` where they have none, or several.
pub(super) fn only(keys: &[u32], by: &Lists) -> Option<u32> {
    let mut nodes = keys.iter().flat_map(|key| by.at(*key)).copied();
    let first = nodes.next()?;
    nodes.all(|node| node == first).then_some(first)
}

/// Who needs what neither the task nor a node before it gives.
fn lacking(facts: &Facts<'_>, givers: &Lists, steps: &mut Steps) -> Result<Lists, Error> {
    let mut supplied = vec![false; facts.key_count()];
    for input in &facts.call.task.inputs {
        if let Some(supplied) = facts.key_of(input).and_then(|key| supplied.get_mut(key as usize)) {
            *supplied = true;
        }
    }
    let open = |(key, _): &(u32, u32)| supplied.get(*key as usize) == Some(&false);
    let needed = facts.needs.transposed(facts.key_count());
    let asked = Lists::of(facts.key_count(), &needed.pairs().filter(open).collect::<Vec<_>>());
    let answers = answers(&facts.graph, givers, &asked, Reach::Upstream, steps)?;
    let unanswered = asked.pairs().zip(answers).filter_map(|(pair, answer)| (!answer).then_some(pair));
    Ok(Lists::of(facts.key_count(), &unanswered.collect::<Vec<_>>()))
}

/// What each constraint is about: where that is computed, all that the schema of the result names, too.
fn roots(facts: &Facts<'_>, steps: &mut Steps) -> Result<Lists, Error> {
    let mut pairs: Vec<(u32, u32)> = facts.roots.pairs().collect();
    for (at, demand) in (0..).zip(facts.demands) {
        if demand.is_computed {
            steps.spend(facts.outputs.len() * 8)?;
            pairs.extend(facts.outputs.iter().map(|output| (at, *output)));
        }
    }
    Ok(Lists::sets(facts.demands.len(), facts.key_count(), &pairs))
}

/// Which candidates stand at or after a producer of everything that the constraint is about.
fn enforcers(
    facts: &Facts<'_>,
    producers: &Lists,
    roots: &Lists,
    missing: &Lists,
    candidates: &Lists,
    steps: &mut Steps,
) -> Result<Lists, Error> {
    let is_produced = |(demand, _): &(u32, u32)| missing.at(*demand).is_empty();
    let candidates: Vec<(u32, u32)> = candidates.pairs().filter(is_produced).collect();
    // Asked by member, for the number of the candidate rather than that of its node: many share a node.
    let (mut asked, mut asking) = (Vec::new(), Vec::new());
    for (at, (demand, node)) in (0..).zip(&candidates) {
        steps.spend(roots.at(*demand).len() * 16 + 16)?;
        for root in roots.at(*demand) {
            asked.push((*root, *node));
            asking.push((*root, at));
        }
    }
    let keys = facts.key_count();
    let asked = Lists::of(keys, &asked);
    let answers = answers(&facts.graph, producers, &asked, Reach::AtOrUpstream, steps)?;
    let mut stands = vec![true; candidates.len()];
    for ((_, candidate), answer) in Lists::of(keys, &asking).pairs().zip(answers) {
        if let Some(stands) = stands.get_mut(candidate as usize) {
            *stands &= answer;
        }
    }
    let standing = candidates.into_iter().zip(stands).filter_map(|(pair, stands)| stands.then_some(pair));
    Ok(Lists::of(facts.demands.len(), &standing.collect::<Vec<_>>()))
}
