//! What reaches a node: which of the things that nodes give come to it from nodes before it.
//!
//! Things are handled in columns of 64, one bit each, that go through the graph in its order once. So the cost is that of the
//! graph for every 64 things that are asked for and are not right at hand.

use alloc::{vec, vec::Vec};

use adjudicate_lang::{Error, Steps};

use super::{graph::Graph, lists::Lists};

/// Whether the node itself counts among those that a thing comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Upstream,
    AtOrUpstream,
}

/// For every node that asks for a thing, in the order of `asked`, whether it comes to it; both lists are by thing.
pub(super) fn answers(
    graph: &Graph,
    givers: &Lists,
    asked: &Lists,
    reach: Reach,
    steps: &mut Steps,
) -> Result<Vec<bool>, Error> {
    let mut answers = vec![false; asked.total()];
    let mut near = Near { graph, giver_of: vec![u32::MAX; graph.order.len()] };
    let mut column = Vec::new();
    // Far below 4 billion.
    for thing in 0..u32::try_from(asked.len()).unwrap_or(u32::MAX) {
        if asked.at(thing).is_empty() || givers.at(thing).is_empty() {
            continue;
        }
        let of_thing = answers.get_mut(asked.range(thing)).unwrap_or_default();
        if !near.answer(thing, givers, asked, reach, of_thing, steps)? {
            column.push(thing);
        }
        if column.len() == 64 {
            go_through(graph, givers, asked, reach, &column, &mut answers, steps)?;
            column.clear();
        }
    }
    go_through(graph, givers, asked, reach, &column, &mut answers, steps)?;
    Ok(answers)
}

/// What comes from the nodes right before a node, as most things do.
struct Near<'g> {
    graph: &'g Graph,
    /// The last thing that a node was seen to give.
    giver_of: Vec<u32>,
}

impl Near<'_> {
    /// Whether nothing is left to ask; nodes with many before them are.
    fn answer(
        &mut self,
        thing: u32,
        givers: &Lists,
        asked: &Lists,
        reach: Reach,
        answers: &mut [bool],
        steps: &mut Steps,
    ) -> Result<bool, Error> {
        const FEW: usize = 8;
        steps.spend(givers.at(thing).len() + asked.at(thing).len() * FEW)?;
        for giver in givers.at(thing) {
            if let Some(last) = self.giver_of.get_mut(*giver as usize) {
                *last = thing;
            }
        }
        let gives = |node: &u32| self.giver_of.get(*node as usize) == Some(&thing);
        for (node, answer) in asked.at(thing).iter().zip(&mut *answers) {
            *answer = (reach == Reach::AtOrUpstream && gives(node))
                || self.graph.before.at(*node).iter().take(FEW).any(gives);
        }
        Ok(answers.iter().all(|answer| *answer))
    }
}

/// Answers all that is asked for up to 64 things.
fn go_through(
    graph: &Graph,
    givers: &Lists,
    asked: &Lists,
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
        steps.spend(givers.at(*thing).len() + asked.at(*thing).len())?;
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
        let of_thing = answers.get_mut(asked.range(*thing)).unwrap_or_default();
        for (node, answer) in asked.at(*thing).iter().zip(of_thing) {
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
        /// Against looking at every node before a node, one by one.
        #[test]
        fn answers_are_those_of_a_plain_search(
            edges in many((0_u32..30, 0_u32..30), 0..60),
            givers in many((0_u32..90, 0_u32..30), 0..120),
            asked in many((0_u32..90, 0_u32..30), 0..200),
        ) {
            let edges: Vec<_> = edges.into_iter().filter(|(from, to)| from < to).collect();
            let graph = Graph::of(30, &edges);
            let (given, asked) = (Lists::of(90, &givers), Lists::of(90, &asked));
            for reach in [Reach::Upstream, Reach::AtOrUpstream] {
                let found = answers(&graph, &given, &asked, reach, &mut Steps::default()).unwrap();
                let expected: Vec<bool> = asked
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
