//! The table of a built module.

use super::BuildReport;
use crate::table::{BOLD, Line, PLAIN, Page, counted};

/// Returns the table of a built module.
pub(super) fn page(report: &BuildReport) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text("BUILT", BOLD).text(&report.file, PLAIN));
    page.gap();
    let policy = &report.policy;
    page.digest("module", &report.digest.to_string());
    page.digest("policy", &policy.digest.to_string());
    page.digest("engine", &report.engine.digest.to_string());
    page.gap();
    page.row("module", &format!("{} {}", report.name, report.version));
    let rules = counted(policy.rules, "rule");
    page.row("policy", &format!("{} {}, {rules}", policy.name, policy.version));
    page.row("tests", &format!("{}, none failed", counted(report.tests, "test")));
    page.row("size", &format!("{} bytes; the engine has {}", report.bytes, report.engine.bytes));
    page
}
