//! A Unix socket in addition to the address.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::{
        fs::PermissionsExt,
        net::{UnixListener, UnixStream},
    },
    path::Path,
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use adjudicate_core::Error;
use adjudicate_serve::{Native, Server, ServerSettings};

use crate::client::{Client, ENVELOPE, JSON, request};

fn start(socket: &Path) -> Result<Server, Error> {
    let settings = ServerSettings { socket: Some(socket.to_owned()), ..ServerSettings::default() };
    Server::start(settings, Native::default(), None)
}

#[test]
fn a_socket_answers_its_owner_and_goes_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate.sock");
    // A server that was killed leaves its file.
    drop(UnixListener::bind(&path).unwrap());
    let server = start(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut client = Client::over(UnixStream::connect(&path).unwrap());
    for _ in 0..2 {
        assert_eq!(client.ask(request("POST", "/v1/evaluate", &[JSON], ENVELOPE)).status, 200);
    }
    // The socket of a server that runs stays.
    assert_eq!(start(&path).unwrap_err().code().as_str(), "host_fault");
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
    assert!(start(&path).is_err());
    assert_eq!(fs::read_to_string(path).unwrap(), "mine");
}

#[test]
fn of_servers_that_start_at_once_one_has_the_socket() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gate.sock");
        drop(UnixListener::bind(&path).unwrap());
        let begin = Barrier::new(4);
        let start = || {
            begin.wait();
            start(&path)
        };
        let started: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(started.iter().filter(|server| server.is_ok()).count(), 1, "{started:?}");
        let mut client = Client::over(UnixStream::connect(&path).unwrap());
        assert_eq!(client.ask(request("POST", "/v1/evaluate", &[JSON], ENVELOPE)).status, 200);
        // Nothing else is left in the folder.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_server_removes_only_its_own_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate.sock");
    let server = start(&path).unwrap();
    fs::rename(&path, folder.path().join("moved")).unwrap();
    let _other = UnixListener::bind(&path).unwrap();
    server.drain();
    assert!(path.exists());
}

#[test]
fn no_other_user_can_connect_before_the_permissions_are_set() {
    let folder = tempfile::tempdir().unwrap();
    let is_over = AtomicBool::new(false);
    let watch = || {
        let mut modes = BTreeSet::new();
        while !is_over.load(Ordering::Relaxed) {
            let files = fs::read_dir(folder.path()).unwrap();
            // A file may be gone by now.
            let found = files.filter_map(|file| file.ok()?.metadata().ok());
            modes.extend(found.map(|file| file.permissions().mode() & 0o777));
        }
        modes
    };
    let modes = thread::scope(|scope| {
        let watch = scope.spawn(watch);
        let path = folder.path().join("gate.sock");
        let started: Result<Vec<()>, _> = (0..20).map(|_| start(&path).map(drop)).collect();
        is_over.store(true, Ordering::Relaxed);
        started.unwrap();
        watch.join().unwrap()
    });
    assert!(modes.contains(&0o600) && modes.iter().all(|mode| mode & 0o077 == 0), "{modes:?}");
}
