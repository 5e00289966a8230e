//! Reports of a cluster are those of one host, byte for byte.

use adjudicate_core::{Error, Operation};
use adjudicate_host::{
    ChangeReason, Composition, DecidedBy, InstallOptions, Observation, RecordRange, RecordSettings, Recorder,
    SlotSettings, Slots, Store,
    reevaluation::{Case, Reevaluation, Step, Version},
};
use adjudicate_sandbox::Limits;
use tempfile::TempDir;

use super::{
    hosts::{
        Kept, PATIENCE, again, connect, deciding, envelope, host, lines, queued, replay, steps, strict, told,
    },
    modules::module,
};
use crate::nats::{Nats, until};

fn three(nats: &Nats) -> Vec<super::hosts::Deciding> {
    ["h-1", "h-2", "h-3"].map(|name| deciding(nats, name, true)).into()
}

#[test]
fn lines_are_decided_by_three_hosts_as_by_one() {
    let nats = Nats::start();
    let (hosts, cluster) = (three(&nats), connect(&nats));
    let bytes = module("same", 1);
    let loaded = host().load(&bytes).unwrap();
    // More than one batch, in many jobs.
    let lines = lines(4500);
    for (name, again) in [
        ("engine", again(None, Version::Engine)),
        ("policy", again(None, strict())),
        ("policy against engine", again(Some(strict()), Version::Engine)),
        ("module", again(None, Version::Module(loaded.clone()))),
        ("module against policy", again(Some(Version::Module(loaded)), strict())),
    ] {
        let here = again.run(steps(&lines), |_| {}).unwrap();
        let (report, replayed) = replay(&cluster, &again, Kept::new(&[&bytes]), &lines).unwrap();
        assert_eq!(told(&report), told(&here), "{name}");
        // Both sides of each line that is JSON.
        assert_eq!((replayed.elsewhere, replayed.here), (2 * 4425, 0), "{name} {replayed:?}");
        assert_eq!(replayed.hosts.values().sum::<u64>(), replayed.elsewhere, "{name}");
        until("the queue is empty", || queued(&cluster) == 0);
    }
    let worked: Vec<_> = hosts.iter().map(|host| host.replays.worked()).collect();
    assert!(worked.iter().all(|worked| worked.jobs > 0), "{worked:?}");
    assert!(hosts.iter().all(|host| host.replays.problem().is_none()));
}

/// A store with a slot whose history has two modules, and records of calls of both.
struct Recorded {
    directory: TempDir,
    store: Store,
    entries: [i64; 2],
    modules: [Vec<u8>; 2],
}

