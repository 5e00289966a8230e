//! What buckets and streams are called, what they must be like, and making them.
//!
//! What is there already is used as it is, once it was found to keep what it is given. Nothing that is there is changed.

use std::time::Duration;

use adjudicate_core::Error;
use async_nats::jetstream::{
    Context, ErrorCode,
    context::{CreateStreamErrorKind, GetStreamErrorKind},
    stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream},
};

use crate::fault::{failed, fault};

/// How many entries of a slot's history the bucket keeps: as many as NATS allows.
const HISTORY: i64 = 64;
/// Fewer than two, and nobody who comes later could go back.
const LEAST_HISTORY: i64 = 2;
/// After how long jobs are forgotten whose command could not take them back.
const OLDEST_JOB: Duration = Duration::from_secs(3600);
/// After how long what was lent to a replay is forgotten that nobody took away.
const OLDEST_LOAN: Duration = Duration::from_secs(24 * 3600);
/// For how long at least what is lent has to be kept.
pub(crate) const SHORTEST_LOAN: Duration = Duration::from_secs(12 * 3600);

/// One of the buckets and streams of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// The object store.
    Modules,
    /// The bucket of keys and values.
    Slots,
    Records,
    Jobs,
    /// The object store of what replays need.
    Loans,
}

impl Kept {
    /// What the bucket or stream is called.
    pub(crate) fn name(self, cluster: &str) -> String {
        match self {
            Self::Modules => format!("{cluster}-modules"),
            Self::Slots => format!("{cluster}-slots"),
            Self::Records => format!("{cluster}-records"),
            Self::Jobs => format!("{cluster}-replay"),
            Self::Loans => format!("{cluster}-replay-objects"),
        }
    }

    /// What the stream that it is made of is called.
    pub(crate) fn stream(self, cluster: &str) -> String {
        let name = self.name(cluster);
        match self {
            Self::Modules | Self::Loans => format!("OBJ_{name}"),
            Self::Slots => format!("KV_{name}"),
            Self::Records | Self::Jobs => name,
        }
    }

    fn subjects(self, cluster: &str) -> Vec<String> {
        let name = self.name(cluster);
        match self {
            Self::Modules | Self::Loans => vec![format!("$O.{name}.C.>"), format!("$O.{name}.M.>")],
            Self::Slots => vec![format!("$KV.{name}.>")],
            Self::Records => vec![format!("{cluster}.records.>")],
            Self::Jobs => vec![format!("{cluster}.replay.jobs.>")],
        }
    }

    const fn about(self) -> &'static str {
        match self {
            Self::Modules => "policy modules, by digest",
            Self::Slots => "which policy decides in each slot",
            Self::Records => "decision records of all hosts",
            Self::Jobs => "replays in progress",
            Self::Loans => "what replays in progress need",
        }
    }

    /// How it is made.
    fn config(self, cluster: &str, replicas: usize) -> Config {
        let all = Config {
            name: self.stream(cluster),
            subjects: self.subjects(cluster),
            description: Some(self.about().to_owned()),
            num_replicas: replicas,
            storage: StorageType::File,
            discard: DiscardPolicy::New,
            allow_direct: true,
            ..Config::default()
        };
        match self {
            Self::Modules => Config { allow_rollup: true, ..all },
            // A slot is never deleted, so that nobody can do it by mistake: neither by message nor by purging.
            Self::Slots => {
                Config { max_messages_per_subject: HISTORY, deny_delete: true, deny_purge: true, ..all }
            }
            // The oldest may be purged once they are kept elsewhere.
            Self::Records => Config { deny_delete: true, ..all },
            Self::Jobs => Config { retention: RetentionPolicy::WorkQueue, max_age: OLDEST_JOB, ..all },
            Self::Loans => Config { allow_rollup: true, max_age: OLDEST_LOAN, ..all },
        }
    }

    /// Why something with this configuration would not do, if it would not.
    fn objection(self, cluster: &str, found: &Config) -> Option<String> {
        let mut subjects = found.subjects.clone();
        subjects.sort();
        if found.mirror.is_some() || found.sources.as_ref().is_some_and(|sources| !sources.is_empty()) {
            return Some("is a copy of another one".to_owned());
        }
        if subjects != self.subjects(cluster) {
            return Some(format!("has the subjects {}", shown(&found.subjects)));
        }
        let retention = if self == Self::Jobs { RetentionPolicy::WorkQueue } else { RetentionPolicy::Limits };
        if found.retention != retention {
            return Some(format!("has the retention policy {:?}", found.retention).to_lowercase());
        }
        let (is_loan, is_lasting) = (self == Self::Loans, !matches!(self, Self::Jobs | Self::Loans));
        let reasons = [
            (found.sealed, "is sealed"),
            (found.no_ack, "does not acknowledge what it is given"),
            (found.subject_transform.is_some(), "renames subjects"),
            (is_lasting && found.storage == StorageType::Memory, "is kept in memory only"),
            (is_lasting && !found.max_age.is_zero(), "forgets with time (max age, TTL)"),
            (is_loan && found.max_age.is_zero(), "never forgets what nobody took away (max age, TTL)"),
            (is_loan && found.max_age < SHORTEST_LOAN, "forgets within 12 hours (max age, TTL)"),
            (
                self == Self::Slots && found.discard_new_per_subject,
                "takes no more than its history has room for",
            ),
            (self != Self::Jobs && loses_the_oldest(found), "discards the oldest where it is full"),
            (self == Self::Records && found.max_messages_per_subject > 0, "keeps a part of each chain only"),
        ];
        let reason = reasons.into_iter().find(|(holds, _)| *holds).map(|(_, reason)| reason.to_owned());
        let history = found.max_messages_per_subject;
        let is_short = self == Self::Slots && (1..LEAST_HISTORY).contains(&history);
        reason.or_else(|| {
            is_short.then(|| format!("keeps a history of {history}, at least {LEAST_HISTORY} are needed"))
        })
    }
}

