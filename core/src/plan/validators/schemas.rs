//! Every schema that is given compiles, also those that the plan does not use.

use crate::{
    error::Error,
    json::Node,
    plan::{
        PlanCode,
        facts::Facts,
        report::{Finding, Report},
        schema,
    },
};

pub(super) fn check<'a>(facts: &Facts<'a>, report: &mut Report<'a, '_>) -> Result<(), Error> {
    if let Some(fault) = fault(facts.call.task.contract.schema) {
        report.add(fault.with("of", "outputContract"))?;
    }
    for step in &facts.steps {
        let contract = step.node.contract.iter();
        for fault in contract.filter_map(|contract| fault(contract.schema)) {
            report.add(fault.at(*step).with("of", "contract"))?;
        }
    }
    for capability in &facts.capabilities {
        let contracts =
            [("inputContract", &capability.input_contract), ("outputContract", &capability.output_contract)];
        for (of, contract) in contracts {
            let Some(fault) = contract.as_ref().and_then(|contract| fault(contract.schema)) else { continue };
            report.add(fault.of_capability(capability.id).with("of", of))?;
        }
    }
    for facet in facts.catalog.iter().flat_map(|catalog| catalog.facets()) {
        if let Some(fault) = fault(facet.schema) {
            report.add(fault.with("of", "facet").with("facet", facet.name))?;
        }
    }
    Ok(())
}

fn fault<'a>(schema: Node<'_>) -> Option<Finding<'a>> {
    let error = schema::fault(schema)?;
    Some(Finding::new(PlanCode::InvalidSchema).with("message", error.message()).with("path", error.path()))
}
