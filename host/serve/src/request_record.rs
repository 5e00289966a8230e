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
    metrics::{ByRoute, Metrics, Outcome, Transport, class},
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
    is_closed: bool,
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
        Self::begin(observers, Transport::Http, client.unwrap_or_default(), method_name(method), headers)
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
            is_closed: false,
        }
    }

    /// Ends and writes the record.
    pub(crate) fn finish(&mut self, status: u16, fields: RequestFields) {
        self.is_closed = true;
        self.write(Some(status), &fields);
    }

    fn write(&self, status: Option<u16>, fields: &RequestFields) {
        let observers = &self.observers;
        let took = self.begun.elapsed();
        let route = fields.route;
        let method = self.method;
        let state_metrics = observers.metrics.for_transport(self.transport);
        state_metrics.in_flight.dec();
        let outcome = Outcome { route, method, status: status.map_or("gone", class) };
        state_metrics.requests.get_or_create(&outcome).inc();
        state_metrics.duration.get_or_create(&ByRoute { route }).observe(took.as_secs_f64());
        if let Some(code) = fields.code {
            observers.metrics.error(code);
            if code == codes::HOST_OVERLOADED.as_str() {
                observers.metrics.shed("request");
            }
        }
        let (Some(spans), Some(parent)) = (&observers.spans, &self.parent) else { return };
        let (name, attributes) = (format!("{method} {route}"), self.attributes(status, route, fields));
        let is_error = status.is_none_or(|status| status >= 500);
        let trace = spans.record(parent, name, self.start, is_error, attributes);
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

    /// Returns the attributes of the span.
    fn attributes(&self, status: Option<u16>, route: &'static str, fields: &RequestFields) -> Vec<KeyValue> {
        let mut attributes = match self.transport {
            Transport::Http => {
                vec![KeyValue::new("http.request.method", self.method), KeyValue::new("http.route", route)]
            }
            Transport::Nats => vec![
                KeyValue::new("messaging.system", "nats"),
                KeyValue::new("messaging.destination.template", route),
            ],
        };
        let RequestFields { code, slot, entry, by, .. } = fields;
        let status = status.filter(|_| self.transport == Transport::Http);
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
        if !self.is_closed {
            self.write(None, &RequestFields::default());
        }
    }
}

/// Returns the name of a standard method. Other methods are `other`, because a client can invent any number of names.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
