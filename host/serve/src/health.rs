//! Liveness, readiness and metrics of the server.

use std::sync::{
    Arc, OnceLock, PoisonError, RwLock,
    atomic::{AtomicBool, Ordering},
};

use adjudicate_host::Slots;
use axum::http::{HeaderValue, StatusCode};
use prometheus_client::registry::Registry;

use crate::{
    lanes::Lanes,
    metrics::Metrics,
    nats::Face,
    numbers,
    reply::{self, Refusal, Reply, written},
};

/// The health of the server.
pub(crate) struct Health {
    slots: Option<Slots>,
    metrics: Arc<Metrics>,
    /// The threads for reads of the store.
    desk: Arc<Lanes>,
    /// The latest known problems that keep slots from answering.
    troubles: RwLock<Vec<String>>,
    /// The NATS interface, if the server is a member of a cluster.
    pub(crate) face: OnceLock<Arc<Face>>,
    pub(crate) is_draining: AtomicBool,
}

/// Returns the reply of `/healthz`.
pub(crate) fn alive() -> Reply {
    reply::json(r#"{"status":"alive"}"#)
}

impl Health {
    pub(crate) fn new(slots: Option<Slots>, metrics: Arc<Metrics>, desk: Arc<Lanes>) -> Self {
        let troubles = RwLock::new(slots.as_ref().map(troubles).unwrap_or_default());
        Self { slots, metrics, desk, troubles, face: OnceLock::new(), is_draining: AtomicBool::new(false) }
    }

    /// Updates the problems of the slots.
    pub(crate) fn look_at_slots(&self) {
        if let Some(slots) = &self.slots {
            let troubles = troubles(slots);
            *self.troubles.write().unwrap_or_else(PoisonError::into_inner) = troubles;
        }
    }

    /// Returns the reply of `/readyz`. The server is ready if it is not about to end, the tokens and the store are readable, and every
    /// slot runs its current entry and can keep its records. Slow checks ran before, because any client may ask, at any rate.
    pub(crate) fn ready(&self, are_tokens_readable: bool) -> Result<Reply, Refusal> {
        let mut troubles = self.troubles.read().unwrap_or_else(PoisonError::into_inner).clone();
        if self.is_draining.load(Ordering::Relaxed) {
            troubles.push("the server is about to end".to_owned());
        }
        if !are_tokens_readable {
            troubles.push("the tokens cannot be read".to_owned());
        }
        let is_ready = troubles.is_empty();
        let mut told = serde_json::json!({ "ready": is_ready, "troubles": troubles });
        // A host that is cut off answers with the entries that it has, so the cluster is reported but does not count.
        if let (Some(face), Some(told)) = (self.face.get(), told.as_object_mut()) {
            let cluster = serde_json::json!({
                "name": face.name(),
                "host": face.host(),
                "connected": face.is_connected(),
                "troubles": face.standing().troubles.len(),
            });
            told.insert("cluster".to_owned(), cluster);
        }
        let mut reply = written(&told)?;
        if !is_ready {
            *reply.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        }
        Ok(reply)
    }

    /// Returns the metrics in the text format of OpenMetrics.
    pub(crate) async fn metrics(self: &Arc<Self>) -> Result<Reply, Refusal> {
        let doing = Arc::clone(self);
        let text = self.desk.run(0, move || {
            let mut more = Registry::with_prefix("adjudicate");
            if let Some(slots) = &doing.slots {
                numbers::of_slots(&mut more, slots);
            }
            if let Some(face) = doing.face.get() {
                numbers::of_cluster(&mut more, face);
            }
            doing.metrics.text(&more)
        });
        let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
        Ok(reply::bytes(text.await?.into(), kind))
    }
}

/// Returns the problems that keep slots from answering. `/readyz` needs no token, so they name no slot; the statistics of a slot
/// have the reason.
fn troubles(slots: &Slots) -> Vec<String> {
    if let Err(error) = slots.slots() {
        return vec![error.code().as_str().to_owned()];
    }
    let told = |more, count, one, several| match (more, count) {
        (false, 0) => None,
        (false, 1) => Some(format!("1 slot {one}")),
        (false, count) => Some(format!("{count} slots {several}")),
        (true, count) => Some(format!("more than {count} slots {several}")),
    };
    // These include slots of the cluster that this host does not have.
    let mut troubles = slots.troubles();
    let more = troubles.remove("").is_some();
    let elsewhere =
        told(more, troubles.len(), "does not run what is in force", "do not run what is in force");
    let unrecorded = told(
        false,
        slots.unrecorded().len(),
        "cannot write the decision records that it has to keep",
        "cannot write the decision records that they have to keep",
    );
    elsewhere.into_iter().chain(unrecorded).collect()
}
