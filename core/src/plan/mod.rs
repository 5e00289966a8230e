//! Plans: what validators say about them, merged into one bundle (SPEC section 7).
//!
//! ```text
//! [Diagnostic] --merge--> [Diagnostic] without repeats, in one order --> Bundle (status, score, buckets)
//! ```
//!
//! Owned here: the diagnostic of 5.9.3, which of several that say the same stays, the order they are in, the status of a
//! bundle and its score. What is not here: what is wrong with a plan. That is for the validators to say.

mod bundle;
mod call;
mod diagnostic;
mod merge;
mod score;

pub use bundle::{Bundle, BundleStatus};
pub use call::merge_text;
pub use diagnostic::{Cause, Diagnostic, Level, Outcome};
pub use merge::merge;
pub use score::{Weight, Weights};
