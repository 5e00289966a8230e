//! The evaluator envelope as it is on the wire (OA06 section 2, SPEC section 3.1).
//!
//! Types only: what a member may be is said here, what it means is not. Strings borrow from the text.

use alloc::{collections::BTreeMap, vec::Vec};
use core::fmt;

use serde::{Deserialize, Serialize, de};

use super::status::Status;
use crate::{
    json::{Nullable, Tape},
    paths::Pattern,
};

/// What a kernel hands to an EVALUATE step.
#[derive(Clone, Debug, Deserialize)]
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
    pub allowed_next_steps: Vec<&'a str>,
    /// Summaries of the latest steps, oldest first.
    pub provenance_window: Vec<Entry<'a>>,
    /// What is known of the current step.
    pub evidence: Evidence<'a>,
    /// Earlier EVALUATE results, oldest first; when present they replace the window for all counting.
    #[serde(default)]
    pub evaluate_history: Option<Vec<Entry<'a>>>,
    /// How many refinements were allowed and spent.
    #[serde(default)]
    pub refinement: Option<Refinement>,
    /// What is known of the allowed next steps, by step id.
    #[serde(default)]
    pub steps: BTreeMap<&'a str, StepInfo>,
}

impl<'t> Envelope<'t> {
    /// Reads the envelope that a tape holds.
    ///
    /// # Errors
    ///
    /// The first error in document order, with the path of the member at fault.
    ///
    /// ```
    /// use adjudicate_core::{ErrorCode, evaluate::Envelope, json};
    /// let tape = json::read(br#"{"run_id": "r1", "workflow": "w"}"#, json::Limits::DOCUMENT)?;
    /// let error = Envelope::from_tape(&tape).unwrap_err();
    /// assert_eq!((error.code(), error.path()), (ErrorCode::UnknownField, "/workflow"));
    /// assert_eq!(error.message(), "unknown field `workflow`");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn from_tape(tape: &'t Tape<'_>) -> Result<Self, crate::Error> {
        tape.decode()
    }
}

/// A prompt reference, `id.vN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PromptReference<'a>(pub &'a str);

impl<'de: 'a, 'a> Deserialize<'de> for PromptReference<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        let version = text.rsplit_once(".v").filter(|(id, _)| !id.is_empty()).map(|(_, version)| version);
        let is_number = |version: &str| !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit());
        if version.is_some_and(is_number) {
            return Ok(Self(text));
        }
        Err(de::Error::custom(format_args!("expected a prompt reference `id.vN`, found `{text}`")))
    }
}

/// The six opcodes of a workflow step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
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

/// What role a step plays for routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Goes on with the work.
    Forward,
    /// Mends what was found.
    Fix,
    /// Asks a person.
    Gate,
    /// Undoes the work.
    Rollback,
    /// Ends the run.
    Stop,
}

/// What is known of an allowed next step.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
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
            risk_flags: Vec<&'a str>,
            blocker_codes: Vec<&'a str>,
            #[serde(default)]
            #[serde(borrow)]
            blockers: Option<Vec<EntryBlocker<'a>>>,
            #[serde(default)]
            failures: Option<u64>,
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
        let Members { step_id, opcode, diff_summary, risk_flags, blocker_codes, blockers, failures, .. } =
            members;
        Ok(Self { step_id, opcode, result, diff_summary, risk_flags, blocker_codes, blockers, failures })
    }
}

/// What is known of the step that is evaluated.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an evidence object")]
pub struct Evidence<'a> {
    /// What the agent or validators said, in the line or JSON format of SPEC section 3.2.
    pub transcript_summary: &'a str,
    /// What changed, as git prints it.
    pub workspace_diff_summary: &'a str,
    /// How the validators ended.
    #[serde(borrow)]
    pub validation: Validation<'a>,
    /// The parsed report of a test harness.
    #[serde(default)]
    pub harness_report: Nullable<HarnessReport<'a>>,
    /// The artifacts that there are.
    pub artifacts: Vec<&'a str>,
    /// Signals of the kernel, `class` or `class:detail`.
    pub policy_events: Vec<&'a str>,
    /// What the step was for; wins over the transcript.
    #[serde(default)]
    pub step_intent: Option<Intent>,
    /// What the agent claims; wins over the transcript.
    #[serde(default)]
    pub claims: Option<Vec<Claim>>,
    /// Paths or globs that must be among the artifacts.
    #[serde(default)]
    pub required_artifacts: Vec<Pattern<'a>>,
    /// Validators that must have a result.
    #[serde(default)]
    pub required_validators: Vec<&'a str>,
    /// What changed; replaces the summary.
    #[serde(default)]
    pub diff: Option<Diff<'a>>,
    /// The outcome of a review.
    #[serde(default)]
    pub review: Option<Review<'a>>,
    /// Approvals required and granted.
    #[serde(default)]
    pub approvals: Option<Approvals<'a>>,
}

/// How the validators ended.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a validation object")]
pub struct Validation<'a> {
    /// How the step itself ended.
    pub mechanical_outcome: Outcome,
    /// Exit code by validator id.
    #[serde(borrow)]
    pub exit_codes: BTreeMap<&'a str, i64>,
    /// Validators that ran out of time.
    pub timeouts: Vec<&'a str>,
}

