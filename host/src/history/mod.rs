//! The documents of a slot in the store: state, settings, and entries of the history.

mod settings;
mod state;

pub use settings::{FaultRate, OnFault, SlotSettings};
pub(crate) use state::check_name;
pub use state::{
    Canary, ChangeReason, ComposedModule, Composition, DeletedSlot, History, SlotAction, SlotEntry, SlotState,
};
