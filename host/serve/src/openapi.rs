//! The OpenAPI document, made from the table of routes.

use std::collections::BTreeMap;

use adjudicate_core::{ErrorCode, Operation};
use adjudicate_host::Composition;
use serde_json::{Map, Value, json};

use crate::{
    codes,
    routes::{Access, Does, Gives, Route, Takes, routes},
    status::status_of,
};

/// Returns the document.
pub(crate) fn document() -> Value {
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
            "description": "Operations whose name has an underscore are found under the name with dashes too. With the \
                content type `application/x-ndjson` the same addresses take a call a line and give an answer a line, in order; \
                a line that gets no answer gets `{\"error\": ...}`. Every other error has the status of its code, below.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "evaluate": {"type": "http", "scheme": "bearer", "description": "a token of the role `evaluate` or `admin`"},
                "admin": {"type": "http", "scheme": "bearer", "description": "a token of the role `admin`"},
            },
            "schemas": schemas(),
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
    let body = match route.takes {
        Takes::Nothing => None,
        Takes::Calls => Some(json!({
            "application/json": {"schema": call(route)},
            "application/x-ndjson": {"schema": {"type": "string", "description": "a call a line"}},
        })),
        Takes::Json(schema) => Some(json!({"application/json": {"schema": reference(schema)}})),
        Takes::Wasm => Some(json!({"application/wasm": {"schema": binary()}})),
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
    match route.does {
        Does::Call(operation) => operation.name().to_owned(),
        Does::CallSlot(operation) => format!("slot_{}", operation.name()),
        _ => {
            let words =
                route.path.split(['/', '{', '}', '.']).filter(|word| !word.is_empty() && *word != "v1");
            let words: Vec<_> = words.collect();
            format!("{}_{}", route.method.as_str().to_ascii_lowercase(), words.join("_"))
        }
    }
}

const fn tag(route: &Route) -> &'static str {
    match (route.does, route.access) {
        (Does::Call(_), _) => "operations",
        (Does::CallSlot(_), _) => "slots",
        (_, Access::Admin) => "administration",
        _ => "server",
    }
}

fn parameters(route: &Route) -> Vec<Value> {
    let braces = route.path.split(['{', '}']).skip(1).step_by(2);
    let mut parameters: Vec<_> = braces
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": place(name)}))
        .collect();
    parameters.extend(route.query.iter().map(|(name, meaning)| {
        let schema = match *name {
            "limit" => json!({"type": "integer", "minimum": 1, "maximum": 1000}),
            "unsigned" => json!({"type": "boolean"}),
            "keep" => json!({"type": "string"}),
            _ => place(name),
        };
        json!({"name": name, "in": "query", "description": meaning, "schema": schema})
    }));
    if route.takes_condition() {
        parameters.push(json!({"name": "if-match", "in": "header",
            "schema": {"type": "string", "pattern": "^\"-?[0-9]+\"$"},
            "description": "the `etag` of the entry that the slot is believed to be in; else `slot_changed`"}));
    }
    parameters
}

fn place(name: &str) -> Value {
    match name {
        "slot" => json!({"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$"}),
        _ => json!({"type": "string", "description": "`sha256:` and 64 hexadecimal digits"}),
    }
}

fn call(route: &Route) -> Value {
    let (Does::Call(operation) | Does::CallSlot(operation)) = route.does else { return json!({}) };
    let (required, optional): (&[&str], &[&str]) = match operation {
        Operation::Evaluate => (&["envelope"], &["policy"]),
        Operation::Explain => (&["envelope"], &["policy", "trace"]),
        Operation::Refine => (&["envelope"], &["policy", "evaluation"]),
        Operation::ValidatePlan => (&["task", "plan", "capabilities"], &["facets"]),
        Operation::MergeDiagnostics => (&["diagnostics"], &["weights"]),
        Operation::ObserveOutput => (&["outputContract", "output"], &[]),
        Operation::ApplyGuardrails => (&["policies", "event"], &["state"]),
        Operation::NormalizePlan => (&["plan"], &["format", "hash_mode"]),
        Operation::VerifyReplay => (&["plan", "events"], &["receipt", "tests"]),
        Operation::CheckPolicy => (&[], &["policy", "outputContract", "policies"]),
        _ => (&[], &[]),
    };
    let alone = matches!(operation, Operation::Evaluate | Operation::Explain);
    let description = match (alone, required.is_empty() && optional.is_empty()) {
        (true, _) => "the call; a bare envelope is taken too",
        (_, true) => "the call is the document",
        _ => "the call",
    };
    let properties: BTreeMap<_, _> = required.iter().chain(optional).map(|name| (*name, json!({}))).collect();
    let mut schema = json!({"type": "object", "description": description, "properties": properties});
    if let Some(members) = schema.as_object_mut()
        && !alone
        && !required.is_empty()
    {
        members.insert("required".to_owned(), json!(required));
    }
    schema
}

