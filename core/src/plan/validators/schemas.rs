//! Every schema of the call compiles, used or not.

use alloc::format;

use adjudicate_lang::{Error, json::Node};

use crate::plan::{
    PlanCode,
    advice::name,
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    facts::PlanFacts,
    schema,
};

pub(super) fn check<'a>(facts: &PlanFacts<'a>, report: &mut DiagnosticReport<'a, '_>) -> Result<(), Error> {
    if let Err(error) = &facts.output {
        report.add(finding(error, "outputContract", None))?;
    }
    for step in &facts.nodes {
        let Some(contract) = &step.node.contract else { continue };
        if let Some(fault) = fault(contract.schema.0, "contract", Some(step.node.node_id.0), report)? {
            report.add(fault.at(*step))?;
        }
    }
    for capability in &facts.capabilities {
        let contracts =
            [("inputContract", &capability.input_contract), ("outputContract", &capability.output_contract)];
        for (of, contract) in contracts {
            let Some(contract) = contract else { continue };
            if let Some(fault) = fault(contract.schema.0, of, Some(capability.capability_id.0), report)? {
                report.add(fault.with_capability(capability.capability_id.0))?;
            }
        }
    }
    for facet in facts.catalog.iter().flat_map(|catalog| catalog.facets()) {
        if let Some(fault) = fault(facet.schema.0, "facet", Some(facet.name.0), report)? {
            report.add(fault.with("facet", facet.name.0))?;
        }
    }
    Ok(())
}

/// Compiles the schema `of` of a node, capability or facet; a finding if it does not compile.
fn fault<'a>(
    schema: Node<'_>,
    of: &str,
    whose: Option<&str>,
    report: &mut DiagnosticReport<'a, '_>,
) -> Result<Option<DiagnosticBuilder<'a>>, Error> {
    let error = schema::compile(schema, report.steps)?.err();
    Ok(error.map(|error| finding(&error, of, whose)))
}

fn finding<'a>(error: &Error, of: &str, whose: Option<&str>) -> DiagnosticBuilder<'a> {
    let finding =
        DiagnosticBuilder::new(PlanCode::InvalidSchema).with("of", of).with("message", error.message());
    let place = match error.path() {
        "" => "the schema".into(),
        path => name(path),
    };
    let way = match (of, whose) {
        (_, None) => format!("Have the task correct {place} in {of}."),
        // The planner owns the contract of a node.
        ("contract", Some(whose)) => format!("Correct {place} in contract of {}.", name(whose)),
        ("facet", Some(whose)) => format!("Have the registry correct {place} in the facet {}.", name(whose)),
        (_, Some(whose)) => format!("Have the registry correct {place} in {of} of {}.", name(whose)),
    };
    finding.with("path", error.path()).suggest([way])
}
