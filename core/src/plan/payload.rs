//! What becomes of a plan: the event that a controller emits and its payload (5.9.4).

use alloc::{
    string::{String, ToString as _},
    vec::Vec,
};

use super::{Bundle, BundleStatus, coverage::Coverage, facts::Facts};
use crate::{error::Error, json::object::Members, order, steps::Steps};

/// `{event, payload}`: `plan_rejected` with the bundle, or `plan_generated` with the plan's version and nodes before it.
pub(super) fn write(
    facts: &Facts<'_>,
    coverage: Option<&Coverage>,
    bundle: &Bundle<'_>,
    steps: &mut Steps,
) -> Result<String, Error> {
    let mut text = String::from("{\"event\":");
    match coverage {
        Some(coverage) if bundle.status() != BundleStatus::Rejected => {
            text.push_str("\"plan_generated\",\"payload\":{\"planVersion\":");
            text.push_str(&facts.call.plan.version.to_string());
            text.push_str(",\"nodes\":[");
            Nodes::of(facts, coverage).write(&mut text, steps)?;
            text.push_str("],");
        }
        // Without knowing what a plan covers nothing is accepted.
        _ => text.push_str("\"plan_rejected\",\"payload\":{"),
    }
    bundle.write_open(&mut text);
    text.push_str("}}");
    Ok(text)
}

/// The nodes of a plan, with what a controller needs to know of them.
struct Nodes<'f, 'a> {
    facts: &'f Facts<'a>,
    /// What each node enforces, whether it says so or not.
    enforced: super::lists::Lists,
}

impl<'f, 'a> Nodes<'f, 'a> {
    fn of(facts: &'f Facts<'a>, coverage: &Coverage) -> Self {
        Self { facts, enforced: coverage.enforcers.transposed(facts.nodes.len()) }
    }

    /// All of them, in the order of the plan.
    fn write(&self, out: &mut String, steps: &mut Steps) -> Result<(), Error> {
        for (place, node) in self.facts.call.plan.nodes.iter().enumerate() {
            let number = self.facts.node(node.id).unwrap_or(u32::MAX);
            let gives = || self.facts.gives.at(number).iter().map(|key| self.facts.key(*key));
            let enforces = || {
                let demands = self.enforced.at(number).iter();
                let mut ids: Vec<&str> = demands
                    .filter_map(|at| self.facts.demands.get(*at as usize))
                    .map(|demand| &*demand.id)
                    .collect();
                order::sort_by(&mut ids, Ord::cmp);
                ids.dedup();
                ids
            };
            let provides = node.provides.clone().unwrap_or_else(|| gives().collect());
            let enforces = node.enforces.clone().unwrap_or_else(enforces);
            let written: usize = provides.iter().chain(&enforces).map(|text| text.len() + 8).sum();
            steps.spend(4 * written)?;
            out.push_str(if place > 0 { "," } else { "" });
            let mut members = Members::open(out);
            members.text("nodeId", Some(node.id));
            members.text("capabilityId", node.capability);
            members.texts("provides", &provides);
            members.texts("enforces", &enforces);
            members.close();
        }
        Ok(())
    }
}
