//! The report of `check`, as text and as JSON.

use std::fmt::Write as _;

use adjudicate_core::check::CheckSeverity;
use serde::Serialize;

use crate::{
    excerpt::{AnnotatedDocument, Diagnostic},
    layout,
    table::{BOLD, counted},
};

/// The problems of all files.
#[derive(Debug, Default)]
pub(super) struct CheckReport {
    pub(super) files: Vec<AnnotatedDocument>,
}

impl CheckReport {
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

    /// Returns the report as one line of JSON.
    pub(super) fn json(&self) -> String {
        let findings = self.files.iter().flat_map(|file| file.diagnostics.iter().map(|one| wire(file, one)));
        let report =
            ReportJson { errors: self.errors(), warnings: self.warnings(), findings: findings.collect() };
        layout::json(&report)
    }

    /// Returns the report as text with ANSI styles. Excerpts are at most `width` columns wide.
    pub(super) fn text(&self, width: usize) -> String {
        let mut out = String::new();
        for file in &self.files {
            file.write(width, &mut out);
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

/// The report for programs.
#[derive(Serialize)]
struct ReportJson<'a> {
    errors: usize,
    warnings: usize,
    findings: Vec<FindingJson<'a>>,
}

/// A finding with its position: lines and columns from 1, the end exclusive; null if the position is unknown.
#[derive(Serialize)]
struct FindingJson<'a> {
    file: &'a str,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    #[serde(flatten)]
    diagnostic: &'a Diagnostic,
}

fn wire<'a>(file: &'a AnnotatedDocument, diagnostic: &'a Diagnostic) -> FindingJson<'a> {
    let extent = diagnostic.extent.as_ref();
    let (line, column) = extent.map(|extent| file.position(extent.start)).unzip();
    let (end_line, end_column) = extent.map(|extent| file.position(extent.end)).unzip();
    FindingJson { file: &file.name, line, column, end_line, end_column, diagnostic }
}
