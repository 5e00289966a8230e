//! Decision records: all of them are in the stream, once and in order, even if processes are killed.

use std::time::Duration;

use adjudicate_cluster::Cluster;
use adjudicate_core::{Error, Operation};
use adjudicate_host::{CallObservation, Chain, DecidedBy, RecordSettings, Recorder, Store, codes};
use tempfile::TempDir;

use crate::{
    bed::{Bed, connect, open},
    nats::{LIMIT, Nats, until},
};

/// A host with records.
struct Writer {
    cluster: Cluster,
    store: Store,
    directory: TempDir,
}

impl Writer {
    fn new(nats: &Nats) -> Self {
        let cluster = connect(nats);
        let directory = tempfile::tempdir().unwrap();
        let store = open(&cluster, directory.path()).unwrap().store().clone();
        Self { cluster, store, directory }
    }

    /// Writes this many records into the store.
    fn write(&self, slot: &str, count: usize) {
        self.write_inputs(slot, &vec!["{}".to_owned(); count]);
    }

    fn write_inputs(&self, slot: &str, inputs: &[String]) {
        let recorder = Recorder::new(self.store.clone());
        let settings = RecordSettings::default();
        for input in inputs {
            let call = CallObservation {
                slot,
                settings: &settings,
                at: 1_000,
                operation: Operation::Evaluate,
                input: input.as_bytes(),
                outcome: Ok(r#"{"status":"success"}"#),
                by: DecidedBy::Active,
                entry: 1,
                modules: &[],
                fault: None,
                microseconds: 1,
            };
            recorder.record(&call).unwrap();
        }
        recorder.close().unwrap();
    }

    fn host(&self) -> String {
        self.store.host_id().unwrap().unwrap()
    }

    /// Checks that the stream has the lines of the store, and that they are a chain.
    fn is_all_there(&self, slot: &str) {
        let mut here = Vec::new();
        let range = adjudicate_host::RecordRange::default();
        let all = self.store.export_records(slot, range, |line| {
            here.push(line.to_owned());
            Ok::<_, Error>(())
        });
        all.unwrap();
        let there = export(&self.cluster, slot, Some(&self.host())).unwrap();
        assert_eq!(there.len(), here.len());
        assert_eq!(there, here);
        let mut chain = Chain::for_slot(slot);
        there.iter().for_each(|line| drop(chain.line(line.as_bytes()).unwrap()));
        assert_eq!(chain.finish().unwrap().1, u64::try_from(here.len()).unwrap());
    }
}

fn export(cluster: &Cluster, slot: &str, host: Option<&str>) -> Result<Vec<String>, Error> {
    let mut lines = Vec::new();
    cluster.export_records(slot, host, |line| {
        lines.push(line.to_owned());
        Ok::<_, Error>(())
    })?;
    Ok(lines)
}

#[test]
fn the_stream_has_a_chain_for_each_host() {
    let nats = Nats::start();
    let [one, two] = [Writer::new(&nats), Writer::new(&nats)];
    // Some records are written before the forwarding starts.
    one.write("release", 2_000);
    let forwarding = [&one, &two].map(|writer| writer.cluster.forward_records(&writer.store).unwrap());
    one.write("release", 10);
    one.write("team-a.release", 5);
    two.write("release", 7);
    forwarding.into_iter().for_each(|forwarding| forwarding.finish(LIMIT).unwrap());
    one.is_all_there("release");
    one.is_all_there("team-a.release");
    two.is_all_there("release");
    // With several hosts, the host must be named.
    assert_eq!(export(&one.cluster, "team-a.release", None).unwrap().len(), 5);
    let error = export(&one.cluster, "release", None).unwrap_err();
    assert_eq!(error.code(), codes::WRONG_USAGE);
    assert!([&one, &two].iter().all(|writer| error.message().contains(&writer.host())), "{error}");
    assert_eq!(export(&one.cluster, "release", Some(&two.host())).unwrap().len(), 7);
    let missing = export(&one.cluster, "nothing", None).unwrap_err();
    assert_eq!(missing.code(), codes::UNKNOWN_SLOT);
    for bad in ["*", ">", "h-1", ""] {
        assert_eq!(export(&one.cluster, "release", Some(bad)).unwrap_err().code(), codes::WRONG_USAGE);
    }
}

#[test]
fn no_record_is_lost_or_doubled_when_servers_are_killed_and_hosts_restart() {
    let mut nats = Nats::start();
    let writer = Writer::new(&nats);
    for round in 0..8 {
        let forwarding = writer.cluster.forward_records(&writer.store).unwrap();
        writer.write("release", 300);
        // Before, during and after sending.
        std::thread::sleep(Duration::from_millis(round * 20));
        if round % 2 == 0 {
            nats.kill();
            writer.write("release", 50);
            nats.run();
        }
        if round % 3 == 0 {
            // The thread is also stopped during sending.
            drop(forwarding);
        } else {
            forwarding.finish(LIMIT).unwrap();
            writer.is_all_there("release");
        }
    }
    writer.cluster.forward_records(&writer.store).unwrap().finish(LIMIT).unwrap();
    writer.is_all_there("release");
}

#[test]
fn two_senders_of_the_same_records_do_not_repeat_them() {
    let nats = Nats::start();
    let writer = Writer::new(&nats);
    writer.write("release", 3_000);
    let other = connect(&nats);
    let both = [&writer.cluster, &other].map(|cluster| cluster.forward_records(&writer.store).unwrap());
    // Both check at different times and so send batches of different sizes.
    for _ in 0..100 {
        writer.write("release", 3);
        std::thread::sleep(Duration::from_millis(15));
    }
    both.into_iter().for_each(|forwarding| forwarding.finish(LIMIT).unwrap());
    writer.is_all_there("release");
}

#[test]
fn records_wait_while_the_server_is_away_and_this_is_reported() {
    let mut nats = Nats::start();
    let writer = Writer::new(&nats);
    let forwarding = writer.cluster.forward_records(&writer.store).unwrap();
    writer.write("release", 5);
    until("they are sent", || {
        forwarding.waiting().is_empty() && export(&writer.cluster, "release", None).is_ok()
    });
    nats.kill();
    writer.write("release", 5);
    until("they wait", || forwarding.waiting().get("release") == Some(&5));
    assert!(!forwarding.problems().is_empty());
    let error = forwarding.finish(Duration::from_secs(3)).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    // The time may be too short to count all of them.
    assert!(error.message().starts_with("5 ") && error.message().contains("decision records"), "{error}");
    nats.run();
    until("the connection is back", || writer.cluster.is_connected());
    writer.cluster.forward_records(&writer.store).unwrap().finish(LIMIT).unwrap();
    writer.is_all_there("release");
}

#[test]
fn a_record_that_is_too_long_stops_only_its_slot() {
    let mut nats = Nats::start_with(|_| Some("max_payload: 65536".to_owned()));
    let writer = Writer::new(&nats);
    writer.write("release", 3);
    let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(100_000));
    writer.write_inputs("release", &[long]);
    writer.write("release", 2);
    writer.write("other", 4);
    let forwarding = writer.cluster.forward_records(&writer.store).unwrap();
    let limited = |problems: &std::collections::BTreeMap<String, Error>| {
        problems.get("release").is_some_and(|error| error.code() == codes::LIMIT_EXCEEDED)
    };
    until("it is reported", || limited(&forwarding.problems()));
    until("what is before it is sent", || forwarding.waiting().get("release") == Some(&3));
    let error = forwarding.problems().remove("release").unwrap();
    assert!(error.message().starts_with("record 4 has"), "{error}");
    until("the others are sent", || !forwarding.waiting().contains_key("other"));
    writer.is_all_there("other");
    assert_eq!(
        export(&writer.cluster, "release", None).unwrap().len(),
        3,
        "nothing behind it is sent before it"
    );
    // With a larger limit, sending continues.
    nats.kill();
    nats.configure("max_payload: 1048576");
    nats.run();
    until("all are sent", || forwarding.waiting().is_empty() && forwarding.problems().is_empty());
    writer.is_all_there("release");
}

