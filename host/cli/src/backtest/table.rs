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
    let policy = ("under", PLAIN);
    page.line(0, &[(&turns, BOLD), ("of", PLAIN), (&transcripts, PLAIN), policy, (&report.policy, BOLD)]);
    for (name, count) in report.counts() {
        page.labelled(ROW, &name, &count.to_string());
    }
    if report.left_out > 0 {
        page.labelled(ROW, "left out", &counted(report.left_out, "transcript"));
    }
    listed(&mut page, "Turns by rule", &report.rules);
    if !report.blocks.is_empty() {
        page.heading("Begin exceptions with those that should not have stopped the agent");
    }
    for block in report.blocks.iter().take(MOST) {
        let turns = counted(block.turns, "turn");
        let words = [(block.item.as_str(), BOLD), (&turns, PLAIN), (&block.first, DIM)];
        page.push(Line::at(2).label(&block.rule, DIM, ROW.1).words(&words));
    }
    more(&mut page, report.blocks.len());
    let stopped: Vec<_> = report.lines.iter().filter(|line| line.is_stopped()).collect();
    if !stopped.is_empty() {
        page.heading("Turns in which the agent would have been stopped");
    }
    stopped.iter().take(MOST).for_each(|line| turn(&mut page, line));
    more(&mut page, stopped.len());
    listed(&mut page, "Not in the transcripts", &report.missing);
    if !report.not_recorded.is_empty() {
        page.labelled(ROW, "not recorded", &report.not_recorded.join(", "));
    }
    if let Some(first) = report.unread.first() {
        page.labelled(ROW, "unread lines", &format!("{}, the first at {}", report.unread_lines, first.place));
    }
    page
}

fn listed<'a>(page: &mut Page, heading: &str, counts: impl IntoIterator<Item = (&'a String, &'a u64)>) {
    let mut counts = counts.into_iter().peekable();
    if counts.peek().is_some() {
        page.heading(heading);
    }
    counts.for_each(|(name, count)| page.labelled(ROW, name, &count.to_string()));
}

fn turn(page: &mut Page, line: &TurnLine) {
    page.line(2, &[(line.verdict, word(line.verdict)), (&line.place, PLAIN)]);
    page.labelled((4, 4), "", line.prompt.as_deref().unwrap_or_default());
    for cause in &line.causes {
        page.line(4, &[(&cause.rule, DIM), (&cause.item, DIM)]);
    }
}

fn more(page: &mut Page, count: usize) {
    if let more @ 1.. = count.saturating_sub(MOST) {
        page.line(2, &[(&format!("and {more} more, which `--format json` has"), DIM)]);
    }
}
