//! The NATS interface of servers in this process: rejected messages, and no lost calls while a host leaves.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{SlotSettings, Slots};
use adjudicate_serve::{
    CallHandler, ClusterState, LogTo, Native, Nats as Joined, RequestLimits, Server, ServerSettings, codes,
};
use async_nats::{HeaderMap, client::RequestErrorKind};
use futures_util::{FutureExt, StreamExt};
use serde_json::Value;

use super::{
    delayed_server::delayed,
    nats::{Nats, until},
    nats_client::NatsClient,
};
use crate::{
    client::{ENVELOPE, get},
    modules,
};

fn server(nats: &Nats, nats_client: &NatsClient, answers: impl CallHandler, limits: RequestLimits) -> Server {
    server_at(&nats.url(), nats_client, answers, limits)
}

fn server_at(
    url: &str,
    nats_client: &NatsClient,
    answers: impl CallHandler,
    limits: RequestLimits,
) -> Server {
    joined(url, nats_client, answers, ServerSettings { limits, ..ServerSettings::default() }, None)
}

fn joined(
    url: &str,
    nats_client: &NatsClient,
    answers: impl CallHandler,
    settings: ServerSettings,
    slots: Option<Slots>,
) -> Server {
    let server = Server::start(settings, answers, slots).unwrap();
    let client = nats_client.runtime.block_on(async_nats::connect(url)).unwrap();
    let [cluster, id, host] = ["adj", "c-1", "h-1"].map(str::to_owned);
    let cluster_state = Box::new(ClusterState::default);
    server.group(Joined { cluster, id, host, cluster_state }).unwrap().join(&client).unwrap();
    server
}

#[test]
fn every_operation_is_answered_as_it_is_here() {
    let nats = Nats::start();
    let nats_client = NatsClient::to(&nats.url());
    let server = server(&nats, &nats_client, Native::default(), RequestLimits::default());
    for operation in Operation::ALL {
        let reported = nats_client.ask(&format!("adj.v1.{}", operation.name()), ENVELOPE);
        match operation.call(ENVELOPE.as_bytes()) {
            Ok(answer) => {
                assert_eq!((reported.is_answer(), &reported.body), (true, &answer), "{operation:?}")
            }
            Err(error) => assert_eq!(reported.body, error.to_json(), "{operation:?}"),
        }
    }
    let drained = server.drain();
    assert_eq!((drained.connections_cut, drained.messages_cut), (0, 0));
    assert_eq!(nats_client.try_ask("adj.v1.evaluate", ENVELOPE).unwrap_err(), RequestErrorKind::NoResponders);
}

#[test]
fn invalid_messages_get_an_error() {
    let nats = Nats::start();
    let nats_client = NatsClient::to(&nats.url());
    let limits = RequestLimits { body: 900_000, ..RequestLimits::default() };
    let server = server(&nats, &nats_client, Native::default(), limits);
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
        let reported = nats_client.ask(subject, body);
        assert_eq!(reported.error(), (status, code.to_owned()), "{subject} {reported:?}");
        assert!(!reported.header("Nats-Service-Error").unwrap().is_empty());
    }
    // An unknown operation has no responders.
    for subject in ["adj.v1.nothing", "adj.v1", "adj.v2.evaluate", "adj.v1.evaluate.more"] {
        assert_eq!(
            nats_client.try_ask(subject, "{}").unwrap_err(),
            RequestErrorKind::NoResponders,
            "{subject}"
        );
    }
    // A message without a reply subject is counted.
    for _ in 0..3 {
        nats_client.say("adj.v1.evaluate", ENVELOPE);
    }
    // A reply subject that only the host may write to is counted in the same way.
    let theirs = ["$KV.adj-slots.slot.release", "adj.records.h.s"];
    let heard =
        theirs.map(|subject| nats_client.runtime.block_on(nats_client.client.subscribe(subject)).unwrap());
    for subject in theirs {
        nats_client.say_with_reply("adj.v1.evaluate", subject, ENVELOPE);
    }
    let metrics = || metrics(&server);
    until("messages without a reply are counted", || {
        metrics().contains("adjudicate_nats_requests_without_reply_total 5\n")
    });
    assert!(nats_client.ask("adj.v1.evaluate", ENVELOPE).is_answer());
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
    assert!(nats_client.ask("adj.v1.evaluate", ENVELOPE).is_answer());
    server.drain();
}

fn metrics(server: &Server) -> String {
    get(server.address(), "/metrics").body
}

