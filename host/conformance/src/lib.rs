//! Conformance to the interface of policy modules (`wasm/ABI.md`): of modules, which are held against a table of
//! requirements, and of hosts, which a corpus of modules puts to the test.
//!
//! ```text
//! module bytes -> structure -> start -> room -> calls, strangers, constancy -> configuration -> tests -> Report
//! Corpus -> each module, its call and what must become of it -> any host
//! ```
//!
//! A module is driven below [`Module::call`](adjudicate_sandbox::Module::call), step by step in instances that live as long as it
//! takes: what is asked of a module is more than what a host can notice, which gives each call an instance of its own.

mod calls;
mod check;
mod configure;
mod corpus;
mod generated;
mod inputs;
mod probe;
mod report;
mod requirement;
mod room;
mod structure;

pub use check::check;
pub use corpus::{Call, Case, Corpus, Outcome};
pub use report::{Finding, Judgement, Report};
pub use requirement::{Level, Requirement, requirements};
