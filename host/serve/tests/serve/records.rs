//! Decision records that cannot be written: calls of the slot fail, and `/readyz` reports it to load balancers.

use std::time::Duration;

use adjudicate_host::SlotSettings;

use crate::{
    client::{ENVELOPE, JSON, Reply, get, until},
    modules::{TestStore, activate, flagging},
};

#[test]
fn a_server_that_cannot_write_records_says_so_until_it_can() {
    let place = TestStore::new();
    let to = place.server.address();
    let fill = |name: &str, settings: &str| {
        let settings = SlotSettings::parse(settings.as_bytes()).unwrap();
        activate(&place.slots, name, settings, &flagging("1.0.0", "one"));
    };
    fill("release", r#"{"on_fault":"fail_closed","records":{}}"#);
    fill("plain", "{}");
    let call = |slot: &str| {
        place.ask(&place.evaluate, "POST", &format!("/v1/slots/{slot}/evaluate"), &[JSON], ENVELOPE)
    };
    let tamper = |sql: &str| {
        let database = place.slots.store().directory().join("adjudicate.db");
        let connection = rusqlite::Connection::open(database).unwrap();
        connection.busy_timeout(Duration::from_secs(10)).unwrap();
        connection.execute_batch(sql).unwrap();
    };
    let ready_with = |status: u16| -> Reply {
        until("the readiness changes", || get(to, "/readyz").status == status);
        get(to, "/readyz")
    };
    ready_with(200);
    tamper("CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    // Without a record there is no decision, not even a fail-closed one.
    assert_eq!(call("release").error(), (500, "store_fault".to_owned()));
    assert_eq!(call("plain").status, 200);
    let observed = ready_with(503).json();
    let words = "1 slot cannot write required decision records";
    assert_eq!((&observed["ready"], &observed["troubles"]), (&false.into(), &serde_json::json!([words])));
    let statistics = place.ask(&place.admin, "GET", "/v1/slots/release/statistics", &[], "").json();
    assert!(statistics["unrecorded"].as_str().unwrap().contains("disk is full"), "{statistics}");
    let numbers = place.ask(&place.evaluate, "GET", "/metrics", &[], "").body;
    for (slot, is_in_trouble) in [("release", 1), ("plain", 0)] {
        let line = format!("adjudicate_slot_unrecorded{{slot=\"{slot}\"}} {is_in_trouble}");
        assert!(numbers.contains(&line), "{line}: {numbers}");
    }
    // The server notices it without a call, too.
    tamper("DROP TRIGGER full");
    assert_eq!(ready_with(200).json()["troubles"], serde_json::json!([]));
    assert_eq!(call("release").status, 200);
}
