//! The record of one request, for metrics, the access log and traces; and that log.

use std::{
    fs::OpenOptions,
    io::{self, BufWriter, Write},
    iter,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, SyncSender, channel, sync_channel},
    },
    time::{Duration, Instant, SystemTime},
};

use adjudicate_core::{
    Error,
    document::{Describe, Magnitude},
};
use axum::http::{HeaderMap, Method};
use opentelemetry::{Context, KeyValue};
use serde::Serialize;

use crate::{
    codes,
    metrics::{Metrics, Transport},
    reply::RequestFields,
    spans::{self, Spans},
};

/// The receivers of request records.
pub(crate) struct Observers {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Option<Log>,
    /// The maker of spans, if single requests are logged or traced.
    pub(crate) spans: Option<Spans>,
}

/// The record of a request. It is written when the request ends, even if the client goes away first.
pub(crate) struct RequestRecord {
    observers: Arc<Observers>,
    begun: Instant,
    start: SystemTime,
    transport: Transport,
    client: String,
    method: &'static str,
    /// The context that the caller names, if single requests are logged or traced.
    parent: Option<Context>,
    /// The status of the reply; `None` if the client went away before.
    status: Option<u16>,
    fields: RequestFields,
}

impl RequestRecord {
    /// Begins the record of an HTTP request.
    pub(crate) fn of_http(
        observers: &Arc<Observers>,
        client: SocketAddr,
        method: &Method,
        headers: &HeaderMap,
    ) -> Self {
        let client = observers.spans.as_ref().map(|_| client.ip().to_canonical().to_string());
        let method = METHODS.iter().find(|known| *known == method).map_or("other", Method::as_str);
        Self::begin(observers, Transport::Http, client.unwrap_or_default(), method, headers)
    }

    /// Begins the record of a NATS message. Its sender is unknown.
    #[cfg(feature = "nats")]
    pub(crate) fn of_message(observers: &Arc<Observers>, headers: &HeaderMap) -> Self {
        Self::begin(observers, Transport::Nats, "nats".to_owned(), "REQUEST", headers)
    }

    fn begin(
        observers: &Arc<Observers>,
        transport: Transport,
        client: String,
        method: &'static str,
        headers: &HeaderMap,
    ) -> Self {
        observers.metrics.for_transport(transport).in_flight.inc();
        Self {
            observers: Arc::clone(observers),
            begun: Instant::now(),
            start: SystemTime::now(),
            transport,
            client,
            method,
            parent: observers.spans.as_ref().map(|_| spans::parent(headers)),
            status: None,
            fields: RequestFields::default(),
        }
    }

    /// Ends and writes the record.
    pub(crate) fn finish(mut self, status: u16, fields: RequestFields) {
        self.status = Some(status);
        self.fields = fields;
    }

    /// Returns the attributes of the span.
    fn attributes(&self) -> Vec<KeyValue> {
        let RequestFields { route, code, ref slot, entry, by, .. } = self.fields;
        let mut attributes = match self.transport {
            Transport::Http => {
                vec![KeyValue::new("http.request.method", self.method), KeyValue::new("http.route", route)]
            }
            Transport::Nats => vec![
                KeyValue::new("messaging.system", "nats"),
                KeyValue::new("messaging.destination.template", route),
            ],
        };
        let status = self.status.filter(|_| self.transport == Transport::Http);
        attributes.extend(
            [
                status.map(|status| KeyValue::new("http.response.status_code", i64::from(status))),
                code.map(|code| KeyValue::new("error.type", code)),
                slot.clone().map(|slot| KeyValue::new("adjudicate.slot", slot)),
                entry.map(|entry| KeyValue::new("adjudicate.entry", entry)),
                by.map(|by| KeyValue::new("adjudicate.by", by)),
            ]
            .into_iter()
            .flatten(),
        );
        attributes
    }
}

impl Drop for RequestRecord {
    fn drop(&mut self) {
        let Self { ref observers, method, status, ref fields, .. } = *self;
        let took = self.begun.elapsed();
        let route = fields.route;
        let metrics = observers.metrics.for_transport(self.transport);
        metrics.in_flight.dec();
        let outcome = [("route", route), ("method", method), ("status", status.map_or("gone", class))];
        metrics.requests.get_or_create(&outcome).inc();
        metrics.duration.get_or_create(&[("route", route)]).observe(took.as_secs_f64());
        if let Some(code) = fields.code {
            observers.metrics.error(code);
            if code == codes::HOST_OVERLOADED.as_str() {
                observers.metrics.shed("request");
            }
        }
        let (Some(spans), Some(parent)) = (&observers.spans, &self.parent) else { return };
        let is_error = status.is_none_or(|status| status >= 500);
        let name = format!("{method} {route}");
        let trace = spans.record(parent, name, self.start, is_error, self.attributes());
        if let Some(log) = &observers.log {
            log.push(&LogLine {
                time: jiff::Timestamp::try_from(self.start).unwrap_or_default().to_string(),
                client: &self.client,
                method,
                status,
                ms: (took.as_secs_f64() * 1e6).round() / 1e3,
                fields,
                trace,
            });
        }
    }
}

/// The standard methods. All others are `other`, because a client can invent any number of names.
static METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS];

/// Returns the class of a status, for example `2xx`.
const fn class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

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

/// The access log: a line of JSON for each request, written by a thread of its own.
///
/// A line has the route instead of the path, and the public id of the token. It never has a body, so the log contains no data of
/// callers. A request never waits for the log: lines that do not fit the queue are dropped and counted.
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
