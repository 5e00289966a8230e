//! `records`: the head of a chain, its verification, and its export.

use adjudicate_core::Operation;
use adjudicate_host::{CallObservation, DecidedBy, RecordSettings, Recorder, Store};
use serde_json::Value;

use crate::command::{ENVELOPE, Run, TestFolder, answer};

impl TestFolder {
    /// Makes the slot `s` and records so many calls in it, the later the higher their number.
    pub(crate) fn records(&self, count: i64) -> &Self {
        assert_eq!(self.run(&["slot", "s", "--create", "--store", "store"]).status, Some(0));
        let store = Store::open(&self.path("store")).unwrap();
        let recorder = Recorder::new(store);
        let answer = answer(ENVELOPE);
        for at in 1..=count {
            let call = CallObservation {
                slot: "s",
                settings: &RecordSettings::default(),
                at: at * 1000,
                operation: Operation::Evaluate,
                input: ENVELOPE.as_bytes(),
                outcome: Ok(&answer),
                by: DecidedBy::Active,
                entry: 1,
                modules: &[],
                fault: None,
                microseconds: 7,
            };
            recorder.record(&call).unwrap();
        }
        self
    }

    pub(crate) fn run_in_store(&self, args: &[&str]) -> Run {
        self.run(&[args, &["--store", "store"]].concat())
    }
}

#[test]
fn a_chain_is_exported_and_verified_in_both_forms() {
    let place = TestFolder::new();
    place.records(5);
    let head = place.run_in_store(&["records", "head", "--slot", "s"]);
    let output: Value = serde_json::from_str(&head.stdout).unwrap();
    assert_eq!((&output["slot"], &output["sequence"]), (&"s".into(), &5.into()));
    let exported = place.run_in_store(&["records", "export", "--slot", "s"]);
    assert_eq!((exported.status, exported.stdout.lines().count()), (Some(0), 5));
    let first: Value = serde_json::from_str(exported.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(first["input"], ENVELOPE);
    let file = place.file("records.ndjson", &exported.stdout);
    let short = format!("5:{}", output["hash"].as_str().unwrap());
    for verified in [
        place.run_in_store(&["records", "verify", "--slot", "s", "--head", &head.stdout]),
        place.run(&["records", "verify", &file, "--head", &short]),
        place.run_with(&["records", "verify", "-", "--slot", "s"], exported.stdout.as_bytes()),
    ] {
        let output: Value = serde_json::from_str(&verified.stdout).unwrap_or_else(|_| panic!("{verified:?}"));
        assert_eq!(
            (verified.status, &output["verified"], &output["sequence"]),
            (Some(0), &5.into(), &5.into())
        );
    }
    let tail = place.run_in_store(&["records", "export", "--slot", "s", "--after", "3"]);
    let third: Value = serde_json::from_str(exported.stdout.lines().nth(2).unwrap()).unwrap();
    let after = format!("3:{}", third["hash"].as_str().unwrap());
    let args = ["records", "verify", "-", "--after", &after, "--head", &short];
    assert_eq!(place.run_with(&args, tail.stdout.as_bytes()).status, Some(0));
    let part = "records export --slot s --since 1970-01-01T00:00:02Z --until 1970-01-01T00:00:04Z";
    let part: Vec<_> = part.split(' ').collect();
    assert_eq!(place.run_in_store(&part).stdout.lines().count(), 2);
}

#[test]
fn an_empty_chain_has_a_head() {
    let place = TestFolder::new();
    place.records(0);
    let head = place.run_in_store(&["records", "head", "--slot", "s"]).stdout;
    assert!(head.contains(r#""sequence":0"#), "{head:?}");
    let verified = place.run_in_store(&["records", "verify", "--slot", "s", "--head", &head]);
    assert_eq!(verified.status, Some(0), "{verified:?}");
}

#[test]
fn a_broken_chain_says_where() {
    let place = TestFolder::new();
    place.records(5);
    let head = place.run_in_store(&["records", "head", "--slot", "s"]).stdout;
    let exported = place.run_in_store(&["records", "export", "--slot", "s"]).stdout;
    let lines: Vec<_> = exported.lines().collect();
    let verify = |lines: &[&str], more: &[&str]| {
        let args = [&["records", "verify", "-"], more].concat();
        place.run_with(&args, lines.join("\n").as_bytes())
    };
    let changed = lines[2].replace("publish", "rollback");
    for (lines, more, message) in [
        (
            &[lines[0], lines[1], &changed][..],
            &[][..],
            "line 3: record 3 was changed: its hash does not match its content",
        ),
        (
            &lines[..4],
            &["--head", &head],
            "record 5 is missing: the chain ends before the record with the noted hash",
        ),
    ] {
        let run = verify(lines, more);
        assert_eq!((run.status, run.code().as_str()), (Some(2), "broken_chain"));
        assert!(run.stderr.contains(message), "{run:?}");
    }
}

/// An address without a server. Commands that use the cluster fail there.
const NOWHERE: &str = "nats://127.0.0.1:1";

#[test]
fn the_environment_names_the_cluster_whose_records_are_exported() {
    let place = TestFolder::new();
    place.records(3);
    let export = |more: &[&str]| {
        let mut command = place.command(&[&["records", "export", "--slot", "s"], more].concat());
        Run::from(command.env("ADJUDICATE_NATS", NOWHERE).env("ADJUDICATE_STORE", "store").output().unwrap())
    };
    for (more, code, status) in [
        (&[][..], "cluster_fault", 3),
        (&["--host-id", "h-0000000000000000"], "cluster_fault", 3),
        (&["--nats-name", "other"], "cluster_fault", 3),
        (&["--after", "1"], "wrong_usage", 64),
        (&["--since", "1h"], "wrong_usage", 64),
        (&["--store", "store", "--nats-name", "other"], "wrong_usage", 64),
        (&["--store", "store", "--host-id", "h-0000000000000000"], "wrong_usage", 64),
    ] {
        let run = export(more);
        assert_eq!((run.code().as_str(), run.status), (code, Some(status)), "{more:?} {run:?}");
    }
    // With `--store`, all or part of the store's records are printed.
    for (more, lines) in [(&[][..], 3), (&["--after", "1"], 2)] {
        let run = export(&[&["--store", "store"], more].concat());
        assert_eq!((run.status, run.stdout.lines().count()), (Some(0), lines), "{run:?}");
    }
}
