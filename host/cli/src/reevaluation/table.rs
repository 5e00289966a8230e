//! The table of a report.

use std::collections::BTreeSet;

use adjudicate_host::reevaluation::{Label, OutcomeChange, ReevaluationReport, Sample, Side};

use crate::table::{BOLD, DIM, Line, PLAIN, Page, counted, word};

/// The columns of labels, and of the text after them: of a change, and of a side of a sample.
const ROW: (usize, usize) = (2, 16);
const SIDE: (usize, usize) = (6, 16);

/// The number of flags, blockers and rules that are listed.
const MOST_MOVED: usize = 30;

pub(super) fn page(report: &ReevaluationReport) -> Page {
    let mut page = Page::default();
    head(&mut page, report);
    transitions(&mut page, report);
    moved(&mut page, report);
    left_out(&mut page, report);
    expectations(&mut page, report);
    if !report.samples().is_empty() {
        page.heading("Samples");
        report.samples().iter().for_each(|each| sample(&mut page, each));
    }
    page
}

fn head(page: &mut Page, report: &ReevaluationReport) {
    let [wording, decision, status] =
        [OutcomeChange::Wording, OutcomeChange::Decision, OutcomeChange::Status]
            .map(|change| report.changed(change));
    let (outcome, style) = match (report.is_failed(), report.bad_lines(), decision) {
        (true, ..) => ("FAILED", word("error")),
        (false, 1.., _) => ("INCOMPLETE", word("error")),
        (false, 0, 0) => ("UNCHANGED", word("success")),
        (false, 0, _) => ("CHANGED", word("partial")),
    };
    let ((before, after), compared) = (report.names(), report.compared());
    page.line(0, &[(outcome, style), (before, PLAIN), ("->", DIM), (after, PLAIN)]);
    let counts = format!(
        "{} read, {compared} compared: {} the same, {} in wording only, {} in the decision, {status} in the status",
        report.read(),
        compared - wording,
        wording - decision,
        decision - status,
    );
    page.line(0, &[(&counts, DIM)]);
    if report.is_too_little() {
        let least = report.least();
        page.line(0, &[(&format!("{least} or more must be compared, so the replay fails"), style)]);
    }
    if report.is_exact() && wording > 0 {
        let answers = counted(wording, "answer");
        page.line(0, &[(&format!("{answers} of the recorded version changed in some byte"), style)]);
    }
}

/// Returns all statuses of the report, in their order.
pub(super) fn statuses(report: &ReevaluationReport) -> Vec<Label> {
    report.transitions().flat_map(|(from, to, _)| [from, to]).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the number of cases that changed from one status to another.
pub(super) fn count(report: &ReevaluationReport, from: Label, to: Label) -> Option<u64> {
    report.transitions().find(|flow| (flow.0, flow.1) == (from, to)).map(|(.., count)| count)
}

fn transitions(page: &mut Page, report: &ReevaluationReport) {
    let statuses = statuses(report);
    if statuses.is_empty() {
        return;
    }
    page.heading("Statuses");
    let widths: Vec<usize> = statuses.iter().map(|status| status.as_str().len().max(7)).collect();
    let first = widths.iter().max().copied().unwrap_or_default().max("before \\ now".len());
    let mut row = |name: &str, cells: Vec<String>, style| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("  {cell:>width$}"));
        page.push(Line::at(2).verbatim(&format!("{name:<first$}{}", cells.collect::<String>()), style));
    };
    row("before \\ now", statuses.iter().map(|status| status.as_str().to_owned()).collect(), DIM);
    for from in &statuses {
        let cell =
            |to: &Label| count(report, *from, *to).map_or("\u{b7}".to_owned(), |count| count.to_string());
        row(from.as_str(), statuses.iter().map(cell).collect(), PLAIN);
    }
}

fn moved(page: &mut Page, report: &ReevaluationReport) {
    if report.next_steps() == 0 && report.moved().next().is_none() {
        return;
    }
    page.heading("Added and removed");
    if report.next_steps() > 0 {
        let decisions = counted(report.next_steps(), "decision");
        page.labelled(ROW, "next step", &format!("changed in {decisions}"));
    }
    for (kind, name, appeared, disappeared) in report.moved().take(MOST_MOVED) {
        let counts = (&format!("+{appeared}"), &format!("-{disappeared}"));
        page.listed(ROW, kind, [[(name, PLAIN), (counts.0, BOLD), (counts.1, BOLD)]]);
    }
    if let more @ 1.. = report.moved().count().saturating_sub(MOST_MOVED) {
        page.line(2, &[(&format!("and {more} more, which `--format json` has"), DIM)]);
    }
}

fn left_out(page: &mut Page, report: &ReevaluationReport) {
    let numbered = |number: u64| Line::at(2).label(&number.to_string(), BOLD, 10);
    if report.not_replayable() > 0 {
        page.heading("Not replayable");
    }
    for (obstacle, count, numbers) in report.obstacles() {
        let first: Vec<_> = numbers.iter().take(5).map(u64::to_string).collect();
        page.push(numbered(count).text(&format!("{}: {}", obstacle.meaning(), first.join(", ")), PLAIN));
    }
    if report.bad_lines() > 0 {
        page.heading("Lines that cannot be read");
    }
    for (line, code, message) in report.first_bad_lines() {
        page.push(numbered(line).text(code, DIM).text(message, PLAIN));
    }
    if let more @ 1.. = report.bad_lines().saturating_sub(report.first_bad_lines().count() as u64) {
        page.line(10, &[(&format!("and {more} more"), DIM)]);
    }
}

fn expectations(page: &mut Page, report: &ReevaluationReport) {
    if report.expectations().next().is_some() {
        page.heading("Forbidden changes");
    }
    for (change, count) in report.expectations() {
        let (times, style) = match count {
            0 => ("none".to_owned(), PLAIN),
            _ => (counted(count, "time"), word("error")),
        };
        page.push(Line::at(2).label(change, PLAIN, ROW.1 + 8).text(&times, style));
    }
}

fn sample(page: &mut Page, sample: &Sample) {
    let Sample { number, run_id, before, after, .. } = sample;
    let [was, is] = [before, after].map(|side| (side.status.as_str(), word(side.status.as_str())));
    let run = run_id.as_deref().unwrap_or("(no run)");
    page.line(2, &[(&number.to_string(), BOLD), (run, PLAIN), was, ("->", DIM), is]);
    page.labelled(SIDE, "before", &details(before));
    page.labelled(SIDE, "now", &details(after));
    page.labelled(SIDE, "different", &sample.changed.join(", "));
    for (mark, findings) in [("+", &sample.appeared), ("-", &sample.disappeared)] {
        findings.iter().for_each(|finding| page.push(Line::at(6).label(mark, BOLD, 8).text(finding, PLAIN)));
    }
}

/// Returns the details of a side beyond its status.
fn details(side: &Side) -> String {
    if let Some(code) = &side.error {
        return format!("error {code}");
    }
    let step = side.next_step.as_deref().unwrap_or("no step");
    let list = |name: &str, items: &[String]| match items {
        [] => String::new(),
        items => format!("; {name} {}", items.join(", ")),
    };
    format!("{step}{}{}", list("flags", &side.risk_flags), list("blockers", &side.blockers))
}
