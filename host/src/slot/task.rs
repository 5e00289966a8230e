//! The actions after faults.

use std::sync::Arc;

use super::window::Window;

/// An action on a slot.
#[derive(Debug)]
pub(super) enum Task {
    /// The active composition failed too often.
    RollBack(FaultObservation),
    /// The canary failed too often.
    WithdrawCanary(FaultObservation),
}

/// The observation that leads to an action.
#[derive(Debug)]
pub(super) struct FaultObservation {
    pub(super) slot: String,
    /// The active entry of the slot's history.
    pub(super) entry: i64,
    pub(super) note: String,
    /// The window that counted the faults. It is notified of the action's outcome.
    pub(super) window: Arc<Window>,
}
