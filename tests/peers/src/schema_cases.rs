//! The cases: realistic schemas, with valid and invalid instances, small and large.
//!
//! The schemas are in `schemas/`. The instances are made here, so that one number sets their size.

use serde_json::{Value, json};

/// A schema and an instance.
pub(crate) struct Case {
    /// The prefix of the results' keys.
    pub(crate) key: &'static str,
    pub(crate) schema: &'static str,
    pub(crate) instance: Value,
    /// The expected verdict.
    pub(crate) is_valid: bool,
}

/// Expands to the path and the text of a schema in `schemas/`.
macro_rules! schema {
    ($name:literal) => {
        include_str!(concat!("../schemas/", $name, ".json"))
    };
}

/// All cases, in the order of the table.
pub(crate) fn all() -> Vec<Case> {
    let case = |key, schema, is_valid, instance| Case { key, schema, instance, is_valid };
    vec![
        case("content_small", schema!("content"), true, content(3)),
        case("content_large", schema!("content"), true, content(200)),
        case("content_wrong", schema!("content"), false, wrong_content(200)),
        case("package", schema!("package"), true, package()),
        case("package_wrong", schema!("package"), false, wrong_package()),
        case("bundle", schema!("bundle"), true, bundle(50)),
        case("bundle_wrong", schema!("bundle"), false, wrong_bundle(50)),
        case("numbers", schema!("readings"), true, readings(500)),
        case("numbers_wrong", schema!("readings"), false, wrong_readings(500)),
        case("strings", schema!("strings"), true, strings(100, false)),
        case("strings_wrong", schema!("strings"), false, strings(100, true)),
        case("tree_wide", schema!("tree"), true, wide(5)),
        case("tree_deep", schema!("tree"), true, deep(60)),
        case("tree_wrong", schema!("tree"), false, wrong_deep(60)),
        case("unique", schema!("unique"), true, unique(400)),
        case("unique_wrong", schema!("unique"), false, wrong_unique(400)),
        case("enums", schema!("orders"), true, orders(200, "order")),
        case("enums_wrong", schema!("orders"), false, orders(200, "offer")),
    ]
}

/// An output of a content pipeline with a number of variants.
fn content(count: usize) -> Value {
    let variant = |number: usize| {
        json!({
            "variantId": format!("variant-{number}"),
            "headline": format!("Save an hour a day, number {number}"),
            "body": "Plans that are judged before they run waste nobody's time. ".repeat(4),
            "callToAction": {"label": "Try it", "url": "https://example.org/try"},
            "score": 0.25 + number as f64 / 1024.0,
            "language": "en-GB",
            "tags": ["short", "direct", "email"],
            "image": null,
        })
    };
    let finding = |number: usize| json!({"variantId": format!("variant-{number}"), "severity": "soft", "reason": "a little long"});
    json!({
        "brief": {"audience": "people who plan", "tone": "warm", "keywords": ["plan", "time", "judge"]},
        "copyVariants": (0..count).map(variant).collect::<Vec<_>>(),
        "qaFindings": {"overallScore": 0.875, "findings": (0..count).map(finding).collect::<Vec<_>>()},
        "metadata": {"run": "r-1", "attempt": 2, "draft": false},
    })
}

/// Five errors, all near the end.
fn wrong_content(count: usize) -> Value {
    let mut content = content(count);
    put(&mut content, &format!("/copyVariants/{}/score", count - 2), json!(1.5));
    put(&mut content, &format!("/copyVariants/{}/variantId", count - 1), json!("Variant 1"));
    put(&mut content, &format!("/copyVariants/{}/callToAction", count - 1), json!({"label": "Try it"}));
    put(&mut content, &format!("/qaFindings/findings/{}/severity", count - 1), json!("severe"));
    put(&mut content, "/metadata/attempt", json!([2]));
    content
}

fn package() -> Value {
    let dependencies: serde_json::Map<_, _> =
        (0..40).map(|number| (format!("@scope/package-{number}"), json!("^1.2.3"))).collect();
    json!({
        "name": "@example/app",
        "version": "1.20.3-beta.1",
        "description": "An application",
        "keywords": ["app", "example"],
        "private": true,
        "type": "module",
        "bugs": {"url": "https://example.org/bugs"},
        "author": {"name": "Ada", "email": "ada@example.org"},
        "contributors": ["Grace", {"name": "Edsger"}],
        "files": ["dist", "README.md"],
        "bin": {"app": "dist/app.js"},
        "exports": {".": {"import": "./dist/index.js", "types": "./dist/index.d.ts"}, "./package.json": "./package.json"},
        "scripts": {"build": "tsc", "test": "node --test", "lint": "eslint ."},
        "engines": {"node": ">=20"},
        "dependencies": dependencies,
        "devDependencies": {"typescript": "^5.0.0", "eslint": "^9.0.0"},
        "_id": "app",
    })
}

fn wrong_package() -> Value {
    let mut package = package();
    put(&mut package, "/name", json!("Example App"));
    put(&mut package, "/exports/.", json!({"1": "./dist/index.js"}));
    put(&mut package, "/dependencies", json!({"left-pad": 1, "right-pad": ""}));
    put(&mut package, "/contributors", json!([{"email": "grace@example.org"}]));
    package
}

