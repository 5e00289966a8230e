//! From the observations of a run to an envelope.
//!
//! A host runs validators and asks git. It hands over its [`OwnedObservation`], the [`OwnedConfiguration`] of the repository and the
//! [`OwnedCollectionState`] of the run. [`assemble`](assemble()) makes the envelope, and never fails: evidence that could not be
//! collected becomes an item of `evidence.uncollected`, which calls for a human.
//!
//! ```
//! use adjudicate_core::{Operation, owned::Evaluation, evaluate::Status};
//! use adjudicate_evidence::collect::{OwnedCollectionState, OwnedConfiguration, OwnedObservation, assemble};
//!
//! let configuration = OwnedConfiguration::from_json(br#"{
//!   "workflow": "feature",
//!   "next_steps": [{"id": "open_pull_request", "role": "forward"}, {"id": "fix_findings", "role": "fix"}],
//!   "validators": [{"id": "unit", "run": "npm test", "output": "tap"}]
//! }"#)?;
//! let observation = OwnedObservation::from_json(br#"{
//!   "run_id": "run-1",
//!   "workspace": {"raw": "", "numstat": "", "status": "? src/cart.js\u0000"},
//!   "validators": [{"id": "unit", "exit_code": 1, "log": ".adjudicate/logs/unit.log", "output": "1..1\nnot ok 1 - pays\n"}]
//! }"#)?;
//! let envelope = assemble(&configuration, &observation, &OwnedCollectionState::new("run-1"));
//!
//! let answer = Operation::Evaluate.call(envelope.to_json().as_bytes())?;
//! let decision = Evaluation::from_json(answer.as_bytes())?.decision;
//! assert_eq!((decision.status, decision.next_step.as_deref()), (Status::Partial, Some("fix_findings")));
//! # Ok::<(), adjudicate_core::Error>(())
//! ```

mod assemble;
mod baseline;
mod bounds;
mod configuration;
mod external;
mod observation;
mod reports;
mod repro;
mod review;
mod state;
mod validators;
mod workspace;

pub use assemble::assemble;
pub use configuration::{
    BaselineSettings, Command, Configuration, DEFAULT_TIMEOUT_SECONDS, NextStep, OwnedBaselineSettings,
    OwnedConfiguration, OwnedNextStep, OwnedValidator, Validator,
};
pub use external::{ExternalEvidence, ExternalFields, OwnedExternalEvidence, OwnedExternalFields};
pub use observation::{
    Interruption, MissingEvidence, Observation, OwnedMissingEvidence, OwnedObservation, OwnedReportFile,
    OwnedStoredBaseline, OwnedValidatorRun, OwnedWorkspace, ReportFile, StoredBaseline, ValidatorRun,
    Workspace,
};
pub use repro::quote;
pub use state::{CollectionState, GOAL_FIELD, Goal, OwnedCollectionState, OwnedGoal, RunMark};
