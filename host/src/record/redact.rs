//! Redaction of documents, before they are queued, hashed or written.
//!
//! Redaction cannot fail: if a document cannot be parsed, its content is unknown, and it is not kept.

use adjudicate_core::{
    Error, Operation,
    json::{self, Limits, Tape},
};

use super::{
    copy::{Copy, MARKER},
    pattern::{Pattern, Trail},
    removed::Removed,
};

/// A redacted document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Redacted {
    /// The text; `None` if it cannot be kept. Unchanged byte for byte if nothing was redacted.
    pub(super) text: Option<String>,
    /// The number of redacted values.
    pub(super) count: u64,
}

/// Redacts an input. Also returns the redacted texts.
///
/// Patterns start at the root of the input. In a call, they also start at each field and at each item of a list in a field: the
/// documents of the call. A bare envelope is redacted like the same envelope in a call, so the result does not depend on the form
/// that the caller sends.
pub(super) fn input(
    operation: Operation,
    text: &[u8],
    tape: Result<&Tape<'_>, &Error>,
    patterns: &[Pattern],
) -> (Redacted, Removed) {
    if patterns.is_empty() {
        let text = str::from_utf8(text).ok().map(str::to_owned);
        return (Redacted { text, count: 0 }, Removed::default());
    }
    // An input that cannot be parsed has no paths.
    let Ok(tape) = tape else { return Default::default() };
    let root = Trail::new(patterns);
    let envelope = operation.is_bare().then(|| operation.documents().first()).flatten();
    let bare = envelope.filter(|name| tape.root().member(name).is_none());
    let mut copy = Copy::new(bare.is_none() && operation.input().ends_with("-call"));
    let start = bare.map_or(root.clone(), |name| root.step(name).again());
    copy.value(tape.root(), &start, &mut Vec::new());
    let count = copy.count;
    let kept = if count == 0 { tape.text().to_owned() } else { copy.out };
    (Redacted { text: Some(kept), count }, Removed::new(copy.removed))
}

/// Redacts an answer by the patterns and by the texts that were redacted in the input.
pub(super) fn answer(text: &str, patterns: &[Pattern], removed: &Removed) -> Redacted {
    if patterns.is_empty() {
        return Redacted { text: Some(text.to_owned()), count: 0 };
    }
    let Ok(tape) = json::read(text.as_bytes(), Limits::ANSWER) else { return Redacted::default() };
    let mut copy = Copy { echoes: Some(removed), ..Copy::new(false) };
    copy.value(tape.root(), &Trail::new(patterns), &mut Vec::new());
    let kept = if copy.count == 0 { text.to_owned() } else { copy.out };
    Redacted { text: Some(kept), count: copy.count }
}

