//! Slots: what a kernel evaluates against, while what decides there is swapped.

mod settings;
mod state;

pub use settings::{FaultRate, OnFault, OwnLimits, SlotSettings};
pub(crate) use state::check_name;
pub use state::{Action, Canary, Composition, Entry, Member, State};
