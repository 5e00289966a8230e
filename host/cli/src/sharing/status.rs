//! The state of a host in its cluster, and its log lines.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adjudicate_cluster::Cluster;
use adjudicate_core::{Error, document::Describe};
use adjudicate_serve::ClusterState;
use serde::Serialize;

use super::{ClusterWork, ConnectedParts};
use crate::{environment::Environment, layout, output};

/// The age up to which a notice of the server is reported: longer than the time between two reports.
const NOTICE_AGE: Duration = Duration::from_secs(5);

/// Logs the state of this host in the cluster when it changes.
#[derive(Debug)]
pub(super) struct StatusLog {
    env: Environment,
    /// True after the server reported that it listens, which must be its first line.
    is_logging: AtomicBool,
    /// The server's notice about a subscription that this host may not make.
    refused: Mutex<Option<String>>,
    line_text: Mutex<Option<ClusterStatus>>,
}

/// The state that is reported.
#[derive(Clone, Debug, Default, PartialEq, Describe, Serialize)]
struct ClusterStatus {
    /// True while the host has a connection to the cluster.
    connected: bool,
    /// The error of the connection.
    #[serde(rename = "trouble", skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
    /// The reason for which this host gets no calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<String>,
    /// The reasons for which slots differ from the cluster, by slot. The empty name stands for slots that are not named.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    slots: BTreeMap<String, String>,
    /// The reasons for which records are not sent, by slot. The empty name has the error if none are sent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    records: BTreeMap<String, String>,
}

/// The line that reports a change of the state in the cluster.
#[derive(Describe, Serialize)]
pub(crate) struct StatusLine<'a> {
    /// The state of this host.
    cluster: &'a ClusterStatus,
}

impl ClusterWork {
    /// Returns the state of this host in the cluster, and logs it if it changed.
    pub(super) fn report(&self) -> ClusterState {
        let (status, records_waiting) = self.status(&self.shared());
        self.status_log.log_change(&status);
        let ClusterStatus { problem, calls, slots, records, .. } = status;
        let single = problem.into_iter().chain(calls);
        let problems = single.chain(slots.into_values()).chain(records.into_values()).collect();
        ClusterState { problems, records_waiting }
    }

    fn status(&self, shared: &ConnectedParts) -> (ClusterStatus, u64) {
        let texts = |problems: BTreeMap<String, Error>| {
            problems.into_iter().map(|(slot, error)| (slot, error.to_string())).collect::<BTreeMap<_, _>>()
        };
        let connected = shared.cluster.as_ref().is_some_and(Cluster::is_connected);
        let unjoined = |why: &Error| format!("the cluster was not joined since this host started: {why}");
        let (problem, calls) = match (&shared.following, &shared.problem) {
            (Some(following), why) => (following.problem().map(|error| error.to_string()), why.as_ref()),
            (None, why) => (why.as_ref().map(unjoined), None),
        };
        let notice = shared.cluster.as_ref().and_then(|cluster| cluster.notice(NOTICE_AGE));
        let refused = self.status_log.refused(connected, notice);
        let (records, waiting) = match &shared.forwarding {
            Some(forwarding) => (texts(forwarding.problems()), forwarding.waiting().into_values().sum()),
            None => (BTreeMap::new(), 0),
        };
        let status = ClusterStatus {
            connected,
            problem,
            calls: refused.or_else(|| calls.map(ToString::to_string)),
            slots: texts(self.slots.problems()),
            records,
        };
        (status, waiting)
    }
}

impl StatusLog {
    pub(super) fn new(env: &Environment) -> Self {
        let (env, is_logging) = (env.clone(), AtomicBool::default());
        Self { env, is_logging, refused: Mutex::default(), line_text: Mutex::default() }
    }

    /// Returns the server's notice about a subscription that this host may not make. A server sends it once per connection.
    fn refused(&self, connected: bool, notice: Option<String>) -> Option<String> {
        let mut refused = lock(&self.refused);
        if !connected {
            *refused = None;
        }
        if let Some(notice) = notice.filter(|notice| notice.contains("Violation for Subscription")) {
            *refused = Some(notice);
        }
        refused.clone()
    }

    /// Starts logging.
    pub(super) fn start_logging(&self) {
        self.is_logging.store(true, Ordering::Relaxed);
    }

    fn log_change(&self, status: &ClusterStatus) {
        if !self.is_logging.load(Ordering::Relaxed) {
            return;
        }
        let mut line_text = lock(&self.line_text);
        if line_text.as_ref() == Some(status) {
            return;
        }
        // A first state without problems is not logged.
        let is_well = ClusterStatus { connected: true, ..ClusterStatus::default() } == *status;
        if line_text.is_some() || !is_well {
            output::error_line(&self.env, &layout::json(&StatusLine { cluster: status }));
        }
        *line_text = Some(status.clone());
    }
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
