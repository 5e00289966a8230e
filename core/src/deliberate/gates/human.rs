//! What only a person can decide or repair: a risk, or a deterministic check that failed.

use super::super::{
    facts::Facts,
    reason::{ReasonCode, Reporter},
};

pub(super) fn check(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    if facts.ledger.risk.is_some_and(|risk| risk.level > risk.threshold) {
        report.at("/risk/level", ReasonCode::RiskOverThreshold);
    }
    let checks = facts.ledger.checks;
    if checks.lacks_files {
        report.at("/checks/required_files_missing", ReasonCode::RequiredFilesMissing);
    }
    if checks.lacks_tests {
        report.at("/checks/tests_available", ReasonCode::TestsUnavailable);
    }
    if checks.lacks_permission {
        report.at("/checks/permission_denied", ReasonCode::PermissionDenied);
    }
}
