//! Answers that nobody takes: what they hold is bounded, and so is for how long.

use std::{
    io::Read,
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use adjudicate_core::{Error, Operation};
use adjudicate_serve::{Answers, Limits, Server, Settings};

use crate::{
    client::{Client, JSON, LINES, post, request, until},
    frames::{self, DATA, HEADERS, PING, frame},
};

/// Answers everything with a text of this many bytes.
struct Long(usize);

impl Answers for Long {
    fn answer(&self, _: Operation, _: &[u8]) -> Result<String, Error> {
        Ok("a".repeat(self.0))
    }
}

fn server(answer: usize, limits: Limits) -> Server {
    Server::start(Settings { limits, ..Settings::default() }, Long(answer), None).unwrap()
}

/// Asks, and reads nothing but the head of the answer.
fn ask_and_look_away(to: SocketAddr, kind: (&str, &str)) -> Client {
    let mut client = Client::to(to);
    client.say(request("POST", "/v1/evaluate", &[kind], "{}")).unwrap();
    assert_eq!(client.head().unwrap().status, 200);
    client
}

#[test]
fn large_answers_that_are_not_taken_are_bounded_together() {
    // Far more than what a socket holds on its way.
    let hour = Duration::from_secs(3600);
    // Nobody is given up meanwhile, however slow the machine is.
    let limits = Limits { bodies: 100 << 20, request: hour, head: hour, ..Limits::default() };
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
fn an_answer_that_is_larger_than_the_room_is_refused() {
    let server = server(3 << 20, Limits { body: 1 << 20, bodies: 1 << 20, ..Limits::default() });
    assert_eq!(post(server.address(), "/v1/evaluate", "{}").error(), (413, "limit_exceeded".to_owned()));
}

#[test]
fn who_only_says_to_be_alive_does_not_keep_an_answer_for_ever() {
    let hour = Duration::from_secs(3600);
    let limits = Limits { head: hour, pause: hour, request: Duration::from_secs(1), ..Limits::default() };
    let server = server(200_000, limits);
    let mut stream = frames::open(server.address());
    let head = frames::head(0x83, "/v1/evaluate", &[("content-type", "application/json")]);
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    send(&mut stream, &[frame(HEADERS, 4, 1, &head), frame(DATA, 1, 1, b"{}")].concat());
    // The window is never opened, so most of the answer waits; asking for signs of life is answered, and is none.
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

/// Says this, to somebody who may have gone.
fn send(stream: &mut TcpStream, bytes: &[u8]) {
    let _ = std::io::Write::write_all(stream, bytes);
}
