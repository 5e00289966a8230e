//! Laws on random sessions: they are accepted, and none of them is with anything changed in it.

use adjudicate_core::{
    ir::{
        PlanIr,
        replay::{Receipt, Replay, ReplayReport, Tests, verify_replay_text},
    },
    json::{self, ReadLimits},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::replay::{
    session::{Session, session},
    verify,
};

/// The findings, each as its code and path.
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "the engine makes these answers")]
fn found(session: &Session) -> Vec<(String, String)> {
    let answer: Value = serde_json::from_str(&verify(&session.call()).unwrap()).unwrap();
    let findings = answer["findings"].as_array().unwrap();
    assert_eq!(answer["linked"], findings.is_empty());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    findings.iter().map(|finding| (text(&finding["code"]), text(&finding["path"]))).collect()
}

/// The expected findings, in order.
type Expected = Vec<(&'static str, String)>;

fn at(code: &'static str, event: usize, member: &str) -> (&'static str, String) {
    let slash = if member.is_empty() { "" } else { "/" };
    (code, format!("/events/{event}{slash}{member}"))
}

/// Every session with one event less, one twice, one elsewhere, or one with another field, each with its expected
/// finding.
fn mutants(session: &Session) -> Vec<(Session, Expected)> {
    let mut mutants = Vec::new();
    of_pairs(session, &mut mutants);
    of_steps(session, &mut mutants);
    of_start(session, &mut mutants);
    of_hashes(session, &mut mutants);
    of_receipt(session, &mut mutants);
    of_deltas(session, &mut mutants);
    mutants
}

/// The position in the receipt of the call that is the event at that place.
#[expect(clippy::indexing_slicing, reason = "places of the session's own events")]
fn listed(session: &Session, call: usize) -> Option<String> {
    let calls = session.receipt.as_ref()?.get("tool_calls")?.as_array()?;
    let place = calls.iter().position(|listed| listed["id"] == session.events[call]["id"])?;
    Some(format!("/receipt/tool_calls/{place}/id"))
}

/// The calls of the receipt: omitted, invented, repeated, without a step.
#[expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "places of the session's own events")]
fn of_receipt(session: &Session, mutants: &mut Vec<(Session, Expected)>) {
    const UNKNOWN: &str = "receipt_step_unknown";
    const MISMATCH: &str = "receipt_call_mismatch";
    let with = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut other = session.clone();
        change(other.receipt.as_mut().unwrap()["tool_calls"].as_array_mut().unwrap());
        other
    };
    let Some(calls) = session.receipt.as_ref().and_then(|receipt| receipt.get("tool_calls")) else { return };
    let calls = calls.as_array().unwrap();
    let path = |place: usize, member: &str| format!("/receipt/tool_calls/{place}/{member}");
    let end = calls.len();
    let made_up = with(&|calls| calls.push(json!({"id": "nobody", "step_id": "step-1"})));
    mutants.push((made_up, vec![(MISMATCH, path(end, "id"))]));
    let wrong = with(&|calls| calls.push(json!({"id": "nobody", "step_id": "nothing"})));
    mutants.push((wrong, vec![(MISMATCH, path(end, "id")), (UNKNOWN, path(end, "step_id"))]));
    for (place, call) in calls.iter().enumerate() {
        let is_call = |event: &usize| session.events[*event]["id"] == call["id"];
        let event = session.places("ToolCall").into_iter().find(is_call).unwrap();
        let left_out = with(&|calls| drop(calls.remove(place)));
        mutants.push((left_out, vec![at(MISMATCH, event, "id")]));
        let repeated = with(&|calls| calls.push(call.clone()));
        mutants.push((repeated, vec![(MISMATCH, path(end, "id"))]));
        let strayed = with(&|calls| calls[place]["step_id"] = json!("step-0"));
        mutants.push((strayed, vec![(UNKNOWN, path(place, "step_id"))]));
    }
}

/// Deltas: each claim by itself, and all of them where the tests are other ones.
#[expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "places of the session's own events")]
fn of_deltas(session: &Session, mutants: &mut Vec<(Session, Expected)>) {
    let Some(tests) = &session.tests else { return };
    let mut all = Vec::new();
    for (place, event) in session.events.iter().enumerate() {
        if let Some(claim) = event.get("verification_delta") {
            let wrong = json!(claim.as_i64().unwrap() + 1);
            let other = session.with(|events| events[place]["verification_delta"] = wrong);
            mutants.push((other, vec![at("delta_mismatch", place, "verification_delta")]));
            all.push(at("delta_mismatch", place, "verification_delta"));
        }
    }
    for path in ["/verification/verification_delta", "/verification_delta"] {
        let claim = session.receipt.as_ref().and_then(|receipt| receipt.pointer(path)?.as_i64());
        if let Some(claim) = claim {
            let mut other = session.clone();
            *other.receipt.as_mut().unwrap().pointer_mut(path).unwrap() = json!(-claim - 1);
            let expected = ("delta_mismatch", format!("/receipt{path}"));
            mutants.push((other, vec![expected.clone()]));
            all.push(expected);
        }
    }
    let mut other = session.clone();
    other.tests.as_mut().unwrap()["failing_before"] = json!(tests["failing_before"].as_u64().unwrap() + 1);
    mutants.push((other, all));
    // Claims of other tests are held against nothing.
    mutants.push((Session { tests: None, ..session.clone() }, Vec::new()));
}

