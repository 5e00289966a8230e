//! The words of an envelope and of a decision. `cargo xtask generate` writes this file from the types of the engine.

use crate::word::words;

words! {
    /// The six opcodes of a workflow step.
    Opcode {
        /// An agent works.
        RunAgent = "RUN_AGENT",
        /// Validators run.
        RunValidation = "RUN_VALIDATION",
        /// The evaluator decides.
        Evaluate = "EVALUATE",
        /// A human decides.
        Gate = "GATE",
        /// The workspace rolls back to an earlier state.
        Rollback = "ROLLBACK",
        /// The run ends.
        Stop = "STOP",
    }
}

words! {
    /// The status of a decision. The order is the precedence: the greatest status that a finding calls for wins.
    Status {
        /// No rule found a problem.
        Success = "success",
        /// Something failed, and the evidence shows how to fix it.
        Partial = "partial",
        /// There is no safe way forward.
        Blocked = "blocked",
        /// A human must decide.
        NeedsHuman = "needs_human",
        /// The state cannot be trusted.
        Unsafe = "unsafe",
    }
}

words! {
    /// The end of a step's process, whatever its checks found.
    Outcome {
        /// It ran to its end.
        Completed = "completed",
        /// It failed.
        Error = "error",
        /// It was killed at its time limit.
        KilledTimeout = "killed_timeout",
        /// It was killed for doing nothing.
        KilledIdle = "killed_idle",
        /// It was killed for breaking a policy.
        KilledPolicy = "killed_policy",
    }
}

words! {
    /// The result of a case.
    CaseStatus {
        /// The case passed.
        Passed = "passed",
        /// The case failed.
        Failed = "failed",
        /// The case did not run.
        Skipped = "skipped",
        /// The case passed in some runs and failed in others. It counts as neither.
        Flaky = "flaky",
    }
}

words! {
    /// A severity.
    Severity {
        /// Worth knowing; it stops nothing.
        Low = "low",
        /// It blocks the next step.
        Medium = "medium",
        /// It must not pass.
        High = "high",
    }
}

words! {
    /// The purpose of a step.
    Intent {
        /// The step adds something.
        Implement = "implement",
        /// The step fixes something.
        Fix = "fix",
        /// The step reviews.
        Review = "review",
        /// The step investigates.
        Investigate = "investigate",
        /// The step documents.
        Document = "document",
        /// Another purpose.
        Other = "other",
    }
}

words! {
    /// A claim of an agent about its own work.
    Claim {
        /// The agent added something.
        Implemented = "implemented",
        /// The agent fixed something.
        Fixed = "fixed",
        /// The tests passed.
        TestsPassed = "tests_passed",
        /// The agent reports an error.
        ErrorReported = "error_reported",
        /// There was nothing to change.
        NoChangeNeeded = "no_change_needed",
    }
}

words! {
    /// The change of a file.
    Change {
        /// The file is new.
        Added = "added",
        /// The file has other content.
        Modified = "modified",
        /// The file is deleted.
        Deleted = "deleted",
        /// The file has another path.
        Renamed = "renamed",
    }
}

words! {
    /// The kind of a changed path.
    FileKind {
        /// A file.
        File = "file",
        /// A directory whose files are not listed.
        Directory = "directory",
    }
}

words! {
    /// The role of a step in routing.
    Role {
        /// The step continues the work.
        Forward = "forward",
        /// The step fixes findings.
        Fix = "fix",
        /// The step asks a human.
        Gate = "gate",
        /// The step undoes the work.
        Rollback = "rollback",
        /// The step ends the run.
        Stop = "stop",
    }
}

words! {
    /// The source of the role of a step.
    ClassifiedBy {
        /// The envelope's `steps` or the policy's `routes`.
        Declared = "declared",
        /// The step is `STOP`.
        Reserved = "reserved",
        /// The words of its id.
        Named = "named",
        /// Nothing classifies the step. It counts as a forward step if it is the only such step and no step is declared forward.
        Unclassified = "unclassified",
    }
}

words! {
    /// The kind of act that resolves a finding.
    Resolution {
        /// A change to the work.
        AfterFix = "after_fix",
        /// The approval of a human.
        NeedsApproval = "needs_approval",
        /// The same step again.
        Retry = "retry",
        /// More or other evidence.
        ProvideEvidence = "provide_evidence",
        /// No act of the run resolves the finding.
        Terminal = "terminal",
    }
}
