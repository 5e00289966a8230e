//! The report as text.

use adjudicate_core::{Error, check::Difference};
use anstyle::{AnsiColor, Style};

use super::{
    coverage::{Coverage, RuleCoverage, StatusCoverage},
    items::ItemDifference,
    report::{SuiteReport, TestReport},
};
use crate::{
    layout::json,
    table::{BOLD, DIM, Line, PLAIN, Page, counted},
};

const GREEN: Style = AnsiColor::Green.on_default();
const RED: Style = AnsiColor::Red.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// The number of differences of one test that are shown, and of items that a list lacks or has in addition.
const SHOWN: usize = 20;

/// Returns the page of a report.
pub(super) fn page(report: &SuiteReport) -> Page {
    let mut page = Page::default();
    for policy in &report.policies {
        let line = Line::at(0).text(&policy.policy, BOLD).text(&policy.version, PLAIN);
        page.push(line.text(&policy.file, DIM));
        let mut file = &policy.file;
        for test in &policy.tests {
            if test.file != *file {
                file = &test.file;
                page.push(Line::at(2).text(file, DIM));
            }
            self::test(&mut page, test);
        }
        if policy.tests.is_empty() {
            page.push(Line::at(2).text("no tests", YELLOW));
        }
        rules(&mut page, &policy.coverage, report.min_coverage.filter(|_| report.is_under_covered(policy)));
        statuses(&mut page, &policy.coverage);
        page.gap();
    }
    page.push(summary(report));
    page
}

fn test(page: &mut Page, test: &TestReport) {
    let (label, style, name) = if test.passed { ("ok", GREEN, PLAIN) } else { ("FAIL", RED.bold(), BOLD) };
    page.push(Line::at(2).label(label, style, 8).text(&test.name, name));
    if let Some(error) = &test.error {
        page.push(Line::at(8).text(&error.to_string(), RED));
    }
    for difference in test.differences.iter().take(SHOWN) {
        self::difference(page, difference);
    }
    if test.differences.len() > SHOWN {
        page.push(Line::at(8).text(&format!("and {} more", test.differences.len() - SHOWN), DIM));
    }
}

fn difference(page: &mut Page, difference: &Difference) {
    let Difference { path, expected, actual } = difference;
    page.push(Line::at(8).verbatim(if path.is_empty() { "the answer" } else { path }, PLAIN));
    if let Some(ItemDifference { missing, extra }) = ItemDifference::new(difference) {
        items(page, "- missing", RED, &missing);
        return items(page, "+ extra", GREEN, &extra);
    }
    page.push(Line::at(10).label("- expected", RED, 21).verbatim(&json(expected), RED));
    let line = Line::at(10).label("+ actual", GREEN, 21);
    page.push(match actual {
        Some(actual) => line.verbatim(&json(actual), GREEN),
        None => line.text("nothing", GREEN),
    });
}

fn items(page: &mut Page, label: &str, style: Style, items: &[String]) {
    for item in items.iter().take(SHOWN) {
        page.push(Line::at(10).label(label, style, 21).verbatim(item, style));
    }
    if items.len() > SHOWN {
        page.push(Line::at(21).text(&format!("and {} more", items.len() - SHOWN), DIM));
    }
}

fn rules(page: &mut Page, coverage: &Coverage, required: Option<u8>) {
    let (covered, all) = (coverage.covered(), coverage.rules.len());
    let line = Line::at(2).label("rules", DIM, 12);
    if all == 0 {
        page.push(line.text("the policy has none of its own", DIM));
        return;
    }
    let style = if covered == all { GREEN } else { YELLOW };
    let line = line.text(&format!("{covered} of {all} covered, {} %", coverage.percent()), style);
    page.push(match required {
        Some(required) => line.text(&format!("where {required} % are required"), RED.bold()),
        None => line,
    });
    let width = coverage.rules.iter().map(|rule| rule.id.chars().count()).max().unwrap_or(0).min(40);
    for rule in &coverage.rules {
        let RuleCoverage { id, fired, quiet, unknown, .. } = rule;
        let line = Line::at(4).label(id, if rule.is_covered() { PLAIN } else { YELLOW }, 6 + width);
        let line = line.text(&format!("fired {fired}, quiet {quiet}, unknown {unknown}"), DIM);
        page.push(match (fired, quiet) {
            (0, 0) => line.text("never known", YELLOW),
            (0, _) => line.text("never fired", YELLOW),
            (_, 0) => line.text("never quiet", YELLOW),
            _ => line,
        });
    }
}

fn statuses(page: &mut Page, coverage: &Coverage) {
    let names = |reached: bool| {
        let statuses = coverage.statuses.iter().filter(move |status| (status.reached > 0) == reached);
        let names: Vec<_> = statuses.map(|StatusCoverage { status, .. }| status.as_str()).collect();
        names.join(", ")
    };
    let (reached, unreached) = (names(true), names(false));
    let line = Line::at(2).label("statuses", DIM, 12);
    let line = line.text(if reached.is_empty() { "none" } else { &reached }, PLAIN);
    page.push(match unreached.as_str() {
        "" => line,
        unreached => line.text("(not reached:", DIM).text(&format!("{unreached})"), DIM),
    });
}

fn summary(report: &SuiteReport) -> Line {
    let SuiteReport { passed, failed, .. } = report;
    let under = report.policies.iter().filter(|policy| report.is_under_covered(policy)).count();
    let line = Line::at(0).text(&format!("{}:", counted(passed + failed, "test")), BOLD);
    let line = line.text(&format!("{passed} passed,"), if *failed == 0 { GREEN } else { PLAIN });
    let line = line.text(&format!("{failed} failed"), if *failed == 0 { PLAIN } else { RED.bold() });
    match (passed + failed, under) {
        (0, _) => line.text("(nothing was tested)", RED.bold()),
        (_, 0) => line,
        (_, 1) => line.text("(1 policy is covered too little)", RED.bold()),
        _ => line.text(&format!("({under} policies are covered too little)"), RED.bold()),
    }
}

/// Returns the page for an error that prevents a report, with its others.
pub(super) fn error_page(error: &Error) -> Page {
    let mut page = Page::default();
    for error in error.all() {
        let code = format!("error[{}]:", error.code());
        page.push(Line::at(0).text(&code, RED.bold()).text(error.message(), BOLD));
        if !error.path().is_empty() {
            page.push(Line::at(2).label("at", DIM, 5).verbatim(error.path(), PLAIN));
        }
    }
    page
}