/// Calls and results: dropped, repeated, exchanged, renamed.
#[expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "places of the session's own events")]
fn of_pairs(session: &Session, mutants: &mut Vec<(Session, Expected)>) {
    for call in session.places("ToolCall") {
        let is_result =
            |event: &Value| event[session.tag] == "ToolResult" && event["id"] == session.events[call]["id"];
        let result = session.events.iter().position(is_result).unwrap();
        let end = session.events.len();
        // The header stays the first event, and decides on the layout.
        let dropped = session.with(|events| drop(events.remove(call)));
        let in_receipt = listed(session, call).map(|path| ("receipt_call_mismatch", path));
        let mut expected = vec![at("result_without_call", result - 1, "id")];
        expected.extend(in_receipt.clone());
        mutants.push((dropped, expected));
        let dropped = session.with(|events| drop(events.remove(result)));
        mutants.push((dropped, vec![at("call_without_result", call, "id")]));
        for (event, code) in [(call, "repeated_call"), (result, "repeated_result")] {
            for to in [event + 1, end] {
                let again = session.with(|events| events.insert(to, events[event].clone()));
                mutants.push((again, vec![at(code, to, "id")]));
            }
        }
        let exchanged = session.with(|events| events.swap(call, result));
        mutants.push((exchanged, vec![at("result_before_call", call, "id")]));
        let moved = session.with(|events| {
            let event = events.remove(result);
            events.insert(call, event);
        });
        mutants.push((moved, vec![at("result_before_call", call, "id")]));
        for event in [call, result] {
            let renamed = session.with(|events| events[event]["id"] = json!("nobody"));
            let mut expected = vec![at("call_without_result", call, "id")];
            // Its call is the receipt's, whichever result it has.
            let in_receipt = in_receipt.clone().filter(|_| event == call);
            expected.extend(in_receipt.as_ref().map(|_| at("receipt_call_mismatch", call, "id")));
            expected.push(at("result_without_call", result, "id"));
            expected.extend(in_receipt);
            mutants.push((renamed, expected));
        }
    }
}

/// Steps that there are not, and too many iterations.
#[expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "places of the session's own events")]
fn of_steps(session: &Session, mutants: &mut Vec<(Session, Expected)>) {
    let [calls, completions] = ["ToolCall", "StepComplete"].map(|kind| session.places(kind));
    for event in calls.into_iter().chain(completions.clone()) {
        for step in ["step-0", "", "Step-1", "step-1 "] {
            let strayed = session.with(|events| events[event]["step_id"] = json!(step));
            mutants.push((strayed, vec![at("unknown_step", event, "step_id")]));
        }
    }
    for event in completions {
        let steps = session.plan["steps"].as_array().unwrap();
        let step = steps.iter().find(|step| step["id"] == session.events[event]["step_id"]).unwrap();
        let more = step["max_iterations"].as_u64().unwrap() + 1;
        for iterations in [more, u64::MAX] {
            let tired = session.with(|events| events[event]["iterations"] = json!(iterations));
            mutants.push((tired, vec![at("iterations_exceeded", event, "iterations")]));
        }
    }
}

/// The start of the plan: dropped, repeated, with another count.
#[expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "places of the session's own events")]
fn of_start(session: &Session, mutants: &mut Vec<(Session, Expected)>) {
    let start = session.places("PlanStart")[0];
    let count = session.plan["steps"].as_array().unwrap().len();
    // The remaining events have another layout unless the first one still determines it.
    let dropped = session.with(|events| drop(events.remove(start)));
    if !dropped.events.is_empty() {
        mutants.push((dropped, vec![("no_plan_start", "/events".into())]));
    }
    for to in [start + 1, session.events.len()] {
        let again = session.with(|events| events.insert(to, events[start].clone()));
        mutants.push((again, vec![at("repeated_plan_start", to, "")]));
    }
    for wrong in [count - 1, count + 1] {
        let other = session.with(|events| events[start]["step_count"] = json!(wrong));
        mutants.push((other, vec![at("step_count_mismatch", start, "step_count")]));
    }
    let mut longer = session.clone();
    let mut step = longer.plan["steps"][0].clone();
    step["id"] = json!("one-more");
    longer.plan["steps"].as_array_mut().unwrap().push(step);
    let mut expected = of_another_plan(session);
    let claim = expected.iter().position(|(_, path)| path.starts_with("/receipt")).unwrap_or(expected.len());
    expected.insert(claim, at("step_count_mismatch", start, "step_count"));
    mutants.push((longer, expected));
}

