//! Constraints that the contract of their only producer excludes.
//!
//! If one node alone gives every field of a constraint, the result has that node's values. So the constraint cannot hold if no
//! value of the node's contract satisfies it.

use alloc::{format, vec::Vec};

use adjudicate_lang::{Error, Steps, document::Id, json::Node, order};

use super::{
    Analysis, Clash, STEPS, STEPS_OF_SCHEMA,
    parts::{ClashReason, listed},
};
use crate::plan::{
    PlanCode,
    advice::name,
    bound_node::BoundNode,
    coverage::Coverage,
    demand::Demand,
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
    schema,
};

/// A constraint that a contract excludes.
pub(in crate::plan) struct Excluded<'a> {
    /// The index of the constraint.
    pub(super) demand: usize,
    /// The node with the contract.
    pub(super) step: BoundNode<'a>,
    source: ContractSource,
    reason: ClashReason,
}

/// The owner of the contract: a node or a capability, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ContractSource {
    Node(u32),
    Capability(u32),
}

impl<'a> Excluded<'a> {
    /// All excluded constraints, in order, each once. They share one budget; only compiling counts against the plan's.
    pub(in crate::plan) fn all(
        facts: &PlanFacts<'a>,
        coverage: &Coverage,
        steps: &mut Steps,
    ) -> Result<Vec<Self>, Error> {
        let mut sources = sources(facts, coverage, steps)?;
        order::sort_by(&mut sources, Ord::cmp);
        let constraints = &facts.call.task.contract.constraints;
        let (mut search, mut walk) = (Steps::new(STEPS), STEPS_OF_SCHEMA);
        let mut all: Vec<Self> = Vec::new();
        for group in sources.chunk_by(|one, other| one.0 == other.0) {
            let Some(contract) = group.first().and_then(|(source, ..)| source.schema(facts)) else {
                continue;
            };
            // A schema that does not compile is a finding of its own.
            let Ok(compiled) = schema::compile(contract, steps)? else { continue };
            let mut analysis = Analysis { schema: &compiled, constraints, search, walk };
            for (source, demand, node) in group {
                let clash = Clash { members: Vec::from([*demand]) };
                if !analysis.is_never(&clash.members) {
                    continue;
                }
                let reason = analysis.reason(&clash);
                // A constraint that contradicts itself is not the contract's fault.
                if let Some(step) = facts.step(*node).filter(|_| !reason.schema.is_empty()) {
                    all.push(Self { demand: *demand, step, source: *source, reason });
                }
            }
            (search, walk) = (analysis.search, analysis.walk);
        }
        // Both contracts of a node can exclude a constraint; the node's own comes first.
        order::sort_by(&mut all, |one, other| (one.demand, one.source).cmp(&(other.demand, other.source)));
        all.dedup_by_key(|one| one.demand);
        Ok(all)
    }

    /// Reports it.
    pub(in crate::plan) fn report(
        &self,
        demands: &'a [Demand<'a>],
        report: &mut DiagnosticReport<'a, '_>,
    ) -> Result<(), Error> {
        let Some(demand) = demands.get(self.demand) else { return Ok(()) };
        let (node, places) = (name(self.step.node.node_id.0), listed(&self.reason.schema));
        let (of, way) = match (self.source, self.step.node.capability_id) {
            (ContractSource::Capability(_), Some(Id(capability))) => {
                let capability = name(capability);
                let way = format!(
                    "Use another capability than {capability} in {node}, or have the registry correct {places} in \
                     outputContract of {capability}."
                );
                ("outputContract", way)
            }
            _ => ("contract", format!("Correct {places} in contract of {node}.")),
        };
        let finding =
            DiagnosticBuilder::about(PlanCode::UnsatisfiableConstraint, demand).at(self.step).with("of", of);
        report.add(self.reason.explain(finding, demand, &|| way.clone()))
    }
}

impl ContractSource {
    fn schema<'a>(self, facts: &PlanFacts<'a>) -> Option<Node<'a>> {
        let contract = match self {
            Self::Node(node) => facts.step(node)?.node.contract.as_deref(),
            Self::Capability(at) => facts.capabilities.get(at as usize)?.output_contract.as_ref(),
        };
        contract.map(|contract| contract.schema.0)
    }
}

/// The contracts of each node that alone gives every field of a constraint, with constraint and node.
fn sources(
    facts: &PlanFacts<'_>,
    coverage: &Coverage,
    steps: &mut Steps,
) -> Result<Vec<(ContractSource, usize, u32)>, Error> {
    let mut sources = Vec::new();
    for ((at, demand), number) in facts.demands.iter().enumerate().zip(0..) {
        let roots = coverage.roots.at(number);
        steps.spend(16 * roots.len() + 32)?;
        let Some(node) = coverage.only(&coverage.givers, number).filter(|_| !demand.is_computed) else {
            continue;
        };
        if roots.iter().any(|root| coverage.givers.at(*root).is_empty()) {
            continue;
        }
        let capability = facts.step(node).and_then(|step| facts.capability(step.capability?.capability_id.0));
        sources.push((ContractSource::Node(node), at, node));
        sources.extend(capability.map(|capability| (ContractSource::Capability(capability), at, node)));
    }
    Ok(sources)
}