/// Whether what is new takes the place of what is old once there is too much.
fn loses_the_oldest(found: &Config) -> bool {
    found.discard == DiscardPolicy::Old && (found.max_bytes > 0 || found.max_messages > 0)
}

fn shown(subjects: &[String]) -> String {
    let shown: Vec<String> = subjects.iter().take(4).map(|subject| format!("`{subject}`")).collect();
    if shown.is_empty() { "of nobody".to_owned() } else { shown.join(", ") }
}

/// The bucket or stream, made if it is not there.
pub(crate) async fn open(
    jetstream: &Context,
    cluster: &str,
    replicas: usize,
    kept: Kept,
) -> Result<Stream, Error> {
    let name = kept.stream(cluster);
    let stream = match find(jetstream, &name).await? {
        Some(stream) => stream,
        None => make(jetstream, &name, kept.config(cluster, replicas)).await?,
    };
    match kept.objection(cluster, &stream.cached_info().config) {
        None => Ok(stream),
        Some(objection) => Err(fault(format!(
            "`{name}` is there already and {objection}: adjudicate cannot keep {} there",
            kept.about()
        ))),
    }
}

pub(crate) async fn find(jetstream: &Context, name: &str) -> Result<Option<Stream>, Error> {
    match jetstream.get_stream(name).await {
        Ok(stream) => Ok(Some(stream)),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(why) if why.error_code() == ErrorCode::STREAM_NOT_FOUND => Ok(None),
            _ => Err(failed(&format!("`{name}` cannot be looked at"), error)),
        },
    }
}

async fn make(jetstream: &Context, name: &str, config: Config) -> Result<Stream, Error> {
    match jetstream.create_stream(config).await {
        Ok(stream) => Ok(stream),
        Err(error) => match error.kind() {
            // Somebody else made it meanwhile, a little differently.
            CreateStreamErrorKind::JetStream(why) if why.error_code() == ErrorCode::STREAM_NAME_EXIST => {
                find(jetstream, name).await?.ok_or_else(|| failed(&format!("`{name}` cannot be made"), error))
            }
            _ => Err(failed(&format!("`{name}` cannot be made"), error)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Kept; 5] = [Kept::Modules, Kept::Slots, Kept::Records, Kept::Loans, Kept::Jobs];

    #[test]
    fn what_is_made_is_what_is_wanted() {
        for kept in ALL {
            assert_eq!(kept.objection("here", &kept.config("here", 3)), None, "{kept:?}");
            assert!(kept.objection("there", &kept.config("here", 3)).is_some(), "{kept:?}");
        }
    }

    #[test]
    fn what_would_lose_something_is_objected_to() {
        type Change = fn(&mut Config);
        let cases: [(&[Kept], Change, &str); 13] = [
            (&ALL, |config| config.subjects.push("other.>".into()), "subjects"),
            (&ALL, |config| config.subjects.clear(), "subjects"),
            (&ALL, |config| config.sealed = true, "sealed"),
            (&ALL, |config| config.no_ack = true, "acknowledge"),
            (&ALL, |config| config.retention = RetentionPolicy::Interest, "interest"),
            (&ALL[..3], |config| config.storage = StorageType::Memory, "memory"),
            (&ALL[..3], |config| config.max_age = Duration::from_secs(1), "TTL"),
            (
                &ALL[..4],
                |config| {
                    config.discard = DiscardPolicy::Old;
                    config.max_bytes = 1 << 20;
                },
                "oldest",
            ),
            (&[Kept::Slots], |config| config.max_messages_per_subject = 1, "history of 1"),
            (&[Kept::Slots], |config| config.discard_new_per_subject = true, "history"),
            (&[Kept::Records], |config| config.max_messages_per_subject = 5, "part"),
            (&[Kept::Loans], |config| config.max_age = Duration::ZERO, "never forgets"),
            (&[Kept::Loans], |config| config.max_age = Duration::from_secs(3600), "within 12 hours"),
        ];
        for (which, change, expected) in cases {
            for kept in which {
                let mut config = kept.config("here", 1);
                change(&mut config);
                let objection = kept.objection("here", &config).unwrap_or_default();
                assert!(objection.contains(expected), "{kept:?}: `{objection}` does not say `{expected}`");
            }
        }
    }

    #[test]
    fn what_loses_nothing_is_not_objected_to() {
        for kept in ALL {
            let config = Config { max_bytes: 1 << 30, ..kept.config("here", 1) };
            assert_eq!(kept.objection("here", &config), None, "{kept:?}");
        }
        for history in [-1, 0, 2, 10] {
            let config = Config { max_messages_per_subject: history, ..Kept::Slots.config("here", 1) };
            assert_eq!(Kept::Slots.objection("here", &config), None, "{history}");
        }
    }
}
