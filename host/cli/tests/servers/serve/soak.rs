//! A server under load for a while: a swap each second, decision records on, a third of the calls hostile.
//!
//! `cargo test` runs it for some seconds, `cargo xtask soak` for minutes. It prints what it counted.

use std::{
    env, fs,
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    path::Path,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use adjudicate_host::{ChangeReason, Composition, InstallOptions, SlotSettings, TokenRole};

use super::attacks::words;
use crate::{
    client::{Client, ENVELOPE, JSON, Reply, request},
    modules::{answer_with, flagging, open},
    process::{Process, command, run},
};

/// The default duration in seconds.
const SECONDS: &str = "6";
const CALLERS: u64 = 3;
/// KiB by which the process may grow over the whole run, however long it is.
const GROWTH: u64 = 48 << 10;
const VERSIONS: [&str; 2] = ["one", "two"];

/// The resources of a process and its store.
#[derive(Debug)]
struct Footprint {
    resident_kib: u64,
    descriptors: usize,
    files: usize,
    store_bytes: u64,
}

impl Footprint {
    fn new(process: &Process, store: &Path) -> Self {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", process.child.id())).unwrap().count();
        let sizes = sizes(store);
        Self {
            resident_kib: process.memory(),
            descriptors,
            files: sizes.len(),
            store_bytes: sizes.iter().sum(),
        }
    }
}

/// The sizes of all files in a folder, and in those inside of it.
fn sizes(folder: &Path) -> Vec<u64> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .flat_map(|entry| {
            // A file of SQLite's may go away meanwhile.
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => sizes(&entry.path()),
                Ok(metadata) => vec![metadata.len()],
                Err(_) => Vec::new(),
            }
        })
        .collect()
}

/// Calls as people make them, and those that no honest caller makes, in turns.
struct Callers<'a> {
    to: SocketAddr,
    token: &'a str,
    is_over: &'a AtomicBool,
    answered: &'a AtomicU64,
    hostile: &'a AtomicU64,
}

impl Callers<'_> {
    fn call(&self, kind: u64) {
        let bearer = format!("Bearer {}", self.token);
        let headers = [JSON, ("authorization", bearer.as_str())];
        let call = request("POST", "/v1/slots/release/evaluate", &headers, ENVELOPE);
        let answers = VERSIONS.map(answer_with);
        let words = words();
        let mut client = Client::to(self.to);
        for turn in kind.. {
            if self.is_over.load(Relaxed) {
                return;
            }
            if turn % 3 == 2 {
                self.attack(turn / 3, &words, &call);
                self.hostile.fetch_add(1, Relaxed);
                continue;
            }
            let reply = client.ask(&call);
            assert_eq!(reply.status, 200, "{reply:?}");
            assert!(answers.iter().any(|answer| answer == reply.body.trim_end()), "{reply:?}");
            self.answered.fetch_add(1, Relaxed);
            if is_last(&reply) {
                client = Client::to(self.to);
            }
        }
    }

    /// Says what the server refuses, or leaves in the middle of it.
    fn attack(&self, turn: u64, words: &[(Vec<u8>, &[&str])], call: &[u8]) {
        let index = usize::try_from(turn).unwrap() % (words.len() + 40);
        let mut stream = TcpStream::connect(self.to).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let Some((bytes, expected)) = words.get(index) else {
            // Someone who leaves before the last byte was never answered, and has no record.
            let cut = call.len() * (index - words.len()) / 40;
            let _ = stream.write_all(&call[..cut]);
            return;
        };
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let reply = String::from_utf8_lossy(&reply);
        // Someone who is cut off while still talking may never read why. None of them has a token, so even a good call is
        // refused.
        let is_expected = expected.iter().chain(&["HTTP/1.1 4"]).any(|start| reply.starts_with(start));
        assert!(reply.is_empty() || is_expected, "{reply}");
    }
}

/// Returns whether the server closes the connection after this reply: it answers a limited number of requests on one.
fn is_last(reply: &Reply) -> bool {
    reply.header("connection") == Some("close")
}

