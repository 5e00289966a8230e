//! Verdicts: a call, its answer and their digests in one document, which anyone can recompute (docs/cookbook/share-a-verdict.md).
//!
//! Digests and comparisons are over canonical JSON, with each digit of a number that canonical JSON would round. So white space and the
//! order of fields do not matter, and without such numbers, the digests are those of decision records (`input_hash`) and of policies.
//!
//! A signature covers every field: the digests before redaction, and those of the parts as the verdict has them.

mod report;

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use adjudicate_lang::{
    Error,
    document::{self, Document, FormatVersion},
    json::{self, Kind, MAX_DOCUMENT_BYTES, Node, ReadLimits, Tape, object::ObjectWriter, push_segment},
};
use serde::Serialize;

pub use report::{
    DigestMatch, DigestMatches, FirstDifference, Recomputation, RecomputedAnswer, SignatureReport,
    SignatureState, Undecidable, VerdictReport,
};

use crate::{Operation, VERSION, codes, module::Digest, operation::join_documents};

/// The name of the built-in engine in verdicts.
const ENGINE: &str = "adjudicate";

/// The type of the signed text, as in the pre-authentication encoding of DSSE.
const SIGNED_TYPE: &str = "application/vnd.adjudicate.verdict+json";

/// The type of the predicate in an in-toto statement.
const PREDICATE_TYPE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/verdict/v1");

/// The value in the place of a redacted one.
const REDACTED: &str = r#"{"x-redacted":true}"#;

/// A call, its answer and their digests.
#[derive(Clone, Debug, Document)]
#[document(expecting = "a verdict object", closed)]
pub struct Verdict<'a> {
    /// The version of this format: 1.
    pub verdict: FormatVersion<1>,
    /// The operation of the call.
    pub operation: Operation,
    /// The input of the call, without the policy if `policy` is present.
    pub input: Node<'a>,
    /// The policy document of the call.
    pub policy: Option<Node<'a>>,
    /// The module that answered.
    pub module: VerdictModule<'a>,
    /// The answer.
    pub answer: Node<'a>,
    /// The digests of the parts before redaction.
    pub digests: VerdictDigests,
    /// The patterns of the redacted values. A redacted verdict cannot be recomputed.
    #[serde(default)]
    pub redacted: Vec<&'a str>,
    /// The signature over all other fields.
    pub signature: Option<VerdictSignature<'a>>,
}

/// The module that answered. The fields are in the order of canonical JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object with `name` and `version`", closed)]
pub struct VerdictModule<'a> {
    /// The SHA-256 of its bytes. The built-in engine has none: each build of one version gives the same answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The name in its manifest, or `adjudicate` for the built-in engine.
    pub name: &'a str,
    /// The version in its manifest, or that of the built-in engine.
    pub version: &'a str,
}

/// The SHA-256 of the canonical JSON of each part. The fields are in the order of canonical JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object with `input` and `answer`", closed)]
pub struct VerdictDigests {
    /// The digest of the answer.
    pub answer: Digest,
    /// The digest of the input.
    pub input: Digest,
    /// The digest of the policy, if the verdict has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Digest>,
}

/// A signature of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object with `key` and `bytes`", closed)]
pub struct VerdictSignature<'a> {
    /// The public key: `ed25519:` and 64 hexadecimal digits.
    #[document(schema = r#"{"pattern": "^ed25519:[0-9A-Fa-f]{64}$"}"#)]
    pub key: &'a str,
    /// The signature: 128 hexadecimal digits.
    #[document(schema = r#"{"pattern": "^[0-9A-Fa-f]{128}$"}"#)]
    pub bytes: &'a str,
}

impl VerdictModule<'static> {
    /// The built-in engine.
    pub const ENGINE: Self = Self { name: ENGINE, version: VERSION, digest: None };
}

