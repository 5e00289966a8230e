//! A Unix socket in addition to the address.

use std::{
    fs,
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
};

use adjudicate_serve::{Native, Server, Settings};

use crate::client::{Client, ENVELOPE, JSON, request};

#[test]
fn a_socket_answers_its_owner_and_goes_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate.sock");
    // A server that was killed leaves its file.
    drop(UnixListener::bind(&path).unwrap());
    let settings = Settings { socket: Some(path.clone()), ..Settings::default() };
    let server = Server::start(settings.clone(), Native::default(), None).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut client = Client::over(UnixStream::connect(&path).unwrap());
    for _ in 0..2 {
        assert_eq!(client.ask(request("POST", "/v1/evaluate", &[JSON], ENVELOPE)).status, 200);
    }
    // The socket of a server that runs stays.
    let error = Server::start(settings, Native::default(), None).unwrap_err();
    assert_eq!(error.code().as_str(), "host_fault");
    assert_eq!(client.ask(request("POST", "/v1/evaluate", &[JSON], ENVELOPE)).status, 200);
    drop(client);
    server.drain();
    assert!(!path.exists());
}

#[test]
fn another_file_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes");
    fs::write(&path, "mine").unwrap();
    let settings = Settings { socket: Some(path.clone()), ..Settings::default() };
    assert!(Server::start(settings, Native::default(), None).is_err());
    assert_eq!(fs::read_to_string(path).unwrap(), "mine");
}
