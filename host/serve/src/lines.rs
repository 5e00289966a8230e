//! Streams: one call a line, one answer a line, in order, while lines still arrive.
//!
//! As on the command line, a call without an answer gets its error, and the stream continues; blank lines are skipped. Lines
//! that have arrived are answered together on one thread. As soon as none is left, the answers are sent. The stream holds only
//! lines without an answer and answers that the client has not read.

use std::{collections::VecDeque, io, sync::Arc};

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::counted;
use axum::body::{Body, Bytes};
use http_body_util::channel::{Channel, Sender};
use tokio::time::{Instant, timeout};

use crate::{
    body::{self, Share},
    calls::{self, Asked, Calls},
    codes, memory,
    metrics::Metrics,
    owed,
    reply::{self, NDJSON, Refusal, Reply},
    routes::Does,
    stream::Peer,
};

/// The bytes of answers that are sent together.
const BATCH: usize = 256 << 10;

/// The number of batches that may wait for the client.
const AHEAD: usize = 2;

pub(crate) async fn answer(
    calls: &Arc<Calls>,
    metrics: &Arc<Metrics>,
    asked: Asked,
    peer: Peer,
) -> Result<Reply, Refusal> {
    if let Does::CallSlot(_) = asked.route.does {
        // An unknown slot is an error of the request, not of each line.
        let (slots, name) = (calls.slots()?.clone(), asked.place.clone());
        calls.lanes.run(0, move || slots.slot(&name).map(drop)).await??;
    }
    let Ok(turn) = Arc::clone(&calls.streams).try_acquire_owned() else {
        let message = "too many streams are under way; try again";
        return Err(Refusal::new(codes::HOST_OVERLOADED, message));
    };
    let (replies, channel) = Channel::new(AHEAD);
    let (calls, metrics) = (Arc::clone(calls), Arc::clone(metrics));
    let Asked { route, place, body, .. } = asked;
    let stream = Stream {
        calls,
        metrics,
        does: route.does,
        slot: place.into(),
        peer,
        replies: Replies(Some(replies)),
    };
    tokio::spawn(async move {
        let _held = turn;
        stream.run(body).await;
    });
    Ok(reply::body(Body::new(channel), NDJSON))
}

struct Stream {
    calls: Arc<Calls>,
    metrics: Arc<Metrics>,
    does: Does,
    slot: Arc<str>,
    peer: Peer,
    replies: Replies,
}

/// The way to the client. Dropped before its end, for example when the server ends, it cuts the reply off, so that no client
/// takes the answers so far for all.
struct Replies(Option<Sender<Bytes, io::Error>>);

impl Replies {
    async fn give(&mut self, replies: Bytes) -> Result<(), Gone> {
        match &mut self.0 {
            Some(sender) => sender.send_data(replies).await.map_err(|_| Gone),
            None => Err(Gone),
        }
    }

    /// Ends the reply as a whole one.
    fn end(mut self) {
        self.0 = None;
    }
}

impl Drop for Replies {
    fn drop(&mut self) {
        if let Some(sender) = self.0.take() {
            sender.abort(io::ErrorKind::ConnectionAborted.into());
        }
    }
}

/// The client is gone.
struct Gone;

impl Stream {
    async fn run(mut self, body: Body) {
        self.answer_all(body).await;
        self.replies.end();
    }

    async fn answer_all(&mut self, mut body: Body) {
        let mut lines = Lines::new(self.calls.limits.body);
        let mut share = self.calls.room.share();
        // The stream may take any time; only pauses are limited.
        let limits = self.calls.limits.clone();
        let far = || Instant::now() + limits.request.max(limits.pause);
        loop {
            let part = match body::next(&mut body, far(), &limits).await {
                Ok(part) => part,
                Err(refusal) => return self.end(refusal).await,
            };
            let is_over = part.is_none();
            match part {
                Some(part) => lines.push(&part),
                None => lines.finish(),
            }
            if let Err(refusal) = share.fit(lines.held()) {
                return self.end(refusal).await;
            }
            if self.answer(&mut lines, &mut share).await.is_err() || is_over {
                return;
            }
        }
    }

    /// Answers the complete lines.
    async fn answer(&mut self, lines: &mut Lines, share: &mut Share) -> Result<(), Gone> {
        while !lines.whole.is_empty() {
            let (calls, metrics) = (Arc::clone(&self.calls), Arc::clone(&self.metrics));
            let (does, slot) = (self.does, Arc::clone(&self.slot));
            // Lines are answered one after the other, so none needs more than all held lines together.
            let held = lines.held();
            let weight = match does {
                Does::CallSlot(_) => {
                    memory::of_slot(held, calls.slots().ok().and_then(|slots| slots.call_bytes(&slot)))
                }
                _ => memory::of_engine(held),
            };
            calls.left_behind.note(held);
            let mut taken = std::mem::take(&mut lines.whole);
            let computed = self.patiently(weight, move || {
                let mut replies = Vec::new();
                while replies.len() < BATCH
                    && let Some(line) = taken.pop_front()
                {
                    replies.extend_from_slice(one(&calls, &metrics, does, &slot, line).as_bytes());
                    replies.push(b'\n');
                    metrics.lines.inc();
                }
                (replies, taken)
            });
            match computed.await {
                Ok((replies, rest)) => {
                    lines.whole = rest;
                    self.send(replies).await?;
                }
                Err(refusal) => {
                    self.send(line_of(&refusal)).await?;
                    return Err(Gone);
                }
            }
            // The share only shrinks here, so this cannot fail.
            let _ = share.fit(lines.held());
        }
        Ok(())
    }

