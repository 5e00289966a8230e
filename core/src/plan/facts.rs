//! What validators look at: a call with everything looked up, so that none of them has to search.
//!
//! Nodes and capabilities are numbered in the order of their ids, names of members in their own order. So what is found does
//! not depend on the order in which a plan lists its parts.

use alloc::vec::Vec;

use adjudicate_lang::{Error, Steps, schema::Schema};

use super::{
    Capability, Contract, Direction, Facet, PlanCall, PlanNode, demand::Demand, graph::Graph, links::Links,
    lists::Lists, names::Names, schema,
};

/// A node and the capability that does it, if there is one of that id.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundNode<'a> {
    pub node: &'a PlanNode<'a>,
    pub capability: Option<&'a Capability<'a>>,
}

impl<'a> BoundNode<'a> {
    pub(super) fn input_facets(self) -> &'a [&'a str] {
        let inherited = self.capability.map(|capability| &capability.input_facets);
        self.node.input_facets.as_ref().or(inherited).map_or(&[], |facets| facets)
    }

    pub(super) fn output_facets(self) -> &'a [&'a str] {
        let inherited = self.capability.map(|capability| &capability.output_facets);
        self.node.output_facets.as_ref().or(inherited).map_or(&[], |facets| facets)
    }

    pub(super) fn provides(self) -> &'a [&'a str] {
        self.node.provides.as_deref().unwrap_or_default()
    }

    /// Whether it is there to look at what others give.
    pub(super) fn is_validation(self) -> bool {
        let inherited = self.capability.and_then(|capability| capability.kind);
        self.node.kind.or(inherited) == Some("validation")
    }
}

/// Everything that validators look things up in.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub call: &'a PlanCall<'a>,
    /// What the task's constraints ask, in their order.
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
    /// Edges that have an end which is no node.
    pub loose: Vec<usize>,
    pub graph: Graph,
    /// The names of members that anything has to do with, in order.
    keys: Names<'a>,
    /// What each node takes, and what of it the node cannot do without.
    pub takes: Lists,
    pub needs: Lists,
    /// What each node gives.
    pub gives: Lists,
    /// What each capability that can be used takes and gives.
    pub capability_takes: Lists,
    pub capability_gives: Lists,
    /// The capabilities that can be used and give each member.
    pub able: Lists,
    /// The first node that nothing comes after; if there is one that something comes before, the first of those.
    pub last: Option<u32>,
    /// Nodes that name a capability that there is not, and the usable one that was probably meant.
    pub meant: Vec<(u32, u32)>,
    /// What each constraint is about.
    pub roots: Lists,
    /// The members that the schema of the result has, and those that it requires.
    pub outputs: Vec<u32>,
    pub required: Vec<u32>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(
        call: &'a PlanCall<'a>,
        demands: &'a [Demand<'a>],
        steps: &mut Steps,
    ) -> Result<Self, Error> {
        let (capability_ids, capabilities) = sorted(&call.capabilities, |capability| capability.id);
        let catalog = call.facets.as_ref().map(|facets| Catalog::of(facets));
        let (ids, nodes) = sorted(&call.plan.nodes, |node| node.id);
        let capability = |node: &PlanNode<'_>| {
            let number = node.capability.and_then(|id| capability_ids.find(id))?;
            capabilities.get(number as usize).copied()
        };
        let nodes: Vec<BoundNode<'a>> =
            nodes.into_iter().map(|node| BoundNode { node, capability: capability(node) }).collect();
        let (edges, loose) = resolve(call, &ids);
        let output = schema::compile(call.task.contract.schema, steps)?;
        let mut links = Links::new(catalog.as_ref(), steps);
        links.add_nodes(&nodes)?;
        links.add_capabilities(&capabilities)?;
        links.add_demands(demands)?;
        links.add_result(call.task.contract.schema)?;
        let (keys, lists) = links.resolve([nodes.len(), capabilities.len(), demands.len()]);
        let [takes, needs, gives, capability_takes, capability_gives, roots, outputs, required] = lists;
        let (outputs, required) = (outputs.at(0).into(), required.at(0).into());
        let able = capability_gives.transposed(keys.len());
        let graph = Graph::of(nodes.len(), &edges);
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

    /// The node of a number.
    pub(super) fn step(&self, node: u32) -> Option<BoundNode<'a>> {
        self.nodes.get(node as usize).copied()
    }

    /// The number of the node of an id.
    pub(super) fn node(&self, id: &str) -> Option<u32> {
        self.ids.find(id)
    }

    /// The number of the capability of an id.
    pub(super) fn capability(&self, id: &str) -> Option<u32> {
        self.capability_ids.find(id)
    }

    /// The id of the node that was probably meant; it is not the other end of the edge.
    pub(super) fn closest_node(
        &self,
        id: &str,
        other: Option<u32>,
        steps: &mut Steps,
    ) -> Result<Option<&'a str>, Error> {
        self.ids.closest(id, &|node| Some(node) != other, steps)
    }

    /// Whether nodes of a capability may be added.
    pub(super) fn is_usable(&self, capability: u32) -> bool {
        self.capabilities.get(capability as usize).is_some_and(|known| known.inactive.is_none())
    }

    /// The name of a member.
    pub(super) fn key(&self, key: u32) -> &'a str {
        self.keys.at(key)
    }

    /// The number of a member that anything has to do with.
    pub(super) fn key_of(&self, name: &str) -> Option<u32> {
        self.keys.find(name)
    }

    /// How many members anything has to do with.
    pub(super) fn key_count(&self) -> usize {
        self.keys.len()
    }

    /// Nodes of the same id as the one before.
    pub(super) fn repeated(&self) -> impl Iterator<Item = BoundNode<'a>> {
        let same = |pair: &[BoundNode<'a>]| match pair {
            [left, right] if left.node.id == right.node.id => Some(*left),
            _ => None,
        };
        self.nodes.windows(2).filter_map(same)
    }

    /// Whether it can be told for each node what comes before it.
    pub(super) fn is_sound(&self) -> bool {
        self.loose.is_empty() && self.graph.cycles.is_empty() && self.repeated().next().is_none()
    }

    /// Every contract that is given for a node: its own, then its capability's.
    pub(super) fn contracts(step: BoundNode<'a>) -> impl Iterator<Item = &'a Contract<'a>> {
        let inherited = step.capability.and_then(|capability| capability.output_contract.as_ref());
        step.node.contract.as_deref().into_iter().chain(inherited)
    }
}

