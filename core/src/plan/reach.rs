//! Reachability: which of the fields that nodes give reach a node from the nodes before it.
//!
//! Fields are processed in columns of 64, one bit each, in one pass over the graph. So every 64 fields that are not given by a
//! direct predecessor cost one pass.

use alloc::{vec, vec::Vec};

use adjudicate_lang::{Error, Steps};

use super::{graph::Graph, lists::Lists};

/// The givers that count: only earlier nodes, or also the node itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Upstream,
    AtOrUpstream,
}

/// For every asking node, in the order of `required`, returns whether the field reaches it. Both lists are indexed by field.
pub(super) fn answers(
    graph: &Graph,
    givers: &Lists,
    required: &Lists,
    reach: Reach,
    steps: &mut Steps,
) -> Result<Vec<bool>, Error> {
    let mut answers = vec![false; required.total()];
    let mut near = Near { graph, giver_of: vec![u32::MAX; graph.order.len()] };
    let mut column = Vec::new();
    // Far below 4 billion.
    for thing in 0..u32::try_from(required.len()).unwrap_or(u32::MAX) {
        if required.at(thing).is_empty() || givers.at(thing).is_empty() {
            continue;
        }
        let of_thing = answers.get_mut(required.range(thing)).unwrap_or_default();
        if !near.answer(thing, givers, required, reach, of_thing, steps)? {
            column.push(thing);
        }
        if column.len() == 64 {
            go_through(graph, givers, required, reach, &column, &mut answers, steps)?;
            column.clear();
        }
    }
    go_through(graph, givers, required, reach, &column, &mut answers, steps)?;
    Ok(answers)
}

/// The fast path: fields that a direct predecessor gives, which is the common case.
struct Near<'g> {
    graph: &'g Graph,
    /// The last field that each node was seen to give.
    giver_of: Vec<u32>,
}

impl Near<'_> {
    /// Returns true if the field reaches every asking node by the direct predecessors. Otherwise the full pass decides.
    fn answer(
        &mut self,
        thing: u32,
        givers: &Lists,
        required: &Lists,
        reach: Reach,
        answers: &mut [bool],
        steps: &mut Steps,
    ) -> Result<bool, Error> {
        const FEW: usize = 8;
        steps.spend(givers.at(thing).len() + required.at(thing).len() * FEW)?;
        for giver in givers.at(thing) {
            if let Some(last) = self.giver_of.get_mut(*giver as usize) {
                *last = thing;
            }
        }
        let gives = |node: &u32| self.giver_of.get(*node as usize) == Some(&thing);
        for (node, answer) in required.at(thing).iter().zip(&mut *answers) {
            *answer = (reach == Reach::AtOrUpstream && gives(node))
                || self.graph.before.at(*node).iter().take(FEW).any(gives);
        }
        Ok(answers.iter().all(|answer| *answer))
    }
}

/// Answers all questions about up to 64 fields.
fn go_through(
    graph: &Graph,
    givers: &Lists,
    required: &Lists,
    reach: Reach,
    column: &[u32],
    answers: &mut [bool],
    steps: &mut Steps,
) -> Result<(), Error> {
    if column.is_empty() {
        return Ok(());
    }
    steps.spend(graph.order.len() + graph.before.total())?;
    let mut given = vec![0_u64; graph.order.len()];
    for (bit, thing) in column.iter().enumerate() {
        steps.spend(givers.at(*thing).len() + required.at(*thing).len())?;
        for giver in givers.at(*thing) {
            if let Some(given) = given.get_mut(*giver as usize) {
                *given |= 1 << bit;
            }
        }
    }
    let bits = |all: &[u64], node: u32| all.get(node as usize).copied().unwrap_or_default();
    let mut upstream = vec![0_u64; graph.order.len()];
    for node in &graph.order {
        let before = graph.before.at(*node).iter();
        let sum = before.fold(0, |sum, before| sum | bits(&upstream, *before) | bits(&given, *before));
        if let Some(upstream) = upstream.get_mut(*node as usize) {
            *upstream = sum;
        }
    }
    for (bit, thing) in column.iter().enumerate() {
        let of_thing = answers.get_mut(required.range(*thing)).unwrap_or_default();
        for (node, answer) in required.at(*thing).iter().zip(of_thing) {
            let own = if reach == Reach::AtOrUpstream { bits(&given, *node) } else { 0 };
            *answer = (bits(&upstream, *node) | own) & (1 << bit) != 0;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec as many, prelude::*};

    use super::*;

    proptest! {
        /// Compares with a search that looks at every earlier node.
        #[test]
        fn answers_are_those_of_a_plain_search(
            edges in many((0_u32..30, 0_u32..30), 0..60),
            givers in many((0_u32..90, 0_u32..30), 0..120),
            required in many((0_u32..90, 0_u32..30), 0..200),
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(from, to)| from < to).collect();
            let graph = Graph::new(30, &edges);
            let (given, required) = (Lists::from_pairs(90, &givers), Lists::from_pairs(90, &required));
            for reach in [Reach::Upstream, Reach::AtOrUpstream] {
                let found = answers(&graph, &given, &required, reach, &mut Steps::default()).unwrap();
                let expected: Vec<bool> = required
                    .pairs()
                    .map(|(thing, node)| {
                        let mut pending = match reach {
                            Reach::Upstream => graph.before.at(node).to_vec(),
                            Reach::AtOrUpstream => vec![node],
                        };
                        while let Some(node) = pending.pop() {
                            if givers.contains(&(thing, node)) {
                                return true;
                            }
                            pending.extend(graph.before.at(node));
                        }
                        false
                    })
                    .collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
