//! What validators look at: a call with everything looked up, so that none of them has to search.
//!
//! Nodes and capabilities are numbered in the order of their ids, names of members in their own order. So what is found does
//! not depend on the order in which a plan lists its parts.

use alloc::vec::Vec;

use super::{
    Capability, Contract, Facet, PlanCall, PlanNode, demand::Demand, graph::Graph, lists::Lists, schema,
};
use crate::{error::Error, json::Node, order, steps::Steps};

/// What it costs to note that a node, or a capability, has to do with a member: it takes memory, too.
const LINK: usize = 32;

/// A node and the capability that does it, if there is one of that id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub node: &'a PlanNode<'a>,
    pub capability: Option<&'a Capability<'a>>,
}

impl<'a> Step<'a> {
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
    pub steps: Vec<Step<'a>>,
    /// All capabilities, by id.
    pub capabilities: Vec<&'a Capability<'a>>,
    /// The catalog of facets, by name, if there is one.
    pub facets: Option<Vec<&'a Facet<'a>>>,
    /// Edges that have an end which is no node.
    pub loose: Vec<usize>,
    pub graph: Graph,
    /// The names of members that anything has to do with, in order.
    pub keys: Vec<&'a str>,
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
    /// The first node that nothing comes after.
    pub last: Option<u32>,
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
        let capabilities = sorted(&call.capabilities, |capability| capability.id);
        let facets = call.facets.as_ref().map(|facets| sorted(facets, |facet| facet.name));
        let nodes: Vec<Step<'a>> = sorted(&call.plan.nodes, |node| node.id)
            .into_iter()
            .map(|node| {
                let named =
                    node.capability.and_then(|id| find(&capabilities, id, |capability| capability.id));
                Step { node, capability: named.and_then(|at| capabilities.get(at as usize)).copied() }
            })
            .collect();
        let (edges, loose) = resolve(call, &nodes);
        let mut links = Links { facets: facets.as_deref(), steps, kinds: Default::default() };
        links.add_nodes(&nodes)?;
        links.add_capabilities(&capabilities)?;
        links.add_demands(demands)?;
        links.add_result(call.task.contract.schema)?;
        let kinds = links.kinds;
        let keys = names(&kinds);
        let sizes = [
            nodes.len(),
            nodes.len(),
            nodes.len(),
            capabilities.len(),
            capabilities.len(),
            demands.len(),
            1,
            1,
        ];
        let mut lists = kinds.iter().zip(sizes).map(|(links, len)| {
            let known = |(from, name): &(u32, &'a str)| Some((*from, find(&keys, name, |key| key)?));
            Lists::sets(len, keys.len(), &links.iter().filter_map(known).collect::<Vec<_>>())
        });
        let mut next = || lists.next().unwrap_or_else(|| Lists::of(0, &[]));
        let [takes, needs, gives, capability_takes, capability_gives, roots, outputs, required] =
            [(); 8].map(|()| next());
        let (outputs, required) = (outputs.at(0).into(), required.at(0).into());
        let able = capability_gives.transposed(keys.len());
        let graph = Graph::of(nodes.len(), &edges);
        let last = (0..).zip(&nodes).map(|(node, _)| node).find(|node| graph.after.at(*node).is_empty());
        Ok(Self {
            call,
            demands,
            steps: nodes,
            capabilities,
            facets,
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
            roots,
            outputs,
            required,
        })
    }

    /// The node of a number.
    pub(super) fn step(&self, node: u32) -> Option<Step<'a>> {
        self.steps.get(node as usize).copied()
    }

    /// The number of the node of an id.
    pub(super) fn node(&self, id: &str) -> Option<u32> {
        find(&self.steps, id, |step| step.node.id)
    }

    /// The name of a member.
    pub(super) fn key(&self, key: u32) -> &'a str {
        self.keys.get(key as usize).copied().unwrap_or_default()
    }

    /// The number of a member that anything has to do with.
    pub(super) fn key_of(&self, name: &str) -> Option<u32> {
        find(&self.keys, name, |key| key)
    }

    /// Nodes of the same id as the one before.
    pub(super) fn repeated(&self) -> impl Iterator<Item = Step<'a>> {
        let same = |pair: &[Step<'a>]| match pair {
            [left, right] if left.node.id == right.node.id => Some(*left),
            _ => None,
        };
        self.steps.windows(2).filter_map(same)
    }

    /// Whether it can be told for each node what comes before it.
    pub(super) fn is_sound(&self) -> bool {
        self.loose.is_empty() && self.graph.cycles.is_empty() && self.repeated().next().is_none()
    }

    /// Every contract that is given for a node: its own, then its capability's.
    pub(super) fn contracts(step: Step<'a>) -> impl Iterator<Item = &'a Contract<'a>> {
        let inherited = step.capability.and_then(|capability| capability.output_contract.as_ref());
        step.node.contract.iter().chain(inherited)
    }
}

/// Borrowed values in the order of their names; equal ones keep theirs.
fn sorted<T>(values: &[T], name: impl Fn(&T) -> &str) -> Vec<&T> {
    let name_at = |at: usize| values.get(at).map(&name);
    let places = order::sorted_indices(values.len(), &mut |left, right| name_at(left).cmp(&name_at(right)));
    places.into_iter().filter_map(|at| values.get(at)).collect()
}

