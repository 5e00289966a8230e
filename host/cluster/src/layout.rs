//! The names and settings of buckets and streams. Creates the missing ones.
//!
//! An existing bucket or stream is used if its settings lose no data. Its settings are never changed.

use adjudicate_core::Error;
use async_nats::jetstream::{
    Context, ErrorCode,
    context::{CreateStreamErrorKind, GetStreamErrorKind},
    stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream},
};

use crate::fault::{failed, fault};

/// The number of entries per slot in the bucket: the maximum of NATS.
const HISTORY: i64 = 64;
/// The smallest accepted history. With fewer entries, a new host could not roll back.
const LEAST_HISTORY: i64 = 2;

/// A bucket or stream of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// The object store of modules.
    Modules,
    /// The key-value bucket of slots.
    Slots,
    Records,
}

impl Storage {
    pub(crate) fn name(self, cluster: &str) -> String {
        match self {
            Self::Modules => format!("{cluster}-modules"),
            Self::Slots => format!("{cluster}-slots"),
            Self::Records => format!("{cluster}-records"),
        }
    }

    pub(crate) fn stream(self, cluster: &str) -> String {
        let name = self.name(cluster);
        match self {
            Self::Modules => format!("OBJ_{name}"),
            Self::Slots => format!("KV_{name}"),
            Self::Records => name,
        }
    }

    fn subjects(self, cluster: &str) -> Vec<String> {
        let name = self.name(cluster);
        match self {
            Self::Modules => vec![format!("$O.{name}.C.>"), format!("$O.{name}.M.>")],
            Self::Slots => vec![format!("$KV.{name}.>")],
            Self::Records => vec![format!("{cluster}.records.>")],
        }
    }

    const fn about(self) -> &'static str {
        match self {
            Self::Modules => "policy modules, by digest",
            Self::Slots => "which policy decides in each slot",
            Self::Records => "decision records of all hosts",
        }
    }

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
            // No message or purge can delete a slot, not even by mistake.
            Self::Slots => {
                Config { max_messages_per_subject: HISTORY, deny_delete: true, deny_purge: true, ..all }
            }
            // The oldest records may be purged after they are stored in another place.
            Self::Records => Config { deny_delete: true, ..all },
        }
    }

    /// Returns the reason why existing settings are not acceptable, if there is one.
    fn objection(self, cluster: &str, found: &Config) -> Option<String> {
        let mut subjects = found.subjects.clone();
        subjects.sort();
        if found.mirror.is_some() || found.sources.as_ref().is_some_and(|sources| !sources.is_empty()) {
            return Some("is a copy of another one".to_owned());
        }
        if subjects != self.subjects(cluster) {
            return Some(format!("has the subjects {}", shown(&found.subjects)));
        }
        if found.retention != RetentionPolicy::Limits {
            return Some(format!("has the retention policy {:?}", found.retention).to_lowercase());
        }
        let is_bounded = found.max_bytes > 0 || found.max_messages > 0;
        let reasons = [
            (found.sealed, "is sealed"),
            (found.no_ack, "does not acknowledge messages"),
            (found.subject_transform.is_some(), "renames subjects"),
            (found.storage == StorageType::Memory, "is stored in memory only"),
            (!found.max_age.is_zero(), "removes messages by age (max age, TTL)"),
            (self == Self::Slots && found.discard_new_per_subject, "rejects messages beyond its history"),
            (
                found.discard == DiscardPolicy::Old && is_bounded,
                "discards the oldest messages when it is full",
            ),
            (self == Self::Records && found.max_messages_per_subject > 0, "keeps only a part of each chain"),
        ];
        let reason = reasons.into_iter().find(|(holds, _)| *holds).map(|(_, reason)| reason.to_owned());
        let history = found.max_messages_per_subject;
        let is_short = self == Self::Slots && (1..LEAST_HISTORY).contains(&history);
        reason.or_else(|| {
            is_short.then(|| format!("keeps a history of {history}, but needs at least {LEAST_HISTORY}"))
        })
    }
}

fn shown(subjects: &[String]) -> String {
    let shown: Vec<String> = subjects.iter().take(4).map(|subject| format!("`{subject}`")).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}

