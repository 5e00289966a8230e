//! Backpressure of responses: bounds the memory and the time of replies that clients read slowly or not at all.
//!
//! An answer may be many times as long as its call, and a client may read it a byte at a time, or keep HTTP/2's window shut. Large
//! replies share a bounded space; small ones are bounded by connections and streams, and never rejected.

use std::{sync::Arc, time::Duration};

use adjudicate_trust::counted;
use axum::body::{Body, Bytes, HttpBody};
use http_body_util::BodyExt;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    activity::Peer,
    body::BudgetShare,
    calls::Calls,
    codes,
    memory::FreedMemory,
    reply::{Refusal, Reply},
};

/// The most bytes of a reply that needs no share of the space.
const SMALL: usize = 16 << 10;

/// The bytes of a reply, with their share of the space until the last byte is written.
struct Reserved {
    bytes: Bytes,
    _share: BudgetShare,
    _unread: AbortOnDropHandle<()>,
    freed_memory: Arc<FreedMemory>,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.freed_memory.note(self.bytes.len());
    }
}

impl AsRef<[u8]> for Reserved {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reserves space for bytes until the client has read them.
pub(crate) fn reserve(calls: &Calls, peer: &Peer, bytes: Bytes) -> Result<Bytes, Refusal> {
    if bytes.len() <= SMALL {
        return Ok(bytes);
    }
    let mut share = calls.answer_budget.share();
    if bytes.len() > calls.limits.bodies {
        let message = format!("the answer is over the limit of {}", counted(calls.limits.bodies, "byte"));
        return Err(Refusal::new(codes::LIMIT_EXCEEDED, message));
    }
    if share.fit(bytes.len()).is_err() {
        let message = "no memory for the answer until clients read other answers; try again";
        return Err(Refusal::new(codes::HOST_OVERLOADED, message));
    }
    // The client may take the time limit of a body, and a second more for each MiB.
    let patience = calls.limits.request + Duration::from_secs((bytes.len() >> 20) as u64);
    let unread = peer.in_progress.expect_read(patience);
    let freed_memory = Arc::clone(&calls.freed_memory);
    Ok(Bytes::from_owner(Reserved { bytes, _share: share, _unread: unread, freed_memory }))
}

/// Reserves space for a reply until the client has read it. Streams reserve space for each batch.
pub(crate) async fn reserve_reply(calls: &Calls, peer: &Peer, reply: Reply) -> Result<Reply, Refusal> {
    if reply.body().size_hint().exact().is_none_or(|length| length <= SMALL as u64) {
        return Ok(reply);
    }
    let (head, body) = reply.into_parts();
    let whole = body.collect().await;
    let bytes =
        whole.map_err(|_| Refusal::new(codes::HOST_FAULT, "the answer could not be read"))?.to_bytes();
    Ok(Reply::from_parts(head, Body::from(reserve(calls, peer, bytes)?)))
}
