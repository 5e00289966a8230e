//! Hooks of agents: the forms of their hosts, and a slot that changes in the middle of a session.

use std::{
    collections::BTreeSet,
    fs,
    net::{IpAddr, SocketAddr, UdpSocket},
    path::Path,
    time::Duration,
};

use adjudicate_collect::hooks::{Agent, HookForm, in_session};
use adjudicate_core::Operation;
use adjudicate_host::{Canary, ChangeReason, Composition, InstallOptions, SlotSettings};
use adjudicate_serve::{Exposure, RequestLimits, ServerSettings};
use serde_json::{Value, json};

use crate::{
    client::{Client, JSON, get, post, request, server},
    modules::{TestStore, activate, replying, trapping},
};

const CLAUDE: HookForm = HookForm::Agent(Agent::ClaudeCode);

/// Returns the event before a call that writes a file, in the form of a host.
fn call(form: HookForm) -> String {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hooks");
    fs::create_dir_all(root.join(".git")).unwrap();
    let mut event = call_in_unknown_folder(form, root.join("deploy/production.yaml").to_str().unwrap());
    if form != HookForm::AgentHooks {
        event["tool_input"]["file_path"] = "deploy/production.yaml".into();
        event["cwd"] = root.to_str().into();
    }
    event.to_string()
}

/// The same, of a file at this path, for an agent that works in an unknown folder.
fn call_in_unknown_folder(form: HookForm, path: &str) -> Value {
    let input = json!({"file_path": path, "content": ""});
    match form {
        HookForm::AgentHooks => json!({
            "spec": "agent-hooks/0.1", "interception_point": "pre_tool_call", "session": {"id": "s1"},
            "target": input, "tool_call": {"id": "1", "name": "write_file", "args": input},
        }),
        HookForm::Agent(agent) => json!({
            "hook_event_name": agent.calls()[0], "session_id": "s1",
            "tool_name": if agent == Agent::Gemini { "write_file" } else { "Write" }, "tool_input": input,
        }),
    }
}

/// Returns a module that decides as a policy decides on a call.
fn deciding(form: HookForm, event: &str, version: &str, policy: &str) -> Vec<u8> {
    let mut answer = String::new();
    let decide = |envelope: &str| {
        let input = format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#);
        answer = Operation::Evaluate.call(input.as_bytes()).unwrap();
        Ok(answer.clone())
    };
    form.answer(event.as_bytes(), decide).unwrap();
    replying(version, &format!(r#"{{"ok":{answer}}}"#), "")
}

const LENIENT: &str = r#"{"policy":"p","version":"1.0.0"}"#;
const STRICT: &str = r#"{"policy":"p","version":"2.0.0","forbidden_paths":["deploy/**"]}"#;

fn ask(place: &TestStore, form: HookForm, slot: &str, event: &str) -> crate::client::Reply {
    place.ask(&place.evaluate, "POST", &format!("/v1/hooks/{}/{slot}", form.name()), &[JSON], event)
}

/// Returns true if the host takes this answer as a denial.
fn is_denial(form: HookForm, answer: &str) -> bool {
    match form {
        HookForm::Agent(agent) => agent.is_denial(answer),
        HookForm::AgentHooks => serde_json::from_str::<Value>(answer).unwrap()["decision"] == "deny",
    }
}

#[test]
fn each_host_gets_an_answer_in_its_form() {
    for form in HookForm::all() {
        let event = call(form);
        let place = TestStore::deciding(&deciding(form, &event, "2.0.0", STRICT));
        let reply = ask(&place, form, "release", &event);
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, Some("application/json")),
            "{reply:?}"
        );
        assert!(is_denial(form, &reply.body) && reply.body.contains("deploy/production.yaml"), "{reply:?}");
        assert_eq!(reply.header("adjudicate-by"), Some("active"));

        let place = TestStore::deciding(&deciding(form, &event, "1.0.0", LENIENT));
        let reply = ask(&place, form, "release", &event);
        let allowed = match form {
            HookForm::Agent(Agent::Cursor) => r#"{"permission":"allow"}"#,
            HookForm::AgentHooks => r#"{"decision":"allow"}"#,
            HookForm::Agent(_) => "{}",
        };
        assert_eq!((reply.status, reply.body.as_str()), (200, allowed), "{reply:?}");
    }
}

