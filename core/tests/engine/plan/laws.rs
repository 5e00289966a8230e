//! Laws on random plans: what does not depend on order, and what more of something never takes away.

use std::collections::BTreeSet;

use adjudicate_core::plan::{merge_text, validate_text};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{advice_applied::following_it_helps, diagnostics, validate};

const KEYS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn some_keys() -> impl Strategy<Value = Vec<&'static str>> {
    vec(select(&KEYS[..]), 0..3)
}

/// A capability: its inputs and outputs, whether it validates, and its contract's bound on one field.
#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
fn capability(at: usize) -> impl Strategy<Value = Value> {
    let kind = select(vec!["execution", "validation"]);
    (some_keys(), some_keys(), kind, select(&KEYS[..]), 0_u32..4, any::<bool>()).prop_map(
        move |(takes, gives, kind, key, least, promises)| {
            let schema = json!({"type": "object", "required": [key], "properties": {key: {"type": "number", "minimum": least}}});
            let mut capability =
                json!({"capabilityId": format!("C{at}"), "inputFacets": takes, "outputFacets": gives, "kind": kind});
            if promises {
                capability["outputContract"] = json!({"schema": schema});
            }
            capability
        },
    )
}

fn constraint(at: usize) -> impl Strategy<Value = Value> {
    let level = select(vec!["hard", "soft", "informational"]);
    (select(&KEYS[..]), select(&KEYS[..]), 0_u32..4, level, any::<bool>()).prop_map(
        move |(key, other, least, level, both)| {
            let one = json!({">=": [{"var": key}, least]});
            let expr = if both { json!({"and": [one, {">=": [{"var": other}, 1]}]}) } else { one };
            json!({"constraintId": format!("k{at}"), "expr": expr, "level": level})
        },
    )
}

/// A call without cycles: edges go from earlier nodes to later ones.
pub(crate) fn call() -> impl Strategy<Value = Value> {
    let capabilities: [_; 4] = std::array::from_fn(capability);
    let constraints: [_; 4] = std::array::from_fn(constraint);
    let edges = vec((0_usize..7, 0_usize..7), 0..14);
    (capabilities, constraints, vec(0_usize..5, 1..7), edges, some_keys(), vec(select(&KEYS[..]), 0..2)).prop_map(
        |(capabilities, constraints, nodes, edges, inputs, required)| {
            let count = nodes.len();
            let nodes: Value = (0..).zip(nodes).map(|(at, of): (usize, _)| json!({"nodeId": format!("n{at}"), "capabilityId": format!("C{of}")})).collect();
            let edges: Value = edges
                .iter()
                .filter(|(from, to)| from < to && *to < count)
                .map(|(from, to)| json!({"from": format!("n{from}"), "to": format!("n{to}")}))
                .collect();
            let inputs: Value = inputs.into_iter().map(|key| (key.to_owned(), json!(1))).collect::<serde_json::Map<_, _>>().into();
            json!({
                "task": {"objective": "o", "inputs": inputs, "outputContract": {
                    "schema": {"type": "object", "properties": {"a": {}, "b": {}}, "required": required},
                    "constraints": constraints
                }},
                "plan": {"nodes": nodes, "edges": edges}, "capabilities": capabilities
            })
        },
    )
}

#[expect(clippy::unwrap_used, reason = "the tests make these calls")]
fn list<'c>(call: &'c mut Value, pointer: &str) -> &'c mut Vec<Value> {
    call.pointer_mut(pointer).unwrap().as_array_mut().unwrap()
}

/// The missing fields: of constraints, whichever node is at fault, and of nodes.
#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
fn missing(answer: &Value) -> BTreeSet<String> {
    let is_missing =
        |one: &&Value| one["cause"] == "missing_producer" || one["details"]["code"] == "missing_producer";
    diagnostics(answer)
        .into_iter()
        .filter(is_missing)
        .map(|one| match one["constraintId"].as_str() {
            Some(id) => id.to_owned(),
            None => {
                format!("{} {} {}", one["details"]["code"], one["nodeId"], one["details"]["property"])
            }
        })
        .collect()
}

#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
fn unreachable_constraints(answer: &Value) -> BTreeSet<String> {
    let of_constraint = |one: &&Value| one["details"]["code"] == "missing_producer";
    diagnostics(answer).into_iter().filter(of_constraint).map(|one| one["constraintId"].to_string()).collect()
}

