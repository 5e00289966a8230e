//! The OpenAPI document against the server that it describes.

use std::collections::BTreeSet;

use adjudicate_serve::{Access, Does, Gives, Takes, codes, routes, status_of};
use serde_json::Value;

use crate::{
    client::{Client, ENVELOPE, JSON, WASM, get, request, server},
    modules::{Place, flagging},
};

fn document() -> Value {
    let server = server();
    let reply = get(server.address(), "/openapi.json");
    assert_eq!(reply.status, 200);
    reply.json()
}

#[test]
fn the_document_has_every_route_and_no_other() {
    let document = document();
    let mut described = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        described
            .extend(methods.as_object().unwrap().keys().map(|method| (method.to_uppercase(), path.clone())));
    }
    let routed: BTreeSet<_> =
        routes().iter().map(|route| (route.method.to_string(), route.path.clone())).collect();
    assert_eq!(described, routed);
    let ids: Vec<_> = routed
        .iter()
        .map(|(method, path)| document["paths"][path][method.to_lowercase()]["operationId"].as_str().unwrap())
        .collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
}

#[test]
fn references_lead_somewhere_and_codes_have_their_status() {
    let document = document();
    let text = document.to_string();
    for reference in text.split(r##""$ref":"#"##).skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
    for code in codes::TABLE.all() {
        let reply = &document["components"]["responses"][status_of(code).as_str()];
        assert!(
            reply["description"].as_str().unwrap().contains(&format!("`{}`", code.as_str())),
            "{}",
            code.as_str()
        );
    }
    assert_eq!(document["openapi"], "3.1.0");
}

/// Whether a value has the form that the document says, as far as the document says it.
fn check(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        return check(document, document.pointer(&reference[1..]).unwrap(), value, at);
    }
    let is_type = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64(),
        Some("boolean") => value.is_boolean(),
        _ => true,
    };
    assert!(is_type, "{at}: {value} is no {schema}");
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at}: no {name} in {value}");
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(described) => check(document, described, member, &format!("{at}/{name}")),
            None => assert!(schema["properties"].is_null(), "{at}/{name} is not described"),
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        check(document, &schema["items"], item, &format!("{at}/{index}"));
    }
}

#[test]
fn what_every_route_replies_is_what_the_document_says() {
    let place = Place::deciding(&flagging("1.0.0", "one"));
    let active = place.slots.slot("release").unwrap().entry().state.active.unwrap();
    let digest = active.base.module.to_string();
    let composition = serde_json::to_string(&active).unwrap();
    let document = place.ask("", "GET", "/openapi.json", &[], "").json();
    let mut seen = 0;
    // A deleted slot replies to nothing afterwards, and a slot needs its module.
    let mut routes: Vec<_> = routes().iter().collect();
    routes
        .sort_by_key(|route| [Does::DeleteSlot, Does::Uninstall].iter().position(|does| *does == route.does));
    for route in routes {
        let path = route.path.replace("{slot}", "release").replace("{digest}", &digest);
        let (kind, body) = match route.takes {
            Takes::Nothing => (JSON, Vec::new()),
            Takes::Wasm => (WASM, flagging("1.0.0", "one")),
            Takes::Calls => (JSON, ENVELOPE.into()),
            Takes::Json("SettingsChange") => (JSON, br#"{"settings":{}}"#.to_vec()),
            Takes::Json("CompositionChange" | "ShadowChange") => {
                (JSON, format!(r#"{{"composition":{composition}}}"#).into())
            }
            Takes::Json("CanaryChange") => {
                (JSON, format!(r#"{{"canary":{{"composition":{composition},"permille":10}}}}"#).into())
            }
            Takes::Json("TrustPolicy") => (JSON, br#"{"unsigned":"allow"}"#.to_vec()),
            Takes::Json(_) => (JSON, b"{}".to_vec()),
        };
        let described = &document["paths"][&route.path][route.method.as_str().to_lowercase()];
        let query = match (route.takes, route.does) {
            (Takes::Wasm, _) => "?unsigned=true",
            (_, Does::Uninstall) => "?keep=1",
            _ => "",
        };
        let token = if route.access == Access::Admin { &place.admin } else { &place.evaluate };
        let bearer = format!("Bearer {token}");
        let headers = [kind, ("authorization", bearer.as_str())];
        let mut client = Client::to(place.server.address());
        client.say(request(route.method.as_str(), &format!("{path}{query}"), &headers, body)).unwrap();
        let head = client.head().unwrap();
        let reply = &described["responses"][head.status.to_string()];
        assert!(!reply.is_null(), "{} {path} replied {head:?}", route.method);
        if route.gives == Gives::Wasm || head.status >= 400 {
            continue;
        }
        let length = head.header("content-length").unwrap().parse().unwrap();
        let text = client.exactly(length);
        let kind = head.header("content-type").unwrap().split(';').next().unwrap();
        let schema = &reply["content"][kind]["schema"];
        assert!(!schema.is_null(), "{path} is of type {kind}");
        if let Gives::Json(_) = route.gives {
            check(&document, schema, &serde_json::from_str(&text).unwrap(), &path);
            seen += 1;
        }
    }
    assert!(seen >= 25, "{seen}");
    assert!(place.slots.store().modules().unwrap().is_empty());
}
