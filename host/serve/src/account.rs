//! The record of one request, for metrics, the request log and traces.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use axum::http::{HeaderMap, Method};

use crate::{
    codes,
    log::{Line, Log},
    metrics::{ByRoute, Metrics, Outcome, Transport, class},
    otlp::{Attribute, Exporter, Span},
    reply::Told,
    trace::{Trace, hex},
};

/// The receivers of request records.
pub(crate) struct Observers {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Option<Log>,
    pub(crate) exporter: Option<Exporter>,
}

impl Observers {
    /// Whether single requests are logged or traced.
    const fn is_told(&self) -> bool {
        self.log.is_some() || self.exporter.is_some()
    }
}

/// The record of a request. It is written when the request ends, even if the client goes away first.
pub(crate) struct Account {
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

impl Account {
    /// Begins the record of an HTTP request.
    pub(crate) fn open(
        observers: &Arc<Observers>,
        client: SocketAddr,
        method: &Method,
        headers: &HeaderMap,
    ) -> Self {
        let client = if observers.is_told() { client.ip().to_canonical().to_string() } else { String::new() };
        Self::begin(observers, Transport::Http, client, known(method), headers)
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
        observers.metrics.of(transport).in_flight.inc();
        Self {
            observers: Arc::clone(observers),
            begun: Instant::now(),
            start: if observers.is_told() { nanoseconds() } else { 0 },
            transport,
            client,
            method,
            trace: observers.is_told().then(|| Trace::of(headers)),
            is_closed: false,
        }
    }

    /// Ends and writes the record.
    pub(crate) fn close(&mut self, status: u16, told: Told) {
        self.is_closed = true;
        self.tell(Some(status), &told);
    }

    fn tell(&self, status: Option<u16>, told: &Told) {
        let observers = &self.observers;
        let took = self.begun.elapsed();
        let route = told.route.unwrap_or("none");
        let method = self.method;
        let numbers = observers.metrics.of(self.transport);
        numbers.in_flight.dec();
        let outcome = Outcome { route, method, status: status.map_or("gone", class) };
        numbers.requests.get_or_create(&outcome).inc();
        numbers.duration.get_or_create(&ByRoute { route }).observe(took.as_secs_f64());
        if let Some(code) = told.code {
            observers.metrics.error(code);
            if code == codes::HOST_OVERLOADED.as_str() {
                observers.metrics.shed("request");
            }
        }
        let Some(trace) = self.trace else { return };
        if let Some(log) = &observers.log {
            log.take(&Line {
                time: jiff::Timestamp::from_nanosecond(self.start.into()).unwrap_or_default().to_string(),
                client: &self.client,
                method,
                route,
                status,
                code: told.code,
                ms: (took.as_secs_f64() * 1e6).round() / 1e3,
                bytes: told.bytes,
                token: told.token.as_deref(),
                slot: told.slot.as_deref(),
                entry: told.entry,
                by: told.by,
                trace: hex(&trace.trace),
            });
        }
        if let Some(exporter) = &observers.exporter {
            exporter.take(self.span(trace, status, route, method, told));
        }
    }

    fn span(&self, trace: Trace, status: Option<u16>, route: &str, method: &str, told: &Told) -> Span {
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
        if let Some(code) = told.code {
            attributes.push(("error.type", text(code)));
        }
        if let Some(slot) = &told.slot {
            attributes.push(("adjudicate.slot", text(slot)));
        }
        if let Some(entry) = told.entry {
            attributes.push(("adjudicate.entry", Attribute::Number(entry)));
        }
        if let Some(by) = told.by {
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

impl Drop for Account {
    fn drop(&mut self) {
        if !self.is_closed {
            self.tell(None, &Told::default());
        }
    }
}

fn nanoseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns the name of a standard method. Other methods are `other`, because a client can invent any number of names.
fn known(method: &Method) -> &'static str {
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
