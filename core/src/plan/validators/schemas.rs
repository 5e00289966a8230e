//! Every schema that is given compiles, also those that the plan does not use.

use alloc::format;

use adjudicate_lang::{Error, json::Node};

use crate::plan::{
    PlanCode,
    advice::name,
    facts::Facts,
    report::{Finding, Report},
    schema,
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    if let Err(error) = &facts.output {
        report.add(finding(error, "outputContract", None))?;
    }
    for step in &facts.nodes {
        let Some(contract) = &step.node.contract else { continue };
        if let Some(fault) = fault(contract.schema, "contract", Some(step.node.id), report)? {
            report.add(fault.at(*step))?;
        }
    }
    for capability in &facts.capabilities {
        let contracts =
            [("inputContract", &capability.input_contract), ("outputContract", &capability.output_contract)];
        for (of, contract) in contracts {
            let Some(contract) = contract else { continue };
            if let Some(fault) = fault(contract.schema, of, Some(capability.id), report)? {
                report.add(fault.of_capability(capability.id))?;
            }
        }
    }
    for facet in facts.catalog.iter().flat_map(|catalog| catalog.facets()) {
        if let Some(fault) = fault(facet.schema, "facet", Some(facet.name), report)? {
            report.add(fault.with("facet", facet.name))?;
        }
    }
    Ok(())
}

/// What is wrong with a schema, which is the `of` of somebody.
fn fault<'a>(
    schema: Node<'_>,
    of: &str,
    whose: Option<&str>,
    report: &mut Report<'a, '_>,
) -> Result<Option<Finding<'a>>, Error> {
    let error = schema::compile(schema, report.steps)?.err();
    Ok(error.map(|error| finding(&error, of, whose)))
}

fn finding<'a>(error: &Error, of: &str, whose: Option<&str>) -> Finding<'a> {
    let finding = Finding::new(PlanCode::InvalidSchema).with("of", of).with("message", error.message());
    let place = match error.path() {
        "" => "the schema".into(),
        path => name(path),
    };
    let way = match (of, whose) {
        (_, None) => format!("Have the task correct {place} in {of}."),
        // A node's own is the planner's.
        ("contract", Some(whose)) => format!("Correct {place} in contract of {}.", name(whose)),
        ("facet", Some(whose)) => format!("Have the registry correct {place} in the facet {}.", name(whose)),
        (_, Some(whose)) => format!("Have the registry correct {place} in {of} of {}.", name(whose)),
    };
    finding.with("path", error.path()).suggest([way])
}
