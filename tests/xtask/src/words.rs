//! `cargo xtask words`: counts of how the project writes, and the rules of plain words that a program can check.
//!
//! The rules: sentences begin with their subject, use the field's terms and stay short; a crate or package has one type of each
//! name; commit subjects have a form. The step fails at the first violation; `cargo xtask words --places` lists all.

mod commits;
mod sentences;
mod texts;
mod types;

use std::{collections::BTreeMap, fmt::Write as _, process::ExitCode};

use crate::{
    failure::{self, Failure},
    log::Log,
    step::{Step, Work},
    tools::Tool,
    workspace::Workspace,
};

/// The check of the rules.
pub(crate) static STEP: Step = Step {
    name: "words",
    about: "comments, documentation, names and commit subjects keep the rules of `cargo xtask words`",
    tools: &[] as &[Tool],
    after: &[],
    work: Work::Function(check),
};

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
    Opening,
    Term,
    LongSentence,
    SharedType,
    Commit,
}

/// The violations of each rule, in words.
static RULES: [(Rule, &str); 5] = [
    (Rule::Opening, "sentences that begin with a clause instead of their subject"),
    (Rule::Term, "words that the glossary replaces"),
    (Rule::LongSentence, "sentences of more than 30 words"),
    (Rule::SharedType, "type names that a crate or package declares more than once"),
    (Rule::Commit, "commit subjects that are not `area: imperative` of 72 characters"),
];

/// Prints the counts by area and, with `places`, every place that breaks a rule.
pub(crate) fn run(workspace: &Workspace, places: bool) -> Result<ExitCode, Failure> {
    let report = Report::new(workspace)?;
    print!("{}", report.table());
    if places {
        for Violation { rule, location, text } in &report.violations {
            println!("{location}: {rule:?}: {text}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn check(workspace: &Workspace, log: &mut Log<'_>) -> Result<(), Failure> {
    let report = Report::new(workspace)?;
    log.note(&report.table());
    let mut broken = String::new();
    for (rule, about) in RULES {
        let violations: Vec<&Violation> = report.of(rule).collect();
        if !violations.is_empty() {
            _ = writeln!(broken, "{} {about}:", violations.len());
            for Violation { location, text, .. } in violations {
                _ = writeln!(broken, "  {location}: {text}");
            }
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(Failure::Broken(broken)) }
}

/// The counts of the whole repository.
struct Report {
    violations: Vec<Violation>,
    comments: sentences::Counts,
    documentation: sentences::Counts,
    areas: BTreeMap<String, sentences::Counts>,
}

impl Report {
    fn new(workspace: &Workspace) -> Result<Self, Failure> {
        let files = files(workspace)?;
        let mut report = Self {
            violations: Vec::new(),
            comments: sentences::Counts::default(),
            documentation: sentences::Counts::default(),
            areas: BTreeMap::new(),
        };
        for file in &files {
            let Some(sentences) = texts::sentences(file) else { continue };
            let counts = sentences::judge(&sentences, &mut report.violations);
            let whole =
                if file.path.ends_with(".md") { &mut report.documentation } else { &mut report.comments };
            whole.add(counts);
            report.areas.entry(area(&file.path).to_owned()).or_default().add(counts);
        }
        types::judge(&files, &mut report.violations);
        commits::judge(workspace, &mut report.violations)?;
        Ok(report)
    }

    fn of(&self, rule: Rule) -> impl Iterator<Item = &Violation> {
        self.violations.iter().filter(move |violation| violation.rule == rule)
    }

    fn table(&self) -> String {
        let mut table = format!("{:<22} {}\n", "", sentences::Counts::HEADINGS);
        let totals = [("all comments", self.comments), ("all documentation", self.documentation)];
        let areas = self.areas.iter().map(|(area, counts)| (area.as_str(), *counts));
        for (name, counts) in areas.chain(totals) {
            _ = writeln!(table, "{name:<22} {counts}");
        }
        for (rule, about) in RULES {
            _ = writeln!(table, "{:>6} {about}", self.of(rule).count());
        }
        table
    }
}

/// Returns the files that git tracks and people write: sources and documentation.
fn files(workspace: &Workspace) -> Result<Vec<File>, Failure> {
    let listed = workspace.git(&["ls-files"])?;
    let is_ours = |path: &&str| {
        [".rs", ".ts", ".mjs", ".js", ".py", ".md", ".toml", ".yml"].iter().any(|end| path.ends_with(end))
            && !path.starts_with("fixtures/")
            // cargo-dist writes this file.
            && *path != ".github/workflows/release.yml"
    };
    let read = |path: &str| {
        let bytes = failure::read(&workspace.root().join(path))?;
        Ok(File { path: path.to_owned(), text: String::from_utf8_lossy(&bytes).into_owned() })
    };
    listed.lines().filter(is_ours).map(read).collect()
}

/// Returns the folder of a crate or package, as the table names it.
fn area(path: &str) -> &str {
    let mut folders = path.match_indices('/').map(|(at, _)| at);
    let first = folders.next().unwrap_or(path.len());
    let second = folders.next();
    let nested = ["core/", "host/", "js/", "tests/", "wasm/"].iter().any(|root| path.starts_with(root));
    let end = if nested { second.unwrap_or(first) } else { first };
    if first == path.len() { "." } else { path.get(..end).unwrap_or(path) }
}
