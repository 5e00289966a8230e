//! Laws of trees, over all calls of the corpus.

use adjudicate_core::Operation;
use adjudicate_tests::parity::read_of;
use serde_json::{Value, json};

/// The calls that the engine accepts, in which nothing names a tree, each with its answer.
fn calls() -> Vec<(String, Value, Value)> {
    let fixtures = read_of(Operation::Evaluate);
    let calls = fixtures.into_iter().filter_map(|fixture| {
        let call: Value = serde_json::from_slice(&fixture.call).ok()?;
        let answer = evaluate(&call)?;
        (!call.to_string().contains("tree\"")).then_some((fixture.name, call, answer))
    });
    let calls: Vec<_> = calls.collect();
    assert!(calls.len() > 700, "{}", calls.len());
    calls
}

fn evaluate(call: &Value) -> Option<Value> {
    let answer = Operation::Evaluate.call(call.to_string().as_bytes()).ok()?;
    Some(serde_json::from_str(&answer).unwrap())
}

/// The evidence of a call.
fn evidence(call: &mut Value) -> &mut Value {
    let is_bare = call.get("envelope").is_none();
    if is_bare { &mut call["evidence"] } else { &mut call["envelope"]["evidence"] }
}

/// The pointers to the trees of all results, below the evidence.
fn places(evidence: &Value) -> Vec<String> {
    let validation = &evidence["validation"];
    let exits = validation["exit_codes"].as_object().into_iter().flat_map(|exits| exits.keys().cloned());
    let timeouts = validation["timeouts"].as_array().into_iter().flatten();
    let ids = exits.chain(timeouts.filter_map(|id| id.as_str().map(str::to_owned)));
    let mut places: Vec<_> =
        ids.map(|id| format!("/validation/trees/{}", id.replace('~', "~0").replace('/', "~1"))).collect();
    places.sort();
    places.dedup();
    let parts = ["harness_report", "review"].into_iter().filter(|part| evidence[part].is_object());
    places.extend(parts.map(|part| format!("/{part}/tree")));
    places
}

/// Gives a result a tree.
fn set(evidence: &mut Value, place: &str, tree: &str) {
    let (parent, name) = place.rsplit_once('/').unwrap();
    if parent == "/validation/trees" && evidence["validation"].get("trees").is_none() {
        evidence["validation"]["trees"] = json!({});
    }
    let name = name.replace("~1", "/").replace("~0", "~");
    evidence.pointer_mut(parent).unwrap()[name] = tree.into();
}

#[test]
fn results_of_the_judged_tree_are_as_results_without_a_tree() {
    for (name, mut call, answer) in calls() {
        let evidence = evidence(&mut call);
        evidence["tree"] = "judged".into();
        for place in places(evidence) {
            set(evidence, &place, "judged");
        }
        // Conditions over fields of the evidence could see the trees.
        if !call.to_string().contains("input.evidence\"") {
            assert_eq!(evaluate(&call), Some(answer), "{name}");
        }
    }
}

#[test]
fn a_stale_result_prevents_success() {
    let mut stale = 0;
    for (name, mut call, before) in calls() {
        evidence(&mut call)["tree"] = "judged".into();
        for place in places(evidence(&mut call)) {
            let mut call = call.clone();
            set(evidence(&mut call), &place, "another");
            // A result that a condition needs may be absent now, which is an error only for the types of computed values.
            let Some(answer) = evaluate(&call) else { continue };
            assert_ne!(answer["decision"]["status"], "success", "{name} {place}");
            let rules = answer["findings"].as_array().unwrap().iter().map(|finding| &finding["rule"]);
            assert!(rules.into_iter().any(|rule| rule == "stale_evidence"), "{name} {place}");
            stale += usize::from(before["decision"]["status"] == "success");
        }
    }
    assert!(stale > 300, "{stale}");
}
