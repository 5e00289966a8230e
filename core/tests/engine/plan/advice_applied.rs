//! Doing what a suggestion says helps: each line of the corpus that a planner can heed is read and heeded, way by way.

use adjudicate_core::{Operation, plan::PlanCode};
use adjudicate_tests::{
    Fixture,
    parity::{expected, is_error, read_of},
};
use serde_json::{Value, json};

use super::{
    advice_ways::{edge, heeded, list, read, ways, with},
    diagnostics, suggestions, validate,
};

/// Findings of these codes say that a plan is no plan; to heed a suggestion brings none of them.
const STRUCTURE: [PlanCode; 8] = [
    PlanCode::EmptyPlan,
    PlanCode::DuplicateNode,
    PlanCode::UnknownEdgeEnd,
    PlanCode::Cycle,
    PlanCode::IncompleteNode,
    PlanCode::UnknownCapability,
    PlanCode::InactiveCapability,
    PlanCode::InvalidSchema,
];

#[expect(clippy::unwrap_used, reason = "the corpus has these cases")]
fn call(name: &str) -> Value {
    serde_json::from_slice(&Fixture::read(Operation::ValidatePlan, name).unwrap().call).unwrap()
}

/// The calls that are answered, by the names of their cases.
#[expect(clippy::unwrap_used, reason = "a call that is answered is JSON")]
fn cases() -> Vec<(String, Value)> {
    let answered =
        read_of(Operation::ValidatePlan).into_iter().filter(|fixture| !is_error(expected(fixture)));
    answered.map(|fixture| (fixture.name, serde_json::from_slice(&fixture.call).unwrap())).collect()
}

/// A diagnostic without what would help.
fn finding(diagnostic: &Value) -> Value {
    let mut finding = diagnostic.clone();
    if let Some(members) = finding.as_object_mut() {
        members.remove("suggestion");
    }
    finding
}

/// The structural findings. Only one cycle of a component is reported, so its path is left out. An edge is identified by its ends,
/// even if one does not exist.
#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
fn structure(answer: &Value) -> Vec<Value> {
    let is_structural = |one: &&Value| STRUCTURE.iter().any(|code| one["details"]["code"] == code.as_str());
    let known_by = |one: &Value| {
        let mut details = one["details"].clone();
        if let Some(details) = details.as_object_mut() {
            details.remove("path");
        }
        let place = if details["code"] == "unknown_edge_end" { &Value::Null } else { &one["nodeId"] };
        json!([details, place])
    };
    diagnostics(answer).into_iter().filter(is_structural).map(known_by).collect()
}

/// Follows each way of each suggestion alone: the finding disappears, and a valid plan stays valid. Returns the number
/// of ways. With `may_wait`, the new node or capability may itself lack an input, which is a new finding.
pub(crate) fn following_it_helps(name: &str, call: &Value, may_wait: bool) -> usize {
    let answer = validate(call);
    let (before, lacked) = (structure(&answer), lacking(&answer));
    let mut count = 0;
    for one in diagnostics(&answer) {
        let lines = one["suggestion"].as_str().unwrap_or_default().lines();
        for way in lines.flat_map(ways) {
            for changed in heeded(call, &way) {
                count += 1;
                let after = validate(&changed);
                let is_left = diagnostics(&after).into_iter().map(finding).any(|other| other == finding(one));
                let waits = || lacking(&after).iter().any(|one| !lacked.contains(one));
                assert!(!is_left || may_wait && waits(), "{name}: {way} leaves {one}");
                let mut new = structure(&after);
                new.retain(|one| !before.contains(one));
                assert!(new.is_empty(), "{name}: {way} brings {new:?}");
            }
        }
    }
    count
}

/// The findings about missing inputs.
#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
fn lacking(answer: &Value) -> Vec<Value> {
    let is_lacking = |one: &&Value| one["details"]["code"] == "unsupplied_input";
    diagnostics(answer).into_iter().filter(is_lacking).map(finding).collect()
}

