//! Checks an actual output against its contract, with the same diagnostics as before the run (docs/reference/plans.md).

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps, document,
    json::{self, Node, ReadLimits},
};

use super::{
    Bundle, PlanCode,
    demand::Demand,
    diagnostic_report::{DiagnosticBuilder, DiagnosticReport},
    schema,
};
use crate::{
    bounds, codes,
    documents::{ObserveCall, Weights, diagnostic::Level},
};

/// Checks the output of `{"outputContract", "output"}`: a bundle, and `observedSatisfaction`.
///
/// Each schema violation is a hard diagnostic. A constraint holds, does not hold, or is undecided because a field is missing or
/// has another type.
///
/// # Errors
///
/// The first problem of the text, or else of its fields in document order, with a pointer; [`codes::LIMIT_EXCEEDED`] if the check
/// takes too much work.
///
/// ```
/// let call = br#"{
///     "outputContract": {
///         "schema": {"required": ["score"]},
///         "constraints": [{"constraintId": "min_qa", "expr": {">=": [{"var": "score"}, 0.8]}, "level": "soft"}]
///     },
///     "output": {"score": 0.75}
/// }"#;
/// let bundle = adjudicate_core::plan::observe_text(call)?;
/// assert!(bundle.starts_with(r#"{"status":"accepted_with_findings","satisfactionScore":0.0,"failures":[],"#));
/// assert!(bundle.ends_with(r#","infos":[],"observedSatisfaction":0.0}"#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn observe_text(input: &[u8]) -> Result<String, Error> {
    let tape = json::read(input, ReadLimits::DOCUMENT)?;
    let ObserveCall { output_contract: contract, output } = document::read(tape.root())?;
    let demands: Vec<Demand<'_>> = contract.constraints.iter().map(Demand::new).collect();
    let mut report =
        DiagnosticReport { diagnostics: Vec::with_capacity(demands.len()), steps: &mut Steps::default() };
    hold_to_schema(contract.schema.0, output, &mut report)?;
    for (index, demand) in demands.iter().enumerate() {
        let place = || format!("/outputContract/constraints/{index}/expr");
        hold_to_constraint(demand, output, &mut report).map_err(|error| error.at(place()))?;
    }
    bounds::checked(Bundle::new(report.diagnostics, Weights::default()).to_observed_json())
}

fn hold_to_schema(
    schema: Node<'_>,
    output: Node<'_>,
    report: &mut DiagnosticReport<'_, '_>,
) -> Result<(), Error> {
    let compiled = match schema::compile(schema, report.steps)? {
        Ok(compiled) => compiled,
        Err(fault) => {
            let finding = DiagnosticBuilder::new(PlanCode::InvalidSchema).with("of", "outputContract");
            return report.add(finding.with("message", fault.message()).with("path", fault.path()));
        }
    };
    for violation in compiled.validate(output, report.steps)? {
        let finding = DiagnosticBuilder::new(PlanCode::SchemaViolation)
            .with("instancePath", &violation.instance_path)
            .with("schemaPath", &violation.schema_path)
            .with("keyword", violation.keyword)
            .with("expected", &violation.expected);
        report.add(finding)?;
    }
    Ok(())
}

fn hold_to_constraint<'a>(
    demand: &'a Demand<'a>,
    output: Node<'_>,
    report: &mut DiagnosticReport<'a, '_>,
) -> Result<(), Error> {
    let code = match demand.constraint.program().holds(&output, report.steps) {
        Ok(Some(true)) if demand.constraint.level == Level::Informational => return Ok(()),
        Ok(Some(true)) => PlanCode::ConstraintHolds,
        Ok(Some(false)) => PlanCode::ConstraintBroken,
        Ok(None) => PlanCode::UndecidedConstraint,
        Err(error) if error.code() == codes::INVALID_EXPRESSION => PlanCode::UndecidedConstraint,
        Err(error) => return Err(error),
    };
    report.add(DiagnosticBuilder::about(code, demand))
}
