//! The subjects of calls.

use adjudicate_core::Operation;

use crate::{
    calls::CallTarget,
    routes::{RouteAction, routes},
};

/// The subjects of a cluster: `NAME.v1.OPERATION` and `NAME.v1.slots.SLOT.OPERATION`.
#[derive(Debug)]
pub(super) struct Subjects {
    /// `NAME.`
    own: String,
    /// `NAME.v1.`
    prefix: String,
    all: Vec<String>,
}

impl Subjects {
    pub(super) fn new(cluster: &str) -> Self {
        let own = format!("{cluster}.");
        let prefix = format!("{own}v1.");
        let names = Operation::ALL.iter().map(|operation| operation.name());
        let all = names.chain(["slots.>"]).map(|rest| format!("{prefix}{rest}")).collect();
        Self { own, prefix, all }
    }

    /// Returns the subjects of all subscriptions.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(String::as_str)
    }

    /// Returns the index of the subscription in [`all`](Self::all) that a subject belongs to.
    pub(super) fn index(&self, subject: &str) -> usize {
        self.all.iter().position(|known| known == subject).unwrap_or(self.all.len().saturating_sub(1))
    }

    /// Returns true if answers may be sent to this subject. Otherwise a client could make this host write with the host's permissions:
    /// into the bucket of slots, or into the stream of records.
    pub(super) fn is_reply(&self, subject: &str) -> bool {
        !subject.starts_with('$') && !subject.starts_with(&self.own)
    }

    /// Returns the call; `None` for an unknown operation, or without the name of a slot.
    pub(super) fn read(&self, subject: &str) -> Option<CallTarget> {
        let rest = subject.strip_prefix(&self.prefix)?;
        match rest.strip_prefix("slots.") {
            None => Operation::from_name(rest).map(CallTarget::Native),
            Some(rest) => {
                // Names of slots may contain dots; names of operations contain none.
                let (slot, operation) = rest.rsplit_once('.')?;
                Operation::from_name(operation).map(|operation| CallTarget::Slot(slot.into(), operation))
            }
        }
    }
}

/// Returns the path of the same call over HTTP, which names the call in the log and metrics.
pub(super) fn route(target: &CallTarget) -> Option<&'static str> {
    let action = match target {
        CallTarget::Native(operation) => RouteAction::Call(*operation),
        CallTarget::Slot(_, operation) => RouteAction::CallSlot(*operation),
    };
    routes().iter().find(|route| route.action == action).map(|route| route.path.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_read_to_the_last_token() {
        let subjects = Subjects::new("adj");
        let new = |subject| subjects.read(subject);
        assert_eq!(new("adj.v1.evaluate"), Some(CallTarget::Native(Operation::Evaluate)));
        assert_eq!(new("adj.v1.validate_plan"), Some(CallTarget::Native(Operation::ValidatePlan)));
        assert_eq!(
            new("adj.v1.slots.release.evaluate"),
            Some(CallTarget::Slot("release".into(), Operation::Evaluate))
        );
        assert_eq!(new("adj.v1.slots.a.b.refine"), Some(CallTarget::Slot("a.b".into(), Operation::Refine)));
        for other in [
            "",
            "adj",
            "adj.v1.",
            "adj.v1.nothing",
            "adj.v1.slots",
            "adj.v1.slots.evaluate",
            "adj.v1.slots.release.nothing",
            "adj.v1.slots.release.evaluate.",
            "adj.v2.evaluate",
            "other.v1.evaluate",
        ] {
            assert_eq!(new(other), None, "{other}");
        }
    }

    #[test]
    fn answers_never_go_to_the_subjects_of_the_cluster() {
        let subjects = Subjects::new("adj");
        for reply in ["_INBOX.a.b", "_R_.a.b", "mine.1", "adj", "adjacent.1"] {
            assert!(subjects.is_reply(reply), "{reply}");
        }
        for reply in
            ["$KV.adj-slots.slot.release", "$JS.API.STREAM.DELETE.x", "adj.records.h.s", "adj.v1.evaluate"]
        {
            assert!(!subjects.is_reply(reply), "{reply}");
        }
    }

    #[test]
    fn every_call_has_a_subscription_and_a_route() {
        let subjects = Subjects::new("adj");
        for operation in Operation::ALL {
            let subject = format!("adj.v1.{}", operation.name());
            assert_eq!(subjects.all().nth(subjects.index(&subject)), Some(subject.as_str()));
            assert_eq!(route(&CallTarget::Native(*operation)).unwrap(), format!("/v1/{}", operation.name()));
            assert!(route(&CallTarget::Slot("s".into(), *operation)).is_some());
        }
        assert_eq!(subjects.all().nth(subjects.index("adj.v1.slots.a.evaluate")), Some("adj.v1.slots.>"));
    }
}
