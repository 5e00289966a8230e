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
        Self(stop)
    }

    pub(crate) fn into_stop(self) -> Arc<AtomicBool> {
        self.0
    }

    pub(super) fn stop(&self) -> &AtomicBool {
        &self.0
    }
}

#[cfg(unix)]
fn listen(stop: Arc<AtomicBool>) {
    use std::{sync::atomic::Ordering, thread};

    use tokio::{
        runtime::Builder,
        select,
        signal::unix::{SignalKind, signal},
    };

    let Ok(runtime) = Builder::new_current_thread().enable_io().build() else { return };
    let streams = {
        let _context = runtime.enter();
        signal(SignalKind::interrupt())
            .and_then(|interrupt| Ok((interrupt, signal(SignalKind::terminate())?)))
    };
    let Ok((mut interrupt, mut terminate)) = streams else { return };
    // The thread ends with the process.
    thread::spawn(move || {
        runtime.block_on(async {
            select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        });
        stop.store(true, Ordering::Relaxed);
    });
}
