//! SIGINT and SIGTERM while validators run.

use std::sync::{Arc, atomic::AtomicBool};

/// A flag that a signal sets.
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Begins to listen for signals. If that is not possible, signals end the process as usual.
    pub(crate) fn listen() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        listen(Arc::clone(&stop));
        // The host of the module stops the validators itself.
        #[cfg(target_os = "wasi")]
        adjudicate_collect::listen();
        Self(stop)
    }

    pub(crate) fn into_stop(self) -> Arc<AtomicBool> {
        self.0
    }

    pub(super) fn stop(&self) -> &AtomicBool {
        &self.0
    }
}

/// SIGINT and SIGTERM, in a tokio runtime.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for a signal.
    pub(crate) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(unix)]
fn listen(stop: Arc<AtomicBool>) {
    use std::{sync::atomic::Ordering, thread};

    use tokio::runtime::Builder;

    let Ok(runtime) = Builder::new_current_thread().enable_io().build() else { return };
    let signals = {
        let _context = runtime.enter();
        Signals::listen()
    };
    let Ok(mut signals) = signals else { return };
    // The thread ends with the process.
    thread::spawn(move || {
        runtime.block_on(signals.next());
        stop.store(true, Ordering::Relaxed);
    });
}
