//! Invalid slots in the bucket, written by a client with permission, and the reports of a server about them.

use super::{
    hosts::{Cluster, all_in, metric, ready},
    nats::until,
    nats_client::NatsClient,
};
use crate::{client::get, modules::flagging};

#[test]
fn reports_of_a_server_do_not_grow_with_invalid_slots() {
    let cluster = Cluster::new();
    let host = cluster.host("a");
    let digest = cluster.install("ops", &flagging("1.0.0", "one"));
    all_in(&[&host], cluster.activate("ops", &digest));
    let nats_client = NatsClient::to(&cluster.nats.url());
    for number in 0..2000 {
        nats_client.say(&format!("$KV.adjudicate-slots.slot.made-up-{number}"), "garbage");
    }
    let observed = serde_json::json!(["more than 64 slots do not run their current entry"]);
    until("it is reported", || ready(&host).json()["troubles"] == observed);
    until("it is counted", || metric(&host, "cluster_troubles") == Some(65.0));
    let metrics = get(host.address, "/metrics").body;
    assert!(metrics.contains("release") && !metrics.contains("made-up"), "{metrics}");
    // The existing slot can still be changed, and the report says that it does not list all slots.
    let again = cluster.install("ops", &flagging("1.1.0", "two"));
    all_in(&[&host], cluster.activate("ops", &again));
    let listed = cluster.verb("ops", &["list"]);
    assert_eq!(listed.error(), (3, "cluster_fault".to_owned()), "{listed:?}");
    assert!(listed.stderr.contains("more than 64 slots"), "{listed:?}");
}
