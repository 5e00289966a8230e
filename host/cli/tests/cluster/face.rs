//! The NATS face alone, of servers in this process: what is refused and how, and that nobody is lost who asks while a host leaves.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use adjudicate_core::{Error, Operation};
use adjudicate_serve::{Answers, Limits, LogTo, Native, Nats as Joined, Server, Settings, Standing, codes};
use async_nats::{HeaderMap, client::RequestErrorKind};
use futures_util::{FutureExt, StreamExt};
use serde_json::Value;

use crate::{
    asker::Asker,
    client::{ENVELOPE, get},
    far::far,
    nats::{Nats, until},
};

fn server(nats: &Nats, asker: &Asker, answers: impl Answers, limits: Limits) -> Server {
    server_at(&nats.url(), asker, answers, limits)
}

fn server_at(url: &str, asker: &Asker, answers: impl Answers, limits: Limits) -> Server {
    joined(url, asker, answers, Settings { limits, ..Settings::default() })
}

fn joined(url: &str, asker: &Asker, answers: impl Answers, settings: Settings) -> Server {
    let server = Server::start(settings, answers, None).unwrap();
    let client = asker.runtime.block_on(async_nats::connect(url)).unwrap();
    let [cluster, id, host] = ["adj", "c-1", "h-1"].map(str::to_owned);
    let standing = Box::new(Standing::default);
    server.group(Joined { cluster, id, host, standing }).unwrap().join(&client).unwrap();
    server
}

#[test]
fn every_operation_is_answered_as_it_is_here() {
    let nats = Nats::start();
    let asker = Asker::to(&nats.url());
    let server = server(&nats, &asker, Native::default(), Limits::default());
    for operation in Operation::ALL {
        let said = asker.ask(&format!("adj.v1.{}", operation.name()), ENVELOPE);
        match operation.call(ENVELOPE.as_bytes()) {
            Ok(answer) => assert_eq!((said.is_answer(), &said.body), (true, &answer), "{operation:?}"),
            Err(error) => assert_eq!(said.body, error.to_json(), "{operation:?}"),
        }
    }
    let drained = server.drain();
    assert_eq!((drained.connections_cut, drained.messages_cut), (0, 0));
    assert_eq!(asker.try_ask("adj.v1.evaluate", ENVELOPE).unwrap_err(), RequestErrorKind::NoResponders);
}

