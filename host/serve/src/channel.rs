//! The body of a stream's reply: parts, and an explicit end.
//!
//! If the sender is dropped without the end, the body ends with an error, so no client mistakes it for a complete one. The channel
//! of `http-body-util` (0.1.5) does not work here: it can lose a part that is sent just before the sender is dropped, and the body
//! still ends as a complete one.

use std::io;

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::sync::{
    mpsc::{self, error::SendError},
    oneshot,
};

/// Returns both ends of a channel in which `ahead` parts may wait for the client.
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
