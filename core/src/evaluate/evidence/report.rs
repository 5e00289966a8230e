//! The report of a test harness in the evidence.

use alloc::vec::Vec;
use core::fmt;

use adjudicate_lang::json::Nullable;
use serde::{Deserialize, de};

use crate::codes::Severity;

/// The report of a test harness. OA06 names only `proposed_goldens`, so every member is optional.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a harness report object")]
pub struct HarnessReport<'a> {
    /// Which suite ran.
    #[serde(default)]
    pub suite_id: Option<&'a str>,
    /// Its version.
    #[serde(default)]
    pub version: Option<&'a str>,
    /// When the report was made; carried, never read.
    #[serde(default)]
    pub generated_at: Option<&'a str>,
    /// The cases that are listed.
    #[serde(default)]
    #[serde(borrow)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub cases: Vec<Case<'a>>,
    /// The counts. Without them only the listed cases count.
    #[serde(default)]
    pub summary: Option<HarnessSummary>,
    /// Remarks on the user's experience: facts for policies, with no status of their own.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub ux_flags: Vec<UxFlag<'a>>,
    /// Goldens that the harness proposes to replace.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub proposed_goldens: Vec<&'a str>,
}

/// One case of a harness report.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a harness case object")]
pub struct Case<'a> {
    /// The case.
    pub id: &'a str,
    /// What sort of case it is.
    #[serde(default)]
    pub kind: Option<&'a str>,
    /// How it ended.
    pub status: CaseStatus,
    /// The validator that ran it.
    #[serde(default)]
    pub validator: Option<&'a str>,
    /// A command that reproduces the result.
    #[serde(default)]
    pub repro: Option<&'a str>,
    /// What was seen; carried, never read.
    #[serde(default)]
    #[serde(borrow)]
    pub observations: Option<Notes<'a>>,
    /// Artifacts of the case.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub artifacts: Vec<&'a str>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// As it should.
    Passed,
    /// Not as it should.
    Failed,
    /// It did not run.
    Skipped,
    /// Now so, now so: neither passed nor failed.
    Flaky,
}

impl CaseStatus {
    /// The word as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Flaky => "flaky",
        }
    }
}

/// The counts of a harness report.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a summary object")]
pub struct HarnessSummary {
    /// How many cases passed.
    pub passed: u64,
    /// How many cases failed.
    pub failed: u64,
    /// How many cases were flaky.
    #[serde(default)]
    pub flaky: Option<u64>,
    /// How long the suite took, in milliseconds; carried, never read.
    #[serde(default)]
    pub duration_ms: Option<u64>,
}

/// A remark on the user's experience.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a ux flag object")]
pub struct UxFlag<'a> {
    /// How grave it is.
    pub severity: Severity,
    /// Where.
    pub area: &'a str,
    /// What.
    pub description: &'a str,
    /// What backs it.
    #[serde(default)]
    pub evidence_ref: Nullable<&'a str>,
}

/// Text, or a list of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes<'a>(pub Vec<&'a str>);

impl<'de: 'a, 'a> Deserialize<'de> for Notes<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrTexts;

        impl<'de> de::Visitor<'de> for TextOrTexts {
            type Value = Notes<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of strings")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Notes(Vec::from([text])))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut texts = Vec::with_capacity(list.size_hint().unwrap_or_default());
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(Notes(texts))
            }
        }

        deserializer.deserialize_any(TextOrTexts)
    }
}
