//! A report as one HTML page: no script, no external resources, light or dark as the reader's browser.
//!
//! Data of the report (runs, rules, steps, messages) is always text, never markup, and its hidden characters are visible.

mod flow;

use adjudicate_host::reevaluation::{Label, OutcomeChange, ReevaluationReport, Sample, Side};
use adjudicate_trust::{counted, visible};
use maud::{Markup, html};

use super::table::{count, statuses};
use crate::web_page::{document, grouped, table};
use flow::{Flow, svg};

/// Returns the report as a self-contained HTML page.
///
/// The same report gives the same page, byte for byte: there is no date in it.
pub(super) fn page(report: &ReevaluationReport) -> String {
    let (before, after) = report.names();
    let (before, after) = (visible(before), visible(after));
    let title = format!("{before} → {after}");
    let heading = html! { (before) " " span.arrow { "→" } " " (after) };
    let body = html! {
        (verdict(report)) (tiles(report)) (picture(report)) (matrix(report)) (expectations(report))
        (moved(report)) (samples(report)) (left_out(report))
    };
    let footer = html! {
        "Statuses are ordered by severity. A case without an answer has the status " code { "error" } "."
    };
    document("adjudicate replay", &title, &heading, &body, &footer)
}

/// Returns the color of a status: a class of the style sheet.
fn tone(label: Label) -> &'static str {
    match label.as_str() {
        "success" | "accepted" | "linked" | "continue" | "commit" => "good",
        "partial" | "accepted_with_findings" | "switch" => "fair",
        "blocked" | "rejected" | "not_linked" | "stop" => "stuck",
        "needs_human" | "escalate" => "ask",
        "unsafe" => "bad",
        "error" => "none",
        _ => "plain",
    }
}

fn verdict(report: &ReevaluationReport) -> Markup {
    let changed = report.changed(OutcomeChange::Decision);
    let (word, tone) = match (report.compared(), report.is_failed(), report.bad_lines(), changed) {
        (0, ..) => ("Nothing compared", "bad"),
        (_, true, ..) => ("Failed", "bad"),
        (_, _, 1.., _) => ("Incomplete: some lines cannot be read", "stuck"),
        (.., 0) => ("No decision changed", "good"),
        _ => ("Decisions changed", "fair"),
    };
    let compared = grouped(report.compared());
    let line = match (report.compared(), changed) {
        (0, _) => {
            "No decision could be compared, so the report proves nothing about the new version.".to_owned()
        }
        (1, 0) => "The one compared decision is the same.".to_owned(),
        (_, 0) => format!("All {compared} compared decisions are the same."),
        (_, changed) => format!(
            "{} of {} changed, {} of them to another status.",
            grouped(changed),
            counted(compared, "decision"),
            grouped(report.changed(OutcomeChange::Status))
        ),
    };
    html! {
        p { span.verdict.(tone) { (word) } }
        p {
            (line)
            @if report.is_too_little() && report.compared() > 0 {
                " At least " (grouped(report.least())) " had to be compared."
            }
            @if report.is_exact() && report.changed(OutcomeChange::Wording) > 0 {
                " " (counted(grouped(report.changed(OutcomeChange::Wording)), "answer")) " of the recorded version changed in some byte."
            }
        }
    }
}

fn tiles(report: &ReevaluationReport) -> Markup {
    let [wording, decision, status] =
        [OutcomeChange::Wording, OutcomeChange::Decision, OutcomeChange::Status]
            .map(|change| report.changed(change));
    let tiles = [
        ("read", report.read(), ""),
        ("compared", report.compared(), ""),
        ("the same", report.compared() - wording, ""),
        ("wording only", wording - decision, ""),
        ("same status, other decision", decision - status, "loud fair"),
        ("other status", status, "loud fair"),
        ("not replayable", report.not_replayable(), "loud stuck"),
        ("cannot be read", report.bad_lines(), "loud bad"),
    ];
    html! {
        dl.tiles {
            @for (name, count, class) in tiles {
                div class=(if count == 0 { "zero" } else { class }) { dt { (name) } dd { (grouped(count)) } }
            }
        }
    }
}

fn picture(report: &ReevaluationReport) -> Markup {
    let all: Vec<Flow> = report.transitions().collect();
    let changed: Vec<Flow> = all.iter().copied().filter(|(from, to, _)| from != to).collect();
    let view = |class: &str, flows: &[Flow], title: &str| {
        html! { div.view.(class) { div.columns { span { "before" } span { "now" } } (svg(flows, title)) } }
    };
    html! {
        @if !all.is_empty() {
            h2 { "Changes of status" }
            div.card {
                @if changed.is_empty() { (view("always", &all, "No status changed")) } @else {
                    input.pick #all type="radio" name="view" checked;
                    label for="all" { "Everything" }
                    input.pick #only type="radio" name="view";
                    label for="only" { "Only what changed" }
                    (view("all", &all, "Statuses before on the left, now on the right; grey bands stayed the same"))
                    (view("only", &changed, "Only the statuses that changed: before on the left, now on the right"))
                }
            }
        }
    }
}

