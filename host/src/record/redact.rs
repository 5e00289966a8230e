//! Taking things out of documents before anything is written, queued or hashed into a record.
//!
//! Nothing here fails: what cannot be read is not kept, for nobody knows what is in it.

use std::collections::BTreeSet;

use adjudicate_core::{
    Error, Operation,
    json::{self, Kind, Limits, Node, Tape},
};

use super::pattern::{Pattern, Trail};

/// What stands where something was taken out. No value of an envelope looks so, and it tells nothing: not even whether two values
/// were the same.
pub(super) const MARKER: &str = r#"{"x-redacted":true}"#;

/// Texts shorter than this are not looked for in answers: they are in every one.
const SHORTEST_ECHO: usize = 4;

/// Words of the envelope's own: names of its members and the words that these may have. Whoever takes out an object with a member
/// `status` does not mean that word. Sorted.
const WORDS: [&str; 118] = [
    "EVALUATE",
    "GATE",
    "ROLLBACK",
    "RUN_AGENT",
    "RUN_VALIDATION",
    "STOP",
    "added",
    "agent",
    "allowed_next_steps",
    "approvals",
    "area",
    "artifact",
    "artifact_ref",
    "artifacts",
    "blocked",
    "blocker_codes",
    "blockers",
    "cases",
    "change",
    "claims",
    "code",
    "completed",
    "critical",
    "debug",
    "deleted",
    "deletions",
    "description",
    "diff",
    "diff_summary",
    "document",
    "duration_ms",
    "edit",
    "envelope",
    "error",
    "error_reported",
    "evaluate",
    "evaluate_history",
    "evaluate_prompt",
    "evidence",
    "evidence_ref",
    "exit_codes",
    "failed",
    "failures",
    "false",
    "files",
    "fixed",
    "flaky",
    "forward",
    "from",
    "gate",
    "generated_at",
    "granted",
    "harness_report",
    "high",
    "implement",
    "implemented",
    "info",
    "insertions",
    "intent",
    "investigate",
    "issues",
    "item",
    "killed_idle",
    "killed_policy",
    "killed_timeout",
    "kind",
    "mechanical_outcome",
    "medium",
    "modified",
    "needs_human",
    "no_change_needed",
    "null",
    "observations",
    "opcode",
    "other",
    "outcome",
    "partial",
    "passed",
    "path",
    "policy",
    "policy_events",
    "proposed_goldens",
    "provenance_window",
    "rationale",
    "refinement",
    "renamed",
    "repro",
    "required",
    "required_artifacts",
    "required_validators",
    "review",
    "risk_flags",
    "role",
    "rollback",
    "run_id",
    "severity",
    "skipped",
    "spent",
    "status",
    "step_id",
    "step_intent",
    "steps",
    "stop",
    "success",
    "suite_id",
    "summary",
    "target",
    "tests_passed",
    "timeouts",
    "transcript_summary",
    "true",
    "unsafe",
    "ux_flags",
    "validation",
    "version",
    "warning",
    "workflow_id",
    "workspace_diff_summary",
];

/// A document as it may be kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Redacted {
    /// The text; `None` if it cannot be kept. Byte for byte as it was if nothing was taken out.
    pub(super) text: Option<String>,
    /// How many values were taken out.
    pub(super) count: u64,
}

/// The texts that were taken out of an input, so that an answer does not tell them again.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// Sorted; none begins with another, so the greatest that is not above a text is the only one that it may begin with.
    texts: Vec<String>,
}

/// An input without what the patterns meet, and what that was.
///
/// A pattern begins at the root of the call, and at the root of each document in it (the envelope, the policy). A bare envelope
/// is met as the same envelope within a call is, so that it does not matter in which of the two forms a caller sends it.
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
    // What cannot be read has no places that could be met.
    let Ok(tape) = tape else { return Default::default() };
    let root = Trail::new(patterns);
    let mut copy = Copy::new(documents(operation));
    let is_bare = copy.documents.first().is_some_and(|first| tape.root().member(first).is_none());
    let start = match copy.documents.first().filter(|_| is_bare) {
        Some(first) => root.clone().or(root.step(first)),
        None => root.clone(),
    };
    copy.value(tape.root(), &start, &mut Vec::new());
    let count = copy.count;
    let kept = if count == 0 { tape.text().to_owned() } else { copy.out };
    (Redacted { text: Some(kept), count }, Removed::new(copy.removed))
}