    /// Runs a job on a lane. A stream waits longer for a lane than a request does, because waiting slows the sender down.
    async fn patiently<T: Send + 'static>(
        &self,
        bytes: usize,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let until = Instant::now() + self.calls.limits.request;
        loop {
            match self.calls.lanes.turn(bytes).await {
                Ok(lane) => return Ok(self.calls.lanes.run_on(lane, job).await?),
                Err(error) if Instant::now() >= until => return Err(error.into()),
                Err(_) => tokio::time::sleep(self.calls.limits.queue_wait / 10).await,
            }
        }
    }

    async fn send(&mut self, replies: Vec<u8>) -> Result<(), Gone> {
        match self.counted(replies.into()).await {
            Ok(replies) => self.give(replies).await,
            Err(refusal) => {
                self.metrics.error(refusal.code());
                let _ = self.give(line_of(&refusal).into()).await;
                Err(Gone)
            }
        }
    }

    async fn give(&mut self, replies: Bytes) -> Result<(), Gone> {
        timeout(self.calls.limits.pause, self.replies.give(replies)).await.unwrap_or(Err(Gone))
    }

    /// Reserves space for answers. Without space, a batch waits as long as for a lane; larger answers do not wait.
    async fn counted(&self, replies: Bytes) -> Result<Bytes, Refusal> {
        let until = Instant::now() + self.calls.limits.request;
        loop {
            let counted = owed::counted(&self.calls, &self.peer, replies.clone());
            if counted.is_ok() || replies.len() > 2 * BATCH || Instant::now() >= until {
                return counted;
            }
            tokio::time::sleep(self.calls.limits.queue_wait / 10).await;
        }
    }

    /// Sends the error that ends the stream.
    async fn end(&mut self, refusal: Refusal) {
        self.metrics.error(refusal.code());
        let _ = self.send(line_of(&refusal)).await;
    }
}

fn line_of(refusal: &Refusal) -> Vec<u8> {
    format!("{}\n", refusal.line()).into_bytes()
}

/// Returns the reply to one line.
fn one(calls: &Calls, metrics: &Metrics, does: Does, slot: &str, line: Line) -> String {
    let answer = match (line, does) {
        (Line::TooLong, _) => {
            let message = format!("the line is over the limit of {}", counted(calls.limits.body, "byte"));
            Err(Error::new(codes::LIMIT_EXCEEDED, message).into())
        }
        (Line::Whole(line), Does::CallSlot(operation)) => {
            calls::ask(calls, slot, operation, &line).map(|decided| decided.text).map_err(Refusal::from)
        }
        (Line::Whole(line), Does::Call(operation)) => native(calls, operation, &line),
        _ => Err(Refusal::new(codes::HOST_FAULT, "the route takes no stream")),
    };
    let text = answer.unwrap_or_else(|refusal| {
        metrics.error(refusal.code());
        refusal.line()
    });
    // The engine writes one line; a module may write its answer on several lines.
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
}

fn native(calls: &Calls, operation: Operation, line: &[u8]) -> Result<String, Refusal> {
    calls.answers.answer(operation, line).map_err(Refusal::from)
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// The line without its line end.
    Whole(Vec<u8>),
    /// A line over the limit, which was skipped.
    TooLong,
}

/// Splits the parts of a stream into lines, and holds no line beyond the limit.
#[derive(Debug)]
struct Lines {
    whole: VecDeque<Line>,
    begun: Vec<u8>,
    is_skipping: bool,
    limit: usize,
}

impl Lines {
    const fn new(limit: usize) -> Self {
        Self { whole: VecDeque::new(), begun: Vec::new(), is_skipping: false, limit }
    }

    fn push(&mut self, part: &[u8]) {
        let mut rest = part;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, next) = rest.split_at(end);
            self.extend(line);
            self.finish();
            rest = next.get(1..).unwrap_or_default();
        }
        self.extend(rest);
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.is_skipping {
            return;
        }
        if self.begun.len() + bytes.len() > self.limit {
            self.is_skipping = true;
            self.begun = Vec::new();
            return;
        }
        self.begun.extend_from_slice(bytes);
    }

    /// Ends the current line.
    fn finish(&mut self) {
        let line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.is_skipping) {
            self.whole.push_back(Line::TooLong);
        } else if !line.trim_ascii().is_empty() {
            self.whole.push_back(Line::Whole(line));
        }
    }

    /// Returns the number of bytes without an answer.
    fn held(&self) -> usize {
        let whole = self.whole.iter().map(|line| match line {
            Line::Whole(line) => line.len(),
            Line::TooLong => 0,
        });
        self.begun.len() + whole.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_however_they_come() {
        let of = |text: &str, size: usize| {
            let mut lines = Lines::new(4);
            text.as_bytes().chunks(size).for_each(|part| lines.push(part));
            lines.finish();
            lines
                .whole
                .into_iter()
                .map(|line| match line {
                    Line::Whole(line) => String::from_utf8(line).unwrap(),
                    Line::TooLong => "-".to_owned(),
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
        let mut lines = Lines::new(4);
        lines.push(&[b'x'; 1000]);
        assert_eq!(lines.held(), 0);
    }
}
