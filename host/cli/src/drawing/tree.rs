//! The plan as a tree: each node once, under the first node that leads to it.

use std::collections::{BTreeSet, btree_set};

use super::Drawing;

/// The number of levels that are drawn from the margin; deeper levels begin again at the margin.
const DEEPEST: usize = 10;

/// A line of the tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The index of the vertex.
    pub(crate) vertex: usize,
    pub(crate) placement: Placement,
    /// The prefix of the node's line (`first`), and of the lines below about the node (`rest`).
    pub(crate) first: String,
    pub(crate) rest: String,
}

/// The reason for which a line shows a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// No node leads to it, or the drawing of its cycle begins with it.
    Root,
    /// It follows its parent, and is drawn here.
    Here,
    /// It follows its parent, and is drawn above.
    Above,
    /// It follows its parent, and is drawn below, because this line is too deep.
    Below,
    /// It is drawn here because there was no room above.
    Continued,
    /// It follows its parent and also leads to it.
    Cycle,
}

/// Returns the lines of the tree. Roots, and the nodes after each node, have the order of the plan.
pub(crate) fn rows(drawing: &Drawing<'_>) -> Vec<Row> {
    let walk = Walk::new(drawing);
    let mut rows = Rows { walk: &walk, is_drawn: vec![false; drawing.vertices.len()], rows: Vec::new() };
    // Blocks that are still to be drawn, the next one last.
    let mut blocks: Vec<_> = walk.roots.iter().rev().map(|root| (*root, Placement::Root)).collect();
    while let Some((vertex, placement)) = blocks.pop() {
        let continued = rows.block(vertex, placement);
        blocks.extend(continued.into_iter().rev().map(|vertex| (vertex, Placement::Continued)));
    }
    rows.rows
}

/// The edges of the tree, from one walk over the plan that visits every node once, at any depth.
struct Walk {
    roots: Vec<usize>,
    /// For each node, the nodes after it.
    after: Vec<Vec<(usize, EdgeKind)>>,
}

/// The role of an edge in the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EdgeKind {
    First,
    Again,
    /// The edge leads back to a node on the current path.
    Back,
}

/// The progress of the walk at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VisitState {
    New,
    Open,
    Done,
}

impl Walk {
    fn new(drawing: &Drawing<'_>) -> Self {
        let count = drawing.vertices.len();
        let mut walk = Self { roots: Vec::new(), after: vec![Vec::new(); count] };
        let mut states = vec![VisitState::New; count];
        for (at, vertex) in drawing.vertices.iter().enumerate() {
            if vertex.before.is_empty() {
                walk.visit(drawing, at, &mut states);
            }
        }
        // The remaining nodes are in a cycle, or after one.
        for at in 0..count {
            if states.get(at) == Some(&VisitState::New) {
                walk.visit(drawing, cycle_before(drawing, at), &mut states);
            }
        }
        walk.roots.sort_unstable();
        walk
    }

    fn after(&self, vertex: usize) -> &[(usize, EdgeKind)] {
        self.after.get(vertex).map_or(&[], Vec::as_slice)
    }

