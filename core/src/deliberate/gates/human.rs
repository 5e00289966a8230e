//! Situations that need human review: a risk over its threshold, or a failed deterministic check.

use super::super::{facts::LedgerFacts, reason::ReasonReporter};
use crate::documents::deliberation::ReasonCode;

pub(super) fn check(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    if facts.ledger.risk.is_some_and(|risk| risk.level > risk.threshold) {
        report.at("/risk/level", ReasonCode::RiskOverThreshold);
    }
    let checks = &facts.ledger.checks;
    if !checks.required_files_missing.is_empty() {
        report.at("/checks/required_files_missing", ReasonCode::RequiredFilesMissing);
    }
    if checks.tests_available == Some(false) {
        report.at("/checks/tests_available", ReasonCode::TestsUnavailable);
    }
    if !checks.permission_denied.is_empty() {
        report.at("/checks/permission_denied", ReasonCode::PermissionDenied);
    }
}
