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
    reply::status_of,
    routes::{BodyContent, HttpRoute, RequiredAccess, RouteAction, routes},
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

fn operation(route: &HttpRoute) -> Value {
    let (call, answer) = schemas_of_call(route);
    let mut described = Map::from_iter([
        ("operationId".to_owned(), id(route).into()),
        ("summary".to_owned(), route.summary.into()),
        ("tags".to_owned(), json!([tag(route)])),
        ("responses".to_owned(), replies(route, answer)),
    ]);
    let parameters = parameters(route);
    if !parameters.is_empty() {
        described.insert("parameters".to_owned(), parameters.into());
    }
    if let Some(content) = content(route.accepts, call, "one call per line") {
        described.insert("requestBody".to_owned(), json!({"required": true, "content": content}));
    }
    let security = match route.access {
        RequiredAccess::Open => json!([]),
        RequiredAccess::Numbers | RequiredAccess::Evaluate => json!([{"evaluate": []}]),
        RequiredAccess::Admin => json!([{"admin": []}]),
    };
    described.insert("security".to_owned(), security);
    described.into()
}

/// Returns a body by its content type. A call or an answer has the schema `call`; in a stream, `line` describes the lines.
fn content(content: BodyContent, call: Value, line: &str) -> Option<Value> {
    let (kind, schema) = match content {
        BodyContent::Nothing => return None,
        BodyContent::Call => {
            let lines = json!({"schema": {"type": "string", "description": line}});
            return Some(json!({"application/json": {"schema": call}, "application/x-ndjson": lines}));
        }
        BodyContent::Json(schema) => ("application/json", reference(schema)),
        BodyContent::Message => {
            ("application/json", json!({"type": "object", "description": "a message of JSON-RPC 2.0"}))
        }
        BodyContent::Event => (
            "application/json",
            json!({"type": "object", "description": "in the form of the host, which adds fields"}),
        ),
        BodyContent::Wasm => {
            ("application/wasm", json!({"type": "string", "contentMediaType": "application/wasm"}))
        }
        BodyContent::Text => ("application/openmetrics-text", json!({"type": "string"})),
    };
    Some(json!({kind: {"schema": schema}}))
}

fn id(route: &HttpRoute) -> String {
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

const fn tag(route: &HttpRoute) -> &'static str {
    match (route.action, route.access) {
        (RouteAction::Call(_), _) => "operations",
        (RouteAction::CallSlot(_), _) => "slots",
        (RouteAction::Hook(_), _) => "hooks",
        (_, RequiredAccess::Admin) => "administration",
        _ => "server",
    }
}

fn parameters(route: &HttpRoute) -> Vec<Value> {
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

/// Returns the schemas of a call and its answer.
fn schemas_of_call(route: &HttpRoute) -> (Value, Value) {
    match route.action {
        RouteAction::Call(operation) => (reference(operation.input()), reference(operation.output())),
        RouteAction::CallSlot(operation) => {
            let of_module = format!("module-{}", operation.output());
            let is_own = OF_MODULES.contains(&of_module.as_str());
            (reference(operation.input()), reference(if is_own { &of_module } else { operation.output() }))
        }
        _ => (Value::Null, Value::Null),
    }
}

fn replies(route: &HttpRoute, answer: Value) -> Value {
    let content = content(route.returns, answer, "one answer or `{\"error\": ...}` per line");
    let mut replies = Map::new();
    let mut good = json!({"description": "answered", "content": content});
    if let (RouteAction::CallSlot(_) | RouteAction::Hook(_), Some(members)) =
        (route.action, good.as_object_mut())
    {
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
fn expected(route: &HttpRoute) -> Vec<u16> {
    // A hook gets a denial with the status 200.
    if let RouteAction::Hook(_) = route.action {
        return Vec::new();
    }
    let mut statuses = vec![400, 403];
    if route.access != RequiredAccess::Open {
        statuses.extend([401, 429]);
    }
    if route.accepts != BodyContent::Nothing {
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
