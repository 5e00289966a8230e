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

use adjudicate_core::{
    Decimal, Error, document,
    documents::{Plan, PlanCall, PreviousPayload},
    json::{self, OwnedValue, ReadLimits},
    plan::Diagnostic,
};

pub(crate) use dot::dot;
pub(crate) use mermaid::mermaid;
pub(crate) use tree::{Placement, Row, rows};

static NONE: BTreeSet<usize> = BTreeSet::new();

/// Reads the plan of a call of `validate_plan`, and the payload of its answer.
pub(crate) fn with_plan<T>(
    input: &[u8],
    answer: &str,
    show: impl FnOnce(&Plan<'_>, &PreviousPayload<'_>) -> T,
) -> Result<T, Error> {
    let (input, answer) =
        (json::read(input, ReadLimits::ANSWER)?, json::read(answer.as_bytes(), ReadLimits::ANSWER)?);
    let call: PlanCall<'_> = document::read(input.root())?;
    // The payloads of all events can be read as that of an earlier answer.
    let payload = answer.root().member("payload").unwrap_or(answer.root());
    let payload = document::read(payload).map_err(|error: Error| error.under("payload"))?;
    Ok(show(&call.plan, &payload))
}

/// Returns the details of a diagnostic. Only producers of diagnostics know their fields.
pub(crate) fn details(diagnostic: &Diagnostic<'_>) -> OwnedValue {
    diagnostic.details().map_or(OwnedValue::Null, OwnedValue::from_json)
}

/// Returns a text in the details of a diagnostic, or an empty one.
pub(crate) fn detail<'d>(details: &'d OwnedValue, name: &str) -> &'d str {
    details.lookup(name).and_then(OwnedValue::as_str).unwrap_or_default()
}

/// A plan with its diagnostics.
#[derive(Debug)]
pub(crate) struct Drawing<'t> {
    /// The outcome of the plan, for example `rejected, score 0.5`.
    outcome: String,
    /// The numbers of nodes and edges in the plan.
    pub(crate) size: (usize, usize),
    /// The nodes in the order of the plan, then those that are only the end of an edge.
    pub(crate) vertices: Vec<Vertex<'t>>,
    /// The diagnostics that are about none of the drawn nodes.
    pub(crate) about_plan: Vec<&'t Diagnostic<'t>>,
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
    pub(crate) diagnostics: Vec<&'t Diagnostic<'t>>,
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
    /// Creates the drawing of a plan and the payload of the answer about it.
    pub(crate) fn new(plan: &'t Plan<'t>, payload: &'t PreviousPayload<'t>) -> Self {
        let mut drawing = Self {
            outcome: format!("{}, score {}", payload.status, score(payload.satisfaction_score.0)),
            size: (plan.nodes.len(), plan.edges.len()),
            vertices: Vec::new(),
            about_plan: Vec::new(),
            cyclic: BTreeSet::new(),
        };
        let mut places = BTreeMap::new();
        for node in &plan.nodes {
            let (id, capability) = (node.node_id.0, node.capability_id.map_or("", |id| id.0));
            let node_kind = if places.contains_key(id) { NodeKind::Repeated } else { NodeKind::Plain };
            places.entry(id).or_insert(drawing.vertices.len());
            drawing.vertices.push(Vertex { id, capability, node_kind, ..Vertex::default() });
        }
        for edge in &plan.edges {
            let [from, to] = [edge.from, edge.to].map(|end| drawing.place(end.0, &mut places));
            drawing.vertices.get_mut(from).map(|vertex| vertex.after.insert(to));
            drawing.vertices.get_mut(to).map(|vertex| vertex.before.insert(from));
        }
        drawing.add_answer(payload, &places);
        drawing
    }

    /// Returns the index of the vertex with this id. If there is none, adds a vertex of the kind `Missing`.
    fn place(&mut self, id: &'t str, places: &mut BTreeMap<&'t str, usize>) -> usize {
        *places.entry(id).or_insert_with(|| {
            self.vertices.push(Vertex { id, node_kind: NodeKind::Missing, ..Vertex::default() });
            self.vertices.len() - 1
        })
    }

    fn add_answer(&mut self, payload: &'t PreviousPayload<'t>, places: &BTreeMap<&'t str, usize>) {
        for node in payload.nodes.iter().flatten() {
            let place = places.get(node.node_id.0);
            if let Some(vertex) = place.and_then(|at| self.vertices.get_mut(*at)) {
                vertex.provides = node.provides.iter().map(|id| id.0).collect();
                vertex.enforces = node.enforces.iter().map(|id| id.0).collect();
            }
        }
        let diagnostics = payload.failures.0.iter().chain(&payload.warnings.0).chain(&payload.infos.0);
        for diagnostic in diagnostics {
            let place = diagnostic.node_id.as_deref().and_then(|id| places.get(id));
            match place.and_then(|at| self.vertices.get_mut(*at)) {
                Some(vertex) => vertex.diagnostics.push(diagnostic),
                None => self.about_plan.push(diagnostic),
            }
            let details = details(diagnostic);
            if let ("cycle", Some(OwnedValue::List(path))) =
                (detail(&details, "code"), details.lookup("path"))
            {
                let path = path.iter().filter_map(|id| places.get(id.as_str()?).copied());
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
}

/// Returns a score as answers have it.
pub(crate) fn score(score: Decimal) -> String {
    json::write(&score.to_f64())
}
