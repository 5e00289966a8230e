//! Re-evaluation: decides recorded calls again by another version, and reports the changes (SPEC section 13.6).
//!
//! ```text
//! records of a slot, or lines of calls -> Case -+-> the recorded answer (or the answer of another Version)
//!                                               +-> the answer of a Version now
//!                                               -> comparison -> Report: a matrix, counts, samples
//! ```
//!
//! Other hosts may decide in the place of this one; comparing and reporting stay here.
//!
//! Owns the versions, the comparison and the report. Reads no files. The number of threads does not change a report. Memory is
//! bounded: a few megabytes of a source of any length, and only the requested samples of the changes.
//!
//! A case that cannot be decided again, because its input was not kept or was redacted, is counted with its reason. No case is left
//! out silently.

mod case;
mod comparison;
mod description;
mod elsewhere;
mod expectation;
mod outcome;
mod recorded;
mod report;
mod run;
mod sample;
mod version;

pub use case::{Case, Line, Obstacle, Recorded, read_line};
pub use comparison::Change;
pub use description::{Ceiling, Description, Modules};
pub use elsewhere::{Asked, Elsewhere};
pub use expectation::Expectation;
pub use outcome::{Label, Outcome};
pub use recorded::RecordedVersions;
pub use report::Report;
pub use run::{Reevaluation, Step};
pub use sample::{Sample, Side};
pub use version::Version;
