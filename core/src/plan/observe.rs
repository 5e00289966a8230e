//! What an output really is, held against its contract (SPEC section 7.5): the same diagnostics as before the run, from the
//! output instead of the plan.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    json::{
        self, Limits, Node,
        object::{Field, Form, read_document, required},
    },
};

use super::{
    Bundle, Contract, Level, PlanCode, Weights,
    demand::Demand,
    report::{Finding, Report},
    schema,
};
use crate::{bounds, codes};

const CALL: &[Field] = &[required("outputContract", Form::Object), required("output", Form::Any)];

/// Holds the output of `{"outputContract", "output"}` against its contract: a bundle, and `observedSatisfaction`.
///
/// What the schema does not allow is a hard diagnostic each. A constraint holds, does not hold, or cannot be decided, where the
/// output lacks what it is about or has it in another type.
///
/// # Errors
///
/// What is wrong with the text, then the first of its members in document order, with a pointer to it;
/// [`codes::LIMIT_EXCEEDED`] where holding it takes too much work.
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
    let tape = json::read(input, Limits::DOCUMENT)?;
    let mut patterns = Steps::for_patterns();
    // Both are required, and replace these.
    let (mut contract, mut output) = (Contract::open(tape.root()), tape.root());
    read_document(tape.root(), CALL, &mut |at, member| {
        match at {
            0 => contract = Contract::read(member, &mut patterns)?,
            _ => output = member,
        }
        Ok(())
    })?;
    let demands: Vec<Demand<'_>> = contract.constraints.iter().map(Demand::of).collect();
    let mut report = Report { diagnostics: Vec::with_capacity(demands.len()), steps: &mut Steps::default() };
    hold_to_schema(contract.schema, output, &mut report)?;
    for (index, demand) in demands.iter().enumerate() {
        let place = || format!("/outputContract/constraints/{index}/expr");
        hold_to_constraint(demand, output, &mut report).map_err(|error| error.at(place()))?;
    }
    bounds::checked(Bundle::of(report.diagnostics, Weights::default()).to_observed_json())
}

fn hold_to_schema(schema: Node<'_>, output: Node<'_>, report: &mut Report<'_, '_>) -> Result<(), Error> {
    let compiled = match schema::compile(schema, report.steps)? {
        Ok(compiled) => compiled,
        Err(fault) => {
            let finding = Finding::new(PlanCode::InvalidSchema).with("of", "outputContract");
            return report.add(finding.with("message", fault.message()).with("path", fault.path()));
        }
    };
    for violation in compiled.validate(output, report.steps)? {
        let finding = Finding::new(PlanCode::SchemaViolation)
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
    report: &mut Report<'a, '_>,
) -> Result<(), Error> {
    let code = match demand.constraint.program.holds(&output, report.steps) {
        Ok(Some(true)) if demand.constraint.level == Level::Informational => return Ok(()),
        Ok(Some(true)) => PlanCode::ConstraintHolds,
        Ok(Some(false)) => PlanCode::ConstraintBroken,
        Ok(None) => PlanCode::UndecidedConstraint,
        Err(error) if error.code() == codes::INVALID_EXPRESSION => PlanCode::UndecidedConstraint,
        Err(error) => return Err(error),
    };
    report.add(Finding::about(code, demand))
}
