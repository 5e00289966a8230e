//! `push`: the requests to a registry, and the handling of arbitrary answers.

use std::{
    collections::BTreeMap,
    io::Write,
    sync::{Arc, Mutex},
};

use adjudicate_sandbox::{Digest, manifest};
use serde_json::{Value, json};

use crate::{
    command::{Run, TestFolder},
    modules::good,
    registry::{Answer, MANIFEST, ReceivedRequest, Server},
    schemas::assert_described,
};

/// The content of a registry, by the last part of the path.
type Shelf = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A registry that keeps what it is sent.
fn keeping() -> (Server, Shelf) {
    let shelf = Shelf::default();
    let kept = Arc::clone(&shelf);
    let server = Server::start(move |asked| {
        let mut kept = kept.lock().unwrap();
        let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
        let name = path.rsplit('/').next().unwrap().to_owned();
        let digest = |bytes: &[u8]| Digest::sha256(bytes).to_string();
        match (asked.method.as_str(), kept.get(&name)) {
            ("HEAD", Some(bytes)) => Answer::status(200).with("docker-content-digest", digest(bytes)),
            ("HEAD", None) => Answer::status(404),
            ("POST", _) => Answer::status(202).with("location", format!("{path}one?state=a%2Fb")),
            ("PUT", _) if path.contains("/manifests/") => {
                assert_eq!(asked.head["content-type"], MANIFEST);
                kept.insert(name, asked.body.clone());
                Answer::status(201).with("docker-content-digest", digest(&asked.body))
            }
            ("PUT", _) => {
                let named = query.strip_prefix("state=a%2Fb&digest=").unwrap().replace("%3A", ":");
                assert_eq!(named, digest(&asked.body));
                kept.insert(named, asked.body.clone());
                Answer::status(201)
            }
            _ => Answer::status(405),
        }
    });
    (server, shelf)
}

fn push(place: &TestFolder, server: &Server, tag: &str) -> Run {
    place.file("gate.wasm", good());
    place.process(&["push", "gate.wasm", &format!("{}/acme/gate:{tag}", server.host()), "--plain-http"])
}

#[test]
fn a_module_its_config_and_its_manifest_are_sent_in_this_order_and_once() {
    let (place, (server, shelf)) = (TestFolder::new(), keeping());
    let first = push(&place, &server, "1").json();
    let read = manifest::read(&good()).unwrap();
    assert_eq!((&first["name"], &first["replaced"]), (&json!(*read.name), &Value::Null));
    assert_eq!((&first["unchanged"], &first["bytes"]), (&json!(false), &json!(good().len())));
    let (manifest, layer) = (shelf.lock().unwrap()["1"].clone(), Digest::sha256(&good()).to_string());
    assert_eq!(first["manifest_digest"], Digest::sha256(&manifest).to_string());
    assert_eq!(shelf.lock().unwrap()[&layer], good());
    let puts: Vec<_> = server.paths().into_iter().filter(|path| path.starts_with("PUT")).collect();
    let ends = [layer.replace(':', "%3A"), String::new(), "manifests/1".to_owned()];
    assert!(puts.iter().zip(&ends).all(|(put, end)| put.ends_with(end)) && puts.len() == 3, "{puts:?}");

    // Again: nothing is sent. Under another tag: only the manifest, and the same one.
    let count = server.paths().len();
    let again = push(&place, &server, "1").json();
    assert_eq!((&again["unchanged"], server.paths().len()), (&json!(true), count + 1));
    assert_eq!(push(&place, &server, "2").json()["manifest_digest"], first["manifest_digest"]);
    let puts = server.paths().into_iter().filter(|path| path.starts_with("PUT")).count();
    assert_eq!((puts, &shelf.lock().unwrap()["2"]), (4, &manifest));

    // A tag that names something else names this from then on, as with docker, and the report says what it named.
    shelf.lock().unwrap().insert("1".to_owned(), b"other".to_vec());
    let moved = push(&place, &server, "1").json();
    assert_eq!(moved["replaced"], Digest::sha256(b"other").to_string());
    assert_described("push-report", &moved);
    assert_eq!(shelf.lock().unwrap()["1"], manifest);
}

