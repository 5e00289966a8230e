//! Tests that ran on the base revision do not run any more, and nothing accounts for it.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::TestsShrunk, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    for tests in facts.shrunk_tests() {
        let (expected, actual) = (tests.expected, tests.actual);
        let summary = format_args!("`{}`: {actual} of {expected} tests still run", tests.item);
        report.at(&*tests.pointer, summary).item(&*tests.item).expected(expected).actual(actual).resolve(
            ResolutionKind::NeedsApproval,
            "restore the tests, or have a human approve that they are gone",
        );
    }
}
