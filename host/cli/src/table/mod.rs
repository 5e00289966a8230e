//! What a person wants to read of each sort of answer.
//!
//! A table tells what the JSON says, in its order, and nothing that is not in it, but for the plan that an answer is
//! about, and for what the codes of diagnostics mean. It is for eyes, so its layout may
//! change between versions; programs read the JSON. Text that came from elsewhere is shown with its control and
//! invisible characters escaped, so that it cannot write on the terminal nor seem what it is not.

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
mod value;
mod violations;

use jiff::Timestamp;

pub(crate) use adjudicate_sandbox::{counted, visible};
pub(crate) use bundle::bundle;
pub(crate) use decision::evaluation;
pub(crate) use deliberation::deliberation;
pub(crate) use explanation::explanation;
pub(crate) use guardrails::guardrails;
pub(crate) use normalized::normalized;
pub(crate) use page::{BOLD, DIM, Line, PLAIN, Page};
pub(crate) use plan::plan;
pub(crate) use replay::replay;
pub(crate) use revision::revision;
pub(crate) use static_findings::static_findings;
pub(crate) use value::value;
pub(crate) use violations::violations;

/// A moment in milliseconds since 1970, as people write it, in UTC.
pub(crate) fn moment(milliseconds: i64) -> String {
    Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| milliseconds.to_string(), |time| time.to_string())
}
