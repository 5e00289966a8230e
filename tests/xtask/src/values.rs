//! Measured values.

use std::collections::BTreeMap;

use serde_json::Number;

use crate::failure::Failure;

/// The measured values by their stable keys.
pub(crate) type Values = BTreeMap<String, Number>;

/// Reads the last line of a program's output, which is its result.
pub(crate) fn last_object(output: &str) -> Result<Values, Failure> {
    parse(output.lines().last().unwrap_or_default())
}

/// Reads results.
pub(crate) fn parse(json: &str) -> Result<Values, Failure> {
    serde_json::from_str(json)
        .map_err(|error| Failure::Broken(format!("the results are not numbers: {error}")))
}
