//! Calls of every operation, natively and of slots.

use adjudicate_core::{Operation, Policy};
use adjudicate_serve::{Native, Server, ServerSettings};

use crate::{
    client::{Client, ENVELOPE, JSON, get, post, request, server},
    modules::{TestStore, answer_with, flagging, reporting, trapping},
};

#[test]
fn every_operation_answers_with_the_engines_bytes() {
    let server = server();
    let mut client = Client::to(server.address());
    for operation in Operation::ALL {
        for name in [operation.name().to_owned(), operation.name().replace('_', "-")] {
            let path = format!("/v1/{name}");
            for body in ["{}", "[", "", "{\"envelope\":{}}", ENVELOPE] {
                let reply = client.ask(request("POST", &path, &[JSON], body));
                let (expected, is_answer) = match operation.call(body.as_bytes()) {
                    Ok(answer) => (answer, true),
                    Err(error) => (error.to_json(), false),
                };
                assert_eq!(reply.body, expected, "{path} {body}");
                assert_eq!(reply.status == 200, is_answer, "{path} {body}");
                assert_eq!(reply.header("content-type"), Some("application/json"));
            }
        }
    }
    assert_eq!(post(server.address(), "/v1/evaluate", ENVELOPE).status, 200);
}

#[test]
fn the_policy_of_the_server_applies_and_calls_cannot_bring_another() {
    let policy = br#"{"policy":"strict","version":"1.0.0","forbidden_paths":["src/**"]}"#;
    let native = Native::with_policy(Policy::parse(policy).unwrap());
    let server = Server::start(ServerSettings::default(), native, None).unwrap();
    let answer = post(server.address(), "/v1/evaluate", ENVELOPE);
    assert_eq!(answer.json()["policy"]["name"], "strict");
    assert_eq!(answer.json()["decision"]["status"], "unsafe");
    let other = format!(r#"{{"envelope":{ENVELOPE},"policy":{{"policy":"p","version":"1.0.0"}}}}"#);
    assert_eq!(post(server.address(), "/v1/evaluate", other).error(), (422, "invalid_value".to_owned()));
}

#[test]
fn a_slot_answers_and_names_the_entry_that_decided() {
    let place = TestStore::deciding(&flagging("1.0.0", "one"));
    let entry = place.slots.slot("release").unwrap().entry();
    let digest = entry.state.active.unwrap().base.module.to_string();
    let reply = place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE);
    assert_eq!((reply.status, reply.body.as_str()), (200, answer_with("one").as_str()));
    assert_eq!(reply.header("adjudicate-entry"), Some(entry.id.to_string().as_str()));
    assert_eq!(reply.header("adjudicate-by"), Some("active"));
    assert_eq!(reply.header("adjudicate-modules"), Some(digest.as_str()));
    assert_eq!(reply.header("adjudicate-fault"), None);

    let ask = |path: &str| place.ask(&place.evaluate, "POST", path, &[JSON], ENVELOPE).error();
    assert_eq!(ask("/v1/slots/release/refine"), (501, "unsupported_operation".to_owned()));
    assert_eq!(ask("/v1/slots/nobody/evaluate"), (404, "unknown_slot".to_owned()));
}

#[test]
fn a_module_that_fails_is_not_the_callers_fault_and_what_it_reports_is() {
    let place = TestStore::deciding(&trapping("1.0.0"));
    let ask = |place: &TestStore| {
        place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE)
    };
    assert_eq!(ask(&place).error(), (502, "module_trap".to_owned()));
    let settings = r#"{"settings":{"on_fault":"fail_closed"}}"#;
    let put = place.ask(&place.admin, "PUT", "/v1/slots/release/settings", &[JSON], settings);
    assert_eq!(put.status, 200, "{put:?}");
    let reply = ask(&place);
    assert_eq!((reply.status, &reply.json()["decision"]["status"]), (200, &"unsafe".into()));
    assert_eq!(reply.header("adjudicate-by"), Some("fail_closed"));
    assert_eq!(reply.header("adjudicate-fault"), Some("module_trap"));

    let place = TestStore::deciding(&reporting("1.0.0"));
    let reply = ask(&place);
    assert_eq!(reply.error(), (422, "too_blue".to_owned()));
    assert!(!reply.body.contains('\n'));
}

#[test]
fn addresses_and_methods_are_exact() {
    let server = server();
    let to = server.address();
    for path in [
        "/",
        "/v1/nothing",
        "/v1/evaluate/",
        "/v1//evaluate",
        "/v1/Evaluate",
        "/v1/%65valuate",
        "/v1/evaluate%2f",
        "/v1/../v1/evaluate",
        "/v1/validate--plan",
        "/v1/slots/a/b/c/evaluate",
        "/v1/slots//evaluate",
    ] {
        assert_eq!(post(to, path, "{}").error(), (404, "not_found".to_owned()), "{path}");
    }
    for (method, path, allow) in [
        ("GET", "/v1/evaluate", "POST"),
        ("PUT", "/v1/evaluate", "POST"),
        ("TRACE", "/v1/evaluate", "POST"),
        ("OPTIONS", "/v1/evaluate", "POST"),
        ("POST", "/healthz", "GET,HEAD"),
        ("DELETE", "/v1/modules", "GET,HEAD,POST"),
        ("BREW", "/v1/slots/a", "GET,HEAD,PUT,DELETE"),
    ] {
        let reply = Client::to(to).ask(request(method, path, &[JSON], "{}"));
        assert_eq!(reply.error(), (405, "method_not_allowed".to_owned()), "{method} {path}");
        assert_eq!(reply.header("allow"), Some(allow), "{method} {path}");
    }
    let query = post(to, "/v1/evaluate?pretty", ENVELOPE);
    assert_eq!(query.error(), (400, "wrong_usage".to_owned()));
    assert_eq!(get(to, "/healthz").json()["status"], "alive");
    assert_eq!(get(to, "/readyz").json()["ready"], true);
    // Without a store there are no slots, for any caller.
    assert_eq!(post(to, "/v1/slots/a/evaluate", ENVELOPE).error(), (404, "not_found".to_owned()));
}

#[test]
fn requests_that_a_web_page_can_make_are_rejected() {
    let server = server();
    let ask = |method: &str, headers: &[(&str, &str)]| {
        Client::to(server.address()).ask(request(method, "/v1/evaluate", headers, ENVELOPE))
    };
    let page = ("origin", "http://evil.example");
    for (method, more) in [("POST", JSON), ("OPTIONS", ("access-control-request-method", "POST"))] {
        let reply = ask(method, &[page, more]);
        assert_eq!(reply.error(), (403, "forbidden".to_owned()), "{method}");
        assert!(!reply.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{reply:?}");
    }
    // A form can send this content type.
    let form = ask("POST", &[("content-type", "text/plain")]);
    assert_eq!(form.error(), (415, "unsupported_media_type".to_owned()));
}
