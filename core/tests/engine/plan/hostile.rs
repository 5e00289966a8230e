//! Calls that are large, deep or crooked: an answer or a clear error. Nothing is claimed of a contract that takes too much work.

use std::fmt::Write as _;

use adjudicate_core::plan::validate_text;
use serde_json::{Value, json};

use super::{
    constraint, findings, suggestions,
    symbolic::{impossible, witness},
};

/// A call of so many nodes, with edges and constraints as text.
fn call(nodes: usize, edges: &str, constraints: &str, capabilities: &str) -> String {
    let mut text = format!(
        r#"{{"task":{{"objective":"o","outputContract":{{"schema":{{"properties":{{"m0":{{}}}}}},"constraints":[{constraints}]}}}},
        "capabilities":[{capabilities}],"plan":{{"edges":[{edges}],"nodes":["#
    );
    for at in 0..nodes {
        let _ = write!(
            text,
            r#"{}{{"nodeId":"n{at}","capabilityId":"C{}"}}"#,
            if at > 0 { "," } else { "" },
            at % 10
        );
    }
    text + "]}}"
}

fn capabilities() -> String {
    let all: Vec<String> =
        (0..10).map(|at| format!(r#"{{"capabilityId":"C{at}","outputFacets":["m{at}"]}}"#)).collect();
    all.join(",")
}

fn edges(pairs: impl Iterator<Item = (usize, usize)>) -> String {
    pairs.map(|(from, to)| format!(r#"{{"from":"n{from}","to":"n{to}"}}"#)).collect::<Vec<_>>().join(",")
}

#[expect(clippy::unwrap_used, reason = "the tests make calls that have answers")]
fn answer(text: &str) -> Value {
    serde_json::from_str(&validate_text(text.as_bytes()).unwrap()).unwrap()
}

#[test]
fn parallel_edges_are_one() {
    let text = call(2, &edges((0..100_000).map(|_| (0, 1))), "", &capabilities());
    assert_eq!(answer(&text)["event"], "plan_generated");
}

#[test]
fn self_edges_are_cycles() {
    let text = call(3, &edges((0..3).map(|at| (at, at))), "", &capabilities());
    assert_eq!(findings(&answer(&text)), ["hard cycle n0", "hard cycle n1", "hard cycle n2"]);
}

#[test]
fn a_cycle_of_any_length_is_shown_whole() {
    for len in [1, 2, 3, 64, 65, 1_000, 20_000] {
        let text = call(len, &edges((0..len).map(|at| (at, (at + 1) % len))), "", &capabilities());
        let found = answer(&text);
        let path = found["payload"]["failures"][0]["details"]["path"].as_array().unwrap();
        assert_eq!((path.len(), path[0].as_str(), path[len].as_str()), (len + 1, Some("n0"), Some("n0")));
    }
}

/// A node lacks what everything after it gives: no edge from there is a way out.
#[test]
fn a_hub() {
    let all: Vec<String> =
        (0..10).map(|at| format!(r#"{{"capabilityId":"C{at}","outputFacets":["m0"]}}"#)).collect();
    let hub = r#"{"capabilityId":"H","inputFacets":["m0"]}"#;
    let text = call(50_000, &edges((1..50_000).map(|at| (0, at))), "", &format!("{hub},{}", all.join(",")));
    let found = answer(&text.replacen(
        r#""nodeId":"n0","capabilityId":"C0""#,
        r#""nodeId":"n0","capabilityId":"H""#,
        1,
    ));
    assert_eq!(findings(&found), ["hard unsupplied_input n0"]);
    assert_eq!(suggestions(&found), ["Insert C0, C1, C2, C3 or C4 before n0."]);
}

/// Every node takes what the one before it gives.
#[test]
fn a_long_chain() {
    let count = 10_000;
    let all: Vec<String> = (0..count)
        .map(|at: usize| {
            format!(
                r#"{{"capabilityId":"C{at}","inputFacets":["m{}"],"outputFacets":["m{at}"]}}"#,
                at.saturating_sub(1)
            )
        })
        .collect();
    let mut text = call(0, &edges((1..count).map(|at| (at - 1, at))), "", &all.join(","));
    text.truncate(text.len() - 3);
    let nodes: Vec<String> =
        (0..count).map(|at| format!(r#"{{"nodeId":"n{at}","capabilityId":"C{at}"}}"#)).collect();
    let text = format!("{text}{}]}}}}", nodes.join(","));
    assert_eq!(findings(&answer(&text)), ["hard unsupplied_input n0"]);
}

/// One node before all others, and one after them; constraints that only the last one sees to.
#[test]
fn a_wide_fan() {
    let count = 10_000;
    let fan = (1..count - 1).flat_map(|at| [(0, at), (at, count - 1)]);
    let constraints: Vec<String> = (0..1_000)
        .map(|at| {
            format!(
                r#"{{"constraintId":"k{at}","level":"hard","expr":{{">":[{{"var":"m{}"}},{at}]}}}}"#,
                at % 10
            )
        })
        .collect();
    let mut text = call(count - 1, &edges(fan), &constraints.join(","), &capabilities());
    text.truncate(text.len() - 3);
    let text = format!(
        r#"{text},{{"nodeId":"n{}","capabilityId":"C0","kind":"validation","inputFacets":["m0","m1","m2","m3","m4","m5","m6","m7","m8","m9"]}}]}}}}"#,
        count - 1
    );
    assert_eq!(findings(&answer(&text)), [""; 0]);
}

#[test]
fn a_call_that_takes_too_many_steps_is_refused() {
    // Each of many nodes takes and gives all of many fields.
    let members: Vec<String> = (0..3_000).map(|at| format!(r#""m{at}""#)).collect();
    let wide = format!(r#"{{"capabilityId":"C0","outputFacets":[{}]}}"#, members.join(","));
    let text = call(10_000, "", "", &wide).replace(r#""C"#, r#""C0_"#).replace("C0_0", "C0");
    let text = (1..10).fold(text, |text, at| text.replace(&format!(r#""C0_{at}""#), r#""C0""#));
    let error = validate_text(text.as_bytes()).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("limit_exceeded", ""));
}

#[test]
fn expressions_nest_as_deep_as_documents_do() {
    let nested = |depth: usize| {
        let expression = format!("{}{{\"var\":\"m0\"}}{}", r#"{"!":"#.repeat(depth), "}".repeat(depth));
        call(1, "", &format!(r#"{{"level":"soft","expr":{expression}}}"#), &capabilities())
    };
    let found = answer(&nested(100));
    assert_eq!(
        found["payload"]["warnings"][0]["constraint"].as_str().unwrap().len(),
        "not ".len() * 100 + "()".len() * 99 + "m0".len()
    );
    let error = validate_text(nested(1_000).as_bytes()).unwrap_err();
    assert_eq!(error.code().as_str(), "limit_exceeded");
    assert!(error.path().starts_with("/task/outputContract/constraints/0/expr/!/!/!"));
}

#[test]
fn patterns_of_all_expressions_share_a_budget() {
    let constraint = r#"{"level":"soft","expr":{"regex":[{"var":"m0"},"((a{99}){99}){99}"]}}"#;
    let error = validate_text(call(1, "", constraint, &capabilities()).as_bytes()).unwrap_err();
    assert_eq!(
        (error.code().as_str(), error.path()),
        ("limit_exceeded", "/task/outputContract/constraints/0/expr")
    );
}

fn codes(schema: &Value, constraints: &[Value]) -> Vec<String> {
    let found = impossible(schema, constraints);
    found.iter().map(|one| one["details"]["code"].as_str().unwrap().to_owned()).collect()
}

fn numbered(count: usize, expr: impl Fn(usize) -> Value) -> Vec<Value> {
    (0..count).map(|at| constraint(&format!("k{at:04}"), "hard", expr(at))).collect()
}

#[test]
fn deep_expressions() {
    let a = || json!({"var": "a"});
    for wrap in [
        |one: Value| json!({"and": [one, true]}),
        |one: Value| json!({"or": [one, {"!": [true]}]}),
        |one: Value| json!({"!": [{"!": [one]}]}),
        |one: Value| json!({"if": [true, one, {"!": [one]}]}),
    ] {
        let deep = |one: Value| {
            let mut expr = one;
            while expr.to_string().len() < 4_000 && depth(&expr) < 100 {
                expr = wrap(expr);
            }
            expr
        };
        let constraints = [constraint("k", "hard", deep(json!({">": [a(), 2]})))];
        assert!(codes(&json!(true), &constraints).is_empty());
        let found = codes(&json!({"properties": {"a": {"maximum": 1}}}), &constraints);
        assert!(found.len() < 2, "{found:?}");
        let constraints =
            [constraint("k", "hard", json!({"and": [{"<": [a(), 2]}, deep(json!({">": [a(), 2]}))]}))];
        let found = codes(&json!(true), &constraints);
        assert!(found.len() < 2, "{found:?}");
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

#[test]
fn schemas_that_refer_to_themselves_or_branch_without_measure() {
    let above = |bound: u32| [constraint("k", "hard", json!({">": [{"var": "a.a.a.v"}, bound]}))];
    let looped =
        json!({"properties": {"a": {"$ref": "#"}, "v": {"maximum": 1}}, "required": ["a"], "type": "object"});
    assert_eq!(codes(&looped, &above(1)), ["unsatisfiable_constraint"]);
    assert!(codes(&looped, &above(0)).is_empty());
    for keyword in ["allOf", "anyOf", "oneOf"] {
        // Two references to the next one each, forty times.
        let mut definitions = json!({"d40": {"properties": {"v": {"maximum": 1}}}});
        for at in 0..40 {
            let next = json!({"$ref": format!("#/definitions/d{}", at + 1)});
            definitions[format!("d{at}")] = json!({keyword: [next, next]});
        }
        let bomb = json!({"$ref": "#/definitions/d0", "definitions": definitions});
        let _ = codes(&bomb, &[constraint("k", "hard", json!({">": [{"var": "v"}, 1]}))]);
        let wide = |count: u32| -> Value {
            let branches = (0..count).map(|at| json!({"properties": {"v": {"minimum": at}}}));
            json!({keyword: branches.collect::<Vec<_>>()})
        };
        let below = [constraint("k", "hard", json!({"<": [{"var": "v"}, 0]}))];
        assert_eq!(codes(&wide(300), &below), ["unsatisfiable_constraint"], "{keyword}");
        let found = codes(&wide(3_000), &below);
        assert!(found.len() < 2, "{found:?}");
        witness(&wide(300), &[json!({">": [{"var": "v"}, 0]})]);
    }
}

#[test]
fn a_thousand_constraints_on_one_variable() {
    let a = || json!({"var": "a"});
    let found = |expr: &dyn Fn(usize) -> Value| {
        codes(&json!({"properties": {"a": {"type": "number"}}}), &numbered(1_000, expr))
    };
    assert!(found(&|at| json!({">": [a(), at]})).is_empty());
    assert!(found(&|at| json!({"!=": [a(), at]})).is_empty());
    // Half of them exclude the other half: each names a few of those.
    let halves = found(&|at| if at % 2 == 0 { json!({">": [a(), 1_000]}) } else { json!({"<": [a(), at]}) });
    assert!(
        halves.len() > 10 && halves.iter().all(|code| code == "conflicting_constraints"),
        "{}",
        halves.len()
    );
    assert!(found(&|at| json!({"or": [{">": [a(), at]}, {"<": [a(), 0]}]})).is_empty());
    let _ = found(&|at| json!({"or": [{"==": [a(), at]}, {"==": [a(), at + 1]}]}));
    let never = found(&|at| json!({"and": [{">": [a(), at]}, {"<": [a(), at]}]}));
    assert_eq!(never.len(), 1_000);
    let texts = numbered(1_000, |at| json!({"!=": [a(), format!("text {at}")]}));
    assert!(codes(&json!(true), &texts).is_empty());
}

#[test]
fn a_thousand_constraints_on_as_many_variables() {
    let properties: serde_json::Map<String, Value> =
        (0..1_000).map(|at| (format!("p{at}"), json!({"type": "number", "maximum": at}))).collect();
    let schema = json!({"type": "object", "properties": properties});
    let constraints =
        numbered(1_000, |at| json!({">": [{"var": format!("p{at}")}, if at == 500 { 501 } else { -1 }]}));
    assert_eq!(codes(&schema, &constraints), ["unsatisfiable_constraint"]);
    let chained = numbered(
        1_000,
        |at| json!({"<": [{"var": format!("p{at}")}, {"var": format!("p{}", (at + 1) % 1_000)}]}),
    );
    assert!(codes(&schema, &chained).is_empty());
}

#[test]
fn long_names_and_long_texts() {
    let name = "n".repeat(100_000);
    let schema = json!({"type": "object", "properties": {&*name: {"maximum": 1}}});
    let found = codes(&schema, &numbered(20, |_| json!({">": [{"var": name}, 1]})));
    assert!(!found.is_empty());
    let many: Vec<String> = (0..20_000).map(|at| format!("word {at}")).collect();
    let schema = json!({"properties": {"a": {"enum": many}}});
    let constraints = numbered(20, |at| json!({"!=": [{"var": "a"}, format!("word {at}")]}));
    assert!(codes(&schema, &constraints).is_empty());
}
