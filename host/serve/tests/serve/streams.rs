//! Streams: a call a line, an answer a line.

use std::{io::Write, net::SocketAddr};

use adjudicate_core::Operation;
use adjudicate_serve::{RequestLimits, ServerSettings};

use crate::{
    client::{Client, ENVELOPE, LINES, Reply, request, server, server_with, until},
    modules::{TestStore, answer_with, flagging},
};

/// The head of a stream that is sent in chunks.
const CHUNKED: &str = "POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n";

fn stream(to: SocketAddr, path: &str, body: &str) -> Reply {
    Client::to(to).ask(request("POST", path, &[LINES], body))
}

#[test]
fn lines_are_answered_in_order_and_a_bad_one_alone() {
    let server = server();
    let answer = Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap();
    let refused = |text: &str| Operation::Evaluate.call(text.as_bytes()).unwrap_err().to_json();
    let body = format!("{ENVELOPE}\n\n  \t\r\n[\n{ENVELOPE}\r\n{{}}\n{ENVELOPE}");
    let reply = stream(server.address(), "/v1/evaluate", &body);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/x-ndjson")));
    let lines: Vec<_> = reply.body.lines().collect();
    assert_eq!(lines, [&answer, &refused("["), &answer, &refused("{}"), &answer]);
    assert_eq!(stream(server.address(), "/v1/evaluate", "").body, "");
    assert_eq!(stream(server.address(), "/v1/evaluate", "\n \n").body, "");
}

#[test]
fn many_lines_come_back_all_of_them() {
    let server = server();
    let calls: Vec<_> = (0..5000).map(|n| ENVELOPE.replace("\"r\"", &format!("\"run-{n}\""))).collect();
    let expected: Vec<_> =
        calls.iter().map(|call| Operation::Evaluate.call(call.as_bytes()).unwrap()).collect();
    let mut client = Client::to(server.address());
    client.say(CHUNKED).unwrap();
    // Written and read at once, or both sides would wait for each other.
    let mut out = client.writer();
    let writer = std::thread::spawn(move || {
        for part in calls.join("\n").as_bytes().chunks(7919) {
            out.write_all(&[format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat()).unwrap();
        }
        out.write_all(b"0\r\n\r\n").unwrap();
    });
    let reply = client.reply().unwrap().body;
    writer.join().unwrap();
    let lines: Vec<_> = reply.lines().collect();
    assert_eq!(lines.len(), expected.len());
    assert!(lines == expected);
}

#[test]
fn an_answer_comes_before_the_next_line_is_sent() {
    let server = server();
    let answer = Operation::Evaluate.call(ENVELOPE.as_bytes()).unwrap();
    let mut client = Client::to(server.address());
    client.say(CHUNKED).unwrap();
    for turn in 0..3 {
        client.say(format!("{:x}\r\n{ENVELOPE}\n\r\n", ENVELOPE.len() + 1)).unwrap();
        if turn == 0 {
            assert_eq!(client.head().unwrap().status, 200);
        }
        assert_eq!(client.chunk().unwrap().unwrap(), format!("{answer}\n").into_bytes());
    }
    client.say("0\r\n\r\n").unwrap();
    assert_eq!(client.chunk().unwrap(), None);
}

#[test]
fn a_line_that_is_too_long_is_skipped() {
    let limits = RequestLimits { body: 1000, ..RequestLimits::default() };
    let server = server_with(ServerSettings { limits, ..ServerSettings::default() });
    let long = "x".repeat(100_000);
    let reply = stream(server.address(), "/v1/evaluate", &format!("{ENVELOPE}\n{long}\n{ENVELOPE}\n{long}"));
    let codes: Vec<_> = reply.body.lines().map(|line| line.contains("limit_exceeded")).collect();
    assert_eq!(codes, [false, true, false, true]);
}

#[test]
fn a_slot_answers_lines_and_reports_an_incomplete_one() {
    let place = TestStore::deciding(&flagging("1.0.0", "one"));
    let body = format!("{ENVELOPE}\n{{}}\n");
    let reply = place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[LINES], &body);
    let lines: Vec<_> = reply.body.lines().collect();
    assert_eq!(lines.len(), 2, "{reply:?}");
    assert_eq!(lines[0], answer_with("one"));
    let none = place.ask(&place.evaluate, "POST", "/v1/slots/nobody/evaluate", &[LINES], &body);
    assert_eq!(none.error(), (404, "unknown_slot".to_owned()));
    let unasked = Client::to(place.server.address()).ask(request("POST", "/v1/evaluate", &[LINES], &body));
    assert_eq!(unasked.error(), (401, "unauthorized".to_owned()));
}

#[test]
fn a_pause_that_is_too_long_ends_the_stream_and_says_so() {
    let limits = RequestLimits { pause: std::time::Duration::from_millis(50), ..RequestLimits::default() };
    let server = server_with(ServerSettings { limits, ..ServerSettings::default() });
    let mut client = Client::to(server.address());
    let head = "POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ncontent-length: 10\r\n\r\n{}\n";
    let reply = client.ask(head);
    let lines: Vec<_> = reply.body.lines().collect();
    assert_eq!(lines.len(), 2, "{reply:?}");
    assert!(lines[0].contains("missing_field") && lines[1].contains("request_timeout"), "{reply:?}");
}

#[test]
fn streams_are_counted() {
    let limits = RequestLimits { streams: 1, ..RequestLimits::default() };
    let server = server_with(ServerSettings { limits, ..ServerSettings::default() });
    let mut first = Client::to(server.address());
    first
        .say("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ncontent-length: 10\r\n\r\n")
        .unwrap();
    assert_eq!(first.head().unwrap().status, 200);
    let second = stream(server.address(), "/v1/evaluate", "{}\n");
    assert_eq!(second.error(), (503, "host_overloaded".to_owned()));
    assert_eq!(second.header("retry-after"), Some("1"));
    drop(first);
    until("the first stream has left", || stream(server.address(), "/v1/evaluate", "{}\n").status == 200);
}
