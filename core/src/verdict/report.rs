//! The report on a verdict: the comparison of its answer with a recomputed one, and the result for its signature.

use alloc::string::String;

use adjudicate_lang::document::Describe;
use serde::Serialize;

/// The report on a verdict: that of `adjudicate verdict verify`, and of `verifyVerdict` in JavaScript.
#[derive(Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct VerdictReport<'a> {
    /// The result of recomputing it.
    #[serde(flatten)]
    pub recomputation: Recomputation,
    /// The result for the signature.
    pub signature: SignatureReport<'a>,
}

/// The result for the signature of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct SignatureReport<'a> {
    /// The state of the signature.
    pub state: SignatureState,
    /// The public key in the verdict: `ed25519:` and 64 hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<&'a str>,
    /// The name of the key in the trust policy, or of the file with the key. JavaScript has no names of keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
}

/// The state of the signature of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum SignatureState {
    /// The verdict has none.
    None,
    /// It is not a signature of this verdict by its key.
    Broken,
    /// It is a signature by its key, which is not a trusted one.
    Untrusted,
    /// It is a signature by a trusted key.
    Trusted,
}

/// The result of recomputing a verdict.
#[derive(Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Recomputation {
    /// The comparison of the answers.
    pub outcome: RecomputedAnswer,
    /// The reason why the call cannot be decided here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Undecidable>,
    /// The digests that were compared with the parts.
    pub digests: DigestMatches,
    /// The first difference between the answers, in the order of the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<FirstDifference>,
    /// The error that the module gives instead of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The comparison of the answer in a verdict with the recomputed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum RecomputedAnswer {
    /// The answers are the same, and every digest matches its part.
    SameBytes,
    /// The answers are the same, but a part was changed after the verdict was made.
    OtherDigests,
    /// The module gives another answer, or an error.
    AnotherAnswer,
    /// The call was not decided again.
    CannotBeDecidedHere,
}

/// The reason why a call cannot be decided here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Undecidable {
    /// A part was redacted.
    Redacted,
    /// The module of the verdict is not available here.
    UnknownModule,
}

/// The result for each digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct DigestMatches {
    /// The result for the input.
    pub input: DigestMatch,
    /// The result for the policy, if the verdict has a policy or its digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<DigestMatch>,
    /// The result for the answer.
    pub answer: DigestMatch,
}

/// The comparison of a digest with its part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum DigestMatch {
    /// It is the digest of the part.
    Matches,
    /// The part is redacted, so its digest cannot be compared.
    Redacted,
    /// It is not the digest of the part.
    Differs,
}

/// The first difference between two answers.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct FirstDifference {
    /// JSON Pointer into the answers.
    pub path: String,
    /// The value in the verdict, as JSON text; absent if it has none there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// The recomputed value, as JSON text; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recomputed: Option<String>,
}
