//! The error codes of this crate, and those of the crates below.

pub use adjudicate_core::codes::*;

adjudicate_core::error_codes! {
    layer "adjudicate-evidence" above Some(&adjudicate_core::codes::TABLE);

    MALFORMED_REPORT = "malformed_report" about Input: "the text is not a report of this format, or the report is damaged",
        "Let the tool write the report again, or choose another format. The message has the line.";
}
