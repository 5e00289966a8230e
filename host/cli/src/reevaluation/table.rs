//! The table of a report.

use adjudicate_host::reevaluation::{Change, Label, Report, Sample, Side};
use anstyle::{AnsiColor, Style};

use crate::table::{BOLD, DIM, Line, PLAIN, Page, counted};

/// The column of labelled text.
const HANG: usize = 16;

/// The number of flags, blockers and rules that are listed.
const MOST_MOVED: usize = 30;

pub(super) fn page(report: &Report) -> Page {
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

fn head(page: &mut Page, report: &Report) {
    let style = |color: AnsiColor| BOLD.fg_color(Some(color.into()));
    let changed = report.changed(Change::Decision);
    let (word, style) = match (report.is_failed(), report.bad_lines(), changed) {
        (true, ..) => ("FAILED ", style(AnsiColor::Red)),
        (false, 1.., _) => ("INCOMPLETE ", style(AnsiColor::Red)),
        (false, 0, 0) => ("UNCHANGED ", style(AnsiColor::Green)),
        (false, 0, _) => ("CHANGED ", style(AnsiColor::Yellow)),
    };
    let (before, after) = report.names();
    page.push(Line::at(0).text(word, style).text(before, PLAIN).text("->", DIM).text(after, PLAIN));
    let line_text = format!(
        "{} read, {} compared: {} the same, {} in wording only, {} in the decision, {} in the status",
        report.read(),
        report.compared(),
        report.compared() - report.changed(Change::Wording),
        report.changed(Change::Wording) - report.changed(Change::Decision),
        report.changed(Change::Decision) - report.changed(Change::Status),
        report.changed(Change::Status),
    );
    page.push(Line::at(0).text(&line_text, DIM));
    if report.is_too_little() {
        let least = report.least();
        let line_text = format!("{least} or more must be compared, so the replay fails");
        page.push(Line::at(0).text(&line_text, style));
    }
    if report.is_exact() && report.changed(Change::Wording) > 0 {
        let line_text = counted(report.changed(Change::Wording), "answer");
        page.push(
            Line::at(0).text(&format!("{line_text} of the recorded version changed in some byte"), style),
        );
    }
}

fn transitions(page: &mut Page, report: &Report) {
    if report.compared() == 0 {
        return;
    }
    page.heading("Statuses");
    let from = report.transitions().map(|(from, ..)| from);
    let to = report.transitions().map(|(_, to, _)| to);
    let mut labels: Vec<Label> = from.chain(to).collect();
    labels.sort_unstable();
    labels.dedup();
    let widths: Vec<usize> = labels.iter().map(|label| label.as_str().len().max(7)).collect();
    let first = widths.iter().max().copied().unwrap_or_default().max("before \\ now".len());
    let cells = |name: &str, cells: Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{name:<first$}{}", cells.collect::<String>())
    };
    let names = labels.iter().map(|label| label.as_str().to_owned()).collect();
    page.push(Line::at(2).verbatim(&cells("before \\ now", names), DIM));
    for row in &labels {
        let count = |column: &Label| {
            let found = report.transitions().find(|(from, to, _)| (from, to) == (row, column));
            found.map_or_else(|| "\u{b7}".to_owned(), |(.., count)| count.to_string())
        };
        page.push(Line::at(2).verbatim(&cells(row.as_str(), labels.iter().map(count).collect()), PLAIN));
    }
}

fn moved(page: &mut Page, report: &Report) {
    if report.next_steps() == 0 && report.moved().next().is_none() {
        return;
    }
    page.heading("Added and removed");
    if report.next_steps() > 0 {
        let line_text = counted(report.next_steps(), "decision");
        page.push(
            Line::at(2).label("next step", PLAIN, HANG).text(&format!("changed in {line_text}"), PLAIN),
        );
    }
    for (kind, name, appeared, disappeared) in report.moved().take(MOST_MOVED) {
        let line = Line::at(2).label(kind, DIM, HANG).text(name, PLAIN);
        page.push(line.text(&format!("+{appeared}"), BOLD).text(&format!("-{disappeared}"), BOLD));
    }
    if let more @ 1.. = report.moved().count().saturating_sub(MOST_MOVED) {
        page.push(Line::at(2).text(&format!("and {more} more, which `--format json` has"), DIM));
    }
}

fn left_out(page: &mut Page, report: &Report) {
    if report.not_replayable() > 0 {
        page.heading("Not replayable");
        for (obstacle, count, numbers) in report.obstacles() {
            let first: Vec<_> = numbers.iter().take(5).map(u64::to_string).collect();
            let line_text = format!("{}: {}", obstacle.meaning(), first.join(", "));
            page.push(Line::at(2).label(&count.to_string(), BOLD, 10).text(&line_text, PLAIN));
        }
    }
    if report.bad_lines() > 0 {
        page.heading("Lines that cannot be read");
        for (line, code, message) in report.first_bad_lines() {
            page.push(Line::at(2).label(&line.to_string(), BOLD, 10).text(code, DIM).text(message, PLAIN));
        }
        let shown = report.first_bad_lines().count() as u64;
        if report.bad_lines() > shown {
            let line_text = format!("and {} more", report.bad_lines() - shown);
            page.push(Line::at(10).text(&line_text, DIM));
        }
    }
}

fn expectations(page: &mut Page, report: &Report) {
    if report.expectations().next().is_none() {
        return;
    }
    page.heading("Forbidden changes");
    for (change, count) in report.expectations() {
        let line_text = if count == 0 { "none".to_owned() } else { counted(count, "time") };
        let style = if count == 0 { PLAIN } else { BOLD.fg_color(Some(AnsiColor::Red.into())) };
        page.push(Line::at(2).label(change, PLAIN, HANG + 8).text(&line_text, style));
    }
}

fn sample(page: &mut Page, sample: &Sample) {
    let run = sample.run_id.as_deref().unwrap_or("(no run)");
    let line = Line::at(2).text(&sample.number.to_string(), BOLD).text(run, PLAIN);
    let line = line.text(sample.before.status.as_str(), status(&sample.before)).text("->", DIM);
    page.push(line.text(sample.after.status.as_str(), status(&sample.after)));
    for (name, side) in [("before", &sample.before), ("now", &sample.after)] {
        page.push(Line::at(6).label(name, DIM, HANG).text(&details(side), PLAIN));
    }
    if !sample.changed.is_empty() {
        page.push(Line::at(6).label("different", DIM, HANG).text(&sample.changed.join(", "), PLAIN));
    }
    for (mark, found) in [("+", &sample.appeared), ("-", &sample.disappeared)] {
        for finding in found {
            page.push(Line::at(6).label(mark, BOLD, 8).text(finding, PLAIN));
        }
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

fn status(side: &Side) -> Style {
    let color = match side.status.as_str() {
        "success" | "accepted" | "linked" => AnsiColor::Green,
        "partial" | "accepted_with_findings" => AnsiColor::Yellow,
        "unsafe" | "error" | "rejected" => AnsiColor::Red,
        _ => return BOLD,
    };
    BOLD.fg_color(Some(color.into()))
}