#[test]
fn a_module_of_the_store_is_pushed_as_from_its_file() {
    let (place, (server, _)) = (TestFolder::new(), keeping());
    let from_file = push(&place, &server, "1").json();
    let run = place.process(&["install", "gate.wasm", "--store", "store", "--allow-unsigned"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    let read = manifest::read(&good()).unwrap();
    let (named, reference) = (format!("{}@{}", read.name, read.version), format!("{}/a:1", server.host()));
    for module in [named.as_str(), from_file["digest"].as_str().unwrap()] {
        let run = place.process(&["push", module, &reference, "--plain-http", "--store", "store"]);
        assert_eq!(run.json()["manifest_digest"], from_file["manifest_digest"]);
    }
    let run = place.process(&["push", "other@1.0.0", &reference, "--plain-http", "--store", "store"]);
    assert_eq!(run.code(), "unknown_module");
}

#[test]
fn only_policy_modules_are_pushed() {
    let (place, (server, _)) = (TestFolder::new(), keeping());
    let reference = format!("{}/a:1", server.host());
    place.file("bare.wasm", b"\0asm\x01\0\0\0");
    place.file("page.wasm", "<html>");
    for (file, code) in [
        ("bare.wasm", "module_exports"),
        ("page.wasm", "module_malformed"),
        ("none.wasm", "unreadable_input"),
    ] {
        assert_eq!(place.process(&["push", file, &reference, "--plain-http"]).code(), code);
    }
    assert_eq!(server.paths(), Vec::<String>::new());
}

/// Returns the error code and message of a push to a registry that gives these answers to some requests.
fn refused(answer: impl Fn(&ReceivedRequest) -> Option<Answer> + Send + Sync + 'static) -> (String, String) {
    let server = Server::start(move |asked| {
        answer(asked).unwrap_or_else(|| match asked.method.as_str() {
            "POST" => Answer::status(202).with("location", "/upload"),
            "PUT" => Answer::status(201),
            _ => Answer::status(404),
        })
    });
    let run = push(&TestFolder::new(), &server, "1");
    (run.code(), run.stderr)
}

#[test]
fn a_rejection_of_the_registry_is_reported() {
    let error = |status: u16, message: &str| Answer::Whole {
        status,
        head: Vec::new(),
        body: json!({"errors": [{"code": "X", "message": message}]}).to_string().into(),
    };
    let on = |method: &'static str, answer: fn() -> Answer| {
        refused(move |asked| (asked.method == method).then(answer))
    };
    assert_eq!(on("HEAD", || Answer::status(500)).0, "unwritable_output");
    assert_eq!(on("POST", || Answer::status(202)).0, "unwritable_output");
    assert_eq!(on("POST", || Answer::status(200).with("location", "/upload")).0, "unwritable_output");
    assert_eq!(on("POST", || Answer::status(202).with("location", "file:///etc/x")).0, "unwritable_output");
    assert_eq!(on("POST", || Answer::status(307).with("location", "/v2/other")).0, "unwritable_output");
    assert_eq!(on("PUT", || Answer::status(200)).0, "unwritable_output");
    assert_eq!(on("PUT", || Answer::status(413)).0, "limit_exceeded");
    let (code, output) = refused(move |asked| (asked.method == "POST").then(|| error(403, "read only")));
    assert!(code == "forbidden" && output.contains("read only"), "{output}");
    let (code, output) = refused(move |asked| {
        (asked.method == "PUT" && asked.path.ends_with("manifests/1")).then(|| error(400, "TAG IS FIXED"))
    });
    assert!(code == "unwritable_output" && output.contains("TAG IS FIXED"), "{output}");
    let (code, _) = refused(|asked| {
        let wrong =
            || Answer::status(201).with("docker-content-digest", format!("sha256:{}", "0".repeat(64)));
        (asked.method == "PUT" && asked.path.contains("manifests")).then(wrong)
    });
    assert_eq!(code, "unwritable_output");
    // A reason without end is not waited for.
    let endless = || {
        Answer::raw(|to| {
            let _ = to.write_all(b"HTTP/1.1 400 x\r\n\r\n");
            while to.write_all(&[b' '; 4096]).is_ok() {}
        })
    };
    assert_eq!(on("POST", endless).0, "unwritable_output");
}
