//! A decision as Markdown, for comments and job summaries.

use adjudicate_core::owned::{Evaluation, Finding, KnownFailure};

use crate::table::visible;

/// The most findings, and the most known failures.
const MAX_ROWS: usize = 50;

/// Returns the decision: the status and the next step, the reasons, the fixes, and the known failures.
pub(super) fn decision(evaluation: &Evaluation) -> String {
    let decision = &evaluation.decision;
    let step = decision
        .next_step
        .as_deref()
        .map_or("no next step".to_owned(), |step| format!("next step: {}", code(step)));
    let mut text = format!("## adjudicate: {}\n\n{step}\n", decision.status.as_str().replace('_', " "));
    if !evaluation.findings.is_empty() {
        text.push_str("\n| status | rule | finding | how to resolve it |\n| --- | --- | --- | --- |\n");
        evaluation.findings.iter().take(MAX_ROWS).for_each(|finding| text.push_str(&row(finding)));
        text.push_str(&more(evaluation.findings.len(), "findings"));
    }
    if let Some(fix) = &decision.fix_instructions {
        text.push_str("\n### Fix first\n\n");
        for edit in &fix.edits {
            text.push_str(&format!(
                "- {}: {} ({})\n",
                code(&edit.target),
                cell(&edit.action),
                cell(&edit.rationale)
            ));
        }
    }
    let known = evaluation.known_failures.as_deref().unwrap_or_default();
    if !known.is_empty() {
        text.push_str("\n### Known failures\n\n");
        known.iter().take(MAX_ROWS).for_each(|case| text.push_str(&known_failure(case)));
        text.push_str(&more(known.len(), "known failures"));
    }
    text
}

/// Returns the number of rows that are left out, if there are any.
fn more(rows: usize, name: &str) -> String {
    match rows.saturating_sub(MAX_ROWS) {
        0 => String::new(),
        more => format!("\n{more} more {name} are in the JSON.\n"),
    }
}

fn known_failure(case: &KnownFailure) -> String {
    let validator = case.validator.iter().map(|validator| format!(" of {}", code(validator)));
    format!("- {}{}\n", code(&case.id), validator.collect::<String>())
}

fn row(finding: &Finding) -> String {
    format!(
        "| {} | {} | {} | {} |\n",
        finding.status.as_str().replace('_', " "),
        code(&finding.rule),
        cell(&finding.summary),
        cell(&finding.resolution.hint)
    )
}

/// Returns a text in a code span. It has no backticks and no line breaks, so it ends where it should.
fn code(text: &str) -> String {
    format!("`{}`", visible(text).replace('`', "'").replace('|', "\\|"))
}

/// Returns a text as the content of a cell: Markdown and HTML in it have no effect, except code spans.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for (index, part) in visible(text).split('`').enumerate() {
        match index % 2 {
            0 => part.chars().for_each(|letter| escape(letter, &mut cell)),
            // Two backticks side by side would begin another span.
            _ if part.is_empty() => {}
            _ => cell.push_str(&code(part)),
        }
    }
    cell
}

fn escape(letter: char, text: &mut String) {
    match letter {
        '<' => text.push_str("&lt;"),
        '&' => text.push_str("&amp;"),
        '\\' | '|' | '*' | '_' | '[' | ']' | '#' | '!' | '@' | '~' => text.extend(['\\', letter]),
        other => text.push(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_have_no_effect() {
        for (text, expected) in [
            ("`unit` exited 1", "`unit` exited 1"),
            ("a | b", "a \\| b"),
            ("<img src=x>", "&lt;img src=x>"),
            ("![x](y) @all", "\\!\\[x\\](y) \\@all"),
            ("an open ` tick", "an open ` tick`"),
            ("```<img src=x>` b ```[c](d)`", "`<img src=x>` b `[c](d)`"),
        ] {
            assert_eq!(cell(text), expected, "{text}");
        }
        assert!(!cell("a\nb\u{1b}[31m").contains(['\n', '\u{1b}']));
    }
}
