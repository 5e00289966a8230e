//! The graph of a plan: a topological order of its nodes, or the cycles that rule one out.
//!
//! Nodes are numbers. The order and the cycles depend on the numbers alone, not on the order or the number of edges.

use alloc::{vec, vec::Vec};

use super::lists::Lists;

/// A directed graph with its order and cycles.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// The direct predecessors of each node.
    pub before: Lists,
    /// The direct successors of each node.
    pub after: Lists,
    /// All nodes in topological order, unless there is a cycle.
    pub order: Vec<u32>,
    /// One cycle for each strongly connected component: a shortest one through its lowest node, beginning there.
    pub cycles: Vec<Vec<u32>>,
}

impl Graph {
    /// Builds the graph of `len` nodes from `(from, to)` pairs.
    pub(super) fn new(len: usize, edges: &[(u32, u32)]) -> Self {
        let after = Lists::from_set_pairs(len, len, edges);
        let before = after.transposed(len);
        let mut walk = ComponentWalk::new(&after, len);
        // Far below 4 billion.
        for node in 0..u32::try_from(len).unwrap_or(u32::MAX) {
            walk.from(node);
        }
        let (mut order, groups, group_of) = (walk.order, walk.groups, walk.group_of);
        let mut search = CycleSearch { after: &after, group_of: &group_of, came_from: vec![NONE; len] };
        let mut cycles: Vec<_> = groups
            .windows(2)
            .filter_map(|bounds| {
                let members = order.get(*bounds.first()?..*bounds.last()?)?;
                search.cycle(*members.iter().min()?, members.len())
            })
            .collect();
        adjudicate_lang::order::sort_by(&mut cycles, |left, right| left.first().cmp(&right.first()));
        order.reverse();
        Self { before, after, order, cycles }
    }

    /// Returns true if a new edge provably closes no cycle. The search is bounded, so `false` may also mean that it gave up.
    pub(super) fn can_join(&self, from: u32, to: u32) -> bool {
        self.leads(to, from) == Some(false)
    }

    /// Returns whether `to` is `from` or reachable from it; `None` if the bounded search gave up.
    pub(super) fn leads(&self, from: u32, to: u32) -> Option<bool> {
        const FAR: usize = 64;
        let mut met = Vec::from([from]);
        let mut looked_at = 0;
        while let Some(node) = met.get(looked_at).copied() {
            looked_at += 1;
            for next in self.after.at(node) {
                if met.len() > FAR {
                    return None;
                }
                if !met.contains(next) {
                    met.push(*next);
                }
            }
        }
        Some(met.contains(&to))
    }
}

const NONE: u32 = u32::MAX;

fn at(numbers: &[u32], node: u32) -> u32 {
    numbers.get(node as usize).copied().unwrap_or(NONE)
}

fn set(numbers: &mut [u32], node: u32, value: u32) {
    if let Some(number) = numbers.get_mut(node as usize) {
        *number = value;
    }
}

/// Tarjan's algorithm on an explicit stack: strongly connected components in reverse topological order.
struct ComponentWalk<'g> {
    after: &'g Lists,
    /// The time at which each node was met.
    met: Vec<u32>,
    /// The earliest node that each is known to reach and that is in no component yet.
    earliest: Vec<u32>,
    group_of: Vec<u32>,
    /// Nodes that were met and are in no component yet.
    open: Vec<u32>,
    /// The path from the root to the current node, with the number of successors already tried.
    way: Vec<(u32, usize)>,
    /// The nodes of finished components, one after the other.
    order: Vec<u32>,
    /// The start of each component in `order`, and the end of the last one.
    groups: Vec<usize>,
    time: u32,
}

impl<'g> ComponentWalk<'g> {
    fn new(after: &'g Lists, len: usize) -> Self {
        let numbers = || vec![NONE; len];
        Self {
            after,
            met: numbers(),
            earliest: numbers(),
            group_of: numbers(),
            open: Vec::new(),
            way: Vec::new(),
            order: Vec::with_capacity(len),
            groups: Vec::from([0]),
            time: 0,
        }
    }

