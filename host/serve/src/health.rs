//! Readiness of the server.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

use adjudicate_host::Slots;
use adjudicate_trust::counted;
use arc_swap::ArcSwap;
use axum::http::StatusCode;

use crate::{
    documents::Readiness,
    nats::NatsTransport,
    reply::{Refusal, Reply, to_json},
};

/// The health of the server.
#[derive(Default)]
pub(crate) struct Health {
    /// The latest known problems that keep slots from answering.
    problems: ArcSwap<Vec<String>>,
    /// The NATS interface, if the server belongs to a cluster.
    pub(crate) transport: OnceLock<Arc<NatsTransport>>,
    pub(crate) is_draining: AtomicBool,
}

impl Health {
    /// Updates the problems of the slots. Loads slots that are not loaded.
    pub(crate) fn check(&self, slots: &Slots) {
        self.problems.store(problems(slots).into());
    }

    /// Returns the reply of `/readyz`. The server is ready if it is not about to end, the tokens and the store are readable, and every
    /// slot runs its current entry and can keep its records. Slow checks ran before, because any client may ask at any rate.
    pub(crate) fn ready(&self, are_tokens_readable: bool) -> Result<Reply, Refusal> {
        let mut problems = self.problems.load().to_vec();
        if self.is_draining.load(Ordering::Relaxed) {
            problems.push("the server is about to end".to_owned());
        }
        if !are_tokens_readable {
            problems.push("the tokens cannot be read".to_owned());
        }
        let ready = problems.is_empty();
        // A host that is cut off answers with the entries that it has, so the cluster is reported but does not count.
        let cluster = self.transport.get().map(|transport| transport.membership());
        let mut reply = to_json(&Readiness { ready, problems, cluster })?;
        if !ready {
            *reply.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        }
        Ok(reply)
    }
}

/// Returns the problems that keep slots from answering. `/readyz` needs no token, so they name no slot; the statistics of a slot
/// have the reason.
fn problems(slots: &Slots) -> Vec<String> {
    if let Err(error) = slots.slots() {
        return vec![error.code().as_str().to_owned()];
    }
    // These include slots of the cluster that this host does not have. The empty name stands for further slots.
    let mut not_current = slots.problems();
    let are_more = not_current.remove("").is_some();
    let not_current = match (are_more, not_current.len()) {
        (false, 0) => None,
        (false, 1) => Some("1 slot does not run its current entry".to_owned()),
        (false, count) => Some(format!("{count} slots do not run their current entry")),
        (true, count) => Some(format!("more than {count} slots do not run their current entry")),
    };
    let unrecorded = slots.unrecorded().len();
    let unrecorded = (unrecorded > 0)
        .then(|| format!("{} cannot write required decision records", counted(unrecorded, "slot")));
    not_current.into_iter().chain(unrecorded).collect()
}
