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
    for step in &facts.steps {
        let lists = [
            (step.input_facets(), "input", Direction::Output),
            (step.output_facets(), "output", Direction::Input),
            // Names of no facet are those of members here.
            (step.provides(), "provides", Direction::Input),
        ];
        for (list, place, wrong) in lists {
            for facet in list {
                match catalog.find(facet) {
                    None if place == "provides" => {}
                    None => {
                        let mut finding = finding(PlanCode::UnknownFacet, *step, facet, place);
                        if let Some(meant) = catalog.closest(facet, report.steps)? {
                            finding = finding.suggest([format!(
                                "Use the facet {} in place of {} in {}.",
                                name(meant),
                                name(facet),
                                owner(*step, place)
                            )]);
                        }
                        report.add(finding)?;
                    }
                    Some(known) if known.direction == wrong => {
                        let finding = finding(PlanCode::FacetDirection, *step, facet, place);
                        report.add(finding.with("direction", wrong.as_str()))?;
                    }
                    Some(_) => {}
                }
            }
        }
    }
    Ok(())
}

fn finding<'a>(code: PlanCode, step: Step<'a>, facet: &str, place: &str) -> Finding<'a> {
    let list = if place == "provides" { "" } else { "Facets" };
    let otherwise = match code {
        PlanCode::UnknownFacet => "add it to the catalog",
        _ => "let it go both ways",
    };
    Finding::new(code).at(step).with("facet", facet).with("place", place).suggest([format!(
        "Remove {} from {place}{list} of {}, or {otherwise}.",
        name(facet),
        owner(step, place)
    )])
}

/// Who says so: the node, or else the capability that it names.
fn owner<'a>(step: Step<'a>, place: &str) -> alloc::borrow::Cow<'a, str> {
    let own = match place {
        "input" => step.node.input_facets.is_some(),
        "output" => step.node.output_facets.is_some(),
        _ => true,
    };
    let inherited = step.node.capability.filter(|_| !own);
    name(inherited.unwrap_or(step.node.id))
}
