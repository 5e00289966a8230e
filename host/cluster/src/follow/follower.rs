//! The thread that brings slots up to what the bucket says.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, atomic::Ordering, mpsc::SyncSender},
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::{Entry, Slots};
use adjudicate_sandbox::Digest;
use tokio::sync::mpsc::{Receiver, error::TryRecvError};

use super::{
    News, Shared,
    found::{Found, Revisions},
};
use crate::{cluster::Cluster, fault::fault, slot_entry::shown};

/// How often entries that are refused are asked for again: whom the host trusts may change, and what was away may be back.
const AGAIN: Duration = Duration::from_secs(2);
/// The name under which a host tells that more is wrong than it names.
const ALL: &str = "";

/// What follows.
pub(super) struct Follower {
    cluster: Cluster,
    slots: Slots,
    shared: Arc<Shared>,
    /// What became part of the history, by its revision: not again when the whole bucket is read again.
    taken: BTreeMap<u64, Digest>,
    /// The latest entries of slots that are not in force here.
    refused: BTreeMap<String, Entry>,
    /// When they were asked for again.
    asked: Instant,
    /// Slots whose trouble was noted here: what was in the way of judging an entry.
    noted: BTreeSet<String>,
    /// What stands behind the latest entry of a slot and is none.
    unreadable: BTreeMap<String, Error>,
    /// Whether there are slots whose trouble is not told by name, nor remembered.
    is_untold: bool,
    /// Why the bucket is not this cluster's.
    foreign: Option<Error>,
}

/// What was told since the last time.
#[derive(Default)]
struct Told {
    found: Option<Found>,
    is_whole: bool,
    lost: Option<Error>,
    is_over: bool,
}

impl Told {
    fn hear(&mut self, news: News) {
        match news {
            News::Whole(found) => {
                self.add(found);
                (self.is_whole, self.lost) = (true, None);
            }
            News::More(found) => self.add(found),
            News::Lost(error) => self.lost = Some(error),
        }
    }

    fn add(&mut self, found: Found) {
        self.found.get_or_insert_default().add(found);
    }
}

impl Follower {
    pub(super) fn new(cluster: Cluster, slots: Slots, shared: Arc<Shared>) -> Self {
        let (taken, refused, unreadable) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (asked, noted) = (Instant::now(), BTreeSet::new());
        Self {
            cluster,
            slots,
            shared,
            taken,
            refused,
            asked,
            noted,
            unreadable,
            is_untold: false,
            foreign: None,
        }
    }

