//! The plan as a tree: every node once, under the first that leads to it.

use std::collections::{BTreeSet, btree_set};

use super::Drawing;

/// How many levels stand beside each other; what is deeper begins again at the margin.
const DEEPEST: usize = 10;

/// A line of the tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Which node it is.
    pub(crate) vertex: usize,
    pub(crate) reached: Reached,
    /// What stands before the node, and before all that is said of it.
    pub(crate) first: String,
    pub(crate) rest: String,
}

/// How a line comes to show a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// No node leads to it, or it is where a cycle is entered.
    Root,
    /// It comes after the node that it stands under.
    Here,
    /// It does too, and is drawn above.
    Above,
    /// It does too, and is drawn further down: there is no room here.
    Below,
    /// It is drawn here because there was no room above.
    Continued,
    /// It comes after the node that it stands under, and before it too.
    Cycle,
}

/// The lines of the tree: roots in the order of the plan, and so are the nodes after each node.
pub(crate) fn rows(drawing: &Drawing<'_>) -> Vec<Row> {
    let walk = Walk::of(drawing);
    let mut rows = Rows { walk: &walk, is_drawn: vec![false; drawing.vertices.len()], rows: Vec::new() };
    // Blocks that are still to be drawn, the next one last.
    let mut blocks: Vec<_> = walk.roots.iter().rev().map(|root| (*root, Reached::Root)).collect();
    while let Some((vertex, reached)) = blocks.pop() {
        let continued = rows.block(vertex, reached);
        blocks.extend(continued.into_iter().rev().map(|vertex| (vertex, Reached::Continued)));
    }
    rows.rows
}

/// What leads where, in one walk over the plan that visits every node once, however deep it is.
struct Walk {
    roots: Vec<usize>,
    /// For each node, the nodes after it.
    after: Vec<Vec<(usize, Visit)>>,
}

/// What an edge comes to in the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    First,
    Again,
    /// The node is one of those that led here.
    Back,
}

/// How far the walk is with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

impl Walk {
    fn of(drawing: &Drawing<'_>) -> Self {
        let count = drawing.vertices.len();
        let mut walk = Self { roots: Vec::new(), after: vec![Vec::new(); count] };
        let mut states = vec![State::New; count];
        for (at, vertex) in drawing.vertices.iter().enumerate() {
            if vertex.before.is_empty() {
                walk.visit(drawing, at, &mut states);
            }
        }
        // What is left is in a cycle, or comes after one.
        for at in 0..count {
            if states.get(at) == Some(&State::New) {
                walk.visit(drawing, cycle_before(drawing, at), &mut states);
            }
        }
        walk.roots.sort_unstable();
        walk
    }

    fn after(&self, vertex: usize) -> &[(usize, Visit)] {
        self.after.get(vertex).map_or(&[], Vec::as_slice)
    }

    /// Visits a root and what comes after it.
    fn visit(&mut self, drawing: &Drawing<'_>, root: usize, states: &mut [State]) {
        let after = |vertex: usize| drawing.vertices.get(vertex).map(|vertex| vertex.after.iter());
        let mut set =
            |vertex: usize, to: State| states.get_mut(vertex).map(|state| std::mem::replace(state, to));
        let mut open: Vec<(usize, btree_set::Iter<'_, usize>)> = Vec::new();
        self.roots.push(root);
        set(root, State::Open);
        open.extend(after(root).map(|after| (root, after)));
        while let Some((vertex, rest)) = open.last_mut() {
            let vertex = *vertex;
            let Some(next) = rest.next().copied() else {
                set(vertex, State::Done);
                open.pop();
                continue;
            };
            let visit = match set(next, State::Open) {
                Some(State::New) => Visit::First,
                Some(State::Open) => Visit::Back,
                _ => {
                    set(next, State::Done);
                    Visit::Again
                }
            };
            if let Some(list) = self.after.get_mut(vertex) {
                list.push((next, visit));
            }
            if visit == Visit::First {
                open.extend(after(next).map(|after| (next, after)));
            }
        }
    }
}

/// The first node, in the order of the plan, of a cycle that leads to a node to which no root leads.
fn cycle_before(drawing: &Drawing<'_>, vertex: usize) -> usize {
    let before = |at: usize| drawing.vertices.get(at).and_then(|vertex| vertex.before.first()).copied();
    let mut passed = BTreeSet::new();
    let mut at = vertex;
    while passed.insert(at) {
        // It has one, or it were a root.
        at = before(at).unwrap_or(at);
    }
    let cycle = std::iter::successors(before(at), |next| before(*next).filter(|_| *next != at));
    cycle.min().unwrap_or(at)
}

/// Lines in the making.
struct Rows<'w> {
    walk: &'w Walk,
    is_drawn: Vec<bool>,
    rows: Vec<Row>,
}

