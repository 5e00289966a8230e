//! Readers of the reports that other tools write: test reports, SARIF logs and coverage become typed evidence.
//!
//! ```
//! use adjudicate_evidence::{CaseStatus, Format, Reading, detect, read};
//!
//! let text = br#"<testsuite name="cart">
//!   <testcase name="adds" time="0.01"/>
//!   <testcase name="pays"><failure message="no money"/></testcase>
//! </testsuite>"#;
//! assert_eq!(detect("junit.xml", text), Some(Format::Junit));
//!
//! let Reading::Tests(report) = read(Format::Junit, text)? else { panic!() };
//! let pays = &report.cases[1];
//! assert_eq!((pays.id.as_str(), pays.status), ("cart/pays", CaseStatus::Failed));
//! assert_eq!(pays.message.as_deref(), Some("no money"));
//! assert_eq!(report.incomplete, None);
//! # Ok::<(), adjudicate_evidence::Error>(())
//! ```
//!
//! Three rules hold for every format:
//!
//! - **Count the cases.** Readers ignore totals in headers, with one exception. A header that claims more cases or failures than the
//!   report lists makes the report [incomplete](Reading::incomplete).
//! - **Drop nothing silently.** A report that was cut, lists no case or did not end is incomplete, or an error.
//! - **Bound everything.** [`limits`] lists the limits. A reader takes linear time, and refuses document type declarations.
//!
//! One gap is in the formats: libtest and Go write one event a line, and no event has the number of the suites or packages that follow.
//! A text that was cut exactly between two of them looks complete. Judge these reports together with the exit code of their command.
//!
//! This crate has no I/O, clock, randomness or unsafe code: the same bytes give the same reading on every target.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod case_list;
pub mod codes;
pub mod collect;
mod coverage;
mod duration;
mod encoding;
mod envelope;
mod formats;
mod json;
pub mod limits;
mod lines;
mod location;
mod reading;
mod text;
mod xml;

pub use adjudicate_core::Error;
pub use coverage::{Coverage, CoverageCount, FileCoverage};
pub use encoding::decode;
pub use formats::{Format, detect, read};
pub use location::Location;
pub use reading::{CaseResult, CaseStatus, Reading, ReportedIssue, ReviewReport, SuggestedEdit, TestReport};

/// The example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
