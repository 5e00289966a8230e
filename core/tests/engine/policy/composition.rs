//! Laws of composition, over random envelopes and answers of any origin.

use adjudicate_core::{
    Policy,
    evaluate::{
        CompositionMode, Envelope, ExternalAnswer, Judged, check_answer, compose, evaluate, evaluate_composed,
    },
    json::{self, ReadLimits},
};
use proptest::{collection::vec, option, prelude::*, sample::select, test_runner::Config};
use serde_json::{Value, json};

use super::{answer, envelopes, policy, rules};

/// The statuses, least severe first.
const STATUSES: [&str; 5] = ["success", "partial", "blocked", "needs_human", "unsafe"];

/// An answer as a third party may give it: of the right form, and not always of one mind.
fn answers() -> impl Strategy<Value = Value> {
    let status = || select(STATUSES.to_vec());
    let finding = (status(), option::of(select(vec!["a", "b"])), any::<bool>(), select(vec!["monitor", "", ""])).prop_map(
        |(status, flag, shown, mode)| {
            let mut finding = json!({"rule": "theirs", "status": status, "severity": "low", "summary": "s", "evidence_ref": null,
                "resolution": {"kind": "retry", "hint": "h"}});
            if let Some(flag) = flag {
                finding["flag"] = json!(flag);
            }
            if shown {
                finding["expected"] = json!({"deep": [1.50, null, "x"]});
            }
            if !mode.is_empty() {
                finding["mode"] = json!(mode);
            }
            finding
        },
    );
    let blocker = (select(vec!["one", "two"]), select(vec!["low", "high"]), select(vec!["/a/2", "/a/10"])).prop_map(
        |(code, severity, pointer)| json!({"code": code, "summary": "s", "evidence_ref": pointer, "severity": severity}),
    );
    let goal = select(vec!["mend x", "mend y", "mend x; mend z"]);
    let fix = option::of(goal.prop_map(|goal| {
        json!({"objective": goal, "constraints": ["keep x"], "edits": [{"target": goal, "action": "a", "rationale": "r"}],
            "verification": [{"command": "c", "expected_signal": "0"}]})
    }));
    let flags = vec(select(vec!["a", "b", "c"]), 0..3);
    (status(), vec(finding, 0..3), vec(blocker, 0..3), fix, flags).prop_map(|(status, findings, blockers, fix, flags)| {
        json!({
            "decision": {"status": status, "next_step": null, "fix_instructions": fix, "blockers": blockers, "risk_flags": flags},
            "findings": findings,
            "loop": {"consecutive_partials": 0, "review_completed": false,
                "refinement": {"cap": 1, "spent": 0, "requested": false}, "escalation": null},
            "policy": null
        })
    })
}

/// Answers, the first of them the base, as one.
fn composed(envelope: &Value, answers: &[&Value], mode: CompositionMode) -> Value {
    let names = ["base", "second", "third"];
    let texts: Vec<String> = answers.iter().map(|answer| answer.to_string()).collect();
    let tapes: Vec<_> =
        texts.iter().map(|text| json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap()).collect();
    let mut opinions =
        tapes.iter().zip(names).map(|(tape, name)| ExternalAnswer::read(name, tape.root()).unwrap());
    let text = envelope.to_string();
    let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let envelope = Envelope::from_tape(&tape).unwrap();
    let facts = Judged::new(&envelope, None).unwrap();
    let base = opinions.next().unwrap();
    serde_json::to_value(compose(&facts, base, opinions.collect(), mode)).unwrap()
}

fn rank(answer: &Value) -> usize {
    severity(&answer["decision"]["status"])
}

fn severity(status: &Value) -> usize {
    STATUSES.iter().position(|name| status == name).unwrap()
}

