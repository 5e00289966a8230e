//! The evaluator envelope as it is on the wire (OA06 section 2, SPEC section 3.1).
//!
//! Types only: what a member may be is said here, what it means is not. Strings borrow from the text.

use alloc::{collections::BTreeMap, vec::Vec};

use adjudicate_lang::json::{Tape, shorten};
use serde::{
    Deserialize, Serialize,
    de::{self, IgnoredAny},
};

use super::evidence::Evidence;
use crate::{codes::Status, policy::Role};

/// What a kernel hands to an EVALUATE step.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an envelope object")]
pub struct Envelope<'a> {
    /// The current run.
    pub run_id: &'a str,
    /// The workflow that the run follows.
    pub workflow_id: &'a str,
    /// The EVALUATE step itself.
    pub step_id: &'a str,
    /// Which prompt the step was given, `id.vN`.
    #[serde(borrow)]
    pub evaluate_prompt: PromptReference<'a>,
    /// The steps that may be chosen next, in the workflow's order of preference.
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub allowed_next_steps: Vec<&'a str>,
    /// Summaries of the latest steps, oldest first.
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub provenance_window: Vec<Entry<'a>>,
    /// What is known of the current step.
    pub evidence: Evidence<'a>,
    /// Earlier EVALUATE results, oldest first; when present they replace the window for all counting.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact_option")]
    pub evaluate_history: Option<Vec<Entry<'a>>>,
    /// How many refinements were allowed and spent.
    #[serde(default)]
    pub refinement: Option<Refinement>,
    /// What is known of the allowed next steps, by step id.
    #[serde(default)]
    pub steps: BTreeMap<&'a str, StepInfo>,
    /// For editors: the JSON Schema of the document. It is ignored, whatever it is.
    #[serde(rename = "$schema", default)]
    #[cfg_attr(feature = "typescript", tsify(optional, type = "string"))]
    pub schema: IgnoredAny,
}

impl<'t> Envelope<'t> {
    /// Reads the envelope that a tape holds.
    ///
    /// # Errors
    ///
    /// The first error in document order, with the path of the member at fault.
    ///
    /// ```
    /// use adjudicate_core::{codes, evaluate::Envelope, json};
    /// let tape = json::read(br#"{"run_id": "r1", "workflow": "w"}"#, json::Limits::DOCUMENT)?;
    /// let error = Envelope::from_tape(&tape).unwrap_err();
    /// assert_eq!((error.code(), error.path()), (codes::UNKNOWN_FIELD, "/workflow"));
    /// assert_eq!(error.message(), "unknown field `workflow`");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn from_tape(tape: &'t Tape<'_>) -> Result<Self, adjudicate_lang::Error> {
        tape.decode()
    }
}

/// A prompt reference, `id.vN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptReference<'a>(pub &'a str);

impl<'de: 'a, 'a> Deserialize<'de> for PromptReference<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let version = text.rsplit_once(".v").filter(|(id, _)| !id.is_empty()).map(|(_, version)| version);
        let is_number = |version: &str| !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit());
        if version.is_some_and(is_number) {
            return Ok(Self(text));
        }
        let found = shorten(text);
        Err(de::Error::custom(format_args!("expected a prompt reference `id.vN`, found `{found}`")))
    }
}

/// The six opcodes of a workflow step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Opcode {
    /// An agent works.
    RunAgent,
    /// Validators run.
    RunValidation,
    /// The evaluator decides.
    Evaluate,
    /// A person decides.
    Gate,
    /// The workspace goes back to an earlier state.
    Rollback,
    /// The run ends.
    Stop,
}

/// What is known of an allowed next step.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an object with `opcode` and `role`")]
pub struct StepInfo {
    /// The opcode of the step.
    #[serde(default)]
    pub opcode: Option<Opcode>,
    /// The role it plays, whatever its opcode and name.
    #[serde(default)]
    pub role: Option<Role>,
}

/// How a step ended, mechanically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran to its end.
    Completed,
    /// It failed.
    Error,
    /// It was killed at its time limit.
    KilledTimeout,
    /// It was killed for doing nothing.
    KilledIdle,
    /// It was killed for breaking a policy.
    KilledPolicy,
}

