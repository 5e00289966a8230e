//! The requests of a connection, and the time of its last activity.

use std::{
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::{sync::Notify, time::sleep};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use crate::failed_logins::{IdleConnection, IdleLimit};

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
    requests: Mutex<ConnectionRequests>,
    idle: Arc<IdleLimit>,
    address: IpAddr,
    /// Notified when the connection must end because its address has too many idle ones.
    end: Arc<Notify>,
    /// Cancelled when the client did not read a large reply in time.
    overdue: CancellationToken,
}

/// The requests of a connection.
#[derive(Debug)]
struct ConnectionRequests {
    begun: u64,
    in_progress: u32,
    /// The requests in progress that wait for their bodies.
    waiting: u32,
    last_activity: Instant,
    /// Set while the connection is idle and did not end.
    idle_connection: Option<IdleConnection>,
    has_ended: bool,
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
        let requests = ConnectionRequests {
            begun: 0,
            in_progress: 0,
            waiting: 0,
            last_activity: Instant::now(),
            idle_connection: None,
            has_ended: false,
        };
        let activity = Arc::new(Self {
            requests: Mutex::new(requests),
            idle,
            address,
            end: Arc::default(),
            overdue: CancellationToken::new(),
        });
        activity.change(|_| {});
        activity
    }

    /// Records an activity.
    pub(crate) fn touch(&self) {
        self.requests().last_activity = Instant::now();
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

    /// Waits until the connection must end: its address has too many idle ones and it is not busy again, or its client did not read a
    /// reply in time. Otherwise a client could read one byte at a time without end.
    pub(crate) async fn has_to_end(&self) {
        loop {
            tokio::select! {
                () = self.overdue.cancelled() => return,
                () = self.end.notified() => if self.requests().are_waiting() {
                    return;
                },
            }
        }
    }

    fn requests(&self) -> MutexGuard<'_, ConnectionRequests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time since the last activity; `None` while a request is in progress, because other limits end a late body.
    pub(crate) fn idle(&self) -> Option<Duration> {
        let requests = self.requests();
        (requests.in_progress == 0).then(|| requests.last_activity.elapsed())
    }
}

impl ConnectionRequests {
    /// Returns true if all requests in progress wait for their bodies, or if there are none.
    const fn are_waiting(&self) -> bool {
        self.in_progress == self.waiting
    }
}

impl RequestInProgress {
    /// Ends the connection after this time, unless the result is dropped before, when the client has read the reply.
    pub(crate) fn expect_read(&self, patience: Duration) -> AbortOnDropHandle<()> {
        let overdue = self.0.overdue.clone();
        AbortOnDropHandle::new(tokio::spawn(async move {
            sleep(patience).await;
            overdue.cancel();
        }))
    }

    /// Waits for the body until the result is dropped.
    pub(crate) fn wait(&self) -> WaitingRequest<'_> {
        self.0.change(|requests| requests.waiting += 1);
        WaitingRequest(&self.0)
    }
}

impl Drop for RequestInProgress {
    fn drop(&mut self) {
        self.0.change(|requests| {
            requests.in_progress -= 1;
            requests.last_activity = Instant::now();
        });
    }
}

impl Drop for WaitingRequest<'_> {
    fn drop(&mut self) {
        self.0.change(|requests| requests.waiting -= 1);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::metrics::Metrics;

    fn has_to_end(connection: &Activity) -> bool {
        connection.has_to_end().now_or_never().is_some()
    }

    #[test]
    fn a_connection_is_idle_while_all_its_requests_wait_for_their_bodies() {
        let idle = IdleLimit::new(1, Arc::new(Metrics::new()));
        let address = [192, 0, 2, 1].into();
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
        assert!(!has_to_end(&other));
    }
}