#[test]
fn a_server_under_load_fails_no_call_loses_no_record_and_does_not_grow() {
    let seconds = env::var("ADJUDICATE_SOAK_SECONDS").unwrap_or_else(|_| SECONDS.to_owned());
    let lasts = Duration::from_secs(seconds.parse().expect("a number of seconds"));
    let directory = tempfile::tempdir().unwrap();
    let slots = open(directory.path());
    let terms = InstallOptions { slot: None, unsigned: true };
    let digests = VERSIONS.map(|flag| slots.install(&flagging("1.0.0", flag), &terms).unwrap().module.digest);
    let settings = SlotSettings::parse(br#"{"on_fault":"fail_closed","records":{}}"#).unwrap();
    let slot = slots.create("release", settings, &ChangeReason::default()).unwrap();
    slot.activate(Composition::new(digests[0]).unsigned(), &ChangeReason::default()).unwrap();
    let token = |name, role| slots.store().create_token(name, role, None, 0).unwrap().1.as_str().to_owned();
    let (evaluate, admin) = (token("evaluate", TokenRole::Evaluate), token("admin", TokenRole::Admin));
    drop((slot, slots));

    let store = directory.path().join("store");
    let mut process = Process::with_store(&store, &["--request-timeout", "2", "--idle-timeout", "10"]);
    let to = process.address;
    let (is_over, answered, hostile) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let (mut swaps, mut before) = (0, None);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS)
            .map(|kind| {
                let callers = Callers {
                    to,
                    token: &evaluate,
                    is_over: &is_over,
                    answered: &answered,
                    hostile: &hostile,
                };
                scope.spawn(move || callers.call(kind))
            })
            .collect();
        let mut operator = Client::to(to);
        let bearer = format!("Bearer {admin}");
        let headers = [JSON, ("authorization", bearer.as_str())];
        let begin = Instant::now();
        while begin.elapsed() < lasts && callers.iter().all(|caller| !caller.is_finished()) {
            let next = digests[(swaps + 1) % 2];
            let change = format!(r#"{{"composition":{{"base":{{"module":"{next}","unsigned":true}}}}}}"#);
            let reply = operator.ask(request("POST", "/v1/slots/release/activate", &headers, change));
            if reply.status != 200 {
                is_over.store(true, Relaxed);
                panic!("{reply:?}");
            }
            if is_last(&reply) {
                operator = Client::to(to);
            }
            swaps += 1;
            thread::sleep(Duration::from_secs(1));
            // Memory that is taken once is taken in the first third.
            if before.is_none() && begin.elapsed() >= lasts / 3 {
                before = Some(Footprint::new(&process, &store));
            }
        }
        is_over.store(true, Relaxed);
        callers.into_iter().for_each(|caller| caller.join().unwrap());
    });
    let before = before.expect("it lasted longer than a third of its time");
    let after = Footprint::new(&process, &store);
    let (answered, hostile) = (answered.into_inner(), hostile.into_inner());
    process.signal("TERM");
    let (status, reported) = process.end();
    assert_eq!((status.code(), reported.contains("panicked")), (Some(0), false), "{reported}");

    let store = store.to_str().unwrap();
    let (code, verified, error) = run(command(&["records", "verify", "--slot", "release", "--store", store]));
    assert_eq!(code, 0, "{error}");
    let (_, head, _) = run(command(&["records", "head", "--slot", "release", "--store", store]));
    let head: serde_json::Value = serde_json::from_str(&head).unwrap();
    println!("{lasts:?}: {answered} calls answered, {hostile} hostile, {swaps} swaps, none failed");
    println!("records: {head}; {verified}");
    let grew = after.store_bytes.saturating_sub(before.store_bytes);
    println!("first: {before:?}\nlast:  {after:?}\nthe store grew by {grew} bytes in between");
    assert_eq!(head["sequence"], answered, "each answer is on record, and nothing else is");
    assert!(after.resident_kib <= before.resident_kib + GROWTH, "{before:?}, {after:?}");
    assert!(after.descriptors <= before.descriptors + 40, "{before:?}, {after:?}");
    assert!(after.files <= before.files + 2, "{before:?}, {after:?}");
}
