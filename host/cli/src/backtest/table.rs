//! The table of a report.

use super::report::{BacktestReport, TurnLine};
use crate::table::{BOLD, DIM, Line, PLAIN, Page, counted, word};

/// The columns of labels, and of the text after them.
const ROW: (usize, usize) = (2, 22);

/// The most causes, and the most turns, that the table lists.
const MOST: usize = 30;

pub(super) fn page(report: &BacktestReport) -> Page {
    let mut page = Page::default();
    let turns = counted(report.turns, "turn");
    let transcripts = counted(report.transcripts, "transcript");
    page.line(
        0,
        &[(&turns, BOLD), ("of", PLAIN), (&transcripts, PLAIN), ("under", PLAIN), (&report.policy, BOLD)],
    );
    for (name, count, _) in report.counts() {
        page.labelled(ROW, name, &count.to_string());
    }
    if report.elsewhere > 0 {
        page.labelled(
            ROW,
            "left out",
            &format!("{} of other folders", counted(report.elsewhere, "transcript")),
        );
    }
    if !report.rules.is_empty() {
        page.heading("Turns by rule");
    }
    for rule in &report.rules {
        page.labelled(ROW, &rule.rule, &rule.turns.to_string());
    }
    if !report.blocks.is_empty() {
        page.heading("Begin exceptions with those that should not have stopped the agent");
    }
    for block in report.blocks.iter().take(MOST) {
        let turns = counted(block.turns, "turn");
        page.push(Line::at(2).label(&block.rule, DIM, ROW.1).words(&[
            (&block.item, BOLD),
            (&turns, PLAIN),
            (&block.first, DIM),
        ]));
    }
    more(&mut page, report.blocks.len());
    let stopped: Vec<_> = report.lines.iter().filter(|line| line.is_stopped()).collect();
    if !stopped.is_empty() {
        page.heading("Turns that the policy would have stopped");
    }
    stopped.iter().take(MOST).for_each(|line| turn(&mut page, line));
    more(&mut page, stopped.len());
    if !report.missing.is_empty() || !report.absent.is_empty() || report.unread_lines > 0 {
        page.heading("Not in the transcripts");
    }
    for (name, count) in &report.missing {
        page.labelled(ROW, name, &count.to_string());
    }
    page.labelled(ROW, "not collected", &report.absent.join(", "));
    if report.unread_lines > 0 {
        let first = report.unread.first().map_or("", |unread| unread.place.as_str());
        page.labelled(ROW, "unread lines", &format!("{}, the first at {first}", report.unread_lines));
    }
    page
}

fn turn(page: &mut Page, line: &TurnLine) {
    page.line(2, &[(line.verdict, word(line.verdict)), (&line.place, PLAIN)]);
    page.labelled((4, 4), "", line.prompt.as_deref().unwrap_or_default());
    for cause in line.causes() {
        page.line(4, &[(&cause, DIM)]);
    }
}

fn more(page: &mut Page, count: usize) {
    if let more @ 1.. = count.saturating_sub(MOST) {
        page.line(2, &[(&format!("and {more} more, which `--format json` has"), DIM)]);
    }
}
