//! The metrics for Prometheus. Label values come from tables, never from a request.

use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Metric, Registry, Unit},
};

/// The transport of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Http,
    #[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "no message comes"))]
    Nats,
}

/// The labels of a request that ended.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(crate) struct Outcome {
    pub(crate) route: &'static str,
    pub(crate) method: &'static str,
    /// `2xx` and so on; `gone` if the client went away before the reply.
    pub(crate) status: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(crate) struct ByRoute {
    pub(crate) route: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(crate) struct ByCode {
    pub(crate) code: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub(crate) struct ByReason {
    pub(crate) reason: &'static str,
}

/// The metrics of requests over one transport.
#[derive(Debug)]
pub(crate) struct Requests {
    pub(crate) requests: Family<Outcome, Counter>,
    pub(crate) duration: Family<ByRoute, Histogram>,
    pub(crate) in_flight: Gauge,
}

impl Requests {
    fn new(registry: &mut Registry, name: &str) -> Self {
        let duration: Family<ByRoute, Histogram> = Family::new_with_constructor(|| Histogram::new(BUCKETS));
        registry.register_with_unit(
            format!("{name}_request_duration"),
            "Seconds from the headers of a request to the headers of its reply",
            Unit::Seconds,
            duration.clone(),
        );
        Self {
            requests: added(registry, format!("{name}_requests"), "Requests that ended"),
            duration,
            in_flight: added(registry, format!("{name}_requests_in_flight"), "Requests in progress"),
        }
    }
}

/// Adds a metric.
pub(crate) fn added<M: Metric + Clone + Default>(
    registry: &mut Registry,
    name: impl Into<String>,
    help: &str,
) -> M {
    let metric = M::default();
    registry.register(name, help, metric.clone());
    metric
}

#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    http: Requests,
    nats: Requests,
    /// Messages without a reply subject, or with one that the cluster uses itself.
    pub(crate) without_reply: Counter,
    pub(crate) connections: Gauge,
    pub(crate) errors: Family<ByCode, Counter>,
    pub(crate) shed: Family<ByReason, Counter>,
    pub(crate) lines: Counter,
    pub(crate) spans_sent: Counter,
    pub(crate) spans_dropped: Counter,
    pub(crate) log_lines_dropped: Counter,
}

/// The upper bounds of durations in seconds, from a typical `evaluate` to the time limit of a body.
const BUCKETS: [f64; 16] =
    [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut all = Registry::with_prefix("adjudicate");
        let all = &mut all;
        Self {
            http: Requests::new(all, "http"),
            nats: Requests::new(all, "nats"),
            without_reply: added(
                all,
                "nats_requests_without_reply",
                "Messages without a usable reply subject, which get no answer",
            ),
            connections: added(all, "http_connections", "Connections"),
            errors: added(all, "errors", "Errors in replies and in lines of streams"),
            shed: added(all, "shed", "Connections and requests rejected because a limit was reached"),
            lines: added(all, "stream_lines", "Lines of streams with an answer"),
            spans_sent: added(all, "otlp_spans_sent", "Spans that the collector accepted"),
            spans_dropped: added(all, "otlp_spans_dropped", "Spans that were dropped"),
            log_lines_dropped: added(all, "log_lines_dropped", "Lines of the access log that were dropped"),
            registry: std::mem::take(all),
        }
    }

    /// Returns the metrics of requests over this transport.
    pub(crate) const fn for_transport(&self, transport: Transport) -> &Requests {
        match transport {
            Transport::Http => &self.http,
            Transport::Nats => &self.nats,
        }
    }

    pub(crate) fn shed(&self, reason: &'static str) {
        self.shed.get_or_create(&ByReason { reason }).inc();
    }

    pub(crate) fn error(&self, code: &str) {
        self.errors.get_or_create(&ByCode { code: code.to_owned() }).inc();
    }

    /// Returns all metrics as text, with those of `more`.
    pub(crate) fn text(&self, more: &Registry) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = text::encode_registry(&mut out, &self.registry);
        let _ = text::encode_registry(&mut out, more);
        let _ = text::encode_eof(&mut out);
        out
    }
}

/// Returns the class of a status, for example `2xx`.
pub(crate) const fn class(status: u16) -> &'static str {
    match status / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}
