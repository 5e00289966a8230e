//! The facts of a plan call: every reference resolved, so that no validator searches.
//!
//! Nodes and capabilities are numbered in the order of their ids, field names in their own order. So findings do not depend on the
//! order in which a plan lists its parts.

use alloc::vec::Vec;

use adjudicate_lang::{Error, Steps, document::Id, schema::Schema};

use super::{
    bound_node::BoundNode,
    catalog::{Catalog, sorted},
    demand::Demand,
    graph::Graph,
    links::Links,
    lists::Lists,
    names::Names,
    schema,
};
use crate::documents::{Capability, PlanCall, PlanNode};

/// The lookup tables of all validators.
#[derive(Debug)]
pub(super) struct PlanFacts<'a> {
    pub call: &'a PlanCall<'a>,
    /// The task's constraints, in their order.
    pub demands: &'a [Demand<'a>],
    /// All nodes, by id.
    pub nodes: Vec<BoundNode<'a>>,
    ids: Names<'a>,
    /// All capabilities, by id.
    pub capabilities: Vec<&'a Capability<'a>>,
    capability_ids: Names<'a>,
    /// The catalog of facets, if there is one.
    pub catalog: Option<Catalog<'a>>,
    /// The schema of the task's output contract, or why it does not compile.
    pub output: Result<Schema, Error>,
    /// The indices of edges with an end that is no node.
    pub loose: Vec<usize>,
    pub graph: Graph,
    /// All field names that occur in the plan, the capabilities or the task, in order.
    keys: Names<'a>,
    /// The fields that each node takes, and those of them that it requires.
    pub takes: Lists,
    pub needs: Lists,
    /// The fields that each node gives.
    pub gives: Lists,
    /// The fields that each usable capability takes and gives.
    pub capability_takes: Lists,
    pub capability_gives: Lists,
    /// For each field, the usable capabilities that give it.
    pub able: Lists,
    /// The first sink: preferably one with a predecessor, otherwise any.
    pub last: Option<u32>,
    /// Nodes with an unknown capability id, each with the usable capability that was probably meant.
    pub meant: Vec<(u32, u32)>,
    /// The fields that each constraint is about.
    pub roots: Lists,
    /// The fields that the result schema declares, and those that it requires.
    pub outputs: Vec<u32>,
    pub required: Vec<u32>,
}

