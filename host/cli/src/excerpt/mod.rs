//! Diagnostics of documents, with the lines of the text that they are about, as a compiler prints them.

mod locate;
mod walker;

use std::{fmt::Write as _, ops::Range};

use adjudicate_core::{
    Error,
    check::{CheckFinding, CheckSeverity, CheckWitness, Witness},
    document::Describe,
    json::OwnedValue,
};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use serde::Serialize;

pub(crate) use locate::{locate, stated_position};

use crate::{cut::cut, table::visible};

/// The style of the arrow before a position, as of the frame of an excerpt.
const FRAME: Style = AnsiColor::BrightBlue.on_default().bold();
/// The number of fields of a witness that are shown, and the length of each in characters.
const PARTS: usize = 5;
const PART: usize = 60;
/// The fields that every envelope has.
const COMMON: [&str; 5] = ["run_id", "workflow_id", "step_id", "evaluate_prompt", "allowed_next_steps"];

/// A problem of a document: an error of a reader, or a finding of `check_policy`.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct Diagnostic {
    /// The code of the error or of the finding.
    pub(crate) code: String,
    /// The severity. The errors of a reader are errors.
    pub(crate) severity: CheckSeverity,
    /// JSON Pointer into the document.
    pub(crate) path: String,
    /// The rule with the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule: Option<String>,
    /// The problem, in one line.
    pub(crate) message: String,
    /// The way to fix it, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// An envelope or an output that shows the problem; null if there is none.
    pub(crate) witness: Option<Witness>,
    /// The bytes of the text with the problem, once it is located.
    #[serde(skip)]
    pub(crate) extent: Option<Range<usize>>,
}

impl Diagnostic {
    /// Returns the diagnostic for an error with this code, message and path.
    pub(crate) fn error(code: &str, message: &str, path: &str) -> Self {
        let (severity, [code, message, path]) =
            (CheckSeverity::Error, [code, message, path].map(str::to_owned));
        Self { severity, code, message, path, rule: None, hint: None, witness: None, extent: None }
    }
}

impl From<&Error> for Diagnostic {
    fn from(error: &Error) -> Self {
        Self::error(error.code().as_str(), error.message(), error.path())
    }
}

impl From<CheckFinding> for Diagnostic {
    fn from(finding: CheckFinding) -> Self {
        let CheckFinding { severity, code, path, rule, message, hint, witness, .. } = finding;
        // Only an output contract has an output as its witness.
        let witness = match witness {
            Some(CheckWitness::Envelope(witness)) => Some(witness),
            Some(CheckWitness::Output(_)) | None => None,
        };
        Self { severity, code: code.as_str().to_owned(), message, path, rule, hint, witness, extent: None }
    }
}

/// A document with its diagnostics.
#[derive(Debug)]
pub(crate) struct AnnotatedDocument {
    /// The name of its file; empty for diagnostics of no document.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl AnnotatedDocument {
    /// Returns the line and the column of a byte of the text, both from 1.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
        (before.matches('\n').count() + 1, line.trim_start_matches('\u{feff}').chars().count() + 1)
    }

    /// Writes each diagnostic with its excerpt, with ANSI styles. Excerpts are at most `width` columns wide.
    pub(crate) fn write(&self, width: usize, out: &mut String) {
        let (renderer, name) = (Renderer::styled().term_width(width), visible(&self.name));
        for Diagnostic { severity, code, message, extent, hint, witness, .. } in &self.diagnostics {
            let level = match severity {
                CheckSeverity::Error => Level::ERROR,
                CheckSeverity::Warning => Level::WARNING,
            };
            let title = level.clone().primary_title(visible(message)).id(code);
            let hint = hint.iter().map(|hint| Level::HELP.message(visible(hint)));
            let witness = witness
                .iter()
                .map(|witness| Level::NOTE.with_name("witness").message(visible(&summary(witness))));
            let notes = hint.chain(witness);
            let group = match extent {
                None if name.is_empty() => Group::with_title(title).elements(notes),
                None => Group::with_title(title).element(Origin::path(&name)).elements(notes),
                Some(extent) => {
                    let (line, column) = self.position(extent.start);
                    let arrow = line.to_string().len() + "-->".len();
                    *out += &renderer.render(&[Group::with_title(title)]);
                    // Writing to a string cannot fail.
                    let _ = writeln!(out, "\n{FRAME}{:>arrow$}{FRAME:#} {name}:{line}:{column}", "-->");
                    Group::with_level(level).element(self.excerpt(extent, line, width)).elements(notes)
                }
            };
            *out += &renderer.render(&[group]);
            *out += "\n\n";
        }
    }

    /// Returns the first line of a part of the text. Of a long line, no more is prepared than can be shown.
    fn excerpt(
        &self,
        extent: &Range<usize>,
        line: usize,
        width: usize,
    ) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let (before, rest) = self.text.split_at_checked(extent.start).unwrap_or((&self.text, ""));
        let before = before.rsplit_once('\n').map_or(before, |(_, line)| line);
        let rest = rest.lines().next().unwrap_or_default().trim_end();
        let (part, after) = rest.split_at_checked(extent.len()).unwrap_or((rest, ""));
        let begins = before.char_indices().rev().nth(width).map_or(0, |(at, _)| at);
        let start = |text: &str| text.chars().take(width).collect::<String>();
        let [before, part, after] = [before.get(begins..).unwrap_or_default(), &start(part), &start(after)]
            .map(|text| visible(&text.replace('\t', "    ")));
        let marked = before.len()..before.len() + part.len();
        Snippet::source([before, part, after].concat())
            .line_start(line)
            .annotation(AnnotationKind::Primary.span(marked))
    }
}

/// Returns a witness in short: its decision, its rules, and its fields beyond those of every envelope.
fn summary(witness: &Witness) -> String {
    let mut line = match (&witness.status, &witness.error) {
        (Some(status), _) => format!("an envelope that comes to `{status}`"),
        (None, Some(error)) => format!("an envelope that gets no answer: {}", error.message),
        (None, None) => "an envelope that gets no answer".to_owned(),
    };
    if !witness.rules.is_empty() {
        line += &format!(" by {}", witness.rules.join(", "));
    }
    let mut parts = Vec::new();
    collect_fields(&witness.envelope, "", &mut parts);
    let more = if parts.len() > PARTS { ", ..." } else { "" };
    parts.truncate(PARTS);
    if !parts.is_empty() {
        line += &format!("; {}{more}", parts.join(", "));
    }
    line
}

/// Collects the fields of an envelope that are not empty, except those that every envelope has.
fn collect_fields(value: &OwnedValue, path: &str, parts: &mut Vec<String>) {
    match value {
        OwnedValue::Object(members) => {
            for (name, member) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if !COMMON.contains(&path.as_str()) {
                    collect_fields(member, &path, parts);
                }
            }
        }
        OwnedValue::List(items) if items.is_empty() => {}
        OwnedValue::Text(text) if text.is_empty() || text == "completed" => {}
        _ => parts.push(cut(&format!("{path} = {}", value.to_text()), PART)),
    }
}
