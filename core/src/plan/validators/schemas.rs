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
    if let Some(fault) = fault(facts.call.task.contract.schema, "outputContract", "the task", report)? {
        report.add(fault)?;
    }
    for step in &facts.steps {
        let Some(contract) = &step.node.contract else { continue };
        if let Some(fault) = fault(contract.schema, "contract", step.node.id, report)? {
            report.add(fault.at(*step))?;
        }
    }
    for capability in &facts.capabilities {
        let contracts =
            [("inputContract", &capability.input_contract), ("outputContract", &capability.output_contract)];
        for (of, contract) in contracts {
            let Some(contract) = contract else { continue };
            if let Some(fault) = fault(contract.schema, of, capability.id, report)? {
                report.add(fault.of_capability(capability.id))?;
            }
        }
    }
    for facet in facts.catalog.iter().flat_map(|catalog| catalog.facets()) {
        if let Some(fault) = fault(facet.schema, "facet", facet.name, report)? {
            report.add(fault.with("facet", facet.name))?;
        }
    }
    Ok(())
}

/// What is wrong with a schema, which is the `of` of somebody.
fn fault<'a>(
    schema: Node<'_>,
    of: &str,
    whose: &str,
    report: &mut Report<'a, '_>,
) -> Result<Option<Finding<'a>>, Error> {
    let fault = schema::compile(schema, report.steps)?.err();
    Ok(fault.map(|fault| {
        let finding = Finding::new(PlanCode::InvalidSchema).with("of", of).with("message", fault.message());
        let owner =
            if of == "facet" { format!("facet {}", name(whose)) } else { format!("{of} of {}", name(whose)) };
        let place = match fault.path() {
            "" => "the schema".into(),
            path => name(path),
        };
        let way = format!("Correct {place} in {owner}.");
        finding.with("path", fault.path()).suggest([way])
    }))
}
