//! The end of a server: no client within the deadline is cut off.

use crate::{
    client::{Client, ENVELOPE, JSON, LINES, get, request, until},
    process::{Process, command, run},
};

/// Sends the first half of a call.
fn half(process: &Process) -> Client {
    let mut client = Client::to(process.address);
    let call = request("POST", "/v1/evaluate", &[JSON], ENVELOPE);
    client.say(&call[..call.len() - 10]).unwrap();
    client
}

/// Waits until `/readyz` reports the end, or no connection is accepted.
fn until_unready(process: &Process) {
    let is_ready = || {
        let mut client = Client::over(std::net::TcpStream::connect(process.address).ok()?);
        client.say(request("GET", "/readyz", &[], "")).ok()?;
        client.reply().ok().filter(|reply| reply.status == 200)
    };
    until("the server is about to end", || is_ready().is_none());
}

fn in_flight(process: &Process, count: u32) {
    while !get(process.address, "/metrics")
        .body
        .contains(&format!("adjudicate_http_requests_in_flight {count}\n"))
    {
        std::thread::yield_now();
    }
}

#[test]
fn running_requests_are_answered_before_the_end() {
    let mut process = Process::start(&["--drain-delay", "1"]);
    let mut call = half(&process);
    let mut stream = Client::to(process.address);
    stream.say("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n").unwrap();
    assert_eq!(stream.head().unwrap().status, 200);
    let mut idle = Client::to(process.address);
    assert_eq!(idle.ask(request("GET", "/healthz", &[], "")).status, 200);
    in_flight(&process, 2);
    process.signal("TERM");
    // For a while it reports its end, and still answers.
    until_unready(&process);
    // Then idle connections are closed, and running requests are answered.
    idle.rest();
    call.say(&ENVELOPE[ENVELOPE.len() - 10..]).unwrap();
    assert_eq!(call.reply().unwrap().status, 200);
    for _ in 0..3 {
        stream.say(format!("{:x}\r\n{ENVELOPE}\n\r\n", ENVELOPE.len() + 1)).unwrap();
        assert!(stream.chunk().unwrap().unwrap().starts_with(br#"{"decision""#));
    }
    stream.say("0\r\n\r\n").unwrap();
    assert_eq!(stream.chunk().unwrap(), None);
    let (status, stated) = process.end();
    assert_eq!((status.code(), stated.trim_end()), (Some(0), r#"{"ended":true,"connections_cut":0}"#));
}

#[test]
fn a_client_over_the_deadline_is_cut_off() {
    let mut process = Process::start(&["--drain-timeout", "0"]);
    let mut call = half(&process);
    in_flight(&process, 2);
    process.signal("INT");
    let (status, stated) = process.end();
    assert_eq!((status.code(), stated.trim_end()), (Some(0), r#"{"ended":true,"connections_cut":1}"#));
    assert_eq!(call.rest(), b"");
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut process = Process::start(&["--drain-delay", "3600"]);
    process.signal("TERM");
    until_unready(&process);
    process.signal("TERM");
    assert_eq!(process.end().0.code(), Some(1));
}

/// `fixtures/commands` has the errors of the options.
#[test]
fn a_port_of_another_server_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("store");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let serve = command(&["serve", "--store", store.to_str().unwrap(), "--listen", &address]);
    let (status, out, error) = run(serve);
    assert_eq!((status, out.as_str(), error.contains("host_fault")), (3, "", true), "{error}");
}

#[test]
fn lines_that_were_begun_are_not_taken_for_all() {
    let mut process = Process::start(&["--drain-timeout", "0"]);
    let mut stream = Client::to(process.address);
    stream.say(request("POST", "/v1/evaluate", &[LINES, ("x", "y")], "")).unwrap();
    assert_eq!(stream.reply().unwrap().body, "");
    let mut stream = Client::to(process.address);
    stream.say("POST /v1/evaluate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/x-ndjson\r\ncontent-length: 100\r\n\r\n{}\n").unwrap();
    assert_eq!(stream.head().unwrap().status, 200);
    assert!(stream.chunk().unwrap().is_some());
    process.signal("TERM");
    assert_eq!(process.end().0.code(), Some(0));
    // The end of a stream is a chunk of its own, and that never came.
    assert!(!stream.rest().ends_with(b"0\r\n\r\n"));
}

/// A log that cannot be written is reported as incomplete, and no request fails.
#[test]
#[cfg(target_os = "linux")]
fn an_unwritable_log_is_reported() {
    for requests in [1, 200] {
        let mut process = Process::start(&["--log", "/dev/full"]);
        let mut client = Client::to(process.address);
        for _ in 0..requests {
            assert_eq!(client.ask(request("GET", "/healthz", &[], "")).status, 200);
        }
        process.signal("TERM");
        let (status, stated) = process.end();
        assert_eq!(status.code(), Some(0));
        assert_eq!(stated.trim_end(), r#"{"ended":true,"connections_cut":0,"log_written":false}"#);
    }
}

/// A log without a reader, on standard error or in a pipe, delays no request and not the end.
#[test]
fn an_unread_log_does_not_delay_the_end() {
    let mut process = Process::start(&["--log", "-"]);
    // More lines than a pipe holds.
    let mut client = Client::to(process.address);
    for _ in 0..2000 {
        assert_eq!(client.ask(request("GET", "/healthz", &[], "")).status, 200);
    }
    process.signal("TERM");
    assert_eq!(process.child.wait().unwrap().code(), Some(0));
}