    /// Follows until nobody tells anything any more; `first` hears when all that the cluster says was looked at once.
    pub(super) fn run(mut self, mut news: Receiver<News>, first: &SyncSender<Result<(), Error>>) {
        let mut is_first = true;
        loop {
            let told = self.listen(&mut news);
            if self.is_stopped() {
                return;
            }
            if told.is_over {
                // Nobody ended it: whatever watched is no more.
                return self.shared.note(Some(fault("the bucket of slots is no longer watched")));
            }
            let is_news = told.is_whole || told.lost.is_some();
            if let Some(found) = told.found {
                self.take(found, told.is_whole);
            }
            if self.asked.elapsed() >= AGAIN {
                self.ask_again();
                self.asked = Instant::now();
            }
            let lost = told.lost.map(|error| self.cluster.inner.noticed(error));
            let trouble = lost.or_else(|| self.foreign.clone());
            if is_news || trouble.is_some() {
                self.shared.note(trouble.clone());
            }
            if is_first && is_news {
                is_first = false;
                // Whoever waited may have gone.
                let _ = first.try_send(trouble.map_or(Ok(()), Err));
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.shared.stopped.load(Ordering::Acquire)
    }

    /// Waits for news, and takes all that there are.
    fn listen(&self, news: &mut Receiver<News>) -> Told {
        let mut told = Told::default();
        let handle = self.cluster.handle();
        match handle.block_on(async { tokio::time::timeout(AGAIN, news.recv()).await }) {
            Ok(Some(one)) => told.hear(one),
            Ok(None) => told.is_over = true,
            Err(_) => return told,
        }
        loop {
            match news.try_recv() {
                Ok(one) => told.hear(one),
                Err(TryRecvError::Empty) => return told,
                Err(TryRecvError::Disconnected) => {
                    told.is_over = true;
                    return told;
                }
            }
        }
    }

    /// Takes what the bucket holds, or what came: first of slots that this host has, whatever else was made up.
    fn take(&mut self, found: Found, is_whole: bool) {
        self.identify(found.id(), is_whole);
        if self.foreign.is_some() {
            return;
        }
        if is_whole {
            // What the bucket has forgotten is no longer asked about.
            let slots = found.slots().values();
            let all: BTreeSet<u64> = slots.flat_map(|found| found.entries.keys()).copied().collect();
            self.taken.retain(|revision, _| all.contains(revision));
            self.is_untold = false;
        }
        let latest = found.slots().iter().map(|(slot, found)| (slot.clone(), found.last)).collect();
        // A store that cannot be read is told for each slot.
        let here: BTreeSet<_> =
            self.slots.store().slots().unwrap_or_default().into_iter().map(|entry| entry.slot).collect();
        for (slot, found) in found.in_order(|slot| here.contains(slot)) {
            if self.is_stopped() {
                return;
            }
            // Of what was never a slot nothing is left when it is deleted. One that is refused here is one elsewhere.
            let is_known = here.contains(&slot) || self.refused.contains_key(&slot);
            let was_none = found.is_gone && found.entries.is_empty() && !is_known;
            if was_none { self.forget(&slot) } else { self.take_slot(&slot, found) }
        }
        if is_whole {
            self.compare(&latest);
            if !self.is_untold {
                self.slots.note_trouble(ALL, None);
            }
        }
    }

    /// What stood under a slot's key, and was none, is no longer in the bucket.
    fn forget(&mut self, slot: &str) {
        self.refused.remove(slot);
        self.unreadable.remove(slot);
        self.noted.remove(slot);
        self.slots.forget_trouble(slot);
        self.slots.forget_trouble(&shown(slot));
    }

    /// Finds out whether the bucket is this cluster's still.
    fn identify(&mut self, id: Option<&Result<String, Error>>, is_whole: bool) {
        let found = match id {
            Some(id) => id.clone(),
            None if is_whole => Err(fault("the bucket of slots says no longer which cluster it is of")),
            None => return,
        };
        let was_foreign = self.foreign.is_some();
        self.foreign = match found {
            Ok(id) if id == self.cluster.id() => None,
            Ok(id) => Some(fault(format!(
                "the bucket of slots is that of the cluster `{id}` by now, and this host's slots are those of `{}`",
                self.cluster.id()
            ))),
            Err(error) => Some(error),
        };
        // What came meanwhile was not looked at.
        if was_foreign && self.foreign.is_none() && !is_whole {
            self.shared.again.store(true, Ordering::Release);
        }
    }

    /// Takes what came of one slot, oldest first.
    fn take_slot(&mut self, slot: &str, found: Revisions) {
        let Revisions { mut entries, unreadable: mut wrong, .. } = found;
        let in_force = entries.pop_last();
        let revisions: Vec<u64> = entries.keys().copied().collect();
        for (entry, digest) in entries.into_values() {
            if let Err(error) = self.take_history(entry, digest) {
                wrong.get_or_insert(error);
            }
        }
        match (wrong, &in_force) {
            (Some(error), _) => {
                self.unreadable.insert(slot.to_owned(), error);
            }
            (None, Some(_)) => {
                if self.unreadable.remove(slot).is_some() {
                    self.slots.note_trouble(&shown(slot), None);
                }
            }
            (None, None) => {}
        }
        let is_told = match in_force {
            Some((_, (entry, _))) => self.put_in_force(entry),
            None => self.tell(slot),
        };
        if !is_told {
            for revision in revisions {
                self.taken.remove(&revision);
            }
        }
    }

    /// Makes an entry that was superseded part of the history.
    fn take_history(&mut self, entry: Entry, digest: Digest) -> Result<(), Error> {
        let revision = entry.id.unsigned_abs();
        if self.taken.get(&revision) != Some(&digest) {
            self.slots.follow(entry, false)?;
            self.taken.insert(revision, digest);
        }
        Ok(())
    }

    /// Puts an entry in force, or remembers to try it again. Whether what is wrong with the slot is told.
    fn put_in_force(&mut self, entry: Entry) -> bool {
        let slot = entry.slot.clone();
        match self.slots.follow(entry.clone(), true) {
            Ok(()) => {
                self.refused.remove(&slot);
                self.noted.remove(&slot);
            }
            Err(error) => {
                // What is wrong with an entry that was judged, the slots know; not what was in the way of judging it.
                if self.noted.remove(&slot) {
                    self.slots.note_trouble(&shown(&slot), None);
                }
                if self.slots.trouble(&slot).is_none() {
                    self.slots.note_trouble(&shown(&slot), Some(error));
                    self.noted.insert(slot.clone());
                }
                self.refused.insert(slot.clone(), entry);
            }
        }
        self.tell(&slot)
    }

    /// Says what stands behind a slot's latest entry: following an entry takes that away. What is wrong with slots that are not told,
    /// for there are too many that this host does not have, is not remembered either, and looked at again with the next whole bucket.
    fn tell(&mut self, slot: &str) -> bool {
        if let Some(error) = self.unreadable.get(slot) {
            self.slots.note_trouble(&shown(slot), Some(error.clone()));
        }
        if !self.refused.contains_key(slot) && !self.unreadable.contains_key(slot) {
            return true;
        }
        let is_told = [slot, &shown(slot)].into_iter().any(|name| self.slots.trouble(name).is_some());
        if !is_told {
            self.refused.remove(slot);
            self.unreadable.remove(slot);
            self.noted.remove(slot);
            self.is_untold = true;
        }
        is_told
    }

    /// Tries what was refused.
    fn ask_again(&mut self) {
        if self.foreign.is_some() {
            return;
        }
        let refused: Vec<Entry> = self.refused.values().cloned().collect();
        for entry in refused {
            if self.is_stopped() {
                return;
            }
            self.put_in_force(entry);
        }
    }

    /// Finds slots that the bucket has lost, or has in an earlier entry than this host.
    fn compare(&mut self, latest: &BTreeMap<String, u64>) {
        // A store that cannot be read now is looked at with the next whole bucket.
        let Ok(entries) = self.slots.store().slots() else { return };
        for entry in entries {
            let here = entry.id.unsigned_abs();
            if latest.get(&entry.slot).is_some_and(|there| *there >= here) {
                continue;
            }
            // It may have been changed here since the bucket was read.
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
            self.tell(&entry.slot);
        }
    }
}
