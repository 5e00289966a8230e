//! Ignored files: those that the base ignores are not part of the diff, and others are.

use std::{
    cell::{OnceCell, RefCell},
    collections::BTreeSet,
    path::Path,
};

use super::command::Git;
use crate::{state::is_own, system::System};

/// The most files that are listed one by one although a rule ignores them.
const MAX_HIDDEN_FILES: usize = 1_000;

/// A status without ignored files.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// The entries. Files that the base does not ignore are untracked.
    pub entries: Vec<u8>,
    /// The folders that the base ignores, with `/` at the end.
    pub ignored: BTreeSet<Vec<u8>>,
}

/// The rules by which a base ignores files. They are read once, and when they are needed.
pub(super) struct BaseRules<'a> {
    system: &'a System,
    root: &'a Path,
    base: &'a str,
    files: OnceCell<Result<RuleFiles, String>>,
    /// The latest names, as git reads them, and whether the base ignores each.
    latest: RefCell<(Vec<u8>, Vec<bool>)>,
}

/// The names of `.gitignore` files, and their texts.
type RuleFiles = Vec<(String, Vec<u8>)>;

/// Sorts the ignored files of a status.
pub(super) async fn sort(rules: &BaseRules<'_>, status: &[u8]) -> Result<Status, String> {
    let (mut found, mut ignored) = (Vec::new(), Vec::new());
    let mut entries = status.split(|byte| *byte == 0);
    while let Some(entry) = entries.next() {
        match entry {
            [] => {}
            [b'!', b' ', name @ ..] if is_own(name) => {}
            [b'!', b' ', name @ ..] => ignored.push(name),
            // The old name of a renamed file is an entry of its own.
            [b'2', b' ', ..] => {
                found.extend([entry, &[0], entries.next().unwrap_or_default(), &[0]].concat())
            }
            _ => found.extend([entry, &[0]].concat()),
        }
    }
    let hidden = rules.not_ignored(&ignored).await?;
    let is_kept = |name: &&[u8]| name.ends_with(b"/") && !hidden.contains(name);
    let kept = ignored.iter().copied().filter(is_kept).map(<[u8]>::to_vec).collect();
    let (folders, files): (Vec<&[u8]>, Vec<&[u8]>) =
        hidden.into_iter().partition(|name| name.ends_with(b"/"));
    let mut names: Vec<Vec<u8>> = files.into_iter().map(<[u8]>::to_vec).collect();
    for folder in folders {
        let listed = format!(":(top,literal){}", String::from_utf8_lossy(folder));
        let git = Git::new(rules.system, rules.root);
        let within = git.call(&["ls-files", "--others", "-z", "--", &listed]).await?;
        let within: Vec<_> = within.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
        // The policy can tell for each file. Of many files, for example packages, only the folder is listed.
        if within.is_empty() || within.len() + names.len() > MAX_HIDDEN_FILES {
            names.push(folder.to_vec());
        } else {
            names.extend(within.into_iter().map(<[u8]>::to_vec));
        }
    }
    for name in names {
        found.extend([b"? ", &*name, &[0]].concat());
    }
    Ok(Status { entries: found, ignored: kept })
}

impl<'a> BaseRules<'a> {
    pub(super) fn new(system: &'a System, root: &'a Path, base: &'a str) -> Self {
        Self { system, root, base, files: OnceCell::new(), latest: RefCell::default() }
    }

    /// Returns the names that the base does not ignore.
    async fn not_ignored<'n>(&self, names: &[&'n [u8]]) -> Result<Vec<&'n [u8]>, String> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        // A name that begins with `:` would be a pattern.
        let input: Vec<u8> = names.iter().flat_map(|name| [b"./", *name, &[0]].concat()).collect();
        let is_known = self.latest.borrow().0 == input;
        if !is_known {
            let is_ignored = self.ask(input.clone()).await?;
            if is_ignored.len() != names.len() {
                return Err("git did not answer for each ignored file".into());
            }
            self.latest.replace((input, is_ignored));
        }
        let is_ignored = &self.latest.borrow().1;
        let hidden = names.iter().zip(is_ignored).filter(|(_, is_ignored)| !**is_ignored);
        Ok(hidden.map(|(name, _)| *name).collect())
    }

    /// Returns for each name whether the base ignores it. Git is asked in a fresh repository, which has only the `.gitignore` files of the
    /// base.
    async fn ask(&self, names: Vec<u8>) -> Result<Vec<bool>, String> {
        let files = self.files().await?;
        // No program that ran before knows this folder.
        let place = self.system.temporary_folder().await?;
        for (name, text) in files {
            let file = place.join(name);
            let written = match self.system.create_folder(file.parent().unwrap_or(&place)).await {
                Ok(()) => self.system.write(&file, text.clone()).await,
                Err(error) => Err(error),
            };
            written.map_err(|error| format!("the rules of the base cannot be written: {error}"))?;
        }
        let check = ["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"];
        let git = Git::new(self.system, &place);
        // Without a template, there is no `info/exclude`.
        git.call(&["init", "--quiet", "--template="]).await?;
        let answers = git.call_with(&check, names).await?;
        let fields: Vec<_> = answers.split(|byte| *byte == 0).collect();
        let rules = fields.as_chunks().0.iter().map(|[file, _, rule, _]: &[&[u8]; 4]| (*file, *rule));
        let is_ignored = rules.map(|(file, rule)| !file.is_empty() && !rule.starts_with(b"!"));
        Ok(is_ignored.collect())
    }

    async fn files(&self) -> Result<&RuleFiles, String> {
        let files = match self.files.get() {
            Some(files) => files,
            None => {
                let read = self.read().await;
                self.files.get_or_init(|| read)
            }
        };
        files.as_ref().map_err(String::clone)
    }

    async fn read(&self) -> Result<RuleFiles, String> {
        let git = Git::new(self.system, self.root);
        let tree = git.call(&["ls-tree", "-r", "-z", "--full-tree", self.base]).await?;
        let files = tree.split(|byte| *byte == 0).filter_map(|entry| {
            // `100644 blob ID<TAB>NAME`: git follows no links to rules.
            let (about, name) = str::from_utf8(entry).ok()?.split_once('\t')?;
            let (_, id) = about.split_once(" blob ").filter(|(mode, _)| mode.starts_with("100"))?;
            (name.rsplit('/').next() == Some(".gitignore")).then_some((name, id))
        });
        let (names, ids): (Vec<_>, Vec<_>) = files.unzip();
        let texts = match ids.is_empty() {
            true => Vec::new(),
            false => blobs(&git.call_with(&["cat-file", "--batch"], ids.join("\n").into_bytes()).await?)?,
        };
        if texts.len() != names.len() {
            return Err("git did not answer for each `.gitignore` file".into());
        }
        Ok(names.into_iter().map(str::to_owned).zip(texts).collect())
    }
}

/// Returns the contents of blobs from `ID blob SIZE<LF>CONTENT<LF>` for each.
fn blobs(mut output: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let mut blobs = Vec::new();
    while let Some(end) = output.iter().position(|byte| *byte == b'\n') {
        let (header, rest) = output.split_at(end);
        let size = str::from_utf8(header).ok().and_then(|header| header.split_once(" blob ")?.1.parse().ok());
        let content = size.and_then(|size: usize| rest.get(1..)?.split_at_checked(size));
        let Some((content, [b'\n', rest @ ..])) = content else {
            return Err(format!("`git cat-file`: {}", String::from_utf8_lossy(header)));
        };
        blobs.push(content.to_vec());
        output = rest;
    }
    Ok(blobs)
}
