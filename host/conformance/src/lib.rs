//! Conformance to the interface of policy modules (`docs/reference/abi.md`): a check of modules by a table of requirements, and a corpus of
//! modules for testing hosts.
//!
//! ```text
//! module bytes -> structure -> start -> allocation -> calls, repeated calls, invalid calls -> configuration -> tests -> ConformanceReport
//! Corpus -> each module, its call and what must become of it -> any host
//! ```
//!
//! The check calls the functions of a module one by one, in instances that live for several calls. The requirements go beyond the
//! faults that a host can notice, because a host gives each call an instance of its own.

mod calls;
mod check;
mod configure;
mod corpus;
mod generated;
mod inputs;
mod probe;
mod report;
mod requirement;

pub use check::check;
pub use corpus::{Call, ConformanceCase, Corpus, ExpectedOutcome};
pub use report::{ConformanceReport, Finding, RequirementResult};
pub use requirement::{Requirement, RequirementLevel, requirements};