#[test]
fn garbage_is_told_what_is_wrong_with_it() {
    let nats = Nats::start();
    let asker = Asker::to(&nats.url());
    let limits = Limits { body: 900_000, ..Limits::default() };
    let server = server(&nats, &asker, Native::default(), limits);
    let deep = format!("adj.v1.slots.{}.evaluate", vec!["a"; 100].join("."));
    let long = format!("adj.v1.slots.{}.evaluate", "a".repeat(3000));
    for (subject, body, status, code) in [
        ("adj.v1.evaluate", Vec::new(), 400, "malformed_json"),
        ("adj.v1.evaluate", b"no json".to_vec(), 400, "malformed_json"),
        ("adj.v1.evaluate", b"{}".to_vec(), 422, "missing_field"),
        ("adj.v1.evaluate", vec![0xff; 100], 400, "malformed_json"),
        ("adj.v1.evaluate", vec![b'['; 900_000], 413, "limit_exceeded"),
        ("adj.v1.evaluate", vec![b' '; 900_001], 413, "limit_exceeded"),
        ("adj.v1.slots.release.evaluate", b"{}".to_vec(), 404, "not_found"),
        ("adj.v1.slots.release.nothing", b"{}".to_vec(), 404, "not_found"),
        ("adj.v1.slots.evaluate", b"{}".to_vec(), 404, "not_found"),
        ("adj.v1.slots.\u{e9}.\u{1f600}", b"{}".to_vec(), 404, "not_found"),
        (&deep, b"{}".to_vec(), 404, "not_found"),
        (&long, b"{}".to_vec(), 404, "not_found"),
    ] {
        let said = asker.ask(subject, body);
        assert_eq!(said.error(), (status, code.to_owned()), "{subject} {said:?}");
        assert!(!said.header("Nats-Service-Error").unwrap().is_empty());
    }
    // There is nobody where there is no operation.
    for subject in ["adj.v1.nothing", "adj.v1", "adj.v2.evaluate", "adj.v1.evaluate.more"] {
        assert_eq!(asker.try_ask(subject, "{}").unwrap_err(), RequestErrorKind::NoResponders, "{subject}");
    }
    // Whoever says nowhere to answer to is counted.
    for _ in 0..3 {
        asker.say("adj.v1.evaluate", ENVELOPE);
    }
    // So is who would have this host write where it may and others may not.
    let theirs = ["$KV.adj-slots.slot.release", "adj.records.h.s"];
    let heard = theirs.map(|subject| asker.runtime.block_on(asker.client.subscribe(subject)).unwrap());
    for subject in theirs {
        asker.say_with_reply("adj.v1.evaluate", subject, ENVELOPE);
    }
    let metrics = || metrics(&server);
    until("messages without a reply are counted", || {
        metrics().contains("adjudicate_nats_requests_without_reply_total 5\n")
    });
    assert!(asker.ask("adj.v1.evaluate", ENVELOPE).is_answer());
    for mut subscription in heard {
        assert!(subscription.next().now_or_never().is_none());
    }
    let text = metrics();
    assert!(
        text.contains(
            r#"adjudicate_nats_requests_total{route="/v1/evaluate",method="REQUEST",status="4xx"} 6"#
        ),
        "{text}"
    );
    assert!(text.contains("adjudicate_cluster_connected 1\n"));
    assert!(asker.ask("adj.v1.evaluate", ENVELOPE).is_answer());
    server.drain();
}

fn metrics(server: &Server) -> String {
    get(server.address(), "/metrics").body
}

/// Answers as the engine does, unless it is told to fail or to answer at length.
struct Odd;

impl Answers for Odd {
    fn answer(&self, _: Operation, input: &[u8]) -> Result<String, Error> {
        match input {
            b"panic" => panic!("on purpose"),
            b"long" => Ok("x".repeat(2 << 20)),
            b"large" => Ok("x".repeat(1_000_000)),
            _ => Ok("{}".to_owned()),
        }
    }
}

#[test]
fn a_panic_and_an_answer_that_fits_no_message_are_errors_and_the_next_call_is_answered() {
    let nats = Nats::start();
    let asker = Asker::to(&nats.url());
    let server = server(&nats, &asker, Odd, Limits::default());
    assert_eq!(asker.ask("adj.v1.evaluate", "panic").error(), (500, "host_fault".to_owned()));
    assert_eq!(asker.ask("adj.v1.evaluate", "long").error(), (413, "limit_exceeded".to_owned()));
    assert_eq!(asker.ask("adj.v1.evaluate", "large").body.len(), 1_000_000);
    assert_eq!(asker.ask("adj.v1.evaluate", "").body, "{}");
    server.drain();
}

/// Waits until it is let go.
struct Held<'a>(&'a AtomicBool, &'a AtomicU64);

impl Answers for Held<'static> {
    fn answer(&self, _: Operation, _: &[u8]) -> Result<String, Error> {
        self.1.fetch_add(1, Ordering::Relaxed);
        while self.0.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        Ok("{}".to_owned())
    }
}

