//! The errors that the core and the crate below it raise, and every rule, in tables: code, meaning, consequences.
//!
//! Faces and the host print [`ErrorCode::as_str`], and rules are bound to a [`RuleCode`]. What a status or a severity
//! is stands here too, since rules are declared by them; how a decision comes to its status is the evaluator's.

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
