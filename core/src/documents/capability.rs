//! The parts of plans as documents: capabilities and facets.

use alloc::vec::Vec;

use adjudicate_lang::document::{Distinct, Document, Id, Keyed, SchemaDocument};

use super::{Contract, PostCondition};

/// The abilities of an agent or a tool.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object", root)]
pub struct Capability<'a> {
    /// The id, for example `PublishAgent.post`. No other capability of the list has it.
    pub capability_id: Id<'a>,
    /// The version, for example `1.2.0`.
    pub version: Option<&'a str>,
    /// The kind of its nodes, for example `validation`.
    pub kind: Option<&'a str>,
    /// The status. Nodes can use a capability without a status, or with the status `active`.
    pub status: Option<&'a str>,
    /// The facets that its nodes take.
    #[serde(default)]
    pub input_facets: Vec<Id<'a>>,
    /// The facets that its nodes give.
    #[serde(default)]
    pub output_facets: Vec<Id<'a>>,
    /// The contract of its input.
    pub input_contract: Option<Contract<'a>>,
    /// The contract of its output.
    pub output_contract: Option<Contract<'a>>,
    /// The conditions that hold after its nodes.
    #[serde(default)]
    pub post_conditions: Distinct<PostCondition<'a>>,
}

impl<'a> Capability<'a> {
    /// Returns the status that keeps nodes from using the capability: any but `active`.
    #[must_use]
    pub fn inactive(&self) -> Option<&'a str> {
        self.status.filter(|status| *status != "active")
    }
}

impl Keyed for Capability<'_> {
    const KEY: &'static str = "capabilityId";
}

/// The direction of a facet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(name = "FacetDirection")]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Nodes take it.
    Input,
    /// Nodes give it.
    Output,
    /// Nodes take it and give it.
    Bidirectional,
}

/// A facet: a part of inputs and outputs.
#[derive(Clone, Copy, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
pub struct Facet<'a> {
    /// The name, for example `copyVariants`. No other facet of the list has it.
    pub name: Id<'a>,
    /// A JSON Schema of the value.
    pub schema: SchemaDocument<'a>,
    /// The direction.
    pub direction: Direction,
    /// The field that holds the facet. The default is its name.
    pub property_key: Option<Id<'a>>,
    /// True if a node that takes the facet needs it. The default is true.
    #[document(default = true)]
    pub required_by_default: bool,
}

impl<'a> Facet<'a> {
    /// Returns the field that holds the facet.
    #[must_use]
    pub fn key(&self) -> &'a str {
        self.property_key.unwrap_or(self.name).0
    }
}

impl Keyed for Facet<'_> {
    const KEY: &'static str = "name";
}
