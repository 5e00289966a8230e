//! TLS: what is spoken, what is refused, and a certificate that is replaced.

use std::{
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    sync::{Arc, mpsc::channel},
    thread::sleep,
    time::Duration,
};

use adjudicate_serve::{Native, RequestLimits, Server, ServerSettings, TlsFiles, codes};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
    SupportedProtocolVersion,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
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
    let settings = ServerSettings { tls: Some(files.clone()), ..ServerSettings::default() };
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
    let limits = RequestLimits { idle_by_address: 4, head: HOUR, ..RequestLimits::default() };
    let settings = ServerSettings { tls: Some(files.clone()), limits, ..ServerSettings::default() };
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
        Server::start(ServerSettings { tls: Some(tls), ..ServerSettings::default() }, Native::default(), None)
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
    assert_eq!(process.reported["tls"], true);
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

#[test]
fn spans_reach_the_collector_of_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let files = certify(directory.path());
    let certificate = CertificateDer::from_pem_file(&files.certificates).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], PrivateKeyDer::from_pem_file(&files.key).unwrap())
        .unwrap();
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/otlp", collector.local_addr().unwrap().port());
    let (sender, requests) = channel();
    std::thread::spawn(move || {
        let (socket, _) = collector.accept().unwrap();
        let connection = ServerConnection::new(Arc::new(config)).unwrap();
        let mut stream = BufReader::new(StreamOwned::new(connection, socket));
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(stream.read_line(&mut head).unwrap(), 0, "{head}");
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.unwrap().parse().unwrap()];
        stream.read_exact(&mut body).unwrap();
        stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        sender.send((head, String::from_utf8_lossy(&body).into_owned())).unwrap();
    });
    let variables = [
        ("SSL_CERT_FILE", files.certificates.to_str().unwrap()),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &url),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret"),
        ("OTEL_SERVICE_NAME", "gate-of-tests"),
    ];
    let mut process = Process::with_variables(&[], &variables);
    assert_eq!(get(process.address, "/healthz").status, 200);
    process.signal("TERM");
    assert_eq!(process.end().0.code(), Some(0));
    let (head, body) = requests.recv().unwrap();
    assert!(head.starts_with("POST /otlp/v1/traces HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("\r\nx-key: secret\r\n"), "{head}");
    // Texts stand in the body as they are.
    assert!(body.contains("gate-of-tests") && body.contains("GET /healthz"), "{body}");
}
