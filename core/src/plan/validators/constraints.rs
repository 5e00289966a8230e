//! Each constraint has producers of all that it is about, and an enforcer at or after them.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{Error, Steps, order};

use crate::plan::{
    Level, PlanCode,
    advice::{line, name},
    coverage::{Coverage, only},
    demand::Demand,
    facts::Facts,
    names::Names,
    report::{Finding, Report},
};

pub(super) fn check<'a>(
    facts: &Facts<'a>,
    coverage: &Coverage,
    report: &mut Report<'a, '_>,
) -> Result<(), Error> {
    // What nodes say they enforce and is no constraint, once it is asked for.
    let mut unknown = None;
    for (at, demand) in (0..).zip(facts.demands) {
        report.steps.spend(16 * coverage.roots.at(at).len())?;
        // Where the schema names no member, nobody can tell that all are produced.
        let is_open = demand.is_computed && facts.outputs.is_empty();
        let finding = if !coverage.missing.at(at).is_empty() || is_open {
            unproduced(facts, coverage, at, demand)
        } else if coverage.enforcers.at(at).is_empty() {
            let unknown = match &mut unknown {
                Some(known) => known,
                none => none.insert(Unknown::of(facts, report.steps)?),
            };
            let mut ways = Vec::new();
            ways.extend(unknown.way_to_correct(facts, coverage, at, report.steps)?);
            ways.extend(facts.ways_to_enforce(at, coverage));
            let producer = coverage.only(&coverage.producers, at).and_then(|node| facts.step(node));
            Finding::about(PlanCode::MissingEnforcer, demand).at(producer).suggest(line(None, &ways))
        } else if demand.constraint.level == Level::Informational {
            continue;
        } else {
            Finding::about(PlanCode::ConstraintMet, demand)
        };
        report.add(finding)?;
    }
    Ok(())
}

fn unproduced<'a>(facts: &Facts<'a>, coverage: &Coverage, at: u32, demand: &'a Demand<'a>) -> Finding<'a> {
    let missing = coverage.missing.at(at);
    // What it names itself is missing for certain; what it computes may be something else.
    let is_named = |key: &u32| facts.roots.at(at).binary_search(key).is_ok();
    let code = match missing.iter().any(is_named) {
        true => PlanCode::MissingProducer,
        false => PlanCode::UndecidedVariable,
    };
    let mut finding =
        Finding::about(code, demand).with_list("missing", missing.iter().map(|key| facts.key(*key)));
    // Whoever gives a missing member lacks something, which is a finding of its own.
    let idle = |key: &u32| coverage.givers.at(*key).first().and_then(|node| facts.step(*node));
    finding = finding.at(only(missing, &coverage.givers).and_then(|node| facts.step(node)));
    // All of them are needed: a line for each.
    for key in missing {
        finding = match idle(key) {
            None => {
                let about = (missing.len() > 1).then(|| facts.key(*key));
                finding.suggest(line(about, &facts.ways_to_give(*key, &coverage.givers)))
            }
            Some(step) => finding.suggest([format!("Supply the inputs of {}.", name(step.node.id))]),
        };
    }
    if missing.is_empty() {
        finding = finding
            .suggest(["Have the task name the members of the result in properties of its schema.".into()]);
    }
    finding
}

/// What nodes say they enforce though the task has no such constraint, in order, and who says so.
struct Unknown<'a> {
    ids: Names<'a>,
    nodes: Vec<u32>,
}

impl<'a> Unknown<'a> {
    fn of(facts: &Facts<'a>, steps: &mut Steps) -> Result<Self, Error> {
        let mut known: Vec<&str> = facts.demands.iter().map(|demand| &*demand.id).collect();
        order::sort_by(&mut known, Ord::cmp);
        let (mut ids, mut nodes) = (Vec::new(), Vec::new());
        for (node, step) in (0..).zip(&facts.nodes) {
            for id in step.node.enforces.iter().flatten() {
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

    /// Where a node that stands at or after all producers probably meant a constraint: to name it so.
    fn way_to_correct(
        &self,
        facts: &Facts<'a>,
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
        // Short looks, but one for each root.
        let roots = coverage.roots.at(at);
        steps.spend(1_024 * roots.len())?;
        let stands = |root: &u32| {
            let first = coverage.producers.at(*root).iter().take(4);
            first.into_iter().any(|producer| facts.graph.leads(*producer, node) == Some(true))
        };
        let way = || {
            let (id, node) = (name(&demand.id), name(step.node.id));
            format!("use {id} in place of {} in enforces of {node}", name(close))
        };
        Ok(roots.iter().all(stands).then(way))
    }
}
