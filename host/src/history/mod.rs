//! The documents of a slot in the store: state, settings, entries of the history, and differences of its shadow.

mod change_reason;
mod difference;
mod replies;
mod settings;
mod state;

pub use change_reason::ChangeReason;
pub use difference::ShadowDifference;
pub use replies::{DeletedSlot, DifferenceList, History};
pub use settings::{FaultRate, OnFault, SlotSettings};
pub(crate) use state::check_name;
pub use state::{Canary, ComposedModule, Composition, SlotAction, SlotEntry, SlotState};
