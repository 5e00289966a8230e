//! The verb `test`: the tests that policies bring, further cases, and what all of them cover.
//!
//! ```text
//! policy files, case files -> Suite -> (evaluate each) -> Report -> text or JSON, JUnit, exit status
//! ```

mod case;
mod coverage;
mod document;
mod edit;
mod junit;
mod report;
mod suite;
mod text;
mod watch;

use adjudicate_core::Error;

use crate::{args::Test, exit::Exit, failure::Failure, layout, output, replace};
use report::Report;
use suite::Suite;

pub(crate) fn run(args: &Test) -> Result<Exit, Failure> {
    if args.watch { watch::run(args) } else { tell(&report(args)?, args) }
}

/// Reads everything and runs everything.
fn report(args: &Test) -> Result<Report, Error> {
    Report::run(&Suite::load(args)?, args.min_coverage)
}

/// Prints and writes a report, and says what to end with.
fn tell(report: &Report, args: &Test) -> Result<Exit, Failure> {
    let text = |width| text::page(report).render(width);
    output::report(args.format, args.color, || layout::json(report), text)?;
    if let Some(path) = &args.junit {
        replace::report(path, &junit::document(report))?;
    }
    Ok(if report.is_good() { Exit::Answered } else { Exit::Failed })
}
