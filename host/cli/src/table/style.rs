//! The colors of statuses and severities.

use anstyle::{AnsiColor, Style};

use super::page::{BOLD, DIM, PLAIN};

/// Returns the color of a status; an unknown one is only bold.
pub(super) fn status_style(status: &str) -> Style {
    let color = match status {
        "success" => AnsiColor::Green,
        "partial" => AnsiColor::Yellow,
        "blocked" => AnsiColor::Magenta,
        "needs_human" => AnsiColor::Cyan,
        "unsafe" => AnsiColor::Red,
        _ => return BOLD,
    };
    BOLD.fg_color(Some(color.into()))
}

/// Returns the color of a severity.
pub(super) fn severity_style(severity: &str) -> Style {
    let color = match severity {
        "high" => AnsiColor::Red,
        "medium" => AnsiColor::Yellow,
        _ => return DIM,
    };
    PLAIN.fg_color(Some(color.into()))
}
