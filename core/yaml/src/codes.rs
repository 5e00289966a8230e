//! The error codes of this crate, and those of the crates below.

pub use adjudicate_core::codes::*;

adjudicate_core::error_codes! {
    layer "adjudicate-yaml" above Some(&adjudicate_core::codes::TABLE);

    MALFORMED_YAML = "malformed_yaml" about Input: "the text is not YAML, or is YAML that has no JSON form",
        "Correct the line and column that the message names, or write the document as JSON.";
}
