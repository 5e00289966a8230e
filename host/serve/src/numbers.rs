//! Numbers of slots, read where they are counted when somebody asks for them.

use adjudicate_host::{Slots, Statistics};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge},
    registry::Registry,
};

use crate::nats::Face;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct BySlot {
    slot: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct ByFault {
    slot: String,
    code: &'static str,
}

/// A row: its name, what it is, and where it is counted.
type Row = (&'static str, &'static str, fn(&Statistics) -> u64);

const ROWS: [Row; 6] = [
    ("slot_calls", "Calls of a slot", |of| of.calls),
    ("slot_canary_calls", "Calls that the canary was asked", |of| of.canary_calls),
    ("slot_canary_faults", "Calls in which the canary failed", |of| of.canary_faults),
    ("slot_shadow_calls", "Calls that the shadow was asked too", |of| of.shadow_calls),
    ("slot_shadow_differences", "Calls to which the shadow gave another answer", |of| of.shadow_differences),
    ("slot_shadow_dropped", "Calls that the shadow was not asked, being behind", |of| of.shadow_dropped),
];

/// Adds how this host stands with the others.
pub(crate) fn of_cluster(registry: &mut Registry, face: &Face) {
    let [connected, troubles, waiting, reconnects]: [Gauge; 4] = Default::default();
    let standing = face.standing();
    connected.set(face.is_connected().into());
    troubles.set(i64::try_from(standing.troubles.len()).unwrap_or(i64::MAX));
    waiting.set(i64::try_from(standing.records_waiting).unwrap_or(i64::MAX));
    reconnects.set(i64::try_from(face.connects().saturating_sub(1)).unwrap_or(i64::MAX));
    registry.register("cluster_connected", "1 where the connection to NATS is there", connected);
    registry.register("cluster_troubles", "What of this host is not as the cluster has it", troubles);
    registry.register("cluster_records_waiting", "Decision records that are not in the stream yet", waiting);
    registry.register("cluster_reconnects", "How often NATS was connected to again", reconnects);
}

/// Adds what the slots have counted. There are as many as an administrator made.
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
        troubled.get_or_create(&of_slot).set(statistics.trouble.is_some().into());
        unrecorded.get_or_create(&of_slot).set(statistics.unrecorded.is_some().into());
    }
    registry.register("slot_faults", "Calls in which a module failed", faults);
    registry.register("slot_entry", "The entry of its history that a slot is in", entries);
    registry.register("slot_troubled", "1 where a slot does not run what the store has in force", troubled);
    registry.register("slot_unrecorded", "1 where decision records of a slot cannot be written", unrecorded);
}
