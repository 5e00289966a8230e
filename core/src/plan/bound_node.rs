//! A node of a plan with its capability.

use adjudicate_lang::document::Id;

use crate::documents::{Capability, Contract, PlanNode};

/// A node and its capability, if the registry has one of that id.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundNode<'a> {
    pub node: &'a PlanNode<'a>,
    pub capability: Option<&'a Capability<'a>>,
}

impl<'a> BoundNode<'a> {
    pub(super) fn input_facets(self) -> &'a [Id<'a>] {
        let inherited = self.capability.map(|capability| &capability.input_facets);
        self.node.input_facets.as_ref().or(inherited).map_or(&[], |facets| facets)
    }

    pub(super) fn output_facets(self) -> &'a [Id<'a>] {
        let inherited = self.capability.map(|capability| &capability.output_facets);
        self.node.output_facets.as_ref().or(inherited).map_or(&[], |facets| facets)
    }

    pub(super) fn provides(self) -> &'a [Id<'a>] {
        self.node.provides.as_deref().unwrap_or_default()
    }

    /// Returns true for a validation node: its kind, or its capability's, is `validation`.
    pub(super) fn is_validation(self) -> bool {
        let inherited = self.capability.and_then(|capability| capability.kind);
        self.node.kind.or(inherited) == Some("validation")
    }

    /// Every output contract: the node's own, then its capability's.
    pub(super) fn contracts(self) -> impl Iterator<Item = &'a Contract<'a>> {
        let inherited = self.capability.and_then(|capability| capability.output_contract.as_ref());
        self.node.contract.as_deref().into_iter().chain(inherited)
    }
}