/// The catalog of facets.
#[derive(Debug)]
pub(super) struct Catalog<'a> {
    names: Names<'a>,
    facets: Vec<&'a Facet<'a>>,
}

impl<'a> Catalog<'a> {
    fn of(facets: &'a [Facet<'a>]) -> Self {
        let (names, facets) = sorted(facets, |facet| facet.name);
        Self { names, facets }
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a Facet<'a>> {
        self.facets.get(self.names.find(name)? as usize).copied()
    }

    /// The facet that was probably meant; it does not go that way.
    pub(super) fn closest(
        &self,
        name: &str,
        wrong: Direction,
        steps: &mut Steps,
    ) -> Result<Option<&'a str>, Error> {
        let fits = |at| self.facets.get(at as usize).is_some_and(|facet| facet.direction != wrong);
        self.names.closest(name, &fits, steps)
    }

    /// All facets, by name.
    pub(super) fn facets(&self) -> &[&'a Facet<'a>] {
        &self.facets
    }
}

/// Borrowed values in the order of their names; equal ones keep theirs.
fn sorted<'a, T>(values: &'a [T], name: impl Fn(&'a T) -> &'a str) -> (Names<'a>, Vec<&'a T>) {
    let (names, places) = Names::sorted(&values.iter().map(name).collect::<Vec<_>>());
    (names, places.into_iter().filter_map(|place| values.get(place)).collect())
}

/// Edges as numbers of nodes, and the places of those that have an end which is no node.
fn resolve(call: &PlanCall<'_>, ids: &Names<'_>) -> (Vec<(u32, u32)>, Vec<usize>) {
    let (mut edges, mut loose) = (Vec::with_capacity(call.plan.edges.len()), Vec::new());
    for (place, edge) in call.plan.edges.iter().enumerate() {
        match (ids.find(edge.from), ids.find(edge.to)) {
            (Some(from), Some(to)) => edges.push((from, to)),
            _ => loose.push(place),
        }
    }
    (edges, loose)
}

/// Nodes that name a capability that there is not, each with the usable one whose id is close.
fn meant(
    nodes: &[BoundNode<'_>],
    ids: &Names<'_>,
    capabilities: &[&Capability<'_>],
    steps: &mut Steps,
) -> Result<Vec<(u32, u32)>, Error> {
    let is_usable = |at| capabilities.get(at as usize).is_some_and(|known| known.inactive.is_none());
    let mut meant = Vec::new();
    for (at, step) in (0..).zip(nodes).filter(|(_, step)| step.capability.is_none()) {
        let Some(id) = step.node.capability else { continue };
        if let Some(close) = ids.closest(id, &is_usable, steps)?.and_then(|close| ids.find(close)) {
            meant.push((at, close));
        }
    }
    Ok(meant)
}
