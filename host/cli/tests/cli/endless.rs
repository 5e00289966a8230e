//! Registries with endless or slow answers: the bytes and the time that the command spends on them.

use std::{
    io::Write,
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{
    command::TestFolder,
    modules::good,
    pulling::pull,
    registry::{Answer, MANIFEST, ReceivedRequest, Server, Stock},
};

/// Writes until the client closes the connection, and counts the bytes.
fn flood(to: &mut TcpStream, head: &str, piece: &[u8], sent: &AtomicU64) {
    if to.write_all(head.as_bytes()).is_err() {
        return;
    }
    while to.write_all(piece).is_ok() {
        sent.fetch_add(piece.len() as u64, Ordering::SeqCst);
    }
}

#[test]
fn a_body_or_a_head_without_end_is_not_read_to_the_end() {
    const CHUNKED: &str = "transfer-encoding: chunked\r\n\r\n";
    let typed = format!("HTTP/1.1 200 x\r\ncontent-type: {MANIFEST}\r\n");
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x1_0000], b"\r\n"].concat();
    let stock = Stock::new(&good());
    let layer = stock.manifest["layers"][0]["digest"].as_str().unwrap().to_owned();
    let config = stock.manifest["config"]["digest"].as_str().unwrap().to_owned();
    let cases = [
        ("/manifests/1", format!("{typed}{CHUNKED}"), chunk.clone(), "limit_exceeded"),
        (
            "/manifests/1",
            format!("{typed}content-length: 1048577\r\n\r\n"),
            vec![b' '; 1024],
            "limit_exceeded",
        ),
        ("/manifests/1", format!("{typed}\r\n"), vec![b' '; 1024], "limit_exceeded"),
        ("/manifests/1", format!("HTTP/1.1 404 x\r\n{CHUNKED}"), chunk.clone(), "not_found"),
        (
            "/manifests/1",
            "HTTP/1.1 200 x\r\n".to_owned(),
            b"x-more: and more\r\n".repeat(99),
            "unreadable_input",
        ),
        ("/manifests/1", "HTTP/1.1 200 x\r\nx: ".to_owned(), vec![b'x'; 0x1_0000], "unreadable_input"),
        (config.as_str(), format!("HTTP/1.1 200 x\r\n{CHUNKED}"), chunk.clone(), "unreadable_input"),
        (layer.as_str(), format!("HTTP/1.1 200 x\r\n{CHUNKED}"), chunk, "unreadable_input"),
    ];
    for (place, head, piece, code) in cases {
        let (place, stock, sent) = (place.to_owned(), stock.clone(), Arc::new(AtomicU64::new(0)));
        let (counted, output) = (Arc::clone(&sent), format!("{place} {head:?}"));
        let server = Server::start(move |asked| match asked.path.ends_with(&place) {
            true => {
                let (head, piece, sent) = (head.clone(), piece.clone(), Arc::clone(&counted));
                Answer::raw(move |to| flood(to, &head, &piece, &sent))
            }
            false => stock.answer(asked),
        });
        let run = pull(&TestFolder::new(), &server, &[]);
        assert_eq!(run.code(), code, "{output} {}", run.stderr);
        // More than the limits and what lies in buffers on the way, and far from what fills a memory.
        let sent = sent.load(Ordering::SeqCst);
        assert!(sent < 64 << 20, "{output}: {sent} bytes");
        assert!(!run.stderr.contains("not finished within"), "{output} {}", run.stderr);
    }
}

#[test]
#[ignore = "takes long: `cargo xtask test tests-further`"]
fn a_slow_answer_ends_with_the_time_limit() {
    let drip = |head: &'static str| {
        move |_: &ReceivedRequest| {
            Answer::raw(move |to| {
                let _ = to.write_all(head.as_bytes());
                while to.write_all(b"a").is_ok() {
                    thread::sleep(Duration::from_millis(100));
                }
            })
        }
    };
    let heads = [
        "",
        "HTTP/1.1 200 x\r\nx: ",
        "HTTP/1.1 200 x\r\ncontent-type: application/vnd.oci.image.manifest.v1+json\r\ncontent-length: 9999\r\n\r\n",
    ];
    for head in heads {
        let server = Server::start(drip(head));
        let run = pull(&TestFolder::new(), &server, &["--timeout", "2"]);
        assert_eq!(run.code(), "unreadable_input", "{head:?}");
        assert!(run.stderr.contains("within 2 seconds") || head.is_empty(), "{}", run.stderr);
    }
    // A server that sends one byte now and then.
    let server =
        Server::start(|_| Answer::raw(|to| while to.write_all(b"HTTP/1.1 103 x\r\n\r\n").is_ok() {}));
    let run = pull(&TestFolder::new(), &server, &["--timeout", "1"]);
    assert_eq!(run.code(), "unreadable_input");
    // A silent server.
    let silent = Server::start(|_| Answer::raw(|_| thread::sleep(Duration::from_secs(10))));
    let run = pull(&TestFolder::new(), &silent, &["--timeout", "1"]);
    assert!(run.stderr.contains(r#"not finished within 1 second""#), "{}", run.stderr);
}
