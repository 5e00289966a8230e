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
        case("numbers", schema!("readings"), true, readings(500)),
        case("numbers_wrong", schema!("readings"), false, wrong_readings(500)),
        case("strings", schema!("strings"), true, strings(100, false)),
        case("strings_wrong", schema!("strings"), false, strings(100, true)),
        case("tree_deep", schema!("tree"), true, deep(60, json!({"name": "leaf"}))),
        case("tree_wrong", schema!("tree"), false, deep(60, json!({"name": 3, "other": 1}))),
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

fn readings(count: usize) -> Value {
    let whole = |number: usize| json!(number * 37 % 100_000);
    let series = |number: usize| json!(number as f64 * 1.25 - 300.0);
    // Quarters, because engines that divide floats find that 19.99 is no multiple of 0.01.
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

/// A tree in which each node has one child; each level is an object in a list.
fn deep(levels: usize, leaf: Value) -> Value {
    (0..levels).fold(leaf, |child, level| json!({"name": "node", "value": level, "children": [child]}))
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