#[test]
fn who_finds_no_place_is_refused_at_once_and_what_was_taken_is_answered() {
    static HOLDS: AtomicBool = AtomicBool::new(true);
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    let nats = Nats::start();
    let asker = Asker::to(&nats.url());
    let limits = Limits { calls: 1, queue: 1, queue_wait: crate::nats::LIMIT, ..Limits::default() };
    let server = server(&nats, &asker, Held(&HOLDS, &BEGUN), limits);
    thread::scope(|scope| {
        let ask = || scope.spawn(|| Asker::to(&nats.url()).ask("adj.v1.evaluate", "{}"));
        let first = ask();
        until("the first call began", || BEGUN.load(Ordering::Relaxed) == 1);
        let second = ask();
        until("the second waits", || metrics(&server).contains("nats_requests_in_flight 2\n"));
        let third = asker.ask("adj.v1.evaluate", "{}");
        assert_eq!(third.error(), (503, "host_overloaded".to_owned()));
        // The end comes, and nobody is sent away who was taken.
        let draining = scope.spawn(|| server.drain());
        until("the host left", || {
            asker.try_ask("adj.v1.evaluate", "{}").is_err_and(|error| error == RequestErrorKind::NoResponders)
        });
        HOLDS.store(false, Ordering::Relaxed);
        assert_eq!((first.join().unwrap().body.as_str(), second.join().unwrap().body.as_str()), ("{}", "{}"));
        assert_eq!(draining.join().unwrap().messages_cut, 0);
    });
}

/// Asks so many times at once, again and again, until it is over; how often it was answered.
fn flood(nats: &Nats, many: usize, is_over: &AtomicBool) -> usize {
    let asker = Asker::to(&nats.url());
    let mut answered = 0;
    while !is_over.load(Ordering::Relaxed) {
        let replies = asker.ask_all("adj.v1.evaluate", ENVELOPE, many);
        for said in replies {
            let said = said.unwrap_or_else(|error| panic!("a call was lost: {error:?}"));
            assert!(said.is_answer(), "{said:?}");
            answered += 1;
        }
    }
    answered
}

#[test]
fn a_host_that_leaves_under_load_loses_no_call() {
    let nats = Nats::start();
    let asker = Asker::to(&nats.url());
    let limits = Limits { queue: 4096, queue_wait: crate::nats::LIMIT, ..Limits::default() };
    let stays = server(&nats, &asker, Native::default(), limits.clone());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..3).map(|_| scope.spawn(|| flood(&nats, 300, &is_over))).collect();
        // On the way to the server and back, the end takes so long that calls come meanwhile.
        let far = far(nats.port());
        for _ in 0..20 {
            let leaves = server_at(&far, &asker, Native::default(), limits.clone());
            let answered = r#"nats_requests_total{route="/v1/evaluate",method="REQUEST",status="2xx"}"#;
            until("it is asked", || {
                metrics(&leaves).contains(answered) || callers.iter().any(|caller| caller.is_finished())
            });
            assert_eq!(leaves.drain().messages_cut, 0);
        }
        is_over.store(true, Ordering::Relaxed);
        for caller in callers {
            assert!(caller.join().unwrap() > 300);
        }
    });
    stays.drain();
}

#[test]
fn tools_find_the_service_and_what_it_did() {
    let nats = Nats::start();
    let asker = Asker::to(&nats.url());
    let server = server(&nats, &asker, Native::default(), Limits::default());
    asker.ask("adj.v1.evaluate", ENVELOPE);
    asker.ask("adj.v1.evaluate", "{}");
    let of = |subject: &str| asker.ask(subject, "").json();
    let ping = of("$SRV.PING");
    assert_eq!(
        (ping["type"].as_str(), ping["name"].as_str()),
        (Some("io.nats.micro.v1.ping_response"), Some("adjudicate"))
    );
    assert_eq!(ping["metadata"]["host"], "h-1");
    let id = ping["id"].as_str().unwrap();
    // The library's own types read the answers.
    let info: async_nats::service::Info =
        serde_json::from_value(of(&format!("$SRV.INFO.adjudicate.{id}"))).unwrap();
    let subjects: BTreeSet<_> = info.endpoints.iter().map(|endpoint| endpoint.subject.clone()).collect();
    assert_eq!(subjects.len(), Operation::ALL.len() + 1);
    assert!(subjects.contains("adj.v1.slots.>"));
    assert!(info.endpoints.iter().all(|endpoint| endpoint.queue_group == "adj"));
    until("both calls are counted", || {
        let text = of("$SRV.STATS.adjudicate");
        let _: async_nats::service::Stats = serde_json::from_value(text.clone()).unwrap();
        let endpoints = text["endpoints"].as_array().unwrap().clone();
        let evaluate = endpoints.iter().find(|endpoint| endpoint["subject"] == "adj.v1.evaluate").unwrap();
        let counts = ["num_requests", "num_errors"].map(|name| evaluate[name].as_u64().unwrap());
        counts == [2, 1] && evaluate["last_error"] == "422:missing_field"
    });
    server.drain();
}

