//! Generates the diff, in typed form.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    json::OwnedValue,
    logic::{Types, Value},
    paths::Glob,
};

use super::{EVIDENCE, EnvelopeModel};
use crate::{
    check::{
        candidates::{Samples, fillers, fits, glob_example},
        model_values::{count, items, number_value},
        scope::paths_of,
    },
    policy::Fact,
};

const CHANGED: &str = r#"{"path":"x","change":"modified"}"#;

impl EnvelopeModel<'_, '_> {
    pub(super) fn diff(&mut self) -> Option<()> {
        if self.is_opaque() {
            let asks = |rule: &str| {
                self.known(Fact::Contradictions).is_some_and(|rules| rules.list.has.contains(&rule))
            };
            let summary = match self.known(Fact::DiffCount) {
                _ if asks("transcript_mismatch") => " 0 files changed".into(),
                Some(count) => format!(" {} files changed", self::count(&count.range)),
                None => "several files changed".into(),
            };
            self.set(&[EVIDENCE, "workspace_diff_summary"], OwnedValue::Text(summary));
            return Some(());
        }
        let mut files = match self.known(Fact::DiffFiles) {
            Some(domain) if !domain.list.some.is_empty() => items(domain, Samples::NONE, self.steps)?,
            _ => Vec::new(),
        };
        for path in self.paths(files.len())? {
            let mut file = OwnedValue::from_json(CHANGED);
            file.set(&["path"], OwnedValue::Text(path));
            files.push(file);
        }
        files.extend(self.undecided());
        let counts_lines = self.count_lines(&mut files);
        for file in &mut files {
            // A typed diff needs the change, and the source of a rename.
            complete(file, &["path", "change"], &OwnedValue::from_json(CHANGED));
            if file.lookup("change").and_then(OwnedValue::as_str) == Some("renamed") {
                complete(file, &["from"], &OwnedValue::from_json(r#"{"from":"x"}"#));
            }
        }
        if counts_lines || !files.is_empty() {
            self.set(&[EVIDENCE, "diff", "files"], OwnedValue::List(files));
        }
        Some(())
    }

    /// Returns true if the changed files must be unknown: `facts.diff.opaque` is required, or every restricted fact about files may be unknown.
    fn is_opaque(&self) -> bool {
        let of_files =
            [Fact::DiffPaths, Fact::DiffFiles, Fact::DiffCount, Fact::DiffForbidden, Fact::DiffProtected];
        let is_required = |fact: &Fact| self.fact(*fact).is_some_and(|domain| !domain.tests.is_empty());
        self.truth(Fact::DiffOpaque).unwrap_or_else(|| {
            let mut required = of_files.iter().filter(|fact| is_required(fact)).peekable();
            required.peek().is_some()
                && required.all(|fact| self.known(*fact).is_none())
                && self.truth(Fact::DiffEmpty) != Some(true)
        })
    }

    /// Returns a changed directory, which stands for unlisted files, if a restricted fact must be unknown while others are known.
    fn undecided(&self) -> Option<OwnedValue> {
        let is_absent =
            |fact| self.fact(fact).is_some_and(|domain| domain.unknown && domain.types == Types::NONE);
        let of_lists = [Fact::DiffForbidden, Fact::DiffProtected];
        let absent = of_lists.into_iter().find(|fact| is_absent(*fact));
        let path = if [Fact::DiffPaths, Fact::DiffFiles, Fact::DiffCount].into_iter().any(is_absent) {
            // Anything may be below the root, but nothing known to a policy is below the other.
            String::from(if absent.is_some() { "./" } else { "unlisted-files/" })
        } else {
            let globs = paths_of(self.policy, absent?)?;
            let first = |glob: &Glob| Some(glob_example(glob.text()).split_once('/')?.0.into());
            globs.iter().find_map(first)?
        };
        let mut file = OwnedValue::from_json(CHANGED);
        file.set(&["path"], OwnedValue::Text(path));
        Some(file)
    }

    /// Returns the paths that the restrictions on the facts about paths require. Adds paths until the diff, with `files` further files, has as
    /// many files as the counts require.
    fn paths(&mut self, files: usize) -> Option<Vec<String>> {
        let required = self.known(Fact::DiffPaths);
        let mut paths = self.texts(Fact::DiffPaths, &[])?;
        // Fillers are no required paths.
        paths.retain(|path| !path.starts_with("item-"));
        let policy = self.policy;
        for fact in [Fact::DiffForbidden, Fact::DiffProtected] {
            let globs = paths_of(policy, fact).unwrap_or_default();
            paths.extend(self.texts_of(fact, Samples::Under(globs))?);
        }
        let lengths = [Fact::DiffPaths, Fact::DiffFiles];
        let lengths = lengths.map(|fact| self.known(fact).map_or(0, |domain| count(&domain.list.length)));
        let is_changed = u64::from(self.truth(Fact::DiffEmpty) == Some(false));
        let wanted = lengths.into_iter().chain([self.least(Fact::DiffCount), is_changed]).max()?;
        let each = required.map_or(&[][..], |domain| &domain.list.each);
        // If the policy lists allowed paths, no other file may change.
        let samples = Samples::Under(policy.allowed_paths().unwrap_or_default());
        for path in fillers(each, samples, "src/file-", self.steps) {
            if (paths.len() + files) as u64 >= wanted {
                break;
            }
            let is_lacking = required.is_some_and(|domain| domain.list.lacks.contains(&&*path));
            if !is_lacking && !paths.contains(&path) && fits(&Value::Text(&path), each, self.steps) {
                paths.push(path);
            }
        }
        Some(paths)
    }

    /// Sets the line counts of the files if they are restricted; returns true if they are.
    fn count_lines(&self, files: &mut [OwnedValue]) -> bool {
        let mut is_required = false;
        for (fact, member) in [(Fact::DiffInsertions, "insertions"), (Fact::DiffDeletions, "deletions")] {
            let Some(domain) = self.known(fact) else { continue };
            is_required = true;
            for (index, file) in files.iter_mut().enumerate() {
                let lines = if index == 0 { number_value(&domain.range) } else { OwnedValue::count(0) };
                file.set(&[member], lines);
            }
        }
        is_required
    }
}

/// Adds the missing fields.
fn complete(file: &mut OwnedValue, names: &[&str], defaults: &OwnedValue) {
    for name in names {
        if let Some(place) = file.at(&[*name]).filter(|place| place.is_null())
            && let Some(default) = defaults.lookup(name)
        {
            *place = default.clone();
        }
    }
}
