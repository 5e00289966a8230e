//! The OpenAPI document against the server that it describes.

use std::{collections::BTreeSet, fs};

use adjudicate_core::{Operation, schema::check_text};
use adjudicate_host::{ChangeReason, Composition, InstallOptions};
use adjudicate_serve::{BodyContent, RequiredAccess, codes, routes, status_of};
use serde_json::{Value, json};

use crate::{
    client::{ENVELOPE, JSON, WASM, get, server, until},
    modules::{TestStore, flagging},
};

#[test]
fn the_document_describes_every_route_and_its_references_lead_somewhere() {
    let document = get(server().address(), "/openapi.json").json();
    let mut ids = BTreeSet::new();
    for route in routes() {
        let described = &document["paths"][&route.path][route.method.as_str().to_lowercase()];
        assert!(ids.insert(described["operationId"].as_str().unwrap()), "{}", route.path);
    }
    let text = document.to_string();
    for reference in text.split(r##""$ref":"#"##).skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
    for code in codes::TABLE.all() {
        let reply = &document["components"]["responses"][status_of(code).as_str()];
        assert!(reply["description"].as_str().unwrap().contains(&format!("`{code}`")), "{}", code.as_str());
    }
    let schema = |path: &str, part: &str| {
        let part = document["paths"][path]["post"].pointer(part).unwrap();
        part["content"]["application/json"]["schema"]["$ref"].as_str().unwrap().to_owned()
    };
    for (path, call, answer) in [
        ("/v1/evaluate", "evaluate-call", "evaluation"),
        ("/v1/check_policy", "check-policy-call", "check-policy-answer"),
        ("/v1/slots/{slot}/evaluate", "evaluate-call", "module-evaluation"),
        ("/v1/slots/{slot}/deliberate", "ledger", "deliberation"),
    ] {
        assert_eq!(schema(path, "/requestBody"), format!("#/components/schemas/{call}"));
        assert_eq!(schema(path, "/responses/200"), format!("#/components/schemas/{answer}"));
        let published = format!("{}/../../docs/schemas/{call}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let published: Value = serde_json::from_str(&fs::read_to_string(published).unwrap()).unwrap();
        assert_eq!(document["components"]["schemas"][call]["description"], published["description"]);
    }
}

/// Validates a value by a schema of the document.
fn check(document: &Value, schema: &Value, value: &str, at: &str) {
    let schemas = &document["components"]["schemas"];
    let schema = json!({"allOf": [schema], "$defs": schemas}).to_string();
    let schema = schema.replace("#/components/schemas/", "#/$defs/");
    let call = format!(r#"{{"draft":"2020-12","schema":{schema},"instance":{value}}}"#);
    let answer = check_text(call.as_bytes()).unwrap();
    assert_eq!(answer, r#"{"valid":true,"errors":[]}"#, "{at}: {value}");
}

#[test]
fn requests_and_replies_are_valid_by_the_openapi_document() {
    let place = TestStore::deciding(&flagging("1.0.0", "one"));
    let terms = InstallOptions { slot: None, unsigned: true };
    let other = place.slots.install(&flagging("2.0.0", "two"), &terms).unwrap().module.digest;
    let slot = place.slots.slot("release").unwrap();
    slot.shadow(Some(Composition::new(other).unsigned()), &ChangeReason::default()).unwrap();
    place.ask(&place.evaluate, "POST", "/v1/slots/release/evaluate", &[JSON], ENVELOPE);
    until("the difference is kept", || !place.slots.store().differences("release", 1).unwrap().is_empty());
    let active = place.slots.slot("release").unwrap().entry().state.active.unwrap();
    let digest = active.base.module.to_string();
    let composition = serde_json::to_string(&active).unwrap();
    let document = place.ask("", "GET", "/openapi.json", &[], "").json();
    let mut valid = 0;
    // A deleted slot answers no requests, and a slot needs its module, so both are deleted last.
    let mut routes: Vec<_> = routes().iter().collect();
    routes.sort_by_key(|route| {
        let last = ["DeletedSlot", "Uninstalled"].map(BodyContent::Json);
        last.iter().position(|content| *content == route.returns)
    });
    for route in routes {
        let path = route.path.replace("{slot}", "release").replace("{digest}", &digest);
        let called = route.path.strip_prefix("/v1/").and_then(Operation::from_name);
        let (kind, body) = match route.accepts {
            BodyContent::Nothing => (JSON, Vec::new()),
            BodyContent::Wasm => (WASM, flagging("1.0.0", "one")),
            BodyContent::Call => match called {
                Some(operation) => (JSON, operation.example().into()),
                None => (JSON, ENVELOPE.into()),
            },
            BodyContent::Json("SettingsChange") => (JSON, br#"{"settings":{}}"#.to_vec()),
            BodyContent::Json("CompositionChange" | "ShadowChange") => {
                (JSON, format!(r#"{{"composition":{composition}}}"#).into())
            }
            BodyContent::Json("CanaryChange") => {
                (JSON, format!(r#"{{"canary":{{"composition":{composition},"permille":10}}}}"#).into())
            }
            BodyContent::Json("TrustPolicy") => (JSON, br#"{"unsigned":"allow"}"#.to_vec()),
            BodyContent::Json(_) | BodyContent::Message | BodyContent::Event | BodyContent::Text => {
                (JSON, b"{}".to_vec())
            }
        };
        let described = &document["paths"][&route.path][route.method.as_str().to_lowercase()];
        let media = &described["requestBody"]["content"]["application/json"];
        if !media.is_null() && (route.accepts != BodyContent::Call || called.is_some()) {
            check(&document, &media["schema"], str::from_utf8(&body).unwrap(), &path);
        }
        let query = match (route.accepts, route.returns) {
            (BodyContent::Wasm, _) => "?unsigned=true",
            (_, BodyContent::Json("Uninstalled")) => "?keep=1",
            _ => "",
        };
        let token = if route.access == RequiredAccess::Admin { &place.admin } else { &place.evaluate };
        let reply = place.ask(token, route.method.as_str(), &format!("{path}{query}"), &[kind], body);
        let described = &described["responses"][reply.status.to_string()];
        assert!(!described.is_null(), "{} {path} replied {reply:?}", route.method);
        if reply.status >= 400 {
            continue;
        }
        let kind = reply.header("content-type").unwrap().split(';').next().unwrap();
        let schema = &described["content"][kind]["schema"];
        assert!(!schema.is_null(), "{path} is of type {kind}");
        if !matches!(route.returns, BodyContent::Text | BodyContent::Wasm) {
            check(&document, schema, &reply.body, &path);
            valid += 1;
        }
    }
    assert!(valid >= 26 + Operation::ALL.len(), "{valid}");
    let modules = place.slots.store().modules().unwrap();
    assert_eq!(modules.iter().map(|module| module.digest).collect::<Vec<_>>(), [other]);
}
