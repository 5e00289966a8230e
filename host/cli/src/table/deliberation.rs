//! The table of an answer of `deliberate`: the gate, its reasons and warnings, open duties, the switch, the remaining
//! budgets, and the stop report.

use adjudicate_core::{
    Error,
    deliberate::{
        BudgetsLeft, Deliberation, Duty, QuestionQuality, QuestionVerdict, ReasonCode, StagnationTrigger,
        StopReport, SwitchDeclaration,
    },
    document,
    json::{self, ReadLimits},
};
use anstyle::Style;

use super::{
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN, word},
};

/// The columns of labels, and of the text after them.
const ROW: (usize, usize) = (2, 18);

/// Returns the table of an answer of `deliberate`.
pub(crate) fn deliberation(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let answer: Deliberation<'_> = document::read(tape.root())?;
    let mut page = Page::default();
    let stop = answer.stop_report.as_ref().map_or("", |report| report.stop_reason.as_str());
    page.push(Line::badge(answer.gate.as_str()).text(stop, BOLD));
    let codes: Vec<ReasonCode> = answer.reasons.iter().map(|reason| reason.code).collect();
    for reason in &answer.reasons {
        let is_warning = reason.code.is_warning(answer.gate, &codes);
        let line = Line::at(2).text(if is_warning { "warning:" } else { "" }, DIM);
        page.push(line.text(reason.message.0, PLAIN).text(&reason.path, DIM));
    }
    list(
        &mut page,
        "stagnation",
        answer.triggers.iter().map(|trigger| StagnationTrigger::as_str(*trigger)),
        BOLD,
    );
    list(&mut page, "open", answer.duties.iter().map(|duty| Duty::as_str(*duty)), BOLD);
    if let Some(switch) = &answer.switch {
        self::switch(&mut page, switch);
    }
    budgets(&mut page, &answer.budgets_left);
    if let Some(report) = &answer.stop_report {
        self::report(&mut page, report);
    }
    if let Some(verdict) = &answer.question_verdict {
        question(&mut page, verdict);
    }
    Ok(page)
}

fn switch(page: &mut Page, switch: &SwitchDeclaration<'_>) {
    page.heading("Switch");
    let budget = switch.new_budget;
    let budget =
        format!("max_iterations {}, max_subagent_calls {}", budget.max_iterations, budget.max_subagent_calls);
    page.labelled(ROW, "trigger", switch.trigger);
    page.labelled(ROW, "current_strategy", switch.current_strategy.0.unwrap_or("none"));
    page.labelled(ROW, "new_budget", &budget);
}

fn budgets(page: &mut Page, left: &BudgetsLeft) {
    page.heading("Budgets left");
    page.labelled(ROW, "iterations", &left.iterations.to_string());
    page.labelled(ROW, "subagent_calls", &left.subagent_calls.to_string());
    page.labelled(ROW, "wall_time_ms", &left.wall_time_ms.to_string());
    if let Some(phase) = left.phase {
        let phase = format!("iterations {}, subagent_calls {}", phase.iterations, phase.subagent_calls);
        page.labelled(ROW, "phase", &phase);
    }
}

fn report(page: &mut Page, report: &StopReport<'_>) {
    page.heading("Stop report");
    page.labelled(ROW, "confidence", &report.confidence.0.to_f64().to_string());
    list(page, "evidence", report.evidence_summary.iter().map(|id| id.0), PLAIN);
    list(page, "uncertain", report.uncertainties_remaining.iter().map(|id| id.0), PLAIN);
    list(page, "next", report.next_actions.iter().map(|id| id.0), PLAIN);
    let consumed = &report.budget_consumed;
    page.labelled(ROW, "iterations", &consumed.iterations.text);
    page.labelled(ROW, "subagent_calls", &consumed.subagent_calls.text);
    page.labelled(ROW, "wall_time", &consumed.wall_time.text);
    if let Some(recommendation) = report.recommendation.0 {
        let label = recommendation.label.as_str().replace('_', " ");
        page.listed(ROW, "recommendation", [[(recommendation.text, PLAIN), (&label, DIM)]]);
    }
    page.labelled(ROW, "question", report.question.0.map_or("", |question| question.text));
}

/// Adds the items of a list, one per line, with a label before the first.
fn list<'a>(page: &mut Page, label: &str, items: impl Iterator<Item = &'a str>, style: Style) {
    page.listed(ROW, label, items.map(|item| [(item, style)]));
}

fn question(page: &mut Page, verdict: &QuestionVerdict) {
    const QUALITIES: [QuestionQuality; 4] = [
        QuestionQuality::Singular,
        QuestionQuality::Answerable,
        QuestionQuality::Blocking,
        QuestionQuality::Contextual,
    ];
    page.heading("Question");
    for (quality, verdict) in QUALITIES.iter().zip(verdict.all()) {
        let (mark, style) = if verdict.met { ("yes", word("valid")) } else { ("no", word("invalid")) };
        let reason = verdict.reason.as_str().replace('_', " ");
        page.listed(ROW, quality.as_str(), [[(mark, style), (&reason, DIM)]]);
    }
}
