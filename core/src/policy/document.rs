//! The policy document as it is on the wire.

use alloc::vec::Vec;

use adjudicate_lang::{
    Error,
    json::{Tape, shorten},
    paths::{PathCase, Pattern},
};
use serde::{
    Deserialize,
    de::{self, IgnoredAny},
};

use super::{rule_document::RuleDocument, test::TestDocument};

/// A policy document; only `policy` and `version` are required.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a policy object")]
pub struct PolicyDocument<'a> {
    /// The policy's name.
    pub policy: &'a str,
    /// Its version.
    #[serde(borrow)]
    pub version: Version<'a>,
    /// Which loop rules apply.
    #[serde(default)]
    pub profile: Profile,
    /// For people.
    #[serde(default)]
    pub description: Option<&'a str>,
    /// The thresholds.
    #[serde(default)]
    pub parameters: Parameters,
    /// What to make of changed paths outside of the workspace.
    #[serde(default)]
    pub outside: Outside,
    /// How `forbidden_paths`, `protected_paths` and `required_artifacts` compare letters. Set `ascii_insensitive` for
    /// workspaces on macOS and Windows, where `Deploy/x` is the same file as `deploy/x`.
    #[serde(default)]
    pub path_case: PathCase,
    /// Files that must not change.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub forbidden_paths: Vec<Pattern<'a>>,
    /// Files that change only with an approval.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub protected_paths: Vec<Pattern<'a>>,
    /// Artifacts that every step must leave. `report.md` is a file at the root of the workspace, `site/` is one in the folder,
    /// and a pattern that begins with `**` is met in any folder.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub required_artifacts: Vec<Pattern<'a>>,
    /// Validators that every step must have results of. An empty list says that no check is required.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact_option")]
    pub required_validators: Option<Vec<&'a str>>,
    /// When a step needs a review: by default `first` under `oa06.1`, `optional` under `oa06`.
    #[serde(default)]
    pub review: Option<ReviewRequirement>,
    /// Patterns over step ids, by the role they give.
    #[serde(default)]
    pub routes: Routes<'a>,
    /// Rules of the policy's own.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub rules: Vec<RuleDocument<'a>>,
    /// Tests of the policy.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub tests: Vec<TestDocument<'a>>,
    /// For editors: the JSON Schema of the document. It is ignored, whatever it is.
    #[serde(rename = "$schema", default)]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "string"))]
    pub schema: IgnoredAny,
}

impl<'t> PolicyDocument<'t> {
    /// Reads the policy that a tape holds.
    ///
    /// # Errors
    ///
    /// The first error in document order, with the path of the member at fault.
    pub fn from_tape(tape: &'t Tape<'_>) -> Result<Self, Error> {
        tape.decode()
    }
}

/// Which source document's loop rules apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub enum Profile {
    /// The evaluator contract.
    #[default]
    #[serde(rename = "oa06")]
    Oa06,
    /// The evaluator contract with the bounded revision loop.
    #[serde(rename = "oa06.1")]
    Oa06_1,
}

/// When a success needs a review (OA06.1 section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ReviewRequirement {
    /// Every success needs a review in its own evidence.
    Required,
    /// Every success needs a review since the last success, in its own or in an earlier EVALUATE step.
    First,
    /// Never.
    Optional,
}

/// What a policy makes of changed paths that [lie outside of the workspace](crate::paths::is_outside): absolute paths, for
/// example, or `../x` (SPEC section 18.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Outside {
    /// No pattern is matched against them: where the policy lists paths, a human decides (`unknown_evidence`).
    #[default]
    Ask,
    /// Each is a violation, whether the policy lists paths or not.
    Refuse,
    /// They are matched in normal form, as if they were inside: `/deploy/x` as `deploy/x`.
    Allow,
}

/// The thresholds of a policy.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a parameters object")]
pub struct Parameters {
    /// How many `partial` results in a row call for a person; at least 1.
    #[serde(default)]
    pub partial_threshold: Option<AtLeast<1>>,
    /// How often the same blocker may come before a person is called; at least 2.
    #[serde(default)]
    pub blocker_repeat: Option<AtLeast<2>>,
    /// How many refinements are allowed.
    #[serde(default)]
    pub refinement_cap: Option<u64>,
}

/// An integer of at least `MIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtLeast<const MIN: u64>(u64);

impl<const MIN: u64> AtLeast<MIN> {
    /// The integer.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl<'de, const MIN: u64> Deserialize<'de> for AtLeast<MIN> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            value if value >= MIN => Ok(Self(value)),
            value => Err(de::Error::custom(format_args!("expected at least {MIN}, found `{value}`"))),
        }
    }
}

/// Patterns over step ids, by the role they give.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an object from role to patterns")]
pub struct Routes<'a> {
    /// Steps that go on with the work.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub forward: Vec<Pattern<'a>>,
    /// Steps that mend.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub fix: Vec<Pattern<'a>>,
    /// Steps that ask a person.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub gate: Vec<Pattern<'a>>,
    /// Steps that undo.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub rollback: Vec<Pattern<'a>>,
    /// Steps that end the run.
    #[serde(default)]
    #[serde(borrow)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
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

impl<'de: 'a, 'a> Deserialize<'de> for Version<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        match semver::Version::parse(text) {
            Ok(_) => Ok(Self(text)),
            Err(fault) => {
                let found = shorten(text);
                Err(de::Error::custom(format_args!("expected a semantic version, found `{found}`: {fault}")))
            }
        }
    }
}
