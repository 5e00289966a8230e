//! Shadows: called after a call was answered, on a thread of their own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Receiver, SyncSender, TrySendError},
    },
    thread,
    time::Duration,
};

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::CallError;

use super::{
    call::Decided,
    deployment::Deployment,
    loader::now,
    route::Route,
    statistics::{Counters, count},
};
use crate::{codes, history::Difference, record::Trace, store::Store};

/// The most calls that may wait for their shadow, and the most bytes of them together. Further calls are dropped and counted.
const QUEUE: usize = 256;
const QUEUE_BYTES: usize = 64 << 20;
/// The most differences of one transaction.
const BATCH: usize = 64;
/// The longest wait for shadows when the slots are closed.
const PATIENCE: Duration = Duration::from_secs(5);

/// A call that was answered, for the shadow.
struct Observed {
    counters: Arc<Counters>,
    route: Arc<Route>,
    shadow: Arc<Deployment>,
    operation: Operation,
    input: Vec<u8>,
    answer: Result<String, String>,
    /// Its share of the bytes that wait.
    _bytes: Bytes,
}

/// A share of the bytes that wait, which is returned when dropped.
struct Bytes {
    count: usize,
    waiting: Arc<AtomicUsize>,
}

impl Bytes {
    /// Takes a share, if there is space for it. If nothing waits, there always is.
    fn take(count: usize, waiting: &Arc<AtomicUsize>) -> Option<Self> {
        let more = |before: usize| (before == 0 || before + count <= QUEUE_BYTES).then_some(before + count);
        waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Self { count, waiting: Arc::clone(waiting) })
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.waiting.fetch_sub(self.count, Ordering::Relaxed);
    }
}

/// A message to the thread.
#[derive(Debug)]
enum Message {
    Observed(Observed),
    /// The thread drops the sender after all earlier messages are done.
    Finish(SyncSender<()>),
}

/// The queue to the thread that calls shadows.
#[derive(Debug)]
pub(super) struct Shadows {
    queue: SyncSender<Message>,
    waiting: Arc<AtomicUsize>,
}

impl std::fmt::Debug for Observed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observed").field("operation", &self.operation).finish_non_exhaustive()
    }
}

impl Shadows {
    /// Starts the thread. It ends when the queue is dropped.
    pub(super) fn start(store: Store) -> Result<Self, Error> {
        let (queue, messages) = mpsc::sync_channel(QUEUE);
        let run = move || work(&store, &messages);
        let started = thread::Builder::new().name("adjudicate-shadow".to_owned()).spawn(run);
        started.map_err(|error| {
            Error::new(codes::HOST_FAULT, format!("the thread for shadows cannot be started: {error}"))
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
        decided: &Result<Decided, CallError>,
    ) {
        let answered = decided.as_ref().map_or(0, |decided| decided.text.len());
        let Some(bytes) = Bytes::take(input.len() + answered, &self.waiting) else {
            count(&counters.shadow_dropped);
            return;
        };
        let observed = Observed {
            counters: Arc::clone(counters),
            route: Arc::clone(route),
            shadow: Arc::clone(shadow),
            operation,
            input: input.to_vec(),
            answer: told(decided.as_ref().map(|decided| decided.text.as_str())),
            _bytes: bytes,
        };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
            self.queue.try_send(Message::Observed(observed))
        {
            count(&counters.shadow_dropped);
        }
    }

    /// Waits until the shadows have run all queued calls and the differences are written, for at most 5 seconds.
    pub(super) fn finish(&self) {
        let (held, done) = mpsc::sync_channel(1);
        if self.queue.send(Message::Finish(held)).is_ok() {
            // The thread never sends; the channel closes when it drops the sender.
            let _ = done.recv_timeout(PATIENCE);
        }
    }
}

/// Returns the answer, or the code of the error.
fn told(answer: Result<&str, &CallError>) -> Result<String, String> {
    answer.map(str::to_owned).map_err(|error| error.code().to_owned())
}

fn work(store: &Store, messages: &Receiver<Message>) {
    while let Ok(first) = messages.recv() {
        let mut finishing = Vec::new();
        let batch = [first].into_iter().chain(messages.try_iter().take(BATCH - 1));
        let differences: Vec<_> = batch
            .filter_map(|message| match message {
                Message::Observed(observed) => observed.compare(store),
                Message::Finish(held) => {
                    finishing.push(held);
                    None
                }
            })
            .collect();
        // All differences are counted already. If they cannot be written, only the list lacks them.
        let _ = if differences.is_empty() { Ok(()) } else { store.keep_differences(&differences) };
    }
}

impl Observed {
    fn compare(&self, store: &Store) -> Option<Difference> {
        count(&self.counters.shadow_calls);
        let answered = self.shadow.answer(self.operation, &self.input);
        let shadow = told(answered.as_deref().map_err(|failed| &failed.error));
        if shadow == self.answer {
            return None;
        }
        count(&self.counters.shadow_differences);
        let records = self.route.entry.settings.records.as_ref();
        // If the key for keyed hashes cannot be read, the difference is only counted.
        let call = Trace::new(records, self.operation, &self.input, || store.record_key()).ok()?;
        let told = |answer: &Result<String, String>| match answer {
            Ok(text) => call.answer(text),
            Err(code) => format!("error {code}"),
        };
        Some(Difference {
            slot: self.route.entry.slot.clone(),
            at: now(),
            entry: self.route.entry.id,
            operation: self.operation.name().to_owned(),
            answer: told(&self.answer),
            shadow: told(&shadow),
            input: call.input_hash.clone(),
            run_id: call.run_id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_in_bytes() {
        let waiting = Arc::default();
        let alone = Bytes::take(QUEUE_BYTES + 1, &waiting);
        assert!(alone.is_some() && Bytes::take(1, &waiting).is_none());
        drop(alone);
        let whole = Bytes::take(QUEUE_BYTES - 1, &waiting).unwrap();
        assert!(Bytes::take(2, &waiting).is_none());
        let rest = Bytes::take(1, &waiting);
        drop(whole);
        assert_eq!((rest.is_some(), waiting.load(Ordering::Relaxed)), (true, 1));
    }
}
