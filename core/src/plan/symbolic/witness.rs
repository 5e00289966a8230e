//! Witnesses: results that satisfy constraints.

use alloc::string::String;

use adjudicate_lang::{
    Error, Steps, document,
    json::{self, OwnedValue, ReadLimits, object::ObjectWriter},
};

use super::Analysis;
use crate::{
    documents::{calls::WitnessCall, diagnostic::Level},
    plan::schema,
};

/// The budget of one search for a result.
const STEPS_OF_WITNESS: u64 = 500_000;

impl Analysis<'_> {
    /// Searches for a result that the schema allows and that satisfies some constraints. Both are verified.
    pub(super) fn witness(&mut self, members: &[usize]) -> Option<OwnedValue> {
        let conditions = self.conditions(members);
        self.with_budget(STEPS_OF_WITNESS, &[], |ground, steps| ground.witness(&conditions, steps))
    }
}

/// Searches for a result that the contract of `{"outputContract"}` accepts: `{"witness": value}`.
///
/// The value is valid by the schema and satisfies every hard constraint. A null means that the search found none, which does not
/// prove that none exists.
///
/// The schema and every hard constraint are evaluated on the value.
///
/// # Errors
///
/// The first problem of the text, or else of its fields in document order, with a pointer;
/// [`invalid_schema`](crate::codes::INVALID_SCHEMA) for a schema that does not compile.
///
/// ```
/// let call = br#"{"outputContract": {
///     "schema": {"type": "object", "properties": {"score": {"type": "number", "maximum": 1}}, "required": ["score"]},
///     "constraints": [{"expr": {">": [{"var": "score"}, 0.8]}, "level": "hard"}]
/// }}"#;
/// assert_eq!(adjudicate_core::plan::witness_text(call)?, r#"{"witness":{"score":1}}"#);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn witness_text(input: &[u8]) -> Result<String, Error> {
    let tape = json::read(input, ReadLimits::DOCUMENT)?;
    let WitnessCall { output_contract: contract } = document::read(tape.root())?;
    let compiled = schema::compile(contract.schema.0, &mut Steps::default())?;
    let compiled = compiled.map_err(|error| error.under("schema").under("outputContract"))?;
    let mut analysis = Analysis::new(&compiled, &contract.constraints);
    let hard =
        contract.constraints.iter().enumerate().filter(|(_, constraint)| constraint.level == Level::Hard);
    let members: alloc::vec::Vec<usize> = hard.map(|(at, _)| at).collect();
    let found = analysis.witness(&members);
    let mut out = String::new();
    let mut members = ObjectWriter::open(&mut out);
    members.json("witness", Some(&found.map_or_else(|| "null".into(), |value| json::write(&value))));
    members.close();
    Ok(out)
}
