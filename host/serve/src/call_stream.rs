//! Streams: one call per line, one answer per line, in order, while lines still arrive.
//!
//! As on the command line, a call without an answer gets its error, and the stream continues; blank lines are skipped. Lines
//! that have arrived are answered together on one thread. As soon as none is left, the answers are sent. The stream holds only
//! lines without an answer and answers that the client has not read.

use std::{collections::VecDeque, sync::Arc};

use adjudicate_trust::counted;
use axum::body::Bytes;
use tokio::time::{Instant, timeout};
use tokio_util::{
    bytes::BytesMut,
    codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder},
};

use crate::{
    activity::Peer,
    backpressure,
    body::{BudgetShare, IncomingBody},
    calls::{CallTarget, Calls},
    channel::{CutOff, ReplySender, channel},
    codes,
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
    let Ok(acquire) = Arc::clone(&calls.streams).try_acquire_owned() else {
        let message = "too many streams at once; try again";
        return Err(Refusal::new(codes::HOST_OVERLOADED, message));
    };
    let (replies, received) = channel(AHEAD);
    let stream = CallStream { calls: Arc::clone(calls), metrics: Arc::clone(metrics), target, peer, replies };
    tokio::spawn(async move {
        let _held = acquire;
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

impl CallStream {
    /// Answers the lines. The reply is complete if the client got an answer to each line, or an error that ends the stream.
    async fn run(mut self, body: IncomingBody) {
        if self.answer_all(body).await.is_ok() {
            self.replies.end();
        }
    }

    async fn answer_all(&mut self, mut body: IncomingBody) -> Result<(), CutOff> {
        let mut lines = LineSplitter::new(self.calls.limits.body);
        let mut share = self.calls.budget.share();
        // The stream may take any time; only pauses are limited.
        let limits = self.calls.limits.clone();
        let far = || Instant::now() + limits.request.max(limits.pause);
        loop {
            let part = match body.next(far(), &limits).await {
                Ok(part) => part,
                Err(refusal) => return self.end(refusal).await,
            };
            let is_over = part.is_none();
            match part {
                Some(part) => lines.push(&part),
                None => lines.finish(),
            }
            if let Err(refusal) = share.fit(lines.buffered()) {
                drop(lines);
                return self.end(refusal).await;
            }
            if !self.answer(&mut lines, &mut share).await? || is_over {
                return Ok(());
            }
        }
    }

    /// Answers the complete lines. Returns false after an error that ends the stream.
    async fn answer(&mut self, lines: &mut LineSplitter, share: &mut BudgetShare) -> Result<bool, CutOff> {
        while !lines.whole.is_empty() {
            let (calls, metrics) = (Arc::clone(&self.calls), Arc::clone(&self.metrics));
            // Lines are answered one after the other, so none needs more than all held lines together.
            let buffered = lines.buffered();
            let (target, memory) = (self.target.clone(), self.target.memory(&calls, buffered));
            calls.freed_memory.note(buffered);
            let mut taken = std::mem::take(&mut lines.whole);
            let computed = self.run_when_free(memory, move || {
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
            match computed.await {
                Ok((replies, rest)) => {
                    lines.whole = rest;
                    if !self.send(replies).await? {
                        return Ok(false);
                    }
                }
                Err(refusal) => {
                    self.end(refusal).await?;
                    return Ok(false);
                }
            }
            // The share only shrinks here, so this cannot fail.
            let _ = share.fit(lines.buffered());
        }
        Ok(true)
    }

    /// Runs a job within the concurrency limit. A stream waits longer for a permit than a request does, because waiting slows the sender down.
    async fn run_when_free<T: Send + 'static>(
        &self,
        bytes: usize,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let until = Instant::now() + self.calls.limits.request;
        loop {
            match self.calls.limiter.acquire(bytes).await {
                Ok(permit) => return Ok(self.calls.limiter.run_on(permit, job).await?),
                Err(error) if Instant::now() >= until => return Err(error.into()),
                Err(_) => tokio::time::sleep(self.calls.limits.queue_wait / 10).await,
            }
        }
    }

    /// Sends answers, or the error that ends the stream instead. Returns false after the error.
    async fn send(&mut self, replies: Vec<u8>) -> Result<bool, CutOff> {
        match self.reserve(replies.into()).await {
            Ok(replies) => self.send_part(replies).await.map(|()| true),
            Err(refusal) => {
                self.metrics.error(refusal.code());
                self.send_part(line_of(&refusal).into()).await.map(|()| false)
            }
        }
    }

    async fn send_part(&mut self, replies: Bytes) -> Result<(), CutOff> {
        timeout(self.calls.limits.pause, self.replies.send(replies)).await.unwrap_or(Err(CutOff))
    }

    /// Reserves space for answers. Without space, a batch waits as long as for a permit; larger answers do not wait.
    async fn reserve(&self, replies: Bytes) -> Result<Bytes, Refusal> {
        let until = Instant::now() + self.calls.limits.request;
        loop {
            let reserved = backpressure::reserve(&self.calls, &self.peer, replies.clone());
            if reserved.is_ok() || replies.len() > 2 * BATCH || Instant::now() >= until {
                return reserved;
            }
            tokio::time::sleep(self.calls.limits.queue_wait / 10).await;
        }
    }

    /// Sends the error that ends the stream.
    async fn end(&mut self, refusal: Refusal) -> Result<(), CutOff> {
        self.metrics.error(refusal.code());
        self.send(line_of(&refusal)).await.map(drop)
    }
}

fn line_of(refusal: &Refusal) -> Vec<u8> {
    format!("{}\n", refusal.line()).into_bytes()
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
