//! What a shadow would have answered.

use serde::Serialize;

/// A call to which the shadow gave another answer. Answers are told by what kernels act on, and by their hashes. Of what the
/// slot's decision records leave out, nothing is told here either.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The slot.
    pub slot: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The entry of the slot's history that was in force.
    pub entry: i64,
    /// What was asked.
    pub operation: String,
    /// The run, where the call names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The hash of the input, as its decision record has it: keyed where records are.
    pub input: String,
    /// What the caller got.
    pub answer: String,
    /// What the shadow would have answered.
    pub shadow: String,
}
