//! The record of one request, for metrics, the request log and traces.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use axum::http::{HeaderMap, Method};

use crate::{
    codes,
    log::{Log, LogLine},
    metrics::{ByRoute, Metrics, Outcome, Transport, class},
    otlp::{Attribute, Exporter, Span},
    reply::RequestFields,
    trace::{Trace, hex},
};

/// The receivers of request records.
pub(crate) struct Observers {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Option<Log>,
    pub(crate) exporter: Option<Exporter>,
}

impl Observers {
    /// Returns whether single requests are logged or traced.
    const fn is_observed(&self) -> bool {
        self.log.is_some() || self.exporter.is_some()
    }
}

/// The record of a request. It is written when the request ends, even if the client goes away first.
pub(crate) struct RequestRecord {
    observers: Arc<Observers>,
    begun: Instant,
    /// Nanoseconds since 1970.
    start: u64,
    transport: Transport,
    client: String,
    method: &'static str,
    trace: Option<Trace>,
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
        let client =
            if observers.is_observed() { client.ip().to_canonical().to_string() } else { String::new() };
        Self::begin(observers, Transport::Http, client, method_name(method), headers)
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
            start: if observers.is_observed() { nanoseconds() } else { 0 },
            transport,
            client,
            method,
            trace: observers.is_observed().then(|| Trace::from_headers(headers)),
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
        let route = fields.route.unwrap_or("none");
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
        let Some(trace) = self.trace else { return };
        if let Some(log) = &observers.log {
            log.push(&LogLine {
                time: jiff::Timestamp::from_nanosecond(self.start.into()).unwrap_or_default().to_string(),
                client: &self.client,
                method,
                route,
                status,
                code: fields.code,
                ms: (took.as_secs_f64() * 1e6).round() / 1e3,
                bytes: fields.bytes,
                token: fields.token.as_deref(),
                slot: fields.slot.as_deref(),
                entry: fields.entry,
                by: fields.by,
                trace: hex(&trace.trace),
            });
        }
        if let Some(exporter) = &observers.exporter {
            exporter.push(self.span(trace, status, route, method, fields));
        }
    }

    fn span(
        &self,
        trace: Trace,
        status: Option<u16>,
        route: &str,
        method: &str,
        fields: &RequestFields,
    ) -> Span {
        let text = |text: &str| Attribute::Text(text.to_owned());
        let mut attributes = match self.transport {
            Transport::Http => vec![("http.request.method", text(method)), ("http.route", text(route))],
            Transport::Nats => {
                vec![("messaging.system", text("nats")), ("messaging.destination.template", text(route))]
            }
        };
        if let Some(status) = status.filter(|_| self.transport == Transport::Http) {
            attributes.push(("http.response.status_code", Attribute::Number(status.into())));
        }
        if let Some(code) = fields.code {
            attributes.push(("error.type", text(code)));
        }
        if let Some(slot) = &fields.slot {
            attributes.push(("adjudicate.slot", text(slot)));
        }
        if let Some(entry) = fields.entry {
            attributes.push(("adjudicate.entry", Attribute::Number(entry)));
        }
        if let Some(by) = fields.by {
            attributes.push(("adjudicate.by", text(by)));
        }
        Span {
            trace,
            name: format!("{method} {route}"),
            start: self.start,
            end: nanoseconds(),
            is_error: status.is_none_or(|status| status >= 500),
            attributes,
        }
    }
}

impl Drop for RequestRecord {
    fn drop(&mut self) {
        if !self.is_closed {
            self.write(None, &RequestFields::default());
        }
    }
}

fn nanoseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
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