/// Opens the bucket or stream, and creates it if it does not exist.
pub(crate) async fn open(
    jetstream: &Context,
    cluster: &str,
    replicas: usize,
    kept: Storage,
) -> Result<Stream, Error> {
    let name = kept.stream(cluster);
    let stream = match find(jetstream, &name).await? {
        Some(stream) => stream,
        None => make(jetstream, &name, kept.config(cluster, replicas)).await?,
    };
    match kept.objection(cluster, &stream.cached_info().config) {
        None => Ok(stream),
        Some(objection) => {
            Err(fault(format!("`{name}` exists and {objection}, so it cannot hold {}", kept.about())))
        }
    }
}

pub(crate) async fn find(jetstream: &Context, name: &str) -> Result<Option<Stream>, Error> {
    match jetstream.get_stream(name).await {
        Ok(stream) => Ok(Some(stream)),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(why) if why.error_code() == ErrorCode::STREAM_NOT_FOUND => Ok(None),
            _ => Err(failed(&format!("`{name}` cannot be inspected"), error)),
        },
    }
}

async fn make(jetstream: &Context, name: &str, config: Config) -> Result<Stream, Error> {
    match jetstream.create_stream(config).await {
        Ok(stream) => Ok(stream),
        Err(error) => match error.kind() {
            // Another host created it with slightly different settings meanwhile.
            CreateStreamErrorKind::JetStream(why) if why.error_code() == ErrorCode::STREAM_NAME_EXIST => {
                find(jetstream, name).await?.ok_or_else(|| failed(&format!("`{name}` cannot be made"), error))
            }
            _ => Err(failed(&format!("`{name}` cannot be made"), error)),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const ALL: [Storage; 3] = [Storage::Modules, Storage::Slots, Storage::Records];

    #[test]
    fn created_streams_are_accepted() {
        for kept in ALL {
            assert_eq!(kept.objection("here", &kept.config("here", 3)), None, "{kept:?}");
            assert!(kept.objection("there", &kept.config("here", 3)).is_some(), "{kept:?}");
        }
    }

    #[test]
    fn settings_that_lose_data_are_rejected() {
        type Change = fn(&mut Config);
        let cases: [(&[Storage], Change, &str); 11] = [
            (&ALL, |config| config.subjects.push("other.>".into()), "subjects"),
            (&ALL, |config| config.subjects.clear(), "subjects"),
            (&ALL, |config| config.sealed = true, "sealed"),
            (&ALL, |config| config.no_ack = true, "acknowledge"),
            (&ALL, |config| config.retention = RetentionPolicy::Interest, "interest"),
            (&ALL, |config| config.storage = StorageType::Memory, "memory"),
            (&ALL, |config| config.max_age = Duration::from_secs(1), "TTL"),
            (
                &ALL,
                |config| {
                    config.discard = DiscardPolicy::Old;
                    config.max_bytes = 1 << 20;
                },
                "oldest",
            ),
            (&[Storage::Slots], |config| config.max_messages_per_subject = 1, "history of 1"),
            (&[Storage::Slots], |config| config.discard_new_per_subject = true, "history"),
            (&[Storage::Records], |config| config.max_messages_per_subject = 5, "part"),
        ];
        for (which, change, expected) in cases {
            for kept in which {
                let mut config = kept.config("here", 1);
                change(&mut config);
                let objection = kept.objection("here", &config).unwrap_or_default();
                assert!(
                    objection.contains(expected),
                    "{kept:?}: `{objection}` does not contain `{expected}`"
                );
            }
        }
    }

    #[test]
    fn other_settings_that_lose_no_data_are_accepted() {
        for kept in ALL {
            let config = Config { max_bytes: 1 << 30, ..kept.config("here", 1) };
            assert_eq!(kept.objection("here", &config), None, "{kept:?}");
        }
        for history in [-1, 0, 2, 10] {
            let config = Config { max_messages_per_subject: history, ..Storage::Slots.config("here", 1) };
            assert_eq!(Storage::Slots.objection("here", &config), None, "{history}");
        }
    }
}
