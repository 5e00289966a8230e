//! The state of a host in its cluster, and its log lines.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adjudicate_cluster::{Cluster, Replays};
use adjudicate_core::Error;
use adjudicate_serve::Standing;
use serde::Serialize;

use super::{Beside, Shared};
use crate::{layout, output};

/// How long ago a server may have said what is told of it: longer than it takes to look again.
const NEWS: Duration = Duration::from_secs(5);

/// Logs the state of this host in the cluster, whenever it changes.
#[derive(Debug, Default)]
pub(super) struct Teller {
    /// Whether anything is said yet: the first that a server says is that it listens.
    speaks: AtomicBool,
    /// What this host may not hear, by the server's words.
    refused: Mutex<Option<String>>,
    told: Mutex<Option<Account>>,
}

/// What is said of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Account {
    connected: bool,
    /// The error of the connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    /// Why calls do not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<String>,
    /// Slots that differ from the cluster. The empty name stands for slots that are not named.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    slots: BTreeMap<String, String>,
    /// Slots whose records are not sent. The empty name has the error if none are sent.
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

impl Beside {
    /// How this host stands with the others. Says it where it is other than before.
    pub(super) fn look(&self) -> Standing {
        let (account, records_waiting) = self.account(&self.shared());
        self.teller.tell(&account);
        let Account { trouble, calls, slots, records, .. } = account;
        let single = trouble.into_iter().chain(calls);
        let troubles = single.chain(slots.into_values()).chain(records.into_values()).collect();
        Standing { troubles, records_waiting }
    }

    fn account(&self, shared: &Shared) -> (Account, u64) {
        let said = |troubles: BTreeMap<String, Error>| {
            troubles.into_iter().map(|(slot, error)| (slot, error.to_string())).collect::<BTreeMap<_, _>>()
        };
        let connected = shared.cluster.as_ref().is_some_and(Cluster::is_connected);
        let unjoined = |why: &Error| format!("the cluster was not joined since this host started: {why}");
        let (trouble, calls) = match (&shared.following, &shared.trouble) {
            (Some(following), why) => (following.trouble().map(|error| error.to_string()), why.as_ref()),
            (None, why) => (why.as_ref().map(unjoined), None),
        };
        let notice = shared.cluster.as_ref().and_then(|cluster| cluster.notice(NEWS));
        let refused = self.teller.refused(connected, notice);
        let (records, waiting) = match &shared.forwarding {
            Some(forwarding) => (said(forwarding.troubles()), forwarding.waiting().into_values().sum()),
            None => (BTreeMap::new(), 0),
        };
        let account = Account {
            connected,
            trouble,
            calls: refused.or_else(|| calls.map(ToString::to_string)),
            slots: said(self.slots.troubles()),
            records,
            replays: shared.replays.as_ref().and_then(Replays::trouble).map(|error| error.to_string()),
        };
        (account, waiting)
    }
}

impl Teller {
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

    /// Says what there is to say from now on.
    pub(super) fn speak(&self) {
        self.speaks.store(true, Ordering::Relaxed);
    }

    fn tell(&self, account: &Account) {
        if !self.speaks.load(Ordering::Relaxed) {
            return;
        }
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

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
