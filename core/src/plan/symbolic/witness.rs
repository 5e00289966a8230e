//! Results that satisfy constraints.

use alloc::string::String;

use adjudicate_lang::{
    Error, Steps,
    json::{
        self, Limits, OwnedValue,
        object::{Field, Form, Members, read_document, required},
    },
};

use super::Analysis;
use crate::plan::{Contract, Level, schema};

/// The budget of one search for a result.
const STEPS_OF_WITNESS: u64 = 500_000;

impl Analysis<'_> {
    /// A result that the schema allows and that satisfies some constraints, if one is found: both were tried on it.
    pub(super) fn witness(&mut self, members: &[usize]) -> Option<OwnedValue> {
        let conditions = self.conditions(members);
        self.lend(STEPS_OF_WITNESS, &[], |ground, lent| ground.witness(&conditions, lent))
    }
}

const CALL: &[Field] = &[required("outputContract", Form::Object)];

/// Looks for a result that the contract of `{"outputContract"}` accepts: `{"witness": value}`, where the value is valid by the
/// schema and satisfies every hard constraint, or is null if none was found, which does not prove that there is none.
///
/// The value was validated, and every hard constraint evaluated on it.
///
/// # Errors
///
/// What is wrong with the text, then the first of its members in document order, with a pointer to it;
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
    let tape = json::read(input, Limits::DOCUMENT)?;
    let mut patterns = Steps::for_patterns();
    // It is required, and replaces this.
    let mut contract = Contract::open(tape.root());
    read_document(tape.root(), CALL, &mut |_, member| {
        contract = Contract::read(member, &mut patterns)?;
        Ok(())
    })?;
    let compiled = schema::compile(contract.schema, &mut Steps::default())?;
    let compiled = compiled.map_err(|error| error.under("schema").under("outputContract"))?;
    let mut analysis = Analysis::new(&compiled, &contract.constraints);
    let hard =
        contract.constraints.iter().enumerate().filter(|(_, constraint)| constraint.level == Level::Hard);
    let members: alloc::vec::Vec<usize> = hard.map(|(at, _)| at).collect();
    let found = analysis.witness(&members);
    let mut out = String::new();
    let mut members = Members::open(&mut out);
    members.json("witness", Some(&found.map_or_else(|| "null".into(), |value| json::write(&value))));
    members.close();
    Ok(out)
}
