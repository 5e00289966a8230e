//! What `check` found, for people and for programs.

use std::fmt::Write as _;

use adjudicate_core::check::{CheckSeverity, Witness};
use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::Value;

use super::{
    diagnostic::Diagnostic,
    excerpt::{Excerpt, Excerpts},
};
use crate::{
    layout,
    table::{BOLD, counted, visible},
};

/// What frames an excerpt.
const FRAME: Style = AnsiColor::Blue.on_default().bold();
/// How many parts of a witness are told, and how much of each.
const PARTS: usize = 5;
const PART: usize = 60;

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) files: Vec<Checked>,
}

/// What was found in one file.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Report {
    pub(super) fn errors(&self) -> usize {
        self.count(CheckSeverity::Error)
    }

    pub(super) fn warnings(&self) -> usize {
        self.count(CheckSeverity::Warning)
    }

    fn count(&self, severity: CheckSeverity) -> usize {
        let diagnostics = self.files.iter().flat_map(|file| &file.diagnostics);
        diagnostics.filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// The report on one line of JSON.
    pub(super) fn json(&self) -> String {
        let findings =
            self.files.iter().flat_map(|file| file.diagnostics.iter().map(|one| wire(&file.name, one)));
        let report = Wire { errors: self.errors(), warnings: self.warnings(), findings: findings.collect() };
        layout::json(&report)
    }

    /// The report as text with ANSI styles, its excerpts in so many columns.
    pub(super) fn text(&self, width: usize) -> String {
        let mut out = String::new();
        for file in &self.files {
            let mut excerpts = Excerpts::new(&file.text);
            for diagnostic in &file.diagnostics {
                file.tell(diagnostic, &mut excerpts, width, &mut out);
                out.push('\n');
            }
        }
        let checked = counted(self.files.len(), "file");
        let found = match (self.errors(), self.warnings()) {
            (0, 0) => "nothing found".to_owned(),
            (errors, 0) => counted(errors, "error"),
            (0, warnings) => counted(warnings, "warning"),
            (errors, warnings) => format!("{}, {}", counted(errors, "error"), counted(warnings, "warning")),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{BOLD}{checked} checked:{BOLD:#} {found}");
        out
    }
}

impl Checked {
    fn tell(&self, diagnostic: &Diagnostic, excerpts: &mut Excerpts<'_>, width: usize, out: &mut String) {
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
            note("witness", &in_short(witness));
        }
    }
}

/// What a witness comes to, and what is in it beside what every envelope has.
fn in_short(witness: &Witness) -> String {
    let mut told = match (&witness.status, &witness.error) {
        (Some(status), _) => format!("an envelope that comes to `{}`", status.as_str()),
        (None, Some(error)) => format!("an envelope that gets no answer: {}", error.message),
        (None, None) => "an envelope that gets no answer".to_owned(),
    };
    if !witness.rules.is_empty() {
        let _ = write!(told, " by {}", witness.rules.join(", "));
    }
    let mut parts = Vec::new();
    if let Ok(envelope) = serde_json::from_str(&witness.envelope_text()) {
        telling(&envelope, &mut String::new(), &mut parts);
    }
    let more = if parts.len() > PARTS { ", ..." } else { "" };
    parts.truncate(PARTS);
    if !parts.is_empty() {
        let _ = write!(told, "; {}{more}", parts.join(", "));
    }
    told
}

/// The parts of an envelope that are not empty, but for what names the run.
fn telling(value: &Value, path: &mut String, parts: &mut Vec<String>) {
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
                    telling(member, path, parts);
                }
                path.truncate(length);
            }
        }
        Value::Array(items) if items.is_empty() => {}
        Value::String(text) if text.is_empty() || text == "completed" => {}
        _ => {
            let mut told: String = format!("{path} = {value}");
            if told.chars().count() > PART {
                told = told.chars().take(PART).collect::<String>() + "...";
            }
            parts.push(told);
        }
    }
}

fn severity_style(severity: CheckSeverity) -> Style {
    match severity {
        CheckSeverity::Error => AnsiColor::Red.on_default().bold(),
        CheckSeverity::Warning => AnsiColor::Yellow.on_default().bold(),
    }
}

/// The report as programs read it.
#[derive(Serialize)]
struct Wire<'a> {
    errors: usize,
    warnings: usize,
    findings: Vec<WireFinding<'a>>,
}

/// A finding with its place: lines and columns from 1, the end not included, null where the text does not show it.
#[derive(Serialize)]
struct WireFinding<'a> {
    file: &'a str,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    code: &'a str,
    severity: CheckSeverity,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    witness: Option<&'a Witness>,
}

fn wire<'a>(file: &'a str, diagnostic: &'a Diagnostic) -> WireFinding<'a> {
    let extent = diagnostic.extent;
    WireFinding {
        file,
        line: extent.map(|extent| extent.start.line),
        column: extent.map(|extent| extent.start.column),
        end_line: extent.map(|extent| extent.end.line),
        end_column: extent.map(|extent| extent.end.column),
        code: diagnostic.code,
        severity: diagnostic.severity,
        path: &diagnostic.path,
        rule: diagnostic.rule.as_deref(),
        message: &diagnostic.message,
        hint: diagnostic.hint.as_deref(),
        witness: diagnostic.witness.as_ref(),
    }
}
