//! Reasons: one table with their gates, messages and remedies.

use alloc::{borrow::Cow, vec::Vec};

use adjudicate_lang::document::Id;

use crate::documents::deliberation::{Gate, PlanningReason, ReasonCode, StopReason};

impl ReasonCode {
    /// Returns true if an answer of this gate may have the reason.
    pub(super) fn is_of(self, gate: Gate, stop_reason: Option<StopReason>) -> bool {
        self.gates().is_empty() || self.gates().contains(&(gate, stop_reason))
    }

    /// Returns true if the reason is a warning in an answer with this gate and these reasons.
    ///
    /// `no_progress` and `evidence_theater` are warnings at every gate, with one exception: together they are a reason to escalate.
    ///
    /// ```
    /// use adjudicate_core::deliberate::{Gate, ReasonCode::{EvidenceTheater, NoProgress, UntypedPlan}};
    /// assert!(EvidenceTheater.is_warning(Gate::Escalate, &[EvidenceTheater]));
    /// assert!(!EvidenceTheater.is_warning(Gate::Escalate, &[NoProgress, EvidenceTheater, UntypedPlan]));
    /// assert!(UntypedPlan.is_warning(Gate::Escalate, &[NoProgress, EvidenceTheater, UntypedPlan]));
    /// ```
    #[must_use]
    pub fn is_warning(self, gate: Gate, reasons: &[Self]) -> bool {
        let theater = [Self::NoProgress, Self::EvidenceTheater];
        let is_theater = gate == Gate::Escalate && theater.iter().all(|code| reasons.contains(code));
        self.gates().is_empty() && !(is_theater && theater.contains(&self))
    }
}

/// Collects the reasons of a gate.
pub(super) struct ReasonReporter<'r>(&'r mut Vec<PlanningReason<'static>>);

impl<'r> ReasonReporter<'r> {
    pub(super) const fn new(reasons: &'r mut Vec<PlanningReason<'static>>) -> Self {
        Self(reasons)
    }

    pub(super) fn at(&mut self, path: impl Into<Cow<'static, str>>, code: ReasonCode) {
        self.0.push(PlanningReason { code, message: Id(code.message()), path: path.into() });
    }

    /// Returns true if nothing was reported so far.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
