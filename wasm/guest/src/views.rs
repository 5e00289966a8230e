//! The objects of an envelope. `cargo xtask generate` writes this file from the types of the engine.

use crate::{
    check::{Shape, optional, required},
    route::{Step, steps},
    rules::{diff_file, entry, none},
    value::Value,
    view::{field, list, map, nullable_field, optional_field, optional_list, views},
    words::{CaseStatus, Change, Claim, FileKind, Intent, Opcode, Outcome, Role, Severity, Status},
};

views! {
    /// One blocker of an earlier step.
    pub struct EntryBlocker: ENTRY_BLOCKER("an object with `code` and `item`", false, none) {
        /// The blocker's code.
        code: required(Shape::Text), field -> &'a str;
        /// The id, path, event or approval at fault.
        item: required(Shape::Text), field -> &'a str;
    }

    /// Summary of an earlier step, with either `status` or `outcome`. EVALUATE entries have a `status`.
    pub struct Entry: ENTRY("a window entry object", false, entry) {
        /// The step, for example `implement`.
        step_id: required(Shape::Text), field -> &'a str;
        /// The opcode of the step.
        opcode: required(Shape::Word(Opcode::WORDS)), field -> Opcode;
        /// The decision of an EVALUATE step.
        status: optional(Shape::Word(Status::WORDS)), optional_field -> Option<Status>;
        /// The end of the process of another step: completed, failed, or killed.
        outcome: optional(Shape::Word(Outcome::WORDS)), optional_field -> Option<Outcome>;
        /// The diff after the step, as git prints it.
        diff_summary: required(Shape::Text), field -> &'a str;
        /// The flags that were raised.
        risk_flags: required(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// The codes of the blockers.
        blocker_codes: required(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// The blockers with the items at fault, if the program keeps them: more exact than `blocker_codes`.
        blockers: optional(Shape::List(&Shape::Object(&ENTRY_BLOCKER))), optional_list -> Option<impl DoubleEndedIterator<Item = EntryBlocker<'a>>>;
        /// The number of failed checks, if the program keeps it.
        failures: optional(Shape::Count), optional_field -> Option<u64>;
        /// True if the evidence of an EVALUATE step held a review, if the program keeps it.
        reviewed: optional(Shape::Bool), optional_field -> Option<bool>;
    }

    /// The results of the validators. Other fields are carried and ignored, unless their name is close to one of these.
    pub struct Validation: VALIDATION("a validation object", true, none) {
        /// The end of the step's process: completed, failed, or killed.
        mechanical_outcome: required(Shape::Word(Outcome::WORDS)), field -> Outcome;
        /// The exit code of each validator, by its id.
        exit_codes: required(Shape::Map(&Shape::Integer)), map -> impl DoubleEndedIterator<Item = (&'a str, i64)>;
        /// The validators that reached their time limit. They failed, with or without an exit code.
        timeouts: required(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// The tree of the result of each validator, by its id.
        trees: optional(Shape::Map(&Shape::Tree)), map -> impl DoubleEndedIterator<Item = (&'a str, &'a str)>;
    }

    /// One case of a harness report.
    pub struct Case: CASE("a harness case object", false, none) {
        /// The id of the case.
        id: required(Shape::Text), field -> &'a str;
        /// The kind of the case.
        kind: optional(Shape::Text), optional_field -> Option<&'a str>;
        /// The result.
        status: required(Shape::Word(CaseStatus::WORDS)), field -> CaseStatus;
        /// The validator that ran it.
        validator: optional(Shape::Text), optional_field -> Option<&'a str>;
        /// A command that reproduces the result. A blank one counts as absent.
        repro: optional(Shape::Text), optional_field -> Option<&'a str>;
        /// Observations. The engine does not read them.
        observations: optional(Shape::Notes), optional_field -> Option<&'a Value<'a>>;
        /// Artifacts of the case.
        artifacts: optional(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// The file that has the case, for example `tests/test_login.py`.
        file: optional(Shape::Text), optional_field -> Option<&'a str>;
    }

    /// The counts of a harness report.
    pub struct HarnessSummary: HARNESS_SUMMARY("a summary object", false, none) {
        /// The number of cases that passed.
        passed: required(Shape::Count), field -> u64;
        /// The number of cases that failed.
        failed: required(Shape::Count), field -> u64;
        /// The number of flaky cases.
        flaky: optional(Shape::Count), optional_field -> Option<u64>;
        /// The duration of the suite in milliseconds, also with a fraction. The engine does not read it.
        duration_ms: optional(Shape::Magnitude), optional_field -> Option<&'a Value<'a>>;
    }

    /// A remark on the user's experience.
    pub struct UxFlag: UX_FLAG("a ux flag object", false, none) {
        /// The severity.
        severity: required(Shape::Word(Severity::WORDS)), field -> Severity;
        /// The area of the product.
        area: required(Shape::Text), field -> &'a str;
        /// The remark.
        description: required(Shape::Text), field -> &'a str;
        /// The artifact or the JSON Pointer that shows it.
        evidence_ref: optional(Shape::Nullable(&Shape::Text)), nullable_field -> Option<&'a str>;
    }

    /// The report of a test harness. Every field is optional.
    pub struct HarnessReport: HARNESS_REPORT("a harness report object", false, none) {
        /// The id of the suite.
        suite_id: optional(Shape::Text), optional_field -> Option<&'a str>;
        /// The version of the suite.
        version: optional(Shape::Text), optional_field -> Option<&'a str>;
        /// The time of the report. The engine does not read it.
        generated_at: optional(Shape::Text), optional_field -> Option<&'a str>;
        /// The cases that are listed.
        cases: optional(Shape::List(&Shape::Object(&CASE))), list -> impl DoubleEndedIterator<Item = Case<'a>>;
        /// The counts. Without them only the listed cases count.
        summary: optional(Shape::Object(&HARNESS_SUMMARY)), optional_field -> Option<HarnessSummary<'a>>;
        /// Remarks on the user's experience: facts for policies, with no status of their own.
        ux_flags: optional(Shape::List(&Shape::Object(&UX_FLAG))), list -> impl DoubleEndedIterator<Item = UxFlag<'a>>;
        /// Goldens that the harness proposes to replace. Any of them calls for a human.
        proposed_goldens: optional(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// The tree on which the harness ran.
        tree: optional(Shape::Tree), optional_field -> Option<&'a str>;
    }

    /// One changed file, or a directory of which only the name is known. A rename has the name it had in `from`.
    pub struct DiffFile: DIFF_FILE("a changed file object", false, diff_file) {
        /// The path, for example `src/lib.rs`.
        path: required(Shape::Text), field -> &'a str;
        /// The change.
        change: required(Shape::Word(Change::WORDS)), field -> Change;
        /// The earlier path, which a rename needs. It counts as a changed path.
        from: optional(Shape::Text), optional_field -> Option<&'a str>;
        /// The kind of the path: a directory stands for files that are not listed. A path that ends in `/`, and the root, is always a directory.
        kind: optional(Shape::Word(FileKind::WORDS)), optional_field -> Option<FileKind>;
        /// The number of added lines.
        insertions: optional(Shape::Count), optional_field -> Option<u64>;
        /// The number of deleted lines.
        deletions: optional(Shape::Count), optional_field -> Option<u64>;
    }

    /// A typed diff.
    pub struct Diff: DIFF("a diff object", false, none) {
        /// The files that changed.
        files: required(Shape::List(&Shape::Object(&DIFF_FILE))), list -> impl DoubleEndedIterator<Item = DiffFile<'a>>;
    }

    /// A change that a review asks for.
    pub struct ReviewEdit: EDIT("an edit object", false, none) {
        /// The place to change, for example `src/lib.rs`.
        target: required(Shape::Text), field -> &'a str;
        /// The change.
        action: required(Shape::Text), field -> &'a str;
        /// The reason for the change.
        rationale: required(Shape::Text), field -> &'a str;
    }

    /// An issue that a review found.
    pub struct ReviewIssue: REVIEW_ISSUE("a review issue object", false, none) {
        /// The id of the issue.
        id: required(Shape::Text), field -> &'a str;
        /// The issue in one line.
        summary: required(Shape::Text), field -> &'a str;
        /// The severity.
        severity: required(Shape::Word(Severity::WORDS)), field -> Severity;
        /// The artifact or the JSON Pointer that shows the issue.
        evidence_ref: optional(Shape::Nullable(&Shape::Text)), nullable_field -> Option<&'a str>;
        /// The change that fixes the issue.
        edit: optional(Shape::Object(&EDIT)), optional_field -> Option<ReviewEdit<'a>>;
    }

    /// The result of a review.
    pub struct Review: REVIEW("a review object", false, none) {
        /// The artifact that has the review, for example `review.md`.
        artifact_ref: required(Shape::Text), field -> &'a str;
        /// The issues that the review found.
        issues: required(Shape::List(&Shape::Object(&REVIEW_ISSUE))), list -> impl DoubleEndedIterator<Item = ReviewIssue<'a>>;
        /// The tree that was reviewed.
        tree: optional(Shape::Tree), optional_field -> Option<&'a str>;
    }

    /// Approvals required and granted.
    pub struct Approvals: APPROVALS("an approvals object", false, none) {
        /// The required approvals.
        required: required(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// The granted approvals.
        granted: required(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
    }

    /// Evidence that could not be collected.
    pub struct Uncollected: UNCOLLECTED("an object with `what` and `reason`", false, none) {
        /// The evidence, for example `coverage`.
        what: required(Shape::Text), field -> &'a str;
        /// The reason, for example `the report is missing`.
        reason: required(Shape::Text), field -> &'a str;
    }

    /// The results of the same checks on the base revision: the state before the change.
    pub struct Baseline: BASELINE("a baseline object", false, none) {
        /// The tree of the base revision.
        tree: optional(Shape::Tree), optional_field -> Option<&'a str>;
        /// The exit code of each validator, by its id.
        exit_codes: required(Shape::Map(&Shape::Integer)), map -> impl DoubleEndedIterator<Item = (&'a str, i64)>;
        /// The validators that reached their time limit.
        timeouts: optional(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// The cases that are listed.
        cases: optional(Shape::List(&Shape::Object(&CASE))), list -> impl DoubleEndedIterator<Item = Case<'a>>;
        /// The counts.
        summary: optional(Shape::Object(&HARNESS_SUMMARY)), optional_field -> Option<HarnessSummary<'a>>;
    }

    /// The evidence of the step that is evaluated.
    pub struct Evidence: EVIDENCE("an evidence object", false, none) {
        /// The statements of the agent or the validators: lines such as `intent: fix`, or JSON. Prose is no claim.
        transcript_summary: required(Shape::Text), field -> &'a str;
        /// The diff, as git prints it: `git status`, `git diff` and most of their formats. An empty text says that nothing changed.
        workspace_diff_summary: required(Shape::Text), field -> &'a str;
        /// The results of the validators.
        validation: required(Shape::Object(&VALIDATION)), field -> Validation<'a>;
        /// The parsed report of a test harness.
        harness_report: optional(Shape::Nullable(&Shape::Object(&HARNESS_REPORT))), nullable_field -> Option<HarnessReport<'a>>;
        /// The artifacts that there are, for example `test.log`.
        artifacts: required(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// Signals of the kernel, `class` or `class:detail`, for example `warning:budget`.
        policy_events: required(Shape::List(&Shape::Text)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// The purpose of the step. It replaces the intent in the transcript.
        step_intent: optional(Shape::Word(Intent::WORDS)), optional_field -> Option<Intent>;
        /// The claims of the agent. They replace the claims in the transcript. An empty list says that nothing is claimed.
        claims: optional(Shape::List(&Shape::Word(Claim::WORDS))), optional_list -> Option<impl DoubleEndedIterator<Item = Claim>>;
        /// Paths or globs that must be among the artifacts. A path is met by a file of that very path, a glob by a file that it matches. Files below a match count only where the entry ends in `/` or has a segment `**`.
        required_artifacts: optional(Shape::List(&Shape::Pattern)), list -> impl DoubleEndedIterator<Item = &'a str>;
        /// Validators that must have a result. An empty list says that no check is required.
        required_validators: optional(Shape::List(&Shape::Text)), optional_list -> Option<impl DoubleEndedIterator<Item = &'a str>>;
        /// The diff as a list of files. It replaces the summary.
        diff: optional(Shape::Object(&DIFF)), optional_field -> Option<Diff<'a>>;
        /// The result of a review.
        review: optional(Shape::Object(&REVIEW)), optional_field -> Option<Review<'a>>;
        /// Approvals required and granted.
        approvals: optional(Shape::Object(&APPROVALS)), optional_field -> Option<Approvals<'a>>;
        /// Evidence that could not be collected. Each distinct `what` calls for a human.
        uncollected: optional(Shape::List(&Shape::Object(&UNCOLLECTED))), list -> impl DoubleEndedIterator<Item = Uncollected<'a>>;
        /// The tree that is judged. A result of another tree is stale, and no result.
        tree: optional(Shape::Tree), optional_field -> Option<&'a str>;
        /// The results of the same checks on the base revision.
        baseline: optional(Shape::Object(&BASELINE)), optional_field -> Option<Baseline<'a>>;
    }

    /// Refinements allowed and spent.
    pub struct Refinement: REFINEMENT("a refinement object", false, none) {
        /// The number of allowed refinements. It can only lower the cap of the policy.
        cap: optional(Shape::Count), optional_field -> Option<u64>;
        /// The number of refinements that were made.
        spent: required(Shape::Count), field -> u64;
    }

    /// The opcode and role of an allowed next step.
    pub struct StepInfo: STEP_INFO("an object with `opcode` and `role`", false, none) {
        /// The opcode of the step.
        opcode: optional(Shape::Word(Opcode::WORDS)), optional_field -> Option<Opcode>;
        /// The role it plays, whatever its opcode and name.
        role: optional(Shape::Word(Role::WORDS)), optional_field -> Option<Role>;
    }

    /// The input of an EVALUATE step.
    pub struct Envelope: ENVELOPE("an envelope object", false, none) {
        /// The current run, for example `run-42`.
        run_id: required(Shape::Text), field -> &'a str;
        /// The workflow that the run follows, for example `release`.
        workflow_id: required(Shape::Text), field -> &'a str;
        /// The EVALUATE step itself, for example `evaluate`.
        step_id: required(Shape::Text), field -> &'a str;
        /// The prompt of the step, `id.vN`, for example `release-evaluator.v3`.
        evaluate_prompt: required(Shape::Prompt), field -> &'a str;
        /// The steps that may come next, in the workflow's order of preference, for example `publish`.
        allowed_next_steps: required(Shape::List(&Shape::Text)), steps -> impl Iterator<Item = Step<'a>>;
        /// Summaries of the latest steps, oldest first.
        provenance_window: required(Shape::List(&Shape::Object(&ENTRY))), list -> impl DoubleEndedIterator<Item = Entry<'a>>;
        /// The evidence of the current step.
        evidence: required(Shape::Object(&EVIDENCE)), field -> Evidence<'a>;
        /// Earlier EVALUATE results, oldest first. If present, also if empty, they replace the window for all counting.
        evaluate_history: optional(Shape::List(&Shape::Object(&ENTRY))), optional_list -> Option<impl DoubleEndedIterator<Item = Entry<'a>>>;
        /// The numbers of refinements that were allowed and spent. Without it, none is spent; under the profile `oa06.1` the history is counted.
        refinement: optional(Shape::Object(&REFINEMENT)), optional_field -> Option<Refinement<'a>>;
        /// The opcodes and roles of the allowed next steps, by step id. Entries of other steps are ignored.
        steps: optional(Shape::Map(&Shape::Object(&STEP_INFO))), map -> impl DoubleEndedIterator<Item = (&'a str, StepInfo<'a>)>;
        "$schema";
    }

    /// A call of `evaluate`.
    pub(crate) struct EvaluateCall: EVALUATE_CALL("an object with `envelope` and `policy`", false, none) {
        /// The evidence of the step.
        envelope: required(Shape::Object(&ENVELOPE)), field -> Envelope<'a>;
        /// The active policy, or null for none.
        policy: optional(Shape::Anything), field -> &'a Value<'a>;
        "$schema";
    }
}
