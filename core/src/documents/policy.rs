//! The policy document as it is on the wire.

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error,
    document::{self, AtLeast, Describe, Document, Object, Reader, Shape, Type},
    json::{Node, Tape, shorten},
    paths::{PathCase, Pattern},
};
use serde::de::IgnoredAny;

use super::{policy_test::TestDocument, rule::RuleDocument};
use crate::codes;

/// A policy document; only `policy` and `version` are required.
#[derive(Clone, Debug, Document)]
#[document(expecting = "a policy object")]
pub struct PolicyDocument<'a> {
    /// The policy's name, for example `release-gate`.
    pub policy: &'a str,
    /// The version of the policy, for example `1.0.0`.
    pub version: Version<'a>,
    /// The source document whose loop rules apply.
    #[serde(default)]
    pub profile: Profile,
    /// A description for humans.
    #[serde(default)]
    pub description: Option<&'a str>,
    /// The thresholds.
    #[serde(default)]
    pub parameters: Parameters,
    /// The treatment of changed paths outside of the workspace.
    #[serde(default)]
    pub outside: Outside,
    /// The comparison of letters in all patterns over paths. Set `ascii_insensitive` for
    /// workspaces on macOS and Windows, where `Deploy/x` is the same file as `deploy/x`.
    #[serde(default)]
    pub path_case: PathCase,
    /// Files that must not change: a change is a `policy_violation`.
    #[serde(default)]
    pub forbidden_paths: Vec<Pattern<'a>>,
    /// Files that change only with an approval (rule `approval`).
    #[serde(default)]
    pub protected_paths: Vec<Pattern<'a>>,
    /// The only files that may change. An empty list allows no change.
    #[serde(default)]
    pub allowed_paths: Option<Vec<Pattern<'a>>>,
    /// Artifacts that every step must leave, in addition to those that the envelope requires. `report.md` is a file at the root of the workspace, `site/` is one in the folder,
    /// and a pattern that begins with `**` is met in any folder.
    #[serde(default)]
    pub required_artifacts: Vec<Pattern<'a>>,
    /// The validators of which every step must have a result, in addition to those that the envelope requires. An empty list says
    /// that no check is required.
    #[serde(default)]
    pub required_validators: Option<Vec<&'a str>>,
    /// True if every result needs the tree that it is about, and the evidence the tree that is judged.
    #[serde(default)]
    pub require_tree: bool,
    /// The treatment of failures that the baseline has, too.
    #[serde(default)]
    pub known_failures: KnownFailures,
    /// Test files whose tests may go with them, for example `tests/legacy/**`.
    #[serde(default)]
    pub tests_may_go: Vec<Pattern<'a>>,
    /// The sources of test files: the tests of a deleted file may go if its source is deleted, too.
    #[serde(default)]
    pub test_sources: Vec<TestSource<'a>>,
    /// Patterns over ids of cases that come and go, for example `*[0x*]`.
    #[serde(default)]
    pub unstable_ids: Vec<Pattern<'a>>,
    /// The successes that need a review: by default `first` under `oa06.1`, `optional` under `oa06`.
    #[serde(default)]
    pub review: Option<ReviewRequirement>,
    /// Patterns over step ids, by the role they give.
    #[serde(default)]
    pub routes: Routes<'a>,
    /// A JSON Schema of the `x-` fields of the envelope that the conditions read, for example
    /// `{"properties": {"x-coverage": {"type": "object", "properties": {"lines": {"type": "number"}}}}}`. It describes an
    /// object that has only the `x-` fields of the envelope's root. A field that breaks it is unknown to the conditions and calls
    /// for a human.
    #[serde(default)]
    #[document(
        schema = r#"{"properties":{"properties":{"type":"object","propertyNames":{"pattern":"^x-"}},"required":{"type":"array","items":{"type":"string","pattern":"^x-"}}}}"#
    )]
    pub inputs: Option<Object<'a>>,
    /// The rules of the policy.
    #[serde(default)]
    pub rules: Vec<RuleDocument<'a>>,
    /// Tests of the policy.
    #[serde(default)]
    pub tests: Vec<TestDocument<'a>>,
    /// For editors: the JSON Schema of the document. It is ignored, whatever it is.
    #[serde(rename = "$schema", default)]
    pub schema: IgnoredAny,
    /// The document as it was written, for its digest.
    #[document(source)]
    pub source: Node<'a>,
}

