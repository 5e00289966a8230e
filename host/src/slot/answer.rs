//! The answer of a slot. After a fault: the error, the fail-closed decision, or the restricted answer of the last good version.

use adjudicate_core::{
    Error, Operation, Policy,
    evaluate::{AnswerText, ModuleFault, Unanswered},
    fail_closed, module_fault,
};
use adjudicate_sandbox::{CallError, Digest, EmbeddedPolicy};
use adjudicate_trust::MemberFailure;

use super::deployment::{Deployment, fault};
use crate::{
    codes,
    history::{FaultRate, OnFault, SlotEntry},
    record::DecidedBy,
};

/// An answer of a slot, with the modules that gave it. A typed call also has the answer as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotAnswer<T = ()> {
    /// The answer, as JSON.
    pub text: String,
    /// The answer, as a value.
    pub answer: T,
    /// The entry of the slot's history that was active.
    pub entry: i64,
    /// The part of the slot that decided, for example the canary.
    pub by: DecidedBy,
    /// The modules that answered: the base, the override, the restrictions. Empty if the host decided.
    pub modules: Vec<Digest>,
    /// The fault, if another composition or the host decided because of it.
    pub fault: Option<Error>,
    /// The policy document that the base carries.
    pub(super) embedded_policy: Option<EmbeddedPolicy>,
}

impl<T> SlotAnswer<T> {
    /// Returns the policy that the base carries, if any. To compose the answer with others, route the next step by this policy.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.embedded_policy.as_ref().map(EmbeddedPolicy::policy)
    }
}

pub(super) fn decided(entry: &SlotEntry, by: DecidedBy, text: String, deployment: &Deployment) -> SlotAnswer {
    let (modules, embedded_policy) = (deployment.digests(), deployment.embedded_policy());
    SlotAnswer { text, answer: (), entry: entry.id, by, modules, fault: None, embedded_policy }
}

/// The composition that failed, and the one that may answer in its place.
#[derive(Clone, Copy)]
pub(crate) struct Fallback<'a> {
    pub(crate) first: &'a Deployment,
    pub(crate) last_good: &'a Deployment,
}

/// Returns the result for the caller after a fault, in a slot that is in this entry of its history.
pub(crate) fn answer_after_fault(
    entry: &SlotEntry,
    fallback: Option<Fallback<'_>>,
    operation: Operation,
    input: &[u8],
    failed: MemberFailure,
) -> Result<SlotAnswer, CallError> {
    let on_fault = entry.settings.on_fault;
    let Some(fault) = fault(&failed) else { return Err(failed.error) };
    // Other operations have no answer for a fault.
    if operation != Operation::Evaluate || on_fault == OnFault::Error {
        return Err(failed.error);
    }
    // Callers choose the inputs that reach a limit, so a limit must not lead to another version.
    let may_answer = on_fault == OnFault::LastGood && !FaultRate::LIMITS.contains(&fault.code());
    let restricted = fallback.filter(|_| may_answer).and_then(|fallback| {
        let text = fallback.restricted(input, &failed.origin, fault)?;
        Some(SlotAnswer {
            fault: Some(fault.clone()),
            ..decided(entry, DecidedBy::LastGood, text, fallback.last_good)
        })
    });
    if let Some(decided) = restricted {
        return Ok(decided);
    }
    let unanswered = match fault.code() {
        // No module was called: the origin is the slot.
        codes::SLOT_EMPTY => Unanswered::Empty(&failed.origin, fault),
        _ => Unanswered::Failed(&failed.origin, fault),
    };
    let text = fail_closed(input, unanswered)?;
    let (by, fault) = (DecidedBy::FailClosed, Some(fault.clone()));
    Ok(SlotAnswer {
        text,
        answer: (),
        entry: entry.id,
        by,
        modules: Vec::new(),
        fault,
        embedded_policy: None,
    })
}

impl Fallback<'_> {
    /// Returns the answer of the last good version, restricted by the finding `module_fault`; `None` if it does not answer.
    fn restricted(&self, input: &[u8], origin: &str, error: &Error) -> Option<String> {
        let answer = self.last_good.answer(Operation::Evaluate, input).ok()?;
        let (failed, answered) = (self.first.versions(), self.last_good.versions());
        let fault = ModuleFault { origin, error, failed: &failed, answered: &answered };
        let restriction = module_fault(input, &fault).ok()?;
        self.last_good
            .restricted_by(AnswerText { origin, answer: restriction.as_bytes() }, input, &answer)
            .ok()
    }
}
