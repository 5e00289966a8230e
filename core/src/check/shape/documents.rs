//! The members of the envelope and of structured facts, with the words of closed lists.

use super::{Member, Presence, Shape};

pub(super) const INTENTS: &[&str] = &["implement", "fix", "review", "investigate", "document", "other"];
pub(super) const CLAIMS: &[&str] =
    &["implemented", "fixed", "tests_passed", "error_reported", "no_change_needed"];
pub(super) const OUTCOMES: &[&str] =
    &["completed", "error", "killed_timeout", "killed_idle", "killed_policy"];
pub(super) const STATUSES: &[&str] = &["success", "partial", "blocked", "needs_human", "unsafe"];
pub(super) const CONTRADICTIONS: &[&str] =
    &["report_mismatch", "transcript_mismatch", "error_but_changed", "missing_artifact", "unsupported_claim"];
const CHANGES: &[&str] = &["added", "modified", "deleted", "renamed"];
const FILE_KINDS: &[&str] = &["file", "directory"];
const CASE_STATUSES: &[&str] = &["passed", "failed", "skipped", "flaky"];
const SEVERITIES: &[&str] = &["low", "medium", "high"];
const OPCODES: &[&str] = &["RUN_AGENT", "RUN_VALIDATION", "EVALUATE", "GATE", "ROLLBACK", "STOP"];
const ROLES: &[&str] = &["forward", "fix", "gate", "rollback", "stop"];

const fn always(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, presence: Presence::Always }
}

const fn optional(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, presence: Presence::Optional }
}

const fn nullable(name: &'static str, shape: Shape) -> Member {
    Member { name, shape, presence: Presence::Nullable }
}

const TEXTS: Shape = Shape::List(&Shape::Text);

/// An item of the fact `diff.files`.
pub(super) const CHANGED_FILE: &[Member] =
    &[always("path", Shape::Path), optional("change", Shape::Words(CHANGES))];

/// The envelope (SPEC section 3.1).
pub(in crate::check) const ENVELOPE: Shape = Shape::Object(&[
    always("run_id", Shape::Text),
    always("workflow_id", Shape::Text),
    always("step_id", Shape::Text),
    always("evaluate_prompt", Shape::Text),
    always("allowed_next_steps", TEXTS),
    always("provenance_window", Shape::List(&Shape::Object(ENTRY))),
    always("evidence", Shape::Object(EVIDENCE)),
    optional("evaluate_history", Shape::List(&Shape::Object(ENTRY))),
    optional("refinement", Shape::Object(&[optional("cap", Shape::Count), always("spent", Shape::Count)])),
    optional(
        "steps",
        Shape::Map(&Shape::Object(&[
            optional("opcode", Shape::Words(OPCODES)),
            optional("role", Shape::Words(ROLES)),
        ])),
    ),
]);

const ENTRY: &[Member] = &[
    always("step_id", Shape::Text),
    always("opcode", Shape::Words(OPCODES)),
    optional("status", Shape::Words(STATUSES)),
    optional("outcome", Shape::Words(OUTCOMES)),
    always("diff_summary", Shape::Text),
    always("risk_flags", TEXTS),
    always("blocker_codes", TEXTS),
    optional(
        "blockers",
        Shape::List(&Shape::Object(&[always("code", Shape::Text), always("item", Shape::Text)])),
    ),
    optional("failures", Shape::Count),
    optional("reviewed", Shape::Bool),
];

const EVIDENCE: &[Member] = &[
    always("transcript_summary", Shape::Text),
    always("workspace_diff_summary", Shape::Text),
    always(
        "validation",
        Shape::Open(&[
            always("mechanical_outcome", Shape::Words(OUTCOMES)),
            always("exit_codes", Shape::Map(&Shape::Integer)),
            always("timeouts", TEXTS),
        ]),
    ),
    nullable("harness_report", Shape::Object(HARNESS)),
    always("artifacts", TEXTS),
    always("policy_events", TEXTS),
    optional("step_intent", Shape::Words(INTENTS)),
    optional("claims", Shape::List(&Shape::Words(CLAIMS))),
    optional("required_artifacts", TEXTS),
    optional("required_validators", TEXTS),
    optional("diff", Shape::Object(&[always("files", Shape::List(&Shape::Object(DIFF_FILE)))])),
    optional("review", Shape::Object(REVIEW)),
    optional("approvals", Shape::Object(&[always("required", TEXTS), always("granted", TEXTS)])),
    optional(
        "uncollected",
        Shape::List(&Shape::Object(&[always("what", Shape::Text), always("reason", Shape::Text)])),
    ),
];

const HARNESS: &[Member] = &[
    optional("suite_id", Shape::Text),
    optional("version", Shape::Text),
    optional("generated_at", Shape::Text),
    optional(
        "cases",
        Shape::List(&Shape::Object(&[
            always("id", Shape::Text),
            optional("kind", Shape::Text),
            always("status", Shape::Words(CASE_STATUSES)),
            optional("validator", Shape::Text),
            optional("repro", Shape::Text),
            optional("observations", Shape::Notes),
            optional("artifacts", TEXTS),
        ])),
    ),
    optional(
        "summary",
        Shape::Object(&[
            always("passed", Shape::Count),
            always("failed", Shape::Count),
            optional("flaky", Shape::Count),
            optional("duration_ms", Shape::Count),
        ]),
    ),
    optional(
        "ux_flags",
        Shape::List(&Shape::Object(&[
            always("severity", Shape::Words(SEVERITIES)),
            always("area", Shape::Text),
            always("description", Shape::Text),
            nullable("evidence_ref", Shape::Text),
        ])),
    ),
    optional("proposed_goldens", TEXTS),
];

const DIFF_FILE: &[Member] = &[
    always("path", Shape::Text),
    always("change", Shape::Words(CHANGES)),
    optional("from", Shape::Text),
    optional("kind", Shape::Words(FILE_KINDS)),
    optional("insertions", Shape::Count),
    optional("deletions", Shape::Count),
];

const EDIT: &[Member] =
    &[always("target", Shape::Text), always("action", Shape::Text), always("rationale", Shape::Text)];

const REVIEW: &[Member] = &[
    always("artifact_ref", Shape::Text),
    always(
        "issues",
        Shape::List(&Shape::Object(&[
            always("id", Shape::Text),
            always("summary", Shape::Text),
            always("severity", Shape::Words(SEVERITIES)),
            nullable("evidence_ref", Shape::Text),
            optional("edit", Shape::Object(EDIT)),
        ])),
    ),
];
