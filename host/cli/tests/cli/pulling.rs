//! `pull` from registries with arbitrary answers: the command writes only the module that was named.

use std::{fs, io::Write, sync::Arc};

use serde_json::{Value, json};

use crate::{
    command::{Run, TestFolder, error_code},
    modules::good,
    registry::{Answer, ReceivedRequest, Server, Stock},
    schemas::assert_described,
};

/// Pulls to a file from a server, with the options.
pub(crate) fn pull(place: &TestFolder, server: &Server, more: &[&str]) -> Run {
    let reference = format!("{}/acme/gate:1", server.host());
    let run = place.process(&[&["pull", &reference, "--plain-http", "-o", "gate.wasm"], more].concat());
    let written = fs::read(place.path("gate.wasm"));
    assert_eq!(written.is_ok(), run.status == Some(0), "{run:?}");
    // Nothing else is left there.
    let beside = fs::read_dir(place.path("")).unwrap();
    assert!(beside.flatten().all(|entry| !entry.file_name().to_string_lossy().ends_with(".new")));
    run
}

/// Returns the error code, the message and the requested paths of a pull from this server.
fn refused(
    answer: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static,
) -> (String, String, Vec<String>) {
    let server = Server::start(answer);
    let run = pull(&TestFolder::new(), &server, &[]);
    let error: Value = serde_json::from_str(&run.stderr).unwrap_or_else(|_| panic!("{run:?}"));
    (run.code(), error["error"]["message"].as_str().unwrap().to_owned(), server.paths())
}

/// As [`refused`], of an honest registry that has this.
fn refused_stock(stock: Stock) -> (String, Value, Vec<String>) {
    let server = Server::start(move |asked| stock.answer(asked));
    let run = pull(&TestFolder::new(), &server, &[]);
    run.code();
    let error: Value = serde_json::from_str(&run.stderr).unwrap();
    (error_code(&run.stderr), error["error"]["path"].clone(), server.paths())
}

#[test]
fn modules_of_other_clients_are_pulled_by_tag_and_by_digest() {
    let stock = Stock::new(&good());
    let (digest, layer) = (stock.digest(), stock.layer.clone());
    let server = Server::start(move |asked| stock.answer(asked));
    let place = TestFolder::new();
    let run = pull(&place, &server, &[]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert_eq!(fs::read(place.path("gate.wasm")).unwrap(), layer);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&report["manifest_digest"], &report["file"]), (&json!(digest), &json!("gate.wasm")));
    assert_eq!(report["bytes"], layer.len());

    let pinned = format!("{}/acme/gate@{digest}", server.host());
    assert_eq!(place.process(&["pull", &pinned, "--plain-http", "-o", "two.wasm"]).status, Some(0));
    // The digest decides, whatever the tag names.
    let both = format!("{}/acme/gate:other@{digest}", server.host());
    assert_eq!(place.process(&["pull", &both, "--plain-http", "-o", "two.wasm"]).status, Some(0));
    let wrong = format!("{}/acme/gate:1@sha256:{}", server.host(), "0".repeat(64));
    let run = place.process(&["pull", &wrong, "--plain-http", "-o", "three.wasm"]);
    assert_eq!((run.code().as_str(), place.path("three.wasm").exists()), ("unreadable_input", false));
}

#[test]
fn a_module_is_installed_as_from_a_file_and_its_signatures_are_judged() {
    let stock = Stock::new(&good());
    let server = Server::start(move |asked| match asked.path.contains("/none/") {
        true => Answer::status(404),
        false => stock.answer(asked),
    });
    let place = TestFolder::new();
    let reference = format!("{}/acme/gate:1", server.host());
    let install = ["pull", &reference, "--plain-http", "--install", "--store", "store"];
    let none = reference.replace("gate:1", "none:1");
    assert_eq!(
        place.process(&install.map(|arg| if arg == reference { &none } else { arg })).code(),
        "not_found"
    );
    assert!(!place.path("store").exists());
    assert_eq!(place.process(&install).code(), "module_unsigned");
    let run = place.process(&[install.as_slice(), &["--allow-unsigned"]].concat());
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:?}"));
    assert_eq!(report["installed"]["module"]["digest"], report["digest"]);
    assert_described("pull-report", &report);
    assert_eq!(place.process(&[install.as_slice(), &["--slot", "none"]].concat()).code(), "unknown_slot");
    let list = place.process(&["list", "--store", "store"]);
    let list: Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(list["modules"][0]["digest"], report["digest"]);
}