/// Where the first of a name is among values in the order of their names.
pub(super) fn find<T>(values: &[T], name: &str, name_of: impl Fn(&T) -> &str) -> Option<u32> {
    let at = values.partition_point(|value| name_of(value) < name);
    let found = values.get(at).filter(|value| name_of(value) == name);
    found.and_then(|_| u32::try_from(at).ok())
}

/// Edges as numbers of nodes, and the places of those that have an end which is no node.
fn resolve(call: &PlanCall<'_>, nodes: &[Step<'_>]) -> (Vec<(u32, u32)>, Vec<usize>) {
    let (mut edges, mut loose) = (Vec::with_capacity(call.plan.edges.len()), Vec::new());
    let number = |id: &str| find(nodes, id, |step| step.node.id);
    for (place, edge) in call.plan.edges.iter().enumerate() {
        match (number(edge.from), number(edge.to)) {
            (Some(from), Some(to)) => edges.push((from, to)),
            _ => loose.push(place),
        }
    }
    (edges, loose)
}

/// All names of members, in order, without repeats.
fn names<'a>(kinds: &[Vec<(u32, &'a str)>]) -> Vec<&'a str> {
    let mut names: Vec<&str> = kinds.iter().flatten().map(|(_, name)| *name).collect();
    order::sort_by(&mut names, Ord::cmp);
    names.dedup();
    names
}

/// Which sorts of links there are, in the order of [`Links::kinds`].
#[derive(Clone, Copy)]
enum Kind {
    Takes,
    Needs,
    Gives,
    CapabilityTakes,
    CapabilityGives,
    Roots,
    Outputs,
    Required,
}

/// What has to do with which member, while it is being collected.
struct Links<'a, 's> {
    facets: Option<&'s [&'a Facet<'a>]>,
    steps: &'s mut Steps,
    kinds: [Vec<(u32, &'a str)>; 8],
}

impl<'a> Links<'a, '_> {
    fn add(&mut self, kind: Kind, from: usize, name: &'a str) -> Result<(), Error> {
        self.steps.spend(LINK)?;
        if let Some(links) = self.kinds.get_mut(kind as usize) {
            // Far below 4 billion.
            links.push((u32::try_from(from).unwrap_or(u32::MAX), name));
        }
        Ok(())
    }

    /// The member that a facet is about; a name that is no facet's is that of a member.
    fn facet(&self, name: &'a str) -> (&'a str, bool) {
        let catalog = self.facets.unwrap_or_default();
        match find(catalog, name, |facet| facet.name).and_then(|at| catalog.get(at as usize)) {
            Some(facet) => (facet.key, facet.is_required),
            None => (name, true),
        }
    }

    fn add_facets(&mut self, kind: Kind, from: usize, names: &[&'a str]) -> Result<(), Error> {
        names.iter().try_for_each(|name| {
            let (key, is_required) = self.facet(name);
            if let Kind::Takes = kind
                && is_required
            {
                self.add(Kind::Needs, from, key)?;
            }
            self.add(kind, from, key)
        })
    }

    fn add_nodes(&mut self, nodes: &[Step<'a>]) -> Result<(), Error> {
        for (at, step) in nodes.iter().enumerate() {
            self.add_facets(Kind::Takes, at, step.input_facets())?;
            self.add_facets(Kind::Gives, at, step.output_facets())?;
            self.add_facets(Kind::Gives, at, step.provides())?;
            for contract in Facts::contracts(*step) {
                self.add_members(Kind::Gives, at, schema::properties(contract.schema))?;
            }
            let input = step.capability.and_then(|capability| capability.input_contract.as_ref());
            if let Some(contract) = input {
                self.add_members(Kind::Takes, at, schema::required(contract.schema))?;
                self.add_members(Kind::Needs, at, schema::required(contract.schema))?;
            }
        }
        Ok(())
    }

    fn add_capabilities(&mut self, capabilities: &[&'a Capability<'a>]) -> Result<(), Error> {
        let usable = |(_, capability): &(usize, &&Capability<'a>)| capability.inactive.is_none();
        for (at, capability) in capabilities.iter().enumerate().filter(usable) {
            // What it takes is asked for one thing only: whether a `validation` node of it would touch a member.
            for name in &capability.input_facets {
                let (key, _) = self.facet(name);
                self.add(Kind::CapabilityTakes, at, key)?;
            }
            if let Some(contract) = &capability.input_contract {
                self.add_members(Kind::CapabilityTakes, at, schema::required(contract.schema))?;
            }
            self.add_facets(Kind::CapabilityGives, at, &capability.output_facets)?;
            if let Some(contract) = &capability.output_contract {
                self.add_members(Kind::CapabilityGives, at, schema::properties(contract.schema))?;
            }
        }
        Ok(())
    }

    fn add_demands(&mut self, demands: &'a [Demand<'a>]) -> Result<(), Error> {
        for (at, demand) in demands.iter().enumerate() {
            demand.roots.iter().try_for_each(|root| self.add(Kind::Roots, at, root))?;
        }
        Ok(())
    }

    fn add_result(&mut self, result: Node<'a>) -> Result<(), Error> {
        self.add_members(Kind::Outputs, 0, schema::properties(result))?;
        self.add_members(Kind::Required, 0, schema::required(result))
    }

    fn add_members(
        &mut self,
        kind: Kind,
        from: usize,
        mut names: impl Iterator<Item = &'a str>,
    ) -> Result<(), Error> {
        names.try_for_each(|name| self.add(kind, from, name))
    }
}
