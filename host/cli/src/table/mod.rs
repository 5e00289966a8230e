//! The tables of answers, for humans.
//!
//! A table has the data of the JSON, in its order. It adds only the plan of the input, and the meanings of diagnostic
//! codes. Its layout may change between versions; programs read the JSON. Control and invisible characters of data are
//! escaped, so that data cannot control the terminal or hide.

mod answers;
mod bundle;
mod conditions;
mod deliberation;
mod evaluation;
mod explanation;
mod normalized;
mod page;
mod plan;
mod revision;
mod style;
mod value;

use jiff::Timestamp;

pub(crate) use adjudicate_trust::{counted, visible};
pub(crate) use answers::{guardrails, replay, static_findings, violations};
pub(crate) use bundle::{bundle, observation};
pub(crate) use deliberation::deliberation;
pub(crate) use evaluation::evaluation;
pub(crate) use explanation::{explanation, facts};
pub(crate) use normalized::normalized;
pub(crate) use page::{Line, Page};
pub(crate) use plan::plan;
pub(crate) use revision::revision;
pub(crate) use style::{BOLD, DIM, PLAIN, word};
pub(crate) use value::{answer, value};

/// Formats a time in milliseconds since 1970 for humans, in UTC.
pub(crate) fn format_time(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}