/// Hashes: of no plan, of another one, in another mode.
#[expect(clippy::indexing_slicing, reason = "places of the session's own events")]
fn of_hashes(session: &Session, mutants: &mut Vec<(Session, Expected)>) {
    let start = session.places("PlanStart")[0];
    let mut other = session.clone();
    other.plan["steps"][0]["description"] = json!("do something else");
    mutants.push((other, of_another_plan(session)));
    for wrong in ["", "sha256:00", &session.hashes[0].replace("sha256:", "SHA256:")] {
        let claimed = session.with(|events| events[start]["plan_hash"] = json!(wrong));
        mutants.push((claimed, vec![at("plan_hash_mismatch", start, "plan_hash")]));
        let claimed = Session { receipt: Some(json!({"plan_hash": wrong})), ..session.clone() };
        mutants.push((claimed, vec![("plan_hash_mismatch", "/receipt/plan_hash".into())]));
    }
    let [canonical, compat] = &session.hashes;
    if canonical != compat {
        for (first, second) in [(canonical, compat), (compat, canonical)] {
            let mixed = session.with(|events| events[start]["plan_hash"] = json!(first));
            let mixed = Session { receipt: Some(json!({"plan_hash": second})), ..mixed };
            mutants.push((mixed, vec![("mixed_hash_modes", "/receipt/plan_hash".into())]));
        }
    }
}

/// The findings for all claims about the plan, if it is another plan.
#[expect(clippy::indexing_slicing, reason = "places of the session's own events")]
fn of_another_plan(session: &Session) -> Expected {
    let start = session.places("PlanStart")[0];
    let claims = session.events[start].get("plan_hash").map(|_| at("plan_hash_mismatch", start, "plan_hash"));
    let receipt = session.receipt.as_ref().and_then(|receipt| receipt.get("plan_hash"));
    claims.into_iter().chain(receipt.map(|_| ("plan_hash_mismatch", "/receipt/plan_hash".into()))).collect()
}

/// The report on a session whose events come as the lines of a log.
#[expect(clippy::unwrap_used, reason = "what is replayed is a session")]
fn report_on_log(session: &Session) -> ReplayReport {
    let plan = session.plan.to_string();
    let plan = json::read(plan.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let plan = PlanIr::read(plan.root()).unwrap();
    let receipt = session.receipt.as_ref().map(Value::to_string);
    let receipt = receipt.as_ref().map(|text| json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap());
    let receipt = receipt.as_ref().map(|receipt| Receipt::read(receipt.root()).unwrap());
    let tests = session.tests.as_ref().map(|tests| {
        let [before, after] = ["failing_before", "failing_after"].map(|name| tests[name].as_u64().unwrap());
        Tests::new(before, after)
    });
    let mut replay = Replay::new(&plan, receipt, tests);
    for (line, event) in (1..).zip(&session.events) {
        let text = event.to_string();
        replay.event(line, json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap().root()).unwrap();
    }
    replay.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn sessions_are_linked(session in session()) {
        prop_assert_eq!(found(&session), []);
    }

    #[test]
    fn no_session_is_linked_with_one_thing_changed(session in session()) {
        for (mutant, expected) in mutants(&session) {
            // Without claims a plan may be another one, and so may tests.
            let found = found(&mutant);
            let found: Vec<_> = found.iter().map(|(code, path)| (code.as_str(), path.clone())).collect();
            prop_assert_eq!(found, expected, "{}", mutant.call());
        }
    }

    #[test]
    fn lines_of_a_log_are_a_list_of_events(session in session(), change in any::<prop::sample::Index>()) {
        let mutants = mutants(&session);
        for session in [&session, &change.get(&mutants).0] {
            prop_assert_eq!(report_on_log(session).to_json(), verify(&session.call()).unwrap_or_default());
        }
    }

    #[test]
    fn carried_fields_change_no_finding(session in session()) {
        let more = session.with(|events| events.iter_mut().filter_map(Value::as_object_mut).for_each(|event| {
            event.insert("step_utility".into(), json!(0.5));
            event.insert("x-iterations".into(), json!(-1));
        }));
        prop_assert_eq!(verify(&more.call()), verify(&session.call()));
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}") {
        let _ = json::read(text.as_bytes(), ReadLimits::DOCUMENT).map(|call| verify_replay_text(call.root()));
    }
}