    /// Visits a root and its descendants.
    fn visit(&mut self, drawing: &Drawing<'_>, root: usize, states: &mut [VisitState]) {
        let after = |vertex: usize| drawing.vertices.get(vertex).map(|vertex| vertex.after.iter());
        let mut set =
            |vertex: usize, to: VisitState| states.get_mut(vertex).map(|state| std::mem::replace(state, to));
        let mut open: Vec<(usize, btree_set::Iter<'_, usize>)> = Vec::new();
        self.roots.push(root);
        set(root, VisitState::Open);
        open.extend(after(root).map(|after| (root, after)));
        while let Some((vertex, rest)) = open.last_mut() {
            let vertex = *vertex;
            let Some(next) = rest.next().copied() else {
                set(vertex, VisitState::Done);
                open.pop();
                continue;
            };
            let visit = match set(next, VisitState::Open) {
                Some(VisitState::New) => EdgeKind::First,
                Some(VisitState::Open) => EdgeKind::Back,
                _ => {
                    set(next, VisitState::Done);
                    EdgeKind::Again
                }
            };
            if let Some(list) = self.after.get_mut(vertex) {
                list.push((next, visit));
            }
            if visit == EdgeKind::First {
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
        // Every node that is not a root has a predecessor.
        at = before(at).unwrap_or(at);
    }
    let cycle = std::iter::successors(before(at), |next| before(*next).filter(|_| *next != at));
    cycle.min().unwrap_or(at)
}

/// The lines drawn so far.
struct Rows<'w> {
    walk: &'w Walk,
    is_drawn: Vec<bool>,
    rows: Vec<Row>,
}

impl Rows<'_> {
    /// Draws a node and its descendants down to the deepest level. Returns the deeper nodes, which are drawn next.
    fn block(&mut self, vertex: usize, placement: Placement) -> Vec<usize> {
        let walk = self.walk;
        let mut continued = Vec::new();
        let mut open = vec![(walk.after(vertex), String::new())];
        self.push(vertex, placement, String::new(), "");
        while let Some((after, margin)) = open.last_mut() {
            let Some(((next, visit), rest)) = after.split_first() else {
                open.pop();
                continue;
            };
            *after = rest;
            let (first, below) = if rest.is_empty() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let (first, below) = ([margin, first].concat(), [margin, below].concat());
            let is_drawn = self.is_drawn.get(*next) == Some(&true);
            let placement = match visit {
                EdgeKind::Back => Placement::Cycle,
                EdgeKind::Again if is_drawn => Placement::Above,
                EdgeKind::First if open.len() <= DEEPEST => Placement::Here,
                EdgeKind::First => {
                    continued.push(*next);
                    Placement::Below
                }
                EdgeKind::Again => Placement::Below,
            };
            self.push(*next, placement, first, &below);
            if placement == Placement::Here {
                open.push((walk.after(*next), below));
            }
        }
        continued
    }

    fn push(&mut self, vertex: usize, placement: Placement, first: String, below: &str) {
        let is_here = matches!(placement, Placement::Root | Placement::Here | Placement::Continued);
        if let Some(draw) = self.is_drawn.get_mut(vertex)
            && is_here
        {
            *draw = true;
        }
        let leads_on = is_here && !self.walk.after(vertex).is_empty();
        let rest = [below, if leads_on { "│  " } else { "   " }].concat();
        self.rows.push(Row { vertex, placement, first, rest });
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::json::{self, Limits};
    use serde_json::json;

    use super::*;

    /// Draws a plan of `count` nodes, whose ids are their numbers.
    fn draw<T>(count: usize, edges: &[(usize, usize)], check: impl FnOnce(&Drawing<'_>, &[Row]) -> T) -> T {
        let nodes: Vec<_> = (0..count).map(|node| json!({"nodeId": node.to_string()})).collect();
        let edges: Vec<_> =
            edges.iter().map(|(from, to)| json!({"from": from.to_string(), "to": to.to_string()})).collect();
        let input = json!({"plan": {"nodes": nodes, "edges": edges}}).to_string();
        let tape = json::read(input.as_bytes(), Limits::DOCUMENT).unwrap();
        let answer = json::read(b"{}", Limits::DOCUMENT).unwrap();
        let drawing = Drawing::new(tape.root(), answer.root());
        check(&drawing, &rows(&drawing))
    }

    fn lines(count: usize, edges: &[(usize, usize)]) -> Vec<String> {
        draw(count, edges, |drawing, rows| {
            let line =
                |row: &Row| format!("{}{} {:?}", row.first, drawing.vertices[row.vertex].id, row.placement);
            rows.iter().map(line).collect()
        })
    }

    #[test]
    fn a_node_is_drawn_once_and_referred_to_elsewhere() {
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
    fn deep_levels_continue_at_the_margin() {
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
            draw(count, &edges, |_, rows| {
                let own = |row: &&Row| {
                    matches!(row.placement, Placement::Root | Placement::Here | Placement::Continued)
                };
                let mut nodes: Vec<_> = rows.iter().filter(own).map(|row| row.vertex).collect();
                nodes.sort_unstable();
                assert_eq!(nodes, (0..count).collect::<Vec<_>>(), "{round}: {edges:?}");
                let under = |row: &&Row| !matches!(row.placement, Placement::Root | Placement::Continued);
                assert_eq!(rows.iter().filter(under).count(), edges.len(), "{round}: {edges:?}");
                assert!(rows.iter().all(|row| row.first.chars().count() <= 3 * (DEEPEST + 1)), "{round}");
            });
        }
    }
}