/// Names the findings that have no origin, so that a second composition does not name them.
fn named(mut answer: Value, name: &str) -> Value {
    for finding in answer["findings"].as_array_mut().unwrap() {
        finding["origin"] = json!(name);
    }
    answer
}

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn to_restrict_never_loosens(envelope in envelopes(), theirs in answers(), more in answers()) {
        let ours = answer(&envelope, &Value::Null).unwrap();
        let both = composed(&envelope, &[&ours, &theirs, &more], CompositionMode::Restrict);
        for one in [&ours, &theirs, &more] {
            prop_assert!(rank(&both) >= rank(one));
            for list in ["risk_flags", "blockers"] {
                let all = both["decision"][list].as_array().unwrap();
                prop_assert!(one["decision"][list].as_array().unwrap().iter().all(|item| all.contains(item)), "{}", list);
            }
        }
        let counted = |answer: &Value, status: &str| answer["findings"].as_array().unwrap().iter()
            .any(|finding| finding.get("mode").is_none() && finding["status"] == status);
        if !both["decision"]["fix_instructions"].is_null() {
            prop_assert!(counted(&both, "partial") && !counted(&both, "blocked") && !counted(&both, "unsafe"));
        }
    }

    #[test]
    fn to_restrict_is_associative(envelope in envelopes(), a in answers(), b in answers(), c in answers()) {
        let (a, b, c) = (named(a, "a"), named(b, "b"), named(c, "c"));
        for mode in [CompositionMode::Restrict, CompositionMode::Override] {
            // A finding that a decision is given has the name of its place; here all have the same.
            let plain = |answer: Value| answer.to_string().replace("second", "base").replace("third", "base");
            let of = |answers: &[&Value]| composed(&envelope, answers, mode);
            let at_once = of(&[&a, &b, &c]);
            for nested in [of(&[&of(&[&a, &b]), &c]), of(&[&a, &of(&[&b, &c])])] {
                prop_assert_eq!(&nested["decision"], &at_once["decision"]);
                prop_assert_eq!(&nested["loop"], &at_once["loop"]);
                // Findings that counted before they were overruled are reported too.
                if mode == CompositionMode::Restrict {
                    prop_assert_eq!(plain(nested), plain(at_once.clone()));
                }
            }
        }
    }

    #[test]
    fn the_same_again_changes_no_status(envelope in envelopes(), theirs in answers()) {
        let ours = answer(&envelope, &Value::Null).unwrap();
        for one in [ours, theirs] {
            let alone = composed(&envelope, &[&one], CompositionMode::Restrict);
            let twice = composed(&envelope, &[&one, &one], CompositionMode::Restrict);
            prop_assert_eq!(&twice["decision"], &alone["decision"]);
            prop_assert_eq!(&twice["loop"], &alone["loop"]);
        }
    }

    #[test]
    fn composing_one_evaluation_of_ours_changes_nothing(envelope in envelopes()) {
        let ours = answer(&envelope, &Value::Null).unwrap();
        prop_assert_eq!(composed(&envelope, &[&ours], CompositionMode::Restrict), named(ours, "base"));
    }

    #[test]
    fn a_composed_answer_keeps_the_contract(envelope in envelopes(), theirs in answers(), overrides in any::<bool>()) {
        let ours = answer(&envelope, &Value::Null).unwrap();
        let mode = if overrides { CompositionMode::Override } else { CompositionMode::Restrict };
        let both = composed(&envelope, &[&ours, &theirs], mode);
        let text = both.to_string();
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let input = envelope.to_string();
        let input = json::read(input.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        prop_assert_eq!(check_answer(input.root(), tape.root()), Ok(()));
        // The step that the envelope has for the status.
        let step = match both["decision"]["status"].as_str().unwrap() {
            "success" => "publish",
            "partial" => "fix",
            "unsafe" => "rollback",
            _ => "gate",
        };
        prop_assert_eq!(&both["decision"]["next_step"], step);
    }

    #[test]
    fn to_override_leaves_the_last_word(envelope in envelopes(), theirs in answers()) {
        let ours = answer(&envelope, &Value::Null).unwrap();
        let both = composed(&envelope, &[&ours, &theirs], CompositionMode::Override);
        // Nothing is added to what they say, the bounds of the base's loop neither.
        let counted = theirs["findings"].as_array().unwrap().iter().filter(|finding| finding.get("mode").is_none());
        let stated = counted.map(|finding| severity(&finding["status"])).max().unwrap_or_default().max(rank(&theirs));
        prop_assert_eq!(rank(&both), stated);
        prop_assert!(both["findings"].as_array().unwrap().iter().all(|finding| finding["origin"] != "composition"));
        let findings = both["findings"].as_array().unwrap();
        prop_assert!(findings.iter().filter(|finding| finding["origin"] == "base").all(|finding| finding["mode"] == "monitor"));
    }

    #[test]
    fn another_policy_never_loosens(envelope in envelopes(), base in rules(), other in rules()) {
        let (base, other) = (policy(&base).to_string(), policy(&other).to_string());
        let [base, other] = [base, other].map(|text| Policy::parse(text.as_bytes()).unwrap());
        let text = envelope.to_string();
        let of = |policies: &[&Policy]| {
            let (first, others) = policies.split_first().unwrap();
            let answer = evaluate_composed(text.as_bytes(), first, others, CompositionMode::Restrict);
            answer.map(|answer| serde_json::from_str::<Value>(&answer).unwrap())
        };
        if let (Ok(alone), Ok(both)) = (of(&[&base]), of(&[&base, &other])) {
            prop_assert!(rank(&both) >= rank(&alone));
            prop_assert!(rank(&both) >= rank(&of(&[&other]).unwrap()));
        }
    }
}

