//! Decision records: all of them in the stream, once, in their order, whoever is killed when.

use std::time::Duration;

use adjudicate_cluster::Cluster;
use adjudicate_core::{Error, Operation};
use adjudicate_host::{By, Chain, Observation, RecordSettings, Recorder, Store, codes};
use tempfile::TempDir;

use crate::{
    bed::{Bed, connect, open},
    nats::{LIMIT, Nats, until},
};

/// A host that writes records.
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

    /// Writes this many records, which are in the store then.
    fn write(&self, slot: &str, count: usize) {
        self.write_inputs(slot, &vec!["{}".to_owned(); count]);
    }

    fn write_inputs(&self, slot: &str, inputs: &[String]) {
        let recorder = Recorder::new(self.store.clone());
        let settings = RecordSettings::default();
        for input in inputs {
            let call = Observation {
                slot,
                settings: &settings,
                at: 1_000,
                operation: Operation::Evaluate,
                input: input.as_bytes(),
                outcome: Ok(r#"{"status":"success"}"#),
                by: By::Active,
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

    /// The lines in the stream are those in the store, and a chain.
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
        let mut chain = Chain::of(slot);
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
fn what_several_hosts_write_is_in_the_stream_as_a_chain_each() {
    let nats = Nats::start();
    let [one, two] = [Writer::new(&nats), Writer::new(&nats)];
    // Some were written before anybody sends them.
    one.write("release", 2_000);
    let forwarding = [&one, &two].map(|writer| writer.cluster.forward_records(&writer.store).unwrap());
    one.write("release", 10);
    one.write("team-a.release", 5);
    two.write("release", 7);
    forwarding.into_iter().for_each(|forwarding| forwarding.finish(LIMIT).unwrap());
    one.is_all_there("release");
    one.is_all_there("team-a.release");
    two.is_all_there("release");
    // Whose are meant has to be said, where there are several.
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
fn nothing_is_lost_or_doubled_when_servers_are_killed_and_hosts_start_again() {
    let mut nats = Nats::start();
    let writer = Writer::new(&nats);
    for round in 0..8 {
        let forwarding = writer.cluster.forward_records(&writer.store).unwrap();
        writer.write("release", 300);
        // In the middle of it, or before, or after.
        std::thread::sleep(Duration::from_millis(round * 20));
        if round % 2 == 0 {
            nats.kill();
            writer.write("release", 50);
            nats.run();
        }
        if round % 3 == 0 {
            // The thread is told to end in the middle of it, too.
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
fn two_who_send_the_same_do_not_double_it() {
    let nats = Nats::start();
    let writer = Writer::new(&nats);
    writer.write("release", 3_000);
    let other = connect(&nats);
    let both = [&writer.cluster, &other].map(|cluster| cluster.forward_records(&writer.store).unwrap());
    // Each looks at another moment, and finds another number of records to send together.
    for _ in 0..100 {
        writer.write("release", 3);
        std::thread::sleep(Duration::from_millis(15));
    }
    both.into_iter().for_each(|forwarding| forwarding.finish(LIMIT).unwrap());
    writer.is_all_there("release");
}

#[test]
fn while_the_server_is_away_records_wait_and_it_is_told() {
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
    assert!(!forwarding.troubles().is_empty());
    let error = forwarding.finish(Duration::from_secs(3)).unwrap_err();
    assert_eq!(error.code(), codes::CLUSTER_FAULT);
    // Whether those are all is not always known in that time.
    assert!(error.message().starts_with("5 ") && error.message().contains("decision records"), "{error}");
    nats.run();
    until("the connection is back", || writer.cluster.is_connected());
    writer.cluster.forward_records(&writer.store).unwrap().finish(LIMIT).unwrap();
    writer.is_all_there("release");
}

#[test]
fn a_record_that_is_too_long_stops_its_slot_and_no_other() {
    let mut nats = Nats::start_with(|_| Some("max_payload: 65536".to_owned()));
    let writer = Writer::new(&nats);
    writer.write("release", 3);
    let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(100_000));
    writer.write_inputs("release", &[long]);
    writer.write("release", 2);
    writer.write("other", 4);
    let forwarding = writer.cluster.forward_records(&writer.store).unwrap();
    let limited = |troubles: &std::collections::BTreeMap<String, Error>| {
        troubles.get("release").is_some_and(|error| error.code() == codes::LIMIT_EXCEEDED)
    };
    until("it is told", || limited(&forwarding.troubles()));
    until("what is before it is sent", || forwarding.waiting().get("release") == Some(&3));
    let error = forwarding.troubles().remove("release").unwrap();
    assert!(error.message().starts_with("record 4 has"), "{error}");
    until("the others are sent", || !forwarding.waiting().contains_key("other"));
    writer.is_all_there("other");
    assert_eq!(
        export(&writer.cluster, "release", None).unwrap().len(),
        3,
        "nothing behind it is sent before it"
    );
    // With longer messages it goes on.
    nats.kill();
    nats.configure("max_payload: 1048576");
    nats.run();
    until("all are sent", || forwarding.waiting().is_empty() && forwarding.troubles().is_empty());
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
fn what_is_not_this_hosts_chain_is_told() {
    let nats = Nats::start();
    let writer = Writer::new(&nats);
    writer.write("release", 3);
    writer.cluster.forward_records(&writer.store).unwrap().finish(LIMIT).unwrap();
    // Somebody writes behind what the host wrote.
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
    until("it is told", || forwarding.troubles().contains_key("release"));
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
        |text: &str| forwarding.troubles().get("release").is_some_and(|error| error.message().contains(text));
    until("the copy is told", || says("earlier copy"));
    // It goes on writing, and what it writes is another chain.
    restored.write_inputs("release", &vec![r#"{"other":true}"#.to_owned(); 3]);
    until("the other chain is told", || says("another one"));
    writer.is_all_there("release");
}

#[test]
fn records_of_a_store_that_is_no_hosts_are_not_sent() {
    let nats = Nats::start();
    let cluster = connect(&nats);
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(&directory.path().join("store")).unwrap();
    assert_eq!(cluster.forward_records(&store).map(drop).unwrap_err().code(), codes::WRONG_USAGE);
    let bed = Bed::join(&nats);
    drop(bed.cluster.forward_records(bed.store()).unwrap());
}
