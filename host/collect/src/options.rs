//! The options of a collection.

use std::{io, sync::atomic::AtomicBool, time::Duration};

use adjudicate_core::owned::Entry;
use adjudicate_evidence::collect::OwnedExternalEvidence;

/// The options of a collection.
#[derive(Clone, Copy, Default)]
pub struct CollectOptions<'a> {
    /// The git revision to compare with. It replaces that of the configuration and of the state.
    pub base: Option<&'a str>,
    /// Begins a new run, without earlier evaluations.
    pub new_run: bool,
    /// The step of the agent before this collection.
    pub agent: Option<&'a Entry>,
    /// Evidence that no command of the repository shows, for this collection only. Take it from a place that the agent cannot write.
    pub external: Option<&'a OwnedExternalEvidence>,
    /// Stops the validators when it becomes true, for example after SIGINT. The run is then interrupted.
    pub stop: Option<&'a AtomicBool>,
    /// Receives the progress.
    pub progress: Option<&'a dyn Fn(Progress)>,
    /// Lets validators run on the base revision first, if the configuration asks for a baseline and none is stored.
    pub may_run_baseline: bool,
    /// The time at which the active goal was set, in seconds since 1970. The envelope then has the minutes since.
    pub goal_set_at: Option<u64>,
    /// The longest wait for another collection in the same root.
    pub wait: Duration,
    /// Decides in place of the native engine, for example by a slot of a server. The policy of the caller then has no effect.
    pub decide: Option<&'a Decide<'a>>,
}

/// Returns the answers of `evaluate` and `refine` to an envelope, all as JSON text.
pub type Decide<'a> = dyn Fn(&str) -> io::Result<(String, String)> + 'a;

impl CollectOptions<'_> {
    #[cfg(not(target_os = "unknown"))]
    pub(crate) fn report(&self, progress: Progress) {
        if let Some(receive) = self.progress {
            receive(progress);
        }
    }
}

/// The progress of a collection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Progress {
    /// A validator starts: its id, its number from 0, and the number of validators.
    Started(String, usize, usize),
    /// A validator ended: its id, and whether it exited with 0.
    Ended(String, bool),
}
