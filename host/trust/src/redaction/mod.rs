//! Redaction of calls and answers, before they are kept or shared (docs/reference/records.md).
//!
//! `{"x-redacted":true}` replaces each value at which a [`RedactionPattern`] points. Patterns start at the root of the input, at
//! each document in it, and at the root of the answer. So a bare envelope and an envelope in a call are redacted alike.
//!
//! If a value of the input was redacted, the answer keeps only known texts. These are words of the formats, such as `blocked`,
//! whole texts and numbers of the rest of the input, and JSON Pointers of such segments. Texts of less than four bytes stay, too.
//! Messages are redacted, because they may quote a value in any form.
//!
//! Redaction cannot fail: if a document cannot be parsed, its content is unknown, and it is not kept.

mod copy;
mod known;
mod pattern;
mod places;

use std::collections::BTreeSet;

use adjudicate_core::{
    Error, Operation,
    document::MOST_ERRORS,
    json::{self, Pointer, ReadLimits, Tape},
};

pub use copy::without_member;
pub use known::KnownTexts;
pub use pattern::RedactionPattern;

use copy::{Copy, MARKER};
use pattern::Trail;

/// A redacted document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redacted {
    /// The text; `None` if it cannot be kept. Unchanged byte for byte if nothing was redacted.
    pub text: Option<String>,
    /// The number of redacted values.
    pub count: u64,
}

/// Redacts an input. If a value was redacted, also returns the texts of an answer that stay.
///
/// Patterns start at the root of the input. In a call, they also start at each field and at each item of a list in a field: the
/// documents of the call. A bare envelope is redacted like the same envelope in a call, so the result does not depend on the form
/// that the caller sends. `tape` is the result of [`Operation::read`] for the text.
///
/// ```
/// use adjudicate_core::Operation;
/// use adjudicate_trust::redaction::{self, RedactionPattern};
/// let patterns = [RedactionPattern::parse("/note")?];
/// let text = br#"{"note":"tok-1"}"#;
/// let (input, known) = redaction::input(Operation::Deliberate, text, Operation::Deliberate.read(text).as_ref(), &patterns);
/// assert_eq!(input.text.as_deref(), Some(r#"{"note":{"x-redacted":true}}"#));
/// let answer = redaction::answer(r#"["see tok-1"]"#, &patterns, known.as_ref());
/// assert_eq!(answer.text.as_deref(), Some(r#"[{"x-redacted":true}]"#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn input(
    operation: Operation,
    text: &[u8],
    tape: Result<&Tape<'_>, &Error>,
    patterns: &[RedactionPattern],
) -> (Redacted, Option<KnownTexts>) {
    if patterns.is_empty() {
        let text = str::from_utf8(text).ok().map(str::to_owned);
        return (Redacted { text, count: 0 }, None);
    }
    // An input that cannot be parsed has no paths.
    let Ok(tape) = tape else { return Default::default() };
    let Copy { out, count, kept, removed, .. } = copied(operation, tape, patterns);
    if count == 0 {
        return (Redacted { text: Some(tape.text().to_owned()), count }, None);
    }
    (Redacted { text: Some(out), count }, Some(KnownTexts::new(kept, removed)))
}

/// Returns the copy of an input without the redacted values.
fn copied(operation: Operation, tape: &Tape<'_>, patterns: &[RedactionPattern]) -> Copy<'static> {
    let root = Trail::new(patterns);
    let envelope = operation.is_bare().then(|| operation.documents().first()).flatten();
    let bare = envelope.filter(|name| tape.root().member(name).is_none());
    let mut copy = Copy::new(bare.is_none() && operation.input().ends_with("-call"), None);
    let start = bare.map_or(root.clone(), |name| root.step(name).again());
    copy.value(tape.root(), &start, 0);
    copy
}

/// Redacts an answer by the patterns. If a value of the input was redacted, only known texts stay.
#[must_use]
pub fn answer(text: &str, patterns: &[RedactionPattern], known: Option<&KnownTexts>) -> Redacted {
    if patterns.is_empty() {
        return Redacted { text: Some(text.to_owned()), count: 0 };
    }
    let Ok(tape) = json::read(text.as_bytes(), ReadLimits::ANSWER) else { return Redacted::default() };
    let mut copy = Copy::new(false, known);
    copy.value(tape.root(), &Trail::new(patterns), 0);
    let kept = if copy.count == 0 { text.to_owned() } else { copy.out };
    Redacted { text: Some(kept), count: copy.count }
}

/// A call and its answer without the redacted values.
#[derive(Clone, Debug)]
pub struct RedactedCall {
    /// The complete input of the call.
    pub call: String,
    /// The answer.
    pub answer: String,
    /// The number of redacted values.
    pub count: u64,
    /// JSON Pointers of values of the call that still quote a value that was redacted in the answer: the first ten.
    pub quotes: Vec<String>,
}

/// Redacts a complete call and its answer. If a pattern matches a value of either, the answer keeps only known texts, as in a record.
/// Returns `None` if one of them cannot be parsed.
///
/// ```
/// use adjudicate_core::Operation;
/// use adjudicate_trust::redaction::{RedactionPattern, redacted_call};
/// let (call, answer) = (r#"{"note":"tok-1"}"#, r#"["see tok-1","it: see tok-1"]"#);
/// let of_call = redacted_call(Operation::Deliberate, call, answer, &[RedactionPattern::parse("/note")?]).unwrap();
/// assert_eq!((of_call.call.as_str(), of_call.count), (r#"{"note":{"x-redacted":true}}"#, 3));
/// let of_answer = redacted_call(Operation::Deliberate, call, answer, &[RedactionPattern::parse("/0")?]).unwrap();
/// assert_eq!(of_answer.answer, r#"[{"x-redacted":true},{"x-redacted":true}]"#);
/// assert_eq!((of_answer.call.as_str(), of_answer.quotes.len()), (call, 0));
/// let call = r#"{"note":"I see tok-1"}"#;
/// let quoted = redacted_call(Operation::Deliberate, call, answer, &[RedactionPattern::parse("/0")?]).unwrap();
/// assert_eq!(quoted.quotes, ["/note"]);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn redacted_call(
    operation: Operation,
    call: &str,
    given: &str,
    patterns: &[RedactionPattern],
) -> Option<RedactedCall> {
    let tape = operation.read(call.as_bytes()).ok()?;
    let Copy { out, count, kept, mut removed, .. } = copied(operation, &tape, patterns);
    let given_tape = json::read(given.as_bytes(), ReadLimits::ANSWER).ok()?;
    let mut of_answer = Copy::new(false, None);
    of_answer.value(given_tape.root(), &Trail::new(patterns), 0);
    removed.extend(of_answer.removed.iter().cloned());
    let redacted = KnownTexts::new(BTreeSet::new(), of_answer.removed);
    let mut quotes = Vec::new();
    if !redacted.is_empty() {
        let shared = json::read(out.as_bytes(), ReadLimits::ANSWER).ok()?;
        redacted.places(shared.root(), &Pointer::new(""), MOST_ERRORS, &mut quotes);
    }
    let known = (count > 0 || !redacted.is_empty()).then(|| KnownTexts::new(kept, removed));
    let answer = answer(given, patterns, known.as_ref());
    Some(RedactedCall { call: out, answer: answer.text?, count: count + answer.count, quotes })
}