proptest! {
    #[test]
    fn the_order_of_lists_does_not_reach_the_diagnostics(call in call(), seed in any::<u64>()) {
        let mut shuffled = call.clone();
        for pointer in ["/plan/nodes", "/plan/edges", "/capabilities", "/task/outputContract/constraints"] {
            let list = list(&mut shuffled, pointer);
            let turn = usize::try_from(seed % 7).unwrap() % list.len().max(1);
            list.rotate_left(turn);
            if seed % 2 == 0 {
                list.reverse();
            }
        }
        let (one, other) = (validate(&call), validate(&shuffled));
        prop_assert_eq!(&one["event"], &other["event"]);
        for member in ["status", "satisfactionScore", "failures", "warnings", "infos"] {
            prop_assert_eq!(&one["payload"][member], &other["payload"][member]);
        }
    }

    #[test]
    fn following_a_suggestion_helps(call in call(), misspelt in any::<bool>()) {
        let mut call = call;
        if misspelt {
            call["plan"]["nodes"][0]["capabilityId"] = json!("CC1");
        }
        following_it_helps("a random plan", &call, true);
    }

    #[test]
    fn edges_twice_are_edges(call in call()) {
        let mut twice = call.clone();
        let edges = list(&mut twice, "/plan/edges");
        edges.extend(edges.clone());
        prop_assert_eq!(validate(&twice), validate(&call));
    }

    #[test]
    fn one_more_edge_never_makes_anything_missing(call in call(), from in 0_usize..7, to in 0_usize..7) {
        let count = call["plan"]["nodes"].as_array().unwrap().len();
        let mut more = call.clone();
        if from < to && to < count {
            list(&mut more, "/plan/edges").push(json!({"from": format!("n{from}"), "to": format!("n{to}")}));
        }
        let (before, after) = (missing(&validate(&call)), missing(&validate(&more)));
        prop_assert!(after.is_subset(&before), "{before:?} {after:?}");
    }

    #[test]
    fn one_more_provider_never_makes_anything_missing(call in call(), key in select(&KEYS[..]), node in 0_usize..6) {
        let mut more = call.clone();
        let nodes = list(&mut more, "/plan/nodes");
        let node = node % nodes.len();
        nodes[node]["provides"] = json!([key]);
        let (before, after) = (unreachable_constraints(&validate(&call)), unreachable_constraints(&validate(&more)));
        prop_assert!(after.is_subset(&before), "{before:?} {after:?}");
    }

    #[test]
    fn a_plan_is_accepted_exactly_without_a_hard_finding(call in call()) {
        let answer = validate(&call);
        let is_hard = !answer["payload"]["failures"].as_array().unwrap().is_empty();
        prop_assert_eq!(answer["event"] == "plan_rejected", is_hard);
        prop_assert_eq!(answer["payload"]["status"] == "rejected", is_hard);
        for one in diagnostics(&answer) {
            let code = one["details"]["code"].as_str().unwrap();
            prop_assert!(adjudicate_core::plan::PlanCode::ALL.iter().any(|known| known.as_str() == code), "{}", code);
            prop_assert!(one["constraint"].is_string() == one["constraintId"].is_string());
            prop_assert!(one["suggestion"].as_str().is_some_and(|lines| !lines.is_empty()), "{}", one);
        }
    }

    #[test]
    fn a_payload_put_into_the_merger_comes_out_again(call in call()) {
        let answer = validate(&call);
        let again = serde_json::json!({"diagnostics": diagnostics(&answer)}).to_string();
        let merged: Value = serde_json::from_str(&merge_text(again.as_bytes()).unwrap()).unwrap();
        for bucket in ["status", "failures", "warnings", "infos"] {
            prop_assert_eq!(&merged[bucket], &answer["payload"][bucket]);
        }
    }

    #[test]
    fn any_edges_at_all_have_an_answer(pairs in vec((0_usize..6, 0_usize..6), 0..20)) {
        let nodes: Value = (0..6).map(|at| json!({"nodeId": format!("n{at}"), "capabilityId": "C"})).collect();
        let edges: Value = pairs.iter().map(|(from, to)| json!({"from": format!("n{from}"), "to": format!("n{to}")})).collect();
        let call = json!({
            "task": {"objective": "o", "outputContract": {"schema": true}},
            "plan": {"nodes": nodes, "edges": edges}, "capabilities": [{"capabilityId": "C"}]
        });
        let answer = validate(&call);
        // A cycle there is exactly where some node comes back to itself.
        let mut reaches: Vec<BTreeSet<usize>> = (0..6).map(|at| pairs.iter().filter(|(from, _)| *from == at).map(|(_, to)| *to).collect()).collect();
        for _ in 0..6 {
            for at in 0..6 {
                let next: Vec<usize> = reaches[at].iter().flat_map(|to| reaches[*to].clone()).collect();
                reaches[at].extend(next);
            }
        }
        let is_cyclic = (0..6).any(|at| reaches[at].contains(&at));
        prop_assert_eq!(answer["event"] == "plan_rejected", is_cyclic);
        for one in diagnostics(&answer).into_iter().filter(|one| one["details"]["code"] == "cycle") {
            let path: Vec<&str> = one["details"]["path"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
            prop_assert_eq!(path.first(), path.last());
            for step in path.windows(2) {
                let number = |id: &str| id[1..].parse::<usize>().unwrap();
                prop_assert!(pairs.contains(&(number(step[0]), number(step[1]))));
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\":,0-9a-z]{0,60}") {
        let _ = validate_text(text.as_bytes());
    }
}
