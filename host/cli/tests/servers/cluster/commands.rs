//! Commands: those that go through the cluster, and those that are rejected.

use serde_json::Value;

use super::hosts::{Cluster, all_in};
use crate::{
    client::{ENVELOPE, post},
    modules::{answer_with, flagging},
    process::{command, run},
};

#[test]
fn every_command_acts_on_all_hosts() {
    let cluster = Cluster::new();
    let hosts = ["a", "b"].map(|name| cluster.host(name));
    let [one, two] = ["one", "two"].map(|flag| cluster.install("ops", &flagging("1.0.0", flag)));
    let first = cluster.activate("ops", &one);
    let id = |run: super::hosts::Run| run.json()["id"].as_i64().unwrap();
    let canary = ["canary", "release", &two, "--permille", "1000", "--allow-unsigned"];
    let canaried = id(cluster.verb("ops", &canary));
    all_in(&hosts.each_ref(), canaried);
    for host in &hosts {
        let reported = post(host.address, "/v1/slots/release/evaluate", ENVELOPE);
        assert_eq!(
            (reported.header("adjudicate-by"), reported.body.trim_end()),
            (Some("canary"), answer_with("two").as_str())
        );
    }
    id(cluster.verb("ops", &["canary", "release", "--off"]));
    id(cluster.verb("ops", &["shadow", "release", &two, "--allow-unsigned"]));
    id(cluster.verb("ops", &["shadow", "release", "--off"]));
    let second = cluster.activate("ops", &two);
    let back = id(cluster.verb("ops", &["rollback", "release", "--to", &first.to_string()]));
    assert!(back > second);
    all_in(&hosts.each_ref(), back);
    for host in &hosts {
        let reported = post(host.address, "/v1/slots/release/evaluate", ENVELOPE);
        assert_eq!(reported.body.trim_end(), answer_with("one"));
    }
    // A store that is new has all of it, the history too.
    let history = |store: &str| cluster.verb(store, &["history", "release"]).json();
    assert_eq!(history("new"), history("ops"));
    assert_eq!(
        history("new")
            .as_array()
            .map_or_else(|| history("new")["history"].as_array().unwrap().len(), Vec::len),
        8
    );
    let listed = cluster.verb("new", &["list"]).json();
    assert_eq!(listed["slots"][0]["id"], back);
    let shown = cluster.verb("ops", &["slot", "release"]).json();
    assert_eq!(shown["id"], back);
    // Also by what the environment says.
    let mut listing = command(&["list", "--nats-allow-unsigned", "--store"]);
    listing.arg(cluster.path("newer")).env("ADJUDICATE_NATS", cluster.nats.url());
    let (status, out, error) = run(listing);
    assert_eq!((status, error.as_str()), (0, ""));
    let listed: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(listed["slots"][0]["id"], back);
}

#[test]
fn a_store_belongs_to_one_cluster_or_to_itself() {
    let cluster = Cluster::new();
    let digest = cluster.install("ops", &flagging("1.0.0", "one"));
    let entry = cluster.activate("ops", &digest);
    // Without the cluster it can be read, and not changed.
    assert_eq!(cluster.plain("ops", &["slot", "release"]).json()["id"], entry);
    for args in [
        &["activate", "release", &digest, "--allow-unsigned"][..],
        &["slot", "other", "--create"],
        &["canary", "release", "--off"],
    ] {
        let run = cluster.plain("ops", args);
        assert_eq!(run.error(), (64, "wrong_usage".to_owned()), "{args:?} {run:?}");
        assert!(run.stderr.contains("--nats"), "{run:?}");
    }
    assert_eq!(cluster.plain("ops", &["slot", "release"]).json()["id"], entry);
    // Nor are its slots deleted, with the cluster or without, and what they need stays.
    for run in [
        cluster.plain("ops", &["slot", "release", "--delete"]),
        cluster.verb("ops", &["slot", "release", "--delete"]),
    ] {
        assert_eq!(run.error(), (64, "wrong_usage".to_owned()), "{run:?}");
        assert!(run.stderr.contains("cannot be deleted"), "{run:?}");
    }
    assert_eq!(cluster.plain("ops", &["uninstall", &digest]).error(), (64, "in_use".to_owned()));
    // A copy that nothing here needs goes, and comes back from the cluster when it is needed.
    let two = cluster.install("ops", &flagging("2.0.0", "two"));
    let uninstalled = cluster.plain("ops", &["uninstall", &two]).json();
    assert_eq!(uninstalled["uninstalled"]["digest"], two);
    assert_eq!(
        cluster.plain("ops", &["gc", "--keep", "0s"]).json()["modules"].as_array().map(Vec::len),
        Some(0)
    );
    assert_eq!(cluster.plain("ops", &["slot", "release"]).json()["id"], entry);
    // A store with slots of its own is not changed.
    assert_eq!(cluster.plain("own", &["slot", "mine", "--create"]).status, 0);
    let run = cluster.verb("own", &["list"]);
    assert_eq!(run.error(), (64, "wrong_usage".to_owned()), "{run:?}");
    // Nor is a store of one cluster one of another, and none is made where it is sought.
    let elsewhere = || cluster.verb("ops", &["list", "--nats-name", "other"]);
    for _ in 0..2 {
        assert_eq!(elsewhere().error(), (3, "cluster_fault".to_owned()));
    }
    cluster.verb("others", &["list", "--nats-name", "other"]).json();
    assert_eq!(elsewhere().error(), (64, "wrong_usage".to_owned()));
}

/// `fixtures/commands` has the errors of the options.
#[test]
fn a_wrong_cluster_in_the_environment_is_rejected_and_no_secret_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    for (url, status, code) in
        [("nats://s3cret@127.0.0.1:1", 3, "cluster_fault"), ("s3cret://s3cret", 64, "wrong_usage")]
    {
        let mut list = command(&["list", "--store"]);
        list.arg(&store).env("ADJUDICATE_NATS", url);
        let (was, out, error) = run(list);
        assert_eq!((was, out.as_str(), error.contains(code)), (status, "", true), "{url} {error}");
        assert!(!error.contains("s3cret"), "{url} {error}");
    }
    let mut bare = command(&["serve", "--no-store", "--listen", "127.0.0.1:0"]);
    bare.env("ADJUDICATE_NATS", "nats://127.0.0.1:1");
    let (status, _, error) = run(bare);
    assert_eq!((status, error.contains("--no-store")), (64, true), "{error}");
    for verb in
        ["serve", "install", "pull", "list", "slot", "activate", "shadow", "canary", "rollback", "history"]
    {
        let (status, help, _) = run(command(&[verb, "--help"]));
        let is_named = help.contains("--nats-credentials") && help.contains("ADJUDICATE_NATS");
        assert!(status == 0 && is_named, "{verb}");
    }
    assert!(run(command(&["completions", "bash"])).1.contains("--nats-allow-unsigned"));
}