impl Rows<'_> {
    /// Draws a node and what comes after it, as deep as there is room; what is deeper is to be drawn next.
    fn block(&mut self, vertex: usize, reached: Reached) -> Vec<usize> {
        let walk = self.walk;
        let mut continued = Vec::new();
        let mut open = vec![(walk.after(vertex), String::new())];
        self.push(vertex, reached, String::new(), "");
        while let Some((after, margin)) = open.last_mut() {
            let Some(((next, visit), rest)) = after.split_first() else {
                open.pop();
                continue;
            };
            *after = rest;
            let (first, below) = if rest.is_empty() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let (first, below) = ([margin, first].concat(), [margin, below].concat());
            let is_drawn = self.is_drawn.get(*next) == Some(&true);
            let reached = match visit {
                Visit::Back => Reached::Cycle,
                Visit::Again if is_drawn => Reached::Above,
                Visit::First if open.len() <= DEEPEST => Reached::Here,
                Visit::First => {
                    continued.push(*next);
                    Reached::Below
                }
                Visit::Again => Reached::Below,
            };
            self.push(*next, reached, first, &below);
            if reached == Reached::Here {
                open.push((walk.after(*next), below));
            }
        }
        continued
    }

    fn push(&mut self, vertex: usize, reached: Reached, first: String, below: &str) {
        let is_here = matches!(reached, Reached::Root | Reached::Here | Reached::Continued);
        if let Some(drawn) = self.is_drawn.get_mut(vertex)
            && is_here
        {
            *drawn = true;
        }
        let leads_on = is_here && !self.walk.after(vertex).is_empty();
        let rest = [below, if leads_on { "│  " } else { "   " }].concat();
        self.rows.push(Row { vertex, reached, first, rest });
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::json::{self, Limits};
    use serde_json::json;

    use super::*;

    /// Draws a plan of so many nodes, whose ids are their numbers.
    fn drawn<T>(count: usize, edges: &[(usize, usize)], check: impl FnOnce(&Drawing<'_>, &[Row]) -> T) -> T {
        let nodes: Vec<_> = (0..count).map(|node| json!({"nodeId": node.to_string()})).collect();
        let edges: Vec<_> =
            edges.iter().map(|(from, to)| json!({"from": from.to_string(), "to": to.to_string()})).collect();
        let input = json!({"plan": {"nodes": nodes, "edges": edges}}).to_string();
        let tape = json::read(input.as_bytes(), Limits::DOCUMENT).unwrap();
        let answer = json::read(b"{}", Limits::DOCUMENT).unwrap();
        let drawing = Drawing::of(tape.root(), answer.root());
        check(&drawing, &rows(&drawing))
    }

    fn lines(count: usize, edges: &[(usize, usize)]) -> Vec<String> {
        drawn(count, edges, |drawing, rows| {
            let line =
                |row: &Row| format!("{}{} {:?}", row.first, drawing.vertices[row.vertex].id, row.reached);
            rows.iter().map(line).collect()
        })
    }

    #[test]
    fn what_is_reached_again_is_referred_to() {
        let diamond = lines(5, &[(0, 2), (0, 1), (1, 3), (2, 3), (0, 1)]);
        let expected = ["0 Root", "├─ 1 Here", "│  └─ 3 Here", "└─ 2 Here", "   └─ 3 Above", "4 Root"];
        assert_eq!(diamond, expected);
    }

    #[test]
    fn cycles_begin_with_their_first_node() {
        // 0 comes after the cycle of 1 and 3; 2 is after itself.
        let cycles = lines(4, &[(3, 1), (1, 3), (3, 0), (2, 2)]);
        assert_eq!(cycles, ["1 Root", "└─ 3 Here", "   ├─ 0 Here", "   └─ 1 Cycle", "2 Root", "└─ 2 Cycle"]);
    }

    #[test]
    fn what_is_deep_goes_on_at_the_margin() {
        let chain: Vec<_> = (0..30).map(|node| (node, node + 1)).collect();
        let rows = lines(31, &chain);
        let at_margin: Vec<_> = rows.iter().filter(|line| !line.contains('─')).collect();
        assert_eq!(at_margin, ["0 Root", "11 Continued", "22 Continued"]);
        assert_eq!(rows.iter().filter(|line| line.ends_with("Below")).count(), 2);
    }

    /// Every node has one line of its own, every edge one line under it.
    #[test]
    fn nothing_is_left_out_of_any_plan() {
        let mut seed = 7_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize % below
        };
        for round in 0..300 {
            let count = 1 + random(40);
            let edges: BTreeSet<_> = (0..random(3 * count)).map(|_| (random(count), random(count))).collect();
            let edges: Vec<_> = edges.into_iter().collect();
            drawn(count, &edges, |_, rows| {
                let own =
                    |row: &&Row| matches!(row.reached, Reached::Root | Reached::Here | Reached::Continued);
                let mut nodes: Vec<_> = rows.iter().filter(own).map(|row| row.vertex).collect();
                nodes.sort_unstable();
                assert_eq!(nodes, (0..count).collect::<Vec<_>>(), "{round}: {edges:?}");
                let under = |row: &&Row| !matches!(row.reached, Reached::Root | Reached::Continued);
                assert_eq!(rows.iter().filter(under).count(), edges.len(), "{round}: {edges:?}");
                assert!(rows.iter().all(|row| row.first.chars().count() <= 3 * (DEEPEST + 1)), "{round}");
            });
        }
    }
}
