//! A plan as a document: nodes and edges.

use alloc::{boxed::Box, vec::Vec};

use adjudicate_lang::document::{Document, Id};

use super::Contract;

/// A plan: nodes and the edges between them.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(name = "PlanGraph", expecting = "an object", root)]
pub struct Plan<'a> {
    /// The version of the plan. The default is 1.
    #[document(default = 1)]
    pub plan_version: u64,
    /// The nodes.
    pub nodes: Vec<PlanNode<'a>>,
    /// The order of the nodes.
    pub edges: Vec<Edge<'a>>,
}

/// A node of a plan: one use of a capability.
#[derive(Clone, Debug, Document)]
#[serde(rename_all = "camelCase")]
#[document(expecting = "an object")]
pub struct PlanNode<'a> {
    /// The id of the node, for example `publish-1`.
    pub node_id: Id<'a>,
    /// The id of the capability that the node uses, for example `PublishAgent.post`.
    pub capability_id: Option<Id<'a>>,
    /// The kind of the node, for example `validation`. The default is the kind of the capability.
    pub kind: Option<&'a str>,
    /// The facets that the node takes. The default is the list of the capability.
    pub input_facets: Option<Vec<Id<'a>>>,
    /// The facets that the node gives. The default is the list of the capability.
    pub output_facets: Option<Vec<Id<'a>>>,
    /// The facets or fields of the result that the node declares to give.
    pub provides: Option<Vec<Id<'a>>>,
    /// The ids of the constraints that the node declares to enforce.
    pub enforces: Option<Vec<Id<'a>>>,
    /// The contract of the node's output.
    pub contract: Option<Box<Contract<'a>>>,
    /// The name of the node, for humans.
    pub label: Option<&'a str>,
    /// The reason for the node, for humans.
    pub rationale: Option<&'a str>,
}

/// An edge of a plan: one node comes before another.
#[derive(Clone, Copy, Debug, Document)]
#[document(name = "PlanEdge", expecting = "an object")]
pub struct Edge<'a> {
    /// The id of the earlier node.
    pub from: Id<'a>,
    /// The id of the later node.
    pub to: Id<'a>,
    /// The reason for the order, for humans.
    pub reason: Option<&'a str>,
}
