//! The tables of answers, for humans.
//!
//! A table has the data of the JSON, in its order. It adds only the plan of the input, and the meanings of diagnostic
//! codes. Its layout may change between versions; programs read the JSON. Control and invisible characters of data are
//! escaped, so that data cannot control the terminal or hide.

mod bundle;
mod decision;
mod deliberation;
mod diagnostic;
mod explanation;
mod findings;
mod guardrails;
mod normalized;
mod page;
mod plan;
mod replay;
mod revision;
mod static_findings;
mod style;
mod value;
mod violations;

use jiff::Timestamp;

pub(crate) use adjudicate_sandbox::{counted, visible};
pub(crate) use bundle::bundle;
pub(crate) use decision::evaluation;
pub(crate) use deliberation::deliberation;
pub(crate) use explanation::{explanation, input};
pub(crate) use guardrails::guardrails;
pub(crate) use normalized::normalized;
pub(crate) use page::{BOLD, DIM, Line, PLAIN, Page};
pub(crate) use plan::plan;
pub(crate) use replay::replay;
pub(crate) use revision::revision;
pub(crate) use static_findings::static_findings;
pub(crate) use value::value;
pub(crate) use violations::violations;

/// Formats a time in milliseconds since 1970 for humans, in UTC.
pub(crate) fn format_time(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}
