//! A module that was built, as a page.

use super::BuildReport;
use crate::table::{BOLD, DIM, Line, PLAIN, Page, counted};

/// Where labelled text begins.
const HANG: usize = 12;

/// The page of a module that was built.
pub(super) fn page(report: &BuildReport) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text("BUILT", BOLD).text(&report.file, PLAIN));
    page.gap();
    // A digest is 71 columns wide and is copied as a whole.
    let digest = |page: &mut Page, of: &str, digest: &str| {
        page.push(Line::at(0).label(of, DIM, 8).text(digest, PLAIN))
    };
    let row = |page: &mut Page, label: &str, told: &str| {
        page.push(Line::at(0).label(label, DIM, HANG).text(told, PLAIN))
    };
    let policy = &report.policy;
    digest(&mut page, "module", &report.digest);
    digest(&mut page, "policy", &policy.digest);
    digest(&mut page, "engine", &report.engine.digest);
    page.gap();
    row(&mut page, "module", &format!("{} {}", report.name, report.version));
    row(
        &mut page,
        "policy",
        &format!("{} {}, {}", policy.name, policy.version, counted(policy.rules, "rule")),
    );
    row(&mut page, "tests", &format!("{}, none failed", counted(report.tests, "test")));
    row(&mut page, "size", &format!("{} bytes; the engine has {}", report.bytes, report.engine.bytes));
    page
}
