//! The verb `test`: the tests that policies bring, further cases, and what all of them cover.
//!
//! ```text
//! policy files, case files -> Suite -> (evaluate each) -> Report -> text or JSON, JUnit, exit status
//! ```

mod case;
mod coverage;
mod edit;
mod junit;
mod report;
mod suite;
mod text;
mod watch;

use std::fs;

use adjudicate_core::{Error, ErrorCode};

use crate::{
    args::{ReportFormat, Test},
    exit::Exit,
    failure::Failure,
    output,
};
use report::Report;
use suite::Suite;

pub(crate) fn run(args: &Test) -> Result<Exit, Failure> {
    if args.watch { watch::run(args) } else { round(args) }
}

/// Reads everything, runs everything, reports.
fn round(args: &Test) -> Result<Exit, Failure> {
    let report = Report::run(&Suite::load(args)?, args.min_coverage)?;
    match args.format {
        ReportFormat::Json => output::line(&report.json())?,
        ReportFormat::Text => output::table(&text::page(&report), args.color)?,
    }
    if let Some(path) = &args.junit {
        fs::write(path, junit::document(&report)).map_err(|error| {
            let message = format!("cannot write `{}`: {error}", path.display());
            Error::new(ErrorCode::UnwritableOutput, message)
        })?;
    }
    Ok(if report.is_good() { Exit::Answered } else { Exit::Failed })
}