fn replies(route: &Route) -> Value {
    let content = match route.gives {
        Gives::Answers => json!({
            "application/json": {"schema": {"type": "object", "description": "the engine's answer, byte for byte"}},
            "application/x-ndjson": {"schema": {"type": "string", "description": "an answer or `{\"error\": ...}` a line"}},
        }),
        Gives::Json(schema) => json!({"application/json": {"schema": reference(schema)}}),
        Gives::Wasm => json!({"application/wasm": {"schema": binary()}}),
        Gives::Text => json!({"application/openmetrics-text": {"schema": {"type": "string"}}}),
    };
    let mut replies = Map::new();
    let mut good = json!({"description": "answered", "content": content});
    if let (Does::CallSlot(_), Some(members)) = (route.does, good.as_object_mut()) {
        let header = |description: &str| json!({"description": description, "schema": {"type": "string"}});
        members.insert(
            "headers".to_owned(),
            json!({
                "adjudicate-entry": header("the entry of the slot's history that was in force"),
                "adjudicate-by": header("who decided: `active`, `canary`, `last_good` or `fail_closed`"),
                "adjudicate-modules": header("the digests of the modules that answered"),
                "adjudicate-fault": header("the code of what failed, where somebody else stood in"),
            }),
        );
    }
    if route.does == Does::Install {
        replies.insert("201".to_owned(), good.clone());
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
    if route.takes != Takes::Nothing {
        statuses.extend([408, 413, 415, 422]);
    }
    match route.does {
        Does::Health | Does::OpenApi => {}
        Does::Ready => statuses.push(503),
        Does::Metrics => statuses.extend([500, 503]),
        Does::Call(_) => statuses.extend([500, 501, 503]),
        Does::CallSlot(_) => statuses.extend([404, 500, 501, 502, 503, 504]),
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
            "content": {"application/json": {"schema": reference("Error")}},
        });
        (status.to_string(), reply)
    });
    replies.collect::<Map<_, _>>().into()
}

