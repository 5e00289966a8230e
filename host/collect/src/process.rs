//! Commands with a time limit.

use std::{
    io,
    process::{Child, ExitStatus},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::group::{self, Stop};

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(5);

/// The longest time between two looks at a process.
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The command ended by itself.
    Exited(ExitStatus),
    /// The command reached its time limit.
    TimedOut,
    /// The host stopped the command.
    Stopped,
}

/// Waits for the end of a process that leads its group. Then no process of the group is left.
pub(crate) fn wait(child: &mut Child, limit: Duration, stop: Option<&AtomicBool>) -> io::Result<End> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_millis(1);
    let is_stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    let cut = loop {
        if group::has_ended(child)? {
            break None;
        }
        if is_stopped() {
            break Some(End::Stopped);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break Some(End::TimedOut);
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(MAX_PAUSE);
    };
    if cut.is_some() {
        group::stop(child, Stop::Ask);
        let deadline = Instant::now() + GRACE;
        while !group::has_ended(child)? && Instant::now() < deadline {
            thread::sleep(MAX_PAUSE);
        }
    }
    // A process that the command left behind could still write reports.
    group::stop(child, Stop::Kill);
    let status = child.wait()?;
    Ok(cut.unwrap_or(End::Exited(status)))
}
