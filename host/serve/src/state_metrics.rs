//! The metrics of slots and of the cluster, read at each request for `/metrics`.

use adjudicate_host::{Slots, Statistics};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use crate::{cluster_state::ClusterState, metrics::added, nats::NatsTransport};

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct BySlot {
    slot: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByFault {
    slot: String,
    code: &'static str,
}

/// A metric: its name, its help, and its value.
type MetricRow = (&'static str, &'static str, fn(&Statistics) -> u64);

const ROWS: [MetricRow; 6] = [
    ("slot_calls", "Calls of a slot", |of| of.calls),
    ("slot_canary_calls", "Calls of the canary", |of| of.canary_calls),
    ("slot_canary_faults", "Calls in which the canary failed", |of| of.canary_faults),
    ("slot_shadow_calls", "Calls of the shadow", |of| of.shadow_calls),
    ("slot_shadow_differences", "Calls to which the shadow gave another answer", |of| of.shadow_differences),
    ("slot_shadow_dropped", "Calls that skipped the shadow because its queue was full", |of| {
        of.shadow_dropped
    }),
];

/// Adds the state of this host in the cluster.
pub(crate) fn of_cluster(registry: &mut Registry, transport: &NatsTransport) {
    let ClusterState { problems, records_waiting } = transport.cluster_state();
    let gauges = [
        ("cluster_connected", "1 if the host is connected to NATS", u64::from(transport.is_connected())),
        ("cluster_troubles", "Differences between this host and the cluster", problems.len() as u64),
        ("cluster_records_waiting", "Decision records that the cluster has not stored yet", records_waiting),
        ("cluster_reconnects", "Reconnections to NATS", transport.connects().saturating_sub(1)),
    ];
    for (name, help, value) in gauges {
        added::<Gauge>(registry, name, help).set(i64::try_from(value).unwrap_or(i64::MAX));
    }
}

/// Adds the counters of the slots. Only administrators create slots, so the number of labels is bounded.
pub(crate) fn of_slots(registry: &mut Registry, slots: &Slots) {
    let Ok(slots) = slots.slots() else { return };
    let all: Vec<_> =
        slots.iter().map(|slot| (slot.name().to_owned(), slot.statistics(), slot.entry().id)).collect();
    let by_slot = |slot: &String| BySlot { slot: slot.clone() };
    for (name, help, count) in ROWS {
        let family: Family<BySlot, Counter> = added(registry, name, help);
        for (slot, statistics, _) in &all {
            family.get_or_create(&by_slot(slot)).inc_by(count(statistics));
        }
    }
    let faults: Family<ByFault, Counter> = added(registry, "slot_faults", "Calls in which a module failed");
    let [entries, troubled, unrecorded]: [Family<BySlot, Gauge>; 3] = [
        ("slot_entry", "The current entry of the slot's history"),
        ("slot_troubled", "1 if the slot does not run its current entry"),
        ("slot_unrecorded", "1 if decision records of the slot cannot be written"),
    ]
    .map(|(name, help)| added(registry, name, help));
    for (slot, statistics, entry) in &all {
        for (code, count) in &statistics.faults {
            faults.get_or_create(&ByFault { slot: slot.clone(), code }).inc_by(*count);
        }
        let slot = by_slot(slot);
        entries.get_or_create(&slot).set(*entry);
        troubled.get_or_create(&slot).set(statistics.problem.is_some().into());
        unrecorded.get_or_create(&slot).set(statistics.unrecorded.is_some().into());
    }
}
