//! Every error code and every rule code, each in one table: its text, what it means, what it calls for.
//!
//! Nothing else in the workspace spells a code out: faces and the host print [`ErrorCode::as_str`], rules are
//! bound to a [`RuleCode`], and the documentation tables are read from here.

use crate::evaluate::Status;

/// Declares an enum of codes with their wire text and meaning.
macro_rules! error_codes {
    ($($(#[$group:meta])* $name:ident = $text:literal: $meaning:literal,)+) => {
        /// A stable code for "there is no answer" (SPEC section 1, rule 6).
        ///
        /// Codes that begin with `module_` come from a host that ran a policy module; the rest can come from any
        /// face. The text never changes once released.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ErrorCode { $(#[doc = $meaning] $name,)+ }

        impl ErrorCode {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The code as it is written in `{"error": {"code": ...}}`.
            ///
            /// ```
            /// assert_eq!(adjudicate_core::ErrorCode::UnknownField.as_str(), "unknown_field");
            /// ```
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// One sentence on what the code means.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }

            /// The code that is written so, or `None`.
            ///
            /// ```
            /// use adjudicate_core::ErrorCode;
            /// assert_eq!(ErrorCode::from_text("duplicate_key"), Some(ErrorCode::DuplicateKey));
            /// assert_eq!(ErrorCode::from_text("no_such_code"), None);
            /// ```
            #[must_use]
            pub fn from_text(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == text)
            }
        }
    };
}

error_codes! {
    MalformedJson = "malformed_json": "the text is not JSON, or not UTF-8",
    DuplicateKey = "duplicate_key": "an object has the same key twice",
    LimitExceeded = "limit_exceeded": "the input is too large, too deep, or too much work",
    UnknownField = "unknown_field": "an object has a member that its type does not declare",
    MissingField = "missing_field": "an object lacks a member that its type requires",
    InvalidValue = "invalid_value": "a value has the wrong type, or is outside of what its type allows",
    UnsupportedOperation = "unsupported_operation": "the engine or module does not offer this operation",
    InvalidPolicy = "invalid_policy": "the policy document is well formed but cannot mean anything",
    MalformedYaml = "malformed_yaml": "the text is not YAML, or not the part of it that has a JSON form",
    UnreadableInput = "unreadable_input": "a file or stream could not be read",
    UnwritableOutput = "unwritable_output": "the answer could not be written",
    WrongUsage = "wrong_usage": "the command line or call is not of the documented form",
    EngineLoad = "engine_load": "the WebAssembly of the engine itself could not be loaded",
    Trap = "trap": "the engine itself trapped; the next call has a fresh instance",
    ModuleMalformed = "module_malformed": "the bytes are not a WebAssembly module this host accepts",
    ModuleTooLarge = "module_too_large": "the module, or a part of it, is over a static limit",
    ModuleManifest = "module_manifest": "the manifest is missing, malformed, or disagrees with the exports",
    ModuleImports = "module_imports": "the module imports something",
    ModuleExports = "module_exports": "an export of the policy interface is missing or has the wrong type",
    ModuleAbi = "module_abi": "the module speaks a version of the interface that this host does not know",
    ModuleFeature = "module_feature": "the module uses a WebAssembly feature that policy modules may not use",
    ModuleMemoryType = "module_memory_type": "the module's memory is not one 32-bit memory of its own with a declared maximum",
    ModuleStart = "module_start": "the module has a start function, which would run before any limit is agreed",
    ModuleCompile = "module_compile": "the module could not be compiled",
    ModuleInputTooLarge = "module_input_too_large": "the input is over the limit set for the module",
    ModuleAllocRefused = "module_alloc_refused": "the module refused to make room for the input",
    ModuleOutOfFuel = "module_out_of_fuel": "the module used up its fuel",
    ModuleDeadline = "module_deadline": "the module ran past its wall-clock deadline",
    ModuleMemory = "module_memory": "the module asked for more memory than its limit",
    ModuleStack = "module_stack": "the module exhausted its stack",
    ModuleTrap = "module_trap": "the module trapped",
    ModuleBadPointer = "module_bad_pointer": "the module answered with an address outside of its memory",
    ModuleOutputTooLarge = "module_output_too_large": "the module's answer is over the limit",
    ModuleNotUtf8 = "module_not_utf8": "the module's answer is not UTF-8",
    ModuleMalformedReply = "module_malformed_reply": "the module's answer is not a reply of the policy interface",
    ModuleInvalidDecision = "module_invalid_decision": "the module's answer breaks the output contract",
    ModuleIllegalNextStep = "module_illegal_next_step": "the module chose a next step that is not allowed",
    HostOverloaded = "host_overloaded": "no instance was free in time",
    HostFault = "host_fault": "the host itself failed, for instance to reserve memory for instances",
}

/// What the table says about one rule (SPEC section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleFacts {
    /// The rule's name, as findings carry it.
    pub name: &'static str,
    /// The status its findings call for.
    pub status: Status,
    /// The other status it may call for, for the few rules that have two.
    pub alternative: Option<Status>,
    /// The risk flag it raises.
    pub flag: Option<&'static str>,
    /// The code of the blockers it raises.
    pub blocker: Option<&'static str>,
    /// Whether it looks at earlier findings instead of at evidence: such a finding never counts as a cause.
    pub escalation: bool,
    /// Whether its findings are failing checks, which raise a blocker at any status.
    pub failing_check: bool,
    /// One sentence on when it fires.
    pub meaning: &'static str,
}

