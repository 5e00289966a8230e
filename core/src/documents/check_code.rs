//! The codes of static findings: one table of severities and meanings.

use core::fmt;

use adjudicate_lang::document::{Describe, Document, Type};
use serde::Serialize;

/// The severity of a static finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum CheckSeverity {
    /// The policy does not do what it says.
    Error,
    /// The policy works as written, but probably not as intended.
    Warning,
}

/// Declares the codes with their wire text, severity and meaning.
macro_rules! check_codes {
    ($($name:ident = $text:literal $severity:ident $meaning:literal,)+) => {
        /// The code of a problem in a valid policy (docs/reference/policies.md).
        ///
        /// The texts never change once released; new codes may come.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum CheckCode { $(#[doc = $meaning] $name,)+ }

        impl CheckCode {
            /// All codes, in the order of the table, which also orders findings with one path.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The code as it is written.
            ///
            /// ```
            /// use adjudicate_core::check::{CheckCode, CheckSeverity};
            /// assert_eq!(CheckCode::DeadRule.as_str(), "dead_rule");
            /// assert_eq!(CheckCode::DeadRule.severity(), CheckSeverity::Error);
            /// ```
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The severity of every finding with this code.
            #[must_use]
            pub const fn severity(self) -> CheckSeverity {
                match self { $(Self::$name => CheckSeverity::$severity,)+ }
            }

            /// The meaning in one sentence.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }
        }
    };
}

check_codes! {
    DeadRule = "dead_rule" Error
        "the rule can neither fire nor ask a human: its condition never holds",
    ExcludedEvidence = "excluded_evidence" Error
        "the condition excludes the evidence that it needs, so it is always false or unknown",
    NeverHolds = "never_holds" Error
        "the condition never holds, so the rule acts only if evidence is missing",
    ShadowedRule = "shadowed_rule" Warning
        "whenever the rule fires, a more severe rule does too, so it never decides",
    AlwaysFires = "always_fires" Warning
        "the rule fires for all evidence",
    DuplicateCondition = "duplicate_condition" Warning
        "an earlier rule has the same condition",
    UnknownVariable = "unknown_variable" Error
        "no envelope or fact can have the variable, so it is always unknown",
    TypeError = "type_error" Error
        "an operand has a type that the operator does not take, so each known value is an error",
    NeverEqual = "never_equal" Error
        "a comparison with a value that the other operand never has",
    FixedComparison = "fixed_comparison" Warning
        "an order comparison in a condition holds for every value that its variable can have, or for none",
    UnreachableStatus = "unreachable_status" Warning
        "no evidence leads to the status under this policy",
    IllegalRoutePattern = "illegal_route_pattern" Error
        "a pattern in `routes` that gives no step its role",
    AmbiguousRoutes = "ambiguous_routes" Warning
        "`routes` names no forward step, so a success among several unclassified steps asks a human",
    UnstatedReview = "unstated_review" Warning
        "an `oa06.1` policy does not say when a success needs a review, so `first` applies",
    ShadowedPattern = "shadowed_pattern" Warning
        "a pattern of a list of paths changes nothing, because another covers it",
    UnmatchablePattern = "unmatchable_pattern" Warning
        "a pattern has white space or foreign syntax, which is matched literally, so usual names never match",
    AcceptanceWithoutValidators = "acceptance_without_validators" Warning
        "the policy accepts known failures, and requires no validator",
    UnusedFix = "unused_fix" Warning
        "the `fix` of a rule that does not call for `partial` is never used",
    UnusedBlocker = "unused_blocker" Warning
        "the `blocker` of a rule that calls for `partial` is never raised",
    FailingTest = "failing_test" Error
        "a test of the policy fails",
    FindingsOmitted = "findings_omitted" Error
        "there are more findings than an answer lists",
    ImpossibleOutput = "impossible_output" Error
        "the schema of an output contract allows no output at all",
    UnsatisfiableConstraint = "unsatisfiable_constraint" Error
        "no output that the schema of its contract allows satisfies the constraint",
    ConflictingConstraints = "conflicting_constraints" Error
        "no output satisfies both the constraint and other hard constraints of its contract",
    DeadGuardrail = "dead_guardrail" Error
        "the guardrail can neither fire nor ask a human: its condition is always false",
    UnreachableGuardrail = "unreachable_guardrail" Error
        "the guardrail's action never runs: it only asks a human if something is missing",
}

impl fmt::Display for CheckCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Any string, because later versions may have further codes.
impl Describe for CheckCode {
    #[inline]
    fn describe() -> Type {
        Type::TEXT
    }
}

/// Serialized as its text.
impl Serialize for CheckCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn texts_are_unique_and_snake_case() {
        let texts: BTreeSet<_> = CheckCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), CheckCode::ALL.len());
        assert!(texts.iter().all(|text| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')));
    }
}
