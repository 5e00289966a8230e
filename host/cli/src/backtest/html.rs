//! The report as one web page.

use maud::{Markup, html};

use super::report::BacktestReport;
use crate::{
    table::visible,
    web_page::{document, grouped, table},
};

/// Returns the report as a self-contained page. The same report gives the same page.
pub(super) fn page(report: &BacktestReport) -> String {
    let policy = visible(&report.policy);
    let heading = html! { "Past turns under " (policy) };
    let body = html! {
        (tiles(report))
        (table("Turns by rule", "", &["rule", "turns"], &counts(&report.rules)))
        (blocks(report)) (missing(report)) (turns(report))
    };
    let footer = html! { "The number after a name is the line of the transcript." };
    document("adjudicate backtest", &policy, &heading, &body, &footer)
}

fn tiles(report: &BacktestReport) -> Markup {
    html! {
        dl.tiles {
            @for (name, count) in [("turns".to_owned(), report.turns)].into_iter().chain(report.counts()) {
                div.(if count == 0 { "zero" } else { "loud" }).plain { dt { (name) } dd { (grouped(count)) } }
            }
        }
    }
}

fn counts<'a>(counts: impl IntoIterator<Item = (&'a String, &'a u64)>) -> Vec<Markup> {
    let row = |(name, count): (&'a String, &'a u64)| {
        html! { th scope="row" { code { (visible(name)) } } td { (grouped(*count)) } }
    };
    counts.into_iter().map(row).collect()
}

fn blocks(report: &BacktestReport) -> Markup {
    let rows = report.blocks.iter().map(|block| {
        html! {
            th scope="row" { code { (visible(&block.rule)) } }
            td.text { code { (visible(&block.item)) } }
            td { (grouped(block.turns)) }
            td.text.soft { (visible(&block.first)) }
        }
    });
    let about = "Begin exceptions with those that should not have stopped the agent.";
    table("Causes", about, &["rule", "item", "turns", "first"], &rows.collect::<Vec<_>>())
}

fn missing(report: &BacktestReport) -> Markup {
    let unread = ("unread lines".to_owned(), report.unread_lines);
    let unread = [(&unread.0, &unread.1)].into_iter().filter(|(_, count)| **count > 0);
    let about = match report.not_recorded.is_empty() {
        true => String::new(),
        false => format!("No transcript has these: {}.", visible(&report.not_recorded.join(", "))),
    };
    table(
        "Not in the transcripts",
        &about,
        &["evidence", "count"],
        &counts(report.missing.iter().chain(unread)),
    )
}

fn turns(report: &BacktestReport) -> Markup {
    let rows = report.lines.iter().map(|line| {
        html! {
            th scope="row" { (line.verdict.replace('_', " ")) }
            td.text { (visible(&line.place)) }
            td.text {
                @if let Some(prompt) = &line.prompt { div.soft { (visible(prompt)) } }
                @for cause in &line.causes { div { code { (visible(&cause.rule)) " " (visible(&cause.item)) } } }
            }
        }
    });
    table("Turns", "", &["verdict", "place", "causes"], &rows.collect::<Vec<_>>())
}
