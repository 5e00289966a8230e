//! Shadows: called after a call was answered, on a thread of their own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
    time::Duration,
};

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::CallError;

use super::{
    answer::SlotAnswer,
    deployment::Deployment,
    loader::now,
    route::Route,
    statistics::{Counters, count},
};
use crate::{
    codes,
    record::CallSummary,
    store::{ShadowDifference, Store},
};

/// The most calls that may wait for their shadow, and the most bytes of them together. Further calls are dropped and counted.
const QUEUE: usize = 256;
const QUEUE_BYTES: usize = 64 << 20;
/// The most differences of one transaction.
const BATCH: usize = 64;
/// The longest wait for shadows when the slots are closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// A call that was answered, for the shadow.
struct ShadowCall {
    counters: Arc<Counters>,
    route: Arc<Route>,
    shadow: Arc<Deployment>,
    operation: Operation,
    input: Vec<u8>,
    answer: Result<String, String>,
    /// Its share of the bytes that wait.
    _bytes: QueueShare,
}

/// A share of the bytes that wait, which is returned when dropped.
struct QueueShare {
    count: usize,
    waiting: Arc<AtomicUsize>,
}

impl QueueShare {
    /// Takes a share, if there is space for it. If nothing waits, there always is.
    fn take(count: usize, waiting: &Arc<AtomicUsize>) -> Option<Self> {
        let more = |before: usize| (before == 0 || before + count <= QUEUE_BYTES).then_some(before + count);
        waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self { count, waiting: Arc::clone(waiting) })
    }
}

impl Drop for QueueShare {
    fn drop(&mut self) {
        self.waiting.fetch_sub(self.count, Ordering::Relaxed);
    }
}

enum ShadowMessage {
    ShadowCall(ShadowCall),
    /// The thread drops the sender after all earlier messages are done.
    Finish(SyncSender<()>),
}

/// The queue to the thread that calls shadows.
#[derive(Debug)]
pub(super) struct Shadows {
    queue: SyncSender<ShadowMessage>,
    waiting: Arc<AtomicUsize>,
}

impl Shadows {
    /// Starts the thread. It ends when the queue is dropped.
    pub(super) fn start(store: Store) -> Result<Self, Error> {
        let (queue, messages) = mpsc::sync_channel(QUEUE);
        let run = move || work(&store, &messages);
        let started = thread::Builder::new().name("adjudicate-shadow".to_owned()).spawn(run);
        started.map_err(|error| {
            Error::caused_by(codes::HOST_FAULT, "the thread for shadows cannot be started", error)
        })?;
        Ok(Self { queue, waiting: Arc::default() })
    }

    /// Queues a call for the shadow. Never waits: if the queue is full, the call is dropped and counted.
    pub(super) fn compare(
        &self,
        counters: &Arc<Counters>,
        route: &Arc<Route>,
        shadow: &Arc<Deployment>,
        operation: Operation,
        input: &[u8],
        decided: &Result<SlotAnswer, CallError>,
    ) {
        let answered = decided.as_ref().map_or(0, |decided| decided.text.len());
        let Some(bytes) = QueueShare::take(input.len() + answered, &self.waiting) else {
            count(&counters.shadow_dropped);
            return;
        };
        let observed = ShadowCall {
            counters: Arc::clone(counters),
            route: Arc::clone(route),
            shadow: Arc::clone(shadow),
            operation,
            input: input.to_vec(),
            answer: answer_or_code(decided.as_ref().map(|decided| decided.text.as_str())),
            _bytes: bytes,
        };
        if self.queue.try_send(ShadowMessage::ShadowCall(observed)).is_err() {
            count(&counters.shadow_dropped);
        }
    }

    /// Waits until the shadows have run all queued calls and the differences are written, for at most 5 seconds.
    pub(super) fn finish(&self) {
        let (held, done) = mpsc::sync_channel(1);
        if self.queue.send(ShadowMessage::Finish(held)).is_ok() {
            // The thread never sends; the channel closes when it drops the sender.
            let _ = done.recv_timeout(PATIENCE);
        }
    }
}

fn answer_or_code(answer: Result<&str, &CallError>) -> Result<String, String> {
    answer.map(str::to_owned).map_err(|error| error.code().to_owned())
}

fn work(store: &Store, messages: &Receiver<ShadowMessage>) {
    while let Ok(first) = messages.recv() {
        let mut finishing = Vec::new();
        let batch = [first].into_iter().chain(messages.try_iter().take(BATCH - 1));
        let differences: Vec<_> = batch
            .filter_map(|message| match message {
                ShadowMessage::ShadowCall(observed) => observed.compare(store),
                ShadowMessage::Finish(held) => {
                    finishing.push(held);
                    None
                }
            })
            .collect();
        // All differences are counted already. If they cannot be written, only the list lacks them.
        let _ = if differences.is_empty() { Ok(()) } else { store.keep_differences(&differences) };
    }
}

impl ShadowCall {
    fn compare(&self, store: &Store) -> Option<ShadowDifference> {
        count(&self.counters.shadow_calls);
        let answered = self.shadow.answer(self.operation, &self.input);
        let shadow = answer_or_code(answered.as_deref().map_err(|failed| &failed.error));
        if shadow == self.answer {
            return None;
        }
        count(&self.counters.shadow_differences);
        let records = self.route.entry.settings.records.clone().unwrap_or_default();
        // If the key for keyed hashes cannot be read, the difference is only counted.
        let call = CallSummary::new(&records, self.operation, &self.input, || store.record_key()).ok()?;
        let answer_or_code = |answer: &Result<String, String>| match answer {
            Ok(text) => call.answer(text),
            Err(code) => format!("error {code}"),
        };
        Some(ShadowDifference {
            slot: self.route.entry.slot.clone(),
            at: now(),
            entry: self.route.entry.id,
            operation: self.operation.name().to_owned(),
            answer: answer_or_code(&self.answer),
            shadow: answer_or_code(&shadow),
            input: call.input_hash.clone(),
            run_id: call.run_id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_bounded_in_bytes() {
        let waiting = Arc::default();
        let alone = QueueShare::take(QUEUE_BYTES + 1, &waiting);
        assert!(alone.is_some() && QueueShare::take(1, &waiting).is_none());
        drop(alone);
        let whole = QueueShare::take(QUEUE_BYTES - 1, &waiting).unwrap();
        assert!(QueueShare::take(2, &waiting).is_none());
        let rest = QueueShare::take(1, &waiting);
        drop(whole);
        assert_eq!((rest.is_some(), waiting.load(Ordering::Relaxed)), (true, 1));
    }
}