impl Outcome {
    /// The outcome as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Error => "error",
            Self::KilledTimeout => "killed_timeout",
            Self::KilledIdle => "killed_idle",
            Self::KilledPolicy => "killed_policy",
        }
    }
}

/// Summary of an earlier step. Exactly one of `status` and `outcome` is there; EVALUATE entries have a status.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The step.
    pub step_id: &'a str,
    /// Its opcode.
    pub opcode: Opcode,
    /// What it decided, or how it ended.
    pub result: EntryResult,
    /// The diff after the step, as text (SPEC section 3.2).
    pub diff_summary: &'a str,
    /// The flags that were raised.
    pub risk_flags: Vec<&'a str>,
    /// The codes of its blockers.
    pub blocker_codes: Vec<&'a str>,
    /// The blockers with the item at fault, where the kernel kept them.
    pub blockers: Option<Vec<EntryBlocker<'a>>>,
    /// How many checks failed, where the kernel kept it.
    pub failures: Option<u64>,
    /// `true` if the evidence of an EVALUATE step held a review, where the kernel kept it.
    pub reviewed: Option<bool>,
}

/// What an earlier step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryResult {
    /// A decision.
    Status(Status),
    /// A mechanical end.
    Outcome(Outcome),
}

/// One blocker of an earlier step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an object with `code` and `item`")]
pub struct EntryBlocker<'a> {
    /// The blocker's code.
    pub code: &'a str,
    /// The id, path, event or approval at fault.
    pub item: &'a str,
}

impl Entry<'_> {
    /// The status, if this is the result of an EVALUATE step.
    #[must_use]
    pub fn evaluated(&self) -> Option<Status> {
        match self.result {
            EntryResult::Status(status) if self.opcode == Opcode::Evaluate => Some(status),
            _ => None,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Entry<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The members as they are declared; that `status` and `outcome` exclude each other is checked after.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, expecting = "a window entry object")]
        struct Members<'a> {
            step_id: &'a str,
            opcode: Opcode,
            #[serde(default)]
            status: Option<Status>,
            #[serde(default)]
            outcome: Option<Outcome>,
            diff_summary: &'a str,
            #[serde(deserialize_with = "adjudicate_lang::json::exact")]
            risk_flags: Vec<&'a str>,
            #[serde(deserialize_with = "adjudicate_lang::json::exact")]
            blocker_codes: Vec<&'a str>,
            #[serde(default)]
            #[serde(borrow)]
            #[serde(deserialize_with = "adjudicate_lang::json::exact_option")]
            blockers: Option<Vec<EntryBlocker<'a>>>,
            #[serde(default)]
            failures: Option<u64>,
            #[serde(default)]
            reviewed: Option<bool>,
        }
        let members = Members::deserialize(deserializer)?;
        // A description instead of a name: the error points at the entry.
        let result = match (members.status, members.outcome) {
            (Some(_), Some(_)) => {
                return Err(de::Error::custom("an entry has `status` or `outcome`, not both"));
            }
            (None, None) => return Err(de::Error::missing_field("either `status` or `outcome`")),
            (None, Some(_)) if members.opcode == Opcode::Evaluate => {
                return Err(de::Error::missing_field("the `status` of an EVALUATE entry"));
            }
            (Some(status), None) => EntryResult::Status(status),
            (None, Some(outcome)) => EntryResult::Outcome(outcome),
        };
        let Members {
            step_id,
            opcode,
            diff_summary,
            risk_flags,
            blocker_codes,
            blockers,
            failures,
            reviewed,
            ..
        } = members;
        Ok(Self {
            step_id,
            opcode,
            result,
            diff_summary,
            risk_flags,
            blocker_codes,
            blockers,
            failures,
            reviewed,
        })
    }
}

/// Refinements allowed and spent (OA06.1 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a refinement object")]
pub struct Refinement {
    /// How many are allowed.
    #[serde(default)]
    pub cap: Option<u64>,
    /// How many were made.
    pub spent: u64,
}
