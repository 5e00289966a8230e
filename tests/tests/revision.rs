//! Laws of `refine`, for every call that `evaluate` accepts.

use adjudicate_core::{Operation, paths::normalize};
use proptest::{collection::vec, prelude::*};

use crate::{
    json::Json,
    mutation::{config, edited_calls},
};

/// The events in their order.
const EVENTS: [&str; 5] =
    ["review_completed", "evaluate_selected", "refinement_requested", "refinement_spent", "escalated"];
/// The statuses at which a run leaves the loop.
const ESCALATED: [&str; 3] = ["blocked", "needs_human", "unsafe"];
/// The blockers that never count as repeated: those of escalations, and of the rules that report only if nothing else
/// does.
const NEVER_REPEATED: [&str; 7] = [
    "repeated_contradiction",
    "repeated_partial_loop",
    "repeated_blocker",
    "refinement_spent",
    "unchecked",
    "unreviewed",
    "ambiguous_route",
];
/// The largest tested `blocker_repeat`.
const MOST_REPEATS: i64 = 5;

/// A call that fails the same check each time, without a diff.
const FAILING: &str = concat!(
    r#"{"envelope":"#,
    adjudicate_tests::envelope! {
        steps: r#"["fix"]"#,
        exit_codes: r#"{"test":1}"#,
        artifacts: r#"["test.log"]"#,
    },
    "}"
);

