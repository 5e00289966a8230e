//! Deciding again on many hosts at once: one command, a work queue, and whoever takes jobs from it.
//!
//! ```text
//! command: cases -> Job -> stream NAME-replay, subject NAME.replay.jobs.RUN
//! host:    pulls a job -> NAME.replay.runs.RUN "taken" -> versions by digest, judged here -> decides
//!          -> NAME.replay.runs.RUN "outcomes" -> the command confirms -> the job is acknowledged
//! command: outcomes, each once -> compares and reports, as it does without a cluster
//! ```
//!
//! A host that ends costs the time until its job is given to another one, and no outcome. What is too large for a message, and what a
//! host fails at for a reason of its own, the command decides itself. Where nobody decides there is an error and never a report.
//!
//! Messages are JSON with a format number, read strictly. Whoever may publish to `NAME.replay.runs.*` can tell a command what it likes
//! of its cases, so that is for hosts alone to be permitted; whoever may publish to `NAME.replay.jobs.*` can have hosts run modules that
//! they trust, within their limits, and nothing else: a job goes by the digest of its text, so another one is none of the run's.

mod command;
mod cutting;
mod host;
mod job;
mod loans;
mod naming;
mod note;
mod run;
mod taken;
mod versions;

pub use command::Replay;
pub use host::{ReplayHost, Replays, Worked};
pub use naming::Sources;
pub use run::Replayed;

/// What jobs are published to; a run has a subject of its own below it.
fn jobs(cluster: &str, run: &str) -> String {
    format!("{cluster}.replay.jobs.{run}")
}

/// What hosts tell a run of its jobs.
fn notes(cluster: &str, run: &str) -> String {
    format!("{cluster}.replay.runs.{run}")
}

/// The version of the engine: answers of another one may differ.
const ENGINE: &str = env!("CARGO_PKG_VERSION");

/// What a message may hold beside its headers.
const HEADERS: usize = 1024;

/// Whether this can be a run's name.
fn is_run(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}
