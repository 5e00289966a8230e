//! Connecting: what is made, what is refused, and what is said about it.

use std::time::Duration;

use adjudicate_cluster::{Cluster, Settings};

use crate::nats::Nats;

fn settings(nats: &Nats) -> Settings {
    Settings { patience: Duration::from_secs(30), ..Settings::at(nats.url()) }
}

#[test]
fn whoever_is_first_makes_the_cluster_and_the_others_find_it() {
    let nats = Nats::start();
    let first = Cluster::connect(&settings(&nats)).unwrap();
    let second = Cluster::connect(&settings(&nats)).unwrap();
    assert_eq!(first.id(), second.id());
    assert!(first.is_connected() && first.max_payload() >= 1 << 20);
    let other = Cluster::connect(&Settings { name: "other".to_owned(), ..settings(&nats) }).unwrap();
    assert_ne!(first.id(), other.id());
}
