//! One evaluation of an expression, from JSON to JSON.

use alloc::string::String;

use serde::de::IgnoredAny;

use crate::{
    document::{self, Document},
    error::Error,
    json::{self, MAX_DOCUMENT_BYTES, ReadLimits},
    logic::{Mode, Program, Value},
    steps::Steps,
};

/// The fields that are documents of their own: pointers and depth begin inside of them.
const DOCUMENTS: &[&str] = &["logic", "data"];

/// The fields of a call. `logic` and `data` are read from the tape.
#[derive(Document)]
#[document(expecting = "an object with `logic` and `data`")]
struct LogicCall {
    #[serde(rename = "logic")]
    _logic: IgnoredAny,
    #[serde(rename = "data", default)]
    _data: IgnoredAny,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

/// Evaluates `{"logic": expression, "data"?: any value}` and returns the value as JSON. Without `data`, the data is null. An
/// unknown result is null too.
///
/// # Errors
///
/// As in [`json::read`] and [`document::read`] for the call. As in [`Program::compile`] and [`Program::evaluate`] for the
/// expression, with paths that begin at the expression.
///
/// ```
/// use adjudicate_lang::{evaluate_logic, logic::Mode};
/// let call = br#"{"logic": {"-": [0.7, {"var": "least"}]}, "data": {"least": 0.6}}"#;
/// assert_eq!(evaluate_logic(call, Mode::Strict)?, "0.1");
/// assert_eq!(evaluate_logic(call, Mode::Compat)?, "0.09999999999999998");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
pub fn evaluate_logic(input: &[u8], mode: Mode) -> Result<String, Error> {
    let tape = json::read(input, ReadLimits { documents: DOCUMENTS, bytes: MAX_DOCUMENT_BYTES })?;
    let _: LogicCall = document::read(tape.root())?;
    // `logic` is required, so it is present.
    let Some(logic) = tape.root().member("logic") else { return Ok(json::write(&Value::Null)) };
    let program =
        Program::compile(logic, mode, &mut Steps::for_patterns()).map_err(|error| error.within("logic"))?;
    let data = tape.root().member("data").map_or(Value::Null, Value::from);
    let value = program.evaluate(&data, &mut Steps::default()).map_err(|error| error.within("logic"))?;
    Ok(json::write(&value))
}
