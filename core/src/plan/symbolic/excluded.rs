//! Constraints that the contract of their only producer excludes.
//!
//! Where one node alone gives everything that a constraint is about, the result has what that node gives. So the constraint cannot
//! hold if no value of the node's contract satisfies it, whatever the schema of the task allows.

use alloc::{format, vec::Vec};

use adjudicate_lang::{Error, Steps, json::Node, order};

use super::{Analysis, Clash, STEPS, STEPS_OF_SCHEMA, answer::listed, parts::Reason};
use crate::plan::{
    PlanCode,
    advice::name,
    coverage::Coverage,
    demand::Demand,
    facts::{BoundNode, Facts},
    report::{Finding, Report},
    schema,
};

/// A constraint that a contract excludes.
pub(in crate::plan) struct Excluded<'a> {
    /// The place of the constraint.
    pub(super) demand: usize,
    /// The node whose contract it is.
    pub(super) step: BoundNode<'a>,
    source: Source,
    reason: Reason,
}

/// Whose contract it is: that of a node, or that of a capability, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Node(u32),
    Capability(u32),
}

impl<'a> Excluded<'a> {
    /// All of them, in the order of the constraints, each once. They share one budget, apart from that of the plan but for
    /// compiling.
    pub(in crate::plan) fn all(
        facts: &Facts<'a>,
        coverage: &Coverage,
        steps: &mut Steps,
    ) -> Result<Vec<Self>, Error> {
        let mut asked = asked(facts, coverage, steps)?;
        order::sort_by(&mut asked, Ord::cmp);
        let constraints = &facts.call.task.contract.constraints;
        let (mut search, mut walk) = (Steps::new(STEPS), STEPS_OF_SCHEMA);
        let mut all: Vec<Self> = Vec::new();
        for group in asked.chunk_by(|one, other| one.0 == other.0) {
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
                // A constraint that contradicts itself is no fault of the contract.
                if let Some(step) = facts.step(*node).filter(|_| !reason.schema.is_empty()) {
                    all.push(Self { demand: *demand, step, source: *source, reason });
                }
            }
            (search, walk) = (analysis.search, analysis.walk);
        }
        // Both contracts of a node can exclude it: its own comes first.
        order::sort_by(&mut all, |one, other| (one.demand, one.source).cmp(&(other.demand, other.source)));
        all.dedup_by_key(|one| one.demand);
        Ok(all)
    }

    /// Reports it. The task asks for what is possible, so a soft constraint is one that is not met.
    pub(in crate::plan) fn report(
        &self,
        demands: &'a [Demand<'a>],
        report: &mut Report<'a, '_>,
    ) -> Result<(), Error> {
        let Some(demand) = demands.get(self.demand) else { return Ok(()) };
        let (node, places) = (name(self.step.node.id), listed(&self.reason.schema));
        let (of, way) = match (self.source, self.step.node.capability) {
            (Source::Capability(_), Some(capability)) => {
                let capability = name(capability);
                let way = format!(
                    "Use another capability than {capability} in {node}, or have the registry correct {places} in \
                     outputContract of {capability}."
                );
                ("outputContract", way)
            }
            _ => ("contract", format!("Correct {places} in contract of {node}.")),
        };
        let finding = Finding::about(PlanCode::UnsatisfiableConstraint, demand).at(self.step).with("of", of);
        report.add(self.reason.explain(finding, demand, &|| way.clone()))
    }
}

impl Source {
    fn schema<'a>(self, facts: &Facts<'a>) -> Option<Node<'a>> {
        let contract = match self {
            Self::Node(node) => facts.step(node)?.node.contract.as_deref(),
            Self::Capability(at) => facts.capabilities.get(at as usize)?.output_contract.as_ref(),
        };
        contract.map(|contract| contract.schema)
    }
}

/// The contracts of each node that alone gives everything that a constraint is about, with the constraint and the node.
fn asked(
    facts: &Facts<'_>,
    coverage: &Coverage,
    steps: &mut Steps,
) -> Result<Vec<(Source, usize, u32)>, Error> {
    let mut asked = Vec::new();
    for ((at, demand), number) in facts.demands.iter().enumerate().zip(0..) {
        let roots = coverage.roots.at(number);
        steps.spend(16 * roots.len() + 32)?;
        let Some(node) = coverage.only(&coverage.givers, number).filter(|_| !demand.is_computed) else {
            continue;
        };
        if roots.iter().any(|root| coverage.givers.at(*root).is_empty()) {
            continue;
        }
        let capability = facts.step(node).and_then(|step| facts.capability(step.capability?.id));
        asked.push((Source::Node(node), at, node));
        asked.extend(capability.map(|capability| (Source::Capability(capability), at, node)));
    }
    Ok(asked)
}
