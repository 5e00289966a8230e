//! The documents of a slot, as the store keeps them: state, settings, entries of the history, and differences of its shadow.

mod difference;
mod settings;
mod state;
mod why;

pub use difference::Difference;
pub use settings::{FaultRate, OnFault, OwnLimits, SlotSettings};
pub(crate) use state::check_name;
pub use state::{Action, Canary, Composition, Entry, Member, State};
pub use why::Why;
