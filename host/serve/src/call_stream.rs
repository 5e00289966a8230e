//! Streams: one call per line, one answer per line, in order, while lines still arrive.
//!
//! As on the command line, a call without an answer gets its error, and the stream continues; blank lines are skipped. Lines
//! that have arrived are answered together on one thread. As soon as none is left, the answers are sent. The stream holds only
//! lines without an answer and answers that the client has not read.

use std::{collections::VecDeque, sync::Arc};

use adjudicate_trust::counted;
use axum::body::Bytes;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::{
    bytes::BytesMut,
    codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder},
};

use crate::{
    activity::Peer,
    backpressure::{self, ReplySender, channel},
    body::{BudgetShare, IncomingBody},
    calls::{CallTarget, Calls},
    codes,
    limiter::CallPermit,
    metrics::Metrics,
    reply::{self, NDJSON, Refusal, Reply},
};

/// The bytes of answers that are sent together.
const BATCH: usize = 256 << 10;

/// The number of batches that may wait for the client.
const AHEAD: usize = 2;

pub(crate) async fn answer(
    calls: &Arc<Calls>,
    metrics: &Arc<Metrics>,
    body: IncomingBody,
    target: CallTarget,
    peer: Peer,
) -> Result<Reply, Refusal> {
    if let CallTarget::Slot(name, _) = &target {
        // An unknown slot is an error of the request, not of each line.
        let (slots, name) = (calls.slots()?.clone(), Arc::clone(name));
        calls.limiter.run(0, move || slots.slot(&name).map(drop)).await??;
    }
    let Ok(place) = Arc::clone(&calls.streams).try_acquire_owned() else {
        let message = "too many streams at once; try again";
        return Err(Refusal::new(codes::HOST_OVERLOADED, message));
    };
    let (replies, received) = channel(AHEAD);
    let stream = CallStream { calls: Arc::clone(calls), metrics: Arc::clone(metrics), target, peer, replies };
    tokio::spawn(async move {
        let _held = place;
        stream.run(body).await;
    });
    Ok(reply::body(received, NDJSON))
}

struct CallStream {
    calls: Arc<Calls>,
    metrics: Arc<Metrics>,
    target: CallTarget,
    peer: Peer,
    replies: ReplySender,
}

/// The early end of a stream: an error, which is the last line of the reply. `None` if the reply is cut off.
type StreamEnd = Option<Refusal>;

impl CallStream {
    /// Answers the lines. The reply is complete if the client got an answer to each line, or an error that ends the stream.
    async fn run(self, body: IncomingBody) {
        let ended = match self.answer_all(body).await {
            Err(Some(refusal)) => {
                self.metrics.error(refusal.code());
                self.send_part(format!("{}\n", refusal.line()).into()).await
            }
            ended => ended,
        };
        if ended.is_ok() {
            self.replies.end();
        }
    }

    async fn answer_all(&self, mut body: IncomingBody) -> Result<(), StreamEnd> {
        let limits = &self.calls.limits;
        let mut lines = LineSplitter::new(limits.body);
        let mut share = self.calls.budget.share();
        loop {
            // The stream may take any time; only pauses are limited.
            let part = body.next(Instant::now() + limits.request.max(limits.pause), limits).await?;
            match &part {
                Some(part) => lines.push(part),
                None => lines.finish(),
            }
            share.fit(lines.buffered())?;
            self.answer(&mut lines, &mut share).await?;
            if part.is_none() {
                return Ok(());
            }
        }
    }

    /// Answers the complete lines.
    async fn answer(&self, lines: &mut LineSplitter, share: &mut BudgetShare) -> Result<(), StreamEnd> {
        while !lines.whole.is_empty() {
            let (calls, metrics, target) =
                (Arc::clone(&self.calls), Arc::clone(&self.metrics), self.target.clone());
            let buffered = lines.buffered();
            calls.freed_memory.note(buffered);
            // Lines are answered one after the other, so none needs more than all held lines together.
            let memory = target.memory(&calls, buffered);
            let permit = self.acquire(memory).await?;
            let mut taken = std::mem::take(&mut lines.whole);
            let computed = self.calls.limiter.run_on(permit, move || {
                let mut replies = Vec::new();
                while replies.len() < BATCH
                    && let Some(line) = taken.pop_front()
                {
                    replies.extend_from_slice(reply_line(&calls, &metrics, &target, line).as_bytes());
                    replies.push(b'\n');
                    metrics.lines.inc();
                }
                (replies, taken)
            });
            let (replies, rest) = computed.await.map_err(Refusal::from)?;
            lines.whole = rest;
            self.send(replies.into()).await?;
            // The share only shrinks here, so this cannot fail.
            let _ = share.fit(lines.buffered());
        }
        Ok(())
    }