/// Answers as the engine does, unless the input asks for a panic or a long answer.
struct OddHandler;

impl CallHandler for OddHandler {
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
    let nats_client = NatsClient::to(&nats.url());
    let server = server(&nats, &nats_client, OddHandler, RequestLimits::default());
    assert_eq!(nats_client.ask("adj.v1.evaluate", "panic").error(), (500, "host_fault".to_owned()));
    assert_eq!(nats_client.ask("adj.v1.evaluate", "long").error(), (413, "limit_exceeded".to_owned()));
    assert_eq!(nats_client.ask("adj.v1.evaluate", "large").body.len(), 1_000_000);
    assert_eq!(nats_client.ask("adj.v1.evaluate", "").body, "{}");
    server.drain();
}

/// Waits until it is let go.
struct BlockedHandler<'a>(&'a AtomicBool, &'a AtomicU64);

impl CallHandler for BlockedHandler<'static> {
    fn answer(&self, _: Operation, _: &[u8]) -> Result<String, Error> {
        self.1.fetch_add(1, Ordering::Relaxed);
        while self.0.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        Ok("{}".to_owned())
    }
}

#[test]
fn a_message_over_the_limit_is_rejected_at_once_and_accepted_ones_are_answered() {
    static HOLDS: AtomicBool = AtomicBool::new(true);
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    let nats = Nats::start();
    let nats_client = NatsClient::to(&nats.url());
    let limits =
        RequestLimits { calls: 1, queue: 1, queue_wait: super::nats::LIMIT, ..RequestLimits::default() };
    let server = server(&nats, &nats_client, BlockedHandler(&HOLDS, &BEGUN), limits);
    thread::scope(|scope| {
        let ask = || scope.spawn(|| NatsClient::to(&nats.url()).ask("adj.v1.evaluate", "{}"));
        let first = ask();
        until("the first call began", || BEGUN.load(Ordering::Relaxed) == 1);
        let second = ask();
        until("the second waits", || metrics(&server).contains("nats_requests_in_flight 2\n"));
        let third = nats_client.ask("adj.v1.evaluate", "{}");
        assert_eq!(third.error(), (503, "host_overloaded".to_owned()));
        // The server ends, and still answers the accepted messages.
        let draining = scope.spawn(|| server.drain());
        until("the host left", || {
            nats_client
                .try_ask("adj.v1.evaluate", "{}")
                .is_err_and(|error| error == RequestErrorKind::NoResponders)
        });
        HOLDS.store(false, Ordering::Relaxed);
        assert_eq!((first.join().unwrap().body.as_str(), second.join().unwrap().body.as_str()), ("{}", "{}"));
        assert_eq!(draining.join().unwrap().messages_cut, 0);
    });
}