/// Declares the rules in the order that findings have.
macro_rules! rule_codes {
    ($($name:ident = $text:literal {
        status: $status:ident $(or $alternative:ident)?,
        $(flag: $flag:literal,)? $(blocker: $blocker:literal,)? $(escalation: $escalation:literal,)?
        $(failing_check: $check:literal,)? meaning: $meaning:literal
    },)+) => {
        /// A built-in rule; the order of the variants is the order of findings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum RuleCode { $(#[doc = $meaning] $name,)+ }

        impl RuleCode {
            /// All rules, in the order that findings have.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The rule's row of the table.
            ///
            /// ```
            /// use adjudicate_core::{RuleCode, evaluate::Status};
            /// let row = RuleCode::Goldens.facts();
            /// assert_eq!((row.name, row.status), ("goldens", Status::NeedsHuman));
            /// ```
            #[must_use]
            pub const fn facts(self) -> RuleFacts {
                match self {
                    $(Self::$name => RuleFacts {
                        name: $text,
                        status: Status::$status,
                        alternative: first!($(Some(Status::$alternative),)? None),
                        flag: first!($(Some($flag),)? None),
                        blocker: first!($(Some($blocker),)? None),
                        escalation: first!($($escalation,)? false),
                        failing_check: first!($($check,)? false),
                        meaning: $meaning,
                    },)+
                }
            }
        }
    };
}