/// Patients, observations and medications in turn.
fn bundle(count: usize) -> Value {
    let concept =
        json!({"coding": [{"system": "http://loinc.org", "code": "85354-9"}], "text": "Blood pressure"});
    let resource = |number: usize| match number % 3 {
        0 => json!({
            "resourceType": "Patient", "id": format!("p{number}"), "active": true, "gender": "female", "birthDate": "1985-04-12",
            "name": [{"use": "official", "family": "Lovelace", "given": ["Ada", "King"]}],
        }),
        1 => json!({
            "resourceType": "Observation", "id": format!("o{number}"), "status": "final", "code": concept,
            "subject": {"reference": "Patient/p0"}, "effectiveDateTime": "2024-05-01",
            "component": [
                {"code": concept, "valueQuantity": {"value": 120, "unit": "mmHg"}},
                {"code": concept, "valueQuantity": {"value": 80.5, "unit": "mmHg"}},
            ],
        }),
        _ => {
            json!({"resourceType": "Medication", "id": format!("m{number}"), "code": concept, "status": "active"})
        }
    };
    let entry = |number: usize| json!({"fullUrl": format!("urn:{number}"), "resource": resource(number)});
    json!({"resourceType": "Bundle", "total": count, "entry": (0..count).map(entry).collect::<Vec<_>>()})
}

fn wrong_bundle(count: usize) -> Value {
    let mut bundle = bundle(count);
    for number in count - 5..count {
        put(&mut bundle, &format!("/entry/{number}/resource/id"), json!("no id"));
    }
    bundle
}

fn readings(count: usize) -> Value {
    let whole = |number: usize| json!(number * 37 % 100_000);
    let series = |number: usize| json!(number as f64 * 1.25 - 300.0);
    // Quarters, because boon divides floats, and finds that 19.99 is no multiple of 0.01.
    let price = |number: usize| json!((number * 7_919 % 100_000) as f64 / 4.0);
    let point = |number: usize| json!([number as f64 * 0.123_456 - 100.0, number as f64 * 0.098_765 - 45.0]);
    json!({
        "counts": (0..count).map(whole).collect::<Vec<_>>(),
        "series": (0..count).map(series).collect::<Vec<_>>(),
        "prices": (0..count).map(price).collect::<Vec<_>>(),
        "points": (0..count).map(point).collect::<Vec<_>>(),
    })
}

/// Every tenth price is no multiple, and the last point has a third number.
fn wrong_readings(count: usize) -> Value {
    let mut readings = readings(count);
    for number in (0..count).step_by(10) {
        put(&mut readings, &format!("/prices/{number}"), json!(1.005));
    }
    put(&mut readings, &format!("/points/{}", count - 1), json!([1, 2, 3]));
    readings
}

fn strings(count: usize, is_last_wrong: bool) -> Value {
    let item = |number: usize| {
        let is_wrong = is_last_wrong && number + 5 >= count;
        json!({
            "id": format!("{number:08x}-89ab-4def-8123-456789abcdef"),
            "email": if is_wrong { "nobody".into() } else { format!("user{number}@mail.example.org") },
            "at": "2024-05-01T10:20:30.123+02:00",
            "path": format!("/srv/data/{}/{number}.json", if is_wrong { "a b" } else { "a-b" }),
            "digest": format!("sha256:{}", "0123456789abcdef".repeat(4)),
            "note": "what is left to do is told here, and at the end there is one todo",
        })
    };
    Value::Array((0..count).map(item).collect())
}

/// A tree in which each node has three children.
fn wide(levels: usize) -> Value {
    let children = match levels {
        0 => Vec::new(),
        _ => vec![wide(levels - 1); 3],
    };
    json!({"name": "node", "value": levels, "children": children})
}

/// A tree in which each node has one child; each level is an object in a list.
fn deep(levels: usize) -> Value {
    (0..levels).fold(
        json!({"name": "leaf"}),
        |child, level| json!({"name": "node", "value": level, "children": [child]}),
    )
}

/// The innermost node is invalid.
fn wrong_deep(levels: usize) -> Value {
    (0..levels).fold(
        json!({"name": 3, "other": 1}),
        |child, level| json!({"name": "node", "value": level, "children": [child]}),
    )
}

fn unique(count: usize) -> Value {
    json!({
        "names": (0..count).map(|number| format!("name number {number}")).collect::<Vec<_>>(),
        "numbers": (0..count).map(|number| number as f64 * 0.5).collect::<Vec<_>>(),
        "pairs": (0..count).map(|number| json!({"key": format!("k{number}"), "value": number % 7})).collect::<Vec<_>>(),
    })
}

/// The last item of each list is a duplicate.
fn wrong_unique(count: usize) -> Value {
    let mut unique = unique(count);
    put(&mut unique, &format!("/names/{}", count - 1), json!("name number 0"));
    put(&mut unique, &format!("/pairs/{}", count - 1), json!({"value": 0, "key": "k0"}));
    unique
}

fn orders(count: usize, kind: &str) -> Value {
    let countries = ["DE", "FR", "AD", "GE", "CH", "ES"];
    let levels = [1, 2, 3, 5, 8, 13];
    let order = |number: usize| {
        json!({
            "country": countries.get(number % 6), "currency": "CHF", "level": levels.get(number % 6),
            "kind": if number % 10 == 9 { kind } else { "order" }, "state": if number.is_multiple_of(4) { None } else { Some("returned") },
        })
    };
    Value::Array((0..count).map(order).collect())
}

/// Replaces the value at a pointer, which must exist.
fn put(value: &mut Value, pointer: &str, with: Value) {
    if let Some(place) = value.pointer_mut(pointer) {
        *place = with;
    }
}
