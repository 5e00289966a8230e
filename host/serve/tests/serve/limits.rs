//! Limits of time, size and number.

use std::{
    io::{Read, Write},
    net::SocketAddr,
    sync::Mutex,
    sync::mpsc::{Receiver, Sender, channel},
    time::Duration,
};

use adjudicate_collect::hooks::Agent;
use adjudicate_core::{Error, Operation};
use adjudicate_host::{SlotSettings, Slots};
use adjudicate_serve::{CallHandler, RequestLimits, Server, ServerSettings};

use crate::{
    client::{Client, ENVELOPE, JSON, LINES, get, post, request, server_with, until},
    frames::{HEADERS, frame, head, open},
    modules::{self, flagging},
};

fn with(limits: RequestLimits) -> Server {
    server_with(ServerSettings { limits, ..ServerSettings::default() })
}

const SOON: Duration = Duration::from_millis(50);

#[test]
fn a_body_that_pauses_or_takes_too_long_is_given_up() {
    let server = with(RequestLimits { pause: SOON, ..RequestLimits::default() });
    let mut client = Client::to(server.address());
    let reply = client.ask("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{");
    assert_eq!(reply.error(), (408, "request_timeout".to_owned()));
    assert_eq!(reply.header("connection"), Some("close"));
    assert_eq!(client.rest(), b"");

    // Bytes that keep coming do not help.
    let server = with(RequestLimits { request: SOON * 4, ..RequestLimits::default() });
    let mut client = Client::to(server.address());
    client.say("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n").unwrap();
    while client.say(" ").is_ok() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_head_that_takes_too_long_is_given_up() {
    let server = with(RequestLimits { head: SOON, ..RequestLimits::default() });
    // Nothing, half of a head, half of what HTTP/2 begins with.
    for begun in [
        "",
        "POST /v1/eval",
        "GET / HTTP/1.1\r\nhost: localhost\r\nx: ",
        "PRI * HTTP/2.0\r\n\r\nSM",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut client = Client::to(server.address());
        client.say(begun).unwrap();
        // After any reply, the connection ends.
        client.rest();
    }
    // So is a connection that had its answer and asks nothing more. On a busy machine, the time may end before the first request.
    let mut client = loop {
        let mut client = Client::to(server.address());
        let _ = client.say(request("POST", "/v1/evaluate", &[JSON], ENVELOPE));
        match client.reply() {
            Ok(reply) if reply.status == 200 => break client,
            _ => {}
        }
    };
    assert_eq!(client.rest(), b"");
}

#[test]
fn bodies_are_bounded_by_what_they_say_and_by_what_they_are() {
    let server = with(RequestLimits { body: 1000, ..RequestLimits::default() });
    let to = server.address();
    let large = (413, "limit_exceeded".to_owned());
    let mut client = Client::to(to);
    // Before a byte of it is read.
    let reply = client.ask("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 18446744073709551615\r\n\r\n");
    assert!([400, 413, 431].contains(&reply.status), "{reply:?}");
    let reported = Client::to(to).ask("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1001\r\nexpect: 100-continue\r\n\r\n");
    assert_eq!((reported.error(), reported.header("connection")), (large.clone(), Some("close")));
    assert_eq!(post(to, "/v1/evaluate", "x".repeat(1001)).error(), large);
    assert_eq!(post(to, "/v1/evaluate", "x".repeat(1000)).error().0, 400);
    let mut client = Client::to(to);
    client.say("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n").unwrap();
    for _ in 0..1001 {
        if client.say("1\r\nx\r\n").is_err() {
            break;
        }
    }
    assert_eq!(client.reply().map(|reply| reply.error()).ok().unwrap_or(large.clone()), large);
}

#[test]
fn a_client_that_sends_a_body_over_the_limit_reads_the_refusal() {
    const BODY: usize = 4 << 20;
    let server = with(RequestLimits { body: BODY, ..RequestLimits::default() });
    // More than the buffers of both sockets hold.
    let reply = post(server.address(), "/v1/evaluate", " ".repeat(2 * BODY));
    assert_eq!(reply.error(), (413, "limit_exceeded".to_owned()));
    let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", 2 * BODY, " ".repeat(2 * BODY));
    let mut client = Client::to(server.address());
    client.say("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n").unwrap();
    assert_eq!(client.ask(chunk).error(), (413, "limit_exceeded".to_owned()));
}

#[test]
fn all_bodies_together_are_bounded() {
    let patient = Duration::from_secs(600);
    let limits = RequestLimits {
        body: 100_000,
        bodies: 100_000,
        pause: patient,
        request: patient,
        ..RequestLimits::default()
    };
    let server = with(limits);
    let head = "POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 90000\r\n\r\n";
    // Two that wait in the middle of a body: there is room for one of them, whichever.
    let (sender, replies) = channel();
    let mut writers = Vec::new();
    for index in 0..2 {
        let mut client = Client::to(server.address());
        client.say(head).unwrap();
        client.say(" ".repeat(80_000)).unwrap();
        writers.push(client.writer());
        let sender = sender.clone();
        std::thread::spawn(move || sender.send((index, client.reply())).unwrap());
    }
    let (loser, reply) = replies.recv().unwrap();
    assert_eq!(reply.unwrap().error(), (503, "host_overloaded".to_owned()));
    writers[1 - loser].write_all(&[b' '; 10_000]).unwrap();
    let (winner, reply) = replies.recv().unwrap();
    assert_eq!((winner, reply.unwrap().error()), (1 - loser, (400, "malformed_json".to_owned())));
    // The room is free again.
    assert_eq!(post(server.address(), "/v1/evaluate", " ".repeat(90_000)).error().0, 400);
}

#[test]
fn heads_are_bounded() {
    let server = with(RequestLimits { head_bytes: 8 << 10, ..RequestLimits::default() });
    let ask = |headers: &str| {
        let mut client = Client::to(server.address());
        let _ = client.say(format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n"));
        client.reply().map(|reply| reply.status)
    };
    assert_eq!(ask("").unwrap(), 200);
    assert_eq!(ask(&"x: y\r\n".repeat(100)).unwrap(), 431);
    assert_eq!(ask(&format!("x: {}\r\n", "y".repeat(10_000))).unwrap(), 431);
    // Without an end: the reply depends on the state at the timeout.
    let mut client = Client::to(server.address());
    client.say("GET /healthz HTTP/1.1\r\n").unwrap();
    while client.say("x-flood: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n").is_ok() {}
    let long = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a/".repeat(3000));
    assert_eq!(Client::to(server.address()).ask(long).status, 404);
    assert_eq!(get(server.address(), "/healthz").status, 200);
}

/// Reports each call, and answers when it is released.
struct BlockingHandler {
    called: Mutex<Sender<()>>,
    released: Mutex<Receiver<()>>,
}

/// A server whose calls block, with the receiver that gets a message for each call, and the sender that releases a call.
fn blocking(limits: RequestLimits, slots: Option<Slots>) -> (Server, Receiver<()>, Sender<()>) {
    let ((called, was_called), (release, released)) = (channel(), channel());
    let handler = BlockingHandler { called: Mutex::new(called), released: Mutex::new(released) };
    let server =
        Server::start(ServerSettings { limits, ..ServerSettings::default() }, handler, slots).unwrap();
    (server, was_called, release)
}

impl CallHandler for BlockingHandler {
    fn answer(&self, _: Operation, _: &[u8]) -> Result<String, Error> {
        self.called.lock().unwrap().send(()).unwrap();
        let _ = self.released.lock().unwrap().recv();
        Ok("{}".to_owned())
    }
}

#[test]
fn calls_beyond_the_queue_are_rejected_and_abandoned_calls_do_not_run() {
    let limits =
        RequestLimits { calls: 1, queue: 1, queue_wait: Duration::from_secs(60), ..RequestLimits::default() };
    let (server, was_called, release) = blocking(limits, None);
    let to = server.address();
    let call = request("POST", "/v1/evaluate", &[JSON], "{}");
    let mut first = Client::to(to);
    first.say(&call).unwrap();
    was_called.recv().unwrap();
    let mut second = Client::to(to);
    second.say(&call).unwrap();
    // The queue has one place: who comes second of these two is refused.
    let mut third = Client::to(to);
    third.say(&call).unwrap();
    let in_flight = |count: usize| {
        get(to, "/metrics").body.contains(&format!("adjudicate_http_requests_in_flight {count}\n"))
    };
    until("both are on their way", || in_flight(3));
    assert_eq!(get(to, "/readyz").status, 200);
    // A client that leaves while it waits takes no permit.
    drop((second, third));
    until("both have left", || in_flight(2));
    release.send(()).unwrap();
    assert_eq!(first.reply().unwrap().status, 200);
    assert!(was_called.try_recv().is_err());
    let metrics = get(to, "/metrics").body;
    assert!(metrics.contains("adjudicate_shed_total{reason=\"request\"} 1"), "{metrics}");
    assert!(metrics.contains("adjudicate_errors_total{code=\"host_overloaded\"} 1"), "{metrics}");
}

#[test]
fn calls_beyond_the_memory_are_rejected_although_threads_are_free() {
    let directory = tempfile::tempdir().unwrap();
    let slots = modules::open(directory.path());
    for (name, settings) in [("small", "{}"), ("large", r#"{"limits":{"memory_bytes":33554432}}"#)] {
        let settings = SlotSettings::parse(settings.as_bytes()).unwrap();
        modules::activate(&slots, name, settings, &flagging("1.0.0", "one"));
    }
    let limits = RequestLimits {
        calls: 8,
        memory: 100 << 20,
        queue_wait: SOON,
        request: SOON * 20,
        ..RequestLimits::default()
    };
    let (server, was_called, release) = blocking(limits, Some(slots));
    let to = server.address();
    let evaluate = |slot: &str| post(to, &format!("/v1/slots/{slot}/evaluate"), ENVELOPE);
    let stream = |path: &str| Client::to(to).ask(request("POST", path, &[LINES], "{}\n")).error();
    let overloaded = || "host_overloaded".to_owned();
    // A call of the engine counts as 64 MiB, so 36 MiB are left. The slots count as 24 and 40 MiB, an unknown one as all memory.
    let mut client = Client::to(to);
    client.say(request("POST", "/v1/evaluate", &[JSON], "{}")).unwrap();
    was_called.recv().unwrap();
    assert_eq!(post(to, "/v1/evaluate", "{}").error(), (503, overloaded()));
    assert_eq!(stream("/v1/evaluate"), (200, overloaded()));
    let metrics = get(to, "/metrics").body;
    assert!(metrics.contains("adjudicate_errors_total{code=\"host_overloaded\"} 2"), "{metrics}");
    until("there is room for the small slot", || evaluate("small").status == 200);
    assert_eq!(evaluate("large").error(), (503, overloaded()));
    assert_eq!(evaluate("unknown").error(), (503, overloaded()));
    assert_eq!(stream("/v1/slots/large/evaluate"), (200, overloaded()));
    release.send(()).unwrap();
    assert_eq!(client.reply().unwrap().status, 200);
    // The room of a call is free soon after its reply.
    until("there is room for the large slot", || evaluate("large").status == 200);
    until("there is all room", || evaluate("unknown").error() == (404, "unknown_slot".to_owned()));
}

#[test]
fn connections_over_the_limit_get_503_unless_they_ask_for_health() {
    let limits = RequestLimits {
        connections: 8,
        calls: 8,
        queue_wait: Duration::from_secs(60),
        ..RequestLimits::default()
    };
    let (server, was_called, release) = blocking(limits, None);
    let to = server.address();
    let call = request("POST", "/v1/evaluate", &[JSON], "{}");
    let mut busy: Vec<_> = (0..8).map(|_| Client::to(to)).collect();
    for client in &mut busy {
        client.say(&call).unwrap();
        was_called.recv().unwrap();
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(Client::to(to).ask(request("GET", path, &[], "")).status, 200, "{path}");
    }
    let reply = Client::to(to).ask(&call);
    assert_eq!(reply.error(), (503, "host_overloaded".to_owned()));
    assert_eq!(reply.header("retry-after"), Some("1"));
    let link = "/docs/reference/error-codes.md#host_overloaded>; rel=\"help\"";
    let found = reply.header("link").unwrap().to_owned();
    assert!(found.starts_with("<https://") && found.ends_with(link), "{found}");
    // An agent would run a call after an error.
    let reply = Client::to(to).ask(request("POST", "/v1/hooks/codex/a", &[JSON], "{}"));
    assert!(reply.status == 200 && Agent::Codex.is_denial(&reply.body), "{reply:?}");
    assert_eq!(reply.header("link"), Some(found.as_str()));
    // Such a connection ends after one reply of HTTP/2, too, and soon if it asks for nothing.
    let mut stream = open(to);
    stream.write_all(&frame(HEADERS, 5, 1, &head(0x82, "/healthz", &[]))).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(Client::to(to).rest(), b"");
    drop(release);
    for client in &mut busy {
        assert_eq!(client.reply().unwrap().status, 200);
    }
}

#[test]
fn idle_connections_end_sooner_where_connections_are_scarce() {
    let server = with(RequestLimits { connections: 8, ..RequestLimits::default() });
    let idle: Vec<_> = (0..8).map(|_| Client::to(server.address())).collect();
    let call = request("POST", "/v1/evaluate", &[JSON], ENVELOPE);
    until("a call is answered", || {
        let mut client = Client::to(server.address());
        // It may find the connection closed before it could say anything.
        client.say(&call).is_ok() && client.reply().is_ok_and(|reply| reply.status == 200)
    });
    drop(idle);
}

#[test]
fn a_connection_is_not_for_ever() {
    let server = with(RequestLimits { requests_per_connection: 3, ..RequestLimits::default() });
    let mut client = Client::to(server.address());
    let call = request("POST", "/v1/evaluate", &[JSON], ENVELOPE);
    let ends: Vec<_> = (0..3).map(|_| client.ask(&call).header("connection").map(str::to_owned)).collect();
    assert_eq!(ends, [None, None, Some("close".to_owned())]);
    assert_eq!(client.rest(), b"");
    let server = with(RequestLimits { connection_age: Duration::ZERO, ..RequestLimits::default() });
    let mut client = Client::to(server.address());
    client.say(&call).unwrap();
    client.rest();
}

/// A connection from this address of the loopback network.
fn from(address: &str, to: SocketAddr) -> Client {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
        socket.connect(to).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    Client::over(stream)
}

#[test]
fn idle_connections_of_one_address_leave_room_for_others() {
    const HOUR: Duration = Duration::from_secs(3600);
    let limits = RequestLimits {
        connections: 100,
        idle_by_address: 40,
        head: HOUR,
        pause: HOUR,
        request: HOUR,
        ..RequestLimits::default()
    };
    let (server, was_called, release) = blocking(limits, None);
    let to = server.address();
    // A running call keeps its connection open.
    let call = request("POST", "/v1/evaluate", &[JSON], "{}");
    let mut busy = from("127.0.0.1", to);
    busy.say(&call).unwrap();
    was_called.recv().unwrap();
    // Another address finds room all the time.
    let eventually = |line: &str| {
        until(line, || from("127.0.0.2", to).ask(request("GET", "/metrics", &[], "")).body.contains(line));
    };
    // Without a request, with a part of one, without the body of one, or with HTTP/2 and no request.
    const BEGINNINGS: [&str; 5] = [
        "",
        "G",
        "GET /healthz HTTP/1.1\r\n",
        "POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    let mut idle = Vec::new();
    for round in 1..=5 {
        idle.extend((0..40).map(|number| {
            let mut client = from("127.0.0.1", to);
            client.say(BEGINNINGS[if round < 5 { number % 5 } else { 0 }]).unwrap();
            client
        }));
        if round > 1 {
            eventually(&format!("adjudicate_shed_total{{reason=\"idle\"}} {}\n", (round - 1) * 40));
        }
        // Those of this round, the busy one, and the one that asks.
        eventually("adjudicate_http_connections 42\n");
    }
    // The latest are those that stay.
    let (ended, open) = idle.split_at_mut(160);
    for (number, client) in ended.iter_mut().enumerate() {
        let rest = client.rest();
        // A server of HTTP/2 speaks first.
        assert!(rest.is_empty() || number % 5 == 4, "{number} {rest:?}");
    }
    assert!(open.iter_mut().all(|client| client.ask(request("GET", "/healthz", &[], "")).status == 200));
    release.send(()).unwrap();
    assert_eq!(busy.reply().unwrap().status, 200);
    release.send(()).unwrap();
    assert_eq!(from("127.0.0.2", to).ask(&call).status, 200);
}