#[test]
fn pull_installs_through_the_cluster_in_the_environment() {
    let stock = Stock::new(&good());
    let server = Server::start(move |asked| stock.answer(asked));
    let place = TestFolder::new();
    let reference = format!("{}/acme/gate:1", server.host());
    let pull = |more: &[&str]| {
        let mut command = place.command(&[&["pull", &reference, "--plain-http"], more].concat());
        Run::from(command.env("ADJUDICATE_NATS", "nats://127.0.0.1:1").output().unwrap())
    };
    assert_eq!(pull(&["--install", "--allow-unsigned", "--store", "store"]).code(), "cluster_fault");
    assert!(!place.path("store").exists());
    // Writing to a file uses no cluster.
    assert_eq!(pull(&["-o", "gate.wasm"]).status, Some(0));
}

#[test]
fn a_broken_layout_is_rejected_before_the_module_is_fetched() {
    let good = Stock::new(&good());
    let layer = good.manifest["layers"][0].clone();
    let set = |pointer: &'static str, value: Value| {
        good.clone().with_manifest(|manifest| *manifest.pointer_mut(pointer).unwrap() = value)
    };
    let cases = [
        (set("/layers", json!([])), "invalid_value", "/layers"),
        (set("/layers/0/size", json!((16 << 20) + 1)), "module_too_large", "/layers/0/size"),
        (set("/config/size", json!(u64::MAX)), "limit_exceeded", "/config/size"),
        (good.clone().with_config(|config| config["os"] = json!("wasip2")), "invalid_value", "/os"),
    ];
    let digest = layer["digest"].as_str().unwrap();
    for (stock, code, path) in cases {
        let output = stock.manifest.to_string() + &stock.config.to_string();
        let (found, at, paths) = refused_stock(stock);
        assert_eq!((found.as_str(), at.as_str().unwrap()), (code, path), "{output}");
        assert!(!paths.iter().any(|path| path.ends_with(digest)), "{paths:?}");
    }
}

#[test]
fn bytes_that_are_not_what_was_named_are_refused() {
    let stock = Stock::new(&good());
    let of_layer = |asked: &ReceivedRequest, stock: &Stock| {
        asked.path.ends_with(stock.manifest["layers"][0]["digest"].as_str().unwrap())
    };
    let mut changed = stock.layer.clone();
    *changed.last_mut().unwrap() ^= 1;
    let longer = [stock.layer.as_slice(), b"x"].concat();
    let shorter = stock.layer[1..].to_vec();
    for body in [changed, longer, shorter, Vec::new()] {
        let (stock, body) = (stock.clone(), Arc::new(body));
        let (code, message, _) = refused(move |asked| match of_layer(asked, &stock) {
            true => Answer::ok(body.to_vec()),
            false => stock.answer(asked),
        });
        assert_eq!(code, "unreadable_input", "{message}");
    }
    // The announced length differs from the real one.
    let short = stock.clone();
    let (code, message, _) = refused(move |asked| match of_layer(asked, &short) {
        true => Answer::ok(short.layer[1..].to_vec()).with("content-length", short.layer.len().to_string()),
        false => short.answer(asked),
    });
    assert_eq!(code, "unreadable_input", "{message}");
    // The announced digest of a manifest differs from the real one.
    let other = stock.clone();
    let (code, message, _) = refused(move |asked| match asked.path.contains("manifests") {
        true => other.manifest_answer().with("docker-content-digest", format!("sha256:{}", "0".repeat(64))),
        false => other.answer(asked),
    });
    assert_eq!(code, "unreadable_input", "{message}");
    // All is as it should be, and it is no policy module.
    assert_eq!(refused_stock(Stock::new(b"\0asm\x01\0\0\0")).0, "module_exports");
    assert_eq!(refused_stock(Stock::new(b"no module")).0, "module_malformed");
}

