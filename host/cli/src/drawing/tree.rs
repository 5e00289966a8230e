//! The plan as a tree: each node once, under a node that leads to it.

use std::{collections::BTreeSet, mem};

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
    /// It is drawn here because there was no room above.
    Continued,
    /// It follows its parent, and is drawn above.
    Above,
    /// It follows its parent, and is drawn below, because this line is too deep.
    Below,
    /// It follows its parent and also leads to it.
    Cycle,
}

impl Placement {
    /// Returns true if the line is the node's own, false if it only refers to the node.
    pub(crate) const fn is_own(self) -> bool {
        matches!(self, Self::Root | Self::Here | Self::Continued)
    }
}

/// Returns the lines of the tree. Roots, and the nodes after each node, have the order of the plan.
pub(crate) fn rows(drawing: &Drawing<'_>) -> Vec<Row> {
    let mut tree = Tree { drawing, is_drawn: vec![false; drawing.vertices.len()], rows: Vec::new() };
    // Blocks that are still to be drawn, the next one last.
    let mut blocks: Vec<_> = roots(drawing).into_iter().rev().map(|root| (root, Placement::Root)).collect();
    while let Some((vertex, placement)) = blocks.pop() {
        if tree.is_drawn.get(vertex) == Some(&false) {
            let continued = tree.block(vertex, placement);
            blocks.extend(continued.into_iter().rev().map(|vertex| (vertex, Placement::Continued)));
        }
    }
    tree.rows
}

/// Returns the nodes that no node leads to, and the first node of each cycle that no such node leads to.
fn roots(drawing: &Drawing<'_>) -> BTreeSet<usize> {
    let mut is_reached = vec![false; drawing.vertices.len()];
    let mut roots = BTreeSet::new();
    let (first, others): (Vec<_>, Vec<_>) =
        (0..drawing.vertices.len()).partition(|at| drawing.before(*at).next().is_none());
    for at in first.into_iter().chain(others) {
        if is_reached.get(at) == Some(&false) {
            let root = cycle_before(drawing, at);
            roots.insert(root);
            let mut open = vec![root];
            while let Some(at) = open.pop() {
                if is_reached.get_mut(at).is_some_and(|is_reached| !mem::replace(is_reached, true)) {
                    open.extend(drawing.after(at));
                }
            }
        }
    }
    roots
}

/// Returns the first node, in the order of the plan, of a cycle that leads to a node; the node itself if nothing leads to it.
fn cycle_before(drawing: &Drawing<'_>, vertex: usize) -> usize {
    let before = |at: usize| drawing.before(at).next();
    let mut passed = BTreeSet::new();
    let mut at = vertex;
    while passed.insert(at) {
        at = before(at).unwrap_or(at);
    }
    let cycle = std::iter::successors(before(at), |next| before(*next).filter(|_| *next != at));
    cycle.min().unwrap_or(at)
}

/// The lines drawn so far.
struct Tree<'d> {
    drawing: &'d Drawing<'d>,
    is_drawn: Vec<bool>,
    rows: Vec<Row>,
}

impl Tree<'_> {
    /// Draws a node and its descendants down to the deepest level. Returns the deeper nodes, which are drawn next.
    fn block(&mut self, root: usize, placement: Placement) -> Vec<usize> {
        let drawing = self.drawing;
        let mut continued = Vec::new();
        self.push(root, placement, String::new(), "");
        let mut open = vec![(root, drawing.after(root), String::new())];
        while let Some((vertex, after, margin)) = open.last_mut() {
            let Some(next) = after.next() else {
                open.pop();
                continue;
            };
            let (first, below) = if after.len() == 0 { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            let (first, below) = ([margin, first].concat(), [margin, below].concat());
            let (is_drawn, edge) = (self.is_drawn.get(next) == Some(&true), (*vertex, next));
            let placement = match is_drawn {
                true if drawing.is_cyclic(edge) || open.iter().any(|(open, ..)| *open == next) => {
                    Placement::Cycle
                }
                true => Placement::Above,
                false if open.len() <= DEEPEST => Placement::Here,
                false => Placement::Below,
            };
            self.push(next, placement, first, &below);
            match placement {
                Placement::Here => open.push((next, drawing.after(next), below)),
                Placement::Below => continued.push(next),
                _ => {}
            }
        }
        continued
    }

    fn push(&mut self, vertex: usize, placement: Placement, first: String, below: &str) {
        let is_own = placement.is_own();
        if let Some(is_drawn) = self.is_drawn.get_mut(vertex) {
            *is_drawn |= is_own;
        }
        let leads_on = is_own && self.drawing.after(vertex).len() > 0;
        let rest = [below, if leads_on { "│  " } else { "   " }].concat();
        self.rows.push(Row { vertex, placement, first, rest });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::with_plan, *};

    /// Draws a plan of `count` nodes, whose ids are their numbers.
    fn draw<T>(count: usize, edges: &[(usize, usize)], check: impl FnOnce(&Drawing<'_>, &[Row]) -> T) -> T {
        let nodes: Vec<_> = (0..count).map(|node| json!({"nodeId": node.to_string()})).collect();
        let edges: Vec<_> =
            edges.iter().map(|(from, to)| json!({"from": from.to_string(), "to": to.to_string()})).collect();
        let task = json!({"objective": "o", "outputContract": {"schema": {}}});
        let plan = json!({"nodes": nodes, "edges": edges});
        let input = json!({"task": task, "plan": plan, "capabilities": []}).to_string();
        let payload = json!({"failures": [], "warnings": [], "infos": [], "status": "accepted", "satisfactionScore": 1});
        with_plan(input.as_bytes(), &payload.to_string(), |plan, payload| {
            let drawing = Drawing::new(plan, payload);
            check(&drawing, &rows(&drawing))
        })
        .unwrap()
    }

    fn lines(count: usize, edges: &[(usize, usize)]) -> Vec<String> {
        draw(count, edges, |drawing, rows| {
            let line =
                |row: &Row| format!("{}{} {:?}", row.first, drawing.vertices[row.vertex].id, row.placement);
            rows.iter().map(line).collect()
        })
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
    fn a_drawing_has_all_parts_of_a_plan() {
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
                let own = rows.iter().filter(|row| row.placement.is_own());
                let mut nodes: Vec<_> = own.map(|row| row.vertex).collect();
                nodes.sort_unstable();
                assert_eq!(nodes, (0..count).collect::<Vec<_>>(), "{round}: {edges:?}");
                let under = rows.iter().filter(|row| !row.first.is_empty()).count();
                assert_eq!(under, edges.len(), "{round}: {edges:?}");
                assert!(rows.iter().all(|row| row.first.chars().count() <= 3 * (DEEPEST + 1)), "{round}");
            });
        }
    }
}
