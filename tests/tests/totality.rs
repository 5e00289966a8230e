//! Every input gets an answer or an error from every operation, and never a panic.

use std::sync::OnceLock;

use adjudicate_core::{Error, Operation, Policy, call_input, codes};
use adjudicate_tests::Fixture;
use proptest::{collection::vec, prelude::*, sample::Index};

use crate::{
    json::Json,
    mutation::{accepted, accepted_by, config},
};

/// Words for random documents: those that the engine looks for.
const WORDS: [&str; 35] = [
    "envelope",
    "policy",
    "evaluation",
    "decision",
    "loop",
    "run_id",
    "workflow_id",
    "step_id",
    "evaluate_prompt",
    "p.v1",
    "allowed_next_steps",
    "provenance_window",
    "evidence",
    "transcript_summary",
    "workspace_diff_summary",
    "validation",
    "mechanical_outcome",
    "completed",
    "exit_codes",
    "timeouts",
    "artifacts",
    "policy_events",
    "harness_report",
    "trace",
    "version",
    "rules",
    "id",
    "when",
    "var",
    "facts.failures",
    "then",
    "x-note",
    "status",
    "partial",
    "**/{a,b}",
];

/// Tokens and bytes that often break readers of JSON.
const FRAGMENTS: [&[u8]; 16] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b",",
    b":",
    b"\\ud800",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\0",
    b"1e999",
    b"-",
    b"NaN",
    b"\n",
];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn arbitrary_bytes_are_answered(bytes in vec(any::<u8>(), 0..512)) {
        check(&bytes)?;
    }

    #[test]
    fn tokens_in_any_order_are_answered(fragments in vec(any::<Index>(), 0..64)) {
        let bytes: Vec<u8> = fragments.iter().flat_map(|index| index.get(&FRAGMENTS).iter().copied()).collect();
        check(&bytes)?;
    }

    #[test]
    fn damaged_calls_are_answered(fixture in any::<Index>(), damage in damage()) {
        check(&damaged(&fixture.get(all_accepted()).call, damage))?;
    }

    #[test]
    fn cut_calls_are_refused(fixture in any::<Index>(), place in any::<Index>()) {
        let call = fixture.get(all_accepted()).call.trim_ascii_end();
        let cut = &call[..place.index(call.len())];
        for error in check(cut)? {
            prop_assert_eq!(error.map(|error| error.code()), Some(codes::MALFORMED_JSON));
        }
    }

    #[test]
    fn arbitrary_json_is_answered(document in documents()) {
        check(document.to_text().as_bytes())?;
    }

    #[test]
    fn arbitrary_policies_are_answered(policy in documents(), fixture in any::<Index>()) {
        let policy = policy.to_text();
        if let Err(error) = Policy::parse(policy.as_bytes()) {
            check_error(&error)?;
        }
        let envelope = fixture.get(accepted());
        if let Ok(input) = call_input(&envelope.call, Some(policy.as_bytes())) {
            check(input.as_bytes())?;
        }
    }
}

/// The places of replaced bytes, the fragment for each, and their number.
pub(crate) fn damage() -> impl Strategy<Value = Vec<(Index, Index, usize)>> {
    vec((any::<Index>(), any::<Index>(), 0_usize..32), 1..8)
}

/// The call with fragments in place of some of its bytes.
pub(crate) fn damaged(call: &[u8], damage: Vec<(Index, Index, usize)>) -> Vec<u8> {
    let mut bytes = call.to_vec();
    for (place, fragment, cut) in damage {
        let start = place.index(bytes.len() + 1);
        let end = (start + cut).min(bytes.len());
        bytes.splice(start..end, fragment.get(&FRAGMENTS).iter().copied());
    }
    bytes
}

/// The fixtures of every operation that the operation accepts.
pub(crate) fn all_accepted() -> &'static [Fixture] {
    static ALL: OnceLock<Vec<Fixture>> = OnceLock::new();
    ALL.get_or_init(|| Operation::ALL.iter().flat_map(|operation| accepted_by(*operation)).collect())
}

/// Calls every operation. An answer must be JSON, and an error must have a pointer. Returns the errors.
fn check(input: &[u8]) -> Result<Vec<Option<Error>>, TestCaseError> {
    let answers = Operation::ALL.iter().map(|operation| operation.call(input));
    answers
        .map(|answer| match answer {
            Ok(answer) => {
                prop_assert!(Json::parse(answer.as_bytes()).is_some(), "{}", answer);
                Ok(None)
            }
            Err(error) => {
                check_error(&error)?;
                Ok(Some(error))
            }
        })
        .collect()
}

fn check_error(error: &Error) -> Result<(), TestCaseError> {
    let message = error.message();
    prop_assert!(error.path().is_empty() || error.path().starts_with('/'), "{}", error);
    prop_assert!(!message.is_empty() && !message.ends_with('.'), "{}", error);
    prop_assert!(!message.contains("::"), "a Rust path in `{}`", error);
    prop_assert!(!error.code().as_str().starts_with("module_"), "{}", error);
    let json = Json::parse(error.to_json().as_bytes());
    let code = json.as_ref().and_then(|json| json.at(&["error", "code"])).and_then(Json::as_text);
    prop_assert_eq!(code, Some(error.code().as_str()));
    Ok(())
}

/// Any JSON, made of the words that the engine looks for.
pub(crate) fn documents() -> impl Strategy<Value = Json> {
    let word = || any::<Index>().prop_map(|index| (*index.get(&WORDS)).to_owned());
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::Integer),
        any::<f64>()
            .prop_filter("JSON has finite numbers only", |value| value.is_finite())
            .prop_map(Json::Number),
        word().prop_map(Json::Text),
        ".{0,12}".prop_map(Json::Text),
    ];
    leaf.prop_recursive(6, 96, 12, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Json::List),
            vec((word(), inner), 0..12).prop_map(Json::Object),
        ]
    })
}
