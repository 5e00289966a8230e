//! What has to do with which member of the result: what nodes and capabilities take and give, what constraints are about.

use alloc::vec::Vec;

use adjudicate_lang::{Error, Steps, json::Node};

use super::{
    Capability,
    demand::Demand,
    facts::{BoundNode, Catalog, Facts},
    lists::Lists,
    names::Names,
    schema,
};

/// What it costs to note that a node, or a capability, has to do with a member: it takes memory, too.
const LINK: usize = 64;

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
pub(super) struct Links<'a, 's> {
    catalog: Option<&'s Catalog<'a>>,
    steps: &'s mut Steps,
    kinds: [Vec<(u32, &'a str)>; 8],
}

impl<'a, 's> Links<'a, 's> {
    pub(super) fn new(catalog: Option<&'s Catalog<'a>>, steps: &'s mut Steps) -> Self {
        Self { catalog, steps, kinds: Default::default() }
    }

    /// The names of all members, and what has to do with which, kind by kind; from as many nodes, capabilities and constraints.
    pub(super) fn resolve(self, [nodes, capabilities, demands]: [usize; 3]) -> (Names<'a>, [Lists; 8]) {
        let names = self.kinds.iter().flatten().map(|(_, name)| *name);
        let keys = Names::set(&names.collect::<Vec<_>>());
        let sizes = [nodes, nodes, nodes, capabilities, capabilities, demands, 1, 1];
        let mut sized = self.kinds.iter().zip(sizes);
        let lists = [(); 8].map(|()| {
            let (links, len) = sized.next().unwrap_or((const { &Vec::new() }, 0));
            let known = |(from, name): &(u32, &'a str)| Some((*from, keys.find(name)?));
            Lists::sets(len, keys.len(), &links.iter().filter_map(known).collect::<Vec<_>>())
        });
        (keys, lists)
    }

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
        match self.catalog.and_then(|catalog| catalog.find(name)) {
            Some(facet) => (facet.key, facet.is_required),
            // That the catalog does not have it is a finding of its own.
            None => (name, self.catalog.is_none()),
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

    pub(super) fn add_nodes(&mut self, nodes: &[BoundNode<'a>]) -> Result<(), Error> {
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

    pub(super) fn add_capabilities(&mut self, capabilities: &[&'a Capability<'a>]) -> Result<(), Error> {
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

    pub(super) fn add_demands(&mut self, demands: &'a [Demand<'a>]) -> Result<(), Error> {
        for (at, demand) in demands.iter().enumerate() {
            demand.roots.iter().try_for_each(|root| self.add(Kind::Roots, at, root))?;
        }
        Ok(())
    }

    pub(super) fn add_result(&mut self, result: Node<'a>) -> Result<(), Error> {
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
