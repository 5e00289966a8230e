//! What a server shares with the other hosts of its cluster, from its first call to its last.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_cluster::{Cluster, Following, Forwarding, ReplayHost, Replays};
use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::{Slots, Store, reevaluation::Ceiling};
use adjudicate_serve::{Nats, Standing};
use serde::Serialize;

use crate::{failure::Failure, layout, output};

/// How long records are sent at least when the server ends, however long its calls took.
const LAST: Duration = Duration::from_secs(1);

/// What is told of the cluster.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct WhichCluster {
    name: String,
    id: String,
    host: String,
}

/// How long ago a server may have said what is told of it: longer than it takes to look again.
const NEWS: Duration = Duration::from_secs(5);

/// What goes on beside the server's calls.
#[derive(Debug)]
pub(crate) struct Sharing {
    cluster: Cluster,
    host: String,
    beside: Arc<Beside>,
}

/// Slots that follow the cluster, records that go there, replays that are taken part in, and what was said of each.
#[derive(Debug)]
struct Beside {
    following: Mutex<Option<Following>>,
    forwarding: Mutex<Option<Forwarding>>,
    /// What this host may not hear, by the server's words.
    refused: Mutex<Option<String>>,
    replays: Mutex<Option<Replays>>,
    told: Mutex<Option<Account>>,
}

/// What is said of how this host stands with the others, whenever that is other than before.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Account {
    connected: bool,
    /// Why nothing is heard of the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    /// Why calls do not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<String>,
    /// Slots that are not as the cluster has them; under the empty name, that there are more than are named.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    slots: BTreeMap<String, String>,
    /// Slots whose records are not sent; under the empty name, why none are.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    records: BTreeMap<String, String>,
    /// What was wrong with the last job of a replay, or why none are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    replays: Option<String>,
}

#[derive(Serialize)]
struct Told<'a> {
    cluster: &'a Account,
}

impl Sharing {
    /// Begins to send the store's records to the cluster, and to take part in its replays.
    pub(crate) fn begin(
        cluster: Cluster,
        following: Following,
        slots: &Slots,
        unsigned: bool,
    ) -> Result<Self, Failure> {
        let store: &Store = slots.store();
        let host = store.host_id()?.ok_or_else(|| {
            Error::new(ErrorCode::HostFault, "the store was bound to the cluster, and has no id")
        })?;
        let forwarding = cluster.forward_records(store)?;
        let ceiling = Ceiling { unsigned, ..Ceiling::default() };
        let taking_part = ReplayHost { name: host.clone(), ceiling, ..ReplayHost::default() };
        let replays = cluster.serve_replays(slots, taking_part)?;
        let beside = Arc::new(Beside {
            following: Mutex::new(Some(following)),
            forwarding: Mutex::new(Some(forwarding)),
            refused: Mutex::default(),
            replays: Mutex::new(Some(replays)),
            told: Mutex::default(),
        });
        Ok(Self { cluster, host, beside })
    }

    pub(crate) fn which(&self) -> WhichCluster {
        let (name, id) = (self.cluster.name().to_owned(), self.cluster.id().to_owned());
        WhichCluster { name, id, host: self.host.clone() }
    }

    /// What the server answers calls over.
    pub(crate) fn nats(&self, slots: &Slots) -> Nats {
        let (cluster, slots, beside) = (self.cluster.clone(), slots.clone(), Arc::clone(&self.beside));
        Nats {
            client: self.cluster.client(),
            cluster: self.cluster.name().to_owned(),
            id: self.cluster.id().to_owned(),
            host: self.host.clone(),
            standing: Box::new(move || beside.look(&slots, &cluster)),
        }
    }

    /// Takes no more jobs of replays: others get them.
    pub(crate) fn leave_replays(&self) {
        if let Some(replays) = &*lock(&self.beside.replays) {
            replays.leave();
        }
    }

    /// Ends: nothing of the cluster is followed any more, and what was recorded is sent until then. Whether all was.
    pub(crate) fn end(self, end: Instant) -> bool {
        drop(lock(&self.beside.following).take());
        let replays = lock(&self.beside.replays).take();
        if let Some(replays) = replays {
            // Records have the time that is left: jobs are decided by others as well.
            replays.finish(end.saturating_duration_since(Instant::now()).min(LAST));
        }
        // Without a connection nothing is sent, and records are as safe in the store then as they were before.
        let left = match self.cluster.is_connected() {
            true => end.saturating_duration_since(Instant::now()).max(LAST),
            false => LAST,
        };
        let forwarding = lock(&self.beside.forwarding).take();
        match forwarding.map_or(Ok(()), |forwarding| forwarding.finish(left)) {
            Ok(()) => true,
            Err(error) => {
                output::error_line(&error.to_json());
                false
            }
        }
    }
}

impl Beside {
    /// How this host stands with the others. Says it where it is other than before.
    fn look(&self, slots: &Slots, cluster: &Cluster) -> Standing {
        let connected = cluster.is_connected();
        let said = |troubles: BTreeMap<String, Error>| {
            troubles.into_iter().map(|(slot, error)| (slot, error.to_string())).collect::<BTreeMap<_, _>>()
        };
        let trouble = lock(&self.following).as_ref().and_then(Following::trouble);
        let (records, waiting) = match &*lock(&self.forwarding) {
            Some(forwarding) => (said(forwarding.troubles()), forwarding.waiting().into_values().sum()),
            None => (BTreeMap::new(), 0),
        };
        let trouble = trouble.map(|error| error.to_string());
        let replays = lock(&self.replays).as_ref().and_then(Replays::trouble).map(|error| error.to_string());
        let calls = self.refused(connected, cluster.notice(NEWS));
        let account = Account { connected, trouble, calls, slots: said(slots.troubles()), records, replays };
        self.tell(&account);
        let Account { trouble, calls, slots, records, .. } = account;
        let single = trouble.into_iter().chain(calls);
        let troubles = single.chain(slots.into_values()).chain(records.into_values()).collect();
        Standing { troubles, records_waiting: waiting }
    }

    /// What this host may not subscribe to. A server says so once, when it is asked, and that is with each connection.
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

    fn tell(&self, account: &Account) {
        let mut told = lock(&self.told);
        if told.as_ref() == Some(account) {
            return;
        }
        // That all is well is worth a line only where it was not.
        let is_well = Account { connected: true, ..Account::default() } == *account;
        if told.is_some() || !is_well {
            output::error_line(&layout::json(&Told { cluster: account }));
        }
        *told = Some(account.clone());
    }
}

fn lock<T>(held: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