fn reference(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

fn binary() -> Value {
    json!({"type": "string", "contentMediaType": "application/wasm"})
}

fn schemas() -> Value {
    let codes: Vec<_> = codes::TABLE.all().into_iter().map(ErrorCode::as_str).collect();
    let digest = json!({"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"});
    let time = json!({"type": "integer", "description": "milliseconds since 1970"});
    let list = |name: &str, of: &str| json!({"type": "object", "properties": {name: {"type": "array", "items": reference(of)}}});
    let change = |member: &str, schema: Value| {
        json!({
            "type": "object", "additionalProperties": false, "required": [member],
            "properties": {"$schema": {"type": "string"}, member: schema, "note": {"type": "string"},
                "expected": {"type": "integer", "description": "the entry that the slot is believed to be in; else `slot_changed`"}},
        })
    };
    let or_null = |name: &str| json!({"oneOf": [reference(name), {"type": "null"}]});
    let mut rollback = change(
        "to",
        json!({"type": "integer", "description": "an earlier entry; without, the newest one that had another composition, which may be active"}),
    );
    if let Some(members) = rollback.as_object_mut() {
        members.remove("required");
    }
    json!({
        "Anything": {"type": "object"},
        "Error": {
            "type": "object", "required": ["error"],
            "properties": {"error": {
                "type": "object", "required": ["code", "message", "path"],
                "properties": {
                    "code": {"type": "string", "examples": codes, "description": "stable; a module may report codes of its own"},
                    "message": {"type": "string", "description": "for people"},
                    "path": {"type": "string", "description": "JSON Pointer into the document at fault"},
                },
            }},
        },
        "Health": {"type": "object", "properties": {"status": {"const": "alive"}}},
        "Readiness": {"type": "object", "properties": {"ready": {"type": "boolean"}, "troubles": {"type": "array", "items": {"type": "string"}}, "cluster": {"type": "object", "description": "how the server stands with the others, where it is one of several", "properties": {"name": {"type": "string"}, "host": {"type": "string"}, "connected": {"type": "boolean"}, "troubles": {"type": "integer"}}}}},
        "Done": {"type": "object", "properties": {"done": {"const": true}}},
        "Member": {
            "type": "object", "additionalProperties": false, "required": ["module"],
            "properties": {"module": digest, "unsigned": {"type": "boolean", "description": "it needs no signature here"}},
        },
        "Composition": {
            "type": "object", "additionalProperties": false, "required": ["base"],
            "properties": {
                "base": reference("Member"), "override": reference("Member"),
                "restrict": {"type": "array", "maxItems": Composition::MAX_RESTRICTIONS, "items": reference("Member")},
            },
        },
        "CanaryShare": {
            "type": "object", "additionalProperties": false, "required": ["composition", "permille"],
            "properties": {"composition": reference("Composition"), "permille": {"type": "integer", "minimum": 0, "maximum": 1000}},
        },
        "Settings": {"type": "object", "description": "`on_fault`, `limits`, `rollback` and further settings of a slot; `{}` is the default"},
        "SettingsChange": change("settings", reference("Settings")),
        "CompositionChange": change("composition", reference("Composition")),
        "ShadowChange": change("composition", or_null("Composition")),
        "CanaryChange": change("canary", or_null("CanaryShare")),
        "RollbackChange": rollback,
        "TrustPolicy": {"type": "object", "description": "a trust policy"},
        "Entry": {
            "type": "object", "required": ["id", "slot", "at", "action", "note", "state", "settings"],
            "properties": {
                "id": {"type": "integer"}, "slot": {"type": "string"}, "at": time, "action": {"type": "string"}, "note": {"type": "string"},
                "state": {"type": "object", "properties": {
                    "active": reference("Composition"), "shadow": reference("Composition"), "canary": reference("CanaryShare"),
                }},
                "settings": reference("Settings"),
            },
        },
        "Entries": {"type": "object", "properties": {
            "slots": {"type": "array", "items": reference("Entry")}, "history": {"type": "array", "items": reference("Entry")},
        }},
        "Module": {"type": "object", "properties": {
            "digest": digest, "name": {"type": "string"}, "version": {"type": "string"}, "bytes": {"type": "integer"},
            "installed_at": time, "verdict": {"type": "object", "description": "who signed it, and why it was taken"},
        }},
        "Modules": list("modules", "Module"),
        "Installed": {"type": "object", "properties": {
            "module": reference("Module"), "is_new": {"type": "boolean"}, "tests": {"type": "integer"},
        }},
        "Uninstalled": {"type": "object", "properties": {"uninstalled": reference("Module")}},
        "Deleted": {"type": "object", "description": "with the entry that the slot was in", "properties": {"deleted": reference("Entry")}},
        "Collection": {"type": "object", "additionalProperties": false, "properties": {
            "$schema": {"type": "string"},
            "keep": {"type": "string", "description": "an age such as `30d` or `36h`, or a number of entries; `30d` without"},
            "dry_run": {"type": "boolean", "description": "remove nothing"},
        }},
        "Collected": {"type": "object", "properties": {
            "dry_run": {"type": "boolean"}, "modules": {"type": "array", "items": reference("Module")},
            "differences": {"type": "integer"}, "compiled": {"type": "integer", "description": "files of compiled code"},
            "bytes": {"type": "integer", "description": "of all that"},
            "freed": {"type": "integer", "description": "bytes by which the store's files became smaller"},
        }},
        "Statistics": {"type": "object", "description": "counts of calls since this server opened the slot", "properties": {
            "calls": {"type": "integer"}, "canary_calls": {"type": "integer"}, "canary_faults": {"type": "integer"},
            "shadow_calls": {"type": "integer"}, "shadow_differences": {"type": "integer"}, "shadow_dropped": {"type": "integer"},
            "faults": {"type": "object", "description": "how often a module failed, by the code of the error"},
            "known": {
                "type": "array", "items": digest,
                "description": "modules in force that this server knows (`--known-engine`): they run without fuel, and what they answer is not checked",
            },
            "trouble": {"type": "string", "description": "why this server does not run what the store has in force"},
            "unrecorded": {"type": "string", "description": "why decision records of the slot cannot be written: its calls fail for as long as that lasts"},
        }},
        "Differences": {"type": "object", "properties": {"differences": {"type": "array", "items": {"type": "object"}}}},
    })
}
