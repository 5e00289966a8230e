//! The metrics of slots and of the cluster, read at each request for `/metrics`.

use adjudicate_host::{Slots, Statistics};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use crate::nats::NatsTransport;

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
    let [connected, problems, waiting, reconnects]: [Gauge; 4] = Default::default();
    let cluster_state = transport.cluster_state();
    connected.set(transport.is_connected().into());
    problems.set(i64::try_from(cluster_state.problems.len()).unwrap_or(i64::MAX));
    waiting.set(i64::try_from(cluster_state.records_waiting).unwrap_or(i64::MAX));
    reconnects.set(i64::try_from(transport.connects().saturating_sub(1)).unwrap_or(i64::MAX));
    registry.register("cluster_connected", "1 if the host is connected to NATS", connected);
    registry.register("cluster_troubles", "Differences between this host and the cluster", problems);
    registry.register(
        "cluster_records_waiting",
        "Decision records that the cluster has not stored yet",
        waiting,
    );
    registry.register("cluster_reconnects", "Reconnections to NATS", reconnects);
}

/// Adds the counters of the slots. Only administrators create slots, so the number of labels is bounded.
pub(crate) fn of_slots(registry: &mut Registry, slots: &Slots) {
    let Ok(slots) = slots.slots() else { return };
    let all: Vec<_> =
        slots.iter().map(|slot| (slot.name().to_owned(), slot.statistics(), slot.entry().id)).collect();
    for (name, help, count) in ROWS {
        let family: Family<BySlot, Counter> = Family::default();
        for (slot, statistics, _) in &all {
            family.get_or_create(&BySlot { slot: slot.clone() }).inc_by(count(statistics));
        }
        registry.register(name, help, family);
    }
    let faults: Family<ByFault, Counter> = Family::default();
    let entries: Family<BySlot, Gauge> = Family::default();
    let [troubled, unrecorded]: [Family<BySlot, Gauge>; 2] = Default::default();
    for (slot, statistics, entry) in &all {
        for (code, count) in &statistics.faults {
            faults.get_or_create(&ByFault { slot: slot.clone(), code }).inc_by(*count);
        }
        entries.get_or_create(&BySlot { slot: slot.clone() }).set(*entry);
        let of_slot = BySlot { slot: slot.clone() };
        troubled.get_or_create(&of_slot).set(statistics.problem.is_some().into());
        unrecorded.get_or_create(&of_slot).set(statistics.unrecorded.is_some().into());
    }
    registry.register("slot_faults", "Calls in which a module failed", faults);
    registry.register("slot_entry", "The current entry of the slot's history", entries);
    registry.register("slot_troubled", "1 if the slot does not run its current entry", troubled);
    registry.register("slot_unrecorded", "1 if decision records of the slot cannot be written", unrecorded);
}
