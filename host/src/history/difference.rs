//! A difference between the answer of a slot and the answer of its shadow.

use adjudicate_core::document::Describe;
use serde::Serialize;

/// A call to which the shadow gave another answer. Answers are reduced to their hash and to the fields that programs act on. Values
/// that the slot's decision records redact are left out.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[document(name = "Difference")]
pub struct ShadowDifference {
    /// The slot.
    pub slot: String,
    /// The time of the call, in milliseconds since 1970.
    pub at: i64,
    /// The entry of the slot's history that was active.
    pub entry: i64,
    /// The operation.
    pub operation: String,
    /// The run, if the call names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The hash of the input, as in its decision record: keyed if the slot's records are keyed.
    pub input: String,
    /// The answer that the caller got.
    pub answer: String,
    /// The answer of the shadow.
    pub shadow: String,
}
