//! A slot's documents: its state, its settings, and the entries of its history, as the store keeps them.

mod difference;
mod settings;
mod state;
mod why;

pub use difference::Difference;
pub use settings::{FaultRate, OnFault, OwnLimits, SlotSettings};
pub(crate) use state::check_name;
pub use state::{Action, Canary, Composition, Entry, Member, State};
pub use why::Why;