impl<'a> Verdict<'a> {
    /// Parses the text of a verdict, of at most 8 MiB, for [`Verdict::read`].
    ///
    /// # Errors
    ///
    /// Those of [`json::read`].
    pub fn tape(text: &[u8]) -> Result<Tape<'_>, Error> {
        json::read(text, ReadLimits { documents: &["input", "policy", "answer"], bytes: MAX_DOCUMENT_BYTES })
    }

    /// Reads a verdict.
    ///
    /// # Errors
    ///
    /// Those of every document.
    pub fn read(root: Node<'a>) -> Result<Self, Error> {
        document::read(root)
    }

    /// Returns the verdict of a call, unsigned.
    ///
    /// ```
    /// use adjudicate_core::{Operation, json::{self, ReadLimits}, verdict::{Verdict, VerdictModule}};
    /// let call = br#"{"diagnostics": []}"#;
    /// let answer = Operation::MergeDiagnostics.call(call)?;
    /// let call = Operation::MergeDiagnostics.read(call)?;
    /// let given = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    /// let verdict = Verdict::new(Operation::MergeDiagnostics, call.root(), None, VerdictModule::ENGINE, given.root());
    /// let text = verdict.to_json()?;
    /// let tape = Verdict::tape(text.as_bytes())?;
    /// let again = Verdict::read(tape.root())?;
    /// assert_eq!(again.call()?, r#"{"diagnostics":[]}"#);
    /// assert_eq!(json::write(&again.compare(Ok(&answer))?.outcome), r#""same_bytes""#);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn new(
        operation: Operation,
        input: Node<'a>,
        policy: Option<Node<'a>>,
        module: VerdictModule<'a>,
        answer: Node<'a>,
    ) -> Self {
        let digests = VerdictDigests::new(input, policy, answer);
        let (redacted, signature) = (Vec::new(), None);
        Self {
            verdict: FormatVersion,
            operation,
            input,
            policy,
            module,
            answer,
            digests,
            redacted,
            signature,
        }
    }

    /// Returns the complete input of the call.
    ///
    /// # Errors
    ///
    /// As for [`Verdict::join`].
    pub fn call(&self) -> Result<String, Error> {
        Self::join(self.operation, self.input, self.policy)
    }

    /// Joins an input and its policy to the complete input of a call.
    ///
    /// # Errors
    ///
    /// Those of [`join_documents`]; [`codes::INVALID_VALUE`] if the operation takes no policy, or the input has one, too.
    pub fn join(
        operation: Operation,
        main_part: Node<'_>,
        policy: Option<Node<'_>>,
    ) -> Result<String, Error> {
        let input = json::verbatim(main_part);
        let Some(policy) = policy else { return Ok(input) };
        let refused = |message| Err(Error::new(codes::INVALID_VALUE, message).at("/policy"));
        let &[main, ref others @ ..] = operation.documents() else {
            return refused("the operation takes no policy");
        };
        if !others.contains(&"policy") {
            return refused("the operation takes no policy");
        }
        if main_part.member("policy").is_some() && main_part.member(main).is_some() {
            return refused("the input has a policy, too");
        }
        let policy = json::verbatim(policy);
        let mut documents = Vec::from([("policy", policy.as_bytes())]);
        let fields: Vec<_>;
        if main_part.member(main).is_some() {
            fields = main_part.members().map(|(name, field)| (name, json::verbatim(field))).collect();
            documents.extend(fields.iter().map(|(name, text)| (*name, text.as_bytes())));
        } else {
            documents.insert(0, (main, input.as_bytes()));
        }
        join_documents(&documents)
    }

    /// Returns the bytes that a signature covers, in the pre-authentication encoding of DSSE.
    ///
    /// They contain the operation, the module, the digests, the patterns of redaction, and the digests of the parts as they are in this
    /// verdict. So a change of any part breaks the signature.
    #[must_use]
    pub fn message(&self) -> String {
        /// The signed fields, in the order of canonical JSON.
        #[derive(Serialize)]
        struct Signed<'a> {
            digests: VerdictDigests,
            module: VerdictModule<'a>,
            operation: &'a str,
            redacted: &'a [&'a str],
            shown: VerdictDigests,
            verdict: FormatVersion<1>,
        }
        let Self { digests, module, verdict, ref redacted, .. } = *self;
        let shown = VerdictDigests::new(self.input, self.policy, self.answer);
        let operation = self.operation.name();
        let body = json::write(&Signed { digests, module, operation, redacted, shown, verdict });
        format!("DSSEv1 {} {SIGNED_TYPE} {} {body}", SIGNED_TYPE.len(), body.len())
    }

    /// Returns the verdict on one line.
    ///
    /// # Errors
    ///
    /// Those of [`within_limit`].
    pub fn to_json(&self) -> Result<String, Error> {
        let mut text = String::new();
        self.write(true, &mut text);
        within_limit(text)
    }

    /// Returns an in-toto statement about the input and the policy. Its predicate is the verdict without the input.
    #[must_use]
    pub fn statement(&self) -> String {
        let subject = |name: &str, digest: Digest| {
            format!(r#"{{"name":"{name}","digest":{{"sha256":"{}"}}}}"#, digest.hex())
        };
        let mut subjects = subject("input", self.digests.input);
        if let Some(policy) = self.digests.policy {
            subjects.push(',');
            subjects.push_str(&subject("policy", policy));
        }
        let mut text = format!(
            r#"{{"_type":"https://in-toto.io/Statement/v1","subject":[{subjects}],"predicateType":"{PREDICATE_TYPE}","predicate":"#
        );
        self.write(false, &mut text);
        text.push('}');
        text
    }

    fn write(&self, with_input: bool, out: &mut String) {
        let mut fields = ObjectWriter::open(out);
        fields.count("verdict", 1);
        fields.text("operation", Some(self.operation.name()));
        if with_input {
            fields.part("input", |out| json::write_verbatim(self.input, out));
        }
        if let Some(policy) = self.policy {
            fields.part("policy", |out| json::write_verbatim(policy, out));
        }
        fields.part("module", |out| out.push_str(&json::write(&self.module)));
        fields.part("answer", |out| json::write_verbatim(self.answer, out));
        fields.part("digests", |out| out.push_str(&json::write(&self.digests)));
        if !self.redacted.is_empty() {
            fields.texts("redacted", &self.redacted);
        }
        if let Some(signature) = self.signature {
            fields.part("signature", |out| out.push_str(&json::write(&signature)));
        }
        fields.close();
    }

    /// Compares the verdict with the recomputed answer, or the error of the module.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`] for an answer that is not JSON.
    pub fn compare(&self, recomputed: Result<&str, &str>) -> Result<Recomputation, Error> {
        let digests = self.digest_matches();
        let given =
            |outcome, difference, error| Recomputation { outcome, reason: None, digests, difference, error };
        let answer = match recomputed {
            Ok(answer) => answer,
            Err(error) => return Ok(given(RecomputedAnswer::AnotherAnswer, None, Some(error.to_string()))),
        };
        let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
        let difference = difference(self.answer, tape.root(), &mut String::new());
        let outcome = match (&difference, digests.all_match()) {
            (Some(_), _) => RecomputedAnswer::AnotherAnswer,
            (None, true) => RecomputedAnswer::SameBytes,
            (None, false) => RecomputedAnswer::OtherDigests,
        };
        Ok(given(outcome, difference, None))
    }

    /// Returns the reason why this module cannot decide the call again, if there is one.
    #[must_use]
    pub fn undecidable(&self, module: VerdictModule<'_>) -> Option<Undecidable> {
        if !self.redacted.is_empty() {
            return Some(Undecidable::Redacted);
        }
        (self.module != module).then_some(Undecidable::UnknownModule)
    }

    /// Returns the result for a verdict that is not decided again.
    #[must_use]
    pub fn undecided(&self, reason: Undecidable) -> Recomputation {
        Recomputation {
            outcome: RecomputedAnswer::CannotBeDecidedHere,
            reason: Some(reason),
            digests: self.digest_matches(),
            difference: None,
            error: None,
        }
    }

    fn digest_matches(&self) -> DigestMatches {
        let compared = |stated: Digest, part| {
            if digest(part) == stated {
                DigestMatch::Matches
            } else if !self.redacted.is_empty() && is_redacted(part) {
                DigestMatch::Redacted
            } else {
                DigestMatch::Differs
            }
        };
        DigestMatches {
            input: compared(self.digests.input, self.input),
            policy: match (self.digests.policy, self.policy) {
                (Some(stated), Some(policy)) => Some(compared(stated, policy)),
                (None, None) => None,
                _ => Some(DigestMatch::Differs),
            },
            answer: compared(self.digests.answer, self.answer),
        }
    }
}

