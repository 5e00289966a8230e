//! Backpressure of responses: bounds the memory and the time of replies that clients read slowly or not at all.
//!
//! An answer may be many times as long as its call, and a client may read it a byte at a time, or keep HTTP/2's window shut. Large
//! replies share a bounded space; small ones are bounded by connections and streams, and never refused.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::body::{Body, Bytes, HttpBody};
use http_body_util::BodyExt;

use crate::{
    body::Share,
    calls::Calls,
    codes,
    memory::LeftBehind,
    reply::{Refusal, Reply},
    stream::{Owed, Peer},
};

/// The most bytes of a reply that needs no share of the space.
const SMALL: usize = 16 << 10;

/// The bytes of a reply, with their share of the space until the last byte is written.
struct Kept {
    bytes: Bytes,
    _share: Share,
    _owed: Owed,
    left_behind: Arc<LeftBehind>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.left_behind.note(self.bytes.len());
    }
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Reserves space for bytes until the client has read them.
pub(crate) fn counted(calls: &Calls, peer: &Peer, bytes: Bytes) -> Result<Bytes, Refusal> {
    if bytes.len() <= SMALL {
        return Ok(bytes);
    }
    let mut share = calls.answers_room.share();
    if bytes.len() > calls.limits.bodies {
        let message = format!(
            "the answer is over the limit of {}",
            adjudicate_sandbox::counted(calls.limits.bodies, "byte")
        );
        return Err(Refusal::new(codes::LIMIT_EXCEEDED, message));
    }
    if share.fit(bytes.len()).is_err() {
        let message = "there is no room for the answer while others are not taken; try again";
        return Err(Refusal::new(codes::HOST_OVERLOADED, message));
    }
    // A reader has as long as a body, and a second more for each MiB.
    let patience = calls.limits.request + Duration::from_secs((bytes.len() >> 20) as u64);
    let owed = peer.under_way.owe(Instant::now() + patience);
    Ok(Bytes::from_owner(Kept {
        bytes,
        _share: share,
        _owed: owed,
        left_behind: Arc::clone(&calls.left_behind),
    }))
}

/// Reserves space for a reply until the client has read it. Streams reserve space for each batch.
pub(crate) async fn counted_reply(calls: &Calls, peer: &Peer, reply: Reply) -> Result<Reply, Refusal> {
    if reply.body().size_hint().exact().is_none_or(|length| length <= SMALL as u64) {
        return Ok(reply);
    }
    let (head, body) = reply.into_parts();
    let whole = body.collect().await;
    let bytes =
        whole.map_err(|_| Refusal::new(codes::HOST_FAULT, "the answer could not be read"))?.to_bytes();
    Ok(Reply::from_parts(head, Body::from(counted(calls, peer, bytes)?)))
}
