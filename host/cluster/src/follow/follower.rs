//! The thread that applies the entries of the bucket to the slots.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::Ordering, mpsc::SyncSender},
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::{SlotEntry, Slots};
use adjudicate_sandbox::Digest;
use tokio::sync::mpsc::{Receiver, error::TryRecvError};

use super::{
    FollowState, News,
    bucket_content::{BucketContent, Revisions},
};
use crate::{cluster::Cluster, fault::fault, slot_entry::shown};

/// Interval at which rejected entries are tried again: the trust policy may change, and missing modules may become available.
const AGAIN: Duration = Duration::from_secs(2);
/// The name under which further problems are reported.
const ALL: &str = "";

pub(super) struct Follower {
    cluster: Cluster,
    slots: Slots,
    shared: Arc<FollowState>,
    /// The digests of entries that are part of the history, by revision. They are skipped when the whole bucket is read again.
    taken: BTreeMap<u64, Digest>,
    /// The latest entries of slots that are not active here.
    refused: BTreeMap<String, SlotEntry>,
    /// The time of the last attempt to apply them.
    retried: Instant,
    /// The slots with a problem that this thread noted, because an entry could not be judged.
    noted: BTreeSet<String>,
    /// The invalid values after the latest entries of slots.
    unreadable: BTreeMap<String, Error>,
    /// True if further slots have problems that are neither listed nor remembered.
    has_unreported: bool,
    /// The error if the bucket belongs to another cluster.
    foreign: Option<Error>,
}

/// The news since the last round.
#[derive(Default)]
struct PendingNews {
    found: Option<BucketContent>,
    is_whole: bool,
    lost: Option<Error>,
    is_over: bool,
}

impl PendingNews {
    fn add(&mut self, news: News) {
        let found = match news {
            News::Whole(found) => {
                (self.is_whole, self.lost) = (true, None);
                found
            }
            News::More(found) => found,
            News::Lost(error) => {
                self.lost = Some(error);
                return;
            }
        };
        self.found.get_or_insert_default().add(found);
    }
}

impl Follower {
    pub(super) fn new(cluster: Cluster, slots: Slots, shared: Arc<FollowState>) -> Self {
        Self {
            cluster,
            slots,
            shared,
            taken: BTreeMap::new(),
            refused: BTreeMap::new(),
            retried: Instant::now(),
            noted: BTreeSet::new(),
            unreadable: BTreeMap::new(),
            has_unreported: false,
            foreign: None,
        }
    }