impl VerdictDigests {
    fn new(input: Node<'_>, policy: Option<Node<'_>>, answer: Node<'_>) -> Self {
        Self { input: digest(input), policy: policy.map(digest), answer: digest(answer) }
    }
}

impl DigestMatches {
    /// True if every digest is that of its part.
    #[must_use]
    pub fn all_match(&self) -> bool {
        [Some(self.input), self.policy, Some(self.answer)]
            .iter()
            .flatten()
            .all(|found| *found == DigestMatch::Matches)
    }
}

/// Returns the text of a verdict, unless [`Verdict::tape`] would refuse its length.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] for more than 8 MiB.
pub fn within_limit(verdict: String) -> Result<String, Error> {
    let length = verdict.len();
    if length <= MAX_DOCUMENT_BYTES {
        return Ok(verdict);
    }
    let message = format!("the verdict has {length} bytes, the limit is {MAX_DOCUMENT_BYTES}");
    Err(Error::new(codes::LIMIT_EXCEEDED, message))
}

/// Returns the digest of a part of a verdict.
#[must_use]
pub fn digest(part: Node<'_>) -> Digest {
    Digest::sha256(json::exact(part).as_bytes())
}

/// True if a value was redacted in this part.
fn is_redacted(part: Node<'_>) -> bool {
    json::canonical(part).contains(REDACTED)
        || part.members().any(|(name, _)| name.starts_with("x-redacted-"))
}

