//! The work of a server as a member of its cluster: slots, records, replays and calls.
//!
//! ```text
//! reached at the start, or by a thread that seeks it -> slots follow, records go there, jobs are taken -> calls are taken
//! ```

mod account;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use adjudicate_cluster::{Awaited, Cluster, Following, Forwarding, ReplayHost, Replays};
use adjudicate_core::Error;
use adjudicate_host::{Slots, reevaluation::Ceiling};
use adjudicate_serve::{Group, Nats, Server};
use serde::Serialize;

use crate::{
    cluster::{Membership, Others},
    codes,
    failure::Failure,
    output,
};
use account::Teller;

/// The least time to send records when the server ends.
const LAST: Duration = Duration::from_secs(1);

/// The time between two attempts to reach the cluster.
const AGAIN: Duration = Duration::from_secs(2);

/// The cluster in the report of the server.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WhichCluster {
    name: String,
    id: String,
    host: String,
    /// Where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<bool>,
}

/// The background work of a host in a cluster.
#[derive(Debug)]
pub(crate) struct Sharing {
    which: WhichCluster,
    awaited: Option<Arc<Awaited>>,
    beside: Arc<Beside>,
}

#[derive(Debug)]
struct Beside {
    slots: Slots,
    /// Jobs are taken as this host.
    taking_part: ReplayHost,
    shared: Mutex<Shared>,
    teller: Teller,
}

/// What is shared by now.
#[derive(Debug, Default)]
struct Shared {
    cluster: Option<Cluster>,
    following: Option<Following>,
    forwarding: Option<Forwarding>,
    replays: Option<Replays>,
    /// Why the cluster is not reached, or its calls are not taken, though they were to be.
    trouble: Option<Error>,
    /// Whether the server is ending, so that no work begins.
    is_over: bool,
}

impl Sharing {
    /// Begins to send the slots' records to the cluster, and to take part in its replays, as soon as the cluster is reached.
    pub(crate) fn begin(others: Others, slots: &Slots, nats: &Membership) -> Result<Self, Failure> {
        let (name, awaited) = match &others {
            Others::Followed(cluster, _, awaited) => (cluster.name(), awaited.clone()),
            Others::Awaited(awaited, _) => (awaited.name(), Some(Arc::clone(awaited))),
        };
        let store = slots.store();
        let (Some(id), Some(host)) = (store.cluster_id()?, store.host_id()?) else {
            let message = "the store was bound to the cluster, and has no id";
            return Err(Error::new(codes::HOST_FAULT, message).into());
        };
        let reached = matches!(others, Others::Awaited(..)).then_some(false);
        let which = WhichCluster { name: name.to_owned(), id, host: host.clone(), reached };
        let ceiling = Ceiling { unsigned: nats.nats_allow_unsigned, ..Ceiling::default() };
        let beside = Arc::new(Beside {
            slots: slots.clone(),
            taking_part: ReplayHost { name: host, ceiling, ..ReplayHost::default() },
            shared: Mutex::default(),
            teller: Teller::default(),
        });
        match others {
            Others::Followed(cluster, following, _) => beside.share(cluster, following, None)?,
            Others::Awaited(_, why) => beside.shared().trouble = Some(why),
        }
        Ok(Self { which, awaited, beside })
    }

    pub(crate) const fn which(&self) -> &WhichCluster {
        &self.which
    }

    /// Returns the cluster of the server.
    fn nats(&self) -> Nats {
        let beside = Arc::clone(&self.beside);
        let WhichCluster { name, id, host, .. } = self.which.clone();
        Nats { cluster: name, id, host, standing: Box::new(move || beside.look()) }
    }