#[test]
fn a_message_is_told_of_as_a_request_is() {
    let nats = Nats::start();
    let asker = Asker::to(&nats.url());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let settings = Settings { log: Some(LogTo::File(path.clone())), ..Settings::default() };
    let server = joined(&nats.url(), &asker, Native::default(), settings);
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let mut headers = HeaderMap::new();
    headers.insert("traceparent", format!("00-{trace}-00f067aa0ba902b7-01"));
    asker.ask_with("adj.v1.evaluate", headers, ENVELOPE);
    asker.ask("adj.v1.slots.secret.evaluate", "{}");
    server.drain();
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [call, refused] = lines.as_slice() else { panic!("{text}") };
    let of = |line: &Value, name: &str| line[name].clone();
    assert_eq!((of(call, "client"), of(call, "method")), ("nats".into(), "REQUEST".into()));
    assert_eq!((of(call, "route"), of(call, "status")), ("/v1/evaluate".into(), 200.into()));
    assert_eq!((of(call, "bytes"), of(call, "trace")), (ENVELOPE.len().into(), trace.into()));
    assert_eq!(
        (of(refused, "route"), of(refused, "code")),
        ("/v1/slots/{slot}/evaluate".into(), "not_found".into())
    );
}

#[test]
fn whoever_could_not_join_joins_later_and_whoever_ends_meanwhile_ends() {
    let mut nats = Nats::start();
    let asker = Asker::to(&nats.url());
    let start = || {
        let settings = Settings { drain_deadline: Duration::from_millis(500), ..Settings::default() };
        let server = Server::start(settings, Native::default(), None).unwrap();
        let [cluster, id, host] = ["adj", "c-1", "h-1"].map(str::to_owned);
        let group = server.group(Joined { cluster, id, host, standing: Box::new(Standing::default) });
        (server, group.unwrap())
    };
    let client = asker.runtime.block_on(async_nats::connect(nats.url())).unwrap();
    let (server, group) = start();
    nats.kill();
    until("the connection is lost", || client.connection_state() != async_nats::connection::State::Connected);
    assert_eq!(group.join(&client).unwrap_err().code(), codes::CLUSTER_FAULT);
    nats.run();
    until("it is joined", || group.join(&client).is_ok());
    assert_eq!(group.join(&client).unwrap_err().code(), codes::WRONG_USAGE);
    assert!(asker.ask("adj.v1.evaluate", ENVELOPE).is_answer());
    server.drain();
    // The server hangs while it is joined.
    let (server, group) = start();
    nats.hang();
    thread::scope(|scope| {
        let joining = scope.spawn(|| group.join(&client).map_err(|error| error.code()));
        // Whether it has begun by then or not, it ends.
        thread::sleep(Duration::from_millis(200));
        let drained = server.drain();
        assert_eq!((drained.connections_cut, drained.messages_cut), (0, 0));
        assert_eq!(joining.join().unwrap(), Err(codes::CLUSTER_FAULT));
        assert_eq!(group.join(&client).unwrap_err().code(), codes::CLUSTER_FAULT);
    });
    nats.go_on();
}
