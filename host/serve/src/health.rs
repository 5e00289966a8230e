//! Liveness, readiness and metrics of the server.

use std::sync::{
    Arc, OnceLock, PoisonError, RwLock,
    atomic::{AtomicBool, Ordering},
};

use adjudicate_host::Slots;
use axum::http::{HeaderValue, StatusCode};
use prometheus_client::registry::Registry;

use crate::{
    documents::{Liveness, Membership, Readiness},
    limiter::ConcurrencyLimiter,
    metrics::Metrics,
    nats::NatsTransport,
    reply::{self, Refusal, Reply, to_json},
    state_metrics,
};

/// The health of the server.
pub(crate) struct Health {
    slots: Option<Slots>,
    metrics: Arc<Metrics>,
    /// The threads for reads of the store.
    read_pool: Arc<ConcurrencyLimiter>,
    /// The latest known problems that keep slots from answering.
    problems: RwLock<Vec<String>>,
    /// The NATS interface, if the server belongs to a cluster.
    pub(crate) transport: OnceLock<Arc<NatsTransport>>,
    pub(crate) is_draining: AtomicBool,
}

/// Returns the reply of `/healthz`.
pub(crate) fn alive() -> Result<Reply, Refusal> {
    to_json(&Liveness { status: "alive" })
}

impl Health {
    pub(crate) fn new(
        slots: Option<Slots>,
        metrics: Arc<Metrics>,
        read_pool: Arc<ConcurrencyLimiter>,
    ) -> Self {
        let problems = RwLock::new(slots.as_ref().map(problems).unwrap_or_default());
        Self {
            slots,
            metrics,
            read_pool,
            problems,
            transport: OnceLock::new(),
            is_draining: AtomicBool::new(false),
        }
    }

    /// Updates the problems of the slots.
    pub(crate) fn check_slots(&self) {
        if let Some(slots) = &self.slots {
            let problems = problems(slots);
            *self.problems.write().unwrap_or_else(PoisonError::into_inner) = problems;
        }
    }

    /// Returns the reply of `/readyz`. The server is ready if it is not about to end, the tokens and the store are readable, and every
    /// slot runs its current entry and can keep its records. Slow checks ran before, because any client may ask at any rate.
    pub(crate) fn ready(&self, are_tokens_readable: bool) -> Result<Reply, Refusal> {
        let mut problems = self.problems.read().unwrap_or_else(PoisonError::into_inner).clone();
        if self.is_draining.load(Ordering::Relaxed) {
            problems.push("the server is about to end".to_owned());
        }
        if !are_tokens_readable {
            problems.push("the tokens cannot be read".to_owned());
        }
        let is_ready = problems.is_empty();
        // A host that is cut off answers with the entries that it has, so the cluster is reported but does not count.
        let cluster = self.transport.get().map(|transport| Membership {
            name: transport.name().to_owned(),
            host: transport.host().to_owned(),
            connected: transport.is_connected(),
            problems: transport.cluster_state().problems.len(),
        });
        let mut reply = to_json(&Readiness { ready: is_ready, problems, cluster })?;
        if !is_ready {
            *reply.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        }
        Ok(reply)
    }

    /// Returns the metrics in the text format of OpenMetrics.
    pub(crate) async fn metrics(self: &Arc<Self>) -> Result<Reply, Refusal> {
        let doing = Arc::clone(self);
        let text = self.read_pool.run(0, move || {
            let mut more = Registry::with_prefix("adjudicate");
            if let Some(slots) = &doing.slots {
                state_metrics::of_slots(&mut more, slots);
            }
            if let Some(transport) = doing.transport.get() {
                state_metrics::of_cluster(&mut more, transport);
            }
            doing.metrics.text(&more)
        });
        let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
        Ok(reply::bytes(text.await?.into(), kind))
    }
}

/// Returns the problems that keep slots from answering. `/readyz` needs no token, so they name no slot; the statistics of a slot
/// have the reason.
fn problems(slots: &Slots) -> Vec<String> {
    if let Err(error) = slots.slots() {
        return vec![error.code().as_str().to_owned()];
    }
    let fields = |more, count, one, several| match (more, count) {
        (false, 0) => None,
        (false, 1) => Some(format!("1 slot {one}")),
        (false, count) => Some(format!("{count} slots {several}")),
        (true, count) => Some(format!("more than {count} slots {several}")),
    };
    // These include slots of the cluster that this host does not have.
    let mut problems = slots.problems();
    let more = problems.remove("").is_some();
    let not_current =
        fields(more, problems.len(), "does not run its current entry", "do not run their current entry");
    let unrecorded = fields(
        false,
        slots.unrecorded().len(),
        "cannot write required decision records",
        "cannot write required decision records",
    );
    not_current.into_iter().chain(unrecorded).collect()
}