    /// Waits for a permit, longer than a request does, because waiting slows the sender down.
    async fn acquire(&self, memory: usize) -> Result<CallPermit, Refusal> {
        let until = Instant::now() + self.calls.limits.request;
        loop {
            match self.calls.limiter.acquire(memory).await {
                Err(_) if Instant::now() < until => sleep(self.calls.limits.queue_wait / 10).await,
                acquired => return Ok(acquired?),
            }
        }
    }

    /// Sends answers. Without space, a batch waits as long as for a permit; larger answers do not wait.
    async fn send(&self, replies: Bytes) -> Result<(), StreamEnd> {
        let until = Instant::now() + self.calls.limits.request;
        let reserved = loop {
            match backpressure::reserve(&self.calls, &self.peer, replies.clone()) {
                Err(_) if replies.len() <= 2 * BATCH && Instant::now() < until => {
                    sleep(self.calls.limits.queue_wait / 10).await;
                }
                reserved => break reserved?,
            }
        };
        self.send_part(reserved).await
    }

    async fn send_part(&self, replies: Bytes) -> Result<(), StreamEnd> {
        let sent = timeout(self.calls.limits.pause, self.replies.send(replies)).await;
        if matches!(sent, Ok(Ok(()))) { Ok(()) } else { Err(None) }
    }
}

/// Returns the reply to one line.
fn reply_line(calls: &Calls, metrics: &Metrics, target: &CallTarget, line: StreamLine) -> String {
    let answer = match line {
        StreamLine::TooLong => {
            let message = format!("the line is over the limit of {}", counted(calls.limits.body, "byte"));
            Err(Refusal::new(codes::LIMIT_EXCEEDED, message))
        }
        StreamLine::Whole(line) => target.answer(calls, &line).map(|answer| answer.text),
    };
    let text = answer.unwrap_or_else(|refusal| {
        metrics.error(refusal.code());
        refusal.line()
    });
    // The engine writes one line; a module may write its answer on several lines.
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
}

#[derive(Debug, PartialEq, Eq)]
enum StreamLine {
    /// The line without its line end.
    Whole(Bytes),
    /// A line over the limit, which was skipped.
    TooLong,
}

/// Splits the parts of a stream into lines, and holds no line beyond the limit.
#[derive(Debug)]
struct LineSplitter {
    whole: VecDeque<StreamLine>,
    begun: BytesMut,
    codec: AnyDelimiterCodec,
}

type Decode = fn(&mut AnyDelimiterCodec, &mut BytesMut) -> Result<Option<Bytes>, AnyDelimiterCodecError>;

impl LineSplitter {
    fn new(limit: usize) -> Self {
        let codec = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), limit);
        Self { whole: VecDeque::new(), begun: BytesMut::new(), codec }
    }

    fn push(&mut self, part: &[u8]) {
        self.begun.extend_from_slice(part);
        self.split(AnyDelimiterCodec::decode);
    }

    /// Ends the last line.
    fn finish(&mut self) {
        self.split(AnyDelimiterCodec::decode_eof);
    }

    fn split(&mut self, decode: Decode) {
        loop {
            match decode(&mut self.codec, &mut self.begun) {
                Ok(None) => return,
                Ok(Some(line)) if line.trim_ascii().is_empty() => {}
                Ok(Some(line)) => self.whole.push_back(StreamLine::Whole(line)),
                // The codec skips the rest of the line.
                Err(_) => self.whole.push_back(StreamLine::TooLong),
            }
        }
    }

    /// Returns the number of bytes without an answer.
    fn buffered(&self) -> usize {
        let whole = self.whole.iter().map(|line| match line {
            StreamLine::Whole(line) => line.len(),
            StreamLine::TooLong => 0,
        });
        self.begun.len() + whole.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_do_not_depend_on_how_the_bytes_arrive() {
        let of = |text: &str, size: usize| {
            let mut lines = LineSplitter::new(4);
            text.as_bytes().chunks(size).for_each(|part| lines.push(part));
            lines.finish();
            lines
                .whole
                .into_iter()
                .map(|line| match line {
                    StreamLine::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
                    StreamLine::TooLong => "-".to_owned(),
                })
                .collect::<Vec<_>>()
        };
        for size in 1..12 {
            assert_eq!(of("", size), [""; 0]);
            assert_eq!(of("\n \n\t\r\n", size), [""; 0]);
            assert_eq!(of("a\nbc", size), ["a", "bc"]);
            assert_eq!(of("abcd\nabcde\nx\n", size), ["abcd", "-", "x"]);
            assert_eq!(of("abcdefghij", size), ["-"]);
            assert_eq!(of("\r\n\n x", size), [" x"]);
        }
        let mut lines = LineSplitter::new(4);
        lines.push(&[b'x'; 1000]);
        assert_eq!(lines.buffered(), 0);
    }
}
