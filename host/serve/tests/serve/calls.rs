//! Calls of every operation, natively and of slots, one by one and in streams: a call a line, an answer a line.

use std::{io::Write, net::SocketAddr};

use adjudicate_core::{Operation, Policy};
use adjudicate_serve::{Native, RequestLimits, Server, ServerSettings};

use crate::{
    client::{Client, ENVELOPE, JSON, LINES, Reply, get, post, request, server, server_with, until},
    modules::{TestStore, answer_with, flagging, reporting, trapping},
};

#[test]
fn every_operation_answers_with_the_engines_bytes() {
    let server = server();
    let mut client = Client::to(server.address());
    for operation in Operation::ALL {
        for name in [operation.name().to_owned(), operation.name().replace('_', "-")] {
            let path = format!("/v1/{name}");
            for body in ["{}", "[", "", "{\"envelope\":{}}", ENVELOPE] {
                let reply = client.ask(request("POST", &path, &[JSON], body));
                let (expected, is_answer) = match operation.call(body.as_bytes()) {
                    Ok(answer) => (answer, true),
                    Err(error) => (error.to_json(), false),
                };
                assert_eq!(reply.body, expected, "{path} {body}");
                assert_eq!(reply.status == 200, is_answer, "{path} {body}");
                assert_eq!(reply.header("content-type"), Some("application/json"));
            }
        }
    }
    assert_eq!(post(server.address(), "/v1/evaluate", ENVELOPE).status, 200);
}

#[test]
fn the_policy_of_the_server_applies_and_calls_cannot_bring_another() {
    let policy = br#"{"policy":"strict","version":"1.0.0","forbidden_paths":["src/**"]}"#;
    let native = Native::with_policy(Policy::parse(policy).unwrap());
    let server = Server::start(ServerSettings::default(), native, None).unwrap();
    let answer = post(server.address(), "/v1/evaluate", ENVELOPE);
    assert_eq!(answer.json()["policy"]["name"], "strict");
    assert_eq!(answer.json()["decision"]["status"], "unsafe");
    let other = format!(r#"{{"envelope":{ENVELOPE},"policy":{{"policy":"p","version":"1.0.0"}}}}"#);
    assert_eq!(post(server.address(), "/v1/evaluate", other).error(), (422, "invalid_value".to_owned()));
}

#[test]
fn a_slot_answers_and_names_the_entry_that_decided() {
    let place = TestStore::deciding(&flagging("1.0.0", "one"));
    let entry = place.slots.slot("release").unwrap().entry();
    let digest = entry.state.active.unwrap().base.module.to_string();
    let reply = place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE);
    assert_eq!((reply.status, reply.body.as_str()), (200, answer_with("one").as_str()));
    assert_eq!(reply.header("adjudicate-entry"), Some(entry.id.to_string().as_str()));
    assert_eq!(reply.header("adjudicate-by"), Some("active"));
    assert_eq!(reply.header("adjudicate-modules"), Some(digest.as_str()));
    assert_eq!(reply.header("adjudicate-fault"), None);

    let ask = |path: &str| place.ask(&place.evaluate, "POST", path, &[JSON], ENVELOPE).error();
    assert_eq!(ask("/v1/slots/release/refine"), (501, "unsupported_operation".to_owned()));
    assert_eq!(ask("/v1/slots/nobody/evaluate"), (404, "unknown_slot".to_owned()));
}

#[test]
fn a_module_that_fails_is_not_the_callers_fault_and_what_it_reports_is() {
    let place = TestStore::deciding(&trapping("1.0.0"));
    let ask = |place: &TestStore| {
        place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE)
    };
    assert_eq!(ask(&place).error(), (502, "module_trap".to_owned()));
    let settings = r#"{"settings":{"on_fault":"fail_closed"}}"#;
    let put = place.ask(&place.admin, "PUT", "/v1/slots/release/settings", &[JSON], settings);
    assert_eq!(put.status, 200, "{put:?}");
    let reply = ask(&place);
    assert_eq!((reply.status, &reply.json()["decision"]["status"]), (200, &"unsafe".into()));
    assert_eq!(reply.header("adjudicate-by"), Some("fail_closed"));
    assert_eq!(reply.header("adjudicate-fault"), Some("module_trap"));

    let place = TestStore::deciding(&reporting("1.0.0"));
    let reply = ask(&place);
    assert_eq!(reply.error(), (422, "too_blue".to_owned()));
    assert!(!reply.body.contains('\n'));
}

#[test]
fn addresses_and_methods_are_exact() {
    let server = server();
    let to = server.address();
    for path in [
        "/",
        "/v1/nothing",
        "/v1/evaluate/",
        "/v1//evaluate",
        "/v1/Evaluate",
        "/v1/%65valuate",
        "/v1/evaluate%2f",
        "/v1/../v1/evaluate",
        "/v1/validate--plan",
        "/v1/slots/a/b/c/evaluate",
        "/v1/slots//evaluate",
    ] {
        assert_eq!(post(to, path, "{}").error(), (404, "not_found".to_owned()), "{path}");
    }
    for (method, path, allow) in [
        ("GET", "/v1/evaluate", "POST"),
        ("PUT", "/v1/evaluate", "POST"),
        ("TRACE", "/v1/evaluate", "POST"),
        ("OPTIONS", "/v1/evaluate", "POST"),
        ("POST", "/healthz", "GET,HEAD"),
        ("DELETE", "/v1/modules", "GET,HEAD,POST"),
        ("BREW", "/v1/slots/a", "GET,HEAD,PUT,DELETE"),
    ] {
        let reply = Client::to(to).ask(request(method, path, &[JSON], "{}"));
        assert_eq!(reply.error(), (405, "method_not_allowed".to_owned()), "{method} {path}");
        assert_eq!(reply.header("allow"), Some(allow), "{method} {path}");
    }
    let query = post(to, "/v1/evaluate?pretty", ENVELOPE);
    assert_eq!(query.error(), (400, "wrong_usage".to_owned()));
    assert_eq!(get(to, "/healthz").json()["status"], "alive");
    assert_eq!(get(to, "/readyz").json()["ready"], true);
    // Without a store there are no slots, for any caller.
    assert_eq!(post(to, "/v1/slots/a/evaluate", ENVELOPE).error(), (404, "not_found".to_owned()));
}

#[test]
fn requests_that_a_web_page_can_make_are_rejected() {
    let server = server();
    let ask = |method: &str, headers: &[(&str, &str)]| {
        Client::to(server.address()).ask(request(method, "/v1/evaluate", headers, ENVELOPE))
    };
    let page = ("origin", "http://evil.example");
    for (method, more) in [("POST", JSON), ("OPTIONS", ("access-control-request-method", "POST"))] {
        let reply = ask(method, &[page, more]);
        assert_eq!(reply.error(), (403, "forbidden".to_owned()), "{method}");
        assert!(!reply.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{reply:?}");
    }
    // A form can send this content type.
    let form = ask("POST", &[("content-type", "text/plain")]);
    assert_eq!(form.error(), (415, "unsupported_media_type".to_owned()));
}

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