/// An answer without what the patterns meet, and without texts that were taken out of the input.
pub(super) fn answer(text: &str, patterns: &[Pattern], removed: &Removed) -> Redacted {
    if patterns.is_empty() {
        return Redacted { text: Some(text.to_owned()), count: 0 };
    }
    let Ok(tape) = json::read(text.as_bytes(), Limits::ANSWER) else { return Redacted::default() };
    let mut copy = Copy { echoes: Some(removed), ..Copy::new(&[]) };
    copy.value(tape.root(), &Trail::new(patterns), &mut Vec::new());
    let kept = if copy.count == 0 { text.to_owned() } else { copy.out };
    Redacted { text: Some(kept), count: copy.count }
}

/// An error, `{"error": ...}`. With patterns only its code is kept, for the message quotes the caller.
pub(super) fn error(text: &str, code: &str, patterns: &[Pattern]) -> Redacted {
    if patterns.is_empty() {
        return Redacted { text: Some(text.to_owned()), count: 0 };
    }
    let text = format!(r#"{{"error":{{"code":{},"message":{MARKER},"path":{MARKER}}}}}"#, json::write(&code));
    Redacted { text: Some(text), count: 2 }
}

/// The members of a call that are documents of their own; the first of them may come without a call around it.
pub(crate) const fn documents(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::Evaluate | Operation::Explain => &["envelope", "policy"],
        Operation::Refine => &["envelope", "policy", "evaluation"],
        Operation::CheckPolicy => &["policy"],
        _ => &[],
    }
}

/// An object without one of its members: the others stay in their order, as they are spelled.
pub(crate) fn without_member(object: Node<'_>, left_out: &str) -> String {
    let mut copy = Copy::new(&[]);
    let mut mark = '{';
    for (name, member) in object.members().filter(|(name, _)| *name != left_out) {
        copy.out.push(mark);
        mark = ',';
        copy.name(name);
        copy.value(member, &Trail::new(&[]), &mut Vec::new());
    }
    copy.out.push_str(if mark == '{' { "{}" } else { "}" });
    copy.out
}

/// Writes a document again, in its own order and with its own spelling of numbers, but for what is taken out.
struct Copy<'r> {
    out: String,
    count: u64,
    /// Members of the root at which patterns begin again.
    documents: &'static [&'static str],
    removed: BTreeSet<String>,
    /// Texts that are taken out wherever they are.
    echoes: Option<&'r Removed>,
}