fn matrix(report: &ReevaluationReport) -> Markup {
    let statuses = statuses(report);
    let cell = |from: Label, to: Label| match count(report, from, to) {
        None => html! { td.nil { "·" } },
        Some(count) if from == to => html! { td.stay { (grouped(count)) } },
        Some(count) => html! { td.moved.(tone(to)) { (grouped(count)) } },
    };
    let row = |from: &Label| html! { th scope="row" { (from.as_str()) } @for to in &statuses { (cell(*from, *to)) } };
    let rows: Vec<_> = statuses.iter().map(row).collect();
    let head: Vec<_> =
        ["before \\ now"].into_iter().chain(statuses.iter().map(|status| status.as_str())).collect();
    table("Transitions", "", &head, &rows)
}

fn expectations(report: &ReevaluationReport) -> Markup {
    let row = |(change, count): (&str, u64)| {
        html! {
            th scope="row" { code { (visible(change)) } }
            @if count == 0 { td.stay { "none" } } @else { td.moved.bad { (counted(grouped(count), "time")) } }
        }
    };
    table("Forbidden changes", "", &[], &report.expectations().map(row).collect::<Vec<_>>())
}

fn moved(report: &ReevaluationReport) -> Markup {
    let cell = |count: u64| html! { @if count == 0 { td.nil { "·" } } @else { td { (grouped(count)) } } };
    let steps = (report.next_steps() > 0).then(|| html! {
        th scope="row" { "next step" } td.text.soft { "changed" } (cell(report.next_steps())) (cell(report.next_steps()))
    });
    let moved = report.moved().map(|(kind, name, appeared, disappeared)| html! {
        th scope="row" { (kind) } td.text { code { (visible(name)) } } (cell(appeared)) (cell(disappeared))
    });
    let about = "The number of decisions that have each only now, or only before.";
    let rows: Vec<_> = steps.into_iter().chain(moved).collect();
    table("Added and removed", about, &["", "", "added", "removed"], &rows)
}

fn left_out(report: &ReevaluationReport) -> Markup {
    let obstacles = report.obstacles().map(|(obstacle, count, numbers)| {
        html! {
            th scope="row" { (grouped(count)) }
            td.text { (obstacle.meaning()) }
            td.text.soft { (numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")) }
        }
    });
    let about = "These cases were not decided again. No other number includes them.";
    let lines = report.first_bad_lines().map(|(line, code, message)| {
        html! {
            th scope="row" { (line) } td.text { code { (code) } } td.text { (visible(message)) }
        }
    });
    let total = format!("{} in total. The first, by line:", grouped(report.bad_lines()));
    html! {
        (table("Not replayable", about, &[], &obstacles.collect::<Vec<_>>()))
        (table("Lines that cannot be read", &total, &[], &lines.collect::<Vec<_>>()))
    }
}

/// Returns the samples, each of which can be opened.
fn samples(report: &ReevaluationReport) -> Markup {
    html! {
        @if !report.samples().is_empty() {
            h2 { "Samples" }
            p.soft { "The first few of each pair of statuses; those with another status come first." }
            @for sample in report.samples() { (case(sample)) }
        }
    }
}

fn case(sample: &Sample) -> Markup {
    let Sample { number, before, after, .. } = sample;
    let status = |side: &Side| html! { span.status.(tone(side.status)) { (side.status.as_str()) } };
    let part = |name: &str, side: &Side, title: &str, findings: &[String]| {
        html! {
            div {
                h3 { (name) }
                (details(side))
                @if !findings.is_empty() {
                    div.soft { (title) }
                    ul { @for finding in findings { li { code { (visible(finding)) } } } }
                }
            }
        }
    };
    html! {
        details.card.case {
            summary {
                span.number { (number) }
                span.run { @match &sample.run_id { Some(run) => (visible(run)), None => span.soft { "no run id" } } }
                (status(before)) " → " (status(after))
            }
            @if !sample.changed.is_empty() { p.differs.soft { "different: " (codes(&sample.changed)) } }
            div.sides {
                (part("before", before, "found only before", &sample.disappeared))
                (part("now", after, "found only now", &sample.appeared))
            }
        }
    }
}

fn details(side: &Side) -> Markup {
    html! {
        @match (&side.error, &side.next_step) {
            (Some(code), _) => div { "error " code { (visible(code)) } },
            (None, Some(step)) => div { "next step " code { (visible(step)) } },
            (None, None) => div.soft { "no next step" },
        }
        @for (name, items) in [("flags", &side.risk_flags), ("blockers", &side.blockers)] {
            @if side.error.is_none() && !items.is_empty() { div { (name) " " (codes(items)) } }
        }
    }
}

fn codes(items: &[String]) -> Markup {
    html! { @for (at, item) in items.iter().enumerate() { @if at > 0 { ", " } code { (visible(item)) } } }
}
