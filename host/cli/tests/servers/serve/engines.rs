//! Known engines of a server, and policies that are baked into them.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    client::{Client, ENVELOPE, JSON, Reply, request},
    process::{Process, command, run},
};

/// Forbids what the envelope changed.
const POLICY: &str = r#"{"policy":"strict","version":"1.0.0","forbidden_paths":["src/**"]}"#;

fn ask(server: &Process, method: &str, path: &str, body: &str) -> Reply {
    Client::to(server.address).ask(request(method, path, &[JSON], body))
}

/// A known engine runs without fuel. The statistics list it as known.
#[test]
fn a_policy_of_an_engine_that_is_given_as_a_file_runs_without_fuel() {
    let engine = adjudicate_tests::artifacts::engine();
    let engine = engine.to_str().unwrap();
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (store, policy, module) = (path("store"), path("policy.json"), path("strict.wasm"));
    std::fs::write(&policy, POLICY).unwrap();
    let mut digest = Value::Null;
    for args in [
        &["build", &policy, "-o", &module, "--engine", engine][..],
        &["install", &module, "--allow-unsigned", "--store", &store],
        &["activate", "release", "strict@1.0.0", "--create", "--allow-unsigned", "--store", &store],
    ] {
        let mut command = command(args);
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        let (status, stdout, stderr) = run(command);
        assert_eq!((status, stderr.as_str()), (0, ""), "{args:?}");
        if digest == Value::Null {
            digest = serde_json::from_str::<Value>(&stdout).unwrap()["digest"].clone();
        }
    }
    let serve =
        |more: &[&str]| Process::with_store(Path::new(&store), &[&["--allow-local-admin"], more].concat());
    let decide = |server: &Process| ask(server, "POST", "/v1/slots/release/evaluate", ENVELOPE);
    let known = |server: &Process| {
        let reply = ask(server, "GET", "/v1/slots/release/statistics", "");
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()["known"].clone()
    };

    let server = serve(&["--known-engine", engine]);
    let little = r#"{"settings":{"limits":{"fuel":1}}}"#;
    let configured = ask(&server, "PUT", "/v1/slots/release/settings", little);
    assert_eq!(configured.status, 200, "{configured:?}");
    let decided = decide(&server);
    assert_eq!((decided.status, &decided.json()["decision"]["status"]), (200, &json!("unsafe")));
    assert_eq!(known(&server), json!([digest]));
    drop(server);

    let server = serve(&[]);
    let decided = decide(&server);
    assert_eq!(decided.error(), (502, "module_out_of_fuel".to_owned()), "{decided:?}");
    assert_eq!(known(&server), json!([]));
}

#[test]
fn a_file_that_is_no_module_is_no_known_engine() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (store, policy) = (path("store"), path("policy.json"));
    std::fs::write(&policy, POLICY).unwrap();
    for (file, code, status) in
        [(path("missing.wasm"), "unreadable_input", 2), (policy, "module_malformed", 3)]
    {
        let listen = ["serve", "--listen", "127.0.0.1:0", "--store", &store];
        let (ended, _, reported) = run(command(&[&listen[..], &["--known-engine", &file]].concat()));
        assert!(ended == status && reported.contains(code), "{ended}: {reported}");
    }
    // Without slots, no engine can be known.
    let bare = ["serve", "--listen", "127.0.0.1:0", "--no-store", "--known-engine", "missing.wasm"];
    let (ended, _, reported) = run(command(&bare));
    assert!(ended == 64 && reported.contains("--no-store"), "{ended}: {reported}");
}
