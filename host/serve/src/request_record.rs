//! The record of one request, for metrics, the request log and traces.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Instant, SystemTime},
};

use axum::http::{HeaderMap, Method};
use opentelemetry::{Context, KeyValue};

use crate::{
    codes,
    log::{Log, LogLine},
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
