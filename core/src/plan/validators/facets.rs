//! Every facet of a node is in the catalog and used in its direction.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{Error, document::Id};

use crate::{
    documents::Direction,
    plan::{
        PlanCode,
        advice::{line, name},
        bound_node::BoundNode,
        coverage::Coverage,
        diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
        facts::PlanFacts,
    },
};

pub(super) fn check<'a>(
    facts: &PlanFacts<'a>,
    _: &Coverage,
    report: &mut DiagnosticReport<'a, '_>,
) -> Result<(), Error> {
    let Some(catalog) = &facts.catalog else { return Ok(()) };
    for step in &facts.nodes {
        let lists = [
            (step.input_facets(), "input", Direction::Output),
            (step.output_facets(), "output", Direction::Input),
            // `provides` may also name fields.
            (step.provides(), "provides", Direction::Input),
        ];
        for (list, place, wrong) in lists {
            for Id(facet) in list {
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

fn finding<'a>(code: PlanCode, step: BoundNode<'a>, facet: &str, place: &str) -> DiagnosticBuilder<'a> {
    DiagnosticBuilder::new(code).at(step).with("facet", facet).with("place", place)
}

/// The node's alternatives (another facet or none, in a list of its own), and the registry's.
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
    let (node, facet) = (name(step.node.node_id.0), name(facet));
    let mut ways = Vec::new();
    if let Some(meant) = meant.map(name) {
        ways.push(match is_own {
            true => format!("use {meant} in place of {facet} in {list} of {node}"),
            // The planner cannot change the list of a capability.
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
