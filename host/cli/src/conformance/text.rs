//! The report as text.

use adjudicate_conformance::{ConformanceReport, RequirementLevel, RequirementResult};
use anstyle::{AnsiColor, Style};

use crate::table::{BOLD, DIM, Line, PLAIN, Page, counted};

const GREEN: Style = AnsiColor::Green.on_default();
const RED: Style = AnsiColor::Red.on_default();
const YELLOW: Style = AnsiColor::Yellow.on_default();

/// The column of labelled text.
const HANG: usize = 9;

/// Returns the page of a report.
pub(super) fn page(module: &str, report: &ConformanceReport) -> Page {
    let mut page = Page::default();
    page.push(Line::at(0).text(module, BOLD));
    for finding in &report.findings {
        let is_must = finding.requirement.level == RequirementLevel::Must;
        let (label, style, detail) = match &finding.result {
            RequirementResult::Pass => ("ok", GREEN, None),
            RequirementResult::Fail(detail) if is_must => ("FAIL", RED.bold(), Some(detail)),
            RequirementResult::Fail(detail) => ("should", YELLOW, Some(detail)),
            RequirementResult::NotApplicable(detail) => ("-", DIM, Some(detail)),
            RequirementResult::NotJudged(detail) => ("?", DIM, Some(detail)),
            // A failed requirement explains it, and the last line has the count.
            RequirementResult::NotReached(_) => continue,
        };
        let line = Line::at(2).label(label, style, HANG).text(finding.requirement.id, PLAIN);
        page.push(line.text(finding.requirement.sentence, DIM));
        if let Some(detail) = detail {
            page.push(Line::at(HANG + 2).text(detail, style));
        }
    }
    page.gap();
    let (word, style) =
        if report.conforms { ("conforms:", GREEN) } else { ("does not conform:", RED.bold()) };
    let line = Line::at(0).text(word, style).text(&counted(report.passed, "requirement"), PLAIN);
    page.push(line.text(
        &format!(
            "met, {} not met, {} not applicable, {} not judged",
            report.failed, report.not_applicable, report.not_judged
        ),
        PLAIN,
    ));
    page
}
