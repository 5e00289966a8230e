//! Laws of every accepted call, with any content.

use adjudicate_core::{
    Operation,
    json::{self, ReadLimits},
};
use adjudicate_tests::text;
use proptest::{collection::vec, prelude::*, strategy::ValueTree as _};

use crate::{
    json::Json,
    mutation::{calls, config, edited_calls, shuffled},
};

/// The statuses, least severe first (docs/reference/rules.md).
const STATUSES: [&str; 5] = ["success", "partial", "blocked", "needs_human", "unsafe"];
/// The severities of blockers, most severe first.
const SEVERITIES: [&str; 3] = ["high", "medium", "low"];
/// The operations that take an envelope in a wrapper, with or without a policy.
const JUDGING: [Operation; 3] = [Operation::Evaluate, Operation::Refine, Operation::Explain];
/// Objects whose keys are data, so they have no `x-` fields.
const OBJECTS_OF_DATA: [&str; 3] = ["exit_codes", "steps", "trees"];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_same_call_gets_the_same_answer(call in edited_calls()) {
        let text = call.to_text();
        prop_assert_eq!(answer(&text), answer(&text));
    }

    #[test]
    fn the_order_of_members_changes_nothing(call in edited_calls(), keys in vec(any::<usize>(), 1..64)) {
        if let Ok(before) = answer(&call.to_text()) {
            prop_assert_eq!(answer(&shuffled(call, &keys).to_text()), Ok(before));
        }
    }

    #[test]
    fn white_space_between_tokens_changes_nothing(call in edited_calls()) {
        let dense = text::compact(&call.to_text());
        if let Ok(before) = answer(&dense) {
            prop_assert_eq!(answer(&text::pretty(&dense)), Ok(before));
        }
    }

    #[test]
    fn members_that_begin_with_x_change_nothing(mut call in edited_calls(), extension in calls()) {
        // The `inputs` of a policy declare these fields, and are themselves a schema.
        prop_assume!(call.at(&["policy", "inputs"]).is_none());
        if let Ok(before) = answer(&call.to_text()) {
            call.walk_mut("", &mut |name, value| match value {
                Json::Object(members) if !OBJECTS_OF_DATA.contains(&name) => {
                    members.push(("x-law".to_owned(), extension.clone()));
                }
                _ => {}
            });
            prop_assert_eq!(answer(&call.to_text()), Ok(before));
        }
    }

    #[test]
    fn a_decision_follows_from_its_findings(call in edited_calls()) {
        if let Ok(text) = answer(&call.to_text()) {
            let answer = parse(&text);
            let called_for = statuses_called_for(&answer);
            let most_severe = called_for.iter().copied().max().unwrap_or_default();
            prop_assert_eq!(status(&answer), most_severe);

            let has = |status: &str| called_for.contains(&rank(status));
            let fixes = answer.at(&["decision", "fix_instructions"]) != Some(&Json::Null);
            prop_assert_eq!(fixes, has("partial") && !has("blocked") && !has("unsafe"));
        }
    }

    #[test]
    fn the_next_step_is_an_allowed_one_or_null(call in edited_calls()) {
        if let Ok(text) = answer(&call.to_text()) {
            let answer = parse(&text);
            let step = answer.at(&["decision", "next_step"]).expect("a decision has a next step");
            let allowed = envelope(&call).member("allowed_next_steps").expect("a call that is accepted has it");
            prop_assert!(*step == Json::Null || allowed.items().contains(step), "{:?}", step);
        }
    }

    #[test]
    fn the_engine_keeps_the_contracts_that_it_holds_modules_to(call in edited_calls()) {
        let call = wrapped(call).to_text();
        for operation in JUDGING {
            if let Ok(answer) = operation.call(call.as_bytes()) {
                let call = operation.read(call.as_bytes()).expect("what has an answer is JSON");
                let limits = ReadLimits::ANSWER;
                let answer = json::read(answer.as_bytes(), limits).expect("an answer is JSON");
                prop_assert_eq!(operation.check_answer(call.root(), answer.root()), Ok(()));
            }
        }
    }

    #[test]
    fn evaluate_refine_and_explain_agree_on_every_call(call in edited_calls()) {
        let call = wrapped(call).to_text();
        let [evaluated, refined, explained] = JUDGING.map(|operation| operation.call(call.as_bytes()));
        match (evaluated, refined, explained) {
            (Ok(evaluation), Ok(revision), Ok(explanation)) => {
                let [evaluation, revision, explanation] =
                    [&evaluation, &revision, &explanation].map(|answer| parse(answer));
                prop_assert_eq!(explanation.member("evaluation"), Some(&evaluation));
                let status = evaluation.at(&["decision", "status"]);
                prop_assert_eq!(revision.at(&["status_patch", "last_decision_status"]), status);
            }
            (Err(error), Err(of_refine), Err(of_explain)) => {
                prop_assert_eq!(&error, &of_refine);
                prop_assert_eq!(&error, &of_explain);
            }
            answers => prop_assert!(false, "{:?}", answers),
        }
    }

    #[test]
    fn lists_of_a_decision_are_in_their_documented_order(call in edited_calls()) {
        if let Ok(text) = answer(&call.to_text()) {
            let answer = parse(&text);
            let flags = texts(answer.at(&["decision", "risk_flags"]), None);
            prop_assert!(flags.is_sorted_by(|a, b| a < b), "{:?}", flags);
            let blockers = answer.at(&["decision", "blockers"]);
            let ranks: Vec<_> = texts(blockers, Some("severity")).into_iter().map(severity_rank)
                .zip(texts(blockers, Some("code"))).collect();
            prop_assert!(ranks.is_sorted(), "{:?}", ranks);
        }
    }

    #[test]
    fn a_policy_event_never_makes_a_decision_less_severe(call in edited_calls()) {
        // A rule of a policy may require that there is no event.
        let call = without_rules(call);
        if let Ok(before) = answer(&call.to_text()) {
            for (event, at_least) in [
                ("forbidden_operation:force-push", "unsafe"),
                ("a_class_that_nobody_knows", "unsafe"),
                ("approval_required:a-law-of-the-tests", "needs_human"),
                ("warning:disk is nearly full", "success"),
                ("info:cache was warm", "success"),
            ] {
                let after = answer(&with_event(call.clone(), event).to_text()).expect("an event is text");
                let floor = status(&parse(&before)).max(rank(at_least));
                prop_assert!(status(&parse(&after)) >= floor, "{} after {}", after, event);
            }
        }
    }
}

