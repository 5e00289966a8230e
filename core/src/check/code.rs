//! The codes of static findings: one table of what each says of a policy, and how grave that is.

use serde::{Deserialize, Serialize};

/// How grave a static finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum CheckSeverity {
    /// The policy does not do what it says.
    Error,
    /// The policy does what it says, and that is likely not what is meant.
    Warning,
}

impl CheckSeverity {
    /// The severity as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Declares the codes with their wire text, severity and meaning.
macro_rules! check_codes {
    ($($name:ident = $text:literal $severity:ident $meaning:literal,)+) => {
        /// What is wrong with a policy that can be used all the same (SPEC section 11).
        ///
        /// The texts never change once released; new codes may come.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum CheckCode { $(#[doc = $meaning] $name,)+ }

        impl CheckCode {
            /// All codes, in the order of the table, which is that of findings with one path.
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

            /// How grave every finding of this code is.
            #[must_use]
            pub const fn severity(self) -> CheckSeverity {
                match self { $(Self::$name => CheckSeverity::$severity,)+ }
            }

            /// One sentence on what the code says.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }
        }
    };
}

check_codes! {
    DeadRule = "dead_rule" Error
        "no evidence makes the rule fire or ask for a person: its condition never holds",
    ExcludedEvidence = "excluded_evidence" Error
        "the condition excludes the evidence that it needs: it can be false or unknown, and never hold",
    NeverHolds = "never_holds" Error
        "the condition never holds, and the rule does something only where evidence is missing",
    ShadowedRule = "shadowed_rule" Warning
        "whenever the rule fires, a more severe rule does too, so it never decides",
    AlwaysFires = "always_fires" Warning
        "the rule fires whatever the evidence is",
    DuplicateCondition = "duplicate_condition" Warning
        "the condition is that of an earlier rule",
    UnknownVariable = "unknown_variable" Error
        "a variable leads to nothing that an envelope or a fact can have, so it is always unknown",
    TypeError = "type_error" Error
        "an operator is given what it does not take: whenever the operand is known, there is no answer at all",
    NeverEqual = "never_equal" Error
        "a comparison with a value that what it is compared with never has",
    UnreachableStatus = "unreachable_status" Warning
        "no evidence leads to the status under this policy",
    IllegalRoutePattern = "illegal_route_pattern" Error
        "a pattern in `routes` that no step is given its role by",
    AmbiguousRoutes = "ambiguous_routes" Warning
        "`routes` names no forward step, so a success among several unclassified steps asks a human",
    UnstatedReview = "unstated_review" Warning
        "an `oa06.1` policy does not say when a success needs a review, so `first` applies",
    ShadowedPattern = "shadowed_pattern" Warning
        "a pattern of a list of paths changes nothing, because another covers it",
    UnmatchablePattern = "unmatchable_pattern" Warning
        "a pattern has white space or the syntax of another dialect in it, which is matched as it is: usual names never match",
    UnusedFix = "unused_fix" Warning
        "the `fix` of a rule that does not call for `partial` is never used",
    FailingTest = "failing_test" Error
        "a test of the policy fails",
    FindingsOmitted = "findings_omitted" Error
        "there are more findings than an answer lists",
    ImpossibleOutput = "impossible_output" Error
        "the schema of an output contract allows no output at all",
    UnsatisfiableConstraint = "unsatisfiable_constraint" Error
        "no output that the schema of its contract allows satisfies the constraint",
    ConflictingConstraints = "conflicting_constraints" Error
        "no output satisfies the constraint and other hard ones of its contract at once",
    DeadGuardrail = "dead_guardrail" Error
        "nothing makes the guardrail fire or ask a person: its condition is always false",
    UnreachableGuardrail = "unreachable_guardrail" Error
        "the guardrail never does what it says: it asks a person where something is missing, and nothing else",
}

/// Written as its text.
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
