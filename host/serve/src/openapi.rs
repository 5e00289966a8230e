//! The OpenAPI document, made from the table of routes.

use std::{collections::BTreeMap, sync::LazyLock};

use adjudicate_core::{
    Operation,
    document::{SchemaRoot, Type},
    schemas,
};
use axum::body::Bytes;
use serde_json::{Map, Value, json};

use crate::{
    codes,
    documents::TYPES,
    routes::{Access, ReplyContent, RequestContent, Route, RouteAction, routes},
    status::status_of,
};

/// The documents for answers of modules. A module may answer `evaluate`, `refine` and `explain` with fewer fields than the engine does.
const OF_MODULES: [&str; 3] = ["module-evaluation", "module-revision", "module-explanation"];

/// The document of errors.
const ERROR: &str = "error";

/// The text of the document.
pub(crate) static TEXT: LazyLock<Bytes> = LazyLock::new(|| document().to_string().into());

fn document() -> Value {
    let mut paths = Map::new();
    for route in routes() {
        let entry = paths.entry(route.path.clone()).or_insert_with(|| json!({}));
        if let Some(methods) = entry.as_object_mut() {
            methods.insert(route.method.as_str().to_ascii_lowercase(), operation(route));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "adjudicate",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Typed evidence in, one deterministic decision out",
            "description": "Each operation is also available with dashes in its name. With `application/x-ndjson`, send one call per line; \
                each line gets one answer, in order, or `{\"error\": ...}`. Every other error has the status of its code, below.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "evaluate": {"type": "http", "scheme": "bearer", "description": "a token of the role `evaluate` or `admin`"},
                "admin": {"type": "http", "scheme": "bearer", "description": "a token of the role `admin`"},
            },
            "schemas": of_operations().chain(of_routes()).collect::<Map<_, _>>(),
            "responses": responses(),
        },
    })
}

fn operation(route: &Route) -> Value {
    let mut described = json!({
        "operationId": id(route),
        "summary": route.summary,
        "tags": [tag(route)],
        "responses": replies(route),
    });
    let Some(members) = described.as_object_mut() else { return described };
    let parameters = parameters(route);
    if !parameters.is_empty() {
        members.insert("parameters".to_owned(), parameters.into());
    }
    let body = match route.accepts {
        RequestContent::Nothing => None,
        RequestContent::Calls => Some(json!({
            "application/json": {"schema": call(route)},
            "application/x-ndjson": {"schema": {"type": "string", "description": "one call per line"}},
        })),
        RequestContent::Json(schema) => Some(json!({"application/json": {"schema": reference(schema)}})),
        RequestContent::Message => Some(json!({"application/json": {"schema": message()}})),
        RequestContent::Wasm => Some(json!({"application/wasm": {"schema": binary()}})),
    };
    if let Some(content) = body {
        members.insert("requestBody".to_owned(), json!({"required": true, "content": content}));
    }
    match route.access {
        Access::Open => members.insert("security".to_owned(), json!([])),
        Access::Numbers | Access::Evaluate => {
            members.insert("security".to_owned(), json!([{"evaluate": []}]))
        }
        Access::Admin => members.insert("security".to_owned(), json!([{"admin": []}])),
    };
    described
}

fn id(route: &Route) -> String {
    match route.action {
        RouteAction::Call(operation) => operation.name().to_owned(),
        RouteAction::CallSlot(operation) => format!("slot_{}", operation.name()),
        _ => {
            let words =
                route.path.split(['/', '{', '}', '.']).filter(|word| !word.is_empty() && *word != "v1");
            let words: Vec<_> = words.collect();
            format!("{}_{}", route.method.as_str().to_ascii_lowercase(), words.join("_"))
        }
    }
}

const fn tag(route: &Route) -> &'static str {
    match (route.action, route.access) {
        (RouteAction::Call(_), _) => "operations",
        (RouteAction::CallSlot(_), _) => "slots",
        (_, Access::Admin) => "administration",
        _ => "server",
    }
}

fn parameters(route: &Route) -> Vec<Value> {
    let braces = route.path.split(['{', '}']).skip(1).step_by(2);
    let mut parameters: Vec<_> = braces
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": parameter_schema(name)}))
        .collect();
    parameters.extend(route.query.iter().map(|(name, meaning)| {
        let schema = match *name {
            "limit" => json!({"type": "integer", "minimum": 1, "maximum": 1000}),
            "unsigned" => json!({"type": "boolean"}),
            "keep" => json!({"type": "string"}),
            _ => parameter_schema(name),
        };
        json!({"name": name, "in": "query", "description": meaning, "schema": schema})
    }));
    if route.accepts_if_match() {
        parameters.push(json!({"name": "if-match", "in": "header",
            "schema": {"type": "string", "pattern": "^\"-?[0-9]+\"$"},
            "description": "the `etag` of the expected entry; if the slot is in another one, the error is `slot_changed`"}));
    }
    parameters
}

fn parameter_schema(name: &str) -> Value {
    match name {
        "slot" => json!({"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$"}),
        _ => json!({"type": "string", "description": "`sha256:` and 64 hexadecimal digits"}),
    }
}

fn call(route: &Route) -> Value {
    let (RouteAction::Call(operation) | RouteAction::CallSlot(operation)) = route.action else {
        return json!({});
    };
    reference(operation.input())
}

/// Returns the schema of the answer.
fn answer(route: &Route) -> Value {
    match route.action {
        RouteAction::Call(operation) => reference(operation.output()),
        RouteAction::CallSlot(operation) => {
            let of_module = format!("module-{}", operation.output());
            let is_own = OF_MODULES.contains(&of_module.as_str());
            reference(if is_own { &of_module } else { operation.output() })
        }
        _ => json!({}),
    }
}

