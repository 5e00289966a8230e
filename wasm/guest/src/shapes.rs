//! The objects of an envelope. `cargo xtask generate` writes this file from the types of the engine.

use super::words::{CaseStatus, Change, Claim, FileKind, Intent, Opcode, Outcome, Role, Severity, Status};
use crate::{
    check::{Object, Shape, optional, required},
    rules,
};

/// One blocker of an earlier step.
pub(crate) static ENTRY_BLOCKER: Object = Object {
    expecting: "an object with `code` and `item`",
    fields: &[
        required("code", Shape::Text),
        required("item", Shape::Text),
    ],
    is_open: false,
    rule: rules::none,
};

/// Summary of an earlier step, with either `status` or `outcome`. EVALUATE entries have a `status`.
pub(crate) static ENTRY: Object = Object {
    expecting: "a window entry object",
    fields: &[
        required("step_id", Shape::Text),
        required("opcode", Shape::Word(Opcode::WORDS)),
        optional("status", Shape::Word(Status::WORDS)),
        optional("outcome", Shape::Word(Outcome::WORDS)),
        required("diff_summary", Shape::Text),
        required("risk_flags", Shape::List(&Shape::Text)),
        required("blocker_codes", Shape::List(&Shape::Text)),
        optional("blockers", Shape::List(&Shape::Object(&ENTRY_BLOCKER))),
        optional("failures", Shape::Count),
        optional("reviewed", Shape::Bool),
    ],
    is_open: false,
    rule: rules::entry,
};

/// The results of the validators. Other fields are carried and ignored, unless their name is close to one of these (OA06 section 2 names the minimum).
pub(crate) static VALIDATION: Object = Object {
    expecting: "a validation object",
    fields: &[
        required("mechanical_outcome", Shape::Word(Outcome::WORDS)),
        required("exit_codes", Shape::Map(&Shape::Integer)),
        required("timeouts", Shape::List(&Shape::Text)),
        optional("trees", Shape::Map(&Shape::Tree)),
    ],
    is_open: true,
    rule: rules::none,
};

/// One case of a harness report.
pub(crate) static CASE: Object = Object {
    expecting: "a harness case object",
    fields: &[
        required("id", Shape::Text),
        optional("kind", Shape::Text),
        required("status", Shape::Word(CaseStatus::WORDS)),
        optional("validator", Shape::Text),
        optional("repro", Shape::Text),
        optional("observations", Shape::Notes),
        optional("artifacts", Shape::List(&Shape::Text)),
        optional("file", Shape::Text),
    ],
    is_open: false,
    rule: rules::none,
};

/// The counts of a harness report.
pub(crate) static HARNESS_SUMMARY: Object = Object {
    expecting: "a summary object",
    fields: &[
        required("passed", Shape::Count),
        required("failed", Shape::Count),
        optional("flaky", Shape::Count),
        optional("duration_ms", Shape::Magnitude),
    ],
    is_open: false,
    rule: rules::none,
};

/// A remark on the user's experience.
pub(crate) static UX_FLAG: Object = Object {
    expecting: "a ux flag object",
    fields: &[
        required("severity", Shape::Word(Severity::WORDS)),
        required("area", Shape::Text),
        required("description", Shape::Text),
        optional("evidence_ref", Shape::Nullable(&Shape::Text)),
    ],
    is_open: false,
    rule: rules::none,
};

/// The report of a test harness. OA06 names only `proposed_goldens`, so every field is optional.
pub(crate) static HARNESS_REPORT: Object = Object {
    expecting: "a harness report object",
    fields: &[
        optional("suite_id", Shape::Text),
        optional("version", Shape::Text),
        optional("generated_at", Shape::Text),
        optional("cases", Shape::List(&Shape::Object(&CASE))),
        optional("summary", Shape::Object(&HARNESS_SUMMARY)),
        optional("ux_flags", Shape::List(&Shape::Object(&UX_FLAG))),
        optional("proposed_goldens", Shape::List(&Shape::Text)),
        optional("tree", Shape::Tree),
    ],
    is_open: false,
    rule: rules::none,
};

/// One changed file, or a directory of which only the name is known. A rename has the name it had in `from`.
pub(crate) static DIFF_FILE: Object = Object {
    expecting: "a changed file object",
    fields: &[
        required("path", Shape::Text),
        required("change", Shape::Word(Change::WORDS)),
        optional("from", Shape::Text),
        optional("kind", Shape::Word(FileKind::WORDS)),
        optional("insertions", Shape::Count),
        optional("deletions", Shape::Count),
    ],
    is_open: false,
    rule: rules::diff_file,
};

/// A typed diff.
pub(crate) static DIFF: Object = Object {
    expecting: "a diff object",
    fields: &[
        required("files", Shape::List(&Shape::Object(&DIFF_FILE))),
    ],
    is_open: false,
    rule: rules::none,
};

/// A change that a review asks for (OA06 section 3).
pub(crate) static EDIT: Object = Object {
    expecting: "an edit object",
    fields: &[
        required("target", Shape::Text),
        required("action", Shape::Text),
        required("rationale", Shape::Text),
    ],
    is_open: false,
    rule: rules::none,
};

