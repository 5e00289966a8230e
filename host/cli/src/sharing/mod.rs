//! The work of a server in its cluster: slots, records and calls.
//!
//! ```text
//! reached at the start, or by a thread that seeks it -> slots follow, records go there -> calls are accepted
//! ```

mod status;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use adjudicate_cluster::{Cluster, Following, Forwarding, LazyConnection};
use adjudicate_core::{Error, document::Describe};
use adjudicate_host::Slots;
use adjudicate_serve::{Group, Nats, Server};
use serde::Serialize;

use crate::{cluster::OtherHosts, codes, environment::Environment, failure::Failure, output};
pub(crate) use status::StatusLine;
use status::StatusLog;

/// The least time to send records when the server ends.
const MIN_SEND_TIME: Duration = Duration::from_secs(1);

/// The time between two attempts to reach the cluster.
const RETRY_PAUSE: Duration = Duration::from_secs(2);

/// The cluster in the report of the server.
#[derive(Clone, Debug, Describe, Serialize)]
pub(crate) struct ClusterReport {
    /// The name of the cluster.
    name: String,
    /// The id of the cluster.
    id: String,
    /// The id of this host.
    host: String,
    /// `false` if the cluster was not reached at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<bool>,
}

/// The background work of a host in a cluster.
#[derive(Debug)]
pub(crate) struct Sharing {
    cluster_report: ClusterReport,
    lazy_connection: Option<Arc<LazyConnection>>,
    work: Arc<ClusterWork>,
}

#[derive(Debug)]
struct ClusterWork {
    slots: Slots,
    shared: Mutex<ConnectedParts>,
    status_log: StatusLog,
}

/// The parts of the cluster that are connected so far.
#[derive(Debug, Default)]
struct ConnectedParts {
    cluster: Option<Cluster>,
    following: Option<Following>,
    forwarding: Option<Forwarding>,
    /// The reason for which the cluster is not reached, or for which its calls do not come.
    problem: Option<Error>,
    /// True if the server is ending, so that no work begins.
    is_ending: bool,
}

impl Sharing {
    /// Begins the work of a host: sends records to the cluster as soon as the cluster is reached.
    pub(crate) fn begin(other_hosts: OtherHosts, slots: &Slots, env: &Environment) -> Result<Self, Failure> {
        let (name, lazy_connection) = match &other_hosts {
            OtherHosts::Followed(cluster, _, lazy_connection) => (cluster.name(), lazy_connection.clone()),
            OtherHosts::LazyConnection(lazy_connection, _) => {
                (lazy_connection.name(), Some(Arc::clone(lazy_connection)))
            }
        };
        let store = slots.store();
        let (Some(id), Some(host)) = (store.cluster_id()?, store.host_id()?) else {
            let message = "the store was bound to the cluster, and has no id";
            return Err(Error::new(codes::HOST_FAULT, message).into());
        };
        let reached = matches!(other_hosts, OtherHosts::LazyConnection(..)).then_some(false);
        let cluster_report = ClusterReport { name: name.to_owned(), id, host, reached };
        let work = Arc::new(ClusterWork {
            slots: slots.clone(),
            shared: Mutex::default(),
            status_log: StatusLog::new(env),
        });
        match other_hosts {
            OtherHosts::Followed(cluster, following, _) => work.share(cluster, following, None)?,
            OtherHosts::LazyConnection(_, why) => work.shared().problem = Some(why),
        }
        Ok(Self { cluster_report, lazy_connection, work })
    }

    pub(crate) const fn cluster_report(&self) -> &ClusterReport {
        &self.cluster_report
    }

    /// Returns the cluster of the server.
    fn nats(&self) -> Nats {
        let work = Arc::clone(&self.work);
        let ClusterReport { name, id, host, .. } = self.cluster_report.clone();
        Nats { cluster: name, id, host, cluster_state: Box::new(move || work.report()) }
    }

