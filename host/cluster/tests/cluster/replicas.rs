//! Several servers with replicas: one of them may be killed.

use std::time::Duration;

use adjudicate_cluster::{Cluster, ClusterSettings};
use adjudicate_host::{ChangeReason, SlotSettings};

use crate::{
    bed::{Bed, SLOT, open, signed, trusting},
    nats::{LIMIT, Nats, free_port, within},
};

/// The patience of clients. The test does not depend on it: failed requests are repeated, and shorter waits repeat them sooner
/// while the servers have no leader.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest time for such repetitions.
const SETTLED: Duration = LIMIT.saturating_mul(5);

/// Three servers in one NATS cluster.
fn servers() -> [Nats; 3] {
    let ports = [free_port(), free_port(), free_port()];
    let routes = ports.map(|port| format!("nats-route://127.0.0.1:{port}")).join(", ");
    [0, 1, 2].map(|index: usize| {
        let lines = format!(
            "server_name: s{index}\ncluster {{ name: three, listen: \"127.0.0.1:{}\", routes: [{routes}] }}",
            ports[index]
        );
        Nats::start_with(|_| Some(lines))
    })
}

/// Joins when the servers have a leader.
fn join(servers: &[Nats; 3]) -> Bed {
    let url = servers.each_ref().map(Nats::url).join(",");
    let settings = ClusterSettings { replicas: 3, patience: PATIENCE, ..ClusterSettings::at(url) };
    let mut cluster = Cluster::connect(&settings);
    within(SETTLED, "the servers agree", || {
        if cluster.is_err() {
            cluster = Cluster::connect(&settings);
        }
        cluster.is_ok()
    });
    let cluster = cluster.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let slots = open(&cluster, directory.path()).unwrap();
    slots.set_trust(None, &trusting(1)).unwrap();
    let mut following = None;
    within(SETTLED, "the slots follow", || {
        following = cluster.follow(&slots).ok();
        following.is_some()
    });
    Bed { cluster, slots, following, directory }
}

#[test]
fn any_one_server_may_be_killed() {
    let mut servers = servers();
    let beds = [join(&servers), join(&servers)];
    let settings = SlotSettings::parse(br#"{"records":{}}"#).unwrap();
    within(SETTLED, "the slot is made", || {
        beds[0].slots.create(SLOT, settings.clone(), &ChangeReason::default()).is_ok()
    });
    let forwarding = beds.each_ref().map(|bed| bed.cluster.forward_records(bed.store()).unwrap());
    for index in 0..3 {
        servers[index].kill();
        let flag = format!("f{index}");
        let digest = adjudicate_sandbox::Digest::sha256(&signed(&format!("1.{index}.0"), &flag, 1));
        // After the leader is killed, requests fail for some seconds, or their outcome is unknown.
        within(SETTLED, "the slot is changed", || {
            let bed = &beds[index % 2];
            let module = signed(&format!("1.{index}.0"), &flag, 1);
            if bed.slots.install(&module, &adjudicate_host::InstallOptions::default()).is_err() {
                return false;
            }
            let slot = bed.slots.slot(SLOT).unwrap();
            let is_active = slot.entry().state.active.is_some_and(|active| active.base.module == digest);
            is_active
                || slot.activate(adjudicate_host::Composition::new(digest), &ChangeReason::default()).is_ok()
        });
        for bed in &beds {
            within(SETTLED, "all follow", || bed.flag() == flag);
        }
        servers[index].run();
    }
    let histories = beds.each_ref().map(|bed| bed.slots.slot(SLOT).unwrap().history(100).unwrap());
    assert_eq!(histories[0], histories[1]);
    beds.iter().for_each(Bed::is_well);
    beds.iter().for_each(|bed| bed.slots.close().unwrap());
    forwarding.into_iter().for_each(|forwarding| forwarding.finish(SETTLED).unwrap());
    for bed in &beds {
        let (mut lines, host) = (Vec::new(), bed.store().host_id().unwrap().unwrap());
        within(SETTLED, "the records are read", || {
            lines.clear();
            let exported = bed.cluster.export_records(SLOT, Some(&host), |line| {
                lines.push(line.to_owned());
                Ok::<_, adjudicate_core::Error>(())
            });
            exported.is_ok()
        });
        assert_eq!(u64::try_from(lines.len()).unwrap(), bed.store().verify_records(SLOT, &[]).unwrap().1);
    }
}
