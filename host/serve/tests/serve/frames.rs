//! Known attacks: HTTP/2 frame by frame, and answers that clients do not read. Their memory and their time are bounded.

use std::{
    io::{self, Read, Write},
    iter,
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use adjudicate_core::{Error, Operation};
use adjudicate_serve::{CallHandler, RequestLimits, Server, ServerSettings};

use crate::client::{Client, JSON, LINES, get, post, request, server, until};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const CONTINUATION: u8 = 9;

pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A head, in the compression that needs no table. The method is 0x82 for GET, and 0x83 for POST.
pub(crate) fn head(method: u8, path: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let mut head = vec![method, 0x86];
    let mut text = |text: &str, index: Option<u8>| {
        head.extend(index);
        head.push(u8::try_from(text.len()).unwrap());
        head.extend(text.as_bytes());
    };
    text(path, Some(4));
    text("localhost", Some(1));
    for (name, value) in fields {
        text(name, Some(0));
        text(value, None);
    }
    head
}

fn health() -> Vec<u8> {
    head(0x82, "/healthz", &[])
}

pub(crate) fn open(to: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(to).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(&[PREFACE, &frame(SETTINGS, 0, 0, &[])].concat()).unwrap();
    stream
}

/// The kind and the payload of the next frame.
fn next_frame(stream: &mut TcpStream) -> io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 9];
    stream.read_exact(&mut head)?;
    let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
    stream.read_exact(&mut payload)?;
    Ok((head[3], payload))
}

#[test]
fn fields_are_counted_as_in_the_other_version() {
    let server = server();
    for (count, is_taken) in [(64, true), (65, false)] {
        let mut stream = open(server.address());
        stream.write_all(&frame(HEADERS, 5, 1, &head(0x82, "/healthz", &vec![("x", "y"); count]))).unwrap();
        let mut frames = iter::repeat_with(|| next_frame(&mut stream).unwrap());
        let (_, reply) = frames.find(|(kind, _)| *kind == HEADERS).unwrap();
        // In the static table, 200 is one byte; 431 is not in it.
        assert_eq!(reply.first() == Some(&0x88), is_taken, "{count} {reply:?}");
    }
}

#[test]
fn streams_that_are_opened_to_be_given_up_end_the_connection() {
    let server = server();
    let mut stream = open(server.address());
    for index in 0..100_000_u32 {
        let id = index * 2 + 1;
        let both =
            [frame(HEADERS, 5, id, &health()), frame(RST_STREAM, 0, id, &8_u32.to_be_bytes())].concat();
        if stream.write_all(&both).is_err() {
            break;
        }
    }
    // The server sends GOAWAY, or the connection is gone before that can be read.
    let end = iter::repeat_with(|| next_frame(&mut stream))
        .find(|frame| frame.as_ref().map_or(true, |(kind, _)| *kind == GO_AWAY));
    let is_late = |error: io::Error| error.kind() == io::ErrorKind::WouldBlock;
    assert!(!end.unwrap().is_err_and(is_late), "the connection goes on");
    assert_eq!(get(server.address(), "/healthz").status, 200);
}

#[test]
fn a_head_without_an_end_ends_the_connection() {
    let server = server();
    let mut stream = open(server.address());
    stream.write_all(&frame(HEADERS, 1, 1, &health())).unwrap();
    let part = [&[0_u8, 1, b'x', 100][..], &[b'y'; 100]].concat();
    while stream.write_all(&frame(CONTINUATION, 0, 1, &part)).is_ok() {}
    assert_eq!(get(server.address(), "/healthz").status, 200);
}

/// Answers everything with a text of this many bytes.
struct Long(usize);

impl CallHandler for Long {
    fn answer(&self, _: Operation, _: &[u8]) -> Result<String, Error> {
        Ok("a".repeat(self.0))
    }
}

fn slow_server(answer: usize, limits: RequestLimits) -> Server {
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
    let server = slow_server(64 << 20, limits);
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
        slow_server(3 << 20, RequestLimits { body: 1 << 20, bodies: 1 << 20, ..RequestLimits::default() });
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
    let server = slow_server(200_000, limits);
    let mut stream = open(server.address());
    let head = head(0x83, "/v1/evaluate", &[("content-type", "application/json")]);
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
