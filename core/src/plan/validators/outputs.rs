//! What the schema of the result requires is given by some node.

use alloc::format;

use crate::{
    error::Error,
    plan::{
        PlanCode,
        advice::name,
        coverage::Coverage,
        facts::Facts,
        report::{Finding, Report},
    },
};

pub(super) fn check<'a>(
    facts: &Facts<'a>,
    coverage: &Coverage,
    report: &mut Report<'a, '_>,
) -> Result<(), Error> {
    for key in facts.required.iter().filter(|key| coverage.givers.at(**key).is_empty()) {
        let property = facts.key(*key);
        let mut finding = Finding::new(PlanCode::UncoveredOutput)
            .with("property", property)
            .suggest(facts.ways_to_give(*key, &coverage.givers));
        if finding.is_at_a_loss() {
            finding = finding.suggest([format!(
                "Add a capability that gives {0}, or have a node declare {0} in provides.",
                name(property)
            )]);
        }
        report.add(finding)?;
    }
    Ok(())
}
