//! Tables of the error codes of the core and the crate below, and of the built-in rules.
//!
//! Interfaces print [`ErrorCode::as_str`], and rules are bound to a [`RuleCode`]. [`Status`] and [`Severity`] are here, too,
//! because the table of rules needs them. The evaluator derives the status of a decision.

mod error;
mod resolution;
mod rule;
mod status;

pub use error::*;
pub use resolution::ResolutionKind;
pub use rule::{FINDINGS_OMITTED, RuleCode, RuleRow};
pub use status::{Severity, Status};

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn names_of_rules_are_unique_and_snake_case() {
        let names: BTreeSet<_> = RuleCode::ALL.iter().map(|code| code.row().name).collect();
        assert_eq!(names.len(), RuleCode::ALL.len());
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
    }

    #[test]
    fn failing_checks_raise_blockers() {
        for row in RuleCode::ALL.iter().map(|code| code.row()) {
            assert!(!row.failing_check || row.blocker.is_some(), "{}", row.name);
        }
    }
}