/// Returns the first difference between two values at this path.
fn difference(left: Node<'_>, right: Node<'_>, path: &mut String) -> Option<FirstDifference> {
    let here = |path: &str, left: Option<Node<'_>>, right: Option<Node<'_>>| {
        let [verdict, recomputed] = [left, right].map(|side| side.map(json::verbatim));
        Some(FirstDifference { path: path.into(), verdict, recomputed })
    };
    let mut below = |name: &str, left: Option<Node<'_>>, right: Option<Node<'_>>| {
        let length = path.len();
        push_segment(path, name);
        let found = match (left, right) {
            (Some(left), Some(right)) => difference(left, right, path),
            (left, right) => here(path, left, right),
        };
        path.truncate(length);
        found
    };
    match (left.kind(), right.kind()) {
        (Kind::Object, Kind::Object) => {
            let first = left.members().find_map(|(name, field)| below(name, Some(field), right.member(name)));
            let mut added = right.members().filter(|(name, _)| left.member(name).is_none());
            first.or_else(|| added.next().and_then(|(name, field)| below(name, None, Some(field))))
        }
        (Kind::Array, Kind::Array) => {
            let (mut lefts, mut rights) = (left.items(), right.items());
            (0..left.len().max(right.len()))
                .find_map(|at| below(&at.to_string(), lefts.next(), rights.next()))
        }
        _ if json::exact(left) == json::exact(right) => None,
        _ => here(path, Some(left), Some(right)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(left: &str, right: &str) -> Option<(String, Option<String>, Option<String>)> {
        let [left, right] =
            [left, right].map(|text| json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap());
        let found = difference(left.root(), right.root(), &mut String::new());
        found.map(|found| (found.path, found.verdict, found.recomputed))
    }

    #[test]
    fn the_first_difference_is_found_in_the_order_of_the_verdict() {
        for (left, right, expected) in [
            (r#"{"a":1,"b":[1.0]}"#, r#"{ "b":[1.00], "a":1}"#, None),
            (r#"{"b":1,"a":1}"#, r#"{"a":2,"b":2}"#, Some(("/b", Some("1"), Some("2")))),
            (r#"{"a":[1,{"x/y":null}]}"#, r#"{"a":[1,{}]}"#, Some(("/a/1/x~1y", Some("null"), None))),
            (r#"{"a":[1]}"#, r#"{"a":[1,"2"]}"#, Some(("/a/1", None, Some("\"2\"")))),
            (r#"{"a":{}}"#, r#"{"a":{},"c":true}"#, Some(("/c", None, Some("true")))),
            ("[]", "{}", Some(("", Some("[]"), Some("{}")))),
            ("1.0", "1.00000000000000000001", Some(("", Some("1.0"), Some("1.00000000000000000001")))),
            ("1", "1.0000000000000002", Some(("", Some("1"), Some("1.0000000000000002")))),
        ] {
            let found = first(left, right);
            let found =
                found.as_ref().map(|(path, left, right)| (path.as_str(), left.as_deref(), right.as_deref()));
            assert_eq!(found, expected, "{left} {right}");
        }
    }

    /// Each verdict comes from this one by a replacement of text.
    #[test]
    fn changed_and_redacted_verdicts_are_not_the_same_bytes() {
        let call = r#"{"diagnostics":[{"severity":"soft","status":"unsatisfied","constraintId":"a","cause":"unsatisfied_soft"}]}"#;
        let answer = Operation::MergeDiagnostics.call(call.as_bytes()).unwrap();
        let [input, given] =
            [call, &answer].map(|text| json::read(text.as_bytes(), ReadLimits::ANSWER).unwrap());
        let verdict = Verdict::new(
            Operation::MergeDiagnostics,
            input.root(),
            None,
            VerdictModule::ENGINE,
            given.root(),
        );
        let text = verdict.to_json().unwrap();
        let redacted = r#""redacted":["/a"],"verdict":1"#;
        for (from, to, outcome, input, answer) in [
            ("", "", RecomputedAnswer::SameBytes, DigestMatch::Matches, DigestMatch::Matches),
            (
                r#"Id":"a","#,
                r#"Id":"b","#,
                RecomputedAnswer::AnotherAnswer,
                DigestMatch::Differs,
                DigestMatch::Matches,
            ),
            (
                r#""answer":{"#,
                r#""answer":{"z":0,"#,
                RecomputedAnswer::AnotherAnswer,
                DigestMatch::Matches,
                DigestMatch::Differs,
            ),
            (
                r#""input":{"#,
                r#""input":{"x-note":0,"#,
                RecomputedAnswer::OtherDigests,
                DigestMatch::Differs,
                DigestMatch::Matches,
            ),
            (
                r#""verdict":1"#,
                redacted,
                RecomputedAnswer::SameBytes,
                DigestMatch::Matches,
                DigestMatch::Matches,
            ),
        ] {
            let changed = text.replacen(from, to, 1);
            let tape = Verdict::tape(changed.as_bytes()).unwrap();
            let read = Verdict::read(tape.root()).unwrap();
            let recomputed = read.operation.call(read.call().unwrap().as_bytes()).unwrap();
            let found = read.compare(Ok(&recomputed)).unwrap();
            assert_eq!(
                (found.outcome, found.digests.input, found.digests.answer),
                (outcome, input, answer),
                "{to}"
            );
            assert_eq!(read.message() == verdict.message(), from.is_empty(), "{to}");
        }
        let marked = text.replacen(r#""verdict":1"#, redacted, 1).replacen(r#""a""#, REDACTED, 3);
        let tape = Verdict::tape(marked.as_bytes()).unwrap();
        let read = Verdict::read(tape.root()).unwrap();
        assert_ne!(read.message(), verdict.message());
        let found = read.undecided(Undecidable::Redacted);
        assert_eq!(found.outcome, RecomputedAnswer::CannotBeDecidedHere);
        assert!(!found.digests.all_match());
        assert_eq!(found.digests.answer, DigestMatch::Redacted);
    }

    #[test]
    fn the_signed_text_is_canonical_json() {
        let part = json::read(b"{}", ReadLimits::DOCUMENT).unwrap();
        let module = VerdictModule {
            digest: Some(digest(part.root())),
            name: "a \"\u{1}\u{7f}\u{2028}\u{1f600}/\\",
            version: "1",
        };
        for (policy, module) in [(None, VerdictModule::ENGINE), (Some(part.root()), module)] {
            let verdict = Verdict::new(Operation::Evaluate, part.root(), policy, module, part.root());
            let message = verdict.message();
            let body = &message[message.find('{').unwrap()..];
            let tape = json::read(body.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            assert_eq!(body, json::canonical(tape.root()));
        }
    }

    #[test]
    fn a_policy_joins_a_bare_document_or_a_call() {
        let answer = json::read(b"{}", ReadLimits::DOCUMENT).unwrap();
        let policy = json::read(br#"{"p":1.0}"#, ReadLimits::DOCUMENT).unwrap();
        for (operation, input, expected) in [
            (Operation::Evaluate, r#"{"a":1}"#, Some(r#"{"envelope":{"a":1},"policy":{"p":1.0}}"#)),
            (Operation::Refine, r#"{"envelope":{}}"#, Some(r#"{"policy":{"p":1.0},"envelope":{}}"#)),
            (Operation::Evaluate, r#"{"envelope":{},"policy":{}}"#, None),
            (Operation::Deliberate, "{}", None),
            (Operation::CheckPolicy, "{}", None),
        ] {
            let input = json::read(input.as_bytes(), ReadLimits::DOCUMENT).unwrap();
            let policy = Some(policy.root());
            let verdict = Verdict::new(operation, input.root(), policy, VerdictModule::ENGINE, answer.root());
            assert_eq!(verdict.call().ok().as_deref(), expected);
        }
    }
}
