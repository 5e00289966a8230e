//! The rules of plain words that a program can check.
//!
//! Sentences begin with their subject, use the field's terms and stay short. A crate or package has one type of each name, and a
//! public name is that of one crate. Commit subjects have a form.

mod commits;
mod counts;
mod sentences;
mod texts;
mod types;

pub(crate) use counts::print;

use crate::{Failure, workspace::Workspace};

/// A file of the repository, with its text.
struct File {
    path: String,
    text: String,
}

/// A place that breaks a rule.
struct Violation {
    rule: Rule,
    /// The file and the line, or the commit.
    location: String,
    text: String,
}

/// A rule that a program can check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Sentences begin with their subject, not with a clause.
    Opening,
    /// The glossary replaces words.
    Term,
    /// A sentence has at most 30 words.
    LongSentence,
    /// A crate or package declares one type of each name, and one crate a public type of each name.
    SharedType,
    /// Commit subjects are `area: imperative` of at most 72 characters.
    Commit,
}

/// Lists all violations.
pub(crate) fn check(workspace: &Workspace) -> Result<(), Failure> {
    let files = files(workspace)?;
    let mut violations = Vec::new();
    for file in &files {
        sentences::judge(&texts::sentences(file), &mut violations);
    }
    types::judge(&files, &mut violations);
    commits::judge(&workspace.git(&commits::LOG)?, &mut violations);
    if violations.is_empty() {
        return Ok(());
    }
    let lines =
        violations.iter().map(|Violation { rule, location, text }| format!("\n{location}: {rule:?}: {text}"));
    Err(lines.collect::<String>().into())
}

/// Returns the files that git tracks and people write: sources and documentation.
fn files(workspace: &Workspace) -> Result<Vec<File>, Failure> {
    let listed = workspace.git(&["ls-files"])?;
    let is_ours = |path: &&str| {
        [".rs", ".ts", ".mjs", ".js", ".py", ".sh", ".md", ".toml", ".yml"].iter().any(|end| path.ends_with(end))
            && !path.starts_with("fixtures/")
            // cargo-dist writes this file.
            && *path != ".github/workflows/release.yml"
    };
    let read = |path: &str| Ok(File { path: path.to_owned(), text: workspace.read(path)? });
    listed.lines().filter(is_ours).map(read).collect()
}
