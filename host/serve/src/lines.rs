//! Streams: a call a line, and an answer a line, in order, while lines still come.
//!
//! As on the command line, a line that gets no answer gets its error, and the rest go on; lines of white space are none.
//! Lines that are there already are answered together, without another trip between threads; as soon as none is left, what
//! was answered is sent. Nothing is held but lines that were not answered and answers that were not taken.

use std::{collections::VecDeque, convert::Infallible, sync::Arc};

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

/// How many bytes of answers are put together.
const BATCH: usize = 256 << 10;

/// Answers that wait to be taken: so many times a batch.
const AHEAD: usize = 2;

pub(crate) async fn answer(
    calls: &Arc<Calls>,
    metrics: &Arc<Metrics>,
    asked: Asked,
    peer: Peer,
) -> Result<Reply, Refusal> {
    if let Does::CallSlot(_) = asked.route.does {
        // A slot that is not there is said at once, not line by line.
        let (slots, name) = (calls.slots()?.clone(), asked.place.clone());
        calls.lanes.run(0, move || slots.slot(&name).map(drop)).await??;
    }
    let Ok(turn) = Arc::clone(&calls.streams).try_acquire_owned() else {
        let message = "too many streams are under way; try again";
        return Err(Refusal::new(codes::HOST_OVERLOADED, message));
    };
    let (replies, channel) = Channel::<Bytes, Infallible>::new(AHEAD);
    let (calls, metrics) = (Arc::clone(calls), Arc::clone(metrics));
    let Asked { route, place, body, .. } = asked;
    let stream = Stream { calls, metrics, does: route.does, slot: place.into(), peer, replies };
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
    replies: Sender<Bytes, Infallible>,
}

/// The client is gone.
struct Gone;

impl Stream {
    async fn run(mut self, mut body: Body) {
        let mut lines = Lines::new(self.calls.limits.body);
        let mut share = self.calls.room.share();
        // A stream may last; only pauses are limited.
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

    /// Answers the lines that are whole.
    async fn answer(&mut self, lines: &mut Lines, share: &mut Share) -> Result<(), Gone> {
        while !lines.whole.is_empty() {
            let (calls, metrics) = (Arc::clone(&self.calls), Arc::clone(&self.metrics));
            let (does, slot) = (self.does, Arc::clone(&self.slot));
            // One line after the other: no one of them is longer than all that is held.
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
            // It cannot grow here.
            let _ = share.fit(lines.held());
        }
        Ok(())
    }

    /// Computes. A stream waits for its turn longer than a request: whoever sends lines is slowed by that, which is enough.
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
        match timeout(self.calls.limits.pause, self.replies.send_data(replies)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }

    /// The answers, with their share of the room. Where there is none, a batch waits for it as it waited for a lane; an answer
    /// that is larger than that is not held so long.
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

    /// Says why no more is answered.
    async fn end(&mut self, refusal: Refusal) {
        self.metrics.error(refusal.code());
        let _ = self.send(line_of(&refusal)).await;
    }
}

fn line_of(refusal: &Refusal) -> Vec<u8> {
    format!("{}\n", refusal.line()).into_bytes()
}

/// The reply to one line.
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
    // The engine writes one line; a module may have laid its answer out over several.
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
}

fn native(calls: &Calls, operation: Operation, line: &[u8]) -> Result<String, Refusal> {
    calls.answers.answer(operation, line).map_err(Refusal::from)
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    /// Without its end.
    Whole(Vec<u8>),
    /// Over the limit; it was skipped.
    TooLong,
}

/// Parts of a stream in, lines out, none of them held beyond the limit.
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

    /// The line that was begun ends here.
    fn finish(&mut self) {
        let line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.is_skipping) {
            self.whole.push_back(Line::TooLong);
        } else if !line.trim_ascii().is_empty() {
            self.whole.push_back(Line::Whole(line));
        }
    }

    /// How many bytes wait to be answered.
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
