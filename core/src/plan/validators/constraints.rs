//! Each constraint has producers of all its fields, and an enforcer at or after them.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{Error, Steps, document::Id, order};

use crate::{
    documents::diagnostic::Level,
    plan::{
        PlanCode,
        advice::{line, name},
        coverage::{Coverage, only},
        demand::Demand,
        diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
        facts::PlanFacts,
        names::Names,
    },
};

pub(super) fn check<'a>(
    facts: &PlanFacts<'a>,
    coverage: &Coverage,
    report: &mut DiagnosticReport<'a, '_>,
) -> Result<(), Error> {
    // Declared constraint ids that the task does not have; built on first use.
    let mut unknown = None;
    for (at, demand) in (0..).zip(facts.demands) {
        report.steps.spend(16 * coverage.roots.at(at).len())?;
        // If the schema names no field, a computed variable could read a field without a producer.
        let is_open = demand.is_computed && facts.outputs.is_empty();
        let finding = if !coverage.missing.at(at).is_empty() || is_open {
            unproduced(facts, coverage, at, demand)
        } else if coverage.enforcers.at(at).is_empty() {
            let unknown = match &mut unknown {
                Some(known) => known,
                none => none.insert(UndeclaredIds::new(facts, report.steps)?),
            };
            let mut ways = Vec::new();
            ways.extend(unknown.way_to_correct(facts, coverage, at, report.steps)?);
            ways.extend(facts.ways_to_enforce(at, coverage));
            let producer = coverage.only(&coverage.producers, at).and_then(|node| facts.step(node));
            DiagnosticBuilder::about(PlanCode::MissingEnforcer, demand)
                .at(producer)
                .suggest(line(None, &ways))
        } else if demand.constraint.level == Level::Informational {
            continue;
        } else {
            DiagnosticBuilder::about(PlanCode::ConstraintMet, demand)
        };
        report.add(finding)?;
    }
    Ok(())
}

fn unproduced<'a>(
    facts: &PlanFacts<'a>,
    coverage: &Coverage,
    at: u32,
    demand: &'a Demand<'a>,
) -> DiagnosticBuilder<'a> {
    let missing = coverage.missing.at(at);
    // A field that the constraint names is certainly missing; a computed variable may read something else.
    let is_named = |key: &u32| facts.roots.at(at).binary_search(key).is_ok();
    let code = match missing.iter().any(is_named) {
        true => PlanCode::MissingProducer,
        false => PlanCode::UndecidedVariable,
    };
    let mut finding = DiagnosticBuilder::about(code, demand)
        .with_list("missing", missing.iter().map(|key| facts.key(*key)));
    // A node that gives the missing field lacks an input itself, which is a finding of its own.
    let idle = |key: &u32| coverage.givers.at(*key).first().and_then(|node| facts.step(*node));
    finding = finding.at(only(missing, &coverage.givers).and_then(|node| facts.step(node)));
    // All fields are needed, so each gets a line.
    for key in missing {
        finding = match idle(key) {
            None => {
                let about = (missing.len() > 1).then(|| facts.key(*key));
                finding.suggest(line(about, &facts.ways_to_give(*key, &coverage.givers)))
            }
            Some(step) => finding.suggest([format!("Supply the inputs of {}.", name(step.node.node_id.0))]),
        };
    }
    if missing.is_empty() {
        finding = finding
            .suggest(["Have the task name the fields of the result in properties of its schema.".into()]);
    }
    finding
}

/// Constraint ids that nodes declare and the task does not have, in order, with the node of each.
struct UndeclaredIds<'a> {
    ids: Names<'a>,
    nodes: Vec<u32>,
}

impl<'a> UndeclaredIds<'a> {
    fn new(facts: &PlanFacts<'a>, steps: &mut Steps) -> Result<Self, Error> {
        let mut known: Vec<&str> = facts.demands.iter().map(|demand| &*demand.id).collect();
        order::sort_by(&mut known, Ord::cmp);
        let (mut ids, mut nodes) = (Vec::new(), Vec::new());
        for (node, step) in (0..).zip(&facts.nodes) {
            for Id(id) in step.node.enforces.iter().flatten() {
                steps.spend(32)?;
                if known.binary_search(id).is_err() {
                    ids.push(*id);
                    nodes.push(node);
                }
            }
        }
        let (ids, places) = Names::sorted(&ids);
        Ok(Self { ids, nodes: places.iter().filter_map(|place| nodes.get(*place).copied()).collect() })
    }

    /// A correction of a misspelled constraint id, if its node comes at or after all producers.
    fn way_to_correct(
        &self,
        facts: &PlanFacts<'a>,
        coverage: &Coverage,
        at: u32,
        steps: &mut Steps,
    ) -> Result<Option<String>, Error> {
        let demand = facts.demands.get(at as usize).filter(|_| !self.nodes.is_empty());
        let Some(demand) = demand else { return Ok(None) };
        let Some(close) = self.ids.closest(&demand.id, &|_| true, steps)? else { return Ok(None) };
        let node = self.ids.find(close).and_then(|place| self.nodes.get(place as usize));
        let Some((node, step)) = node.and_then(|node| Some((*node, facts.step(*node)?))) else {
            return Ok(None);
        };
        // Each look is short, but there is one per field.
        let roots = coverage.roots.at(at);
        steps.spend(1_024 * roots.len())?;
        let stands = |root: &u32| {
            let first = coverage.producers.at(*root).iter().take(4);
            first.into_iter().any(|producer| facts.graph.leads(*producer, node) == Some(true))
        };
        let way = || {
            let (id, node) = (name(&demand.id), name(step.node.node_id.0));
            format!("use {id} in place of {} in enforces of {node}", name(close))
        };
        Ok(roots.iter().all(stands).then(way))
    }
}
