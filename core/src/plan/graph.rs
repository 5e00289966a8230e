//! The graph of a plan: what comes after what, in an order that respects it, or the cycles that forbid one.
//!
//! Nodes are numbers. The order and the cycles depend on the numbers alone, not on the order or the number of edges.

use alloc::{vec, vec::Vec};

use super::lists::Lists;

/// A graph that was walked.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// The nodes right before each.
    pub before: Lists,
    /// The nodes right after each.
    pub after: Lists,
    /// All nodes, each after those before it, unless there is a cycle.
    pub order: Vec<u32>,
    /// One cycle for each group of nodes that lead to each other: a shortest one through the least of them, which it
    /// begins with.
    pub cycles: Vec<Vec<u32>>,
}

impl Graph {
    /// The graph of so many nodes, with edges from the first to the second of each pair.
    pub(super) fn of(len: usize, edges: &[(u32, u32)]) -> Self {
        let after = Lists::sets(len, len, edges);
        let before = after.transposed(len);
        let mut walk = Walk::new(&after, len);
        // Far below 4 billion.
        for node in 0..u32::try_from(len).unwrap_or(u32::MAX) {
            walk.from(node);
        }
        let (mut order, groups, group_of) = (walk.order, walk.groups, walk.group_of);
        let mut search = Search { after: &after, group_of: &group_of, came_from: vec![NONE; len] };
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

    /// Whether a new edge between two nodes would close no cycle, as far as a short search shows.
    pub(super) fn can_join(&self, from: u32, to: u32) -> bool {
        self.leads(to, from) == Some(false)
    }

    /// Whether one node is another, or comes before it, if a short search shows it.
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

/// Tarjan's walk in depth, on a stack of its own: the groups of nodes that lead to each other, the last ones first.
struct Walk<'g> {
    after: &'g Lists,
    /// When each node was met.
    met: Vec<u32>,
    /// The earliest node that is known to be reachable from each and not in a group yet.
    earliest: Vec<u32>,
    group_of: Vec<u32>,
    /// Nodes that were met and are not in a group yet.
    open: Vec<u32>,
    /// The way to where the walk is, with how many ways on were taken from each node.
    way: Vec<(u32, usize)>,
    /// The nodes of finished groups, group by group.
    order: Vec<u32>,
    /// Where groups begin and the last one ends.
    groups: Vec<usize>,
    time: u32,
}

impl<'g> Walk<'g> {
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

/// The search in breadth for a shortest way back to a node inside of its group.
struct Search<'g> {
    after: &'g Lists,
    group_of: &'g [u32],
    came_from: Vec<u32>,
}

impl Search<'_> {
    /// The cycle of a group, if it is more than a node alone.
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
        let graph = Graph::of(5, &edges);
        let place = |node: u32| graph.order.iter().position(|other| *other == node).unwrap();
        assert!(edges.iter().all(|(from, to)| place(*from) < place(*to)));
        assert_eq!((graph.order.len(), graph.cycles.len()), (5, 0));
        assert_eq!((graph.before.at(0), graph.after.at(3)), (&[1, 2, 3][..], &[0, 1][..]));
    }

    #[test]
    fn nodes_can_be_joined_unless_that_closes_a_cycle() {
        let chain: Vec<_> = (0..100).map(|node| (node, node + 1)).collect();
        let graph = Graph::of(102, &chain);
        for (from, to, expected) in
            [(0, 101, true), (101, 60, true), (50, 60, true), (60, 50, false), (9, 9, false)]
        {
            assert_eq!(graph.can_join(from, to), expected, "{from} {to}");
        }
        // Too far to tell.
        assert!(!graph.can_join(101, 0));
    }

    #[test]
    fn each_knot_shows_its_least_and_shortest_cycle() {
        for (edges, expected) in [
            (&[(0, 0)][..], &[&[0][..]][..]),
            (&[(1, 1), (0, 1)], &[&[1]]),
            (&[(2, 1), (1, 0), (0, 2)], &[&[0, 2, 1]]),
            (&[(0, 1), (1, 2), (2, 0), (1, 0)], &[&[0, 1]]),
            // A loop beside a longer cycle through the least node; the knot is one.
            (&[(0, 1), (1, 0), (1, 1)], &[&[0, 1]]),
            (&[(3, 4), (4, 3), (4, 0), (0, 1), (1, 0), (2, 2)], &[&[0, 1], &[2], &[3, 4]]),
            (&[(0, 1), (1, 2), (2, 3)], &[]),
        ] {
            assert_eq!(Graph::of(5, edges).cycles, expected, "{edges:?}");
        }
    }

    #[test]
    fn cycles_of_every_length_are_found() {
        for len in 1..200_u32 {
            let edges: Vec<_> = (0..len).map(|node| (node, (node + 1) % len)).collect();
            assert_eq!(Graph::of(len as usize, &edges).cycles, [(0..len).collect::<Vec<_>>()]);
        }
    }
}
