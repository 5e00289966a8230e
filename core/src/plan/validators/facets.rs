//! Nodes take and give facets of the catalog, each the way it goes.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::Error;

use crate::plan::{
    Direction, PlanCode,
    advice::{line, name},
    coverage::Coverage,
    facts::{BoundNode, Facts},
    report::{Finding, Report},
};

pub(super) fn check<'a>(facts: &Facts<'a>, _: &Coverage, report: &mut Report<'a, '_>) -> Result<(), Error> {
    let Some(catalog) = &facts.catalog else { return Ok(()) };
    for step in &facts.nodes {
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
                        let meant = catalog.closest(facet, wrong, report.steps)?;
                        let ways = ways_out(*step, facet, place, meant, "add it to the catalog");
                        let finding = finding(PlanCode::UnknownFacet, *step, facet, place);
                        report.add(finding.suggest(line(None, &ways)))?;
                    }
                    Some(known) if known.direction == wrong => {
                        let ways = ways_out(*step, facet, place, None, "let it go both ways");
                        let finding = finding(PlanCode::FacetDirection, *step, facet, place);
                        report.add(finding.with("direction", wrong.as_str()).suggest(line(None, &ways)))?;
                    }
                    Some(_) => {}
                }
            }
        }
    }
    Ok(())
}

fn finding<'a>(code: PlanCode, step: BoundNode<'a>, facet: &str, place: &str) -> Finding<'a> {
    Finding::new(code).at(step).with("facet", facet).with("place", place)
}

/// What a node could do about a facet: name another one or none, in a list of its own; and what the registry could.
fn ways_out(
    step: BoundNode<'_>,
    facet: &str,
    place: &str,
    meant: Option<&str>,
    otherwise: &str,
) -> Vec<String> {
    let (list, is_own) = match place {
        "input" => ("inputFacets", step.node.input_facets.is_some()),
        "output" => ("outputFacets", step.node.output_facets.is_some()),
        _ => ("provides", true),
    };
    let (node, facet) = (name(step.node.id), name(facet));
    let mut ways = Vec::new();
    if let Some(meant) = meant.map(name) {
        ways.push(match is_own {
            true => format!("use {meant} in place of {facet} in {list} of {node}"),
            // The list of the capability is not the planner's.
            false => format!("give {node} {list} of its own with {meant} in place of {facet}"),
        });
    }
    ways.push(match is_own {
        true => format!("remove {facet} from {list} of {node}"),
        false => format!("give {node} {list} of its own without {facet}"),
    });
    ways.push(format!("have the registry {otherwise}"));
    ways
}
