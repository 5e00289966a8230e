//! Reasons: one table with their gates, messages and remedies.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::json::object::ObjectWriter;

use crate::documents::deliberation::{Gate, ReasonCode, StopReason};

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

/// A reason of a gate, or a warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanningReason {
    code: ReasonCode,
    path: String,
}

impl PlanningReason {
    /// The code, from a closed list.
    #[must_use]
    pub const fn code(&self) -> ReasonCode {
        self.code
    }

    /// JSON Pointer into the ledger, to the evidence of the reason or to the missing part.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// `{code, message, path}`, the fields of an error.
    pub(super) fn write(&self, out: &mut String) {
        let mut members = ObjectWriter::open(out);
        members.text("code", Some(self.code.as_str()));
        members.text("message", Some(self.code.message()));
        members.text("path", Some(&self.path));
        members.close();
    }
}

/// Collects the reasons of a gate.
pub(super) struct ReasonReporter<'r>(&'r mut Vec<PlanningReason>);

impl<'r> ReasonReporter<'r> {
    pub(super) const fn new(reasons: &'r mut Vec<PlanningReason>) -> Self {
        Self(reasons)
    }

    pub(super) fn at(&mut self, path: impl Into<String>, code: ReasonCode) {
        self.0.push(PlanningReason { code, path: path.into() });
    }

    /// Returns true if nothing was reported so far.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