/// Most laws hold trivially for refused calls, so enough calls must be accepted.
#[test]
fn enough_edited_calls_are_accepted() {
    let mut runner = proptest::test_runner::TestRunner::new(config());
    let drawn = 200;
    let accepted = (0..drawn).filter(|_| {
        let tree = edited_calls().new_tree(&mut runner).expect("the strategy rejects nothing");
        answer(&tree.current().to_text()).is_ok()
    });
    let count = accepted.count();
    assert!(count * 4 >= drawn, "only {count} of {drawn} are accepted");
}

/// The answer, or the error as text.
fn answer(call: &str) -> Result<String, String> {
    Operation::Evaluate.call(call.as_bytes()).map_err(|error| error.to_json())
}

fn parse(answer: &str) -> Json {
    Json::parse(answer.as_bytes()).expect("an answer is JSON")
}

/// The call with its envelope in the field `envelope`.
fn wrapped(call: Json) -> Json {
    if call.member("envelope").is_some() {
        return call;
    }
    Json::Object(vec![("envelope".to_owned(), call)])
}

/// The envelope of a call: its field `envelope`, or the call itself.
fn envelope(call: &Json) -> &Json {
    call.member("envelope").unwrap_or(call)
}

/// The call without the rules of its policy.
fn without_rules(mut call: Json) -> Json {
    if let Some(Json::Object(policy)) = call.member_mut("policy") {
        policy.retain(|(name, _)| name != "rules");
    }
    call
}

fn with_event(mut call: Json, event: &str) -> Json {
    let wrapped = call.member("envelope").is_some();
    let envelope = if wrapped { call.member_mut("envelope") } else { Some(&mut call) };
    let evidence = envelope.and_then(|envelope| envelope.member_mut("evidence"));
    match evidence.and_then(|evidence| evidence.member_mut("policy_events")) {
        Some(Json::List(events)) => events.push(Json::Text(event.to_owned())),
        other => panic!("a call that is accepted has a list of events, not {other:?}"),
    }
    call
}

/// The severity of the decision.
fn status(answer: &Json) -> usize {
    rank(answer.at(&["decision", "status"]).and_then(Json::as_text).expect("a decision has a status"))
}

/// The statuses of the findings that count. Monitored findings do not count.
fn statuses_called_for(answer: &Json) -> Vec<usize> {
    let findings = answer.member("findings").expect("an answer has findings").items().iter();
    let counted = findings.filter(|finding| finding.member("mode").is_none());
    counted.map(|finding| rank(finding.member("status").and_then(Json::as_text).expect("a status"))).collect()
}

fn rank(status: &str) -> usize {
    STATUSES.iter().position(|known| *known == status).unwrap_or_else(|| panic!("`{status}` is a status"))
}

fn severity_rank(severity: &str) -> usize {
    SEVERITIES
        .iter()
        .position(|known| *known == severity)
        .unwrap_or_else(|| panic!("`{severity}` is a severity"))
}

/// The texts of a list, or of one field of each of its objects.
fn texts<'a>(list: Option<&'a Json>, member: Option<&str>) -> Vec<&'a str> {
    let items = list.expect("the list is there").items().iter();
    items
        .map(|item| {
            member.map_or(Some(item), |name| item.member(name)).and_then(Json::as_text).expect("a text")
        })
        .collect()
}
