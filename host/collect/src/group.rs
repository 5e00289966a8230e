//! Processes in a group of their own, so that a signal reaches the children of a command, too.

use std::{
    io,
    process::{Child, Command, ExitStatus},
    thread,
    time::Duration,
};

/// The strength of a stop.
#[derive(Clone, Copy)]
pub(crate) enum Stop {
    /// SIGTERM: the processes may end in their own way.
    Ask,
    /// SIGKILL.
    Kill,
}

#[cfg(unix)]
mod system {
    use std::{
        os::unix::process::{CommandExt, ExitStatusExt},
        sync::mpsc::{self, Receiver},
    };

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::{Child, Command, Duration, ExitStatus, Stop, io, thread};

    pub(crate) fn in_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Wakes a host when a process ends.
    pub(crate) struct Alarm(Receiver<()>);

    impl Alarm {
        pub(crate) fn new(child: &Child) -> Self {
            let (sender, receiver) = mpsc::channel();
            let pid = pid(child);
            // The host looks again, so an error here only makes it sleep.
            thread::spawn(move || {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                let _ = pid.map(|pid| waitid(WaitId::Pid(pid), options));
                let _ = sender.send(());
            });
            Self(receiver)
        }

        /// Sleeps for this time, or until the process ends.
        pub(crate) fn sleep(&self, most: Duration) {
            if let Err(mpsc::RecvTimeoutError::Disconnected) = self.0.recv_timeout(most) {
                thread::sleep(most);
            }
        }
    }

    /// Returns true if the process ended. It stays a zombie, so that its group keeps its number until the child is waited for.
    pub(crate) fn has_ended(child: &mut Child) -> io::Result<bool> {
        let Some(pid) = pid(child) else { return Ok(child.try_wait()?.is_some()) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(pid), options)?.is_some())
    }

    pub(crate) fn stop(child: &mut Child, stop: Stop) {
        let signal = match stop {
            Stop::Ask => Signal::TERM,
            Stop::Kill => Signal::KILL,
        };
        // The group may have ended by itself.
        let _ = pid(child).map(|pid| kill_process_group(pid, signal));
    }

    fn pid(child: &Child) -> Option<Pid> {
        i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    }

    pub(crate) fn exit_code(status: ExitStatus) -> i64 {
        let signal = || 128 + i64::from(status.signal().unwrap_or_default());
        status.code().map_or_else(signal, i64::from)
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Child, Command, Duration, ExitStatus, Stop, io, thread};

    pub(crate) fn in_group(_: &mut Command) {}

    /// Elsewhere, no thread can wait for a process that the host waits for.
    pub(crate) struct Alarm;

    impl Alarm {
        pub(crate) fn new(_: &Child) -> Self {
            Self
        }

        pub(crate) fn sleep(&self, most: Duration) {
            thread::sleep(most);
        }
    }

    pub(crate) fn has_ended(child: &mut Child) -> io::Result<bool> {
        Ok(child.try_wait()?.is_some())
    }

    pub(crate) fn stop(child: &mut Child, _: Stop) {
        // The process may have ended by itself.
        let _ = child.kill();
    }

    pub(crate) fn exit_code(status: ExitStatus) -> i64 {
        status.code().map_or(1, i64::from)
    }
}

pub(crate) use system::{Alarm, exit_code, has_ended, in_group, stop};