#[test]
fn following_a_suggestion_removes_its_finding_and_adds_no_other() {
    let count: usize = cases().iter().map(|(name, call)| following_it_helps(name, call, false)).sum();
    assert!(count > 40, "{count}");
}

/// Following every suggestion at once, by the planner's first alternative, breaks nothing. The plan then has fewer findings, only
/// other ones, or none that the planner can fix.
#[test]
fn all_lines_at_once() {
    for (name, mut call) in cases() {
        let answer = validate(&call);
        let mut lines = suggestions(&answer);
        // Removals come last, because other suggestions may concern the same node.
        lines.sort_by_key(|line| (line.starts_with("Remove "), line.clone()));
        lines.dedup();
        let mut count = 0;
        for line in lines {
            if let Some(changed) = ways(&line).iter().find_map(|way| heeded(&call, way).into_iter().next()) {
                call = changed;
                count += 1;
                // The next one has an id of its own.
                let id = format!("inserted-{count}");
                for one in list(&mut call, "/plan/nodes") {
                    if one["nodeId"] == "inserted" {
                        one["nodeId"] = json!(id);
                    }
                }
                for one in list(&mut call, "/plan/edges") {
                    for end in ["from", "to"] {
                        if one[end] == "inserted" {
                            one[end] = json!(id);
                        }
                    }
                }
            }
        }
        let (before, after) = (diagnostics(&answer).len(), validate(&call));
        let is_sound = structure(&after).iter().all(|one| structure(&answer).contains(one));
        assert!(is_sound, "{name}: {:?}", structure(&after));
        if count > 0 && structure(&answer).is_empty() {
            // Or the remaining findings are not for the planner.
            let is_the_planners = |line: &String| !line.starts_with("Have the ");
            let is_done = !suggestions(&after).iter().any(is_the_planners);
            let findings = |answer| diagnostics(answer).into_iter().map(finding).collect::<Vec<_>>();
            let old = findings(&answer);
            let is_less =
                diagnostics(&after).len() < before || !findings(&after).iter().any(|one| old.contains(one));
            assert!(is_done || is_less, "{name}: {:?}", diagnostics(&after));
        }
    }
}

#[test]
fn following_the_suggestions_leads_through_the_whole_story() {
    let parts = [
        "story-1-no-review-is-rejected",
        "story-2-the-suggested-node-without-edges",
        "story-3-the-suggested-edge-is-added",
        "story-4-the-advice-is-taken",
    ];
    let mut parts = parts.map(call);
    for (at, part) in parts.iter_mut().enumerate() {
        assert_eq!(part["plan"]["planVersion"], json!(at + 1));
        part["plan"]["planVersion"] = json!(0);
    }
    let [first, second, third, fourth] = &parts;
    let way = |call: &Value, pattern: &str| -> Vec<String> {
        let observed = suggestions(&validate(call));
        let all = observed.iter().flat_map(|line| ways(line)).collect::<Vec<_>>();
        let fit = all.iter().find_map(|way| read(pattern, way));
        fit.into_iter().flatten().map(str::to_owned).collect()
    };
    // The planner forgets what `before` says, as the title tells.
    let named = way(first, "insert {} before {}");
    let node = json!({"nodeId": "qa-1", "capabilityId": named[0]});
    assert_eq!(*second, with(first, |call| list(call, "/plan/nodes").push(node)));
    let named = way(second, "add an edge from {} to {}");
    assert_eq!(*third, with(second, |call| list(call, "/plan/edges").push(edge(&named[0], &named[1]))));
    let named = way(third, "name {} in provides of a node that really gives it");
    let gives = |node: &&Value| node["provides"].as_array().is_some_and(|all| all.contains(&json!(named[0])));
    let nodes = |call: &Value| call["plan"]["nodes"].as_array().cloned().unwrap_or_default();
    assert_eq!(
        (nodes(third).iter().filter(gives).count(), nodes(fourth).iter().filter(gives).count()),
        (0, 1)
    );
}
