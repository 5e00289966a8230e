//! Spans, sent to a collector: OTLP over HTTP, as JSON.
//!
//! A request never waits for the collector: spans go into a bounded queue, and spans that do not fit, or that the collector rejects,
//! are dropped and counted. The exporter speaks plain HTTP/1.1, to a collector on the same machine or network. The collector does
//! TLS to other networks.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adjudicate_core::Error;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::mpsc,
    task::JoinHandle,
    time::{interval, timeout},
};

use crate::{
    codes,
    metrics::Metrics,
    trace::{Trace, hex},
};

const QUEUE: usize = 4096;
const BATCH: usize = 512;
const PERIOD: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(5);

/// A span of a trace.
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) trace: Trace,
    pub(crate) name: String,
    /// Nanoseconds since 1970.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) is_error: bool,
    pub(crate) attributes: Vec<(&'static str, Attribute)>,
}

#[derive(Debug)]
pub(crate) enum Attribute {
    Text(String),
    Number(i64),
}

/// The address of a collector.
#[derive(Clone, Debug)]
pub(crate) struct Collector {
    authority: String,
    path: String,
}

impl Collector {
    /// Reads `http://host[:port][/path]`. The default port is 4318, the default path `/v1/traces`.
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let wrong = |reason: &str| {
            Error::new(codes::WRONG_USAGE, format!("invalid collector address `{url}`: {reason}"))
        };
        let rest = match url.strip_prefix("http://") {
            Some(rest) => rest,
            None if url.starts_with("https://") => {
                return Err(wrong("only plain HTTP is supported; use a collector on the same network"));
            }
            None => return Err(wrong("expected `http://host:port`")),
        };
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        if authority.is_empty() || authority.contains('@') || !is_plain(rest) {
            return Err(wrong("expected `http://host:port`"));
        }
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        Ok(Self {
            authority: if has_port { authority.to_owned() } else { format!("{authority}:4318") },
            path: format!("/{}", if path.is_empty() { "v1/traces" } else { path }),
        })
    }

    async fn send(&self, body: &[u8]) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(&self.authority).await?;
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            self.path,
            self.authority,
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body).await?;
        let mut status = [0; 12];
        stream.read_exact(&mut status).await?;
        Ok(status.starts_with(b"HTTP/1.") && status.get(8..10) == Some(b" 2"))
    }
}

/// Collects spans and sends them in batches.
#[derive(Debug)]
pub(crate) struct Exporter {
    /// `None` after the end.
    queue: Mutex<Option<mpsc::Sender<Span>>>,
    metrics: Arc<Metrics>,
}

impl Exporter {
    /// Starts a task on the current runtime that sends spans. The task ends when the exporter is dropped and all spans are sent.
    pub(crate) fn start(collector: Collector, metrics: Arc<Metrics>) -> (Self, JoinHandle<()>) {
        let (queue, spans) = mpsc::channel(QUEUE);
        let task = tokio::spawn(export(collector, spans, Arc::clone(&metrics)));
        (Self { queue: Mutex::new(Some(queue)), metrics }, task)
    }

    pub(crate) fn push(&self, span: Span) {
        if !span.trace.is_sampled {
            return;
        }
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.as_ref().is_none_or(|queue| queue.try_send(span).is_err()) {
            self.metrics.spans_dropped.inc();
        }
    }

    /// Accepts no more spans. Spans in the queue are still sent.
    pub(crate) fn stop(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

async fn export(collector: Collector, mut spans: mpsc::Receiver<Span>, metrics: Arc<Metrics>) {
    let mut period = interval(PERIOD);
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let is_over = tokio::select! {
            count = spans.recv_many(&mut batch, BATCH) => count == 0,
            _ = period.tick(), if !batch.is_empty() => false,
        };
        if is_over && batch.is_empty() {
            return;
        }
        // Waits for more spans before it sends a batch, unless the batch is full or the queue is closed.
        if !is_over && batch.len() < BATCH {
            tokio::time::sleep(PERIOD / 10).await;
            while batch.len() < BATCH
                && let Ok(span) = spans.try_recv()
            {
                batch.push(span);
            }
        }
        let body = request(&batch).to_string();
        let is_sent = matches!(timeout(PATIENCE, collector.send(body.as_bytes())).await, Ok(Ok(true)));
        let count = batch.len() as u64;
        if is_sent {
            metrics.spans_sent.inc_by(count)
        } else {
            metrics.spans_dropped.inc_by(count)
        };
        batch.clear();
    }
}

fn request(spans: &[Span]) -> Value {
    let spans: Vec<_> = spans.iter().map(span).collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": [
            attribute("service.name", &Attribute::Text("adjudicate".to_owned())),
            attribute("service.version", &Attribute::Text(env!("CARGO_PKG_VERSION").to_owned())),
        ]},
        "scopeSpans": [{"scope": {"name": "adjudicate.serve"}, "spans": spans}],
    }]})
}

fn span(span: &Span) -> Value {
    const SERVER: u8 = 2;
    const ERROR: u8 = 2;
    let attributes: Vec<_> = span.attributes.iter().map(|(name, value)| attribute(name, value)).collect();
    let mut written = json!({
        "traceId": hex(&span.trace.trace),
        "spanId": hex(&span.trace.span),
        "name": span.name,
        "kind": SERVER,
        "startTimeUnixNano": span.start.to_string(),
        "endTimeUnixNano": span.end.to_string(),
        "attributes": attributes,
    });
    if let Some(members) = written.as_object_mut() {
        if let Some(parent) = span.trace.parent {
            members.insert("parentSpanId".to_owned(), hex(&parent).into());
        }
        if span.is_error {
            members.insert("status".to_owned(), json!({"code": ERROR}));
        }
    }
    written
}

fn attribute(name: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Text(text) => json!({"stringValue": text}),
        // OTLP's JSON form writes 64-bit numbers as strings.
        Attribute::Number(number) => json!({"intValue": number.to_string()}),
    };
    json!({"key": name, "value": value})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectors_are_named_by_plain_addresses() {
        let of = |url: &str| Collector::parse(url).map(|to| format!("{} {}", to.authority, to.path)).ok();
        assert_eq!(of("http://localhost").as_deref(), Some("localhost:4318 /v1/traces"));
        assert_eq!(of("http://[::1]:99/").as_deref(), Some("[::1]:99 /v1/traces"));
        assert_eq!(of("http://otel:1/a/b").as_deref(), Some("otel:1 /a/b"));
        for bad in [
            "",
            "otel:1",
            "https://otel",
            "http://",
            "http:///x",
            "http://u@h",
            "http://a\r\nb",
            "http://a b",
        ] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
