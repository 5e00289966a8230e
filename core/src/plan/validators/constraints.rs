//! Each constraint has producers of all that it is about, and an enforcer at or after them.

use alloc::{format, vec::Vec};

use crate::{
    error::Error,
    plan::{
        Level, PlanCode,
        advice::name,
        coverage::Coverage,
        demand::Demand,
        facts::Facts,
        report::{Finding, Report},
    },
};

pub(super) fn check<'a>(
    facts: &Facts<'a>,
    coverage: &Coverage,
    report: &mut Report<'a, '_>,
) -> Result<(), Error> {
    for (at, demand) in (0..).zip(facts.demands) {
        report.steps.spend(16 * coverage.roots.at(at).len())?;
        // Where the schema names no member, nobody can tell that all are produced.
        let is_open = demand.is_computed && facts.outputs.is_empty();
        let finding = if !coverage.missing.at(at).is_empty() || is_open {
            unproduced(facts, coverage, at, demand)
        } else if coverage.enforcers.at(at).is_empty() {
            Finding::about(PlanCode::MissingEnforcer, demand).suggest(facts.ways_to_enforce(at, coverage))
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
    if let Some(step) = missing.iter().find_map(idle) {
        finding = finding.at(step);
    }
    for key in missing {
        finding = match idle(key) {
            None => finding.suggest(facts.ways_to_give(*key, &coverage.givers)),
            Some(step) => finding.suggest([format!("Supply the inputs of {}.", name(step.node.id))]),
        };
    }
    if finding.is_at_a_loss() {
        let names: Vec<_> = missing.iter().map(|key| name(facts.key(*key))).collect();
        let what = if names.is_empty() { "all members of the result".into() } else { names.join(", ") };
        finding = finding.suggest([format!("Have nodes give {what}.")]);
    }
    finding
}
