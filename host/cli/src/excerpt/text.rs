//! The text of diagnostics, as a compiler prints them.

use std::fmt::Write as _;

use adjudicate_core::check::{CheckSeverity, Witness};
use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::{
    diagnostic::Diagnostic,
    line::{Excerpt, Excerpts},
};
use crate::table::{BOLD, visible};

/// The style of the frame of an excerpt.
const FRAME: Style = AnsiColor::Blue.on_default().bold();
/// The number of fields of a witness that are shown, and the length of each in characters.
const PARTS: usize = 5;
const PART: usize = 60;

/// A document with its diagnostics.
#[derive(Debug)]
pub(crate) struct AnnotatedDocument {
    /// The name of its file; empty for diagnostics of no document.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl AnnotatedDocument {
    /// Writes each diagnostic with its excerpt, with ANSI styles. Excerpts are at most `width` columns wide.
    pub(crate) fn write(&self, width: usize, out: &mut String) {
        let mut excerpts = Excerpts::new(&self.text);
        for diagnostic in &self.diagnostics {
            self.write_diagnostic(diagnostic, &mut excerpts, width, out);
            out.push('\n');
        }
    }

    fn write_diagnostic(
        &self,
        diagnostic: &Diagnostic,
        excerpts: &mut Excerpts<'_>,
        width: usize,
        out: &mut String,
    ) {
        let Diagnostic { severity, code, message, extent, .. } = diagnostic;
        let (style, name) = (severity_style(*severity), visible(&self.name));
        let _ = writeln!(
            out,
            "{style}{}[{code}]{style:#}{BOLD}: {}{BOLD:#}",
            severity.as_str(),
            visible(message)
        );
        let number = extent.map_or_else(String::new, |extent| extent.start.line.to_string());
        let gutter = " ".repeat(number.len().max(1));
        let _ = match extent {
            _ if name.is_empty() => Ok(()),
            Some(extent) => writeln!(
                out,
                "{gutter}{FRAME}-->{FRAME:#} {name}:{}:{}",
                extent.start.line, extent.start.column
            ),
            None => writeln!(out, "{gutter}{FRAME}-->{FRAME:#} {name}"),
        };
        let room = width.saturating_sub(gutter.len() + 3).max(20);
        if let Some(Excerpt { line, carets }) = extent.and_then(|extent| excerpts.take(extent, room)) {
            let _ = writeln!(out, "{gutter} {FRAME}|{FRAME:#}");
            let _ = writeln!(out, "{FRAME}{number} |{FRAME:#} {line}");
            let _ = writeln!(out, "{gutter} {FRAME}|{FRAME:#} {style}{carets}{style:#}");
        }
        let mut note = |label: &str, text: &str| {
            let _ = writeln!(out, "{gutter} {FRAME}={FRAME:#} {BOLD}{label}{BOLD:#}: {}", visible(text));
        };
        if let Some(hint) = &diagnostic.hint {
            note("help", hint);
        }
        if let Some(witness) = &diagnostic.witness {
            note("witness", &summary(witness));
        }
    }
}

/// Returns a witness in short: its decision, its rules, and its fields beyond those of every envelope.
fn summary(witness: &Witness) -> String {
    let mut line_text = match (&witness.status, &witness.error) {
        (Some(status), _) => format!("an envelope that comes to `{}`", status.as_str()),
        (None, Some(error)) => format!("an envelope that gets no answer: {}", error.message),
        (None, None) => "an envelope that gets no answer".to_owned(),
    };
    if !witness.rules.is_empty() {
        let _ = write!(line_text, " by {}", witness.rules.join(", "));
    }
    let mut parts = Vec::new();
    if let Ok(envelope) = serde_json::from_str(&witness.envelope_text()) {
        collect_fields(&envelope, &mut String::new(), &mut parts);
    }
    let more = if parts.len() > PARTS { ", ..." } else { "" };
    parts.truncate(PARTS);
    if !parts.is_empty() {
        let _ = write!(line_text, "; {}{more}", parts.join(", "));
    }
    line_text
}

/// Collects the fields of an envelope that are not empty, except those that every envelope has.
fn collect_fields(value: &Value, path: &mut String, parts: &mut Vec<String>) {
    let is_name = |path: &str| {
        matches!(path, "run_id" | "workflow_id" | "step_id" | "evaluate_prompt" | "allowed_next_steps")
    };
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let length = path.len();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(name);
                if !is_name(path) {
                    collect_fields(member, path, parts);
                }
                path.truncate(length);
            }
        }
        Value::Array(items) if items.is_empty() => {}
        Value::String(text) if text.is_empty() || text == "completed" => {}
        _ => {
            let mut line_text: String = format!("{path} = {value}");
            if line_text.chars().count() > PART {
                line_text = line_text.chars().take(PART).collect::<String>() + "...";
            }
            parts.push(line_text);
        }
    }
}

fn severity_style(severity: CheckSeverity) -> Style {
    match severity {
        CheckSeverity::Error => AnsiColor::Red.on_default().bold(),
        CheckSeverity::Warning => AnsiColor::Yellow.on_default().bold(),
    }
}