/// The first of its arguments: a default for what a table row leaves out.
macro_rules! first {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

rule_codes! {
    PolicyViolation = "policy_violation" {
        status: Unsafe, flag: "policy_violation", blocker: "policy_violation",
        meaning: "a violation event, a run killed by policy, or a changed file under a forbidden path"
    },
    ReportMismatch = "report_mismatch" {
        status: Unsafe, flag: "report_execution_mismatch", blocker: "report_execution_mismatch",
        meaning: "the harness or a claim says that checks pass while one of them failed"
    },
    TranscriptMismatch = "transcript_mismatch" {
        status: Partial, flag: "transcript_workspace_mismatch",
        meaning: "the agent claims a change, and the diff is empty"
    },
    ErrorButChanged = "error_but_changed" {
        status: NeedsHuman, flag: "transcript_workspace_mismatch", blocker: "error_but_changed",
        meaning: "the agent reports an error, and yet files changed"
    },
    MissingArtifact = "missing_artifact" {
        status: Blocked, flag: "missing_artifact", blocker: "missing_artifact",
        meaning: "a required artifact is absent"
    },
    UnsupportedClaim = "unsupported_claim" {
        status: Blocked, flag: "missing_artifact", blocker: "unsupported_claim",
        meaning: "the agent claims that tests passed, and nothing shows that any ran"
    },
    RepeatedContradiction = "repeated_contradiction" {
        status: Unsafe, flag: "repeated_contradiction", blocker: "repeated_contradiction", escalation: true,
        meaning: "a contradiction now, and a contradiction flag earlier"
    },
    Goldens = "goldens" {
        status: NeedsHuman, flag: "proposed_goldens_present", blocker: "goldens_need_approval",
        meaning: "the harness proposes new goldens"
    },
    Approval = "approval" {
        status: NeedsHuman, blocker: "approval_required",
        meaning: "an approval is required and not granted, or a protected file changed"
    },
    RepeatedPartial = "repeated_partial" {
        status: NeedsHuman, flag: "repeated_partial_loop", blocker: "repeated_partial_loop", escalation: true,
        meaning: "too many partial results in a row"
    },
    RepeatedBlocker = "repeated_blocker" {
        status: NeedsHuman, flag: "repeated_blocker", blocker: "repeated_blocker", escalation: true,
        meaning: "the same blocker again, without net improvement of the diff"
    },
    RefinementSpent = "refinement_spent" {
        status: NeedsHuman, blocker: "refinement_spent", escalation: true,
        meaning: "a fix is called for, and the refinements allowed are spent"
    },
    HardFailure = "hard_failure" {
        status: Blocked, blocker: "hard_failure",
        meaning: "the step failed with no failing validator to show why, or a required validator has no result"
    },
    Interrupted = "interrupted" {
        status: Partial or Blocked, blocker: "interrupted",
        meaning: "the step was killed by a time limit, once (partial) or twice in the same way (blocked)"
    },
    ValidationFailed = "validation_failed" {
        status: Partial, blocker: "validation_failed", failing_check: true,
        meaning: "a check failed, and the evidence shows how to fix it"
    },
    NoFixPath = "no_fix_path" {
        status: Blocked, blocker: "no_fix_path", failing_check: true,
        meaning: "a check failed, and nothing shows how to fix it"
    },
    CountMismatch = "count_mismatch" {
        status: NeedsHuman, flag: "harness_count_mismatch", blocker: "harness_count_mismatch",
        meaning: "the harness's counts disagree with its cases"
    },
    ReviewIssue = "review_issue" {
        status: Partial or Blocked, blocker: "review_issue",
        meaning: "the review found a medium or high issue, with an edit (partial) or without (blocked)"
    },
    EmptyDiff = "empty_diff" {
        status: Partial,
        meaning: "the step was to change something, changed nothing, and does not say why"
    },
    NoFixStep = "no_fix_step" {
        status: Partial,
        meaning: "a fix is called for, and no fix step is legal"
    },
    UnknownEvidence = "unknown_evidence" {
        status: NeedsHuman, blocker: "unknown_evidence",
        meaning: "evidence that the policy or the envelope asks for cannot be known"
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn texts_are_unique_and_snake_case() {
        let errors = ErrorCode::ALL.iter().map(|code| code.as_str());
        let rules = RuleCode::ALL.iter().map(|code| code.facts().name);
        for names in [errors.collect::<alloc::vec::Vec<_>>(), rules.collect()] {
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
            assert!(
                names
                    .iter()
                    .all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'8'))
            );
        }
    }

    #[test]
    fn partial_rules_raise_blockers_only_for_failing_checks() {
        for row in RuleCode::ALL.iter().map(|code| code.facts()) {
            assert!(!row.failing_check || row.blocker.is_some(), "{}", row.name);
        }
    }
}
