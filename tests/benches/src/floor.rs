//! The codec floor: the time that `serde_json` alone takes to read the same envelope into types and to write the same
//! answer.
//!
//! The types mirror the envelope of docs/reference/envelope.md, and borrow text without escapes. They check no meaning of a value
//! and skip unknown fields. So any reader that builds a typed envelope does at least this much.

use std::{borrow::Cow, collections::BTreeMap, hint::black_box};

use adjudicate_core::evaluate::Evaluation;
use serde::Deserialize;

/// Reads the envelope and writes the answer. Returns the length of the written text.
///
/// # Errors
///
/// If the text is not an envelope.
pub(crate) fn read_and_write(envelope: &[u8], answer: &Evaluation<'_>) -> serde_json::Result<usize> {
    let envelope: Envelope<'_> = serde_json::from_slice(envelope)?;
    black_box(&envelope);
    Ok(black_box(serde_json::to_string(answer)?).len())
}

/// Text that borrows from the input if possible. A bare `Cow` in a list is always copied.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(transparent)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Declares mirrored objects, whose fields are all read.
macro_rules! mirrored {
    ($(struct $name:ident<$lifetime:lifetime> { $($field:ident: $type:ty),+ $(,)? })+) => { $(
        #[derive(Deserialize)]
        #[serde(bound(deserialize = "'de: 'a"))]
        #[expect(dead_code, reason = "reading it is the work that is measured")]
        struct $name<$lifetime> { $($field: $type,)+ }
    )+ };
}

/// Declares mirrored numbers.
macro_rules! counts {
    ($(struct $name:ident { $($field:ident: $type:ty),+ $(,)? })+) => { $(
        #[derive(Deserialize)]
        #[expect(dead_code, reason = "reading it is the work that is measured")]
        struct $name { $($field: $type,)+ }
    )+ };
}

/// Declares mirrored words.
macro_rules! words {
    ($(enum $name:ident ($case:literal) { $($word:ident),+ $(,)? })+) => { $(
        #[derive(Deserialize)]
        #[serde(rename_all = $case)]
        enum $name { $($word,)+ }
    )+ };
}

mirrored! {
    struct Envelope<'a> {
        run_id: Text<'a>,
        workflow_id: Text<'a>,
        step_id: Text<'a>,
        evaluate_prompt: Text<'a>,
        allowed_next_steps: Vec<Text<'a>>,
        provenance_window: Vec<Entry<'a>>,
        evidence: Evidence<'a>,
        evaluate_history: Option<Vec<Entry<'a>>>,
        refinement: Option<Refinement>,
        steps: Option<BTreeMap<Text<'a>, Step>>,
    }
    struct Entry<'a> {
        step_id: Text<'a>,
        opcode: Opcode,
        status: Option<Status>,
        outcome: Option<Outcome>,
        diff_summary: Text<'a>,
        risk_flags: Vec<Text<'a>>,
        blocker_codes: Vec<Text<'a>>,
        blockers: Option<Vec<EntryBlocker<'a>>>,
        failures: Option<u64>,
    }
    struct EntryBlocker<'a> {
        code: Text<'a>,
        item: Text<'a>,
    }
    struct Evidence<'a> {
        transcript_summary: Text<'a>,
        workspace_diff_summary: Text<'a>,
        validation: Validation<'a>,
        harness_report: Option<HarnessReport<'a>>,
        artifacts: Vec<Text<'a>>,
        policy_events: Vec<Text<'a>>,
        step_intent: Option<Intent>,
        claims: Option<Vec<Claim>>,
        required_artifacts: Option<Vec<Text<'a>>>,
        required_validators: Option<Vec<Text<'a>>>,
        diff: Option<Diff<'a>>,
        review: Option<Review<'a>>,
        approvals: Option<Approvals<'a>>,
    }
    struct Validation<'a> {
        mechanical_outcome: Outcome,
        exit_codes: BTreeMap<Text<'a>, i64>,
        timeouts: Vec<Text<'a>>,
    }
    struct HarnessReport<'a> {
        suite_id: Text<'a>,
        version: Option<Text<'a>>,
        generated_at: Option<Text<'a>>,
        cases: Vec<Case<'a>>,
        summary: HarnessSummary,
        ux_flags: Option<Vec<UxFlag<'a>>>,
        proposed_goldens: Option<Vec<Text<'a>>>,
    }
    struct Case<'a> {
        id: Text<'a>,
        kind: Option<Text<'a>>,
        status: CaseStatus,
        repro: Option<Text<'a>>,
        observations: Option<Vec<Text<'a>>>,
        artifacts: Option<Vec<Text<'a>>>,
    }
    struct UxFlag<'a> {
        severity: Severity,
        area: Text<'a>,
        description: Text<'a>,
        evidence_ref: Option<Text<'a>>,
    }
    struct Diff<'a> {
        files: Vec<DiffFile<'a>>,
    }
    struct DiffFile<'a> {
        path: Text<'a>,
        change: Change,
        from: Option<Text<'a>>,
        insertions: Option<u64>,
        deletions: Option<u64>,
    }
    struct Review<'a> {
        artifact_ref: Text<'a>,
        issues: Vec<ReviewIssue<'a>>,
    }
    struct ReviewIssue<'a> {
        id: Text<'a>,
        summary: Text<'a>,
        severity: Severity,
        evidence_ref: Option<Text<'a>>,
        edit: Option<Edit<'a>>,
    }
    struct Edit<'a> {
        target: Text<'a>,
        action: Text<'a>,
        rationale: Text<'a>,
    }
    struct Approvals<'a> {
        required: Vec<Text<'a>>,
        granted: Vec<Text<'a>>,
    }
}

counts! {
    struct Refinement { cap: Option<u64>, spent: u64 }
    struct Step { opcode: Option<Opcode>, role: Option<Role> }
    struct HarnessSummary { passed: u64, failed: u64, flaky: Option<u64>, duration_ms: Option<u64> }
}

words! {
    enum Opcode ("SCREAMING_SNAKE_CASE") { RunAgent, RunValidation, Evaluate, Gate, Rollback, Stop }
    enum Status ("snake_case") { Success, Partial, Blocked, NeedsHuman, Unsafe }
    enum Outcome ("snake_case") { Completed, Error, KilledTimeout, KilledIdle, KilledPolicy }
    enum Role ("snake_case") { Forward, Fix, Gate, Rollback, Stop }
    enum Intent ("snake_case") { Implement, Fix, Review, Investigate, Document, Other }
    enum Claim ("snake_case") { Implemented, Fixed, TestsPassed, ErrorReported, NoChangeNeeded }
    enum CaseStatus ("snake_case") { Passed, Failed, Skipped, Flaky }
    enum Severity ("snake_case") { Low, Medium, High }
    enum Change ("snake_case") { Added, Modified, Deleted, Renamed }
}
