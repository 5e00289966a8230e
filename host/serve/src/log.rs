//! The access log: a line of JSON for each request, written by a thread of its own.
//!
//! A line has the route instead of the path, and the public id of the token. It never has a body, so the log contains no data of
//! callers. A request never waits for the log: lines that do not fit the queue are dropped and counted.

use std::{
    fs::OpenOptions,
    io::{self, BufWriter, Write},
    iter,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, channel, sync_channel},
    },
    time::Duration,
};

use adjudicate_core::{
    Error,
    document::{Describe, Magnitude},
};
use serde::Serialize;

use crate::{codes, metrics::Metrics, reply::RequestFields};

const QUEUE: usize = 8192;

/// The time that the end of the server waits for the remaining lines. The reader of the log may have stopped reading.
const PATIENCE: Duration = Duration::from_secs(5);

/// The target of the access log.
#[derive(Clone, Debug)]
pub enum LogTo {
    /// Standard error.
    Stderr,
    /// This file; lines are appended.
    File(PathBuf),
}

/// A line of the access log: a request. It has no data of callers.
#[derive(Debug, Describe, Serialize)]
pub struct LogLine<'a> {
    /// The start of the request, in the form of RFC 3339, in UTC.
    pub(crate) time: String,
    /// The address of the client; `nats` for a message of a cluster.
    pub(crate) client: &'a str,
    /// The HTTP method; `REQUEST` for a message of a cluster.
    pub(crate) method: &'a str,
    /// The status of the reply. Absent if the client went away before the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// The duration in milliseconds.
    #[document(described = "Magnitude")]
    pub(crate) ms: f64,
    /// The fields of the reply.
    #[serde(flatten)]
    pub(crate) fields: &'a RequestFields,
    /// The id of the trace.
    pub(crate) trace: String,
}

#[derive(Debug)]
pub(crate) struct Log {
    lines: Mutex<Option<SyncSender<String>>>,
    /// Receives at the end whether all lines were written.
    end: Mutex<Receiver<bool>>,
    metrics: Arc<Metrics>,
}

impl Log {
    pub(crate) fn open(to: &LogTo, metrics: Arc<Metrics>) -> Result<Self, Error> {
        let out: Box<dyn Write + Send> = match to {
            LogTo::Stderr => Box::new(io::stderr()),
            LogTo::File(path) => {
                let opened = OpenOptions::new().create(true).append(true).open(path);
                Box::new(opened.map_err(|error| {
                    let message = format!("the log `{}` cannot be written", path.display());
                    Error::caused_by(codes::UNWRITABLE_OUTPUT, message, error)
                })?)
            }
        };
        let (sender, lines) = sync_channel(QUEUE);
        let (ended, end) = channel();
        let lost = Arc::clone(&metrics);
        std::thread::Builder::new()
            .name("adjudicate-log".to_owned())
            .spawn(move || {
                let is_whole = write(BufWriter::new(out), &lines, &lost);
                // `close` may have stopped waiting.
                let _ = ended.send(is_whole);
            })
            .map_err(|error| {
                Error::caused_by(codes::HOST_FAULT, "cannot start the thread of the log", error)
            })?;
        Ok(Self { lines: Mutex::new(Some(sender)), end: Mutex::new(end), metrics })
    }

    pub(crate) fn push(&self, line: &LogLine<'_>) {
        let Ok(text) = serde_json::to_string(line) else { return };
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = lines.as_ref().is_some_and(|lines| lines.try_send(text).is_ok());
        if !is_taken {
            self.metrics.log_lines_dropped.inc();
        }
    }

    /// Writes the remaining lines and ends. Returns true if every line was written in time.
    pub(crate) fn close(&self) -> bool {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ended = self.end.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(PATIENCE);
        ended.unwrap_or(false) && self.metrics.log_lines_dropped.get() == 0
    }
}

/// Writes lines until the queue is closed. Returns true if the last lines are written. Bytes that the disk rejects are tried again
/// with the next line, up to the limit of the buffer.
fn write(mut out: impl Write, lines: &Receiver<String>, metrics: &Metrics) -> bool {
    while let Ok(first) = lines.recv() {
        for line in iter::once(first).chain(lines.try_iter()) {
            if writeln!(out, "{line}").is_err() {
                metrics.log_lines_dropped.inc();
            }
        }
        let _ = out.flush();
    }
    out.flush().is_ok()
}
