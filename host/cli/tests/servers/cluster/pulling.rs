//! `pull --install`: what comes from a registry is installed for the cluster, as what comes from a file is.

use adjudicate_cluster::ClusterSettings;
use adjudicate_sandbox::Digest;

use super::{
    hosts::Cluster,
    registry::{Server, Stock},
};
use crate::{
    modules::flagging,
    process::{command, run},
};

#[test]
fn a_pulled_module_is_installed_for_all_hosts() {
    let cluster = Cluster::new();
    let modules = ["one", "two"].map(|flag| flagging("1.0.0", flag));
    let servers = modules.each_ref().map(|module| {
        let stock = Stock::new(module);
        Server::start(move |asked| stock.answer(asked))
    });
    let references = servers.each_ref().map(|server| format!("{}/acme/gate:1", server.host()));
    let kept = adjudicate_cluster::Cluster::connect(&ClusterSettings::at(cluster.nats.url())).unwrap();
    let is_kept = |module: &[u8]| kept.object(Digest::sha256(module), 1 << 20).as_deref() == Ok(module);
    // The slot is the cluster's: a store that is new has it once it followed.
    assert_eq!(cluster.verb("other", &["slot", "release", "--create"]).status, 0);

    let pull = ["pull", &references[0], "--plain-http", "--install", "--allow-unsigned", "--slot", "release"];
    let run_plainly = cluster.plain("ops", &pull);
    assert_eq!(run_plainly.error(), (64, "unknown_slot".to_owned()), "{run_plainly:?}");
    let reported = cluster.verb("ops", &pull).json();
    assert_eq!(reported["installed"]["module"]["digest"], Digest::sha256(&modules[0]).to_string());
    assert!(is_kept(&modules[0]) && !is_kept(&modules[1]));

    // The environment says as well where the cluster is.
    let pull = ["pull", &references[1], "--plain-http", "--install", "--allow-unsigned", "--store"];
    let mut command = command(&pull);
    command.arg(cluster.path("new")).env("ADJUDICATE_NATS", cluster.nats.url());
    let (status, _, error) = run(command);
    assert_eq!((status, error.as_str()), (0, ""));
    assert!(is_kept(&modules[1]));
    let alone = cluster.plain("new", &["slot", "mine", "--create"]);
    assert_eq!(alone.error(), (64, "wrong_usage".to_owned()), "{alone:?}");
}