impl<'t> PolicyDocument<'t> {
    /// Reads the policy that a tape holds.
    ///
    /// # Errors
    ///
    /// The first error in document order, with the path of the field at fault.
    pub fn from_tape(tape: &'t Tape<'_>) -> Result<Self, Error> {
        document::read(tape.root())
    }
}

/// The source document whose loop rules apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document)]
pub enum Profile {
    /// The evaluator contract.
    #[default]
    #[serde(rename = "oa06")]
    Oa06,
    /// The evaluator contract with the bounded revision loop.
    #[serde(rename = "oa06.1")]
    Oa06_1,
}

/// The successes that need a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[serde(rename_all = "snake_case")]
pub enum ReviewRequirement {
    /// Every success needs a review in its own evidence.
    Required,
    /// Every success needs a review since the last success, in its own or in an earlier EVALUATE step.
    First,
    /// No success needs a review.
    Optional,
}

/// The treatment of failures that the baseline has, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document)]
#[serde(rename_all = "snake_case")]
pub enum KnownFailures {
    /// They are failures like any other.
    #[default]
    Refuse,
    /// They are listed, and are no failures.
    Accept,
}

/// The path of a test file, and the path of the source that it tests. `{name}` stands once in each, for the same text: one or
/// more whole segments, or a part of one.
#[derive(Clone, Copy, Debug, Document)]
#[document(expecting = "an object with `test` and `source`")]
pub struct TestSource<'a> {
    /// The path of the test file, for example `tests/test_{name}.py`.
    pub test: Pattern<'a>,
    /// The path of the source, for example `src/{name}.py`.
    pub source: Pattern<'a>,
}

/// The treatment of changed paths that [lie outside of the workspace](crate::paths::is_outside): absolute paths, for
/// example, or `../x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document)]
#[serde(rename_all = "snake_case")]
pub enum Outside {
    /// If the policy lists paths, a human decides (`unknown_evidence`). No pattern is matched against these paths.
    #[default]
    Ask,
    /// Each of these paths is a violation, whether the policy lists paths or not.
    Refuse,
    /// The paths are matched in normal form, as if they were inside: `/deploy/x` as `deploy/x`.
    Allow,
}

/// The thresholds of a policy.
#[derive(Clone, Copy, Debug, Default, Document)]
#[document(expecting = "a parameters object")]
pub struct Parameters {
    /// A human decides after this number of `partial` results in a row; at least 1.
    #[serde(default)]
    pub partial_threshold: Option<AtLeast<1>>,
    /// A human decides when the same blocker comes this often; at least 2.
    #[serde(default)]
    pub blocker_repeat: Option<AtLeast<2>>,
    /// The number of refinements that are allowed.
    #[serde(default)]
    pub refinement_cap: Option<u64>,
}

/// Patterns over step ids, by the role they give.
#[derive(Clone, Debug, Default, Document)]
#[document(expecting = "an object from role to patterns")]
pub struct Routes<'a> {
    /// Steps that continue the work, for example `publish*`.
    #[serde(default)]
    pub forward: Vec<Pattern<'a>>,
    /// Steps that fix the work.
    #[serde(default)]
    pub fix: Vec<Pattern<'a>>,
    /// Steps that ask a human.
    #[serde(default)]
    pub gate: Vec<Pattern<'a>>,
    /// Steps that undo the work.
    #[serde(default)]
    pub rollback: Vec<Pattern<'a>>,
    /// Steps that end the run.
    #[serde(default)]
    pub stop: Vec<Pattern<'a>>,
}

/// A semantic version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version<'a>(&'a str);

impl<'a> Version<'a> {
    /// The version as it was written.
    #[must_use]
    pub const fn text(self) -> &'a str {
        self.0
    }
}

impl<'t: 'a, 'a> Document<'t> for Version<'a> {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self> {
        let text = <&str>::read(node, reader)?;
        if semver::Version::parse(text).is_ok() {
            return Some(Self(text));
        }
        let message = format!("expected a semantic version such as `1.0.0`, found `{}`", shorten(text));
        reader.note(Error::new(codes::INVALID_VALUE, message));
        None
    }
}

/// The numbers of a semantic version have no leading zeros.
const SEMANTIC_VERSION: &str = "^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\
    (-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?\
    (\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$";

impl Describe for Version<'_> {
    #[inline]
    fn describe() -> Type {
        Type::Text { min_length: 0, pattern: SEMANTIC_VERSION }
    }
}
