//! What the server says of itself: that it lives, whether it can be asked, its numbers.

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

/// What is known of the server's health.
pub(crate) struct Health {
    slots: Option<Slots>,
    metrics: Arc<Metrics>,
    /// Where the store is looked at.
    desk: Arc<Lanes>,
    /// What keeps slots from answering, as of a moment ago.
    troubles: RwLock<Vec<String>>,
    /// The other face, where the server is one of several.
    pub(crate) face: OnceLock<Arc<Face>>,
    pub(crate) is_draining: AtomicBool,
}

/// That it lives.
pub(crate) fn alive() -> Reply {
    reply::json(r#"{"status":"alive"}"#)
}

impl Health {
    pub(crate) fn new(slots: Option<Slots>, metrics: Arc<Metrics>, desk: Arc<Lanes>) -> Self {
        let troubles = RwLock::new(slots.as_ref().map(troubles).unwrap_or_default());
        Self { slots, metrics, desk, troubles, face: OnceLock::new(), is_draining: AtomicBool::new(false) }
    }

    /// Looks how the slots are.
    pub(crate) fn look_at_slots(&self) {
        if let Some(slots) = &self.slots {
            let troubles = troubles(slots);
            *self.troubles.write().unwrap_or_else(PoisonError::into_inner) = troubles;
        }
    }

    /// Whether requests can be answered: not about to end, the tokens and the store readable, every slot as the store has it and able to
    /// keep the records that it has to keep. What takes time to find out was found out before, for anybody may ask, and as often as they
    /// like.
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
        // Without the others this host answers by what it has: that is told, and does not count.
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

    /// The numbers, in the text form of OpenMetrics.
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

/// What keeps a store's slots from answering. Anybody may read it, so no slot is named: whoever may know them finds the reason
/// in the slot's statistics.
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
    // Those of a cluster that this host does not have at all are among them.
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
