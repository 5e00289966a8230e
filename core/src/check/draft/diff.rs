//! What changed, as a typed diff.

use alloc::{string::String, vec::Vec};

use super::{Draft, EVIDENCE};
use crate::{
    check::{
        pick::{self, count, items, number, of_glob},
        tree::Tree,
    },
    paths::Glob,
    policy::Fact,
};

impl Draft<'_, '_> {
    pub(super) fn diff(&mut self) -> Option<()> {
        if self.truth(Fact::DiffOpaque) == Some(true) {
            self.set(&[EVIDENCE, "workspace_diff_summary"], Tree::from("several files changed"));
            return Some(());
        }
        let mut files = match self.known(Fact::DiffFiles) {
            Some(domain) if !domain.list.some.is_empty() => items(domain, &[], self.steps)?,
            _ => Vec::new(),
        };
        let paths = self.paths(files.len())?;
        let modified = |path: String| Tree::object([("path", path.into()), ("change", "modified".into())]);
        files.extend(paths.into_iter().map(modified));
        let counts_lines = self.count_lines(&mut files);
        for file in &mut files {
            // A typed diff says what happened, and where from.
            file.complete(&[("path", "x".into()), ("change", "modified".into())]);
            if file.is_member("change", "renamed") {
                file.complete(&[("from", "x".into())]);
            }
        }
        if counts_lines || !files.is_empty() {
            self.set(&[EVIDENCE, "diff"], Tree::object([("files", Tree::List(files))]));
        }
        Some(())
    }

    /// The paths that are asked for, and as many more as it takes beside so many files.
    fn paths(&mut self, files: usize) -> Option<Vec<String>> {
        let asked = self.known(Fact::DiffPaths);
        let mut paths = self.texts(Fact::DiffPaths, &[])?;
        // What fills a list up is no path that was asked for.
        paths.retain(|path| !path.starts_with("item-"));
        let policy = self.policy;
        for (fact, globs) in
            [(Fact::DiffForbidden, policy.forbidden_paths()), (Fact::DiffProtected, policy.protected_paths())]
        {
            let samples: Vec<String> = globs.iter().map(|glob: &Glob| of_glob(glob.text())).collect();
            let samples: Vec<&str> = samples.iter().map(|path| &**path).collect();
            paths.extend(self.texts(fact, &samples)?);
        }
        let lengths = [Fact::DiffPaths, Fact::DiffFiles];
        let lengths = lengths.map(|fact| self.known(fact).map_or(0, |domain| count(&domain.list.length)));
        let is_changed = u64::from(self.truth(Fact::DiffEmpty) == Some(false));
        let wanted = lengths.into_iter().chain([self.least(Fact::DiffCount), is_changed]).max()?;
        let each = asked.map_or(&[][..], |domain| &domain.list.each);
        for path in pick::fillers(each, &[], "src/file-") {
            if (paths.len() + files) as u64 >= wanted {
                break;
            }
            let is_lacking = asked.is_some_and(|domain| domain.list.lacks.contains(&&*path));
            if !is_lacking && !paths.contains(&path) && pick::fits(&path, each, self.steps) {
                paths.push(path);
            }
        }
        Some(paths)
    }

    /// Says of the files how many lines came and went, if that is asked for; whether it is.
    fn count_lines(&self, files: &mut [Tree]) -> bool {
        let mut is_asked = false;
        for (fact, member) in [(Fact::DiffInsertions, "insertions"), (Fact::DiffDeletions, "deletions")] {
            let Some(domain) = self.known(fact) else { continue };
            is_asked = true;
            for (index, file) in files.iter_mut().enumerate() {
                let lines = if index == 0 { Tree::Number(number(&domain.range)) } else { Tree::count(0) };
                file.set(&[member], lines);
            }
        }
        is_asked
    }
}