#[test]
fn a_file_in_an_unknown_folder_is_never_allowed() {
    for form in HookForm::all() {
        let event = call_in_unknown_folder(form, "production.yaml").to_string();
        let place = TestStore::deciding(&deciding(form, &event, "1.0.0", LENIENT));
        let reply = ask(&place, form, "release", &event);
        let asks = reply.body.contains(r#""permissionDecision":"ask""#)
            || reply.body.contains(r#""decision":"ask""#);
        assert!(asks || is_denial(form, &reply.body), "{reply:?}");
        assert!(reply.body.contains("production.yaml") && reply.body.contains("folder"), "{reply:?}");
        assert_eq!(reply.body.contains(r#""approval":{}"#), form == HookForm::AgentHooks, "{reply:?}");
    }
}

#[test]
fn the_next_call_sees_a_swap_in_the_middle_of_a_session() {
    let event = call(CLAUDE);
    let place = TestStore::deciding(&deciding(CLAUDE, &event, "1.0.0", LENIENT));
    let slot = place.slots.slot("release").unwrap();
    let strict = deciding(CLAUDE, &event, "2.0.0", STRICT);
    let digest =
        place.slots.install(&strict, &InstallOptions { slot: None, unsigned: true }).unwrap().module.digest;
    let answer = || {
        let reply = ask(&place, CLAUDE, "release", &event);
        assert_eq!(reply.status, 200, "{reply:?}");
        (is_denial(CLAUDE, &reply.body), reply.header("adjudicate-entry").unwrap().parse::<i64>().unwrap())
    };
    let (is_denied, first) = answer();
    assert!(!is_denied);
    slot.activate(Composition::new(digest).unsigned(), &ChangeReason::default()).unwrap();
    let (is_denied, second) = answer();
    assert!(is_denied && second > first, "{second}");
    slot.rollback(None, &ChangeReason::default()).unwrap();
    let (is_denied, third) = answer();
    assert!(!is_denied && third > second, "{third}");
}

#[test]
fn a_call_without_a_decision_is_denied() {
    for form in HookForm::all() {
        let event = call(form);
        let place = TestStore::deciding(&trapping("1.0.0"));
        for (slot, reason) in [("release", "it was not judged"), ("nobody", "`nobody`")] {
            let reply = ask(&place, form, slot, &event);
            assert_eq!(reply.status, 200, "{reply:?}");
            assert!(is_denial(form, &reply.body) && reply.body.contains(reason), "{slot} {reply:?}");
        }
        let without_store = server();
        let reply = post(without_store.address(), &format!("/v1/hooks/{}/release", form.name()), &event);
        assert!(reply.status == 200 && is_denial(form, &reply.body), "{reply:?}");
    }
}

#[test]
fn a_decision_that_takes_too_long_is_a_denial() {
    let limits = RequestLimits { hook: Duration::from_millis(50), ..RequestLimits::default() };
    let place = TestStore::with(ServerSettings { limits, ..ServerSettings::default() });
    let settings = r#"{"limits":{"fuel":1000000000000,"deadline_ms":1000}}"#;
    let settings = SlotSettings::parse(settings.as_bytes()).unwrap();
    activate(&place.slots, "release", settings, &replying("1.0.0", "{}", "(loop $again (br $again))"));
    for form in HookForm::all() {
        let reply = ask(&place, form, "release", &call(form));
        assert!(reply.status == 200 && is_denial(form, &reply.body), "{reply:?}");
        assert!(reply.body.contains("within 50 ms"), "{reply:?}");
    }
}

#[test]
fn a_request_that_is_refused_is_a_denial_and_the_operator_sees_why() {
    let place = TestStore::deciding(&deciding(CLAUDE, &call(CLAUDE), "1.0.0", LENIENT));
    for event in ["{", "{}", r#"{"hook_event_name": "SessionStart"}"#] {
        let reply = ask(&place, CLAUDE, "release", event);
        assert!(reply.status == 200 && is_denial(CLAUDE, &reply.body), "{event} {reply:?}");
    }
    let path = "/v1/hooks/claude-code/release";
    for (path, headers) in [
        (path, &[][..]),
        ("/v1/hooks/claude-code/release?a=b", &[JSON]),
        ("/v1/hooks/claude-code/%ff", &[JSON]),
    ] {
        let reply = place.ask(&place.evaluate, "POST", path, headers, call(CLAUDE));
        assert!(reply.status == 200 && is_denial(CLAUDE, &reply.body), "{path} {reply:?}");
    }
    // An address with a mistake, and a method that a redirect changed.
    for (method, path, code) in [
        ("GET", path, "method_not_allowed"),
        ("POST", "/v1/hooks/claude-code", "not_found"),
        ("POST", "/v1/hooks/claude-code//release", "not_found"),
    ] {
        let reply = place.ask(&place.evaluate, method, path, &[JSON], call(CLAUDE));
        assert!(reply.status == 200 && is_denial(CLAUDE, &reply.body), "{path} {reply:?}");
        assert!(reply.header("link").unwrap().contains(&format!("#{code}>")), "{path} {reply:?}");
    }
    // Two names of the server, a page, and clients without a token, until they are too many.
    let bearer = format!("Bearer {}", place.evaluate);
    let token = ("authorization", bearer.as_str());
    let refused = [
        (&[JSON, token, ("host", "evil.example")][..], "wrong_usage", 1),
        (&[JSON, token, ("origin", "https://evil.example")], "forbidden", 1),
        (&[JSON], "unauthorized", 30),
        (&[JSON, ("authorization", "Bearer no")], "unauthorized", 1),
    ];
    for (headers, code, times) in refused {
        for form in HookForm::all() {
            for _ in 0..times {
                let event =
                    request("POST", &format!("/v1/hooks/{}/release", form.name()), headers, call(form));
                let reply = Client::to(place.server.address()).ask(event);
                assert!(reply.status == 200 && is_denial(form, &reply.body), "{headers:?} {reply:?}");
                let link = reply.header("link").unwrap();
                assert!(link.ends_with(&format!("#{code}>; rel=\"help\"")), "{link}");
            }
        }
    }
    let numbers = get(place.server.address(), "/metrics").body;
    let forms = HookForm::all().count();
    for (code, count) in [("forbidden", forms), ("unauthorized", 31 * forms)] {
        let line = format!("adjudicate_errors_total{{code=\"{code}\"}} {count}\n");
        assert!(numbers.contains(&line), "{numbers}");
    }
    let other = place.ask(&place.evaluate, "POST", "/v1/hooks/cline/release", &[JSON], "{}");
    assert_eq!(other.error(), (404, "not_found".to_owned()));
    // The contract has a verdict for each failure.
    let verdict = ask(&place, HookForm::AgentHooks, "release", "{");
    assert!(verdict.status == 200 && verdict.body.contains("runtime_error:malformed_json"), "{verdict:?}");
}

#[test]
fn a_canary_decides_on_all_of_a_session_or_on_none() {
    let event = call(CLAUDE);
    let place = TestStore::deciding(&deciding(CLAUDE, &event, "1.0.0", LENIENT));
    let strict = deciding(CLAUDE, &event, "2.0.0", STRICT);
    let digest =
        place.slots.install(&strict, &InstallOptions { slot: None, unsigned: true }).unwrap().module.digest;
    let canary = Canary::new(Composition::new(digest).unsigned(), 500);
    place.slots.slot("release").unwrap().canary(Some(canary), &ChangeReason::default()).unwrap();
    let mut sides = BTreeSet::new();
    for number in 0..20 {
        let session = format!("session-{number}");
        let event = event.replace(r#""session_id":"s1""#, &format!(r#""session_id":"{session}""#));
        let first = ask(&place, CLAUDE, "release", &event);
        let side = first.header("adjudicate-by").unwrap().to_owned();
        assert_eq!(is_denial(CLAUDE, &first.body), side == "canary", "{first:?}");
        assert_eq!(ask(&place, CLAUDE, "release", &event).header("adjudicate-by"), Some(side.as_str()));
        // The end of a turn is sent as an envelope.
        let mut envelope = String::new();
        let decide = |of_call: &str| {
            envelope = in_session(of_call, &session).unwrap();
            Err(String::new())
        };
        CLAUDE.answer(call(CLAUDE).as_bytes(), decide).unwrap();
        let body = format!(r#"{{"envelope":{envelope}}}"#);
        let turn = place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], body);
        assert_eq!(turn.header("adjudicate-by"), Some(side.as_str()), "{turn:?}");
        sides.insert(side);
    }
    assert_eq!(sides.into_iter().collect::<Vec<_>>(), ["active", "canary"]);
}

#[test]
fn a_client_on_another_machine_is_refused() {
    // A datagram socket knows the own address towards an address, and sends nothing.
    let own = UdpSocket::bind("0.0.0.0:0").and_then(|socket| {
        socket.connect("192.0.2.1:9")?;
        socket.local_addr()
    });
    let Ok(own) = own.map(|own| own.ip()) else {
        eprintln!("skipped: this machine has no address but loopback");
        return;
    };
    let exposure =
        Exposure { insecure_plaintext: true, hosts: vec!["localhost".into()], ..Exposure::default() };
    let listen = SocketAddr::from(([0, 0, 0, 0], 0));
    let place = TestStore::with(ServerSettings { listen, exposure, ..ServerSettings::default() });
    let module = deciding(CLAUDE, &call(CLAUDE), "1.0.0", LENIENT);
    activate(&place.slots, "release", SlotSettings::default(), &module);
    let bearer = format!("Bearer {}", place.evaluate);
    for (address, is_refused) in [(IpAddr::from([127, 0, 0, 1]), false), (own, true)] {
        let to = SocketAddr::new(address, place.server.address().port());
        let headers = [JSON, ("authorization", bearer.as_str())];
        let event = request("POST", "/v1/hooks/claude-code/release", &headers, call(CLAUDE));
        let reply = Client::to(to).ask(event);
        assert_eq!((reply.status, is_denial(CLAUDE, &reply.body)), (200, is_refused), "{reply:?}");
        assert_eq!(reply.body.contains("its own machine only"), is_refused, "{reply:?}");
    }
}

#[test]
fn the_end_of_a_turn_is_held_once() {
    let place = TestStore::deciding(&trapping("1.0.0"));
    let end = |active: &str| {
        let event = format!(r#"{{"hook_event_name":"Stop","session_id":"s1"{active}}}"#);
        ask(&place, CLAUDE, "release", &event).body
    };
    let held = end(r#","stop_hook_active":false"#);
    assert!(is_denial(CLAUDE, &held) && held.contains("collects no evidence"), "{held}");
    for active in [r#","stop_hook_active":true"#, ""] {
        let released = end(active);
        assert!(!is_denial(CLAUDE, &released) && released.contains("A human is needed"), "{released}");
    }
    for agent in Agent::ALL {
        let event = json!({"hook_event_name": agent.end(), "session_id": "s1"}).to_string();
        let said = ask(&place, HookForm::Agent(agent), "release", &event);
        let message = said.json()["systemMessage"].as_str().map(str::to_owned);
        assert!(message.is_some_and(|message| message.ends_with("A human is needed.")), "{said:?}");
        assert!(!agent.is_denial(&said.body), "{said:?}");
    }
    let output =
        json!({"spec": "agent-hooks/0.1", "interception_point": "output", "target": null}).to_string();
    let verdict: Value =
        serde_json::from_str(&ask(&place, HookForm::AgentHooks, "release", &output).body).unwrap();
    assert_eq!((&verdict["decision"], &verdict["approval"]), (&"deny".into(), &json!({})));
}
