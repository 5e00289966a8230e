//! Deciding again what was decided before, by another version of a policy, and telling what changes (SPEC section 13.6).
//!
//! ```text
//! records of a slot, or lines of calls -> Case -+-> what was answered (or whoever is asked for the side before)
//!                                               +-> what a Version answers now
//!                                               -> how they differ -> Report: a matrix, counts, samples
//! ```
//!
//! Other hosts may decide in the place of this one; comparing and reporting stay here.
//!
//! Owns who is asked again, what counts as a change, and the report. Reads no files; how many threads ask makes no
//! difference to a report. Of a source of any length no more than a few megabytes are held, and of what changed no more than
//! the samples that are asked for.
//!
//! Whatever cannot be decided again, because its input was not kept or something was taken out of it, is counted with its reason.
//! Nothing is left out in silence.

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
