//! The adjudicate policy engine: typed evidence in, one deterministic decision out.
//!
//! ```text
//! envelope JSON -> Envelope -> Facts -> [Finding] -> Status -> Route -> Decision
//! policy JSON   -> Policy (compiled once) ---^
//! Facts, Evaluation -> Revision: what a refinement step is told, and what the next envelope is to carry
//! Policy -> [CheckFinding]: what is wrong with a policy before any envelope comes
//! Facts, Evaluation -> Explanation: why, and a smallest change of the evidence that leads to `success`
//! plan JSON -> PlanCall -> [Diagnostic] -> Bundle: whether a plan can do what its task asks, before it runs
//! ledger JSON -> Ledger -> Facts -> Deliberation: whether a planning agent goes on, switches, asks, commits or stops
//! a planner's own form -> PlanIr, Report: one form of plans for replays and receipts, and a hash of it
//! PlanIr, events -> Replay -> Report: whether what a session logged is that of its plan
//! ```
//!
//! Each arrow is one pure function in one file. Nothing here reads a file, a clock or a random number, and no
//! answer depends on hash order: the same bytes in give the same bytes out, on every target. Everything that
//! does I/O (files, wasm, HTTP, JavaScript) lives in the crates above this one and calls [`Operation::call`].
//!
//! ```
//! use adjudicate_core::Operation;
//! let envelope = br#"{
//!   "run_id": "run-1", "workflow_id": "release", "step_id": "evaluate", "evaluate_prompt": "release.v1",
//!   "allowed_next_steps": ["publish", "fix"], "provenance_window": [],
//!   "evidence": {
//!     "transcript_summary": "", "workspace_diff_summary": " M src/lib.rs\n",
//!     "validation": {"mechanical_outcome": "completed", "exit_codes": {"cargo-test": 0}, "timeouts": []},
//!     "artifacts": [], "policy_events": []
//!   }
//! }"#;
//! let answer = Operation::Evaluate.call(envelope)?;
//! assert!(answer.starts_with(r#"{"decision":{"status":"success","next_step":"publish""#));
//! # Ok::<(), adjudicate_core::Error>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bounds;
pub mod check;
pub mod codes;
mod contract;
pub mod deliberate;
mod diagnostic;
pub mod evaluate;
pub mod explain;
pub mod guardrail;
pub mod ir;
pub mod module;
mod operation;
pub mod plan;
pub mod policy;
pub mod revision;
mod words;

// A program that embeds the engine depends on this crate alone. Crates above it declare codes of their own.
#[doc(hidden)]
pub use adjudicate_lang::error_codes;
pub use adjudicate_lang::{Decimal, Error, ErrorCode, Steps, is_hidden, json, logic, paths, pattern, schema};
pub use bounds::{MAX_ANSWER_BYTES, MAX_DIAGNOSTICS, MAX_LISTED};
pub use codes::RuleCode;
pub use operation::{Operation, call_input, fail_closed, join_documents, module_fault, reply};
pub use policy::Policy;

/// The version of the engine, as manifests and `--version` print it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
