//! Write policy modules for adjudicate in Rust: a function from a typed envelope to findings or a decision.
//!
//! ```
//! use adjudicate_guest::prelude::*;
//!
//! /// Every change of a migration needs an approval.
//! fn decide(envelope: Envelope<'_>) -> Vec<Finding<'_>> {
//!     let evidence = envelope.evidence();
//!     let Some(files) = evidence.changed_files() else {
//!         return vec![Finding::new("migrations", Status::NeedsHuman, "it is not known which files changed")];
//!     };
//!     let migrations = files.into_iter().filter(|file| file.paths().any(|path| path.contains("migrations/")));
//!     migrations
//!         .filter(|file| !evidence.is_approved(file.path()))
//!         .map(|file| {
//!             Finding::new("migrations", Status::NeedsHuman, format!("`{}` changed without an approval", file.path()))
//!                 .at(file.pointer())
//!                 .blocker("approval_required")
//!         })
//!         .collect()
//! }
//!
//! adjudicate_guest::policy! { decide: decide, name: "migrations", version: "1.0.0" }
//! # fn main() {
//!
//! // Tests run the same function natively; it gives the same bytes as in wasm.
//! use adjudicate_guest::testing::{Ask, Sample};
//! let sample = Sample::new().changed("db/migrations/7.sql").steps(["publish", "human-approval"]);
//! let answer = POLICY.ask(&sample);
//! answer.assert_status(Status::NeedsHuman);
//! assert_eq!(answer.next_step().as_deref(), Some("human-approval"));
//! POLICY.ask(&sample.approved("db/migrations/7.sql")).assert_status(Status::Success);
//! # }
//! ```
//!
//! `adjudicate new --lang rust NAME` creates such a project. This crate provides:
//!
//! - **The input.** The crate reads the input by the rules of the engine. An invalid envelope gets the engine's error, with its code
//!   and path, before your function runs. Unknown fields, repeated keys and wrong types are errors. Each object of the input is a type
//!   ([`Envelope`], [`Evidence`], [`Validation`]) with a method for each field (docs/reference/envelope.md). Fields whose names begin
//!   with `x-` are extensions, which your program and your policy define: read them with [`Envelope::extension`].
//! - **The answer.** The crate derives status, next step, fix instructions, blockers, flags and loop state from the findings, as the
//!   engine does. The answer is always legal: a next step is one of the envelope's.
//! - **The module.** Exports, manifest, a small stack below everything else, an allocator that only adds, a maximum of memory.
//!   There are no dependencies.
//!
//! **Restrictions.** A policy that returns findings works well as a restriction (`--restrict`, docs/reference/policies.md): no
//! finding means no objection, and each finding makes the decision stricter, never more lenient.
//!
//! **Nothing checked.** The engine's rules `unchecked`, `unreviewed` and `ambiguous_route` are not added to your policy: used
//! alone, a policy without findings answers `success` although no check ran. To keep these rules, add your policy to the
//! engine with `--restrict`. A `success` among several unclassified steps has no next step.
//!
//! **Panics are traps.** The host reports a trap as `module_trap`, and never answers permissively then.
#![no_std]
#![cfg_attr(not(any(target_arch = "wasm32", miri)), deny(unsafe_code))]

extern crate alloc;
#[cfg(any(test, not(target_arch = "wasm32")))]
extern crate std;

mod answer;
#[cfg(not(target_arch = "wasm32"))]
pub mod build;
mod change;
mod check;
mod envelope;
mod error;
mod evidence;
mod export;
mod finding;
#[doc(hidden)]
pub mod manifest;
#[cfg(any(target_arch = "wasm32", miri))]
#[doc(hidden)]
pub mod module;
mod number;
mod order;
mod policy;
mod read;
mod roles;
mod route;
mod rules;
#[cfg(feature = "source")]
mod source;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod text;
mod value;
mod view;
#[rustfmt::skip]
mod views;
mod word;
mod words;

pub use change::{ChangedFile, normalize};
pub use error::Error;
pub use finding::{Blocker, Decision, Edit, Finding, FixInstructions, Shown, Text, Verdict, Verification};
pub use manifest::Label;
pub use policy::Policy;
#[doc(hidden)]
pub use policy::serve;
pub use route::Step;
#[cfg(feature = "source")]
pub use source::SOURCE;
pub use text::Pointer;
use word::is_one_of;

pub use value::Value;
pub use views::{
    Approvals, Baseline, Case, Diff, DiffFile, Entry, EntryBlocker, Envelope, Evidence, HarnessReport,
    HarnessSummary, Refinement, Review, ReviewEdit, ReviewIssue, StepInfo, Uncollected, UxFlag, Validation,
};
pub use words::{
    CaseStatus, Change, Claim, ClassifiedBy, FileKind, Intent, Opcode, Outcome, Resolution, Role, Severity,
    Status,
};

/// The types that policies use most, and the items of `alloc` that a crate without the standard library lacks.
pub mod prelude {
    pub use alloc::{
        borrow::ToOwned,
        format,
        string::{String, ToString},
        vec,
        vec::Vec,
    };

    pub use crate::{
        Decision, Envelope, Error, Evidence, Finding, Pointer, Resolution, Severity, Status, Verdict,
    };
}
