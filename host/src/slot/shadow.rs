//! Shadows: asked about calls that others have decided, on a thread of their own.

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

/// How many calls may wait for their shadow, and how many bytes they may have together. One more, and it is not asked.
const QUEUE: usize = 256;
const QUEUE_BYTES: usize = 64 << 20;
/// How many differences are written at once.
const BATCH: usize = 64;
/// How long whoever ends waits for shadows that are behind.
const PATIENCE: Duration = Duration::from_secs(5);

/// A call that was answered, for the shadow.
struct Observed {
    counters: Arc<Counters>,
    route: Arc<Route>,
    shadow: Arc<Deployment>,
    operation: Operation,
    input: Vec<u8>,
    answer: Result<String, String>,
    /// Its part of the bytes that wait.
    _bytes: Bytes,
}

/// Bytes that wait, for as long as they do.
struct Bytes {
    count: usize,
    waiting: Arc<AtomicUsize>,
}

impl Bytes {
    /// Room for so many more, if there is some; what comes alone always has it.
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

/// What the thread is sent.
#[derive(Debug)]
enum Message {
    Observed(Observed),
    /// Dropped when everything that came before is done.
    Finish(SyncSender<()>),
}

/// The queue to the thread that asks shadows.
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
    /// Starts the thread; it ends when nobody can observe any more.
    pub(super) fn start(store: Store) -> Result<Self, Error> {
        let (queue, messages) = mpsc::sync_channel(QUEUE);
        let run = move || work(&store, &messages);
        let started = thread::Builder::new().name("adjudicate-shadow".to_owned()).spawn(run);
        started.map_err(|error| {
            Error::new(codes::HOST_FAULT, format!("the thread for shadows cannot be started: {error}"))
        })?;
        Ok(Self { queue, waiting: Arc::default() })
    }

    /// Has the shadow asked, soon. Never waits: if the shadow is too far behind, that is counted.
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

    /// Waits until the shadows were asked about all calls so far, and the differences written; for some seconds at most.
    pub(super) fn finish(&self) {
        let (held, done) = mpsc::sync_channel(1);
        if self.queue.send(Message::Finish(held)).is_ok() {
            // Nothing is ever sent: it is done when nobody could.
            let _ = done.recv_timeout(PATIENCE);
        }
    }
}

/// An answer, or the code of the error that was one.
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
        // They were counted; what cannot be written is missing from the list and not from the count.
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
        // Without the key that its hashes are asked for by, nothing is told of the call.
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
