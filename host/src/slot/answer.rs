//! The answer of a slot.

use adjudicate_core::{Error, Policy};
use adjudicate_sandbox::{Digest, EmbeddedPolicy};

use super::deployment::Deployment;
use crate::{history::SlotEntry, record::DecidedBy};

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

/// Returns the answer of a deployment.
pub(super) fn decided(entry: &SlotEntry, by: DecidedBy, text: String, deployment: &Deployment) -> SlotAnswer {
    let (modules, embedded_policy) = (deployment.digests(), deployment.embedded_policy());
    SlotAnswer { text, answer: (), entry: entry.id, by, modules, fault: None, embedded_policy }
}
