//! The answer of `validate_plan`: an event and its payload (docs/reference/plans.md).

use alloc::{
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Error, Steps,
    document::Id,
    json::object::{ObjectWriter, write_listed},
    order,
};

use super::{Bundle, coverage::Coverage, facts::PlanFacts, merge::DiagnosticDifferences, score};
use crate::documents::{
    BundleStatus,
    diagnostic::{Diagnostic, Level},
};

/// Writes `{event, payload}`.
///
/// The event is `plan_rejected`, `plan_generated`, or, with an earlier answer in the call, `plan_updated`. The payload of an
/// accepted plan begins with its version and nodes. The payload of `plan_updated` also has the changes.
pub(super) fn write(
    facts: &PlanFacts<'_>,
    coverage: Option<&Coverage>,
    bundle: &Bundle<'_>,
    steps: &mut Steps,
) -> Result<String, Error> {
    let accepting = coverage.filter(|_| bundle.status() != BundleStatus::Rejected);
    let event = match (accepting, &facts.call.previous) {
        (None, _) => "plan_rejected",
        (Some(_), None) => "plan_generated",
        (Some(_), Some(_)) => "plan_updated",
    };
    let mut text = ["{\"event\":\"", event, "\",\"payload\":{"].concat();
    if let Some(coverage) = accepting {
        text.push_str("\"planVersion\":");
        text.push_str(&facts.call.plan.plan_version.to_string());
        text.push_str(",\"nodes\":[");
        Nodes::new(facts, coverage).write(&mut text, steps)?;
        text.push_str("],");
    }
    let open = bundle.open();
    bundle.write_members(&mut text, &open);
    write_scores(facts, coverage.is_some(), bundle, &mut text);
    if let (Some(_), Some(previous)) = (accepting, &facts.call.previous) {
        write_changes(&previous.0.iter().collect::<Vec<_>>(), &open, &mut text);
    }
    text.push_str("}}");
    Ok(text)
}

/// The score of each declared constraint, in the order of declaration: 1 or 0, and null for informational ones.
fn write_scores(facts: &PlanFacts<'_>, is_judged: bool, bundle: &Bundle<'_>, out: &mut String) {
    let ids: Vec<&str> = facts.demands.iter().map(|demand| &*demand.id).collect();
    let met = score::met(bundle.diagnostics(), &ids);
    out.push_str(",\"constraintScores\":");
    write_listed(facts.demands.iter().zip(met), out, |(demand, is_met), out| {
        let level = demand.constraint.level;
        let mut members = ObjectWriter::open(out);
        members.text("constraintId", Some(&demand.id));
        members.text("severity", Some(level.as_str()));
        members.json(
            "score",
            Some(match (level, is_judged && is_met) {
                (Level::Informational, _) => "null",
                (_, true) => "1.0",
                (_, false) => "0.0",
            }),
        );
        members.close();
    });
}

/// Writes the findings resolved and introduced since an earlier answer, and the number of unchanged ones.
fn write_changes(previous: &[&Diagnostic<'_>], open: &[Diagnostic<'_>], out: &mut String) {
    let changes = DiagnosticDifferences::between(previous, &open.iter().collect::<Vec<_>>());
    for (name, list) in [("resolved", &changes.resolved), ("introduced", &changes.introduced)] {
        out.push_str(",\"");
        out.push_str(name);
        out.push_str("\":");
        write_listed(list, out, |one, out| one.write(out));
    }
    out.push_str(",\"unchanged\":");
    out.push_str(&changes.unchanged.to_string());
}

/// The nodes of a plan, trimmed for the controller.
struct Nodes<'f, 'a> {
    facts: &'f PlanFacts<'a>,
    /// The constraints that each node enforces, declared or not.
    enforced: super::lists::Lists,
}

impl<'f, 'a> Nodes<'f, 'a> {
    fn new(facts: &'f PlanFacts<'a>, coverage: &Coverage) -> Self {
        Self { facts, enforced: coverage.enforcers.transposed(facts.nodes.len()) }
    }

    /// Writes all nodes, in the order of the plan.
    fn write(&self, out: &mut String, steps: &mut Steps) -> Result<(), Error> {
        for (place, node) in self.facts.call.plan.nodes.iter().enumerate() {
            let number = self.facts.node(node.node_id.0).unwrap_or(u32::MAX);
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
            let provides = declared(&node.provides).unwrap_or_else(|| gives().collect());
            let enforces = declared(&node.enforces).unwrap_or_else(enforces);
            let written: usize = provides.iter().chain(&enforces).map(|text| text.len() + 8).sum();
            steps.spend(4 * written)?;
            out.push_str(if place > 0 { "," } else { "" });
            let mut members = ObjectWriter::open(out);
            members.text("nodeId", Some(node.node_id.0));
            members.text("capabilityId", node.capability_id.map(|Id(id)| id));
            members.texts("provides", &provides);
            members.texts("enforces", &enforces);
            members.close();
        }
        Ok(())
    }
}

/// Returns the texts of a list that a node declares.
fn declared<'a>(list: &Option<Vec<Id<'a>>>) -> Option<Vec<&'a str>> {
    list.as_ref().map(|list| list.iter().map(|Id(id)| *id).collect())
}
