//! The report of `check`, as text and as JSON.

use std::fmt::Write as _;

use adjudicate_core::{check::CheckSeverity, document::Describe};
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
#[derive(Describe, Serialize)]
#[document(name = "CheckReport")]
pub(crate) struct ReportJson<'a> {
    /// The number of errors.
    errors: usize,
    /// The number of warnings.
    warnings: usize,
    /// The problems, by file, each file's in the order of its text.
    findings: Vec<FindingJson<'a>>,
}

/// A problem with its position, which is null if it is unknown.
#[derive(Describe, Serialize)]
#[document(name = "LocatedFinding")]
struct FindingJson<'a> {
    /// The file, as the arguments name it, or `standard input`.
    file: &'a str,
    /// The line at which the problem begins, from 1.
    line: Option<usize>,
    /// The column at which it begins, in characters, from 1.
    column: Option<usize>,
    /// The line at which it ends, from 1.
    end_line: Option<usize>,
    /// The first column behind it, in characters, from 1.
    end_column: Option<usize>,
    /// The problem.
    #[serde(flatten)]
    diagnostic: &'a Diagnostic,
}

fn wire<'a>(file: &'a AnnotatedDocument, diagnostic: &'a Diagnostic) -> FindingJson<'a> {
    let extent = diagnostic.extent.as_ref();
    let (line, column) = extent.map(|extent| file.position(extent.start)).unzip();
    let (end_line, end_column) = extent.map(|extent| file.position(extent.end)).unzip();
    FindingJson { file: &file.name, line, column, end_line, end_column, diagnostic }
}
