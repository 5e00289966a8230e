//! Which subject asks what.

use adjudicate_core::Operation;

use crate::routes::{Does, routes};

/// What a subject asks, and the route that asks the same over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked<'a> {
    /// The engine that is built in.
    Native(Operation),
    /// A slot.
    Slot(&'a str, Operation),
}

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
    pub(super) fn of(cluster: &str) -> Self {
        let own = format!("{cluster}.");
        let prefix = format!("{own}v1.");
        let names = Operation::ALL.iter().map(|operation| operation.name());
        let all = names.chain(["slots.>"]).map(|rest| format!("{prefix}{rest}")).collect();
        Self { own, prefix, all }
    }

    /// All that are subscribed to.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(String::as_str)
    }

    /// The same with which of [`all`](Self::all) it belongs to.
    pub(super) fn place(&self, subject: &str) -> usize {
        self.all.iter().position(|known| known == subject).unwrap_or(self.all.len().saturating_sub(1))
    }

    /// Whether answers are sent there. Whoever may ask could have this host write with its own permissions otherwise: into the bucket
    /// of slots, or into the stream of records.
    pub(super) fn is_reply(&self, subject: &str) -> bool {
        !subject.starts_with('$') && !subject.starts_with(&self.own)
    }

    /// What is asked; nothing where there is no such operation, or no slot is named.
    pub(super) fn read<'a>(&self, subject: &'a str) -> Option<Asked<'a>> {
        let rest = subject.strip_prefix(&self.prefix)?;
        match rest.strip_prefix("slots.") {
            None => Operation::from_name(rest).map(Asked::Native),
            Some(rest) => {
                // Names of slots may have dots; those of operations have none.
                let (slot, operation) = rest.rsplit_once('.')?;
                Operation::from_name(operation).map(|operation| Asked::Slot(slot, operation))
            }
        }
    }
}

impl Asked<'_> {
    /// The path of the same call over HTTP, by which the log and the numbers call it.
    pub(super) fn route(self) -> Option<&'static str> {
        let does = match self {
            Self::Native(operation) => Does::Call(operation),
            Self::Slot(_, operation) => Does::CallSlot(operation),
        };
        routes().iter().find(|route| route.does == does).map(|route| route.path.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_read_to_the_last_token() {
        let subjects = Subjects::of("adj");
        let of = |subject| subjects.read(subject);
        assert_eq!(of("adj.v1.evaluate"), Some(Asked::Native(Operation::Evaluate)));
        assert_eq!(of("adj.v1.validate_plan"), Some(Asked::Native(Operation::ValidatePlan)));
        assert_eq!(of("adj.v1.slots.release.evaluate"), Some(Asked::Slot("release", Operation::Evaluate)));
        assert_eq!(of("adj.v1.slots.a.b.refine"), Some(Asked::Slot("a.b", Operation::Refine)));
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
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn nothing_is_answered_to_where_the_cluster_keeps_things() {
        let subjects = Subjects::of("adj");
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
    fn every_subject_is_subscribed_to_and_has_a_route() {
        let subjects = Subjects::of("adj");
        for operation in Operation::ALL {
            let subject = format!("adj.v1.{}", operation.name());
            assert_eq!(subjects.all().nth(subjects.place(&subject)), Some(subject.as_str()));
            assert_eq!(Asked::Native(*operation).route().unwrap(), format!("/v1/{}", operation.name()));
            assert!(Asked::Slot("s", *operation).route().is_some());
        }
        assert_eq!(subjects.all().nth(subjects.place("adj.v1.slots.a.evaluate")), Some("adj.v1.slots.>"));
    }
}
