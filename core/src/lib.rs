//! The adjudicate policy engine: typed evidence in, one deterministic decision out.
//!
//! ```text
//! envelope JSON -> Envelope -> Facts -> [Finding] -> Status -> Route -> Decision
//! policy JSON   -> Policy (compiled once) ---^
//! Facts, Evaluation -> Revision: instructions for a refinement step, and data for the next envelope
//! Policy -> [CheckFinding]: problems of a policy, found without any envelope
//! Facts, Evaluation -> Explanation: reasons, and a smallest change of the evidence that leads to `success`
//! plan JSON -> PlanCall -> [Diagnostic] -> Bundle: problems of a plan before it runs
//! ledger JSON -> Ledger -> LedgerFacts -> Deliberation: the next act of a planning agent
//! a planner's own form -> PlanIr, NormalizationReport: the canonical form of a plan, and its hash
//! PlanIr, events -> Replay -> ReplayReport: differences between a session's log and its plan
//! ```
//!
//! Each arrow is one pure function in one file. This crate reads no file, clock or random number, and no answer depends on hash
//! order: the same input gives the same output, byte for byte, on every target. Crates above this one do the I/O (files, wasm, HTTP,
//! JavaScript) and call [`Operation::call`].
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
//!
//! To build envelopes and read answers as types, use [`owned`]. To evaluate a run step by step, use [`Run`].
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bounds;
pub mod check;
pub mod codes;
mod contract;
pub mod deliberate;
mod diagnostic;
pub mod documents;
pub mod evaluate;
pub mod explain;
pub mod guardrail;
pub mod ir;
pub mod module;
mod operation;
pub mod owned;
pub mod plan;
pub mod policy;
pub mod revision;
mod run;
pub mod schemas;
pub mod verdict;
mod words;

// A program that embeds the engine depends on this crate alone. Crates above it declare codes of their own.
#[doc(hidden)]
pub use adjudicate_lang::error_codes;
pub use adjudicate_lang::{
    Decimal, Error, ErrorCode, Steps, document, evaluate_logic, is_hidden, json, logic, order, paths,
    pattern, schema,
};
pub use bounds::{MAX_ANSWER_BYTES, MAX_DIAGNOSTICS, MAX_LISTED};
pub use codes::RuleCode;
pub use operation::{
    OpenEnvelope, Operation, OperationFunction, call_input, fail_closed, join_documents, module_fault, reply,
};
pub use policy::Policy;
pub use run::{Run, WINDOW};

/// The version of the engine, as manifests and `--version` print it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