impl<'r> Copy<'r> {
    fn new(documents: &'static [&'static str]) -> Self {
        Self { out: String::new(), count: 0, documents, removed: BTreeSet::new(), echoes: None }
    }

    fn value<'t>(&mut self, node: Node<'t>, trail: &Trail<'_>, path: &mut Vec<&'t str>) {
        if trail.is_met() || (self.is_echo(node) && !is_verdict(path)) {
            self.remove(node);
            self.out.push_str(MARKER);
            self.count += 1;
            return;
        }
        match node.kind() {
            Kind::Null => self.out.push_str("null"),
            Kind::Bool(value) => self.out.push_str(if value { "true" } else { "false" }),
            Kind::Integer | Kind::Float => self.out.push_str(node.as_number().unwrap_or_default()),
            Kind::String => self.out.push_str(&json::write(&node.as_str().unwrap_or_default())),
            Kind::Array => self.list(node, trail, path),
            Kind::Object => self.object(node, trail, path),
        }
    }

    fn list<'t>(&mut self, node: Node<'t>, trail: &Trail<'_>, path: &mut Vec<&'t str>) {
        self.out.push('[');
        for (index, item) in node.items().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            let below = if trail.is_lost() { trail.clone() } else { trail.step(&index.to_string()) };
            path.push("");
            self.value(item, &below, path);
            path.pop();
        }
        self.out.push(']');
    }

    fn object<'t>(&mut self, node: Node<'t>, trail: &Trail<'_>, path: &mut Vec<&'t str>) {
        self.out.push('{');
        for (index, (name, member)) in node.members().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.name(name);
            let mut below = if trail.is_lost() { trail.clone() } else { trail.step(name) };
            if path.is_empty() && self.documents.contains(&name) {
                below = below.or(trail.clone());
            }
            path.push(name);
            self.value(member, &below, path);
            path.pop();
        }
        self.out.push('}');
    }

    fn name(&mut self, name: &str) {
        if self.echoes.is_some_and(|removed| removed.is_in(name)) {
            self.count += 1;
            // No two members have one name.
            self.out.push_str(&json::write(&format!("x-redacted-{}", self.count)));
        } else {
            self.out.push_str(&json::write(&name));
        }
        self.out.push(':');
    }

    fn is_echo(&self, node: Node<'_>) -> bool {
        let text = node.as_str().or(node.as_number());
        self.echoes.is_some_and(|removed| text.is_some_and(|text| removed.is_in(text)))
    }

    /// Remembers the texts in what is taken out.
    fn remove(&mut self, node: Node<'_>) {
        let is_telling = |text: &&str| text.len() >= SHORTEST_ECHO && WORDS.binary_search(text).is_err();
        let text = node.as_str().or(node.as_number());
        self.removed.extend(text.filter(is_telling).map(str::to_owned));
        for item in node.items() {
            self.remove(item);
        }
        for (name, member) in node.members() {
            self.removed.extend(Some(name).filter(is_telling).map(str::to_owned));
            self.remove(member);
        }
    }
}

/// Whether a place holds what an answer comes to, which is one of a few words whoever asks.
fn is_verdict(path: &[&str]) -> bool {
    matches!(path, ["decision" | "payload", "status"] | ["status" | "gate"])
}

impl Removed {
    fn new(texts: BTreeSet<String>) -> Self {
        let mut kept: Vec<String> = Vec::new();
        for text in texts {
            if kept.last().is_none_or(|last| !text.starts_with(last.as_str())) {
                kept.push(text);
            }
        }
        Self { texts: kept }
    }

    /// Whether one of the texts is in this one.
    fn is_in(&self, text: &str) -> bool {
        !self.texts.is_empty()
            && text.char_indices().any(|(at, _)| self.begins(text.get(at..).unwrap_or_default()))
    }

    fn begins(&self, text: &str) -> bool {
        let above = self.texts.partition_point(|removed| removed.as_str() <= text);
        let candidate = above.checked_sub(1).and_then(|at| self.texts.get(at));
        candidate.is_some_and(|removed| text.starts_with(removed.as_str()))
    }
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
    fn what_is_met_is_gone_and_the_rest_is_as_it_was() {
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
    fn a_bare_envelope_is_met_as_one_in_a_call() {
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
    fn what_cannot_be_read_is_kept_only_where_nothing_is_to_be_taken_out() {
        assert_eq!(redacted(Operation::Evaluate, "{secret", &["/x"]), (None, 0));
        assert_eq!(redacted(Operation::Evaluate, "{secret", &[]), (Some("{secret".to_owned()), 0));
    }

    #[test]
    fn answers_do_not_tell_what_was_taken_out() {
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

    #[test]
    fn words_are_sorted_to_be_found() {
        assert!(WORDS.is_sorted() && WORDS.iter().all(|word| word.len() >= SHORTEST_ECHO));
    }

    #[test]
    fn texts_are_found_by_the_only_one_that_may_begin_there() {
        let texts = ["abcd", "abcde", "abce", "bbbb", "日本語"].map(str::to_owned);
        let removed = Removed::new(texts.iter().cloned().collect());
        let letters = ["a", "b", "c", "d", "e", "日", "本語"];
        // All texts of six letters over these.
        for number in 0..letters.len().pow(6) {
            let text: String =
                (0..6).map(|place| letters[number / letters.len().pow(place) % letters.len()]).collect();
            assert_eq!(removed.is_in(&text), texts.iter().any(|removed| text.contains(removed)), "{text}");
        }
    }
}
