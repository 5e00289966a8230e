//! `git diff`: a unified patch with git's headers. Hunk lines are counted, so that a changed line never passes for a header.

use alloc::{borrow::Cow, vec::Vec};
use core::{iter::Peekable, str::Lines};

use super::{
    FileLine, Reading, is_directory_mode, is_mode, is_object,
    names::{one_name, plain_name, quoted_name},
};
use crate::documents::evidence::Change;

/// Git's prefixes of the old and the new name, by default and with `diff.mnemonicPrefix`.
const PREFIXES: [(&str, &str); 5] = [("a/", "b/"), ("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/")];
/// Git's name for an absent file.
const NO_FILE: &str = "/dev/null";

pub(super) fn parse(text: &str) -> Option<Reading<'_>> {
    let mut patch = Patch { lines: text.lines().peekable() };
    let mut files = Vec::new();
    loop {
        while patch.next_if(|line| line.trim().is_empty()).is_some() {}
        match patch.lines.next() {
            Some(line) => files.push(patch.file(line.strip_prefix("diff --git ")?)?),
            None => return Some(Reading::Files(files)),
        }
    }
}

struct Patch<'a> {
    lines: Peekable<Lines<'a>>,
}

impl<'a> Patch<'a> {
    /// Reads the file whose first line ends in `names`.
    fn file(&mut self, names: &'a str) -> Option<FileLine<'a>> {
        let mut is_directory = false;
        let mut mode = |mode: &str| {
            is_directory |= is_directory_mode(mode);
            is_mode(mode).then_some(())
        };
        let mut change = Change::Modified;
        if let Some(new) = self.header("new file mode ") {
            mode(new)?;
            change = Change::Added;
        } else if let Some(deleted) = self.header("deleted file mode ") {
            mode(deleted)?;
            change = Change::Deleted;
        } else if let Some(old) = self.header("old mode ") {
            mode(old)?;
            mode(self.header("new mode ")?)?;
        }
        for score in ["similarity index ", "dissimilarity index "] {
            if let Some(score) = self.header(score) {
                score.strip_suffix('%').filter(|score| super::is_count(score))?;
            }
        }
        let mut source = None;
        for (from, to, kind) in
            [("rename from ", "rename to ", Change::Renamed), ("copy from ", "copy to ", Change::Added)]
        {
            if let Some(from) = self.header(from) {
                let (from, to) = (one_name(from)?, one_name(self.header(to)?)?);
                source = Some((from, to, kind));
                break;
            }
        }
        if let Some(index) = self.header("index ") {
            let (objects, submodule) = index.split_once(' ').unwrap_or((index, "100644"));
            let (old, new) = objects.split_once("..")?;
            mode(submodule).filter(|()| is_object(old) && is_object(new))?;
        }
        let file = match source {
            Some((from, to, kind)) => {
                is_pair(names, &from, &to).then_some(())?;
                self.content(&from, &to)?;
                FileLine::pair(from, to, kind)
            }
            None => {
                let name = common_name(names)?;
                self.content(
                    if change == Change::Added { NO_FILE } else { &name },
                    if change == Change::Deleted { NO_FILE } else { &name },
                )?;
                FileLine::new(name, Some(change))
            }
        };
        Some(FileLine { is_directory: file.is_directory || is_directory, ..file })
    }

    /// The rest of the next line, if it begins with `words`.
    fn header(&mut self, words: &str) -> Option<&'a str> {
        self.next_if(|line| line.starts_with(words)).and_then(|line| line.get(words.len()..))
    }