#[test]
fn long_records_are_read_back() {
    let nats = Nats::start();
    let writer = Writer::new(&nats);
    let inputs: Vec<String> = [400_000, 700_000, 10, 260_000]
        .map(|length| format!(r#"{{"text":"{}"}}"#, "x".repeat(length)))
        .to_vec();
    writer.write_inputs("release", &inputs);
    writer.cluster.forward_records(&writer.store).unwrap().finish(LIMIT).unwrap();
    writer.is_all_there("release");
}

#[test]
fn a_foreign_record_in_the_chain_is_reported() {
    let nats = Nats::start();
    let writer = Writer::new(&nats);
    writer.write("release", 3);
    writer.cluster.forward_records(&writer.store).unwrap().finish(LIMIT).unwrap();
    // A record that the host did not write.
    let subject = format!("adjudicate.records.{}.release", writer.host());
    let publish = |text: String| {
        let (jetstream, subject) = (writer.cluster.jetstream(), subject.clone());
        writer.cluster.handle().block_on(async move {
            jetstream.publish(subject, text.into()).await.unwrap().await.unwrap();
        });
    };
    let last = export(&writer.cluster, "release", None).unwrap().pop().unwrap();
    publish(last);
    assert_eq!(export(&writer.cluster, "release", None).unwrap_err().code(), codes::BROKEN_CHAIN);
    publish("garbage".to_owned());
    assert_eq!(export(&writer.cluster, "release", None).unwrap_err().code(), codes::BROKEN_CHAIN);
    let forwarding = writer.cluster.forward_records(&writer.store).unwrap();
    until("it is reported", || forwarding.problems().contains_key("release"));
}

#[test]
fn a_store_that_was_restored_from_an_earlier_copy_sends_nothing() {
    let nats = Nats::start();
    let writer = Writer::new(&nats);
    writer.write("release", 2);
    let copy = tempfile::tempdir().unwrap();
    let [from, to] = [writer.directory.path().join("store"), copy.path().join("store")];
    std::fs::create_dir_all(&to).unwrap();
    std::fs::set_permissions(&to, std::fs::metadata(&from).unwrap().permissions()).unwrap();
    writer.store.verify_records("release", &[]).unwrap();
    for entry in std::fs::read_dir(&from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    writer.write("release", 3);
    writer.cluster.forward_records(&writer.store).unwrap().finish(LIMIT).unwrap();
    let restored = Store::open(&to).unwrap();
    assert_eq!(restored.record_head("release").unwrap().unwrap().sequence, 2);
    let restored = Writer { cluster: connect(&nats), store: restored, directory: copy };
    let forwarding = restored.cluster.forward_records(&restored.store).unwrap();
    let says =
        |text: &str| forwarding.problems().get("release").is_some_and(|error| error.message().contains(text));
    until("the copy is reported", || says("earlier copy"));
    // The restored store writes another chain.
    restored.write_inputs("release", &vec![r#"{"other":true}"#.to_owned(); 3]);
    until("the other chain is reported", || says("differs between"));
    writer.is_all_there("release");
}

#[test]
fn records_of_a_store_without_a_cluster_are_not_sent() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store")).unwrap();
    assert_eq!(cluster.forward_records(&store).map(drop).unwrap_err().code(), codes::WRONG_USAGE);
    let bed = Bed::join(&nats);
    drop(bed.cluster.forward_records(bed.store()).unwrap());
}
