//! Removing over HTTP: modules, slots, and what no history within a retention needs.

use adjudicate_host::{ChangeReason, RecordSettings, SlotSettings};

use crate::{
    client::{ENVELOPE, JSON, Reply, WASM},
    modules::{TestStore, flagging},
};

fn ask(place: &TestStore, method: &str, path: &str, body: &str) -> Reply {
    place.ask(&place.admin, method, path, &[JSON], body)
}

fn install(place: &TestStore, version: &str) -> String {
    let reply =
        place.ask(&place.admin, "POST", "/v1/modules?unsigned=true", &[WASM], flagging(version, version));
    reply.json()["module"]["digest"].as_str().unwrap().to_owned()
}

#[test]
fn modules_and_slots_are_removed_only_where_nothing_needs_them() {
    let place = TestStore::deciding(&flagging("1.0.0", "one"));
    let used = place.slots.store().modules().unwrap()[0].digest.to_string();
    let free = install(&place, "2.0.0");
    let module = |digest: &str| format!("/v1/modules/{digest}");
    let needed = ask(&place, "DELETE", &module(&used), "");
    assert_eq!(needed.error(), (409, "in_use".to_owned()));
    assert!(needed.body.contains("the slot `release` has it active"), "{needed:?}");
    let removed = ask(&place, "DELETE", &format!("{}?keep=36h", module(&free)), "");
    assert_eq!((removed.status, removed.json()["uninstalled"]["digest"].as_str()), (200, Some(&free[..])));
    assert_eq!(ask(&place, "DELETE", &module(&free), "").error(), (404, "unknown_module".to_owned()));

    let entry = place.slots.slot("release").unwrap().entry().id;
    let delete = |tag: i64| {
        let tag = format!("\"{tag}\"");
        place.ask(&place.admin, "DELETE", "/v1/slots/release", &[JSON, ("if-match", &tag)], "")
    };
    assert_eq!(delete(entry - 1).error(), (409, "slot_changed".to_owned()));
    let deleted = delete(entry);
    assert_eq!((deleted.status, deleted.json()["deleted"]["id"].as_i64()), (200, Some(entry)));
    let evaluate =
        || place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE).error();
    assert_eq!(evaluate(), (404, "unknown_slot".to_owned()));
    assert_eq!(delete(entry).error(), (404, "unknown_slot".to_owned()));
    let numbers = place.ask(&place.evaluate, "GET", "/metrics", &[], "").body;
    assert!(!numbers.contains("slot=\"release\""), "{numbers}");
    assert_eq!(ask(&place, "GET", "/readyz", "").status, 200);
    let collected = ask(&place, "POST", "/v1/gc", r#"{"keep":"0s","dry_run":true}"#).json();
    assert_eq!(
        (&collected["modules"][0]["digest"], &collected["dry_run"]),
        (&used.as_str().into(), &true.into())
    );
    assert_eq!(place.slots.store().modules().unwrap().len(), 1);
    assert_eq!(ask(&place, "POST", "/v1/gc", r#"{"keep":"0s"}"#).status, 200);
    assert!(place.slots.store().modules().unwrap().is_empty());
}

#[test]
fn unreadable_requests_remove_nothing() {
    let place = TestStore::new();
    let digest = install(&place, "1.0.0");
    place.slots.create("release", SlotSettings::default(), &ChangeReason::default()).unwrap();
    let settings = SlotSettings { records: Some(RecordSettings::default()), ..SlotSettings::default() };
    place.slots.create("kept", settings, &ChangeReason::default()).unwrap();
    let module = format!("/v1/modules/{digest}");
    for (method, path, body, status, code) in [
        ("DELETE", "/v1/modules/judge", "", 400, "wrong_usage"),
        ("DELETE", "/v1/modules/sha256:00", "", 400, "wrong_usage"),
        ("DELETE", &format!("{module}?keep=0"), "", 400, "wrong_usage"),
        ("DELETE", &format!("{module}?keep=soon"), "", 400, "wrong_usage"),
        ("DELETE", &format!("{module}?force=true"), "", 400, "wrong_usage"),
        ("DELETE", "/v1/slots/nobody", "", 404, "unknown_slot"),
        ("DELETE", "/v1/slots/release?force=true", "", 400, "wrong_usage"),
        ("DELETE", "/v1/slots/release", r#"{"expected":1}"#, 400, "wrong_usage"),
        ("DELETE", &module, r#"{"keep":"5"}"#, 400, "wrong_usage"),
        ("POST", "/v1/gc", r#"{"keep":5}"#, 422, "invalid_value"),
        ("POST", "/v1/gc", r#"{"keep":""}"#, 400, "wrong_usage"),
        ("POST", "/v1/gc", r#"{"dry-run":true}"#, 422, "unknown_field"),
    ] {
        let reply = ask(&place, method, path, body);
        assert_eq!(reply.error(), (status, code.to_owned()), "{method} {path} {body} {reply:?}");
    }
    for (method, path) in
        [("DELETE", module.as_str()), ("POST", "/v1/gc"), ("DELETE", "/v1/slots/release/trust")]
    {
        let reply = place.ask(&place.admin, method, path, &[JSON, ("if-match", "\"1\"")], "");
        assert_eq!(reply.error(), (400, "wrong_usage".to_owned()), "{method} {path} {reply:?}");
    }
    let store = place.slots.store();
    assert_eq!((store.modules().unwrap().len(), store.slots().unwrap().len()), (1, 2));
}
