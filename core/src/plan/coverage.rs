//! The coverage of a sound plan: missing inputs, producers of each field, and enforcers of each constraint.

use alloc::{vec, vec::Vec};

use adjudicate_lang::{Error, Steps};

use super::{
    enforcement::Candidates,
    facts::PlanFacts,
    lists::Lists,
    reach::{Reach, answers},
};

/// The coverage of a plan without cycles, loose edges and repeated ids.
#[derive(Debug)]
pub(super) struct Coverage {
    /// For each field, the nodes that require it and do not get it.
    pub lacking: Lists,
    /// For each field, the nodes that give it.
    pub givers: Lists,
    /// For each field, the givers that have all their inputs.
    pub producers: Lists,
    /// For each constraint, the fields that it is about.
    pub roots: Lists,
    /// For each constraint, those of its fields that have no producer.
    pub missing: Lists,
    /// For each constraint, the nodes that enforce it.
    pub enforcers: Lists,
    /// For each constraint, the capabilities whose nodes would enforce it.
    pub able: Lists,
}

impl Coverage {
    pub(super) fn new(facts: &PlanFacts<'_>, steps: &mut Steps) -> Result<Self, Error> {
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
        let producers = Lists::from_pairs(keys, &givers.pairs().filter(has_all).collect::<Vec<_>>());
        let roots = roots(facts, steps)?;
        let is_missing = |(_, root): &(u32, u32)| producers.at(*root).is_empty();
        let missing = Lists::from_pairs(roots.len(), &roots.pairs().filter(is_missing).collect::<Vec<_>>());
        let candidates = Candidates::new(facts, &roots, steps)?;
        let enforcers = enforcers(facts, &producers, &roots, &missing, &candidates.nodes, steps)?;
        Ok(Self { lacking, givers, producers, roots, missing, enforcers, able: candidates.capabilities })
    }
}

impl Coverage {
    /// The only node that `by`, a list of nodes for each field, has for the fields of a constraint.
    pub(super) fn only(&self, by: &Lists, demand: u32) -> Option<u32> {
        only(self.roots.at(demand), by)
    }
}

/// The only node of some fields; `None` for no node or several.
pub(super) fn only(keys: &[u32], by: &Lists) -> Option<u32> {
    let mut nodes = keys.iter().flat_map(|key| by.at(*key)).copied();
    let first = nodes.next()?;
    nodes.all(|node| node == first).then_some(first)
}

/// For each field, the nodes that require it although neither the task nor an earlier node gives it.
fn lacking(facts: &PlanFacts<'_>, givers: &Lists, steps: &mut Steps) -> Result<Lists, Error> {
    let mut supplied = vec![false; facts.key_count()];
    for input in &facts.call.task.inputs {
        if let Some(supplied) = facts.key_of(input).and_then(|key| supplied.get_mut(key as usize)) {
            *supplied = true;
        }
    }
    let open = |(key, _): &(u32, u32)| supplied.get(*key as usize) == Some(&false);
    let needed = facts.needs.transposed(facts.key_count());
    let required = Lists::from_pairs(facts.key_count(), &needed.pairs().filter(open).collect::<Vec<_>>());
    let answers = answers(&facts.graph, givers, &required, Reach::Upstream, steps)?;
    let unanswered = required.pairs().zip(answers).filter_map(|(pair, answer)| (!answer).then_some(pair));
    Ok(Lists::from_pairs(facts.key_count(), &unanswered.collect::<Vec<_>>()))
}

/// The fields of each constraint. A computed variable adds every field of the result schema.
fn roots(facts: &PlanFacts<'_>, steps: &mut Steps) -> Result<Lists, Error> {
    let mut pairs: Vec<(u32, u32)> = facts.roots.pairs().collect();
    for (at, demand) in (0..).zip(facts.demands) {
        if demand.is_computed {
            steps.spend(facts.outputs.len() * 8)?;
            pairs.extend(facts.outputs.iter().map(|output| (at, *output)));
        }
    }
    Ok(Lists::from_set_pairs(facts.demands.len(), facts.key_count(), &pairs))
}

/// The candidates that are, or come after, a producer of every field of their constraint.
fn enforcers(
    facts: &PlanFacts<'_>,
    producers: &Lists,
    roots: &Lists,
    missing: &Lists,
    candidates: &Lists,
    steps: &mut Steps,
) -> Result<Lists, Error> {
    let is_produced = |(demand, _): &(u32, u32)| missing.at(*demand).is_empty();
    let candidates: Vec<(u32, u32)> = candidates.pairs().filter(is_produced).collect();
    // Keyed by candidate instead of node, because many candidates share a node.
    let (mut required, mut asking) = (Vec::new(), Vec::new());
    for (at, (demand, node)) in (0..).zip(&candidates) {
        steps.spend(roots.at(*demand).len() * 16 + 16)?;
        for root in roots.at(*demand) {
            required.push((*root, *node));
            asking.push((*root, at));
        }
    }
    let keys = facts.key_count();
    let required = Lists::from_pairs(keys, &required);
    let answers = answers(&facts.graph, producers, &required, Reach::AtOrUpstream, steps)?;
    let mut stands = vec![true; candidates.len()];
    for ((_, candidate), answer) in Lists::from_pairs(keys, &asking).pairs().zip(answers) {
        if let Some(stands) = stands.get_mut(candidate as usize) {
            *stands &= answer;
        }
    }
    let standing = candidates.into_iter().zip(stands).filter_map(|(pair, stands)| stands.then_some(pair));
    Ok(Lists::from_pairs(facts.demands.len(), &standing.collect::<Vec<_>>()))
}
