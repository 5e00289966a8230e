//! `adjudicate serve --mcp`: each message is the body of a request, and its reply the body of the reply.

use std::{thread, time::Duration};

use adjudicate_core::Operation;
use serde_json::{Value, json};

use super::{INITIALIZE, call, error, example, names, result};
use crate::{
    client::{Client, JSON, Reply, get, request},
    command::{POLICY, TestFolder, answer_by_policy},
    process::Process,
    repository::{CONFIGURATION, repository},
    schemas::assert_described,
};

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");
/// The options for a server whose clients need no token to call `run`.
const LOCAL_RUN: [&str; 5] = ["--no-store", "--allow-local-admin", "--mcp", "--mcp-directory", "."];
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

struct HttpServer {
    process: Process,
    place: TestFolder,
}

impl HttpServer {
    fn start(place: TestFolder, options: &[&str]) -> Self {
        let process = Process::spawn(place.command(&["serve", "--listen", "127.0.0.1:0"]).args(options));
        assert_described("serve-start", &process.reported);
        Self { process, place }
    }

    /// Starts a server for a repository whose validator waits, and calls `run`.
    fn with_run(options: &[&str]) -> (Self, Client) {
        let place = repository("0");
        place.file("adjudicate.yaml", CONFIGURATION.replace("exit $(cat code)", "echo > started; sleep 60"));
        let server = Self::start(place, &[&LOCAL_RUN[..], options].concat());
        let mut client = Client::to(server.process.address);
        client.say(request("POST", "/mcp", &[JSON, ACCEPT], call(1, "run", "{}"))).unwrap();
        while !server.place.path("started").exists() {
            thread::sleep(Duration::from_millis(5));
        }
        (server, client)
    }

    fn send(&self, headers: &[(&str, &str)], body: &str) -> Reply {
        Client::to(self.process.address).ask(request("POST", "/mcp", headers, body))
    }

    /// Sends a request of a client that is in order. Returns the message in the reply.
    fn ask(&self, message: &str) -> Value {
        let reply = self.send(&[JSON, ACCEPT, ("mcp-protocol-version", "2025-11-25")], message);
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("application/json")),
            "{reply:?}"
        );
        reply.json()
    }

    /// Returns the status of a reply, and the code of the error of JSON-RPC in it.
    fn refused(&self, body: &str) -> (u16, Value) {
        let reply = self.send(&[JSON, ACCEPT], body);
        (reply.status, reply.json()["error"]["code"].clone())
    }

    fn end(mut self) {
        self.process.signal("TERM");
        let (status, rest) = self.process.end();
        let (log, last) = rest.trim_end().rsplit_once('\n').unwrap_or(("", rest.trim_end()));
        assert_eq!(last, r#"{"ended":true,"connections_cut":0}"#);
        assert_described("serve-end", &serde_json::from_str(last).unwrap());
        for line in log.lines() {
            assert_described("request-log", &serde_json::from_str(line).unwrap());
        }
        assert!(status.success());
    }
}

#[test]
fn tools_over_http_answer_as_the_engine_does() {
    let server = HttpServer::start(TestFolder::new(), &["--no-store", "--mcp", "--log", "-"]);
    let started = server.ask(INITIALIZE);
    assert_eq!(
        (&started["id"], &started["result"]["protocolVersion"]),
        (&json!("start"), &json!("2025-11-25"))
    );
    // The advice to call `run` is only for clients that have it.
    assert_eq!(started["result"]["instructions"], Value::Null);
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let reply = server.send(&[JSON, ACCEPT], initialized);
    assert_eq!((reply.status, reply.body.as_str()), (202, ""));
    let tools = server.ask(LIST)["result"]["tools"].as_array().unwrap().clone();
    assert_eq!(names(&tools), ["evaluate", "explain", "check_policy", "validate_plan", "deliberate"]);

    let long = format!(r#"{{"turns":[],"x-long":"{}"}}"#, "x".repeat(1 << 20));
    for (operation, input) in
        [(Operation::Evaluate, example(Operation::Evaluate)), (Operation::Deliberate, long)]
    {
        let answer = operation.call(input.as_bytes()).unwrap();
        let reply = server.ask(&call(7, operation.name(), &input));
        assert_eq!((result(&reply), &reply["id"]), ((&*answer, false), &json!(7)));
    }
    let unknown = server.ask(&call(1, "run", "{}"));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    server.end();
}

#[test]
fn requests_that_are_no_message_are_refused() {
    let server = HttpServer::start(TestFolder::new(), &["--no-store", "--mcp", "--max-body", "100000"]);
    let around = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{{"a":"{}"}}}}"#,
        "x".repeat(1 << 16)
    );
    for (body, code) in [
        ("not JSON", -32700),
        ("", -32700),
        ("{}", -32600),
        (&format!("[{LIST},{LIST}]"), -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600),
        (&around, -32600),
    ] {
        assert_eq!(server.refused(body), (400, json!(code)), "{body:.99}");
    }
    let refused = |headers: &[(&str, &str)], body: &str| server.send(headers, body).error();
    let refusal = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(refused(&[JSON, ACCEPT], &"x".repeat(100_001)), refusal(413, "limit_exceeded"));
    assert_eq!(refused(&[JSON], LIST), refusal(400, "wrong_usage"));
    assert_eq!(refused(&[ACCEPT], LIST), refusal(415, "unsupported_media_type"));
    assert_eq!(refused(&[JSON, ACCEPT, ("origin", "http://evil.example")], LIST), refusal(403, "forbidden"));
    let version = ("mcp-protocol-version", "1999-01-01");
    assert_eq!(refused(&[JSON, ACCEPT, version], LIST), refusal(400, "wrong_usage"));
    for method in ["GET", "DELETE"] {
        let reply = Client::to(server.process.address).ask(request(method, "/mcp", &[ACCEPT], ""));
        assert_eq!(reply.error(), refusal(405, "method_not_allowed"));
        assert_eq!(reply.header("allow"), Some("POST"));
    }
    server.end();
}