impl Recorded {
    fn new(count: usize) -> Self {
        let directory = TempDir::new().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let slots = Slots::open(store.clone(), host()).unwrap();
        let modules = [module("one", 1), module("two", 2)];
        let settings = SlotSettings::parse(br#"{"limits":{"fuel":5000000}}"#).unwrap();
        let slot = slots.create("s", settings, &ChangeReason::default()).unwrap();
        let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
        let entries = modules.each_ref().map(|bytes| {
            let digest = slots.install(bytes, &terms).unwrap().module.digest;
            slot.activate(Composition::new(digest).unsigned(), &ChangeReason::default()).unwrap().id
        });
        let recorder = Recorder::new(store.clone());
        let records = RecordSettings::default();
        for number in 0..count {
            let place = number % 2;
            let digests = [adjudicate_sandbox::Digest::sha256(&modules[place])];
            let input = envelope(&format!("run-{number}"), "src/lib.rs");
            let loaded = slot.call(Operation::Evaluate, input.as_bytes()).unwrap().text;
            let by = if number % 50 == 49 { DecidedBy::LastGood } else { DecidedBy::Active };
            let observation = Observation {
                slot: "s",
                settings: &records,
                at: number as i64,
                operation: Operation::Evaluate,
                input: input.as_bytes(),
                outcome: Ok(&loaded),
                by,
                // One entry does not exist in the history.
                entry: if number % 70 == 69 { 999 } else { entries[place] },
                modules: &digests,
                fault: None,
                microseconds: 1,
            };
            recorder.record(&observation).unwrap();
        }
        recorder.close().unwrap();
        Self { directory, store, entries, modules }
    }

    fn steps(&self) -> Vec<Result<Step, Error>> {
        let mut steps = Vec::new();
        let read = self.store.read_records("s", RecordRange::default(), |record| {
            steps.push(Ok(Step::Line(Case::of_record(record)?)));
            Ok::<_, Error>(())
        });
        read.unwrap();
        steps
    }
}

#[test]
fn records_are_decided_by_entries_and_by_their_versions() {
    let nats = Nats::start();
    let (_hosts, cluster) = (three(&nats), connect(&nats));
    let recorded = Recorded::new(600);
    let [one, two] = &recorded.modules;
    let kept = Kept::new(&[one, two]);
    let entry = |at: usize| {
        let entry = recorded.store.entry("s", recorded.entries[at]).unwrap();
        Version::of_entry(&recorded.store, &host(), &entry).unwrap()
    };
    let by_whoever = || Version::recorded(recorded.store.clone(), host(), "s");
    for (name, again) in [
        ("entry", again(None, entry(0))),
        ("entry against policy", again(Some(strict()), entry(1))),
        ("recorded", again(None, by_whoever())),
        ("engine", again(None, Version::Engine)),
    ] {
        let here = again.run(recorded.steps().into_iter(), |_| {}).unwrap();
        let run = cluster.replay(kept.clone(), PATIENCE).unwrap();
        let report = again.run_remotely(recorded.steps().into_iter(), &run, |_| {}).unwrap();
        let replayed = run.finish();
        assert_eq!(told(&report), told(&here), "{name}");
        assert!(replayed.here == 0 && replayed.elsewhere >= report.compared(), "{name} {replayed:?}");
    }
    assert!(recorded.directory.path().is_dir());
}

/// Compositions, limits and faults give the same results on a host as here.
#[test]
fn compositions_and_limits_are_those_of_the_slot() {
    let nats = Nats::start();
    let (_hosts, cluster) = (three(&nats), connect(&nats));
    let directory = TempDir::new().unwrap();
    let slots = Slots::open(Store::open(&directory.path().join("store")).unwrap(), host()).unwrap();
    // Needs more fuel than the slot's limit.
    let [base, hungry] = [module("base", 1), module("hungry", 100_000)];
    let terms = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let [base_digest, hungry_digest] =
        [&base, &hungry].map(|bytes| slots.install(bytes, &terms).unwrap().module.digest);
    let settings = SlotSettings::parse(br#"{"limits":{"fuel":50000}}"#).unwrap();
    let slot = slots.create("s", settings, &ChangeReason::default()).unwrap();
    let composition = Composition::new(base_digest).restricted_by(hungry_digest).unsigned();
    let entry = slot.activate(composition, &ChangeReason::default()).unwrap();
    let version = Version::of_entry(slots.store(), &host(), &entry).unwrap();
    let again: Reevaluation = again(None, version);
    let lines = lines(150);
    let here = again.run(steps(&lines), |_| {}).unwrap();
    assert!(here.transitions().any(|(_, to, _)| to.as_str() == "error"), "the module runs out of fuel");
    let (report, replayed) = replay(&cluster, &again, Kept::new(&[&base, &hungry]), &lines).unwrap();
    assert_eq!(told(&report), told(&here));
    assert_eq!(replayed.here, 0);
    assert!(Limits::default().fuel > 50_000);
}

#[test]
fn cases_too_large_for_a_message_are_decided_by_the_command() {
    let small = 16 << 10;
    let nats = Nats::start_with(|_| Some(format!("max_payload: {small}\n")));
    let (_hosts, cluster) = (three(&nats), connect(&nats));
    assert_eq!(cluster.max_payload(), small);
    let mut lines = lines(300);
    // Cases that are too large, and cases with outcomes that are too large because the findings name every file.
    for number in (0..300).step_by(40) {
        lines[number] = envelope("large", "secret/key").replace(
            "\"transcript_summary\":\"\"",
            &format!("\"transcript_summary\":\"{}\"", "x".repeat(small)),
        );
        let files: String = (0..250).map(|file| format!(" M secret/{file}\\n")).collect();
        lines[number + 1] = envelope("many", "secret/key").replace(" M secret/key\\n", &files);
        assert!(lines[number + 1].len() < small - 2000);
    }
    let again = again(None, strict());
    let here = again.run(steps(&lines), |_| {}).unwrap();
    let (report, replayed) = replay(&cluster, &again, Kept::default(), &lines).unwrap();
    assert_eq!(told(&report), told(&here));
    // Both sides of eight cases, and the side after of eight others.
    assert!(replayed.here >= 24 && replayed.elsewhere > 500, "{replayed:?}");
}

#[test]
fn two_replays_at_once_have_reports_of_their_own() {
    let nats = Nats::start();
    let _hosts = three(&nats);
    let lines = lines(1500);
    let versions = [again(None, strict()), again(Some(strict()), Version::Engine)];
    std::thread::scope(|scope| {
        let runs = versions.each_ref().map(|again| {
            let (nats, lines) = (&nats, &lines);
            scope.spawn(move || replay(&connect(nats), again, Kept::default(), lines).unwrap().0)
        });
        for (run, again) in runs.into_iter().zip(&versions) {
            let here = again.run(steps(&lines), |_| {}).unwrap();
            assert_eq!(told(&run.join().unwrap()), told(&here));
        }
    });
}