fn replies(route: &Route) -> Value {
    let content = match route.returns {
        ReplyContent::CallHandler => json!({
            "application/json": {"schema": answer(route)},
            "application/x-ndjson": {"schema": {"type": "string", "description": "one answer or `{\"error\": ...}` per line"}},
        }),
        ReplyContent::Json(schema) => json!({"application/json": {"schema": reference(schema)}}),
        ReplyContent::Message => json!({"application/json": {"schema": message()}}),
        ReplyContent::Wasm => json!({"application/wasm": {"schema": binary()}}),
        ReplyContent::Text => json!({"application/openmetrics-text": {"schema": {"type": "string"}}}),
    };
    let mut replies = Map::new();
    let mut good = json!({"description": "answered", "content": content});
    if let (RouteAction::CallSlot(_), Some(members)) = (route.action, good.as_object_mut()) {
        let header = |description: &str| json!({"description": description, "schema": {"type": "string"}});
        members.insert(
            "headers".to_owned(),
            json!({
                "adjudicate-entry": header("the entry of the slot's history that decided"),
                "adjudicate-by": header("the part that decided: `active`, `canary`, `last_good` or `fail_closed`"),
                "adjudicate-modules": header("the digests of the modules that answered"),
                "adjudicate-fault": header("the code of the error of a module whose answer was replaced"),
            }),
        );
    }
    if route.action == RouteAction::Install {
        replies.insert("201".to_owned(), good.clone());
    }
    if route.action == RouteAction::Mcp {
        replies.insert("202".to_owned(), json!({"description": "accepted; a notification has no reply"}));
    }
    replies.insert("200".to_owned(), good);
    for status in expected(route) {
        replies.insert(status.to_string(), json!({"$ref": format!("#/components/responses/{status}")}));
    }
    replies.into()
}

/// Returns the statuses of the errors of a route.
fn expected(route: &Route) -> Vec<u16> {
    let mut statuses = vec![400, 403];
    if route.access != Access::Open {
        statuses.extend([401, 429]);
    }
    if route.accepts != RequestContent::Nothing {
        statuses.extend([408, 413, 415, 422]);
    }
    match route.action {
        RouteAction::Health | RouteAction::OpenApi => {}
        RouteAction::Ready => statuses.push(503),
        RouteAction::Metrics => statuses.extend([500, 503]),
        RouteAction::Call(_) => statuses.extend([500, 501, 503]),
        RouteAction::Mcp => statuses.extend([404, 500, 503]),
        RouteAction::CallSlot(_) => statuses.extend([404, 500, 501, 502, 503, 504]),
        _ => statuses.extend([404, 409, 422, 500, 502, 503, 504]),
    }
    statuses.sort_unstable();
    statuses.dedup();
    statuses
}

/// Returns a reply for each status of an error, with the codes of that status.
fn responses() -> Value {
    let mut codes: BTreeMap<u16, Vec<&str>> = BTreeMap::from([(429, vec!["unauthorized"])]);
    for code in codes::TABLE.all() {
        codes.entry(status_of(code).as_u16()).or_default().push(code.as_str());
    }
    let replies = codes.into_iter().map(|(status, codes)| {
        let reply = json!({
            "description": format!("codes: `{}`", codes.join("`, `")),
            "content": {"application/json": {"schema": reference(ERROR)}},
        });
        (status.to_string(), reply)
    });
    replies.collect::<Map<_, _>>().into()
}

fn reference(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

fn message() -> Value {
    json!({"type": "object", "description": "a message of JSON-RPC 2.0"})
}

fn binary() -> Value {
    json!({"type": "string", "contentMediaType": "application/wasm"})
}

/// Returns the schemas of calls, answers and errors. Each has the types that it consists of.
fn of_operations() -> impl Iterator<Item = (String, Value)> {
    let names: Vec<_> =
        Operation::ALL.iter().flat_map(|operation| [operation.input(), operation.output()]).collect();
    let is_described = move |name| names.contains(&name) || name == ERROR || OF_MODULES.contains(&name);
    let rows = schemas::all().filter(move |row| is_described(row.name));
    rows.map(|row| (row.name.to_owned(), schema(&row.schema(), &format!("{}/$defs/", row.name)).into()))
}

/// Returns the schemas of the other documents, and of the types that they consist of.
fn of_routes() -> Map<String, Value> {
    let describe = || Type::Either(TYPES.iter().map(|describe| describe()).collect());
    let root = SchemaRoot { id: "", title: "", about: "", describe };
    match schema(&root.write().to_text(), "").remove("$defs") {
        Some(Value::Object(schemas)) => schemas,
        _ => Map::new(),
    }
}

/// Returns a schema whose references lead to `place` in the schemas of this document.
fn schema(text: &str, place: &str) -> Map<String, Value> {
    let text = text.replace("\"#/$defs/", &format!("\"#/components/schemas/{place}"));
    let mut schema: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
    // These keywords would make the references relative to the schema again.
    schema.retain(|name, _| !matches!(name.as_str(), "$schema" | "$id"));
    schema
}

#[cfg(test)]
mod tests {
    use adjudicate_core::document::definitions;

    use super::*;

    #[test]
    fn types_of_the_documents_of_routes_have_names_of_their_own() {
        let mut sources = BTreeMap::new();
        for definition in TYPES.iter().flat_map(|describe| definitions(&describe())) {
            let other = sources.insert(definition.name, definition.source);
            assert!(other.is_none_or(|other| other == definition.source), "{other:?}, {}", definition.source);
            assert!(schemas::all().all(|row| row.name != definition.name), "{}", definition.source);
        }
    }
}
