//! Decision records: chains, tampering, full queues, failing stores, killed processes.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{
    Acknowledge, CallObservation, Chain, DecidedBy, Link, RecordRange, RecordSettings, Recorder,
    SlotSettings, Store, codes,
};
use adjudicate_sandbox::Digest;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::slots::until;

pub(crate) struct Place {
    directory: TempDir,
    pub(crate) store: Store,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        Self { directory, store }
    }

    /// Changes the database directly.
    pub(crate) fn tamper(&self, sql: &str) {
        let connection = Connection::open(self.directory.path().join("store/adjudicate.db")).unwrap();
        connection.busy_timeout(Duration::from_secs(10)).unwrap();
        connection.execute_batch(sql).unwrap();
    }

    pub(crate) fn lines(&self, slot: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let all = self.store.export_records(slot, RecordRange::default(), |line| {
            lines.push(line.to_owned());
            Ok::<_, Error>(())
        });
        all.unwrap();
        lines
    }
}

pub(crate) fn settings(text: &str) -> RecordSettings {
    SlotSettings::parse(format!(r#"{{"records":{text}}}"#).as_bytes()).unwrap().records.unwrap()
}

pub(crate) fn observation<'a>(
    slot: &'a str,
    settings: &'a RecordSettings,
    input: &'a str,
) -> CallObservation<'a> {
    CallObservation {
        slot,
        settings,
        at: 1_000,
        operation: Operation::Evaluate,
        input: input.as_bytes(),
        outcome: Ok(r#"{"decision":{"status":"success"}}"#),
        by: DecidedBy::Active,
        entry: 3,
        modules: &[],
        fault: None,
        microseconds: 12,
    }
}

fn keep(recorder: &Recorder, slot: &str, settings: &RecordSettings, count: usize) {
    for number in 0..count {
        let input = format!(r#"{{"run_id":"run-{number}"}}"#);
        recorder
            .record(&CallObservation { at: 1_000 + number as i64, ..observation(slot, settings, &input) })
            .unwrap();
    }
}

#[test]
fn each_slot_has_a_chain_of_its_own() {
    let place = Place::new();
    let recorder = Recorder::new(place.store.clone());
    let settings = RecordSettings::default();
    for sequence in 1..=3 {
        for slot in ["a", "b"] {
            assert_eq!(recorder.record(&observation(slot, &settings, "{}")), Ok(Some(sequence)));
        }
    }
    let head = place.store.record_head("a").unwrap().unwrap();
    assert_eq!(place.store.verify_records("a", &[head]), Ok((head, 3)));
    assert_eq!(place.store.record_head("c"), Ok(None));
    let mut chain = Chain::for_any_slot().holding(head);
    for line in place.lines("a") {
        chain.line(line.as_bytes()).unwrap();
    }
    assert_eq!(chain.finish(), Ok((head, 3)));
    let range = RecordRange { since: 1_000, until: 1_001, ..RecordRange::default() };
    assert_eq!(place.store.count_records("a", range), Ok(3));
    assert_eq!(place.store.count_records("a", RecordRange { after: 2, ..range }), Ok(1));
    assert_eq!(place.store.count_records("a", RecordRange { until: 1_000, ..range }), Ok(0));
}

/// The number in the message of a broken chain.
pub(crate) fn broken_at<T: std::fmt::Debug>(result: Result<T, Error>) -> i64 {
    let error = result.unwrap_err();
    assert_eq!(error.code(), codes::BROKEN_CHAIN, "{error}");
    let number = error.message().split_whitespace().find_map(|word| word.parse().ok());
    number.unwrap_or_else(|| panic!("{error}"))
}

fn verify_lines(lines: &[String], held: Link) -> Result<(Link, u64), Error> {
    let mut chain = Chain::for_slot("s").holding(held);
    for line in lines {
        chain.line(line.as_bytes())?;
    }
    chain.finish()
}

#[test]
fn every_change_of_exported_records_is_found() {
    let place = Place::new();
    keep(&Recorder::new(place.store.clone()), "s", &RecordSettings::default(), 8);
    let lines = place.lines("s");
    let head = place.store.record_head("s").unwrap().unwrap();
    assert_eq!(verify_lines(&lines, head), Ok((head, 8)));
    for at in 0..8 {
        let number = at as i64 + 1;
        let after = |change: &dyn Fn(&mut Vec<String>)| {
            let mut lines = lines.clone();
            change(&mut lines);
            broken_at(verify_lines(&lines, head))
        };
        // A change of any byte.
        for byte in 0..lines[at].len() {
            let changed = |lines: &mut Vec<String>| {
                let mut bytes = std::mem::take(&mut lines[at]).into_bytes();
                bytes[byte] = if bytes[byte] == b'7' { b'8' } else { b'7' };
                lines[at] = String::from_utf8(bytes).unwrap();
            };
            let found = after(&changed);
            // A changed number shows as a gap.
            assert!(
                found == number || lines[at][..byte].ends_with(r#""sequence":"#),
                "{number}, byte {byte}: {found}"
            );
        }
        assert_eq!(after(&|lines| drop(lines.remove(at))), number, "removed");
        assert_eq!(after(&|lines| lines.insert(at, lines[at].clone())), number, "twice");
        if at > 0 {
            assert_eq!(after(&|lines| lines.swap(at - 1, at)), number - 1, "reordered");
        }
        // A forged record with a valid hash. The next record reveals it.
        let forged = |lines: &mut Vec<String>| lines[at] = rewritten(&lines[at], "success", "unsafe");
        assert_eq!(
            after(&forged),
            if number < 8 { number + 1 } else { 8 },
            "rewritten with a hash that is right"
        );
    }
    assert_eq!(broken_at(verify_lines(&lines[..7], head)), 8);
    assert_eq!(broken_at(verify_lines(&[], head)), 1);
    let other: Vec<_> = lines.iter().map(|line| line.replace(r#""slot":"s""#, r#""slot":"t""#)).collect();
    assert_eq!(broken_at(verify_lines(&other, head)), 1);
    // A noted head proves nothing about records after it.
    let mut tail = Chain::for_slot("s").after(head).holding(Link { sequence: 3, ..head });
    assert_eq!(broken_at(tail.clone().finish()), 3);
    assert_eq!(broken_at(tail.line(lines[0].as_bytes())), 1);
}

/// A changed record with a matching hash.
fn rewritten(line: &str, from: &str, to: &str) -> String {
    let mut record = adjudicate_host::Record::parse(line.replace(from, to).as_bytes()).unwrap();
    let text = record.canonical();
    record.hash = Some(Digest::sha256(text.as_bytes()));
    format!(r#"{{"hash":"{}",{}"#, Digest::sha256(text.as_bytes()), &text[1..])
}

#[test]
fn every_change_of_stored_records_is_found() {
    for (sql, expected) in [
        ("UPDATE records SET document = replace(document, 'success', 'partial') WHERE sequence = 3", 3),
        ("UPDATE records SET document = replace(document, '\"at\"', ' \"at\"') WHERE sequence = 3", 3),
        ("UPDATE records SET hash = zeroblob(32) WHERE sequence = 3", 3),
        ("UPDATE records SET at = at + 1 WHERE sequence = 3", 3),
        ("UPDATE records SET document = '{}' WHERE sequence = 3", 3),
        ("DELETE FROM records WHERE sequence = 3", 3),
        ("DELETE FROM records WHERE sequence = 1", 1),
        ("DELETE FROM records WHERE sequence > 2", 3),
        ("DELETE FROM records", 1),
        ("UPDATE records SET sequence = sequence + 1000; UPDATE records SET sequence = sequence - 999", 2),
        (
            "UPDATE records SET sequence = -3 WHERE sequence = 3; UPDATE records SET sequence = 3 WHERE sequence = 4;
             UPDATE records SET sequence = 4 WHERE sequence = -3",
            3,
        ),
        ("UPDATE records SET slot = 't' WHERE sequence = 3", 3),
        (
            "INSERT INTO records SELECT slot, sequence + 5, at, hash, document FROM records WHERE sequence = 1",
            6,
        ),
    ] {
        let place = Place::new();
        keep(&Recorder::new(place.store.clone()), "s", &RecordSettings::default(), 5);
        let head = place.store.record_head("s").unwrap().unwrap();
        place.tamper(sql);
        assert_eq!(broken_at(place.store.verify_records("s", &[head])), expected, "{sql}");
    }
}

#[test]
fn redacted_values_never_reach_the_disk() {
    let place = Place::new();
    let records = settings(r#"{"redact": ["/evidence/transcript_summary", "/**/email"]}"#);
    let input = r#"{"run_id":"r","email":["hidden-1@x"],"evidence":{"transcript_summary":{"hidden-2":"hidden-3"},"keep":"kept"}}"#;
    let fault = Error::new(codes::MODULE_TRAP, "trapped on `hidden-1@x`").at("/hidden-2");
    let outcome = r#"{"decision":{"status":"blocked","blockers":[{"summary":"saw hidden-3, kept"}]},"email":"hidden-4"}"#;
    let recorder = Recorder::new(place.store.clone());
    let call =
        CallObservation { outcome: Ok(outcome), fault: Some(&fault), ..observation("s", &records, input) };
    recorder.record(&call).unwrap();
    let refused = adjudicate_sandbox::CallError::Fault(fault.clone());
    recorder.record(&CallObservation { outcome: Err(&refused), ..call }).unwrap();
    recorder.record(&CallObservation { input: b"{hidden-5", ..call }).unwrap();
    let lines = place.lines("s");
    assert!(lines.iter().all(|line| !line.contains("hidden")), "{lines:#?}");
    assert!(lines[0].contains(r#""input_redacted":2"#) && lines[0].contains("kept"), "{}", lines[0]);
    assert!(lines[0].contains(r#""answer_redacted":2"#) && lines[0].contains("hmac-sha256:"), "{}", lines[0]);
    assert!(lines[1].contains("module_trap") && !lines[2].contains(r#""input":"#));
    // The secret is in no file of the store.
    drop(recorder);
    for entry in std::fs::read_dir(place.store.directory()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(6).any(|window| window == b"hidden"), "{}", path.display());
        }
    }
    // The same input has the same hash in one store. Hashes of another store cannot be compared.
    let other = Place::new();
    Recorder::new(other.store.clone()).record(&call).unwrap();
    let hash = |line: &str| adjudicate_host::Record::parse(line.as_bytes()).unwrap().input_hash;
    assert_eq!(hash(&lines[0]), hash(&lines[1]));
    assert_ne!(hash(&lines[0]), hash(&other.lines("s")[0]));
    let plain = settings(r#"{"redact": ["/**/email"], "hash": "plain", "inputs": false}"#);
    Recorder::new(other.store.clone()).record(&observation("p", &plain, r#"{ "b": 1, "a": 2 }"#)).unwrap();
    assert_eq!(hash(&other.lines("p")[0]), Digest::sha256(br#"{"a":2,"b":1}"#).to_string());
    assert!(!other.lines("p")[0].contains(r#""input":"#));
}

#[test]
fn several_recorders_append_to_one_chain() {
    let place = Place::new();
    let path = place.store.directory().to_owned();
    thread::scope(|scope| {
        for number in 0..4 {
            let path = &path;
            scope.spawn(move || {
                // Like another process, with connections of its own.
                let recorder = Recorder::new(Store::open(path).unwrap());
                let acknowledge = if number % 2 == 0 { Acknowledge::Durable } else { Acknowledge::Queued };
                keep(
                    &recorder,
                    "s",
                    &RecordSettings { acknowledge, queue: 2, ..RecordSettings::default() },
                    25,
                );
            });
        }
    });
    assert_eq!(
        place.store.verify_records("s", &[]).map(|(head, count)| (head.sequence, count)),
        Ok((100, 100))
    );
}

/// A trigger that rejects records, like a full disk.
const FULL: &str =
    "CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk is full'); END";
const ROOM: &str = "DROP TRIGGER full";

#[test]
fn a_failing_store_gives_no_answers_and_loses_no_acknowledged_record() {
    let place = Place::new();
    let recorder = Recorder::new(place.store.clone());
    let durable = RecordSettings::default();
    let queued = settings(r#"{"acknowledge": "queued", "queue": 4}"#);
    let code = |result: Result<Option<i64>, Error>| result.map_err(|error| error.code());
    assert_eq!(recorder.record(&observation("d", &durable, "{}")), Ok(Some(1)));
    place.tamper(FULL);
    assert_eq!(code(recorder.record(&observation("d", &durable, "{}"))), Err(codes::STORE_FAULT));
    // The first record is acknowledged before the failure is known. Later ones are not.
    let mut promised = 0;
    while code(recorder.record(&observation("q", &queued, "{}"))) == Ok(None) {
        promised += 1;
        assert!(promised <= 4, "more than there is room for");
    }
    assert!(promised >= 1);
    assert_eq!(code(recorder.record(&observation("d", &durable, "{}"))), Err(codes::STORE_FAULT));
    place.tamper(ROOM);
    // Both work again without a restart.
    assert_eq!(recorder.record(&observation("d", &durable, "{}")), Ok(Some(2)));
    until("what was promised is written", || recorder.waiting() == 0);
    assert_eq!(code(recorder.record(&observation("q", &queued, "{}"))), Ok(None));
    assert_eq!(recorder.close(), Ok(()));
    assert_eq!(code(recorder.record(&observation("d", &durable, "{}"))), Err(codes::STORE_FAULT));
    assert_eq!(place.store.verify_records("d", &[]).map(|(_, count)| count), Ok(2));
    assert_eq!(place.store.verify_records("q", &[]).map(|(_, count)| count), Ok(promised + 1));
}

#[test]
fn a_broken_chain_does_not_block_others() {
    let place = Place::new();
    let recorder = Recorder::new(place.store.clone());
    let settings = RecordSettings::default();
    place.tamper("CREATE TRIGGER full BEFORE INSERT ON records WHEN new.slot = 'a' BEGIN SELECT RAISE(ABORT, 'no'); END");
    thread::scope(|scope| {
        for slot in ["a", "b"] {
            let (recorder, settings) = (&recorder, &settings);
            scope.spawn(move || {
                for _ in 0..50 {
                    let recorded = recorder.record(&observation(slot, settings, "{}"));
                    assert_eq!(recorded.is_ok(), slot == "b");
                }
            });
        }
    });
    assert_eq!(place.store.verify_records("b", &[]).map(|(_, count)| count), Ok(50));
}

#[test]
fn slots_with_unwritable_records_are_reported_until_they_recover_even_without_calls() {
    let place = Place::new();
    let recorder = Recorder::new(place.store.clone());
    let durable = RecordSettings::default();
    let queued = settings(r#"{"acknowledge": "queued"}"#);
    let record = |slot, settings| recorder.record(&observation(slot, settings, "{}"));
    let known = || recorder.unwritten().into_keys().collect::<Vec<_>>().join(" ");
    let refuse = |which: &str| {
        place.tamper(&format!(
            "DROP TRIGGER IF EXISTS full;
             CREATE TRIGGER full BEFORE INSERT ON records WHEN new.slot IN ({which})
             BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
        ));
    };
    assert_eq!((record("d", &durable), known().as_str()), (Ok(Some(1)), ""));
    refuse("'d', 'e', 'q'");
    assert!(record("d", &durable).is_err() && record("e", &durable).is_err());
    assert_eq!(record("q", &queued), Ok(None));
    until("all are known", || known() == "d e q");
    assert!(recorder.unwritten()["d"].message().contains("disk is full"));
    // Success of other records does not end the problem of this slot.
    assert_eq!(record("fine", &durable), Ok(Some(1)));
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(known(), "d e q");
    // One of the slots stays broken and does not block the others.
    refuse("'e'");
    until("two work again", || known() == "e");
    place.tamper(ROOM);
    until("all work again", || known().is_empty());
    // The trials are not on record, but the acknowledged records are.
    until("what was promised", || recorder.waiting() == 0);
    let count = |slot| place.store.verify_records(slot, &[]).map(|(_, count)| count);
    assert_eq!(["d", "e", "q"].map(count), [Ok(1), Ok(0), Ok(1)]);
    assert_eq!(record("e", &durable), Ok(Some(1)));
    // Closing the recorder is not a problem of a slot.
    recorder.close().unwrap();
    assert!(record("d", &durable).is_err());
    assert_eq!(known(), "");
}

#[test]
fn closing_reports_the_number_of_unwritten_records() {
    let place = Place::new();
    let recorder = Recorder::new(place.store.clone());
    let queued = settings(r#"{"acknowledge": "queued"}"#);
    place.tamper(FULL);
    recorder.record(&observation("q", &queued, "{}")).unwrap();
    let error = recorder.close().unwrap_err();
    assert_eq!(error.message(), "1 decision record that had been queued could not be written");
}

#[test]
fn callers_wait_for_space_in_the_queue_and_no_record_is_lost() {
    let place = Place::new();
    let recorder = Recorder::new(place.store.clone());
    let queued = settings(r#"{"acknowledge": "queued", "queue": 1}"#);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::Relaxed) {
                most = most.max(recorder.waiting());
            }
            most
        });
        let callers: Vec<_> = (0..3).map(|_| scope.spawn(|| keep(&recorder, "s", &queued, 40))).collect();
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
        assert!(watch.join().unwrap() <= 1);
    });
    drop(recorder);
    assert_eq!(place.store.verify_records("s", &[]).map(|(_, count)| count), Ok(120));
}

/// The variable with the store of the child process.
const CHILD: &str = "ADJUDICATE_TEST_RECORDS";

#[test]
fn acknowledged_records_survive_a_kill() {
    const KILLS: u32 = 32;
    if let Ok(path) = std::env::var(CHILD) {
        record_until_killed(path.as_ref());
    }
    let place = Place::new();
    let mut acknowledged = 0;
    for kill in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "records::acknowledged_records_survive_a_kill", "--nocapture"])
            .env(CHILD, place.store.directory())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The process is killed after this many records. Its output until then counts.
        let mut left = 1 + kill * 7 % 40;
        let mut last = acknowledged;
        for line in lines.by_ref() {
            let line = line.unwrap();
            let Some(sequence) = line.split("acknowledged ").nth(1) else { continue };
            last = sequence.parse().unwrap();
            left = left.saturating_sub(1);
            if left == 0 {
                child.kill().unwrap();
            }
        }
        child.wait().unwrap();
        let store = Store::open(place.store.directory()).unwrap();
        let (head, _) = store.verify_records("s", &[]).unwrap();
        assert!(head.sequence >= last, "{last} was acknowledged, {} is the last", head.sequence);
        assert!(last > acknowledged);
        acknowledged = head.sequence;
    }
}

fn record_until_killed(path: &Path) -> ! {
    use std::io::Write;
    let recorder = Recorder::new(Store::open(path).unwrap());
    let settings = RecordSettings::default();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let sequence = recorder.record(&observation("s", &settings, "{}")).unwrap().unwrap();
                    // One write, so that the line is complete or missing.
                    let line = format!("acknowledged {sequence}\n");
                    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
                }
            });
        }
    });
    unreachable!("it is killed")
}