/// Redacts an error, `{"error": ...}`. With patterns, only the code is kept, because the message may quote the input.
pub(super) fn error(text: &str, code: &str, patterns: &[Pattern]) -> Redacted {
    if patterns.is_empty() {
        return Redacted { text: Some(text.to_owned()), count: 0 };
    }
    let text = format!(r#"{{"error":{{"code":{},"message":{MARKER},"path":{MARKER}}}}}"#, json::write(&code));
    Redacted { text: Some(text), count: 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(texts: &[&str]) -> Vec<Pattern> {
        texts.iter().map(|text| Pattern::parse(text).unwrap()).collect()
    }

    fn redacted(operation: Operation, text: &str, given: &[&str]) -> (Option<String>, u64) {
        let tape = operation.read(text.as_bytes());
        let (redacted, _) = input(operation, text.as_bytes(), tape.as_ref(), &patterns(given));
        (redacted.text, redacted.count)
    }

    #[test]
    fn matching_values_are_redacted_and_the_rest_is_unchanged() {
        let text = r#"{ "b": [1.50, {"email": "a@b"}], "a": {"email": ["x"]}, "é\n": 1e5 }"#;
        for (given, expected, count) in [
            (&["/nothing"][..], text, 0),
            (&["/a"], r#"{"b":[1.50,{"email":"a@b"}],"a":{"x-redacted":true},"é\n":1e5}"#, 1),
            (
                &["/**/email"],
                r#"{"b":[1.50,{"email":{"x-redacted":true}}],"a":{"email":{"x-redacted":true}},"é\n":1e5}"#,
                2,
            ),
            (&["/b/*", "/b"], r#"{"b":{"x-redacted":true},"a":{"email":["x"]},"é\n":1e5}"#, 1),
            (
                &["/b/0", "/b/00"],
                r#"{"b":[{"x-redacted":true},{"email":"a@b"}],"a":{"email":["x"]},"é\n":1e5}"#,
                1,
            ),
            (&["/**"], MARKER, 1),
        ] {
            assert_eq!(
                redacted(Operation::Deliberate, text, given),
                (Some(expected.to_owned()), count),
                "{given:?}"
            );
        }
    }

    #[test]
    fn a_bare_envelope_is_redacted_like_one_in_a_call() {
        for given in ["/evidence/x", "/envelope/evidence/x"] {
            let (bare, _) = redacted(Operation::Evaluate, r#"{"evidence":{"x":1}}"#, &[given]);
            assert_eq!(bare.as_deref(), Some(r#"{"evidence":{"x":{"x-redacted":true}}}"#), "{given}");
            let call = r#"{"envelope":{"evidence":{"x":1}},"policy":null}"#;
            let (call, _) = redacted(Operation::Evaluate, call, &[given]);
            let expected = r#"{"envelope":{"evidence":{"x":{"x-redacted":true}}},"policy":null}"#;
            assert_eq!(call.as_deref(), Some(expected), "{given}");
        }
        let (policy, _) = redacted(Operation::CheckPolicy, r#"{"policy":{"tests":[1]}}"#, &["/tests"]);
        assert_eq!(policy.as_deref(), Some(r#"{"policy":{"tests":{"x-redacted":true}}}"#));
    }

    #[test]
    fn answers_do_not_reveal_parts_of_a_redacted_text() {
        let summary = r#" keys/{old => new}/a.pem | 2 +-\n \"caf\\303\\251.txt\" | 1 +\n 2 files changed"#;
        let call = format!(
            r#"{{"evidence":{{"workspace_diff_summary":"{summary}","policy_events":["approval_required:deploy"],"path":"./x//y.pem"}}}}"#
        );
        let patterns = patterns(&["/**/workspace_diff_summary", "/**/policy_events", "/**/path"]);
        let tape = Operation::Evaluate.read(call.as_bytes());
        let (_, removed) = input(Operation::Evaluate, call.as_bytes(), tape.as_ref(), &patterns);
        for (told, is_kept) in [
            ("`keys/new/a.pem` changed", false),
            ("keys/old/a.pem", false),
            ("café.txt", false),
            ("`deploy` needs an approval", false),
            ("`x/y.pem` is under a forbidden path", false),
            ("2 of 5 changed files", true),
        ] {
            let Redacted { text, count } = answer(&json::write(&told), &patterns, &removed);
            assert_eq!((count == 0, text.unwrap().contains(told)), (is_kept, is_kept), "{told}");
        }
    }

    #[test]
    fn answers_do_not_reveal_other_forms_of_a_redacted_text() {
        let call = r#"{"secret":{"ci/acme":0,"quoted":"say \"hi\"","steps":"- add a flag\n- ship it","long":"a text of more than a few words"}}"#;
        let patterns = patterns(&["/secret"]);
        let tape = Operation::Deliberate.read(call.as_bytes());
        let (_, removed) = input(Operation::Deliberate, call.as_bytes(), tape.as_ref(), &patterns);
        for told in [
            "/evidence/validation/exit_codes/ci~1acme",
            r#"the text `say \"hi\"`"#,
            r#"{\"a\":\"say \\\"hi\\\"\"}"#,
            r"\u0063i\/acme",
            "step 1: add a flag",
            "`a text of more...` is not a number",
            r"`say \u...`",
        ] {
            assert_eq!(answer(&json::write(&told), &patterns, &removed).count, 1, "{told}");
        }
        for told in ["the text `say` is short", "a test...", "ci~acme", r"\n\u{110000}\q\"] {
            assert_eq!(answer(&json::write(&told), &patterns, &removed).count, 0, "{told}");
        }
    }

    #[test]
    fn patterns_start_at_the_documents_of_each_call() {
        let (task, count) = redacted(
            Operation::ValidatePlan,
            r#"{"task":{"objective":"o"},"capabilities":[{"capabilityId":"c"}]}"#,
            &["/objective", "/capabilityId"],
        );
        let marked = r#"{"task":{"objective":MARK},"capabilities":[{"capabilityId":MARK}]}"#;
        assert_eq!((task, count), (Some(marked.replace("MARK", MARKER)), 2));
        let (output, _) = redacted(Operation::ObserveOutput, r#"{"output":{"score":40123}}"#, &["/score"]);
        assert_eq!(output, Some(r#"{"output":{"score":MARK}}"#.replace("MARK", MARKER)));
        // A ledger is itself the document.
        assert_eq!(redacted(Operation::Deliberate, r#"{"limits":{"turns":1}}"#, &["/turns"]).1, 0);
    }

    #[test]
    fn malformed_inputs_are_kept_only_without_patterns() {
        assert_eq!(redacted(Operation::Evaluate, "{secret", &["/x"]), (None, 0));
        assert_eq!(redacted(Operation::Evaluate, "{secret", &[]), (Some("{secret".to_owned()), 0));
    }

    #[test]
    fn answers_do_not_reveal_redacted_texts() {
        let call = r#"{"secret":{"tokens":["tok-1","tok-1-long","ab"],"number":40123,"status":"success","key-9":0}}"#;
        let patterns = patterns(&["/secret", "/plain"]);
        let tape = Operation::Deliberate.read(call.as_bytes());
        let (_, removed) = input(Operation::Deliberate, call.as_bytes(), tape.as_ref(), &patterns);
        let text = r#"{"decision":{"status":"success"},"a":"see tok-1!","b":"ab","c":40123,"d":"tok-","x tok-1":"key-9"}"#;
        let marker = MARKER;
        let expected = format!(
            r#"{{"decision":{{"status":"success"}},"a":{marker},"b":"ab","c":{marker},"d":"tok-","x-redacted-3":{marker}}}"#
        );
        assert_eq!(answer(text, &patterns, &removed), Redacted { text: Some(expected), count: 4 });
        assert_eq!(answer("{no json", &patterns, &removed).text, None);
        let told = error(r#"{"error":{"code":"c","message":"tok-1","path":""}}"#, "c", &patterns);
        assert_eq!(
            told.text.as_deref(),
            Some(r#"{"error":{"code":"c","message":{"x-redacted":true},"path":{"x-redacted":true}}}"#)
        );
    }
}