#[test]
fn an_answer_that_breaks_the_contract_is_no_opinion() {
    let tape = json::read(br#"{"decision": {"status": "fine"}}"#, ReadLimits::DOCUMENT).unwrap();
    let error = ExternalAnswer::read("theirs", tape.root()).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("module_invalid_decision", "/decision/status"));
}

#[test]
fn a_decision_without_a_finding_gets_one() {
    let text = adjudicate_tests::envelope! { steps: r#"["ship","gate"]"#, };
    let text: Value = serde_json::from_str(text).unwrap();
    let ours = answer(&text, &Value::Null).unwrap();
    let mut theirs = ours.clone();
    theirs["decision"]["status"] = json!("needs_human");
    let both = composed(&text, &[&ours, &theirs], CompositionMode::Restrict);
    assert_eq!(both["decision"]["next_step"], "gate");
    assert_eq!(
        both["findings"],
        json!([{"rule": "decision", "status": "needs_human", "severity": "medium",
            "summary": "`second` decides `needs_human` without a finding that calls for it", "evidence_ref": "",
            "resolution": {"kind": "needs_approval", "hint": "have a human decide"}, "origin": "second"}])
    );
    let envelope = text.to_string();
    let tape = json::read(envelope.as_bytes(), ReadLimits::DOCUMENT).unwrap();
    let envelope = Envelope::from_tape(&tape).unwrap();
    assert_eq!(evaluate(&Judged::new(&envelope, None).unwrap()).findings, []);
}

#[test]
fn the_loop_is_bounded_if_either_policy_calls_for_a_fix() {
    let envelope = |window: Value, refinement: Value| {
        let envelope = adjudicate_tests::envelope! {
            steps: r#"["ship","fix","gate"]"#,
            exit_codes: "{}",
            evidence: r#""required_validators":[]"#,
        };
        let mut envelope: Value = serde_json::from_str(envelope).unwrap();
        envelope["provenance_window"] = window;
        envelope["refinement"] = refinement;
        envelope
    };
    let partial = json!({"step_id": "s", "opcode": "EVALUATE", "status": "partial", "diff_summary": "", "risk_flags": [], "blocker_codes": []});
    let base = r#"{"policy": "base", "version": "1.0.0", "profile": "oa06.1", "review": "optional", "parameters": {"refinement_cap": 2}}"#;
    let other = policy(&[json!({"id": "tidy", "when": true, "then": {"status": "partial", "summary": "s"}})]);
    let other = other.to_string().replace("oa06.1", "oa06");
    let [base, other] = [base, &other].map(|text| Policy::parse(text.as_bytes()).unwrap());
    for (window, spent, status, escalation) in [
        (json!([]), 0, "partial", Value::Null),
        (json!([]), 2, "needs_human", json!("refinement_spent")),
        (json!([partial, partial]), 0, "needs_human", json!("repeated_partial")),
    ] {
        let envelope = envelope(window, json!({"spent": spent})).to_string();
        let answer =
            evaluate_composed(envelope.as_bytes(), &base, &[&other], CompositionMode::Restrict).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(
            (&answer["decision"]["status"], &answer["loop"]["escalation"]["reason"]),
            (&json!(status), &escalation)
        );
    }
}