/// The report of a test harness.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a harness report object")]
pub struct HarnessReport<'a> {
    /// Which suite ran.
    pub suite_id: &'a str,
    /// Its version.
    #[serde(default)]
    pub version: Option<&'a str>,
    /// When the report was made; carried, never read.
    #[serde(default)]
    pub generated_at: Option<&'a str>,
    /// The cases that are listed.
    #[serde(borrow)]
    pub cases: Vec<Case<'a>>,
    /// The counts.
    pub summary: HarnessSummary,
    /// Remarks on the user's experience: facts for policies, with no status of their own.
    #[serde(default)]
    pub ux_flags: Vec<UxFlag<'a>>,
    /// Goldens that the harness proposes to replace.
    #[serde(default)]
    pub proposed_goldens: Vec<&'a str>,
}

/// One case of a harness report.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a harness case object")]
pub struct Case<'a> {
    /// The case.
    pub id: &'a str,
    /// What sort of case it is.
    #[serde(default)]
    pub kind: Option<&'a str>,
    /// How it ended.
    pub status: CaseStatus,
    /// A command that reproduces the result.
    #[serde(default)]
    pub repro: Option<&'a str>,
    /// What was seen; carried, never read.
    #[serde(default)]
    #[serde(borrow)]
    pub observations: Option<Notes<'a>>,
    /// Artifacts of the case.
    #[serde(default)]
    pub artifacts: Vec<&'a str>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
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

/// The counts of a harness report.
#[derive(Clone, Copy, Debug, Deserialize)]
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
                let mut texts = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(Notes(texts))
            }
        }

        deserializer.deserialize_any(TextOrTexts)
    }
}

/// How grave something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Stands in the way.
    Medium,
    /// Must not pass.
    High,
}

/// What a step was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To write something new.
    Implement,
    /// To mend something.
    Fix,
    /// To judge.
    Review,
    /// To find out.
    Investigate,
    /// To write documentation.
    Document,
    /// Anything else.
    Other,
}

/// What an agent says of its own work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Something new is there.
    Implemented,
    /// Something is mended.
    Fixed,
    /// The tests passed.
    TestsPassed,
    /// It could not do its work.
    ErrorReported,
    /// There was nothing to change.
    NoChangeNeeded,
}

/// A typed diff.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a diff object")]
pub struct Diff<'a> {
    /// The files that changed.
    #[serde(borrow)]
    pub files: Vec<DiffFile<'a>>,
}

/// One changed file. A rename has the name it had in `from`.
#[derive(Clone, Debug)]
pub struct DiffFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// What happened to it.
    pub change: Change,
    /// The path it had.
    pub from: Option<&'a str>,
    /// Lines that came.
    pub insertions: Option<u64>,
    /// Lines that went.
    pub deletions: Option<u64>,
}

impl<'de: 'a, 'a> Deserialize<'de> for DiffFile<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The members as they are declared; that a rename has a `from` is checked after.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, expecting = "a changed file object")]
        struct Members<'a> {
            path: &'a str,
            change: Change,
            #[serde(default)]
            from: Option<&'a str>,
            #[serde(default)]
            insertions: Option<u64>,
            #[serde(default)]
            deletions: Option<u64>,
        }
        let Members { path, change, from, insertions, deletions } = Members::deserialize(deserializer)?;
        if change == Change::Renamed && from.is_none() {
            return Err(de::Error::missing_field("from"));
        }
        Ok(Self { path, change, from, insertions, deletions })
    }
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added,
    /// It has other content.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path.
    Renamed,
}

/// The outcome of a review.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a review object")]
pub struct Review<'a> {
    /// Where the review is kept.
    pub artifact_ref: &'a str,
    /// What it found.
    #[serde(borrow)]
    pub issues: Vec<ReviewIssue<'a>>,
}

/// One finding of a review.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a review issue object")]
pub struct ReviewIssue<'a> {
    /// The issue.
    pub id: &'a str,
    /// What it is.
    pub summary: &'a str,
    /// How grave it is.
    pub severity: Severity,
    /// What backs it.
    #[serde(default)]
    pub evidence_ref: Nullable<&'a str>,
    /// What would mend it.
    #[serde(default)]
    #[serde(borrow)]
    pub edit: Option<Edit<'a>>,
}

/// A change that a review asks for (OA06 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an edit object")]
pub struct Edit<'a> {
    /// What to change.
    pub target: &'a str,
    /// How.
    pub action: &'a str,
    /// Why.
    pub rationale: &'a str,
}

/// Approvals required and granted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an approvals object")]
pub struct Approvals<'a> {
    /// What must be approved.
    pub required: Vec<&'a str>,
    /// What has been approved.
    #[serde(borrow)]
    pub granted: Vec<&'a str>,
}

/// Refinements allowed and spent (OA06.1 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a refinement object")]
pub struct Refinement {
    /// How many are allowed.
    #[serde(default)]
    pub cap: Option<u64>,
    /// How many were made.
    pub spent: u64,
}
