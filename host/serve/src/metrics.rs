//! The metrics for Prometheus. Label values come from tables, never from a request, except for the names of slots: only administrators
//! create slots, so their number is bounded.

use adjudicate_host::{Slots, Statistics};
use prometheus_client::{
    encoding::text,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::{Metric, Registry, Unit},
};

use crate::documents::Membership;

/// Labels with values from tables.
type Labels<const N: usize> = [(&'static str, &'static str); N];

/// Labels with the name of a slot.
type SlotLabels<const N: usize> = [(&'static str, String); N];

/// The transport of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Http,
    #[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "no message comes"))]
    Nats,
}

/// The metrics of requests over one transport.
#[derive(Debug)]
pub(crate) struct Requests {
    /// The requests that ended, by `route`, `method` and `status`.
    pub(crate) requests: Family<Labels<3>, Counter>,
    /// The durations, by `route`.
    pub(crate) duration: Family<Labels<1>, Histogram>,
    pub(crate) in_flight: Gauge,
}

impl Requests {
    fn new(registry: &mut Registry, name: &str) -> Self {
        let duration: Family<Labels<1>, Histogram> = Family::new_with_constructor(|| Histogram::new(BUCKETS));
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
fn added<M: Metric + Clone + Default>(registry: &mut Registry, name: impl Into<String>, help: &str) -> M {
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
    #[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "only messages can lack a reply"))]
    pub(crate) without_reply: Counter,
    pub(crate) connections: Gauge,
    errors: Family<Labels<1>, Counter>,
    shed: Family<Labels<1>, Counter>,
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
        self.shed.get_or_create(&[("reason", reason)]).inc();
    }

    pub(crate) fn error(&self, code: &'static str) {
        self.errors.get_or_create(&[("code", code)]).inc();
    }

    /// Returns all metrics as text, with the present state of slots and of the cluster.
    pub(crate) fn text(&self, slots: Option<&Slots>, membership: Option<&Membership>) -> String {
        let mut state = Registry::with_prefix("adjudicate");
        if let Some(slots) = slots {
            add_slots(&mut state, slots);
        }
        if let Some(membership) = membership {
            add_cluster(&mut state, membership);
        }
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = text::encode_registry(&mut out, &self.registry);
        let _ = text::encode_registry(&mut out, &state);
        let _ = text::encode_eof(&mut out);
        out
    }
}

/// A counter of slots: its name, its help, and its value.
type CounterRow = (&'static str, &'static str, fn(&Statistics) -> u64);

const COUNTERS: [CounterRow; 6] = [
    ("slot_calls", "Calls of a slot", |of| of.calls),
    ("slot_canary_calls", "Calls of the canary", |of| of.canary_calls),
    ("slot_canary_faults", "Calls in which the canary failed", |of| of.canary_faults),
    ("slot_shadow_calls", "Calls of the shadow", |of| of.shadow_calls),
    ("slot_shadow_differences", "Calls to which the shadow gave another answer", |of| of.shadow_differences),
    ("slot_shadow_dropped", "Calls that skipped the shadow because its queue was full", |of| {
        of.shadow_dropped
    }),
];

fn add_slots(registry: &mut Registry, slots: &Slots) {
    let Ok(slots) = slots.slots() else { return };
    let counters = COUNTERS
        .map(|(name, help, count)| (added::<Family<SlotLabels<1>, Counter>>(registry, name, help), count));
    let faults: Family<SlotLabels<2>, Counter> =
        added(registry, "slot_faults", "Calls in which a module failed");
    let [entries, troubled, unrecorded]: [Family<SlotLabels<1>, Gauge>; 3] = [
        ("slot_entry", "The current entry of the slot's history"),
        ("slot_troubled", "1 if the slot does not run its current entry"),
        ("slot_unrecorded", "1 if decision records of the slot cannot be written"),
    ]
    .map(|(name, help)| added(registry, name, help));
    for slot in slots {
        let statistics = slot.statistics();
        let labels = [("slot", slot.name().to_owned())];
        for (family, count) in &counters {
            family.get_or_create(&labels).inc_by(count(&statistics));
        }
        for (code, count) in &statistics.faults {
            let [slot] = labels.clone();
            faults.get_or_create(&[slot, ("code", (*code).to_owned())]).inc_by(*count);
        }
        entries.get_or_create(&labels).set(slot.entry().id);
        troubled.get_or_create(&labels).set(statistics.problem.is_some().into());
        unrecorded.get_or_create(&labels).set(statistics.unrecorded.is_some().into());
    }
}

/// Adds the state of this host in the cluster.
fn add_cluster(registry: &mut Registry, membership: &Membership) {
    let Membership { connected, problems, records_waiting, reconnects, .. } = *membership;
    let gauges = [
        ("cluster_connected", "1 if the host is connected to NATS", u64::from(connected)),
        ("cluster_troubles", "Differences between this host and the cluster", problems as u64),
        ("cluster_records_waiting", "Decision records that the cluster has not stored yet", records_waiting),
        ("cluster_reconnects", "Reconnections to NATS", reconnects),
    ];
    for (name, help, value) in gauges {
        added::<Gauge>(registry, name, help).set(i64::try_from(value).unwrap_or(i64::MAX));
    }
}
