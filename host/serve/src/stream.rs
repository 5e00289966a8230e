//! A connection's bytes, with a pulse: whether something is still going on.

use std::{
    collections::BTreeMap,
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    sync::Notify,
};

use crate::idle::{Idle, Resting};

/// Who is at the other end of a connection, and that something is going on there.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) under_way: Arc<UnderWay>,
}

/// When a connection last got on: a request ended, or bytes of a reply were taken. Bytes that come in do not count, for
/// they may come one at a time for ever.
#[derive(Debug)]
pub(crate) struct Pulse {
    born: Instant,
    /// Milliseconds after birth.
    last: AtomicU64,
    under_way: AtomicU32,
    served: AtomicU64,
    /// Until when each large reply must be taken.
    owed: Mutex<BTreeMap<u64, Instant>>,
    owing: AtomicU64,
    idle: Arc<Idle>,
    address: IpAddr,
    /// While nothing is under way.
    resting: Mutex<Option<Resting>>,
    /// Told when the connection has to end, because its address has too many that are idle.
    end: Arc<Notify>,
}

/// A request that is under way.
#[derive(Debug)]
pub(crate) struct UnderWay(Arc<Pulse>);

impl Pulse {
    /// Of a connection from this address, which is idle at first.
    pub(crate) fn new(idle: Arc<Idle>, address: IpAddr) -> Arc<Self> {
        let end = Arc::new(Notify::new());
        let resting = Mutex::new(Some(idle.enter(address, &end)));
        Arc::new(Self {
            born: Instant::now(),
            last: AtomicU64::new(0),
            under_way: AtomicU32::new(0),
            served: AtomicU64::new(0),
            owed: Mutex::default(),
            owing: AtomicU64::new(0),
            idle,
            address,
            resting,
            end,
        })
    }

    pub(crate) fn age(&self) -> Duration {
        self.born.elapsed()
    }

    fn beat(&self) {
        let age = u64::try_from(self.age().as_millis()).unwrap_or(u64::MAX);
        self.last.store(age, Ordering::Relaxed);
    }

    /// A request begins; how many there were, this one included.
    pub(crate) fn begin(self: &Arc<Self>) -> (UnderWay, u64) {
        let mut resting = self.resting();
        self.under_way.fetch_add(1, Ordering::Relaxed);
        *resting = None;
        (UnderWay(Arc::clone(self)), self.served.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// A reply must be taken until then.
    fn owe(self: &Arc<Self>, until: Instant) -> Owed {
        let id = self.owing.fetch_add(1, Ordering::Relaxed);
        self.owed.lock().unwrap_or_else(PoisonError::into_inner).insert(id, until);
        Owed { pulse: Arc::clone(self), id }
    }

    /// Whether some reply was not taken in time. Bytes of it may have been, one now and then, for ever.
    pub(crate) fn is_overdue(&self) -> bool {
        let now = Instant::now();
        self.owed.lock().unwrap_or_else(PoisonError::into_inner).values().any(|until| *until <= now)
    }

    /// Ends when the connection has to, because its address has too many that are idle; one that is not idle any more need not.
    pub(crate) async fn has_to_end(&self) {
        loop {
            self.end.notified().await;
            if self.idle().is_some() {
                return;
            }
        }
    }

    fn resting(&self) -> MutexGuard<'_, Option<Resting>> {
        self.resting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For how long nothing has been going on; `None` while something is.
    pub(crate) fn idle(&self) -> Option<Duration> {
        if self.under_way.load(Ordering::Relaxed) > 0 {
            return None;
        }
        Some(self.age().saturating_sub(Duration::from_millis(self.last.load(Ordering::Relaxed))))
    }
}

impl UnderWay {
    /// A reply must be taken until then.
    pub(crate) fn owe(&self, until: Instant) -> Owed {
        self.0.owe(until)
    }
}

/// A reply that is not wholly taken yet.
#[derive(Debug)]
pub(crate) struct Owed {
    pulse: Arc<Pulse>,
    id: u64,
}

impl Drop for Owed {
    fn drop(&mut self) {
        self.pulse.owed.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Self(pulse) = self;
        pulse.beat();
        let mut resting = pulse.resting();
        if pulse.under_way.fetch_sub(1, Ordering::Relaxed) == 1 {
            *resting = Some(pulse.idle.enter(pulse.address, &pulse.end));
        }
    }
}

/// A stream whose writes are beats.
#[derive(Debug)]
pub(crate) struct Watched<S> {
    stream: S,
    pulse: Arc<Pulse>,
}

impl<S> Watched<S> {
    pub(crate) const fn new(stream: S, pulse: Arc<Pulse>) -> Self {
        Self { stream, pulse }
    }

    fn wrote(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(1..)) = written {
            self.pulse.beat();
        }
        written
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