    fn next_if(&mut self, is_wanted: impl Fn(&str) -> bool) -> Option<&'a str> {
        self.lines.next_if(|line| is_wanted(line))
    }

    /// Reads the changed lines, if any, between files of these names.
    fn content(&mut self, old: &str, new: &str) -> Option<()> {
        if let Some(name) = self.header("--- ") {
            is_side(name, old, |prefixes| prefixes.0).then_some(())?;
            is_side(self.header("+++ ")?, new, |prefixes| prefixes.1).then_some(())?;
            self.hunk()?;
            while self.lines.peek().is_some_and(|line| line.starts_with("@@ ")) {
                self.hunk()?;
            }
        } else if let Some(names) = self.header("Binary files ") {
            names.strip_suffix(" differ")?;
        } else if self.next_if(|line| line == "GIT binary patch").is_some() {
            // Forward and reverse.
            self.binary()?;
            self.binary()?;
        }
        Some(())
    }

    /// Reads `@@ -1,2 +1,3 @@` and that many lines.
    fn hunk(&mut self) -> Option<()> {
        let ranges = self.header("@@ -")?;
        let (old, rest) = ranges.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let (mut old, mut new) = (count(old)?, count(new)?);
        while old > 0 || new > 0 {
            match self.lines.next()?.as_bytes().first() {
                // With `diff.suppressBlankEmpty`, an empty context line lacks its space.
                Some(b' ') | None => {
                    old = old.checked_sub(1)?;
                    new = new.checked_sub(1)?;
                }
                Some(b'-') => old = old.checked_sub(1)?,
                Some(b'+') => new = new.checked_sub(1)?,
                // `\ No newline at end of file`
                Some(b'\\') => {}
                Some(_) => return None,
            }
        }
        self.next_if(|line| line.starts_with("\\ "));
        Some(())
    }

    /// Reads a part of a binary patch: its length, lines in base 85, an empty line.
    fn binary(&mut self) -> Option<()> {
        let length = self.header("literal ").or_else(|| self.header("delta "))?;
        super::is_count(length).then_some(())?;
        while self.next_if(is_encoded).is_some() {}
        // The last empty line may be cut off at the end of the text.
        self.lines.next().is_none_or(str::is_empty).then_some(())
    }
}

/// The number of lines of a range: `12,3` or `12` for one line.
fn count(range: &str) -> Option<u64> {
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    if super::is_count(start) && super::is_count(count) { count.parse().ok() } else { None }
}

/// Returns true if a line is a byte count followed by that many bytes, four in five characters.
fn is_encoded(line: &str) -> bool {
    let Some((length, bytes)) = line.as_bytes().split_first() else { return false };
    let length = match length {
        b'A'..=b'Z' => length - b'A' + 1,
        b'a'..=b'z' => length - b'a' + 27,
        _ => return false,
    };
    bytes.len() == usize::from(length).div_ceil(4) * 5 && bytes.iter().all(u8::is_ascii_graphic)
}

/// The name of a file with the same name on both sides: `a/name b/name`.
fn common_name(names: &str) -> Option<Cow<'_, str>> {
    let (old, new) = if names.starts_with('"') {
        let (old, rest) = quoted_name(names)?;
        (Cow::Owned(old), one_name(rest.strip_prefix(' ')?)?)
    } else {
        // Both sides have the same length.
        let (old, new) = names.split_at_checked(names.len() / 2)?;
        (Cow::Borrowed(plain_name(old)?), Cow::Borrowed(plain_name(new.strip_prefix(' ')?)?))
    };
    let name = PREFIXES.iter().find_map(|(before_old, before_new)| {
        let name = old.strip_prefix(before_old)?;
        (new.strip_prefix(before_new)? == name && !name.trim().is_empty()).then_some(name.len())
    })?;
    Some(match old {
        Cow::Borrowed(old) => Cow::Borrowed(old.get(old.len() - name..)?),
        Cow::Owned(old) => Cow::Owned(old.get(old.len() - name..)?.into()),
    })
}

/// Returns true if the names of a first line are these two, each with a prefix.
fn is_pair(names: &str, from: &str, to: &str) -> bool {
    PREFIXES.iter().any(|(before_from, before_to)| {
        let rest = after_name(names, before_from, from).and_then(|rest| rest.strip_prefix(' '));
        rest.and_then(|rest| after_name(rest, before_to, to)) == Some("")
    })
}

/// Returns true if a line `---` or `+++` has this name.
fn is_side(text: &str, name: &str, prefix: impl Fn((&'static str, &'static str)) -> &'static str) -> bool {
    if name == NO_FILE {
        return text == NO_FILE;
    }
    // Git appends a tab to a name with white space.
    let text = text.strip_suffix('\t').unwrap_or(text);
    PREFIXES.iter().any(|prefixes| after_name(text, prefix(*prefixes), name) == Some(""))
}

/// The rest of a text that begins with a prefix and a name, quoted or not.
fn after_name<'a>(text: &'a str, prefix: &str, name: &str) -> Option<&'a str> {
    if text.starts_with('"') {
        let (quoted, rest) = quoted_name(text)?;
        return (quoted.strip_prefix(prefix)? == name).then_some(rest);
    }
    text.strip_prefix(prefix)?.strip_prefix(name)
}
