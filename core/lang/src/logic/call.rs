//! One evaluation, JSON in and JSON out.

use alloc::string::String;

use serde::{Deserialize, de::IgnoredAny};

use super::{Mode, program::Program, value::Value};
use crate::{
    error::Error,
    json::{self, Limits, MAX_DOCUMENT_BYTES},
    steps::Steps,
};

/// The members that are documents of their own: pointers and depth begin inside of them.
const DOCUMENTS: &[&str] = &["logic", "data"];

/// `{logic, data}`; both are read from the tape as they are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `logic` and `data`")]
struct LogicCall {
    #[serde(rename = "logic")]
    _logic: IgnoredAny,
    #[serde(rename = "data", default)]
    _data: IgnoredAny,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

/// Evaluates `{"logic": expression, "data"?: any value}` and answers with the value as JSON. Without `data` there is
/// null. Unknown answers null: what asks for a truth gets none.
///
/// # Errors
///
/// Those of [`json::read`] and [`json::Tape::decode`] for the call, those of [`Program::compile`] and
/// [`Program::evaluate`], whose paths begin at the expression.
///
/// ```
/// use adjudicate_lang::logic::{Mode, evaluate_text};
/// let call = br#"{"logic": {"-": [0.7, {"var": "least"}]}, "data": {"least": 0.6}}"#;
/// assert_eq!(evaluate_text(call, Mode::Strict)?, "0.1");
/// assert_eq!(evaluate_text(call, Mode::Compat)?, "0.09999999999999998");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
pub fn evaluate_text(input: &[u8], mode: Mode) -> Result<String, Error> {
    let tape = json::read(input, Limits { documents: DOCUMENTS, bytes: MAX_DOCUMENT_BYTES })?;
    let _: LogicCall = tape.decode()?;
    // Decoding found the one and allows for the other to be absent.
    let Some(logic) = tape.root().member("logic") else { return Ok(json::write(&Value::Null)) };
    let program =
        Program::compile(logic, mode, &mut Steps::for_patterns()).map_err(|error| error.within("logic"))?;
    let data = tape.root().member("data").map_or(Value::Null, Value::from);
    let value = program.evaluate(&data, &mut Steps::default()).map_err(|error| error.within("logic"))?;
    Ok(json::write(&value))
}
