//! Backpressure of responses: bounds the memory and the time of replies that clients read slowly or not at all.
//!
//! An answer may be many times as long as its call, and a client may read it a byte at a time, or keep HTTP/2's window shut. Large
//! replies share a bounded space; small ones are bounded by connections and streams, and never rejected. The reply of a stream has parts, and
//! an explicit end.

use std::{io, sync::Arc, time::Duration};

use adjudicate_trust::counted;
use axum::body::{Body, Bytes, HttpBody};
use futures_util::stream;
use http_body_util::BodyExt;
use tokio::sync::{
    mpsc::{self, error::SendError},
    oneshot,
};
use tokio_util::task::AbortOnDropHandle;

use crate::{
    activity::Peer,
    body::BudgetShare,
    calls::Calls,
    codes,
    limiter::FreedMemory,
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

/// Returns both ends of a channel in which `ahead` parts may wait for the client: the body of a stream's reply.
///
/// If the sender is dropped without the end, the body ends with an error, so no client mistakes it for a complete one. The channel
/// of `http-body-util` (0.1.5) does not work here: it can lose a part that is sent just before the sender is dropped, and the body
/// still ends as a complete one.
pub(crate) fn channel(ahead: usize) -> (ReplySender, Body) {
    let ((sender, parts), (end, ended)) = (mpsc::channel(ahead), oneshot::channel());
    let body = stream::try_unfold((parts, ended), |(mut parts, mut ended)| async {
        match parts.recv().await {
            Some(part) => Ok(Some((part, (parts, ended)))),
            None if ended.try_recv().is_ok() => Ok(None),
            None => Err(io::Error::from(io::ErrorKind::ConnectionAborted)),
        }
    });
    (ReplySender { sender, end }, Body::from_stream(body))
}

/// The sending end.
pub(crate) struct ReplySender {
    sender: mpsc::Sender<Bytes>,
    end: oneshot::Sender<()>,
}

impl ReplySender {
    /// Sends a part. The error means that the client is gone.
    pub(crate) async fn send(&self, part: Bytes) -> Result<(), SendError<Bytes>> {
        self.sender.send(part).await
    }

    /// Ends the reply as a complete one.
    pub(crate) fn end(self) {
        // The sender of parts is dropped after this, so the body sees this when it sees the end of the parts.
        let _ = self.end.send(());
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    /// Repeats the race between the last part and the receiver, so that each order of their steps occurs.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_part_that_is_sent_last_is_never_lost() {
        for _ in 0..5_000 {
            let (replies, received) = channel(2);
            let sending = tokio::spawn(async move {
                let sent = replies.send(Bytes::from_static(b"last")).await;
                replies.end();
                sent
            });
            assert_eq!(received.collect().await.expect("a complete reply").to_bytes(), "last");
            sending.await.expect("no panic").expect("a receiver");
        }
    }

    #[tokio::test]
    async fn a_reply_without_an_end_is_cut_off_after_its_parts() {
        let (replies, mut received) = channel(2);
        replies.send(Bytes::from_static(b"first")).await.expect("a receiver");
        drop(replies);
        let first = received.frame().await.expect("a part").expect("no error");
        assert_eq!(first.into_data().expect("data"), "first");
        assert!(received.frame().await.expect("an error").is_err());
        assert!(received.frame().await.is_none());
    }
}
