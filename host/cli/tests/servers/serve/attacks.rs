//! A process under all attacks at once that the other tests try one by one. It answers afterwards, has not panicked, and holds no
//! more memory than before.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use crate::{
    client::{Client, ENVELOPE, JSON, get, post, request},
    process::Process,
};

/// KiB by which the process may be larger after an attack than after the same attack before.
const GROWTH: u64 = 16 << 10;

/// The bytes of a connection, and the allowed beginnings of the reply, if there is one.
pub(crate) fn words() -> Vec<(Vec<u8>, &'static [&'static str])> {
    let call = |more: &str, body: &str| {
        format!("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{more}\r\n\r\n{body}").into_bytes()
    };
    let refused: &[&str] = &["HTTP/1.1 4"];
    let long = "a".repeat(60_000);
    vec![
        // Two lengths, and a second request inside of the first.
        (call("content-length: 2\r\ncontent-length: 5", "{}GET"), refused),
        (call("content-length: -1", ""), refused),
        (call("content-length: +2", "{}"), refused),
        (call("content-length: 2, 2", "{}"), refused),
        (call("content-length: 0x10", ""), refused),
        (call("content-length: 99999999999999999999999", ""), refused),
        (call("transfer-encoding: gzip", ""), refused),
        (call("transfer-encoding: chunked, identity", "0\r\n\r\n"), refused),
        (call("transfer-encoding: xchunked", "0\r\n\r\n"), refused),
        (call("transfer-encoding: gzip, chunked", "0\r\n\r\n"), refused),
        (call("transfer-encoding : chunked", "0\r\n\r\n"), refused),
        (call("transfer-encoding: chunked", "zz\r\n{}\r\n0\r\n\r\n"), refused),
        (call("transfer-encoding: chunked", "2\r\n{}XX0\r\n\r\n"), refused),
        (call("transfer-encoding: chunked", "ffffffffffffffffff\r\n"), refused),
        (call("x: y\r\n folded: z", ""), refused),
        (call("x\0y: z", ""), refused),
        (call("x: \0", ""), refused),
        (call(": z", ""), refused),
        (call("content-length: 3", "\u{1}\u{2}\u{3}"), refused),
        (b"GET /\r\n".to_vec(), refused),
        (b"GET\r\n\r\n".to_vec(), refused),
        (b"GET / HTTP/9.9\r\n\r\n".to_vec(), refused),
        (b"\r\n\r\n\r\n\0\0\0\0".to_vec(), refused),
        ([0xff; 500].to_vec(), refused),
        (vec![22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0, 0, 0, 0, 0], refused),
        (request("GET", "/v1/slots/%00/evaluate", &[], ""), refused),
        (request("POST", "/v1/slots/..%2f..%2fetc/evaluate", &[JSON], ENVELOPE), refused),
        (request("POST", "/v1/slots/%F0%9F%92%A9/evaluate", &[JSON], ENVELOPE), refused),
        (request("POST", "/v1/slots/%ff/evaluate", &[JSON], ENVELOPE), refused),
        (request("GET", "/%2e%2e/%2e%2e/etc/passwd", &[], ""), refused),
        (request("GET", "/../../etc/passwd", &[], ""), refused),
        (request("GET", "\\..\\etc", &[], ""), refused),
        (request("GET", &format!("/{}", &long[..20_000]), &[], ""), refused),
        (request("GET", &format!("/healthz?{}", &long[..20_000]), &[], ""), refused),
        (request("GET", "/healthz", &[("x-long", &long)], ""), refused),
        (request("CONNECT", "localhost:22", &[], ""), refused),
        (request("GET", "/v1/slots", &[("authorization", "Bearer adj_0000000000000000_0")], ""), refused),
        (request("POST", "/v1/evaluate", &[JSON], "[".repeat(100_000)), refused),
        (request("POST", "/v1/evaluate", &[JSON], b"{\"a\":\"\xff\xfe\"}"), refused),
        (request("POST", "/v1/evaluate", &[JSON], "\u{feff}{}"), refused),
        (request("POST", "/v1/evaluate", &[JSON, ("content-encoding", "gzip")], [0x1f, 0x8b, 8, 0]), refused),
        (request("POST", "/v1/evaluate", &[JSON], " ".repeat(9 << 20)), refused),
        (
            request(
                "GET",
                "/healthz",
                &[
                    ("upgrade", "h2c"),
                    ("connection", "upgrade"),
                    ("http2-settings", "AAMAAABkAARAAAAAAAIAAAAA"),
                ],
                "",
            ),
            &["HTTP/1.1 200"],
        ),
        (request("POST", "/v1/evaluate", &[JSON], ENVELOPE), &["HTTP/1.1 200"]),
    ]
}

fn attack(to: SocketAddr) {
    for (bytes, expected) in words() {
        let mut stream = TcpStream::connect(to).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let reply = String::from_utf8_lossy(&reply);
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned();
        // A peer that is cut off while it still talks may never read why.
        assert!(
            reply.is_empty() || expected.iter().any(|start| reply.starts_with(start)),
            "{shown}\n{reply}"
        );
    }
    // Bodies that never come, heads that never end, and people who leave.
    let mut waiting = Vec::new();
    for index in 0..200 {
        let mut client = Client::to(to);
        let half = &request("POST", "/v1/evaluate", &[JSON], ENVELOPE)[..40 + index];
        if client.say(half).is_ok() {
            waiting.push(client);
        }
    }
    drop(waiting);
    for guess in 0..300_u32 {
        let token = format!("Bearer adj_{guess:016x}_{guess:064x}");
        let status =
            Client::to(to).ask(request("GET", "/v1/modules", &[("authorization", &token)], "")).status;
        assert!([401, 429].contains(&status));
    }
}

