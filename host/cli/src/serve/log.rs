//! The access log: a line of JSON for each request, written by a thread of its own.
//!
//! It names routes and not addresses, tokens by their public id, and never a body: what callers send stays between them and
//! the engine. A request never waits for the log; lines that do not fit its queue are dropped and counted.

use std::{
    fs::OpenOptions,
    io::{self, BufWriter, Write},
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, TryRecvError, sync_channel},
    },
    thread::JoinHandle,
};

use adjudicate_core::{Error, ErrorCode};
use serde::Serialize;

use crate::metrics::Metrics;

const QUEUE: usize = 8192;

/// Where the access log goes.
#[derive(Clone, Debug)]
pub enum LogTo {
    /// To standard error.
    Stderr,
    /// To the end of this file.
    File(PathBuf),
}

/// What is said of a request.
#[derive(Debug, Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) time: String,
    pub(crate) client: String,
    pub(crate) method: &'a str,
    pub(crate) route: &'a str,
    /// Absent where the client went away first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'a str>,
    pub(crate) ms: f64,
    pub(crate) bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) slot: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entry: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<&'a str>,
    pub(crate) trace: String,
}

#[derive(Debug)]
pub(crate) struct Log {
    lines: Mutex<Option<SyncSender<String>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    metrics: Arc<Metrics>,
}

impl Log {
    pub(crate) fn open(to: &LogTo, metrics: Arc<Metrics>) -> Result<Self, Error> {
        let out: Box<dyn Write + Send> = match to {
            LogTo::Stderr => Box::new(io::stderr()),
            LogTo::File(path) => {
                let opened = OpenOptions::new().create(true).append(true).open(path);
                Box::new(opened.map_err(|error| {
                    let message = format!("the log `{}` cannot be written: {error}", path.display());
                    Error::new(ErrorCode::UnwritableOutput, message)
                })?)
            }
        };
        let (sender, lines) = sync_channel(QUEUE);
        let lost = Arc::clone(&metrics);
        let thread = std::thread::Builder::new()
            .name("adjudicate-log".to_owned())
            .spawn(move || write(BufWriter::new(out), &lines, &lost))
            .map_err(|error| Error::new(ErrorCode::HostFault, format!("no thread for the log: {error}")))?;
        Ok(Self { lines: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)), metrics })
    }

    pub(crate) fn take(&self, line: &Line<'_>) {
        let Ok(text) = serde_json::to_string(line) else { return };
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = lines.as_ref().is_some_and(|lines| lines.try_send(text).is_ok());
        if !is_taken {
            self.metrics.log_lines_dropped.inc();
        }
    }

    /// Writes what is left, and ends.
    pub(crate) fn close(&self) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // The thread has nothing to report.
            let _ = thread.join();
        }
    }
}

fn write(mut out: impl Write, lines: &Receiver<String>, metrics: &Metrics) {
    loop {
        let line = match lines.try_recv() {
            Ok(line) => line,
            Err(TryRecvError::Disconnected) => break,
            Err(TryRecvError::Empty) => {
                let _ = out.flush();
                match lines.recv() {
                    Ok(line) => line,
                    Err(_) => break,
                }
            }
        };
        if writeln!(out, "{line}").is_err() {
            metrics.log_lines_dropped.inc();
        }
    }
    let _ = out.flush();
}