/// Redacts an error, `{"error": ...}`. With patterns, only the code is kept, because the message may quote the input.
#[must_use]
pub fn error(text: &str, code: &str, patterns: &[RedactionPattern]) -> Redacted {
    if patterns.is_empty() {
        return Redacted { text: Some(text.to_owned()), count: 0 };
    }
    let text = format!(r#"{{"error":{{"code":{},"message":{MARKER},"path":{MARKER}}}}}"#, json::write(&code));
    Redacted { text: Some(text), count: 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(texts: &[&str]) -> Vec<RedactionPattern> {
        texts.iter().map(|text| RedactionPattern::parse(text).unwrap()).collect()
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
    fn only_known_texts_stay_in_the_answer_of_a_redacted_call() {
        let call = r#"{"secret":{"ci/acme":0,"tokens":["tok-1","tok-1-long","ab"],"number":8.4e4,"status":"success"},
            "id":"case-17","path":"keys/tok-1","limit":5000,"x-redacted-2":0}"#;
        let patterns = patterns(&["/secret", "/plain"]);
        let tape = Operation::Deliberate.read(call.as_bytes());
        let (_, known) = input(Operation::Deliberate, call.as_bytes(), tape.as_ref(), &patterns);
        let is_kept = |text: &str| answer(text, &patterns, known.as_ref()).count == 0;
        for text in
            [r#""success""#, r#""case-17""#, "5000", "999", "true", "null", r#""ab""#, r#""/evidence/id/17""#]
        {
            assert!(is_kept(text), "{text}");
        }
        for text in [
            "/evidence/1700",
            "/evidence/ci~1acme",
            "case-17!",
            "step 1: add a flag",
            "keys/tok-1",
            "caf\\303\\251",
        ] {
            assert!(!is_kept(&json::write(&text)), "{text}");
        }
        assert!(!is_kept("84000") && !is_kept("84000.0") && !is_kept("5001"));

        let text =
            r#"{"decision":{"status":"success"},"id":"see tok-1!","x tok-1":"tok-1","x-redacted-2":999}"#;
        let expected =
            r#"{"decision":{"status":"success"},"id":MARK,"x-redacted-2":MARK,"x-redacted-4":999}"#
                .replace("MARK", MARKER);
        let redacted = answer(text, &patterns, known.as_ref());
        assert_eq!(redacted, Redacted { text: Some(expected), count: 4 });
        assert_eq!(answer("{no json", &patterns, known.as_ref()).text, None);
        // Without a redacted value in the input, only the patterns count.
        assert_eq!(answer(r#"{"plain":1,"other":"tok-1"}"#, &patterns, None).count, 1);
        let redacted = error(r#"{"error":{"code":"c","message":"tok-1","path":""}}"#, "c", &patterns);
        assert_eq!(
            redacted.text.as_deref(),
            Some(r#"{"error":{"code":"c","message":{"x-redacted":true},"path":{"x-redacted":true}}}"#)
        );
    }

    #[test]
    fn a_crafted_text_costs_little() {
        for part in ["\\u005c", "\\\\", "a", "a...", "\u{5c}u{"] {
            let text = part.repeat(1_000_000 / part.len());
            let call = json::write(&std::collections::BTreeMap::from([("secret", &text), ("other", &text)]));
            let tape = Operation::Deliberate.read(call.as_bytes());
            let patterns = patterns(&["/secret"]);
            let (_, known) = input(Operation::Deliberate, call.as_bytes(), tape.as_ref(), &patterns);
            assert_eq!(answer(&json::write(&[&text; 3]), &patterns, known.as_ref()).count, 3);
        }
    }
}