proptest! {
    #![proptest_config(config())]

    #[test]
    fn refine_accepts_every_evaluated_call_with_or_without_its_evaluation(call in edited_calls()) {
        if let Some((call, evaluation)) = evaluated(call) {
            let alone = refine(&call);
            prop_assert!(alone.is_ok(), "{:?}", alone);
            prop_assert_eq!(refine(&call.with("evaluation", evaluation)), alone);
        }
    }

    #[test]
    fn a_changed_evaluation_is_refused_at_the_changed_place(
        call in edited_calls(), place in any::<usize>(),
    ) {
        if let Some((call, mut evaluation)) = evaluated(call) {
            let places = evaluation.scalars();
            let place = &places[place % places.len()];
            evaluation.change(place);
            let refused = refine(&call.with("evaluation", evaluation)).expect_err("it was changed");
            prop_assert_eq!(text_at(&refused, &["error", "code"]), Some("invalid_value"));
            prop_assert_eq!(text_at(&refused, &["error", "path"]), Some(place.as_str()));
        }
    }

    #[test]
    fn there_is_a_package_exactly_when_one_is_requested(call in edited_calls()) {
        if let Some((call, evaluation)) = evaluated(call) {
            let answer = refine(&call).expect("it can be evaluated");
            let requested = at(&evaluation, &["loop", "refinement", "requested"]) == &Json::Bool(true);
            let package = at(&answer, &["package"]);
            prop_assert_eq!(package != &Json::Null, requested);
            prop_assert_eq!(at(&answer, &["reason"]) == &Json::Null, requested);
            if requested {
                prop_assert!(!at(package, &["issues"]).items().is_empty());
                let fix = at(&evaluation, &["decision", "fix_instructions"]);
                for member in ["objective", "constraints"] {
                    prop_assert_eq!(at(package, &[member]), at(fix, &[member]));
                }
                // If only a review asks for the fix, the validators that pass must still pass.
                let checks = at(fix, &["verification"]);
                prop_assert!(checks.items().is_empty() || at(package, &["verification"]) == checks);
                let edits = at(package, &["issues"]).items().iter().filter_map(|issue| issue.member("edit"));
                let edits: Vec<_> = edits.collect();
                for edit in at(fix, &["edits"]).items() {
                    prop_assert!(edits.contains(&edit), "{:?} is in no issue", edit);
                }
            }
        }
    }

    #[test]
    fn events_and_patch_agree_with_the_decision(call in edited_calls()) {
        if let Some((call, evaluation)) = evaluated(call) {
            let answer = refine(&call).expect("it can be evaluated");
            let decision = at(&evaluation, &["decision"]);
            let (status, step) = (at(decision, &["status"]), at(decision, &["next_step"]));
            let refinement = at(&evaluation, &["loop", "refinement"]);
            let requested = at(refinement, &["requested"]);
            let word = status.as_text().expect("a status is text");
            let reason = if ESCALATED.contains(&word) { cause(&evaluation, word) } else { Json::Null };

            let event = |name: &str, members: &[(&str, &Json)]| {
                let name = ("event".to_owned(), Json::Text(name.to_owned()));
                let members = members.iter().map(|(key, value)| ((*key).to_owned(), (*value).clone()));
                Json::Object([name].into_iter().chain(members).collect())
            };
            let (spent, cap) = (at(refinement, &["spent"]), at(refinement, &["cap"]));
            let applies = [
                at(&evaluation, &["loop", "review_completed"]) == &Json::Bool(true),
                true,
                requested == &Json::Bool(true),
                is_bounded(&call) && integer(spent) >= integer(cap),
                reason != Json::Null,
            ];
            let expected = [
                event(EVENTS[0], &[]),
                event(EVENTS[1], &[("status", status), ("next_step", step)]),
                event(EVENTS[2], &[]),
                event(EVENTS[3], &[("spent", spent), ("cap", cap)]),
                event(EVENTS[4], &[("status", status), ("reason", &reason)]),
            ];
            let expected = expected.into_iter().zip(applies).filter_map(|(event, applies)| applies.then_some(event));
            prop_assert_eq!(at(&answer, &["events"]), &Json::List(expected.collect()));

            let patch = [
                ("last_decision_status", status.clone()),
                ("selected_step", step.clone()),
                ("refinement_requested", requested.clone()),
                ("awaiting_human", Json::Bool(word == "needs_human")),
                ("blocking_reason", reason),
                ("review_completed", at(&evaluation, &["loop", "review_completed"]).clone()),
                ("refinement", refinement.without("requested")),
            ];
            let patch = patch.into_iter().map(|(name, value)| (name.to_owned(), value));
            prop_assert_eq!(at(&answer, &["status_patch"]), &Json::Object(patch.collect()));

            let next = at(&answer, &["next", "refinement"]);
            prop_assert_eq!(at(next, &["cap"]), cap);
            let more = i64::from(requested == &Json::Bool(true));
            prop_assert_eq!(integer(at(next, &["spent"])), integer(spent).saturating_add(more));
        }
    }

    #[test]
    fn the_next_fields_are_accepted_and_a_repeat_without_change_is_noticed(call in edited_calls()) {
        if let Some((call, _)) = evaluated(call) {
            let answer = refine(&call).expect("it can be evaluated");
            let entry = at(&answer, &["next", "history_entry"]);
            let window = at(&call, &["envelope", "provenance_window"]).items();
            let window = Json::List([window, std::slice::from_ref(entry)].concat());
            let refinement = at(&answer, &["next", "refinement"]).clone();
            for (member, value) in [("provenance_window", window), ("refinement", refinement)] {
                let next = refine(&with_envelope(&call, member, value));
                prop_assert!(next.is_ok(), "{:?}", next);
            }

            let repeats = call.at(&["policy", "parameters", "blocker_repeat"]).map_or(2, integer);
            if repeats <= MOST_REPEATS {
                prop_assert!(notices_the_repeat(&call, entry, repeats), "{:?}", entry);
                // Without failures, the diff decides.
                prop_assert!(notices_the_repeat(&call, &entry.without("failures"), repeats), "{:?}", entry);
            }
        }
    }

    #[test]
    fn a_typed_diff_reads_back_from_the_history(files in vec(file(), 0..6), more in file()) {
        let call = Json::parse(FAILING.as_bytes()).expect("a constant");
        let typed = |files: &[Json]| {
            let diff = Json::Object(vec![("files".to_owned(), Json::List(files.to_vec()))]);
            with_evidence(&call, "diff", diff)
        };
        let now = typed(&files);
        let answer = refine(&now).expect("any path is text");
        let entry = at(&answer, &["next", "history_entry"]).without("failures");
        prop_assert!(notices_the_repeat(&now, &entry, 2), "{:?}", entry);

        let text = at(&entry, &["diff_summary"]).clone();
        let as_text = with_evidence(&call, "workspace_diff_summary", text);
        prop_assert!(notices_the_repeat(&as_text, &entry, 2), "{:?}", entry);

        // One more file is an improvement, unless the file was there before.
        let then = typed(&[files.as_slice(), &[more]].concat());
        let before = mentions(&now);
        let is_new = mentions(&then).iter().any(|mention| !before.contains(mention));
        prop_assert_eq!(notices_the_repeat(&then, &entry, 2), !is_new, "{:?}", entry);
    }
}