    fn from(&mut self, node: u32) {
        if at(&self.met, node) != NONE {
            return;
        }
        self.enter(node);
        while let Some((node, taken)) = self.way.last_mut() {
            let (node, next) = (*node, self.after.at(*node).get(*taken).copied());
            *taken += 1;
            match next {
                Some(next) if at(&self.met, next) == NONE => self.enter(next),
                Some(next) if at(&self.group_of, next) == NONE => self.lower(node, at(&self.met, next)),
                Some(_) => {}
                None => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        set(&mut self.met, node, self.time);
        set(&mut self.earliest, node, self.time);
        self.time += 1;
        self.open.push(node);
        self.way.push((node, 0));
    }

    fn lower(&mut self, node: u32, time: u32) {
        let earliest = at(&self.earliest, node).min(time);
        set(&mut self.earliest, node, earliest);
    }

    fn leave(&mut self, node: u32) {
        self.way.pop();
        let earliest = at(&self.earliest, node);
        if let Some((parent, _)) = self.way.last() {
            self.lower(*parent, earliest);
        }
        if earliest != at(&self.met, node) {
            return;
        }
        let group = u32::try_from(self.groups.len()).unwrap_or(NONE);
        while let Some(member) = self.open.pop() {
            set(&mut self.group_of, member, group);
            self.order.push(member);
            if member == node {
                break;
            }
        }
        self.groups.push(self.order.len());
    }
}

/// Breadth-first search for a shortest cycle through a node, inside its component.
struct CycleSearch<'g> {
    after: &'g Lists,
    group_of: &'g [u32],
    came_from: Vec<u32>,
}

impl CycleSearch<'_> {
    /// The cycle of a component; `None` for a single node without an edge to itself.
    fn cycle(&mut self, first: u32, len: usize) -> Option<Vec<u32>> {
        if self.after.at(first).binary_search(&first).is_ok() {
            return Some(Vec::from([first]));
        }
        if len < 2 {
            return None;
        }
        let mut met = Vec::from([first]);
        let mut looked_at = 0;
        while let Some(node) = met.get(looked_at).copied() {
            looked_at += 1;
            for next in self.after.at(node) {
                if *next == first {
                    return Some(self.way_to(node));
                }
                if at(self.group_of, *next) == at(self.group_of, first) && at(&self.came_from, *next) == NONE
                {
                    set(&mut self.came_from, *next, node);
                    met.push(*next);
                }
            }
        }
        None
    }

    fn way_to(&self, mut node: u32) -> Vec<u32> {
        let mut way = Vec::new();
        while node != NONE {
            way.push(node);
            node = at(&self.came_from, node);
        }
        way.reverse();
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_respects_all_edges() {
        let edges = [(3, 1), (1, 0), (3, 0), (2, 0), (3, 1), (3, 1)];
        let graph = Graph::new(5, &edges);
        let place = |node: u32| graph.order.iter().position(|other| *other == node).unwrap();
        assert!(edges.iter().all(|(from, to)| place(*from) < place(*to)));
        assert_eq!((graph.order.len(), graph.cycles.len()), (5, 0));
        assert_eq!((graph.before.at(0), graph.after.at(3)), (&[1, 2, 3][..], &[0, 1][..]));
    }

    #[test]
    fn nodes_can_be_joined_unless_that_closes_a_cycle() {
        let chain: Vec<_> = (0..100).map(|node| (node, node + 1)).collect();
        let graph = Graph::new(102, &chain);
        for (from, to, expected) in
            [(0, 101, true), (101, 60, true), (50, 60, true), (60, 50, false), (9, 9, false)]
        {
            assert_eq!(graph.can_join(from, to), expected, "{from} {to}");
        }
        // The search gives up after 64 nodes.
        assert!(!graph.can_join(101, 0));
    }

    #[test]
    fn each_knot_shows_its_least_and_shortest_cycle() {
        for (edges, expected) in [
            (&[(0, 0)][..], &[&[0][..]][..]),
            (&[(1, 1), (0, 1)], &[&[1]]),
            (&[(2, 1), (1, 0), (0, 2)], &[&[0, 2, 1]]),
            (&[(0, 1), (1, 2), (2, 0), (1, 0)], &[&[0, 1]]),
            // A self-edge next to a longer cycle through the lowest node: one component, one cycle.
            (&[(0, 1), (1, 0), (1, 1)], &[&[0, 1]]),
            (&[(3, 4), (4, 3), (4, 0), (0, 1), (1, 0), (2, 2)], &[&[0, 1], &[2], &[3, 4]]),
            (&[(0, 1), (1, 2), (2, 3)], &[]),
        ] {
            assert_eq!(Graph::new(5, edges).cycles, expected, "{edges:?}");
        }
    }

    #[test]
    fn cycles_of_every_length_are_found() {
        for len in 1..200_u32 {
            let edges: Vec<_> = (0..len).map(|node| (node, (node + 1) % len)).collect();
            assert_eq!(Graph::new(len as usize, &edges).cycles, [(0..len).collect::<Vec<_>>()]);
        }
    }
}
