//! NATS goes away, and comes back.

use adjudicate_host::TokenRole;

use super::{
    hosts::{Cluster, all_in, metric, ready},
    nats::until,
    nats_client::NatsClient,
};
use crate::{
    client::{Client, ENVELOPE, JSON, Reply, post, request},
    modules::{answer_with, flagging},
    process::Process,
};

/// The arguments of a host that may start without NATS.
const ANYWAY: [&str; 2] = ["--nats-allow-unsigned", "--start-without-nats"];

fn decide(host: &Process, flag: &str) {
    let reply = post(host.address, "/v1/slots/release/evaluate", ENVELOPE);
    assert_eq!((reply.status, reply.body.trim_end()), (200, answer_with(flag).as_str()));
}

/// Ends a host, and returns its last line.
fn end(mut host: Process) -> String {
    host.signal("TERM");
    let (status, reported) = host.end();
    assert_eq!(status.code(), Some(0), "{reported}");
    reported.lines().last().unwrap().to_owned()
}

/// Returns true if a reply reports that the host has not reached the cluster.
fn is_alone(observed: &Reply) -> bool {
    let observed = observed.json();
    observed["ready"] == true
        && observed["cluster"]["connected"] == false
        && observed["cluster"]["troubles"] == 1
}

#[test]
fn without_nats_a_host_goes_on_with_what_it_has_and_with_it_again_goes_on_as_before() {
    let mut cluster = Cluster::new();
    let token = adjudicate_host::Store::open(&cluster.path("a")).unwrap();
    let (_, admin) = token.create_token("ops", TokenRole::Admin, None, 0).unwrap();
    let hosts = ["a", "b"].map(|name| cluster.host(name));
    let [one, two] = ["one", "two"].map(|flag| cluster.install("ops", &flagging("1.0.0", flag)));
    let entry = cluster.activate("ops", &one);
    all_in(&hosts.each_ref(), entry);
    let bearer = format!("Bearer {}", admin.as_str());
    let ask = |to: usize, flag: &str| {
        // Only the first has tokens.
        let headers = [JSON, ("authorization", bearer.as_str())];
        let call = request("POST", "/v1/slots/release/evaluate", &headers[..2 - to], ENVELOPE);
        let reply = Client::to(hosts[to].address).ask(call);
        assert_eq!((reply.status, reply.body.trim_end()), (200, answer_with(flag).as_str()));
    };
    let activate = |digest: &str| {
        let change = format!(r#"{{"composition":{{"base":{{"module":"{digest}","unsigned":true}}}}}}"#);
        let headers = [JSON, ("authorization", bearer.as_str())];
        Client::to(hosts[0].address).ask(request("POST", "/v1/slots/release/activate", &headers, change))
    };
    cluster.nats.kill();
    for (index, host) in hosts.iter().enumerate() {
        until("the host notices", || ready(host).json()["cluster"]["connected"] == false);
        let observed = ready(host);
        assert_eq!((observed.status, &observed.json()["ready"]), (200, &true.into()), "{observed:?}");
        ask(index, "one");
    }
    assert_eq!(activate(&two).error(), (503, "cluster_fault".to_owned()));
    assert_eq!(post(hosts[1].address, "/v1/evaluate", ENVELOPE).status, 200);
    assert_eq!(metric(&hosts[1], "cluster_connected"), Some(0.0));
    let refused = cluster.verb("ops", &["activate", "release", &two, "--allow-unsigned"]);
    assert_eq!(refused.error(), (3, "cluster_fault".to_owned()), "{refused:?}");
    ask(0, "one");
    cluster.nats.run();
    for host in &hosts {
        until("the host is back", || {
            let observed = ready(host).json();
            observed["cluster"]["connected"] == true && observed["cluster"]["troubles"] == 0
        });
    }
    let nats_client = NatsClient::to(&cluster.nats.url());
    until("calls are answered over NATS", || {
        nats_client
            .try_ask("adjudicate.v1.slots.release.evaluate", ENVELOPE)
            .is_ok_and(|reported| reported.body == answer_with("one"))
    });
    // A change over HTTP reaches all hosts.
    let changed = activate(&two);
    assert_eq!(changed.status, 200, "{changed:?}");
    all_in(&[&hosts[1]], changed.json()["id"].as_i64().unwrap());
    ask(0, "two");
    for _ in 0..20 {
        let reported = nats_client.ask("adjudicate.v1.slots.release.evaluate", ENVELOPE);
        assert_eq!(reported.body, answer_with("two"), "{reported:?}");
    }
}

#[test]
fn records_written_without_nats_reach_the_stream_later() {
    let mut cluster = Cluster::new();
    std::fs::write(cluster.path("settings.json"), r#"{"records":{}}"#).unwrap();
    cluster.verb("a", &["slot", "release", "--settings", "settings.json"]).json();
    let digest = cluster.install("a", &flagging("1.0.0", "one"));
    cluster.activate("a", &digest);
    let mut host = cluster.host_with("a", &["--nats-allow-unsigned", "--drain-timeout", "600"]);
    let ask = |host: &crate::process::Process| {
        assert_eq!(post(host.address, "/v1/slots/release/evaluate", ENVELOPE).status, 200);
    };
    ask(&host);
    cluster.nats.kill();
    for _ in 0..20 {
        ask(&host);
    }
    until("the host notices", || ready(&host).json()["cluster"]["connected"] == false);
    // The host still ends without waiting for NATS, and reports that records are left.
    host.signal("TERM");
    let (status, reported) = host.end();
    assert_eq!(status.code(), Some(0), "{reported}");
    assert!(reported.lines().last().unwrap().contains(r#""records_forwarded":false"#), "{reported}");
    cluster.nats.run();
    let _again = cluster.host("a");
    let url = cluster.nats.url();
    let args = ["records", "export", "--slot", "release", "--nats", url.as_str()];
    until("all of it is sent", || {
        let (status, exported, error) = crate::process::run(crate::process::command(&args));
        assert_eq!((status, error.as_str()), (0, ""));
        exported.lines().count() == 21
    });
}

#[test]
fn a_host_can_start_without_nats_and_joins_later() {
    let mut cluster = Cluster::new();
    std::fs::write(cluster.path("settings.json"), r#"{"records":{}}"#).unwrap();
    cluster.verb("ops", &["slot", "release", "--settings", "settings.json"]).json();
    let [one, two] = ["one", "two"].map(|flag| cluster.install("ops", &flagging("1.0.0", flag)));
    let entry = cluster.activate("ops", &one);
    let host = cluster.host("a");
    all_in(&[&host], entry);
    decide(&host, "one");
    end(host);
    cluster.nats.kill();
    let url = cluster.nats.url();
    // The option is required, and a store that never was of the cluster has nothing to start with.
    for (store, more) in [("a", &[][..]), ("new", &["--start-without-nats"])] {
        let args = [&["serve", "--listen", "127.0.0.1:0", "--nats", url.as_str()], more].concat();
        let run = cluster.plain(store, &args);
        assert_eq!(run.error(), (3, "cluster_fault".to_owned()), "{run:?}");
    }
    let run = cluster.plain("a", &["serve", "--listen", "127.0.0.1:0", "--start-without-nats"]);
    assert_eq!(run.error(), (64, "wrong_usage".to_owned()), "{run:?}");
    let host = cluster.host_with("a", &ANYWAY);
    assert_eq!(host.reported["cluster"]["reached"], false, "{}", host.reported);
    assert!(is_alone(&ready(&host)), "{:?}", ready(&host));
    assert_eq!(metric(&host, "cluster_connected"), Some(0.0));
    decide(&host, "one");
    assert!(end(host).contains(r#""records_forwarded":false"#));
    let mut host = cluster.host_with("a", &[&ANYWAY[..], &["--allow-local-admin"]].concat());
    decide(&host, "one");
    let change = format!(r#"{{"composition":{{"base":{{"module":"{one}","unsigned":true}}}}}}"#);
    let activate = request("POST", "/v1/slots/release/activate", &[JSON], change);
    let refused = Client::to(host.address).ask(activate);
    assert_eq!(refused.error(), (503, "cluster_fault".to_owned()));
    assert!(refused.body.contains("was not reached"), "{refused:?}");
    cluster.nats.run();
    until("the host has joined", || {
        let observed = ready(&host).json();
        observed["cluster"]["connected"] == true && observed["cluster"]["troubles"] == 0
    });
    assert_eq!(metric(&host, "cluster_connected"), Some(1.0));
    let entry = cluster.activate("ops", &two);
    all_in(&[&host], entry);
    let nats_client = NatsClient::to(&url);
    until("calls are answered over NATS", || {
        nats_client.try_ask("adjudicate.v1.slots.release.evaluate", ENVELOPE).is_ok()
    });
    let reported = nats_client.ask("adjudicate.v1.slots.release.evaluate", ENVELOPE);
    assert_eq!(reported.body, answer_with("two"), "{reported:?}");
    host.signal("TERM");
    let (_, reported) = host.end();
    assert!(reported.lines().last().unwrap().contains(r#""records_forwarded":true"#), "{reported}");
    assert!(reported.contains(r#"{"cluster":{"connected":true}}"#), "{reported}");
    let args = ["records", "export", "--slot", "release", "--nats", url.as_str()];
    let (status, exported, error) = crate::process::run(crate::process::command(&args));
    assert_eq!((status, error.as_str()), (0, ""));
    // One with the others, two without, and at least two over NATS.
    assert!(exported.lines().count() >= 5, "{exported}");
}

#[test]
fn a_lost_cluster_is_not_created_again() {
    let mut cluster = Cluster::new();
    let digest = cluster.install("a", &flagging("1.0.0", "one"));
    cluster.activate("a", &digest);
    cluster.nats.kill();
    cluster.nats.lose_everything();
    cluster.nats.run();
    let nats_client = NatsClient::to(&cluster.nats.url());
    let streams = || {
        nats_client.runtime.block_on(async {
            async_nats::jetstream::new(nats_client.client.clone()).query_account().await.unwrap().streams
        })
    };
    let run = cluster.verb("a", &["list"]);
    assert_eq!(run.error(), (3, "cluster_fault".to_owned()), "{run:?}");
    let host = cluster.host_with("a", &ANYWAY);
    decide(&host, "one");
    assert!(is_alone(&ready(&host)), "{:?}", ready(&host));
    assert_eq!(streams(), 0);
    // It never joins another cluster, whenever that is made.
    cluster.verb("other", &["list"]).json();
    assert_ne!(streams(), 0);
    let run = cluster.verb("a", &["list"]);
    assert_eq!(run.error(), (64, "wrong_usage".to_owned()), "{run:?}");
    assert!(is_alone(&ready(&host)), "{:?}", ready(&host));
    let reported = end(host);
    assert!(reported.contains(r#""records_forwarded":false"#), "{reported}");
    let (url, store) = (cluster.nats.url(), cluster.path("a"));
    let args =
        ["serve", "--listen", "127.0.0.1:0", "--nats", url.as_str(), "--start-without-nats", "--store"];
    let run = crate::process::run(crate::process::command(&[&args[..], &[store.to_str().unwrap()]].concat()));
    assert_eq!(run.0, 64, "{run:?}");
}

#[test]
fn a_hanging_server_is_reported_and_used_again_later() {
    let cluster = Cluster::new();
    let host = cluster.host("a");
    let digest = cluster.install("ops", &flagging("1.0.0", "one"));
    let entry = cluster.activate("ops", &digest);
    all_in(&[&host], entry);
    cluster.nats.hang();
    until("the host notices", || ready(&host).json()["cluster"]["connected"] == false);
    assert_eq!(metric(&host, "cluster_connected"), Some(0.0));
    let observed = ready(&host);
    assert_eq!((observed.status, &observed.json()["ready"]), (200, &true.into()), "{observed:?}");
    assert_eq!(post(host.address, "/v1/slots/release/evaluate", ENVELOPE).status, 200);
    cluster.nats.go_on();
    until("the host is back", || {
        let observed = ready(&host).json();
        observed["cluster"]["connected"] == true && observed["cluster"]["troubles"] == 0
    });
    let again = cluster.install("ops", &flagging("1.1.0", "two"));
    let entry = cluster.activate("ops", &again);
    all_in(&[&host], entry);
}
