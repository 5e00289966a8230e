//! Answers that clients do not read: their memory and their time are bounded.

use std::{
    io::Read,
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use adjudicate_core::{Error, Operation};
use adjudicate_serve::{CallHandler, RequestLimits, Server, ServerSettings};

use crate::{
    client::{Client, JSON, LINES, post, request, until},
    frames::{self, DATA, HEADERS, PING, frame},
};

/// Answers everything with a text of this many bytes.
struct Long(usize);

impl CallHandler for Long {
    fn answer(&self, _: Operation, _: &[u8]) -> Result<String, Error> {
        Ok("a".repeat(self.0))
    }
}

fn server(answer: usize, limits: RequestLimits) -> Server {
    Server::start(ServerSettings { limits, ..ServerSettings::default() }, Long(answer), None).unwrap()
}

/// Sends a request, and reads only the headers of the answer.
fn ask_and_look_away(to: SocketAddr, kind: (&str, &str)) -> Client {
    let mut client = Client::to(to);
    client.say(request("POST", "/v1/evaluate", &[kind], "{}")).unwrap();
    assert_eq!(client.head().unwrap().status, 200);
    client
}

#[test]
fn unread_large_answers_share_a_bound() {
    // Far more than the buffers of a socket.
    let hour = Duration::from_secs(3600);
    // The limit is long enough for slow machines.
    let limits = RequestLimits { bodies: 100 << 20, request: hour, head: hour, ..RequestLimits::default() };
    let server = server(64 << 20, limits);
    let to = server.address();
    let first = ask_and_look_away(to, JSON);
    assert_eq!(post(to, "/v1/evaluate", "{}").error(), (503, "host_overloaded".to_owned()));
    // A stream whose answer there is no room for says so, and ends.
    let stream = Client::to(to).ask(request("POST", "/v1/evaluate", &[LINES], "{}\n{}\n"));
    assert_eq!((stream.status, stream.json()["error"]["code"].as_str()), (200, Some("host_overloaded")));
    drop(first);
    until("there is room again", || post(to, "/v1/evaluate", "{}").status == 200);
}

#[test]
fn an_answer_over_the_budget_is_rejected() {
    let server =
        server(3 << 20, RequestLimits { body: 1 << 20, bodies: 1 << 20, ..RequestLimits::default() });
    assert_eq!(post(server.address(), "/v1/evaluate", "{}").error(), (413, "limit_exceeded".to_owned()));
}

#[test]
fn pings_alone_do_not_keep_an_answer() {
    let hour = Duration::from_secs(3600);
    let limits = RequestLimits {
        head: hour,
        pause: hour,
        request: Duration::from_secs(1),
        ..RequestLimits::default()
    };
    let server = server(200_000, limits);
    let mut stream = frames::open(server.address());
    let head = frames::head(0x83, "/v1/evaluate", &[("content-type", "application/json")]);
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    send(&mut stream, &[frame(HEADERS, 4, 1, &head), frame(DATA, 1, 1, b"{}")].concat());
    // The client never opens the window, so most of the answer waits. The server answers pings, which do not count as
    // reading.
    let mut ignored = [0; 1 << 16];
    loop {
        send(&mut stream, &frame(PING, 0, 0, &[0; 8]));
        match stream.read(&mut ignored) {
            Ok(0) => return,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return,
            _ => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// Sends bytes. The server may have closed the connection.
fn send(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = std::io::Write::write_all(stream, bytes);
}
