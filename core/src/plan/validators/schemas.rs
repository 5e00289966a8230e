//! Every schema that is given compiles, also those that the plan does not use.

use alloc::format;

use crate::{
    error::Error,
    json::Node,
    plan::{
        PlanCode,
        advice::name,
        facts::Facts,
        report::{Finding, Report},
        schema,
    },
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    if let Some(fault) = fault(facts.call.task.contract.schema, report)? {
        report.add(fault.with("of", "outputContract"))?;
    }
    for step in &facts.steps {
        let Some(contract) = &step.node.contract else { continue };
        if let Some(fault) = fault(contract.schema, report)? {
            report.add(fault.at(*step).with("of", "contract"))?;
        }
    }
    for capability in &facts.capabilities {
        let contracts =
            [("inputContract", &capability.input_contract), ("outputContract", &capability.output_contract)];
        for (of, contract) in contracts {
            let Some(contract) = contract else { continue };
            if let Some(fault) = fault(contract.schema, report)? {
                report.add(fault.of_capability(capability.id).with("of", of))?;
            }
        }
    }
    for facet in facts.catalog.iter().flat_map(|catalog| catalog.facets()) {
        if let Some(fault) = fault(facet.schema, report)? {
            report.add(fault.with("of", "facet").with("facet", facet.name))?;
        }
    }
    Ok(())
}

fn fault<'a>(schema: Node<'_>, report: &mut Report<'a, '_>) -> Result<Option<Finding<'a>>, Error> {
    let fault = schema::compile(schema, report.steps)?.err();
    Ok(fault.map(|fault| {
        let finding = Finding::new(PlanCode::InvalidSchema).with("message", fault.message());
        let place = if fault.path().is_empty() { "its root" } else { fault.path() };
        finding.with("path", fault.path()).suggest([format!("Correct the schema at {}.", name(place))])
    }))
}