    /// Takes calls of the cluster; where it need not be reached yet and is not, seeks it from now on, and takes them then.
    pub(crate) fn join(&self, server: &Server) -> Result<(), Failure> {
        let group = server.group(self.nats())?;
        let beside = Arc::clone(&self.beside);
        let is_reached = beside.shared().cluster.is_some();
        let (awaited, joined) = match &self.awaited {
            None => return Ok(beside.take_calls(&group)?),
            Some(awaited) if is_reached => (Arc::clone(awaited), beside.take_calls(&group)),
            Some(awaited) => (Arc::clone(awaited), Err(beside.why_not())),
        };
        let Err(mut why) = joined else { return Ok(()) };
        if why.code() != codes::CLUSTER_FAULT {
            return Err(why.into());
        }
        let seek = move || {
            while beside.goes_on(why) {
                thread::sleep(AGAIN);
                match beside.reach(&awaited, &group) {
                    Ok(()) => return,
                    Err(error) => why = error,
                }
            }
        };
        let thread = thread::Builder::new().name("adjudicate-seek".to_owned()).spawn(seek);
        thread.map_err(|error| {
            let message = format!("the thread that seeks the cluster cannot be started: {error}");
            Error::new(codes::HOST_FAULT, message)
        })?;
        Ok(())
    }

    /// Reports the state of this host in the cluster from now on.
    pub(crate) fn speak(&self) {
        self.beside.teller.speak();
    }

    /// Takes no more jobs of replays, so that other hosts get them, and stops trying to reach the cluster.
    pub(crate) fn leave(&self) {
        let mut shared = self.beside.shared();
        shared.is_over = true;
        if let Some(replays) = &shared.replays {
            replays.leave();
        }
    }

    /// Stops following the cluster, and sends records until a deadline. Returns whether all were sent.
    pub(crate) fn end(self, end: Instant) -> bool {
        self.leave();
        let over = Shared { is_over: true, ..Shared::default() };
        let shared = std::mem::replace(&mut *self.beside.shared(), over);
        let Shared { cluster, following, forwarding, replays, .. } = shared;
        drop(following);
        if let Some(replays) = replays {
            // Records have the time that is left: jobs are decided by others as well.
            replays.finish(end.saturating_duration_since(Instant::now()).min(LAST));
        }
        // Without a connection nothing is sent, and records are as safe in the store then as they were before.
        let left = match cluster.is_some_and(|cluster| cluster.is_connected()) {
            true => end.saturating_duration_since(Instant::now()).max(LAST),
            false => LAST,
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
                output::error_line(&error.to_json());
                false
            }
        }
    }
}

impl Beside {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the error of the latest attempt to reach the cluster.
    fn why_not(&self) -> Error {
        self.shared().trouble.clone().unwrap_or_else(not_yet)
    }

    /// Notes what was in the way; whether it is tried again.
    fn goes_on(&self, why: Error) -> bool {
        let mut shared = self.shared();
        shared.trouble = Some(why);
        !shared.is_over
    }

    /// Tries to reach the cluster, and begins the work of a host there.
    fn reach(&self, awaited: &Awaited, group: &Group) -> Result<(), Error> {
        if self.shared().cluster.is_none() {
            let cluster = awaited.reach()?;
            let following = cluster.follow(&self.slots)?;
            self.share(cluster, following, Some(not_yet()))?;
        }
        self.take_calls(group)
    }

    /// Sends records there, and takes part in replays; this is in the way of calls until they are taken.
    fn share(&self, cluster: Cluster, following: Following, trouble: Option<Error>) -> Result<(), Error> {
        let forwarding = Some(cluster.forward_records(self.slots.store())?);
        let replays = Some(cluster.serve_replays(&self.slots, self.taking_part.clone())?);
        let (cluster, following) = (Some(cluster), Some(following));
        let mut shared = self.shared();
        if !shared.is_over {
            *shared = Shared { cluster, following, forwarding, replays, trouble, is_over: false };
        }
        Ok(())
    }

    /// Takes calls, where the cluster is reached.
    fn take_calls(&self, group: &Group) -> Result<(), Error> {
        let client = self.shared().cluster.as_ref().map(Cluster::client);
        if let Some(client) = client {
            group.join(&client)?;
        }
        self.shared().trouble = None;
        Ok(())
    }
}

fn not_yet() -> Error {
    Error::new(codes::CLUSTER_FAULT, "the calls of the cluster are not taken yet")
}
