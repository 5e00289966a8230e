//! A plan with its diagnostics, for drawings.
//!
//! An answer has no edges, and an answer that rejects the plan has no nodes. So the plan comes from the input, and the
//! diagnostics come from the answer. This module matches them; `tree` lays the plan out as a tree; `dot` and `mermaid`
//! write it in languages for pictures.

mod dot;
mod label;
mod mermaid;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::json::Node;

pub(crate) use dot::dot;
pub(crate) use mermaid::mermaid;
pub(crate) use tree::{Placement, Row, rows};

use crate::fields::{items, text};

static NONE: BTreeSet<usize> = BTreeSet::new();

/// A plan with its diagnostics.
#[derive(Debug)]
pub(crate) struct Drawing<'t> {
    /// The payload of the answer, with the status of the plan.
    pub(crate) payload: Option<Node<'t>>,
    /// The version that the plan says it has.
    pub(crate) version: Option<&'t str>,
    /// The numbers of nodes and edges in the plan.
    pub(crate) size: (usize, usize),
    /// The nodes in the order of the plan, then those that are only the end of an edge.
    pub(crate) vertices: Vec<Vertex<'t>>,
    /// The diagnostics that are about none of the drawn nodes.
    pub(crate) about_plan: Vec<Node<'t>>,
    /// Edges, by their ends, that make the plan a cycle.
    cyclic: BTreeSet<(usize, usize)>,
}

/// A node of the plan as it is drawn.
#[derive(Debug, Default)]
pub(crate) struct Vertex<'t> {
    pub(crate) id: &'t str,
    pub(crate) capability: &'t str,
    pub(crate) node_kind: NodeKind,
    /// The results and constraints that the node covers, if the answer has them.
    pub(crate) provides: Vec<&'t str>,
    pub(crate) enforces: Vec<&'t str>,
    /// The diagnostics about the node.
    pub(crate) diagnostics: Vec<Node<'t>>,
    /// The nodes right after it and right before it, in the order in which nodes are drawn, each once.
    after: BTreeSet<usize>,
    before: BTreeSet<usize>,
}

/// The kind of a node in the drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum NodeKind {
    #[default]
    Plain,
    /// A node before it has the same id, so no edge leads to this one.
    Repeated,
    /// The plan has no such node, only an edge that says so.
    Missing,
}

impl<'t> Drawing<'t> {
    /// Creates the drawing of the input and the answer of one `validate_plan` call.
    pub(crate) fn new(input: Node<'t>, answer: Node<'t>) -> Self {
        let plan = input.member("plan");
        let listed = |name| plan.into_iter().flat_map(move |plan| items(plan, name));
        let mut drawing = Self {
            payload: answer.member("payload"),
            version: plan.and_then(|plan| plan.member("planVersion")?.as_number()),
            size: (listed("nodes").count(), listed("edges").count()),
            vertices: Vec::new(),
            about_plan: Vec::new(),
            cyclic: BTreeSet::new(),
        };
        let mut places = BTreeMap::new();
        for node in listed("nodes") {
            let (id, capability) = (text(node, "nodeId"), text(node, "capabilityId"));
            let node_kind = if places.contains_key(id) { NodeKind::Repeated } else { NodeKind::Plain };
            places.entry(id).or_insert(drawing.vertices.len());
            drawing.vertices.push(Vertex { id, capability, node_kind, ..Vertex::default() });
        }
        for edge in listed("edges") {
            let [from, to] = ["from", "to"].map(|end| drawing.place(text(edge, end), &mut places));
            drawing.vertices.get_mut(from).map(|vertex| vertex.after.insert(to));
            drawing.vertices.get_mut(to).map(|vertex| vertex.before.insert(from));
        }
        drawing.add_answer(&places);
        drawing
    }

    /// Returns the index of the vertex with this id. If there is none, adds a vertex of the kind `Missing`.
    fn place(&mut self, id: &'t str, places: &mut BTreeMap<&'t str, usize>) -> usize {
        *places.entry(id).or_insert_with(|| {
            self.vertices.push(Vertex { id, node_kind: NodeKind::Missing, ..Vertex::default() });
            self.vertices.len() - 1
        })
    }

    fn add_answer(&mut self, places: &BTreeMap<&'t str, usize>) {
        let Some(payload) = self.payload else { return };
        for node in items(payload, "nodes") {
            let place = places.get(text(node, "nodeId"));
            if let Some(vertex) = place.and_then(|at| self.vertices.get_mut(*at)) {
                vertex.provides = items(node, "provides").filter_map(Node::as_str).collect();
                vertex.enforces = items(node, "enforces").filter_map(Node::as_str).collect();
            }
        }
        for diagnostic in ["failures", "warnings", "infos"].into_iter().flat_map(|name| items(payload, name))
        {
            let place = diagnostic.member("nodeId").and_then(|id| places.get(id.as_str()?));
            match place.and_then(|at| self.vertices.get_mut(*at)) {
                Some(vertex) => vertex.diagnostics.push(diagnostic),
                None => self.about_plan.push(diagnostic),
            }
            if let Some(cycle) = diagnostic.member("details").filter(|found| text(*found, "code") == "cycle")
            {
                let path = items(cycle, "path").filter_map(|id| places.get(id.as_str()?).copied());
                let path: Vec<_> = path.collect();
                self.cyclic.extend(path.iter().copied().zip(path.iter().copied().skip(1)));
            }
        }
    }

    /// Returns the nodes right after a node, in the order of the plan.
    fn after(&self, vertex: usize) -> impl ExactSizeIterator<Item = usize> {
        self.vertices.get(vertex).map_or(&NONE, |vertex| &vertex.after).iter().copied()
    }

    /// Returns the nodes right before a node, in the order of the plan.
    fn before(&self, vertex: usize) -> impl Iterator<Item = usize> {
        self.vertices.get(vertex).map_or(&NONE, |vertex| &vertex.before).iter().copied()
    }

    /// Returns the edges, in the order of their ends.
    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.vertices.len()).flat_map(|from| self.after(from).map(move |to| (from, to)))
    }

    /// Returns true if an edge is part of a reported cycle.
    fn is_cyclic(&self, edge: (usize, usize)) -> bool {
        self.cyclic.contains(&edge)
    }

    /// Returns the outcome of the plan, for example `rejected, score 0.5`.
    fn outcome(&self) -> String {
        let Some(payload) = self.payload else { return String::new() };
        let score = payload.member("satisfactionScore").and_then(Node::as_number).unwrap_or("?");
        format!("{}, score {score}", text(payload, "status"))
    }
}
