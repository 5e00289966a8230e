//! The requests of a connection, and the time of its last activity.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;

use crate::idle::{IdleConnection, IdleLimit};

/// The client of a connection, and the activity of the connection.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) in_progress: Arc<RequestInProgress>,
}

/// The activity of a connection: the end of a request, or bytes of a reply that the client read. Incoming bytes do not count, because a
/// client can send one at a time without end.
#[derive(Debug)]
pub(crate) struct Activity {
    born: Instant,
    /// Milliseconds since the connection began.
    last: AtomicU64,
    requests: Mutex<ConnectionRequests>,
    idle: Arc<IdleLimit>,
    address: IpAddr,
    /// Notified when the connection must end because its address has too many idle ones.
    end: Arc<Notify>,
}

/// The requests of a connection.
#[derive(Debug, Default)]
struct ConnectionRequests {
    begun: u64,
    in_progress: u32,
    /// The requests in progress that wait for their bodies.
    waiting: u32,
    /// Set while the connection is idle and did not end.
    idle_connection: Option<IdleConnection>,
    has_ended: bool,
    /// The time until which the client must read each large reply.
    unread: BTreeMap<u64, Instant>,
    next_reply: u64,
}

/// A request in progress.
#[derive(Debug)]
pub(crate) struct RequestInProgress(Arc<Activity>);

/// A request that waits for its body until this is dropped.
#[derive(Debug)]
pub(crate) struct WaitingRequest<'a>(&'a Activity);

impl Activity {
    /// Begins a connection from this address. It is idle while it has no request, or while all its requests wait for their bodies.
    pub(crate) fn new(idle: Arc<IdleLimit>, address: IpAddr) -> Arc<Self> {
        let activity = Arc::new(Self {
            born: Instant::now(),
            last: AtomicU64::new(0),
            requests: Mutex::default(),
            idle,
            address,
            end: Arc::new(Notify::new()),
        });
        activity.change(|_| {});
        activity
    }

    pub(crate) fn age(&self) -> Duration {
        self.born.elapsed()
    }

    /// Records an activity.
    pub(crate) fn touch(&self) {
        let age = u64::try_from(self.age().as_millis()).unwrap_or(u64::MAX);
        self.last.store(age, Ordering::Relaxed);
    }

    /// Begins a request. Returns it with the number of requests so far, including this one.
    pub(crate) fn begin(self: &Arc<Self>) -> (RequestInProgress, u64) {
        let count = self.change(|requests| {
            requests.in_progress += 1;
            requests.begun += 1;
            requests.begun
        });
        (RequestInProgress(Arc::clone(self)), count)
    }

    /// True after the first request has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.requests().begun > 0
    }

    /// Ends the connection. From now on it is not idle, so requests that end later close no other connection.
    pub(crate) fn end(&self) {
        self.change(|requests| requests.has_ended = true);
    }

    /// Changes the requests. Then adds the connection to the idle ones, or removes it from them.
    fn change<T>(&self, change: impl FnOnce(&mut ConnectionRequests) -> T) -> T {
        let mut requests = self.requests();
        let result = change(&mut requests);
        if requests.has_ended || !requests.are_waiting() {
            requests.idle_connection = None;
        } else if requests.idle_connection.is_none() {
            requests.idle_connection = Some(self.idle.add(self.address, &self.end));
        }
        result
    }

    /// Returns true if the client did not read a reply in time. Without this, a client could read one byte at a time without end.
    pub(crate) fn is_overdue(&self) -> bool {
        let now = Instant::now();
        self.requests().unread.values().any(|until| *until <= now)
    }

    /// Waits until the connection must end because its address has too many idle ones. A connection that is busy again does not end.
    pub(crate) async fn has_to_end(&self) {
        loop {
            self.end.notified().await;
            if self.requests().are_waiting() {
                return;
            }
        }
    }

    fn requests(&self) -> MutexGuard<'_, ConnectionRequests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time since the last activity; `None` while a request is in progress, because other limits end a late body.
    pub(crate) fn idle(&self) -> Option<Duration> {
        if self.requests().in_progress > 0 {
            return None;
        }
        Some(self.age().saturating_sub(Duration::from_millis(self.last.load(Ordering::Relaxed))))
    }
}

impl ConnectionRequests {
    /// Returns true if all requests in progress wait for their bodies, or if there are none.
    const fn are_waiting(&self) -> bool {
        self.in_progress == self.waiting
    }
}

impl RequestInProgress {
    /// Registers a reply that the client must read until this time.
    pub(crate) fn expect_read(&self, until: Instant) -> UnreadReply {
        let mut requests = self.0.requests();
        let id = requests.next_reply;
        requests.next_reply += 1;
        requests.unread.insert(id, until);
        UnreadReply { activity: Arc::clone(&self.0), id }
    }

    /// Waits for the body until the result is dropped.
    pub(crate) fn wait(&self) -> WaitingRequest<'_> {
        self.0.change(|requests| requests.waiting += 1);
        WaitingRequest(&self.0)
    }
}

/// A reply that the client has not read completely.
#[derive(Debug)]
pub(crate) struct UnreadReply {
    activity: Arc<Activity>,
    id: u64,
}

impl Drop for UnreadReply {
    fn drop(&mut self) {
        self.activity.requests().unread.remove(&self.id);
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        let Self(activity) = self;
        activity.touch();
        activity.change(|requests| requests.in_progress -= 1);
    }
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.0.change(|requests| requests.waiting -= 1);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        pin::pin,
        task::{Context, Waker},
    };

    use super::*;
    use crate::metrics::Metrics;

    #[test]
    fn a_connection_is_idle_while_all_its_requests_wait_for_their_bodies() {
        let idle = IdleLimit::new(1, Arc::new(Metrics::new()));
        let address = [192, 0, 2, 1].into();
        let has_to_end = |connection: &Activity| {
            let waits = pin!(connection.has_to_end());
            waits.poll(&mut Context::from_waker(Waker::noop())).is_ready()
        };
        let connection = Activity::new(Arc::clone(&idle), address);
        let ends_for_a_second = || {
            let second = Activity::new(Arc::clone(&idle), address);
            let ends = has_to_end(&connection);
            assert!(!has_to_end(&second));
            ends
        };
        let (call, _) = connection.begin();
        let (upload, count) = connection.begin();
        assert_eq!(count, 2);
        let waiting = upload.wait();
        assert!(!ends_for_a_second());
        let also_waiting = call.wait();
        assert!(ends_for_a_second());
        drop(also_waiting);
        assert!(!ends_for_a_second());
        drop(call);
        assert!(ends_for_a_second());
        drop(waiting);
        drop(upload);
        assert!(ends_for_a_second());
    }

    #[test]
    fn requests_of_a_connection_that_ended_close_no_other() {
        let idle = IdleLimit::new(1, Arc::new(Metrics::new()));
        let address = [192, 0, 2, 1].into();
        let ended = Activity::new(Arc::clone(&idle), address);
        let (request, _) = ended.begin();
        let other = Activity::new(idle, address);
        ended.end();
        drop(request);
        let waits = pin!(other.has_to_end());
        assert!(waits.poll(&mut Context::from_waker(Waker::noop())).is_pending());
    }
}
