//! Texts for agents and humans, made of decisions only.

use adjudicate_core::owned::{Evaluation, Finding};

/// The most findings, edits and checks of a text.
const MOST: usize = 20;

/// Returns the findings that count, each with the way to resolve it.
pub(super) fn objections(evaluation: &Evaluation) -> String {
    let counted = evaluation.findings.iter().filter(|finding| finding.mode.is_none());
    let lines = listed(counted, |finding: &Finding| {
        let actual = finding.actual.as_ref().and_then(|actual| actual.as_str());
        objection(&finding.summary, actual, &finding.resolution.hint)
    });
    match lines.is_empty() {
        true => format!("the decision is `{}`", evaluation.decision.status.as_str()),
        false => lines.join("\n"),
    }
}

/// Returns the line of a finding. A text that the rule found is its place.
pub(super) fn objection(summary: &str, actual: Option<&str>, hint: &str) -> String {
    let place = actual.map_or_else(String::new, |actual| format!(" ({actual})"));
    format!("- {summary}{place}: {hint}")
}

/// Returns the lines of two texts, each once.
pub(super) fn joined(one: &str, two: &str) -> String {
    let mut lines: Vec<&str> = one.lines().collect();
    for line in two.lines() {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Returns the objections, and the instructions for a fix.
pub(super) fn instructions(evaluation: &Evaluation) -> String {
    let mut lines = vec![objections(evaluation)];
    if let Some(fix) = &evaluation.decision.fix_instructions {
        lines.push(format!("Objective: {}", fix.objective));
        lines.extend(listed(fix.edits.iter(), |edit| {
            format!("- {}: {} ({})", edit.target, edit.action, edit.rationale)
        }));
        lines.extend(listed(fix.constraints.iter(), |constraint| format!("- keep to: {constraint}")));
        lines.extend(listed(fix.verification.iter(), |check| {
            format!("- verify with `{}`: {}", check.command, check.expected_signal)
        }));
    }
    lines.join("\n")
}

/// Returns a line for each of the first items, and one with the number of the others.
pub(super) fn listed<T>(items: impl Iterator<Item = T>, line: impl Fn(T) -> String) -> Vec<String> {
    let mut items = items;
    let mut lines: Vec<String> = items.by_ref().take(MOST).map(line).collect();
    let more = items.count();
    lines.extend((more > 0).then(|| format!("- and {more} more")));
    lines
}
