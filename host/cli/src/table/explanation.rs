//! The tables of `explain` and `facts`: the reasons with their conditions, the overruled findings, the counterfactual.

use adjudicate_core::{
    explain::{RuleResult, ShownState},
    owned::{Counterfactual, Explanation, KnownFacts, StepRoute, Trace},
};

use super::{
    conditions::{REASON, input, shown},
    evaluation::{findings, head, source},
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN, word},
};
/// The width of the names of variables.
const NAME: usize = 30;
/// The column of a step, after its role.
const ROLE: usize = 12;

/// Returns the table of an answer of `explain`.
pub(crate) fn explanation(explanation: &Explanation) -> Page {
    let mut page = Page::default();
    head(&mut page, &explanation.evaluation);
    findings(&mut page, &explanation.evaluation.findings, &explanation.reasons);
    if !explanation.overruled.is_empty() {
        page.heading("Overruled findings");
    }
    for loser in &explanation.overruled {
        let (status, winner) = (loser.status.as_str(), loser.by_status.as_str());
        let line = Line::at(2).text(&loser.by, BOLD).text(winner, word(winner)).text("over", DIM);
        let line = line.text(&loser.rule, BOLD).text(status, word(status));
        page.push(line.text("for", DIM).text(&loser.why, PLAIN));
    }
    if let Some(routes) = &explanation.routes {
        self::routes(&mut page, routes, explanation.evaluation.decision.next_step.as_deref());
    }
    page.heading("Changes that lead to success");
    if let Some(none) = &explanation.no_counterfactual {
        let line = Line::at(2).text(&none.message, PLAIN);
        page.push(match none.rules.as_slice() {
            [] => line,
            rules => line.text(&format!("({})", rules.join(", ")), DIM),
        });
    }
    if let Some(found) = &explanation.counterfactual {
        counterfactual(&mut page, found);
    }
    if let Some(trace) = &explanation.trace {
        self::trace(&mut page, trace);
    }
    page
}

/// Returns the table of an answer of `facts`: one line for each variable.
pub(crate) fn facts(facts: &KnownFacts) -> Page {
    let mut page = Page::default();
    for variable in &facts.variables {
        let style = if variable.state == ShownState::Unknown { DIM } else { BOLD };
        let line = Line::at(0).label(&variable.variable, style, NAME).text(&input(variable), PLAIN);
        page.push(line.text(variable.evidence_ref.as_deref().unwrap_or_default(), DIM));
    }
    page
}

/// Adds the role of each allowed step, with the source of the role.
fn routes(page: &mut Page, routes: &[StepRoute], next_step: Option<&str>) {
    page.heading("Allowed steps");
    for route in routes {
        let style = if next_step == Some(&*route.step) { BOLD } else { PLAIN };
        let by = source(route.by).unwrap_or("if no other step is declared forward or unclassified");
        let line = Line::at(2).label(route.role.as_str(), style, ROLE).text(&route.step, style);
        page.push(line.text(by, DIM));
    }
}

fn counterfactual(page: &mut Page, found: &Counterfactual) {
    for (number, change) in (1..).zip(&found.changes) {
        let line = Line::at(2).label(&format!("{number}."), BOLD, 5).text(change.op.as_str(), BOLD);
        let line = line.text(&change.path, PLAIN);
        page.push(match (&change.was, &change.value) {
            (Some(was), Some(value)) => line.text(&shown(was), DIM).text("->", DIM).text(&shown(value), BOLD),
            (Some(was), None) => line.text("which is", DIM).text(&shown(was), DIM),
            (None, value) => {
                line.text("with", DIM).text(&value.as_ref().map(shown).unwrap_or_default(), BOLD)
            }
        });
    }
    let line = Line::at(5).text("then", DIM).text(found.status.as_str(), word(found.status.as_str()));
    page.push(match &found.next_step {
        None => line,
        Some(step) => line.text("next step:", PLAIN).text(step, BOLD),
    });
}

fn trace(page: &mut Page, trace: &Trace) {
    page.heading("Every rule");
    for rule in &trace.rules {
        let style = if rule.verdict == RuleResult::Fired { BOLD } else { DIM };
        page.push(Line::at(2).label(rule.verdict.as_str(), style, REASON.0).text(&rule.rule, style));
        let inputs = rule.inputs.iter().filter_map(|at| trace.inputs.get(usize::try_from(*at).ok()?));
        for read in inputs {
            page.line(REASON.0, &[(&read.variable, DIM), ("is", DIM), (&input(read), DIM)]);
        }
    }
}
