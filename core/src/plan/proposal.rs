//! A plan as it is on the wire: nodes and edges.

use alloc::{boxed::Box, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{
        Node,
        object::{Field, Form, count, optional, read_document, read_items, read_object, required, texts},
    },
};

use super::Contract;

/// A plan: nodes and the edges between them.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// Its version; 1 where it says nothing.
    pub version: u64,
    /// Its nodes.
    pub nodes: Vec<PlanNode<'a>>,
    /// What comes before what.
    pub edges: Vec<Edge<'a>>,
}

/// A node of a plan: one use of a capability.
#[derive(Clone, Debug, Default)]
pub struct PlanNode<'a> {
    /// Its id.
    pub id: &'a str,
    /// The capability that does it.
    pub capability: Option<&'a str>,
    /// What sort of node it is; the capability's where it says nothing.
    pub kind: Option<&'a str>,
    /// The facets that it takes; the capability's where it says nothing.
    pub input_facets: Option<Vec<&'a str>>,
    /// The facets that it gives; the capability's where it says nothing.
    pub output_facets: Option<Vec<&'a str>>,
    /// The facets or members that it says it gives.
    pub provides: Option<Vec<&'a str>>,
    /// The constraints that it says it enforces.
    pub enforces: Option<Vec<&'a str>>,
    /// What is true of what it gives.
    pub contract: Option<Box<Contract<'a>>>,
}

/// That one node comes before another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edge<'a> {
    /// The earlier node.
    pub from: &'a str,
    /// The later node.
    pub to: &'a str,
}

const PLAN: &[Field] =
    &[optional("planVersion", Form::Count), required("nodes", Form::List), required("edges", Form::List)];

const NODE: &[Field] = &[
    required("nodeId", Form::Id),
    optional("capabilityId", Form::Id),
    optional("kind", Form::Text),
    optional("inputFacets", Form::Ids),
    optional("outputFacets", Form::Ids),
    optional("provides", Form::Ids),
    optional("enforces", Form::Ids),
    optional("contract", Form::Object),
    optional("label", Form::Text),
    optional("rationale", Form::Text),
];

const EDGE: &[Field] =
    &[required("from", Form::Id), required("to", Form::Id), optional("reason", Form::Text)];

impl<'t> Plan<'t> {
    pub(super) fn read(&mut self, value: Node<'t>, patterns: &mut Steps) -> Result<(), Error> {
        read_document(value, PLAN, &mut |at, member| match at {
            0 => {
                self.version = count(member).unwrap_or(self.version);
                Ok(())
            }
            1 => {
                self.nodes.reserve_exact(member.len());
                read_items(member, &mut |item| {
                    self.nodes.push(PlanNode::read(item, patterns)?);
                    Ok(())
                })
            }
            _ => {
                self.edges.reserve_exact(member.len());
                read_items(member, &mut |item| {
                    self.edges.push(Edge::read(item)?);
                    Ok(())
                })
            }
        })
    }
}

impl<'t> PlanNode<'t> {
    fn read(value: Node<'t>, patterns: &mut Steps) -> Result<Self, Error> {
        let mut node = Self::default();
        read_object(value, NODE, &mut |at, member| {
            match at {
                0 => node.id = member.as_str().unwrap_or_default(),
                1 => node.capability = member.as_str(),
                2 => node.kind = member.as_str(),
                3 => node.input_facets = Some(texts(member)),
                4 => node.output_facets = Some(texts(member)),
                5 => node.provides = Some(texts(member)),
                6 => node.enforces = Some(texts(member)),
                7 => node.contract = Some(Box::new(Contract::read(member, patterns)?)),
                _ => {}
            }
            Ok(())
        })?;
        Ok(node)
    }
}

impl<'t> Edge<'t> {
    fn read(value: Node<'t>) -> Result<Self, Error> {
        let mut edge = Self::default();
        read_object(value, EDGE, &mut |at, member| {
            match at {
                0 => edge.from = member.as_str().unwrap_or_default(),
                1 => edge.to = member.as_str().unwrap_or_default(),
                _ => {}
            }
            Ok(())
        })?;
        Ok(edge)
    }
}