/// A changed file or directory with any path.
fn file() -> impl Strategy<Value = Json> {
    let path = || prop_oneof!["[ -~]{0,6}", "[a\"\\\\\t\n\r\u{7f} /.>|é-]{1,6}", ".{1,4}"];
    (path(), path(), any::<bool>(), 0_usize..4, 0_usize..3).prop_map(
        |(path, from, has_from, change, kind)| {
            let change = ["added", "modified", "deleted", "renamed"][change];
            let mut members = vec![("path", path), ("change", change.to_owned())];
            if has_from || change == "renamed" {
                members.push(("from", from));
            }
            if let Some(kind) = ["file", "directory"].get(kind) {
                members.push(("kind", (*kind).to_owned()));
            }
            Json::Object(
                members.into_iter().map(|(key, value)| (key.to_owned(), Json::Text(value))).collect(),
            )
        },
    )
}

/// Paths with their changes, of a typed diff.
fn mentions(call: &Json) -> Vec<(String, String)> {
    let files = at(call, &["envelope", "evidence", "diff", "files"]).items().iter();
    let mention = |file: &Json, name: &str| {
        let path = file.member(name)?.as_text()?;
        Some((normalize(path).into_owned(), text_at(file, &["change"])?.to_owned()))
    };
    files.flat_map(|file| [mention(file, "path"), mention(file, "from")]).flatten().collect()
}

/// Returns whether `refine` reports a repeated blocker after this number of equal entries, or the call has no blocker
/// that counts.
fn notices_the_repeat(call: &Json, entry: &Json, repeats: i64) -> bool {
    let earlier = usize::try_from(repeats - 1).expect("a policy has 2 or more");
    let next = with_envelope(call, "evaluate_history", Json::List(vec![entry.clone(); earlier]));
    let answer = refine(&next).expect("the entry is accepted");
    let blockers = at(&answer, &["next", "history_entry", "blockers"]).items();
    let counts =
        |blocker: &&Json| text_at(blocker, &["code"]).is_some_and(|code| !NEVER_REPEATED.contains(&code));
    let is_repeated =
        at(entry, &["blockers"]).items().iter().filter(counts).any(|one| blockers.contains(one));
    let is_noticed = blockers.iter().any(|blocker| text_at(blocker, &["code"]) == Some("repeated_blocker"));
    is_noticed || !is_repeated
}

/// The call in its wrapper with its evaluation, if it is accepted.
fn evaluated(call: Json) -> Option<(Json, Json)> {
    let is_wrapped = call.member("envelope").is_some();
    let call = if is_wrapped { call } else { Json::Object(vec![("envelope".to_owned(), call)]) };
    let answer = Operation::Evaluate.call(call.to_text().as_bytes()).ok()?;
    Some((call, Json::parse(answer.as_bytes()).expect("an answer is JSON")))
}

/// The answer, or the error as every interface prints it.
fn refine(call: &Json) -> Result<Json, Json> {
    let parse = |text: String| Json::parse(text.as_bytes()).expect("an answer is JSON");
    Operation::Refine.call(call.to_text().as_bytes()).map(parse).map_err(|error| parse(error.to_json()))
}

/// The rule of the first finding that calls for the status and counts.
fn cause(evaluation: &Json, status: &str) -> Json {
    let mut findings = at(evaluation, &["findings"]).items().iter();
    let cause = findings
        .find(|one| text_at(one, &["status"]) == Some(status) && one.member("mode").is_none())
        .expect("a status has a cause");
    at(cause, &["rule"]).clone()
}

fn is_bounded(call: &Json) -> bool {
    text_at(call, &["policy", "profile"]) == Some("oa06.1")
}

fn at<'a>(value: &'a Json, names: &[&str]) -> &'a Json {
    value.at(names).unwrap_or_else(|| panic!("no {names:?} in {value:?}"))
}

fn text_at<'a>(value: &'a Json, names: &[&str]) -> Option<&'a str> {
    value.at(names).and_then(Json::as_text)
}

fn integer(value: &Json) -> i64 {
    match value {
        Json::Integer(value) => *value,
        other => panic!("{other:?} is no integer"),
    }
}

fn with_envelope(call: &Json, name: &str, value: Json) -> Json {
    call.with("envelope", at(call, &["envelope"]).with(name, value))
}

fn with_evidence(call: &Json, name: &str, value: Json) -> Json {
    let evidence = at(call, &["envelope", "evidence"]).with(name, value);
    with_envelope(call, "evidence", evidence)
}
