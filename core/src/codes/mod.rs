//! Every error and every rule, each in one table: its code, what it means, what it calls for.
//!
//! Faces and the host print [`ErrorCode::as_str`], and rules are bound to a [`RuleCode`]. What a status or a severity
//! is stands here too, since rules are declared by them; how a decision comes to its status is the evaluator's.

mod error;
mod resolution;
mod rule;
mod status;

pub use error::{ErrorCode, Subject};
pub use resolution::ResolutionKind;
pub use rule::{RuleCode, RuleRow};
pub use status::{Severity, Status};

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn texts_are_unique_and_snake_case() {
        let errors = ErrorCode::ALL.iter().map(|code| code.as_str());
        let rules = RuleCode::ALL.iter().map(|code| code.row().name);
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
    fn failing_checks_raise_blockers() {
        for row in RuleCode::ALL.iter().map(|code| code.row()) {
            assert!(!row.failing_check || row.blocker.is_some(), "{}", row.name);
        }
    }
}