    /// Runs until the watch ends. `first` receives the result when the whole bucket was read once.
    pub(super) fn run(mut self, mut news: Receiver<News>, first: &SyncSender<Result<(), Error>>) {
        let mut is_first = true;
        loop {
            let pending = self.listen(&mut news);
            if self.is_stopped() {
                return;
            }
            if pending.is_over {
                // The watch ended without being stopped.
                return self.shared.note(Some(fault("the bucket of slots is no longer watched")));
            }
            let is_news = pending.is_whole || pending.lost.is_some();
            if let Some(found) = pending.found {
                self.take(found, pending.is_whole);
            }
            if self.retried.elapsed() >= AGAIN {
                self.retry_rejected();
                self.retried = Instant::now();
            }
            let lost = pending.lost.map(|error| self.cluster.inner.noticed(error));
            let problem = lost.or_else(|| self.foreign.clone());
            if is_news || problem.is_some() {
                self.shared.note(problem.clone());
            }
            if is_first && is_news {
                is_first = false;
                // The receiver may be gone.
                let _ = first.try_send(problem.map_or(Ok(()), Err));
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.shared.stopped.load(Ordering::Acquire)
    }

    /// Waits for news and takes all of them.
    fn listen(&self, news: &mut Receiver<News>) -> PendingNews {
        let mut pending = PendingNews::default();
        let handle = self.cluster.handle();
        match handle.block_on(async { tokio::time::timeout(AGAIN, news.recv()).await }) {
            Ok(Some(one)) => pending.add(one),
            Ok(None) => pending.is_over = true,
            Err(_) => return pending,
        }
        loop {
            match news.try_recv() {
                Ok(one) => pending.add(one),
                Err(TryRecvError::Empty) => return pending,
                Err(TryRecvError::Disconnected) => {
                    pending.is_over = true;
                    return pending;
                }
            }
        }
    }

    /// Applies the content of the bucket or its news. The slots of this host come first, so invented slots cannot displace them.
    fn take(&mut self, found: BucketContent, is_whole: bool) {
        self.identify(found.id.as_ref().map(|(_, id)| id), is_whole);
        if self.foreign.is_some() {
            return;
        }
        if is_whole {
            // Forgets the revisions that the bucket no longer has.
            let slots = found.slots.values();
            let all: BTreeSet<u64> = slots.flat_map(|found| found.entries.keys()).copied().collect();
            self.taken.retain(|revision, _| all.contains(revision));
            self.has_unreported = false;
        }
        let latest = found.slots.iter().map(|(slot, found)| (slot.clone(), found.last)).collect();
        // If the store cannot be read, each slot reports that.
        let here: BTreeSet<_> =
            self.slots.store().slots().unwrap_or_default().into_iter().map(|entry| entry.slot).collect();
        for (slot, found) in found.in_order(|slot| here.contains(slot)) {
            if self.is_stopped() {
                return;
            }
            // A deleted key that never had an entry leaves no trace. A slot that was rejected here exists on other hosts.
            let is_known = here.contains(&slot) || self.refused.contains_key(&slot);
            let was_none = found.is_gone && found.entries.is_empty() && !is_known;
            if was_none { self.forget(&slot) } else { self.take_slot(&slot, found) }
        }
        if is_whole {
            self.compare(&latest);
            if !self.has_unreported {
                self.slots.note_problem(ALL, None);
            }
        }
    }

    /// Forgets a slot whose key never had an entry and is no longer in the bucket.
    fn forget(&mut self, slot: &str) {
        self.refused.remove(slot);
        self.unreadable.remove(slot);
        self.noted.remove(slot);
        self.slots.forget_problem(slot);
        self.slots.forget_problem(&shown(slot));
    }

    /// Checks whether the bucket still belongs to this cluster.
    fn identify(&mut self, id: Option<&Result<String, Error>>, is_whole: bool) {
        let found = match id {
            Some(id) => id.clone(),
            None if is_whole => Err(fault("the bucket of slots no longer has the id of its cluster")),
            None => return,
        };
        let was_foreign = self.foreign.is_some();
        self.foreign = match found {
            Ok(id) if id == self.cluster.id() => None,
            Ok(id) => Some(fault(format!(
                "the bucket of slots now belongs to the cluster `{id}`, but the slots of this host belong to `{}`",
                self.cluster.id()
            ))),
            Err(error) => Some(error),
        };
        // The news were skipped meanwhile.
        if was_foreign && self.foreign.is_none() && !is_whole {
            self.shared.again.store(true, Ordering::Release);
        }
    }

    /// Applies the news of one slot, oldest first.
    fn take_slot(&mut self, slot: &str, found: Revisions) {
        let Revisions { mut entries, unreadable: mut wrong, .. } = found;
        let latest = entries.pop_last();
        let revisions: Vec<u64> = entries.keys().copied().collect();
        for (entry, digest) in entries.into_values() {
            let revision = entry.id.unsigned_abs();
            if self.taken.get(&revision) == Some(&digest) {
                continue;
            }
            // It is superseded, so it only becomes part of the history.
            match self.slots.follow(entry, false) {
                Ok(()) => {
                    self.taken.insert(revision, digest);
                }
                Err(error) => {
                    wrong.get_or_insert(error);
                }
            }
        }
        match (wrong, &latest) {
            (Some(error), _) => {
                self.unreadable.insert(slot.to_owned(), error);
            }
            (None, Some(_)) => {
                if self.unreadable.remove(slot).is_some() {
                    self.slots.note_problem(&shown(slot), None);
                }
            }
            (None, None) => {}
        }
        let is_reported = match latest {
            Some((_, (entry, _))) => self.activate(entry),
            None => self.report_unreadable(slot),
        };
        if !is_reported {
            for revision in revisions {
                self.taken.remove(&revision);
            }
        }
    }

    /// Makes an entry the active one, or remembers it for another attempt. Returns whether the slot's problem is reported.
    fn activate(&mut self, entry: SlotEntry) -> bool {
        let slot = entry.slot.clone();
        match self.slots.follow(entry.clone(), true) {
            Ok(()) => {
                self.refused.remove(&slot);
                self.noted.remove(&slot);
            }
            Err(error) => {
                // `Slots` knows the problems of entries that were judged. Other problems are noted here.
                if self.noted.remove(&slot) {
                    self.slots.note_problem(&shown(&slot), None);
                }
                if self.slots.problem(&slot).is_none() {
                    self.slots.note_problem(&shown(&slot), Some(error));
                    self.noted.insert(slot.clone());
                }
                self.refused.insert(slot.clone(), entry);
            }
        }
        self.report_unreadable(&slot)
    }

    /// Reports the invalid value after a slot's latest entry, because applying the entry clears the problem. There is a limit on
    /// reported slots that this host does not have. Beyond it, the problem is not remembered, and checked again with the next read
    /// of the whole bucket.
    fn report_unreadable(&mut self, slot: &str) -> bool {
        if let Some(error) = self.unreadable.get(slot) {
            self.slots.note_problem(&shown(slot), Some(error.clone()));
        }
        if !self.refused.contains_key(slot) && !self.unreadable.contains_key(slot) {
            return true;
        }
        let is_reported = [slot, &shown(slot)].into_iter().any(|name| self.slots.problem(name).is_some());
        if !is_reported {
            self.refused.remove(slot);
            self.unreadable.remove(slot);
            self.noted.remove(slot);
            self.has_unreported = true;
        }
        is_reported
    }

    fn retry_rejected(&mut self) {
        if self.foreign.is_some() {
            return;
        }
        let refused: Vec<SlotEntry> = self.refused.values().cloned().collect();
        for entry in refused {
            if self.is_stopped() {
                return;
            }
            self.activate(entry);
        }
    }

    /// Finds slots that the bucket has lost, or has in an earlier entry than this host.
    fn compare(&mut self, latest: &BTreeMap<String, u64>) {
        // If the store cannot be read now, the next read of the whole bucket repeats this.
        let Ok(entries) = self.slots.store().slots() else { return };
        for entry in entries {
            let here = entry.id.unsigned_abs();
            if latest.get(&entry.slot).is_some_and(|there| *there >= here) {
                continue;
            }
            // The slot may have been changed here after the bucket was read.
            let Ok(there) = self.cluster.inner.last_entry(&entry.slot) else { continue };
            let there = there.map(|there| there.revision);
            let message = match there {
                Some(there) if there >= here => continue,
                Some(there) => format!(
                    "the cluster has the slot in entry {there}, this host in entry {here}: the bucket was replaced by an earlier copy"
                ),
                None => format!(
                    "the cluster has lost the slot, which is in entry {here} here: its key was purged from the bucket"
                ),
            };
            self.unreadable.insert(entry.slot.clone(), fault(message));
            self.report_unreadable(&entry.slot);
        }
    }
}
