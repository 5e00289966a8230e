//! Each host has its own trust policy: a module that one host runs, another may reject.

use std::fs;

use serde_json::{Value, json};

use super::{
    hosts::{Cluster, Run, all_in, metric, ready},
    nats::until,
};
use crate::{
    client::{ENVELOPE, post},
    modules::{answer_with, flagging},
    process::{Process, command, run},
};

impl Cluster {
    /// A command that needs no store.
    fn file_verb(&self, args: &[&str]) -> Run {
        let mut command = command(args);
        command.current_dir(self.path(""));
        let (status, stdout, stderr) = run(command);
        Run { status, stdout, stderr }
    }

    /// Lets a store trust these keys.
    fn trust(&self, store: &str, keys: &[&Value]) {
        fs::write(self.path("trust.json"), json!({ "keys": keys }).to_string()).unwrap();
        let run = self.plain(store, &["trust", "--set", "trust.json"]);
        assert_eq!(run.status, 0, "{run:?}");
    }

    /// Signs a module with a key, installs it; its digest.
    fn install_signed(&self, flag: &str, version: &str, key: &str) -> String {
        fs::write(self.path("module.wasm"), flagging(version, flag)).unwrap();
        let key = format!("{key}.key");
        self.file_verb(&["sign", "module.wasm", "--key", &key, "-o", "signed.wasm"]).json();
        let url = self.nats.url();
        let run = self.plain("ops", &["install", "signed.wasm", "--nats", url.as_str()]);
        run.json()["module"]["digest"].as_str().unwrap().to_owned()
    }

    fn activate_signed(&self, digest: &str) -> i64 {
        let url = self.nats.url();
        let args = ["activate", "release", digest, "--create", "--nats", url.as_str()];
        self.plain("ops", &args).json()["id"].as_i64().unwrap()
    }
}

#[test]
fn a_host_does_not_run_what_it_does_not_trust_and_says_so() {
    let cluster = Cluster::new();
    let [first, second] =
        ["first", "second"].map(|name| cluster.file_verb(&["keygen", "--out", name]).json()["key"].clone());
    for (store, keys) in [("ops", &[&first, &second][..]), ("a", &[&first, &second]), ("b", &[&first])] {
        cluster.trust(store, keys);
    }
    let mut hosts = ["a", "b"].map(|name| cluster.host_with(name, &[]));
    let addresses = hosts.each_ref().map(|host| host.address);
    let asks = |host: usize| post(addresses[host], "/v1/slots/release/evaluate", ENVELOPE);
    let one = cluster.install_signed("one", "1.0.0", "first");
    let entry = cluster.activate_signed(&one);
    all_in(&hosts.each_ref(), entry);
    let two = cluster.install_signed("two", "2.0.0", "second");
    let entry = cluster.activate_signed(&two);
    all_in(&[&hosts[0]], entry);
    assert_eq!(asks(0).body.trim_end(), answer_with("two"));
    until("the other says that it is behind", || ready(&hosts[1]).status == 503);
    until("it counts it", || ready(&hosts[1]).json()["cluster"]["troubles"] == 1);
    assert_eq!(metric(&hosts[1], r#"slot_troubled{slot="release"}"#), Some(1.0));
    assert_eq!(metric(&hosts[1], "cluster_troubles"), Some(1.0));
    assert_eq!(ready(&hosts[0]).status, 200);
    // It goes on with what it trusts.
    assert_eq!(asks(1).body.trim_end(), answer_with("one"));
    // Unauthenticated clients can read `/readyz`, so it names no slot. The line on standard error is for the operator
    // of the host.
    assert!(!ready(&hosts[1]).body.contains("release"));
    let line: Value = serde_json::from_str(&hosts[1].line()).unwrap();
    let observed = line["cluster"]["slots"]["release"].as_str().unwrap_or_else(|| panic!("{line}"));
    assert!(
        observed.contains("untrusted_key") || observed.contains("threshold") || observed.contains("trust"),
        "{observed}"
    );
    // A command in a store that is behind reports that, too.
    cluster.trust("other", &[&first]);
    let url = cluster.nats.url();
    let history = cluster.plain("other", &["history", "release", "--nats", url.as_str()]);
    assert_eq!(history.status, 3, "{history:?}");
    assert!(history.stderr.contains("is not as the cluster has it"), "{history:?}");
    // Trusted, it is run.
    cluster.trust("b", &[&first, &second]);
    all_in(&[&hosts[1]], entry);
    until("the host is as the cluster has it", || ready(&hosts[1]).status == 200);
    assert_eq!(asks(1).body.trim_end(), answer_with("two"));
}

#[test]
fn a_module_unsigned_on_another_host_needs_a_signature_here() {
    let cluster = Cluster::new();
    let hosts = [cluster.host("a"), cluster.host_with("b", &[])];
    let digest = cluster.install("ops", &flagging("1.0.0", "one"));
    let entry = cluster.activate("ops", &digest);
    all_in(&[&hosts[0]], entry);
    until("the other refuses it", || ready(&hosts[1]).status == 503);
    let asked = post(hosts[1].address, "/v1/slots/release/evaluate", ENVELOPE);
    assert!([404, 503].contains(&asked.status), "{asked:?}");
}

/// A NATS server does not answer a subscription without permission, so a host without calls would not notice.
#[test]
fn a_host_that_may_not_hear_calls_says_so() {
    let users = r#"authorization { users = [
        { user: "deaf", password: "s3cret", permissions: { publish: ">", subscribe: ["_INBOX.>", "$SRV.>"] } } ] }"#;
    let cluster = Cluster::over(super::nats::Nats::start_with(|_| Some(users.to_owned())));
    let url = format!("nats://deaf:s3cret@127.0.0.1:{}", cluster.nats.port());
    let mut host = Process::with_store(&cluster.path("a"), &["--nats", &url]);
    until("it says that something is wrong", || ready(&host).json()["cluster"]["troubles"] == 1);
    let line = host.line();
    let observed: Value = serde_json::from_str(&line).unwrap();
    assert!(observed["cluster"]["calls"].as_str().unwrap().contains("Permissions Violation"), "{line}");
    assert!(!line.contains("s3cret"));
    assert_eq!(post(host.address, "/v1/evaluate", ENVELOPE).status, 200);
}
