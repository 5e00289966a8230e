//! The report as one web page.

use maud::{Markup, html};

use super::report::BacktestReport;
use crate::{
    reevaluation::html::{document, grouped, table},
    table::visible,
};

/// Returns the report as a self-contained page. The same report gives the same page.
pub(super) fn page(report: &BacktestReport) -> String {
    let policy = visible(&report.policy);
    let heading = html! { "Past turns under " (policy) };
    let body = html! { (tiles(report)) (rules(report)) (blocks(report)) (missing(report)) (turns(report)) };
    let footer =
        html! { "A transcript does not say which files a command changed, so such turns are unknown." };
    document("adjudicate backtest", &policy, &heading, &body, &footer)
}

fn tiles(report: &BacktestReport) -> Markup {
    let all = [("turns", report.turns, "plain")];
    html! {
        dl.tiles {
            @for (name, count, tone) in all.into_iter().chain(report.counts()) {
                div.(if count == 0 { "zero" } else { "loud" }).(tone) { dt { (name) } dd { (grouped(count)) } }
            }
        }
    }
}

fn rules(report: &BacktestReport) -> Markup {
    let row =
        |rule: &str, turns| html! { th scope="row" { code { (visible(rule)) } } td { (grouped(turns)) } };
    let rows: Vec<_> = report.rules.iter().map(|count| row(&count.rule, count.turns)).collect();
    table("Turns by rule", "", &["rule", "turns"], &rows)
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
    let row = |name: &str, count: u64| html! { th scope="row" { (visible(name)) } td { (grouped(count)) } };
    let counts = report.missing.iter().map(|(name, count)| row(name, *count));
    let unread = (report.unread_lines > 0).then(|| row("unread lines", report.unread_lines));
    let about = match report.absent.is_empty() {
        true => String::new(),
        false => format!("Transcripts have no {}.", visible(&report.absent.join(", "))),
    };
    table("Not in the transcripts", &about, &["evidence", "count"], &counts.chain(unread).collect::<Vec<_>>())
}

fn turns(report: &BacktestReport) -> Markup {
    let rows = report.lines.iter().map(|line| {
        html! {
            th scope="row" { (line.verdict.replace('_', " ")) }
            td.text { (visible(&line.place)) }
            td.text {
                @if let Some(prompt) = &line.prompt { div.soft { (visible(prompt)) } }
                @for cause in line.causes() { div { code { (visible(&cause)) } } }
            }
        }
    });
    table("Turns", "", &["verdict", "place", "causes"], &rows.collect::<Vec<_>>())
}
