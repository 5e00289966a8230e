//! Replays on many hosts at once: a command, a work queue, and the hosts that take jobs from it.
//!
//! ```text
//! command: cases -> Job -> stream NAME-replay, subject NAME.replay.jobs.RUN
//! host:    pulls a job -> NAME.replay.runs.RUN "taken" -> versions by digest, judged here -> decides
//!          -> NAME.replay.runs.RUN "outcomes" -> the command confirms -> the job is acknowledged
//! command: outcomes, each once -> compares and reports, as it does without a cluster
//! ```
//!
//! If a host ends, its job is delivered to another host, and no outcome is lost. The command decides cases itself that are too
//! large for a message, or that a host declines. If no host decides, the replay fails without a report.
//!
//! Messages are strict JSON with a format number. **Warning:** give the permission to publish to `NAME.replay.runs.*`
//! only to hosts, because such a client can send any outcome to a command. A client that may publish to
//! `NAME.replay.jobs.*` can make hosts run modules that they trust, within their limits. It can do nothing else: a job
//! is identified by the digest of its text, so a forged job belongs to no run.

mod batching;
mod command;
mod host;
mod job;
mod job_execution;
mod naming;
mod note;
mod run;
mod staging;
mod versions;
mod worker;

pub use command::Replay;
pub use host::{ReplayHost, Replays};
pub use naming::Sources;
pub use run::Replayed;
pub use worker::Worked;

/// The subject of a run's jobs.
fn jobs(cluster: &str, run: &str) -> String {
    format!("{cluster}.replay.jobs.{run}")
}

/// The subject of the notes from hosts to a run.
fn notes(cluster: &str, run: &str) -> String {
    format!("{cluster}.replay.runs.{run}")
}

/// The version of the engine. Other versions may give other answers.
const ENGINE: &str = env!("CARGO_PKG_VERSION");

/// Space for the headers of a message.
const HEADERS: usize = 1024;

/// True if this is a valid name of a run.
fn is_run(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