#[test]
fn messages_beyond_the_memory_are_rejected_although_threads_are_free() {
    static HOLDS: AtomicBool = AtomicBool::new(true);
    static BEGUN: AtomicU64 = AtomicU64::new(0);
    let nats = Nats::start();
    let nats_client = NatsClient::to(&nats.url());
    let directory = tempfile::tempdir().unwrap();
    let slots = modules::open(directory.path());
    let settings = SlotSettings::parse(br#"{"limits":{"memory_bytes":33554432}}"#).unwrap();
    modules::activate(&slots, "large", settings, &modules::flagging("1.0.0", "one"));
    let queue_wait = Duration::from_millis(50);
    let limits = RequestLimits { calls: 8, memory: 100 << 20, queue_wait, ..RequestLimits::default() };
    let settings = ServerSettings { limits, ..ServerSettings::default() };
    let server = joined(&nats.url(), &nats_client, BlockedHandler(&HOLDS, &BEGUN), settings, Some(slots));
    let large = || nats_client.ask("adj.v1.slots.large.evaluate", ENVELOPE);
    assert!(large().is_answer());
    thread::scope(|scope| {
        let first = scope.spawn(|| NatsClient::to(&nats.url()).ask("adj.v1.evaluate", "{}"));
        until("the first call began", || BEGUN.load(Ordering::Relaxed) == 1);
        let second = nats_client.ask("adj.v1.evaluate", "{}");
        let of_slot = large();
        HOLDS.store(false, Ordering::Relaxed);
        let overloaded = (503, "host_overloaded".to_owned());
        assert_eq!((second.error(), of_slot.error()), (overloaded.clone(), overloaded));
        assert_eq!(first.join().unwrap().body, "{}");
    });
    assert!(large().is_answer());
    server.drain();
}

/// Sends `many` calls at once, again and again until `is_over`, and returns the number of answers.
fn flood(nats: &Nats, many: usize, is_over: &AtomicBool) -> usize {
    let nats_client = NatsClient::to(&nats.url());
    let mut answered = 0;
    while !is_over.load(Ordering::Relaxed) {
        let replies = nats_client.ask_all("adj.v1.evaluate", ENVELOPE, many);
        for reported in replies {
            let reported = reported.unwrap_or_else(|error| panic!("a call was lost: {error:?}"));
            assert!(reported.is_answer(), "{reported:?}");
            answered += 1;
        }
    }
    answered
}

#[test]
fn a_host_that_leaves_under_load_loses_no_call() {
    let nats = Nats::start();
    let nats_client = NatsClient::to(&nats.url());
    let limits = RequestLimits { queue: 4096, queue_wait: super::nats::LIMIT, ..RequestLimits::default() };
    let stays = server(&nats, &nats_client, Native::default(), limits.clone());
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let callers: Vec<_> = (0..3).map(|_| scope.spawn(|| flood(&nats, 300, &is_over))).collect();
        // On the way to the server and back, the end takes so long that calls come meanwhile.
        let delayed = delayed(nats.port());
        for _ in 0..20 {
            let leaves = server_at(&delayed, &nats_client, Native::default(), limits.clone());
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
    let nats_client = NatsClient::to(&nats.url());
    let server = server(&nats, &nats_client, Native::default(), RequestLimits::default());
    nats_client.ask("adj.v1.evaluate", ENVELOPE);
    nats_client.ask("adj.v1.evaluate", "{}");
    let of = |subject: &str| nats_client.ask(subject, "").json();
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
fn a_message_is_logged_like_a_request() {
    let nats = Nats::start();
    let nats_client = NatsClient::to(&nats.url());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let settings = ServerSettings { log: Some(LogTo::File(path.clone())), ..ServerSettings::default() };
    let server = joined(&nats.url(), &nats_client, Native::default(), settings, None);
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let mut headers = HeaderMap::new();
    headers.insert("traceparent", format!("00-{trace}-00f067aa0ba902b7-01"));
    nats_client.ask_with("adj.v1.evaluate", headers, ENVELOPE);
    nats_client.ask("adj.v1.slots.secret.evaluate", "{}");
    server.drain();
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // A line is written after its answer, so the second one can be the first.
    lines.sort_by_key(|line| line["status"].as_u64());
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
fn a_failed_join_can_be_repeated_and_a_server_can_end_meanwhile() {
    let mut nats = Nats::start();
    let nats_client = NatsClient::to(&nats.url());
    let start = || {
        let settings =
            ServerSettings { drain_deadline: Duration::from_millis(500), ..ServerSettings::default() };
        let server = Server::start(settings, Native::default(), None).unwrap();
        let [cluster, id, host] = ["adj", "c-1", "h-1"].map(str::to_owned);
        let group =
            server.group(Joined { cluster, id, host, cluster_state: Box::new(ClusterState::default) });
        (server, group.unwrap())
    };
    let client = nats_client.runtime.block_on(async_nats::connect(nats.url())).unwrap();
    let (server, group) = start();
    nats.kill();
    until("the connection is lost", || client.connection_state() != async_nats::connection::State::Connected);
    assert_eq!(group.join(&client).unwrap_err().code(), codes::CLUSTER_FAULT);
    nats.run();
    until("it is joined", || group.join(&client).is_ok());
    assert_eq!(group.join(&client).unwrap_err().code(), codes::WRONG_USAGE);
    assert!(nats_client.ask("adj.v1.evaluate", ENVELOPE).is_answer());
    server.drain();
    // The server hangs while it is joined.
    let (server, group) = start();
    nats.hang();
    thread::scope(|scope| {
        let joining = scope.spawn(|| group.join(&client).map_err(|error| error.code()));
        // The join may or may not have begun. In both cases it ends.
        thread::sleep(Duration::from_millis(200));
        let drained = server.drain();
        assert_eq!((drained.connections_cut, drained.messages_cut), (0, 0));
        assert_eq!(joining.join().unwrap(), Err(codes::CLUSTER_FAULT));
        assert_eq!(group.join(&client).unwrap_err().code(), codes::CLUSTER_FAULT);
    });
    nats.go_on();
}
