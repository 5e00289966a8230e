//! Nodes take and give facets of the catalog, each the way it goes.

use alloc::format;

use crate::{
    error::Error,
    plan::{
        Direction, PlanCode,
        advice::name,
        coverage::Coverage,
        facts::{Facts, Step},
        report::{Finding, Report},
    },
};

pub(super) fn check<'a>(facts: &Facts<'a>, _: &Coverage, report: &mut Report<'a, '_>) -> Result<(), Error> {
    let Some(catalog) = &facts.catalog else { return Ok(()) };
    let known = |name: &str| catalog.find(name);
    for step in &facts.steps {
        let lists = [
            (step.input_facets(), "input", Direction::Output),
            (step.output_facets(), "output", Direction::Input),
        ];
        for (list, place, wrong) in lists {
            for facet in list {
                match known(facet) {
                    None => report.add(finding(PlanCode::UnknownFacet, *step, facet, place))?,
                    Some(known) if known.direction == wrong => {
                        let finding = finding(PlanCode::FacetDirection, *step, facet, place);
                        report.add(finding.with("direction", wrong.as_str()))?;
                    }
                    Some(_) => {}
                }
            }
        }
        // Any other name is that of a member.
        for facet in step.provides() {
            if known(facet).is_some_and(|known| known.direction == Direction::Input) {
                let finding = finding(PlanCode::FacetDirection, *step, facet, "provides");
                report.add(finding.with("direction", Direction::Input.as_str()))?;
            }
        }
    }
    Ok(())
}

fn finding<'a>(code: PlanCode, step: Step<'a>, facet: &str, place: &str) -> Finding<'a> {
    let taken = if place == "input" { "take" } else { "give" };
    let what =
        if code == PlanCode::UnknownFacet { "a facet of the catalog" } else { "a facet that goes that way" };
    Finding::new(code).at(step).with("facet", facet).with("place", place).suggest([format!(
        "Have {} {taken} {what} in place of {}.",
        name(step.node.id),
        name(facet)
    )])
}
