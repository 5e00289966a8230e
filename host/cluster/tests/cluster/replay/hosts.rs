//! Hosts of a cluster in this process, each with a connection and a store of its own, and a command for them.

use std::{collections::BTreeMap, time::Duration};

use adjudicate_cluster::{Cluster, ReplayHost, Replayed, Replays, Settings, Sources};
use adjudicate_core::{Error, Operation, Policy};
use adjudicate_host::{
    Slots, Store, codes,
    reevaluation::{Ceiling, Reevaluation, Report, Step, Version, read_line},
};
use adjudicate_sandbox::{Digest, Host};
use futures_util::StreamExt;
use tempfile::TempDir;

use crate::nats::Nats;

pub(crate) const STRICT: &str =
    r#"{"policy": "strict", "version": "2.0.0", "forbidden_paths": ["secret/**"]}"#;

/// The patience of a command that should not give up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn connect(nats: &Nats) -> Cluster {
    Cluster::connect(&Settings { patience: Duration::from_secs(30), ..Settings::at(nats.url()) }).unwrap()
}

/// A host that participates in replays.
pub(crate) struct Deciding {
    pub(crate) slots: Slots,
    pub(crate) replays: Replays,
    _directory: TempDir,
}

pub(crate) fn deciding(nats: &Nats, name: &str, unsigned: bool) -> Deciding {
    let directory = TempDir::new().unwrap();
    let slots = Slots::open(Store::open(&directory.path().join("store")).unwrap(), host()).unwrap();
    let ceiling = Ceiling { unsigned, ..Ceiling::default() };
    let settings = ReplayHost { name: name.to_owned(), at_once: 2, ceiling, ..ReplayHost::default() };
    let replays = connect(nats).serve_replays(&slots, settings).unwrap();
    Deciding { slots, replays, _directory: directory }
}

pub(crate) fn host() -> Host {
    Host::new(adjudicate_sandbox::Settings { instances: 8, ..Default::default() }).unwrap()
}

/// An envelope of this run that changes this file.
pub(crate) fn envelope(run: &str, path: &str) -> String {
    adjudicate_tests::envelope! { steps: r#"["publish","fix","rollback"]"#, diff: r#"" M PATH\n""#, }
        .replacen(r#""run_id":"r""#, &format!(r#""run_id":"{run}""#), 1)
        .replacen("PATH", path, 1)
}

/// Envelopes, mixed with invalid lines.
pub(crate) fn lines(count: usize) -> Vec<String> {
    let line = |number: usize| match number % 60 {
        17 => "{broken".to_owned(),
        18 => "[]".to_owned(),
        _ => envelope(
            &format!("run-{number}"),
            if number.is_multiple_of(7) { "secret/key" } else { "src/lib.rs" },
        ),
    };
    (0..count).map(line).collect()
}

pub(crate) fn steps(lines: &[String]) -> impl Iterator<Item = Result<Step, Error>> {
    lines.iter().zip(1..).map(|(line, number)| {
        Ok(match read_line(number, line.as_bytes(), Operation::Evaluate) {
            Ok(line) => Step::Line(line),
            Err(error) => Step::Bad(number, error),
        })
    })
}

pub(crate) fn strict() -> Version {
    Version::Policy(Box::new(Policy::parse(STRICT.as_bytes()).unwrap()))
}

pub(crate) fn again(before: Option<Version>, after: Version) -> Reevaluation {
    let expectations = vec!["success->unsafe".parse().unwrap()];
    Reevaluation {
        before,
        unrecorded: Version::Engine,
        after,
        threads: 2,
        samples: 5,
        expectations,
        least: 1,
    }
}

/// The report in the form for programs. The page of the command has the same data.
pub(crate) fn told(report: &Report) -> String {
    serde_json::to_string(report).unwrap()
}

/// The modules and policies of a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub(crate) modules: BTreeMap<Digest, Vec<u8>>,
}

impl Kept {
    pub(crate) fn new(modules: &[&[u8]]) -> Self {
        Self { modules: modules.iter().map(|bytes| (Digest::sha256(bytes), bytes.to_vec())).collect() }
    }
}

impl Sources for Kept {
    fn module(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let missing = || Error::new(codes::UNKNOWN_MODULE, format!("there is no `{digest}`"));
        self.modules.get(&digest).cloned().ok_or_else(missing)
    }

    fn policy(&self, digest: &str) -> Result<Vec<u8>, Error> {
        assert_eq!(digest, Policy::parse(STRICT.as_bytes()).unwrap().digest());
        Ok(STRICT.as_bytes().to_vec())
    }
}

/// Replays lines through the cluster. Returns the report and the statistics.
pub(crate) fn replay(
    cluster: &Cluster,
    again: &Reevaluation,
    kept: Kept,
    lines: &[String],
) -> Result<(Report, Replayed), Error> {
    let replay = cluster.replay(kept, PATIENCE)?;
    let report = again.run_remotely(steps(lines), &replay, |_| {})?;
    Ok((report, replay.finish()))
}

/// The number of jobs in the queue.
pub(crate) fn queued(cluster: &Cluster) -> u64 {
    let (jetstream, name) = (cluster.jetstream(), format!("{}-replay", cluster.name()));
    let stream = cluster.handle().block_on(async move { jetstream.get_stream(name).await });
    stream.unwrap().cached_info().state.messages
}

/// The number of messages in a stream, without the marks of deleted objects.
pub(crate) fn objects(cluster: &Cluster, store: &str) -> u64 {
    let (jetstream, store) = (cluster.jetstream(), format!("{}-{store}", cluster.name()));
    cluster.handle().block_on(async move {
        let stream = jetstream.get_stream(format!("OBJ_{store}")).await.unwrap();
        let pieces = stream.info_with_subjects(format!("$O.{store}.C.>")).await.unwrap();
        let pieces = pieces.map(|subject| u64::try_from(subject.unwrap().1).unwrap());
        let pieces: Vec<u64> = pieces.collect().await;
        let named = jetstream.get_object_store(store).await.unwrap().list().await.unwrap();
        pieces.iter().sum::<u64>() + named.count().await as u64
    })
}
