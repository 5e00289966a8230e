//! Decision records of several hosts, read from the stream.

use std::fs;

use serde_json::Value;

use super::{
    hosts::{Cluster, all_in},
    nats_client::NatsClient,
};
use crate::{client::ENVELOPE, modules::flagging};

const CALLS: u64 = 120;

#[test]
fn records_of_hosts_are_in_the_stream_and_verify() {
    let cluster = Cluster::new();
    let stores = ["a", "b"];
    let mut hosts = stores.map(|name| cluster.host(name));
    fs::write(cluster.path("settings.json"), r#"{"records":{}}"#).unwrap();
    let made = cluster.verb("ops", &["slot", "release", "--settings", "settings.json"]);
    assert_eq!(made.status, 0, "{made:?}");
    let digest = cluster.install("ops", &flagging("1.0.0", "one"));
    let entry = cluster.activate("ops", &digest);
    all_in(&hosts.each_ref(), entry);
    let nats_client = NatsClient::to(&cluster.nats.url());
    for _ in 0..CALLS {
        assert!(nats_client.ask("adjudicate.v1.slots.release.evaluate", ENVELOPE).is_answer());
    }
    let ids = hosts.each_ref().map(|host| host.reported["cluster"]["host"].as_str().unwrap().to_owned());
    for host in &mut hosts {
        host.signal("TERM");
        let (status, reported) = host.end();
        assert_eq!(status.code(), Some(0), "{reported}");
        assert!(reported.contains(r#""records_forwarded":true"#), "{reported}");
    }
    let url = cluster.nats.url();
    let export = |more: &[&str]| {
        let args = ["records", "export", "--slot", "release", "--nats", url.as_str()];
        let mut command = crate::process::command(&[&args, more].concat());
        command.current_dir(cluster.path(""));
        crate::process::run(command)
    };
    // Of several chains one is meant.
    let (status, out, error) = export(&[]);
    assert_eq!((status, out.as_str()), (64, ""), "{error}");
    assert!(ids.iter().all(|id| error.contains(id.as_str())), "{error}");
    let mut verified = 0;
    for (store, id) in stores.iter().zip(&ids) {
        let (status, exported, error) = export(&["--host-id", id]);
        assert_eq!((status, error.as_str()), (0, ""));
        // They are what the host has.
        let local = cluster.plain(store, &["records", "export", "--slot", "release"]);
        assert_eq!((local.status, &local.stdout), (0, &exported));
        fs::write(cluster.path("records.ndjson"), &exported).unwrap();
        let args = ["records", "verify", "records.ndjson", "--slot", "release"];
        let mut verify = crate::process::command(&args);
        verify.current_dir(cluster.path(""));
        let (status, reported, error) = crate::process::run(verify);
        assert_eq!((status, error.as_str()), (0, ""));
        let reported: Value = serde_json::from_str(&reported).unwrap();
        verified += reported["verified"].as_u64().unwrap();
        let head = cluster.plain(store, &["records", "head", "--slot", "release"]).json();
        assert_eq!(head["hash"], reported["hash"]);
    }
    assert_eq!(verified, CALLS);
    // The environment says as well which cluster is meant, unless a store is.
    let by_environment = |more: &[&str]| {
        let mut command =
            crate::process::command(&[&["records", "export", "--slot", "release"], more].concat());
        command.current_dir(cluster.path("")).env("ADJUDICATE_NATS", &url);
        crate::process::run(command)
    };
    assert_eq!(by_environment(&["--host-id", &ids[0]]), export(&["--host-id", &ids[0]]));
    let local = cluster.plain("b", &["records", "export", "--slot", "release"]);
    assert_eq!(by_environment(&["--store", "b"]), (0, local.stdout, String::new()));
    for (more, code, status) in [
        (&["--host-id", "h-0000000000000000"][..], "unknown_slot", 64),
        (&["--after", "3"], "wrong_usage", 64),
        (&["--since", "1h"], "wrong_usage", 64),
        (&["--store", "a"], "wrong_usage", 64),
    ] {
        let (was, out, error) = export(more);
        assert_eq!((was, out.as_str(), error.contains(code)), (status, "", true), "{error}");
    }
}
