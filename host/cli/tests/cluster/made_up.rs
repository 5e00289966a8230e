//! Slots that somebody made up who may write the bucket, as a server tells of them.

use crate::{
    asker::Asker,
    client::get,
    hosts::{Cluster, all_in, metric, ready},
    modules::flagging,
    nats::until,
};

#[test]
fn what_a_server_tells_does_not_grow_with_slots_that_are_made_up() {
    let cluster = Cluster::new();
    let host = cluster.host("a");
    let digest = cluster.install("ops", &flagging("1.0.0", "one"));
    all_in(&[&host], cluster.activate("ops", &digest));
    let asker = Asker::to(&cluster.nats.url());
    for number in 0..2000 {
        asker.say(&format!("$KV.adjudicate-slots.slot.made-up-{number}"), "garbage");
    }
    let told = serde_json::json!(["more than 64 slots do not run what is in force"]);
    until("it is told", || ready(&host).json()["troubles"] == told);
    until("it is counted", || metric(&host, "cluster_troubles") == Some(65.0));
    let metrics = get(host.address, "/metrics").body;
    assert!(metrics.contains("release") && !metrics.contains("made-up"), "{metrics}");
    // The slot that is there is changed as before, and whoever wants to see all hears that they are not all there.
    let again = cluster.install("ops", &flagging("1.1.0", "two"));
    all_in(&[&host], cluster.activate("ops", &again));
    let listed = cluster.verb("ops", &["list"]);
    assert_eq!(listed.error(), (3, "cluster_fault".to_owned()), "{listed:?}");
    assert!(listed.stderr.contains("more than 64 slots"), "{listed:?}");
}
