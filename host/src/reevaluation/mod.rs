//! Re-evaluation: decides recorded calls again by another version, and reports the changes (docs/reference/records.md).
//!
//! ```text
//! records of a slot, or lines of calls -> ReevaluationCase -+-> the recorded answer (or that of another CandidateVersion)
//!                                                           +-> the answer of a CandidateVersion now
//!                                                           -> comparison -> ReevaluationReport: a matrix, counts, samples
//! ```
//!
//! This module owns the versions, the comparison and the report. It reads no files. The number of threads does not change a
//! report. Memory is bounded: a few megabytes for a source of any length, and the requested samples of the changes.
//!
//! A case that cannot be decided again, for example because its input was redacted, is counted with its reason. No case is left
//! out silently.

mod case;
mod comparison;
mod outcome;
mod report;
mod run;
mod sample;
mod version;

pub use case::{Line, Recorded, ReevaluationCase, read_line};
pub use comparison::{Expectation, OutcomeChange};
pub use outcome::{Label, LabeledOutcome, Obstacle};
pub use report::ReevaluationReport;
pub use run::{Reevaluation, SourceItem};
pub use sample::{Sample, Side};
pub use version::{CandidateVersion, RecordedVersions};
