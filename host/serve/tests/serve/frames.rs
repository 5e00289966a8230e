//! HTTP/2, frame by frame: known attacks.

use std::{
    io::{self, Read, Write},
    iter,
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use crate::client::{get, server};

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
