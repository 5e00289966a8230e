//! The administration of slots, modules and trust.

use adjudicate_sandbox::Digest;

use crate::{
    client::{ENVELOPE, JSON, Reply, WASM, until},
    modules::{TestStore, answer_with, flagging},
};

fn ask(place: &TestStore, method: &str, path: &str, body: &str) -> Reply {
    place.ask(&place.admin, method, path, &[JSON], body)
}

fn install(place: &TestStore, module: &[u8]) -> String {
    let reply = place.ask(&place.admin, "POST", "/v1/modules?unsigned=true", &[WASM], module);
    assert_eq!(reply.status, 201, "{reply:?}");
    let digest = reply.json()["module"]["digest"].as_str().unwrap().to_owned();
    assert_eq!(reply.header("location"), Some(format!("/v1/modules/{digest}").as_str()));
    digest
}

fn composition(digest: &str) -> String {
    format!(r#"{{"base":{{"module":"{digest}","unsigned":true}}}}"#)
}

#[test]
fn a_policy_is_installed_activated_tried_replaced_and_rolled_back() {
    let place = TestStore::new();
    let [one, two] =
        [("1.0.0", "one"), ("1.1.0", "two")].map(|(version, flag)| install(&place, &flagging(version, flag)));
    let decided = || {
        let reply = place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE);
        (reply.body, reply.headers.into_iter().find(|(name, _)| name == "adjudicate-by").map(|(_, by)| by))
    };
    let by = |flag: &str, by: &str| (answer_with(flag), Some(by.to_owned()));

    let made = ask(
        &place,
        "PUT",
        "/v1/slots/release",
        r#"{"$schema":"a","settings":{"$schema":"b"},"note":"made","x-why":1}"#,
    );
    assert_eq!((made.status, &made.json()["state"]), (200, &serde_json::json!({})), "{made:?}");
    let empty = place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE);
    assert_eq!(empty.error(), (503, "slot_empty".to_owned()));

    let change = format!(r#"{{"composition":{},"note":"first"}}"#, composition(&one));
    let first = ask(&place, "POST", "/v1/slots/release/activate", &change);
    assert_eq!(first.json()["state"]["active"]["base"]["module"], one.as_str(), "{first:?}");
    assert_eq!(decided(), by("one", "active"));
    let canary = format!(r#"{{"canary":{{"composition":{},"permille":1000}}}}"#, composition(&two));
    assert_eq!(ask(&place, "POST", "/v1/slots/release/canary", &canary).status, 200);
    assert_eq!(decided(), by("two", "canary"));
    assert_eq!(ask(&place, "POST", "/v1/slots/release/canary", r#"{"canary":null}"#).status, 200);
    let shadow = format!(r#"{{"composition":{}}}"#, composition(&two));
    assert_eq!(ask(&place, "POST", "/v1/slots/release/shadow", &shadow).status, 200);
    assert_eq!(decided(), by("one", "active"));
    until("the shadow differs", || {
        ask(&place, "GET", "/v1/slots/release/statistics", "").json()["shadow_differences"] != 0
    });
    // It is counted before it is kept.
    until("the difference is kept", || {
        let kept = ask(&place, "GET", "/v1/slots/release/differences?limit=1", "").json();
        kept["differences"][0]["run_id"] == "r"
    });
    assert_eq!(ask(&place, "POST", "/v1/slots/release/activate", &shadow).status, 200);
    assert_eq!(decided(), by("two", "active"));
    assert_eq!(ask(&place, "POST", "/v1/slots/release/rollback", "{}").status, 200);
    assert_eq!(decided(), by("one", "active"));

    let history = ask(&place, "GET", "/v1/slots/release/history", "").json();
    let actions: Vec<_> = history["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["rollback", "activate", "shadow", "canary", "canary", "activate", "configure"]);
    let admin =
        place.slots.store().tokens().unwrap().into_iter().find(|token| token.name == "admin").unwrap();
    assert_eq!(history["history"][5]["note"], format!("first (by token {})", admin.id));
    assert_eq!(
        ask(&place, "GET", "/v1/slots/release/history?limit=2", "").json()["history"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert_eq!(ask(&place, "GET", "/v1/slots", "").json()["slots"][0]["slot"], "release");
    let shown = ask(&place, "GET", "/v1/slots/release", "");
    assert_eq!(shown.header("etag"), Some(format!("\"{}\"", shown.json()["id"]).as_str()));
    let numbers = place.ask(&place.evaluate, "GET", "/metrics", &[], "").body;
    for line in [
        "adjudicate_slot_calls_total{slot=\"release\"} 6",
        "adjudicate_slot_canary_calls_total{slot=\"release\"} 1",
        "adjudicate_slot_shadow_differences_total{slot=\"release\"} 1",
        "adjudicate_slot_troubled{slot=\"release\"} 0",
    ] {
        assert!(numbers.contains(line), "{line}\n{numbers}");
    }
    assert!(numbers.ends_with("# EOF\n"));
}

#[test]
fn a_change_of_an_outdated_entry_fails() {
    let place = TestStore::new();
    let digest = install(&place, &flagging("1.0.0", "one"));
    let made = ask(&place, "PUT", "/v1/slots/release", r#"{"settings":{}}"#).json()["id"].as_i64().unwrap();
    let change = |more: &str| format!(r#"{{"composition":{}{more}}}"#, composition(&digest));
    let activate = |headers: &[(&str, &str)], more: &str| {
        let headers = [&[JSON], headers].concat();
        place.ask(&place.admin, "POST", "/v1/slots/release/activate", &headers, change(more))
    };
    let stale = format!("\"{}\"", made - 1);
    assert_eq!(activate(&[("if-match", &stale)], "").error(), (409, "slot_changed".to_owned()));
    assert_eq!(activate(&[], r#","expected":0"#).error(), (409, "slot_changed".to_owned()));
    let current = format!("\"{made}\"");
    assert_eq!(
        activate(&[("if-match", &current)], r#","expected":0"#).error(),
        (400, "wrong_usage".to_owned())
    );
    for unreadable in ["*", "12", "W/\"12\"", "\"x\"", "\"1\", \"2\""] {
        assert_eq!(
            activate(&[("if-match", unreadable)], "").error(),
            (400, "wrong_usage".to_owned()),
            "{unreadable}"
        );
    }
    assert_eq!(ask(&place, "GET", "/v1/slots/release", "").json()["id"], made);
    assert_eq!(activate(&[("if-match", &current)], "").status, 200);
}

#[test]
fn documents_are_read_strictly() {
    let place = TestStore::new();
    ask(&place, "PUT", "/v1/slots/release", r#"{"settings":{}}"#);
    let digest = Digest::sha256(b"nobody").to_string();
    let with = |text: &str| text.replace("D", &digest);
    for (method, path, body, status, code, pointer) in [
        ("POST", "activate", "", 400, "malformed_json", ""),
        ("POST", "activate", "[]", 422, "invalid_value", ""),
        ("POST", "activate", "{}", 422, "missing_field", "/composition"),
        ("POST", "activate", r#"{"compositon":{}}"#, 422, "unknown_field", "/compositon"),
        ("POST", "activate", r#"{"composition":{},"composition":{}}"#, 400, "duplicate_key", "/composition"),
        ("POST", "activate", r#"{"composition":{"base":{"module":"D"}}}"#, 404, "unknown_module", ""),
        ("POST", "shadow", "{}", 422, "missing_field", "/composition"),
        ("POST", "canary", r#"{"canary":{"permille":5}}"#, 422, "missing_field", "/canary/composition"),
        ("POST", "rollback", r#"{"to":"1"}"#, 422, "invalid_value", "/to"),
        ("POST", "rollback", r#"{"to":999}"#, 404, "unknown_version", ""),
        ("PUT", "settings", r#"{"settings":{"on_falt":"error"}}"#, 422, "unknown_field", "/settings/on_falt"),
        ("PUT", "trust", "{", 400, "malformed_json", ""),
    ] {
        let reply = ask(&place, method, &format!("/v1/slots/release/{path}"), &with(body));
        assert_eq!(reply.error(), (status, code.to_owned()), "{path} {body} {reply:?}");
        assert_eq!(reply.json()["error"]["path"], pointer, "{path} {body} {reply:?}");
    }
    for name in ["A", "a%2Fb", "%C3%A9", ".."] {
        let reply = ask(&place, "PUT", &format!("/v1/slots/{name}"), r#"{"settings":{}}"#);
        assert_eq!(reply.error(), (400, "wrong_usage".to_owned()), "{name}");
    }
    assert_eq!(place.slots.store().slots().unwrap().len(), 1);
    for query in ["limit=0", "limit=1001", "limit=x", "limit"] {
        let reply = ask(&place, "GET", &format!("/v1/slots/release/history?{query}"), "");
        assert_eq!(reply.error(), (400, "wrong_usage".to_owned()), "{query}");
    }
}

#[test]
fn trust_is_read_as_it_was_written() {
    let place = TestStore::new();
    ask(&place, "PUT", "/v1/slots/release", r#"{"settings":{}}"#);
    let read = |path: &str| ask(&place, "GET", path, "").body;
    let [of_store, of_slot] = ["/v1/trust", "/v1/slots/release/trust"];
    assert_eq!((read(of_store).as_str(), read(of_slot).as_str()), ("{}", "{}"));
    let open = r#"{ "unsigned": "allow" }"#;
    assert_eq!(ask(&place, "PUT", of_store, open).status, 200);
    assert_eq!((read(of_store).as_str(), read(of_slot).as_str()), (open, open));
    assert_eq!(ask(&place, "PUT", of_slot, r#"{"unsigned":"refuse"}"#).status, 200);
    assert_eq!((read(of_store).as_str(), read(of_slot).as_str()), (open, r#"{"unsigned":"refuse"}"#));
    assert_eq!(ask(&place, "DELETE", of_slot, "").status, 200);
    // An empty name is that of no slot, and not the store.
    assert_eq!(ask(&place, "PUT", "/v1/slots//trust", "{}").error(), (404, "unknown_slot".to_owned()));
    assert_eq!((read(of_store).as_str(), read(of_slot).as_str()), (open, open));
    assert_eq!(ask(&place, "DELETE", of_store, "").error(), (405, "method_not_allowed".to_owned()));
    assert_eq!(ask(&place, "DELETE", "/v1/slots/nobody/trust", "").error(), (404, "unknown_slot".to_owned()));
    let wrong = ask(&place, "PUT", of_store, r#"{"unsinged":"allow"}"#);
    assert_eq!(wrong.error(), (422, "unknown_field".to_owned()));
    assert_eq!(ask(&place, "PUT", "/v1/slots/nobody/trust", "{}").error(), (404, "unknown_slot".to_owned()));
}

#[test]
fn modules_are_installed_by_their_bytes_and_found_by_their_digest() {
    let place = TestStore::new();
    let module = flagging("1.0.0", "one");
    let put = |path: &str, bytes: &[u8]| place.ask(&place.admin, "PUT", path, &[WASM], bytes);
    let digest = Digest::sha256(&module).to_string();
    let path = format!("/v1/modules/{digest}?unsigned=true");
    assert_eq!(put(&path, &module[1..]).error(), (422, "invalid_value".to_owned()));
    assert_eq!(
        put(&path.replace("?unsigned=true", ""), &module).error(),
        (422, "module_unsigned".to_owned())
    );
    assert_eq!(put(&path, &module).status, 201);
    let again = put(&path, &module);
    assert_eq!((again.status, &again.json()["is_new"]), (200, &false.into()));
    // An invalid digest is an error, because otherwise no digest would be compared with the bytes.
    assert_eq!(put("/v1/modules/%ff?unsigned=true", &module).error(), (400, "wrong_usage".to_owned()));
    let shown = ask(&place, "GET", &format!("/v1/modules/{digest}"), "").json();
    assert_eq!((&shown["name"], &shown["version"]), (&"judge".into(), &"1.0.0".into()));
    assert_eq!(ask(&place, "GET", "/v1/modules/judge@1.0.0", "").json(), shown);
    assert_eq!(ask(&place, "GET", "/v1/modules", "").json()["modules"][0], shown);
    assert_eq!(ask(&place, "GET", "/v1/modules/nobody", "").error(), (404, "unknown_module".to_owned()));
    let install =
        |bytes: &[u8]| place.ask(&place.admin, "POST", "/v1/modules?unsigned=true", &[WASM], bytes).error();
    assert_eq!(install(b"\0asm garbage"), (422, "module_malformed".to_owned()));
    assert_eq!(install(b"x"), (422, "module_malformed".to_owned()));
    let wrong = place.ask(&place.admin, "POST", "/v1/modules?unsigned=yes", &[WASM], &module);
    assert_eq!(wrong.error(), (400, "wrong_usage".to_owned()));
    let json = place.ask(&place.admin, "POST", "/v1/modules", &[JSON], &module);
    assert_eq!(json.error(), (415, "unsupported_media_type".to_owned()));
}