#[test]
fn a_server_offers_tools_only_if_asked_and_asks_for_tokens() {
    let place = TestFolder::new();
    place.file("policy.json", POLICY);
    let options = ["token", "create", "--role", "evaluate", "--name", "agent", "--store", "store"];
    let bearer = format!("Bearer {}", place.run(&options).stdout.trim_end());
    let server = HttpServer::start(place, &["--store", "store", "--mcp", "--policy", "policy.json"]);
    assert_eq!(server.send(&[JSON, ACCEPT], LIST).error(), (401, "unauthorized".to_owned()));
    let message = call(1, "evaluate", &example(Operation::Evaluate));
    let reply = server.send(&[JSON, ACCEPT, ("authorization", &bearer)], &message).json();
    assert_eq!(result(&reply), (answer_by_policy().as_str(), false));
    server.end();

    let server = HttpServer::start(TestFolder::new(), &["--no-store"]);
    assert_eq!(server.send(&[JSON, ACCEPT], LIST).error(), (404, "not_found".to_owned()));
    let place = TestFolder::new();
    assert_eq!(place.run(&["serve", "--no-store", "--mcp-directory", "."]).code(), "wrong_usage");
    // No client could call `run`.
    assert_eq!(place.run(&["serve", "--no-store", "--mcp", "--mcp-directory", "."]).code(), "wrong_usage");
    let missing = ["serve", "--mcp", "--mcp-directory", "nowhere"];
    assert_eq!(place.run(&missing).code(), "unreadable_input");
}

#[test]
fn runs_over_http_decide_on_the_folder_of_the_server() {
    let server = HttpServer::start(repository("1"), &LOCAL_RUN);
    assert!(server.ask(INITIALIZE)["result"]["instructions"].as_str().unwrap().contains("call `run`"));
    assert_eq!(names(server.ask(LIST)["result"]["tools"].as_array().unwrap())[0], "run");
    let reply = server.ask(&call(1, "run", "{}"));
    assert_eq!(reply["result"]["structuredContent"]["decision"]["status"], "partial", "{reply}");
    assert_eq!(error(&server.ask(&call(1, "run", r#"{"base":1}"#))), ("invalid_value", "/base"));
    server.end();
}

#[test]
fn only_tokens_of_the_role_admin_may_start_the_validators() {
    let (place, elsewhere) = (repository("0"), TestFolder::new());
    let [store, empty] = ["store", "empty"].map(|name| elsewhere.path(name).to_str().unwrap().to_owned());
    let bearer = |role| {
        let options = ["token", "create", "--role", role, "--name", role, "--store", &store];
        format!("Bearer {}", place.run(&options).stdout.trim_end())
    };
    let [evaluate, admin] = ["evaluate", "admin"].map(bearer);
    let server = HttpServer::start(place, &["--store", &store, "--mcp", "--mcp-directory", "."]);
    let ask =
        |bearer: &str, message: &str| server.send(&[JSON, ACCEPT, ("authorization", bearer)], message).json();
    let started = ask(&evaluate, INITIALIZE);
    assert_eq!(started["result"]["instructions"], Value::Null, "{started}");
    let listed = ask(&evaluate, LIST);
    assert!(!names(listed["result"]["tools"].as_array().unwrap()).contains(&"run"), "{listed}");
    let refused = ask(&evaluate, &call(1, "run", "{}"));
    assert_eq!(error(&refused), ("forbidden", ""), "{refused}");
    assert!(!server.place.path(".adjudicate").exists(), "the validators ran");

    assert!(names(ask(&admin, LIST)["result"]["tools"].as_array().unwrap()).contains(&"run"));
    let reply = ask(&admin, &call(1, "run", "{}"));
    assert_eq!(reply["result"]["structuredContent"]["decision"]["status"], "success", "{reply}");
    server.end();

    // Without tokens, a client on loopback may evaluate, and nothing more.
    let server = HttpServer::start(repository("0"), &["--store", &empty, "--mcp", "--mcp-directory", "."]);
    assert_eq!(error(&server.ask(&call(1, "run", "{}"))), ("forbidden", ""));
    server.end();
}

#[test]
fn a_signal_stops_the_validators_of_a_run_over_http() {
    let (server, mut client) = HttpServer::with_run(&[]);
    server.process.signal("TERM");
    let reply = client.reply().unwrap();
    assert!(result(&reply.json()).0.contains(r#""rule":"interrupted""#), "{reply:?}");
}

#[test]
fn a_run_holds_a_permit_until_its_client_is_gone() {
    let (server, client) = HttpServer::with_run(&["--max-calls", "1"]);
    assert_eq!(server.send(&[JSON, ACCEPT], LIST).error(), (503, "host_overloaded".to_owned()));
    drop(client);
    // The validators are stopped, and the permit is free.
    while server.send(&[JSON, ACCEPT], LIST).status != 200 {}
    let metrics = get(server.process.address, "/metrics").body;
    assert!(metrics.contains(r#"route="/mcp""#), "{metrics}");
    server.end();
}