#[test]
fn after_all_of_it_the_server_answers_and_is_no_larger() {
    let mut process = Process::start(&["--idle-timeout", "1", "--request-timeout", "2"]);
    let to = process.address;
    let _ = get(to, "/v1/slots/nobody");
    // The first round makes the allocations that happen once. Later rounds must add none.
    for _ in 0..2 {
        attack(to);
    }
    let before = process.memory();
    for _ in 0..4 {
        attack(to);
    }
    let after = process.memory();
    assert!(after <= before + GROWTH, "{before} KiB before, {after} KiB after");
    assert_eq!(post(to, "/v1/evaluate", ENVELOPE).status, 200);
    assert_eq!(get(to, "/readyz").status, 200);
    assert!(process.child.try_wait().unwrap().is_none());
    process.signal("TERM");
    let (status, reported) = process.end();
    assert_eq!((status.code(), reported.contains("panicked")), (Some(0), false), "{reported}");
}

#[test]
fn thousands_of_idle_connections_leave_the_server_usable() {
    let mut process = Process::start(&["--max-connections", "200", "--idle-timeout", "1"]);
    let to = process.address;
    let mut idle = Vec::new();
    for _ in 0..3000 {
        // The machine may have fewer descriptors than that.
        match TcpStream::connect(to) {
            Ok(stream) => idle.push(stream),
            Err(_) => break,
        }
    }
    assert!(idle.len() >= 500, "{}", idle.len());
    // A new client gets 503 now, and is accepted after the idle connections are closed.
    loop {
        let mut client = Client::to(to);
        if client.say(request("POST", "/v1/evaluate", &[JSON], ENVELOPE)).is_ok()
            && client.reply().is_ok_and(|reply| reply.status == 200)
        {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(idle);
    process.signal("TERM");
    assert_eq!(process.end().0.code(), Some(0));
}

#[test]
fn a_request_inside_of_another_is_not_answered() {
    let server = crate::client::server();
    let inner = "GET /v1/nothing HTTP/1.1\r\nhost: localhost\r\n\r\n";
    for more in [
        "content-length: 5\r\ntransfer-encoding: chunked",
        "transfer-encoding: chunked\r\ncontent-length: 5",
        "content-length: 50\r\ntransfer-encoding: chunked",
    ] {
        // To a reader of the length the second request is part of the first; to a reader of the chunks it is a second one. Both
        // may be in front of us, so nothing is read behind such a request.
        let mut client = Client::to(server.address());
        let text = format!(
            "POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{more}\r\n\r\n0\r\n\r\n{inner}"
        );
        client.say(text).unwrap();
        let all = String::from_utf8(client.rest()).unwrap();
        assert!(all.matches("HTTP/1.1 ").count() <= 1 && !all.contains("not_found"), "{more}\n{all}");
    }
}

#[test]
fn a_transfer_encoding_other_than_chunked_alone_is_400_and_ends_the_connection() {
    let server = crate::client::server();
    let chunks = format!("{:x}\r\n{ENVELOPE}\r\n0\r\n\r\n", ENVELOPE.len());
    let ask = |more: &str| {
        let mut client = Client::to(server.address());
        let head = "POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
        let inner = "GET /v1/nothing HTTP/1.1\r\nhost: localhost\r\n\r\n";
        client.say(format!("{head}\r\n{more}\r\n\r\n{chunks}{inner}")).unwrap();
        client
    };
    let all = |more: &str| String::from_utf8(ask(more).rest()).unwrap();
    for more in [
        "transfer-encoding: gzip, chunked",
        "transfer-encoding: chunked, chunked",
        "transfer-encoding: identity, chunked",
        "transfer-encoding: , chunked",
        "transfer-encoding: \"chunked\"",
        "transfer-encoding: chunked;q=1",
        "transfer-encoding: chunked\r\ntransfer-encoding: chunked",
        "transfer-encoding: gzip\r\ntransfer-encoding: chunked",
        "transfer-encoding: chunked\r\ntransfer-encoding: identity",
        "transfer-encoding: identity",
        "transfer-encoding: deflate",
        "transfer-encoding:",
        "transfer-encoding: gzip, chunked\r\ncontent-length: 3",
        "content-length: 3\r\ntransfer-encoding: identity",
    ] {
        let all = all(more);
        assert!(all.starts_with("HTTP/1.1 400 ") && all.matches("HTTP/1.1 ").count() == 1, "{more}\n{all}");
    }
    for more in ["transfer-encoding: chunked", "transfer-encoding: Chunked", "Transfer-Encoding:  CHUNKED  "]
    {
        let mut client = ask(more);
        assert_eq!((client.reply().unwrap().status, client.reply().unwrap().status), (200, 404), "{more}");
    }
    // With a length as well, the chunks count, and nothing is read behind them.
    for more in
        ["transfer-encoding: chunked\r\ncontent-length: 3", "content-length: 3\r\ntransfer-encoding: chunked"]
    {
        let all = all(more);
        assert!(all.starts_with("HTTP/1.1 200 ") && all.matches("HTTP/1.1 ").count() == 1, "{more}\n{all}");
    }
}