#[test]
fn a_file_that_is_there_stays_as_it_was() {
    let stock = Stock::new(b"no module");
    let server = Server::start(move |asked| stock.answer(asked));
    let place = TestFolder::new();
    let reference = format!("{}/acme/gate:1", server.host());
    let before = good();
    place.file("gate.wasm", &before);
    assert_eq!(
        place.process(&["pull", &reference, "--plain-http", "-o", "gate.wasm"]).code(),
        "module_malformed"
    );
    assert_eq!(fs::read(place.path("gate.wasm")).unwrap(), before);
    // An existing file that is not a module stays, and nothing is fetched.
    let count = server.asked().len();
    place.file("notes.txt", "mine");
    assert_eq!(
        place.process(&["pull", &reference, "--plain-http", "-o", "notes.txt"]).code(),
        "unwritable_output"
    );
    assert_eq!(server.asked().len(), count);
}

#[test]
fn invalid_answers_of_registries_are_named() {
    let says = |status: u16, body: &'static str| {
        move |_: &ReceivedRequest| Answer::Whole {
            status,
            head: vec![("content-type".to_owned(), "text/html".to_owned())],
            body: body.into(),
        }
    };
    let json = r#"{"errors":[{"code":"DENIED","message":"not \u001b[2J yours","detail":{"x":1}}]}"#;
    let cases = [
        (says(200, "<html>sign in</html>"), "invalid_value", "`text/html`"),
        (says(403, json), "forbidden", r"not \u{1b}[2J yours"),
        (says(404, "<html>"), "not_found", "404"),
        (says(429, json), "unreadable_input", "429"),
        (says(500, ""), "unreadable_input", "500"),
        (says(204, ""), "unreadable_input", "204"),
        (says(401, ""), "unauthorized", "no known kind of authorization"),
    ];
    for (answer, code, part) in cases {
        let (found, message, _) = refused(answer);
        assert_eq!(found, code, "{message}");
        assert!(message.contains(part), "{message}");
    }
    let garbage: [&'static [u8]; 4] =
        [b"", b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n", &[0; 64]];
    for bytes in garbage {
        let (code, message, _) = refused(move |_| Answer::raw(|to| drop(to.write_all(bytes))));
        assert_eq!(code, "unreadable_input", "{message}");
    }
    let broken = Server::start(|_| Answer::status(500)).host();
    let run = TestFolder::new().process(&["pull", &format!("{broken}/a:1"), "--plain-http", "-o", "x.wasm"]);
    assert_eq!(run.code(), "unreadable_input");
}

#[test]
fn redirects_end_and_lead_nowhere_odd() {
    let (code, message, paths) = refused(|asked| Answer::status(307).with("location", asked.path.clone()));
    assert_eq!((code.as_str(), paths.len()), ("unreadable_input", 6), "{message}");
    for location in [
        "file:///etc/passwd",
        "ftp://a.example/",
        "http://",
        "//",
        "data:,x",
        "http://u:p@127.0.0.1/",
        "//:p@127.0.0.1/",
    ] {
        let (code, message, paths) = refused(move |_| Answer::status(302).with("location", location));
        assert_eq!((code.as_str(), paths.len()), ("unreadable_input", 1), "{location}: {message}");
    }
    let (code, message, _) = refused(|_| Answer::status(302));
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("unreadable_input", "the registry sends a redirect without a target")
    );
    // Redirects to the named content are followed: storage is often elsewhere.
    let stock = Stock::new(&good());
    let there = stock.clone();
    let storage = Server::start(move |asked| there.answer(asked));
    let host = storage.host();
    let server = Server::start(move |asked| match asked.path.contains("blobs") {
        true => Answer::status(307).with("location", format!("http://{host}{}", asked.path)),
        false => stock.answer(asked),
    });
    let run = pull(&TestFolder::new(), &server, &[]);
    assert_eq!((run.status, storage.paths().len()), (Some(0), 2), "{run:?}");
}

#[test]
fn a_machine_without_authorities_can_do_without_tls() {
    let stock = Stock::new(&good());
    let server = Server::start(move |asked| stock.answer(asked));
    let (place, reference) = (TestFolder::new(), format!("{}/acme/gate:1", server.host()));
    let pull = |more: &[&str]| -> Run {
        let args = [&["pull", &reference, "-o", "gate.wasm"], more].concat();
        let mut command = place.command(&args);
        command
            .env("SSL_CERT_FILE", "/dev/null")
            .env("SSL_CERT_DIR", place.path("none"))
            .output()
            .unwrap()
            .into()
    };
    let run = pull(&[]);
    assert!(run.code() == "unreadable_input" && run.stderr.contains("`--ca`"), "{run:?}");
    assert_eq!(pull(&["--plain-http"]).status, Some(0));
}
