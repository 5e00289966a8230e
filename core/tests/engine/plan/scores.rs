//! Scores, nodes at fault and changes, held against models that know the specification and nothing of the engine.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the tests make these calls, and a `Value` indexes to null"
)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{diagnostics, laws::call, validate};

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A plan as sets: the fields that each node gives and takes, and the nodes before it.
struct Model {
    gives: Vec<BTreeSet<String>>,
    lacks: Vec<bool>,
}

impl Model {
    fn new(call: &Value) -> Self {
        let nodes = call["plan"]["nodes"].as_array().unwrap();
        let capabilities = call["capabilities"].as_array().unwrap();
        let of = |node: &Value| capabilities.iter().find(|one| one["capabilityId"] == node["capabilityId"]);
        let given = |node: &Value| {
            let capability = of(node).cloned().unwrap_or_default();
            let mut given: BTreeSet<String> =
                texts(&capability["outputFacets"]).into_iter().map(str::to_owned).collect();
            let described = capability["outputContract"]["schema"]["properties"].as_object().cloned();
            given.extend(described.unwrap_or_default().keys().cloned());
            given
        };
        let gives: Vec<BTreeSet<String>> = nodes.iter().map(given).collect();
        let place = |id: &Value| nodes.iter().position(|node| node["nodeId"] == *id).unwrap();
        let edges: Vec<(usize, usize)> = call["plan"]["edges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| (place(&edge["from"]), place(&edge["to"])))
            .collect();
        let inputs = call["task"]["inputs"].as_object().cloned().unwrap_or_default();
        let lacks = nodes
            .iter()
            .enumerate()
            .map(|(at, node)| {
                let mut before: BTreeSet<usize> = BTreeSet::from([at]);
                for _ in nodes {
                    let more = edges.iter().filter(|(_, to)| before.contains(to)).map(|(from, _)| *from);
                    before = more.chain(before.clone()).collect();
                }
                before.remove(&at);
                let capability = of(node).cloned().unwrap_or_default();
                texts(&capability["inputFacets"]).into_iter().any(|key| {
                    !inputs.contains_key(key) && !before.iter().any(|other| gives[*other].contains(key))
                })
            })
            .collect();
        Self { gives, lacks }
    }

    fn givers(&self, key: &str) -> BTreeSet<usize> {
        (0..self.gives.len()).filter(|at| self.gives[*at].contains(key)).collect()
    }

    fn producers(&self, key: &str) -> BTreeSet<usize> {
        self.givers(key).into_iter().filter(|at| !self.lacks[*at]).collect()
    }
}

/// The first segments of the variables of an expression.
fn roots(expression: &Value, out: &mut BTreeSet<String>) {
    match expression {
        Value::Array(items) => items.iter().for_each(|item| roots(item, out)),
        Value::Object(members) => {
            if let Some(path) = members.get("var").and_then(Value::as_str) {
                out.insert(path.split('.').next().unwrap().to_owned());
            }
            members.values().for_each(|member| roots(member, out));
        }
        _ => {}
    }
}

fn union(sets: impl Iterator<Item = BTreeSet<usize>>) -> BTreeSet<usize> {
    sets.flatten().collect()
}

/// The expected scores of a payload, from its diagnostics and the declared constraints.
fn expected_scores(call: &Value, answer: &Value, is_judged: bool) -> (Value, f64) {
    let constraints = call["task"]["outputContract"]["constraints"].as_array().unwrap();
    let all = diagnostics(answer);
    let (mut met, mut weights) = (0.0, 0.0);
    let scores = constraints
        .iter()
        .map(|constraint| {
            let id = &constraint["constraintId"];
            let own =
                || all.iter().filter(|one| one["constraintId"] == *id && one["severity"] != "informational");
            let score = if is_judged && own().next().is_none() { 1.0 } else { 0.0 };
            if constraint["level"] == "informational" {
                return json!({"constraintId": id, "severity": constraint["level"], "score": null});
            }
            let is_hard = constraint["level"] == "hard" || own().any(|one| one["severity"] == "hard");
            let weight = if is_hard { 1.0 } else { 0.5 };
            met += weight * score;
            weights += weight;
            json!({"constraintId": id, "severity": constraint["level"], "score": score})
        })
        .collect();
    let nothing = if answer["event"] == "plan_rejected" { 0.0 } else { 1.0 };
    (scores, if weights == 0.0 { nothing } else { met / weights })
}

fn assert_scored(call: &Value, answer: &Value, is_judged: bool) {
    let (scores, whole) = expected_scores(call, answer, is_judged);
    assert_eq!(answer["payload"]["constraintScores"], scores, "{call}");
    let score = answer["payload"]["satisfactionScore"].as_f64().unwrap();
    assert!((score - whole).abs() < 1e-6, "{score} {whole} {call}");
}

/// The key of a diagnostic: constraint or details, node, cause.
fn key(one: &Value) -> String {
    let subject = if one["constraintId"].is_string() { &one["constraintId"] } else { &one["details"] };
    format!("{subject} {} {}", one["nodeId"], one["cause"])
}

fn keys(list: &[&Value]) -> Vec<String> {
    list.iter().map(|one| key(one)).collect()
}

proptest! {
    #[test]
    fn scores_follow_from_the_diagnostics(call in call(), breaks in 0..4) {
        let mut call = call;
        match breaks {
            1 => call["plan"]["edges"].as_array_mut().unwrap().push(json!({"from": "n0", "to": "n0"})),
            2 => call["plan"]["edges"].as_array_mut().unwrap().push(json!({"from": "n0", "to": "gone"})),
            3 => {
                let first = call["plan"]["nodes"][0].clone();
                call["plan"]["nodes"].as_array_mut().unwrap().push(first);
            }
            _ => {}
        }
        let answer = validate(&call);
        assert_scored(&call, &answer, breaks == 0);
    }

    #[test]
    fn a_constraint_names_a_node_where_one_alone_is_at_fault(call in call()) {
        let model = Model::new(&call);
        let nodes = call["plan"]["nodes"].as_array().unwrap();
        let constraints = call["task"]["outputContract"]["constraints"].as_array().unwrap();
        let answer = validate(&call);
        for one in diagnostics(&answer).into_iter().filter(|one| one["constraintId"].is_string()) {
            let declared = constraints.iter().find(|other| other["constraintId"] == one["constraintId"]).unwrap();
            let mut about = BTreeSet::new();
            roots(&declared["expr"], &mut about);
            let at_fault = match one["details"]["code"].as_str().unwrap() {
                "missing_enforcer" => union(about.iter().map(|root| model.producers(root))),
                "missing_producer" => {
                    let missing = about.iter().filter(|root| model.producers(root).is_empty());
                    union(missing.map(|root| model.givers(root)))
                }
                _ => continue,
            };
            let expected = match at_fault.iter().collect::<Vec<_>>()[..] {
                [at] => &nodes[*at],
                _ => &Value::Null,
            };
            prop_assert_eq!(&one["nodeId"], &expected["nodeId"], "{} {}", one, call);
            prop_assert_eq!(&one["capabilityId"], &expected["capabilityId"], "{} {}", one, call);
        }
    }

    #[test]
    fn an_update_lists_the_differences(before in call(), after in call()) {
        let previous = validate(&before)["payload"].clone();
        let alone = validate(&after);
        let mut call = after.clone();
        call["previous"] = previous.clone();
        let answer = validate(&call);
        if alone["event"] == "plan_rejected" {
            prop_assert_eq!(answer, alone);
            return Ok(());
        }
        prop_assert_eq!(&answer["event"], "plan_updated");
        let before = json!({"payload": previous});
        let (old, new) = (diagnostics(&before), diagnostics(&alone));
        let (old_keys, new_keys) = (keys(&old), keys(&new));
        let gone: Vec<&Value> = old.iter().filter(|one| !new_keys.contains(&key(one))).copied().collect();
        let come: Vec<&Value> = new.iter().filter(|one| !old_keys.contains(&key(one))).copied().collect();
        let mut expected = alone["payload"].clone();
        expected["unchanged"] = json!(new.len() - come.len());
        expected["resolved"] = json!(gone);
        expected["introduced"] = json!(come);
        prop_assert_eq!(&answer["payload"], &expected);
        // The answer is in turn the earlier answer of another call.
        call["previous"] = answer["payload"].clone();
        let again = validate(&call);
        prop_assert_eq!(&again["payload"]["unchanged"], &json!(new.len()));
        prop_assert_eq!(&again["payload"]["introduced"], &json!([]));
        prop_assert_eq!(&again["payload"]["resolved"], &json!([]));
    }
}
