//! Links between fields and the parts of a plan: which nodes and capabilities take or give each field, and which constraints use
//! it.

use alloc::vec::Vec;

use adjudicate_lang::{Error, Steps, document::Id, json::Node};

use super::{bound_node::BoundNode, catalog::Catalog, demand::Demand, lists::Lists, names::Names, schema};
use crate::documents::Capability;

/// The cost of one link, in steps; it stands for memory, too.
const LINK: usize = 64;

/// The kinds of links, in the order of [`Links::kinds`].
#[derive(Clone, Copy)]
enum LinkKind {
    Takes,
    Needs,
    Gives,
    CapabilityTakes,
    CapabilityGives,
    Roots,
    Outputs,
    Required,
}

/// A builder that collects links by kind.
pub(super) struct Links<'a, 's> {
    catalog: Option<&'s Catalog<'a>>,
    steps: &'s mut Steps,
    kinds: [Vec<(u32, &'a str)>; 8],
}

impl<'a, 's> Links<'a, 's> {
    pub(super) fn new(catalog: Option<&'s Catalog<'a>>, steps: &'s mut Steps) -> Self {
        Self { catalog, steps, kinds: Default::default() }
    }

    /// The sorted field names, and one table per kind from node, capability or constraint to fields.
    pub(super) fn resolve(self, [nodes, capabilities, demands]: [usize; 3]) -> (Names<'a>, [Lists; 8]) {
        let names = self.kinds.iter().flatten().map(|(_, name)| *name);
        let keys = Names::set(&names.collect::<Vec<_>>());
        let sizes = [nodes, nodes, nodes, capabilities, capabilities, demands, 1, 1];
        let mut sized = self.kinds.iter().zip(sizes);
        let lists = [(); 8].map(|()| {
            let (links, len) = sized.next().unwrap_or((const { &Vec::new() }, 0));
            let known = |(from, name): &(u32, &'a str)| Some((*from, keys.find(name)?));
            Lists::from_set_pairs(len, keys.len(), &links.iter().filter_map(known).collect::<Vec<_>>())
        });
        (keys, lists)
    }

    fn add(&mut self, kind: LinkKind, from: usize, name: &'a str) -> Result<(), Error> {
        self.steps.spend(LINK)?;
        if let Some(links) = self.kinds.get_mut(kind as usize) {
            // Far below 4 billion.
            links.push((u32::try_from(from).unwrap_or(u32::MAX), name));
        }
        Ok(())
    }

    /// The field of a facet and its `required_by_default`; an unknown facet is taken as a field name.
    fn facet(&self, name: &'a str) -> (&'a str, bool) {
        match self.catalog.and_then(|catalog| catalog.find(name)) {
            Some(facet) => (facet.key(), facet.required_by_default),
            // An unknown facet is a finding of its own.
            None => (name, self.catalog.is_none()),
        }
    }

    fn add_facets(&mut self, kind: LinkKind, from: usize, names: &[Id<'a>]) -> Result<(), Error> {
        names.iter().try_for_each(|Id(name)| {
            let (key, is_required) = self.facet(name);
            if let LinkKind::Takes = kind
                && is_required
            {
                self.add(LinkKind::Needs, from, key)?;
            }
            self.add(kind, from, key)
        })
    }

    pub(super) fn add_nodes(&mut self, nodes: &[BoundNode<'a>]) -> Result<(), Error> {
        for (at, step) in nodes.iter().enumerate() {
            self.add_facets(LinkKind::Takes, at, step.input_facets())?;
            self.add_facets(LinkKind::Gives, at, step.output_facets())?;
            self.add_facets(LinkKind::Gives, at, step.provides())?;
            for contract in step.contracts() {
                self.add_members(LinkKind::Gives, at, schema::properties(contract.schema.0))?;
            }
            let input = step.capability.and_then(|capability| capability.input_contract.as_ref());
            if let Some(contract) = input {
                self.add_members(LinkKind::Takes, at, schema::required(contract.schema.0))?;
                self.add_members(LinkKind::Needs, at, schema::required(contract.schema.0))?;
            }
        }
        Ok(())
    }

    pub(super) fn add_capabilities(&mut self, capabilities: &[&'a Capability<'a>]) -> Result<(), Error> {
        let usable = |(_, capability): &(usize, &&Capability<'a>)| capability.inactive().is_none();
        for (at, capability) in capabilities.iter().enumerate().filter(usable) {
            // The fields that a capability takes decide only if one of its `validation` nodes would touch a field.
            for Id(name) in &capability.input_facets {
                let (key, _) = self.facet(name);
                self.add(LinkKind::CapabilityTakes, at, key)?;
            }
            if let Some(contract) = &capability.input_contract {
                self.add_members(LinkKind::CapabilityTakes, at, schema::required(contract.schema.0))?;
            }
            self.add_facets(LinkKind::CapabilityGives, at, &capability.output_facets)?;
            if let Some(contract) = &capability.output_contract {
                self.add_members(LinkKind::CapabilityGives, at, schema::properties(contract.schema.0))?;
            }
        }
        Ok(())
    }

    pub(super) fn add_demands(&mut self, demands: &'a [Demand<'a>]) -> Result<(), Error> {
        for (at, demand) in demands.iter().enumerate() {
            demand.roots.iter().try_for_each(|root| self.add(LinkKind::Roots, at, root))?;
        }
        Ok(())
    }

    pub(super) fn add_result(&mut self, result: Node<'a>) -> Result<(), Error> {
        self.add_members(LinkKind::Outputs, 0, schema::properties(result))?;
        self.add_members(LinkKind::Required, 0, schema::required(result))
    }

    fn add_members(
        &mut self,
        kind: LinkKind,
        from: usize,
        mut names: impl Iterator<Item = &'a str>,
    ) -> Result<(), Error> {
        names.try_for_each(|name| self.add(kind, from, name))
    }
}
