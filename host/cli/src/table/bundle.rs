//! The table of a bundle of diagnostics: the status and the score, then the diagnostics, most severe first.

use std::borrow::Cow;

use adjudicate_core::{
    Decimal, Error, document,
    documents::{BundleStatus, MergedBundle, OutputObservation},
    json::{self, OwnedValue, ReadLimits},
    plan::{Diagnostic, DiagnosticStatus, Level, PlanCode},
};

use super::{
    counted,
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN, word},
    value::owned,
};
use crate::drawing::{detail, details, score};

/// The columns of a diagnostic's labels, and of the text after them.
const ROW: (usize, usize) = (6, 18);

/// The diagnostics of a bundle by their level.
pub(super) type Buckets<'b, 't> = [&'b [Diagnostic<'t>]; 3];

/// Returns the table of an answer of `merge_diagnostics`.
pub(crate) fn bundle(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let bundle: MergedBundle<'_> = document::read(tape.root())?;
    let buckets = [&*bundle.failures.0, &*bundle.warnings.0, &*bundle.infos.0];
    Ok(page(bundle.status, &[("score:", bundle.satisfaction_score.0)], buckets))
}

/// Returns the table of an answer of `observe_output`.
pub(crate) fn observation(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), ReadLimits::ANSWER)?;
    let answer: OutputObservation<'_> = document::read(tape.root())?;
    let scores = [("score:", answer.satisfaction_score.0), ("observed:", answer.observed_satisfaction.0)];
    Ok(page(answer.status, &scores, [&*answer.failures.0, &*answer.warnings.0, &*answer.infos.0]))
}

fn page(status: BundleStatus, scores: &[(&str, Decimal)], buckets: Buckets<'_, '_>) -> Page {
    let mut page = Page::default();
    head(&mut page, status, scores, buckets);
    for (bucket, heading) in buckets.into_iter().zip(["Failures", "Warnings", "Notes"]) {
        if !bucket.is_empty() {
            page.heading(heading);
            diagnostics(&mut page, bucket);
        }
    }
    page
}

/// Adds the status, the scores, and the numbers of diagnostics.
pub(super) fn head(
    page: &mut Page,
    status: BundleStatus,
    scores: &[(&str, Decimal)],
    buckets: Buckets<'_, '_>,
) {
    let line = Line::badge(status.as_str());
    page.push(
        scores.iter().fold(line, |line, (label, number)| line.text(label, PLAIN).text(&score(*number), BOLD)),
    );
    let counts = buckets.iter().zip(["failure", "warning", "note"]);
    let counts: Vec<_> = counts.map(|(bucket, noun)| counted(bucket.len(), noun)).collect();
    page.line(0, &[(&counts.join(", "), DIM)]);
}

/// Adds the diagnostics, with a blank line between them.
pub(super) fn diagnostics<'d>(page: &mut Page, diagnostics: impl IntoIterator<Item = &'d Diagnostic<'d>>) {
    for (at, diagnostic) in diagnostics.into_iter().enumerate() {
        if at > 0 {
            page.gap();
        }
        for line in lines(diagnostic, false) {
            page.push(line.right_of("  ", "  "));
        }
    }
}

/// Returns the lines of a diagnostic. At a node of the plan, its node and capability are left out.
pub(super) fn lines(diagnostic: &Diagnostic<'_>, is_at_node: bool) -> Vec<Line> {
    let severity = diagnostic.level.as_str();
    let label = if diagnostic.level == Level::Informational { "info" } else { severity };
    let details = details(diagnostic);
    let (code, cause) = (detail(&details, "code"), diagnostic.cause.as_str());
    let line = Line::at(0).label(label, word(severity), ROW.0);
    let line = line.text(if code.is_empty() { cause } else { code }, BOLD);
    let is_known = code.is_empty() || code == cause;
    let line = if is_known { line } else { line.text(&format!("({cause})"), DIM) };
    let mut lines = vec![match diagnostic.outcome {
        DiagnosticStatus::Satisfied => line.text("is met", PLAIN),
        DiagnosticStatus::Unknown => line.text("is unknown", PLAIN),
        DiagnosticStatus::Unsatisfied => line,
    }];
    if let Some(known) = PlanCode::ALL.iter().find(|known| known.as_str() == code) {
        lines.push(Line::at(ROW.0).text(known.meaning(), PLAIN));
    }
    let mut row = |label: &str, line_text: &str| {
        if !line_text.is_empty() {
            lines.push(Line::at(ROW.0).label(label, DIM, ROW.1).text(line_text, PLAIN));
        }
    };
    let text = |text: &Option<Cow<'_, str>>| text.as_deref().unwrap_or_default().to_owned();
    row("constraint", &text(&diagnostic.constraint));
    row("named", &text(&diagnostic.constraint_id));
    if !is_at_node {
        row("node", &text(&diagnostic.node_id));
        row("capability", &text(&diagnostic.capability_id));
    }
    if let OwnedValue::Object(fields) = &details {
        for (name, value) in
            fields.iter().filter(|(name, _)| name != "code" && !(is_at_node && name == "node"))
        {
            row(name, &owned(value, if name == "path" { " -> " } else { ", " }));
        }
    }
    for line in diagnostic.suggestions() {
        lines.push(Line::at(ROW.0).label("help", BOLD, ROW.1).text(line, PLAIN));
    }
    lines
}
