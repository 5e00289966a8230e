//! The styles of text, and the colors of words: statuses, gates, and severities.

use anstyle::{AnsiColor, Style};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const PLAIN: Style = Style::new();

/// Returns the style of a status, a gate or a severity. The status of an answer is only bold if it is unknown.
pub(crate) fn word(word: &str) -> Style {
    let color = match word {
        "success" | "accepted" | "linked" | "valid" | "no_action" | "continue" | "commit" => AnsiColor::Green,
        "partial" | "accepted_with_findings" | "switch" | "continues" | "medium" | "soft" | "warning" => {
            AnsiColor::Yellow
        }
        "blocked" => AnsiColor::Magenta,
        "needs_human" | "escalate" => AnsiColor::Cyan,
        "unsafe" | "rejected" | "not_linked" | "invalid" | "stop" | "stops" | "high" | "hard" | "error" => {
            AnsiColor::Red
        }
        "informational" => AnsiColor::Blue,
        "low" => return PLAIN.dimmed(),
        _ => return BOLD,
    };
    BOLD.fg_color(Some(color.into()))
}
