//! TLS: what is spoken, what is refused, and a certificate that is replaced.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    path::Path,
    sync::Arc,
    thread::sleep,
    time::Duration,
};

use adjudicate_serve::{Limits, Native, Server, Settings, TlsFiles, codes};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject},
    version::{TLS12, TLS13},
};

use crate::{
    client::{Client, ENVELOPE, JSON, get, request},
    process::Process,
};

/// Writes a fresh certificate for `localhost` and its key.
fn certify(directory: &Path) -> TlsFiles {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let files = TlsFiles { certificates: directory.join("cert.pem"), key: directory.join("key.pem") };
    std::fs::write(&files.certificates, made.cert.pem()).unwrap();
    std::fs::write(&files.key, made.signing_key.serialize_pem()).unwrap();
    files
}

type Secured = Client<StreamOwned<ClientConnection, TcpStream>>;

fn connect(
    to: std::net::SocketAddr,
    certificates: &Path,
    versions: &[&'static SupportedProtocolVersion],
) -> Secured {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(certificates).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connection = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let socket = TcpStream::connect(to).unwrap();
    socket.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
    Client::over(StreamOwned::new(connection, socket))
}

#[test]
fn both_versions_are_spoken_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let files = certify(directory.path());
    let settings = Settings { tls: Some(files.clone()), ..Settings::default() };
    let server = Server::start(settings, Native::default(), None).unwrap();
    for version in [&TLS12, &TLS13] {
        let mut client = connect(server.address(), &files.certificates, &[version]);
        for _ in 0..2 {
            assert_eq!(client.ask(request("POST", "/v1/evaluate", &[JSON], ENVELOPE)).status, 200);
        }
    }
    // Plain HTTP, garbage and half of a greeting, each ends alone.
    for garbage in [
        &b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n"[..],
        &[0xff; 1000],
        &[22, 3, 1, 0xff, 0xff, 1],
        &[],
    ] {
        let mut client = Client::to(server.address());
        let _ = client.say(garbage);
        if !garbage.is_empty() && garbage[0] != 22 {
            assert!(!client.rest().starts_with(b"HTTP"));
        }
    }
    let mut client = connect(server.address(), &files.certificates, &[&TLS13]);
    assert_eq!(client.ask(request("GET", "/healthz", &[], "")).status, 200);
}

#[test]
fn connections_without_a_greeting_are_bounded_by_address() {
    const HOUR: Duration = Duration::from_secs(3600);
    let directory = tempfile::tempdir().unwrap();
    let files = certify(directory.path());
    let limits = Limits { idle_by_address: 4, head: HOUR, ..Limits::default() };
    let settings = Settings { tls: Some(files.clone()), limits, ..Settings::default() };
    let server = Server::start(settings, Native::default(), None).unwrap();
    // Silent, or with the beginning of a record.
    let mut silent: Vec<_> = (0..8)
        .map(|number| {
            let mut socket = TcpStream::connect(server.address()).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            socket.write_all(if number % 2 == 0 { b"" } else { b"\x16\x03\x01" }).unwrap();
            // A connection is taken in when it is accepted, and the order matters here.
            sleep(Duration::from_millis(20));
            socket
        })
        .collect();
    let mut secured = connect(server.address(), &files.certificates, &[&TLS13]);
    assert_eq!(secured.ask(request("GET", "/healthz", &[], "")).status, 200);
    for socket in &mut silent[..4] {
        assert!(!matches!(socket.read(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock));
    }
    let late = silent.last_mut().unwrap();
    late.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    assert!(matches!(late.read(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock));
}

#[test]
fn tls_on_the_plain_port_is_refused() {
    let server = crate::client::server();
    let mut client = Client::to(server.address());
    client.say([22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]).unwrap();
    let refused = client.rest();
    assert!(refused.is_empty() || refused.starts_with(b"HTTP/1.1 400"), "{refused:?}");
    assert_eq!(get(server.address(), "/healthz").status, 200);
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let files = certify(directory.path());
    let start = |tls: TlsFiles| {
        Server::start(Settings { tls: Some(tls), ..Settings::default() }, Native::default(), None)
            .map(drop)
            .unwrap_err()
    };
    let empty = directory.path().join("empty.pem");
    std::fs::write(&empty, "").unwrap();
    let other = tempfile::tempdir().unwrap();
    let foreign = certify(other.path());
    for tls in [
        TlsFiles { certificates: empty.clone(), ..files.clone() },
        TlsFiles { key: empty, ..files.clone() },
        TlsFiles { key: "nowhere".into(), ..files.clone() },
        TlsFiles { certificates: files.key.clone(), ..files.clone() },
        TlsFiles { key: foreign.key, ..files },
    ] {
        let error = start(tls);
        assert_eq!(error.code(), codes::UNREADABLE_INPUT, "{error}");
    }
}

#[test]
fn a_new_certificate_is_taken_at_a_signal_and_a_broken_one_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let files = certify(directory.path());
    let [certificates, key] = [files.certificates.to_str().unwrap(), files.key.to_str().unwrap()];
    let mut process = Process::start(&["--tls-cert", certificates, "--tls-key", key]);
    assert_eq!(process.said["tls"], true);
    let old = directory.path().join("old.pem");
    std::fs::copy(&files.certificates, &old).unwrap();
    let mut before = connect(process.address, &old, &[&TLS13]);
    assert_eq!(before.ask(request("GET", "/healthz", &[], "")).status, 200);
    certify(directory.path());
    process.signal("HUP");
    assert_eq!(process.line(), r#"{"reloaded":true}"#);
    let mut after = connect(process.address, &files.certificates, &[&TLS13]);
    assert_eq!(after.ask(request("GET", "/healthz", &[], "")).status, 200);
    // Connections that are there go on.
    assert_eq!(before.ask(request("GET", "/healthz", &[], "")).status, 200);
    std::fs::write(&files.certificates, "broken").unwrap();
    process.signal("HUP");
    assert!(process.line().contains("unreadable_input"));
    std::fs::write(&files.certificates, "").unwrap();
    assert!(connect(process.address, &old, &[&TLS13]).say(request("GET", "/healthz", &[], "")).is_err());
}