/// An issue that a review found.
pub(crate) static REVIEW_ISSUE: Object = Object {
    expecting: "a review issue object",
    fields: &[
        required("id", Shape::Text),
        required("summary", Shape::Text),
        required("severity", Shape::Word(Severity::WORDS)),
        optional("evidence_ref", Shape::Nullable(&Shape::Text)),
        optional("edit", Shape::Object(&EDIT)),
    ],
    is_open: false,
    rule: rules::none,
};

/// The result of a review.
pub(crate) static REVIEW: Object = Object {
    expecting: "a review object",
    fields: &[
        required("artifact_ref", Shape::Text),
        required("issues", Shape::List(&Shape::Object(&REVIEW_ISSUE))),
        optional("tree", Shape::Tree),
    ],
    is_open: false,
    rule: rules::none,
};

/// Approvals required and granted.
pub(crate) static APPROVALS: Object = Object {
    expecting: "an approvals object",
    fields: &[
        required("required", Shape::List(&Shape::Text)),
        required("granted", Shape::List(&Shape::Text)),
    ],
    is_open: false,
    rule: rules::none,
};

/// Evidence that could not be collected.
pub(crate) static UNCOLLECTED: Object = Object {
    expecting: "an object with `what` and `reason`",
    fields: &[
        required("what", Shape::Text),
        required("reason", Shape::Text),
    ],
    is_open: false,
    rule: rules::none,
};

/// The results of the same checks on the base revision: the state before the change.
pub(crate) static BASELINE: Object = Object {
    expecting: "a baseline object",
    fields: &[
        optional("tree", Shape::Tree),
        required("exit_codes", Shape::Map(&Shape::Integer)),
        optional("timeouts", Shape::List(&Shape::Text)),
        optional("cases", Shape::List(&Shape::Object(&CASE))),
        optional("summary", Shape::Object(&HARNESS_SUMMARY)),
    ],
    is_open: false,
    rule: rules::none,
};

/// The evidence of the step that is evaluated.
pub(crate) static EVIDENCE: Object = Object {
    expecting: "an evidence object",
    fields: &[
        required("transcript_summary", Shape::Text),
        required("workspace_diff_summary", Shape::Text),
        required("validation", Shape::Object(&VALIDATION)),
        optional("harness_report", Shape::Nullable(&Shape::Object(&HARNESS_REPORT))),
        required("artifacts", Shape::List(&Shape::Text)),
        required("policy_events", Shape::List(&Shape::Text)),
        optional("step_intent", Shape::Word(Intent::WORDS)),
        optional("claims", Shape::List(&Shape::Word(Claim::WORDS))),
        optional("required_artifacts", Shape::List(&Shape::Pattern)),
        optional("required_validators", Shape::List(&Shape::Text)),
        optional("diff", Shape::Object(&DIFF)),
        optional("review", Shape::Object(&REVIEW)),
        optional("approvals", Shape::Object(&APPROVALS)),
        optional("uncollected", Shape::List(&Shape::Object(&UNCOLLECTED))),
        optional("tree", Shape::Tree),
        optional("baseline", Shape::Object(&BASELINE)),
    ],
    is_open: false,
    rule: rules::none,
};

/// Refinements allowed and spent (OA06.1 section 3).
pub(crate) static REFINEMENT: Object = Object {
    expecting: "a refinement object",
    fields: &[
        optional("cap", Shape::Count),
        required("spent", Shape::Count),
    ],
    is_open: false,
    rule: rules::none,
};

/// The opcode and role of an allowed next step.
pub(crate) static STEP_INFO: Object = Object {
    expecting: "an object with `opcode` and `role`",
    fields: &[
        optional("opcode", Shape::Word(Opcode::WORDS)),
        optional("role", Shape::Word(Role::WORDS)),
    ],
    is_open: false,
    rule: rules::none,
};

/// The input of an EVALUATE step.
pub(crate) static ENVELOPE: Object = Object {
    expecting: "an envelope object",
    fields: &[
        required("run_id", Shape::Text),
        required("workflow_id", Shape::Text),
        required("step_id", Shape::Text),
        required("evaluate_prompt", Shape::Prompt),
        required("allowed_next_steps", Shape::List(&Shape::Text)),
        required("provenance_window", Shape::List(&Shape::Object(&ENTRY))),
        required("evidence", Shape::Object(&EVIDENCE)),
        optional("evaluate_history", Shape::List(&Shape::Object(&ENTRY))),
        optional("refinement", Shape::Object(&REFINEMENT)),
        optional("steps", Shape::Map(&Shape::Object(&STEP_INFO))),
        optional("$schema", Shape::Anything),
    ],
    is_open: false,
    rule: rules::none,
};

/// A call of `evaluate`.
pub(crate) static EVALUATE_CALL: Object = Object {
    expecting: "an object with `envelope` and `policy`",
    fields: &[
        required("envelope", Shape::Object(&ENVELOPE)),
        optional("policy", Shape::Anything),
        optional("$schema", Shape::Anything),
    ],
    is_open: false,
    rule: rules::none,
};