    /// Accepts calls from the cluster. If the cluster is optional and cannot be reached, a thread retries from now on.
    pub(crate) fn join(&self, server: &Server) -> Result<(), Failure> {
        let group = server.group(self.nats())?;
        let work = Arc::clone(&self.work);
        let is_reached = work.shared().cluster.is_some();
        let (lazy_connection, joined) = match &self.lazy_connection {
            None => return Ok(work.accept_calls(&group)?),
            Some(lazy_connection) if is_reached => (Arc::clone(lazy_connection), work.accept_calls(&group)),
            Some(lazy_connection) => (Arc::clone(lazy_connection), Err(work.last_error())),
        };
        let Err(mut why) = joined else { return Ok(()) };
        if why.code() != codes::CLUSTER_FAULT {
            return Err(why.into());
        }
        let seek = move || {
            while work.note_failure(why) {
                thread::sleep(RETRY_PAUSE);
                match work.reach(&lazy_connection, &group) {
                    Ok(()) => return,
                    Err(error) => why = error,
                }
            }
        };
        let thread = thread::Builder::new().name("adjudicate-seek".to_owned()).spawn(seek);
        thread.map_err(|error| {
            let message = "the thread that seeks the cluster cannot be started";
            Error::caused_by(codes::HOST_FAULT, message, error)
        })?;
        Ok(())
    }

    /// Reports the state of this host in the cluster from now on.
    pub(crate) fn start_logging(&self) {
        self.work.status_log.start_logging();
    }

    /// Stops trying to reach the cluster.
    pub(crate) fn leave(&self) {
        self.work.shared().is_ending = true;
    }

    /// Stops following the cluster, and sends records until a deadline. Returns whether all were sent.
    pub(crate) fn end(self, end: Instant, env: &Environment) -> bool {
        self.leave();
        let ended = ConnectedParts { is_ending: true, ..ConnectedParts::default() };
        let shared = std::mem::replace(&mut *self.work.shared(), ended);
        let ConnectedParts { cluster, following, forwarding, .. } = shared;
        drop(following);
        // Without a connection nothing can be sent. The records stay in the store.
        let left = match cluster.is_some_and(|cluster| cluster.is_connected()) {
            true => end.saturating_duration_since(Instant::now()).max(MIN_SEND_TIME),
            false => MIN_SEND_TIME,
        };
        let sent = match forwarding {
            Some(forwarding) => forwarding.finish(left),
            None => Err(Error::new(
                codes::CLUSTER_FAULT,
                "the cluster was not reached: decision records that it does not have stay in the store",
            )),
        };
        match sent {
            Ok(()) => true,
            Err(error) => {
                output::error_line(env, &error.to_json());
                false
            }
        }
    }
}

impl ClusterWork {
    fn shared(&self) -> MutexGuard<'_, ConnectedParts> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the error of the latest attempt to reach the cluster.
    fn last_error(&self) -> Error {
        self.shared().problem.clone().unwrap_or_else(calls_not_accepted)
    }

    /// Stores the error of the latest attempt. Returns whether to try again.
    fn note_failure(&self, why: Error) -> bool {
        let mut shared = self.shared();
        shared.problem = Some(why);
        !shared.is_ending
    }

    /// Tries to reach the cluster, and begins the work of a host there.
    fn reach(&self, lazy_connection: &LazyConnection, group: &Group) -> Result<(), Error> {
        if self.shared().cluster.is_none() {
            let cluster = lazy_connection.reach()?;
            let following = cluster.follow(&self.slots)?;
            self.share(cluster, following, Some(calls_not_accepted()))?;
        }
        self.accept_calls(group)
    }

    /// Starts sending records. `problem` stays reported until calls are accepted.
    fn share(&self, cluster: Cluster, following: Following, problem: Option<Error>) -> Result<(), Error> {
        let forwarding = Some(cluster.forward_records(self.slots.store())?);
        let (cluster, following) = (Some(cluster), Some(following));
        let mut shared = self.shared();
        if !shared.is_ending {
            *shared = ConnectedParts { cluster, following, forwarding, problem, is_ending: false };
        }
        Ok(())
    }

    /// Accepts calls, if the cluster is reached.
    fn accept_calls(&self, group: &Group) -> Result<(), Error> {
        let client = self.shared().cluster.as_ref().map(Cluster::client);
        if let Some(client) = client {
            group.join(&client)?;
        }
        self.shared().problem = None;
        Ok(())
    }
}

fn calls_not_accepted() -> Error {
    Error::new(codes::CLUSTER_FAULT, "the calls of the cluster are not taken yet")
}