impl<'a> PlanFacts<'a> {
    pub(super) fn new(
        call: &'a PlanCall<'a>,
        demands: &'a [Demand<'a>],
        steps: &mut Steps,
    ) -> Result<Self, Error> {
        let (capability_ids, capabilities) =
            sorted(&call.capabilities, |capability| capability.capability_id.0);
        let catalog = call.facets.as_ref().map(|facets| Catalog::new(facets));
        let (ids, nodes) = sorted(&call.plan.nodes, |node| node.node_id.0);
        let capability = |node: &PlanNode<'_>| {
            let number = node.capability_id.and_then(|Id(id)| capability_ids.find(id))?;
            capabilities.get(number as usize).copied()
        };
        let nodes: Vec<BoundNode<'a>> =
            nodes.into_iter().map(|node| BoundNode { node, capability: capability(node) }).collect();
        let (edges, loose) = resolve(call, &ids);
        let output = schema::compile(call.task.contract.schema.0, steps)?;
        let mut links = Links::new(catalog.as_ref(), steps);
        links.add_nodes(&nodes)?;
        links.add_capabilities(&capabilities)?;
        links.add_demands(demands)?;
        links.add_result(call.task.contract.schema.0)?;
        let (keys, lists) = links.resolve([nodes.len(), capabilities.len(), demands.len()]);
        let [takes, needs, gives, capability_takes, capability_gives, roots, outputs, required] = lists;
        let (outputs, required) = (outputs.at(0).into(), required.at(0).into());
        let able = capability_gives.transposed(keys.len());
        let graph = Graph::new(nodes.len(), &edges);
        let ends = || (0..).zip(&nodes).map(|(node, _)| node).filter(|node| graph.after.at(*node).is_empty());
        let last = ends().find(|node| !graph.before.at(*node).is_empty()).or_else(|| ends().next());
        let meant = meant(&nodes, &capability_ids, &capabilities, steps)?;
        Ok(Self {
            call,
            demands,
            nodes,
            ids,
            capabilities,
            capability_ids,
            catalog,
            output,
            loose,
            graph,
            keys,
            takes,
            needs,
            gives,
            capability_takes,
            capability_gives,
            able,
            last,
            meant,
            roots,
            outputs,
            required,
        })
    }

    /// The node with this number.
    pub(super) fn step(&self, node: u32) -> Option<BoundNode<'a>> {
        self.nodes.get(node as usize).copied()
    }

    /// The number of the node with this id.
    pub(super) fn node(&self, id: &str) -> Option<u32> {
        self.ids.find(id)
    }

    /// The number of the capability with this id.
    pub(super) fn capability(&self, id: &str) -> Option<u32> {
        self.capability_ids.find(id)
    }

    /// The node id closest to `id`, except `other`, the far end of the same edge.
    pub(super) fn closest_node(
        &self,
        id: &str,
        other: Option<u32>,
        steps: &mut Steps,
    ) -> Result<Option<&'a str>, Error> {
        self.ids.closest(id, &|node| Some(node) != other, steps)
    }

    /// Returns true if nodes may use this capability.
    pub(super) fn is_usable(&self, capability: u32) -> bool {
        self.capabilities.get(capability as usize).is_some_and(|known| known.inactive().is_none())
    }

    /// The name of a field.
    pub(super) fn key(&self, key: u32) -> &'a str {
        self.keys.at(key)
    }

    /// The number of a field by name.
    pub(super) fn key_of(&self, name: &str) -> Option<u32> {
        self.keys.find(name)
    }

    /// The number of known fields.
    pub(super) fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// Nodes with the same id as the node before them.
    pub(super) fn repeated(&self) -> impl Iterator<Item = BoundNode<'a>> {
        let same = |pair: &[BoundNode<'a>]| match pair {
            [left, right] if left.node.node_id == right.node.node_id => Some(*left),
            _ => None,
        };
        self.nodes.windows(2).filter_map(same)
    }

    /// Returns true if the order of the nodes is known: no loose edge, no cycle, no repeated id.
    pub(super) fn is_sound(&self) -> bool {
        self.loose.is_empty() && self.graph.cycles.is_empty() && self.repeated().next().is_none()
    }
}

/// The edges as pairs of node numbers, and the indices of edges with an unknown end.
fn resolve(call: &PlanCall<'_>, ids: &Names<'_>) -> (Vec<(u32, u32)>, Vec<usize>) {
    let (mut edges, mut loose) = (Vec::with_capacity(call.plan.edges.len()), Vec::new());
    for (place, edge) in call.plan.edges.iter().enumerate() {
        match (ids.find(edge.from.0), ids.find(edge.to.0)) {
            (Some(from), Some(to)) => edges.push((from, to)),
            _ => loose.push(place),
        }
    }
    (edges, loose)
}

/// Nodes with an unknown capability id, each with the usable capability of the closest id.
fn meant(
    nodes: &[BoundNode<'_>],
    ids: &Names<'_>,
    capabilities: &[&Capability<'_>],
    steps: &mut Steps,
) -> Result<Vec<(u32, u32)>, Error> {
    let is_usable = |at| capabilities.get(at as usize).is_some_and(|known| known.inactive().is_none());
    let mut meant = Vec::new();
    for (at, step) in (0..).zip(nodes).filter(|(_, step)| step.capability.is_none()) {
        let Some(Id(id)) = step.node.capability_id else { continue };
        if let Some(close) = ids.closest(id, &is_usable, steps)?.and_then(|close| ids.find(close)) {
            meant.push((at, close));
        }
    }
    Ok(meant)
}
