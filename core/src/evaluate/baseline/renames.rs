//! The renames of a diff, in the ids and the files of the baseline.

use alloc::{borrow::Cow, collections::BTreeMap, string::String};

use adjudicate_lang::{Error, Steps, order::SortedSet};

/// The renames of a diff: the new name for each old one, `None` if renames disagree.
#[derive(Debug)]
pub(super) struct Renames<'c> {
    files: BTreeMap<&'c str, Option<&'c str>>,
    /// The new name for each spelling of an old one.
    spellings: BTreeMap<String, Option<String>>,
    /// The lengths of the spellings, in bytes.
    lengths: SortedSet<usize>,
}

impl<'c> Renames<'c> {
    /// Reads renames from old to new paths.
    pub(super) fn new(
        renames: impl Iterator<Item = (&'c str, &'c str)>,
        steps: &mut Steps,
    ) -> Result<Self, Error> {
        let mut files = BTreeMap::new();
        for (old, new) in renames {
            let same = files.entry(old).or_insert(Some(new));
            if *same != Some(new) {
                *same = None;
            }
        }
        let mut spellings = of_each(&files, |path| path, steps)?;
        // A whole name stands over another one without its extension.
        for (old, new) in of_each(&files, stem, steps)? {
            spellings.entry(old).or_insert(new);
        }
        let lengths = SortedSet::from_values(spellings.keys().map(String::len));
        Ok(Self { files, spellings, lengths })
    }

    /// The new path of a renamed file.
    pub(super) fn of_file<'p>(&self, file: Cow<'p, str>) -> Cow<'p, str> {
        match self.files.get(&*file) {
            Some(Some(new)) => Cow::Owned(String::from(*new)),
            Some(None) | None => file,
        }
    }

    /// An id with the new names in place of the old ones.
    pub(super) fn in_id<'t>(&self, id: &'t str, steps: &mut Steps) -> Result<Cow<'t, str>, Error> {
        if self.spellings.is_empty() {
            return Ok(Cow::Borrowed(id));
        }
        // The part that is written, and the place up to which that is done.
        let (mut renamed, mut done) = (String::new(), 0);
        let mut before = None;
        for (at, letter) in id.char_indices() {
            let may_begin =
                at >= done && !before.is_some_and(|letter| is_word(letter) || matches!(letter, '.' | '/'));
            before = Some(letter);
            if may_begin
                && let Some(rest) = id.get(at..)
                && let Some((length, new)) = self.longest_at(rest, steps)?
            {
                renamed.push_str(id.get(done..at).unwrap_or_default());
                renamed.push_str(new);
                done = at + length;
            }
        }
        if done == 0 {
            return Ok(Cow::Borrowed(id));
        }
        renamed.push_str(id.get(done..).unwrap_or_default());
        Ok(Cow::Owned(renamed))
    }

    /// The length of the longest old name with which a text begins, and the new name.
    fn longest_at(&self, text: &str, steps: &mut Steps) -> Result<Option<(usize, &str)>, Error> {
        for length in self.lengths.iter().rev() {
            steps.spend(1 + length / 16)?;
            let Some((old, after)) = text.split_at_checked(*length) else { continue };
            if let Some(new) = self.spellings.get(old)
                && !after.chars().next().is_some_and(is_word)
            {
                return Ok(new.as_ref().map(|new| (*length, &**new)));
            }
        }
        Ok(None)
    }
}

/// The new name for each spelling of the old ones: with `/`, and with `.`. `None` if renames disagree.
fn of_each(
    files: &BTreeMap<&str, Option<&str>>,
    name: impl Fn(&str) -> &str,
    steps: &mut Steps,
) -> Result<BTreeMap<String, Option<String>>, Error> {
    let mut spellings = BTreeMap::new();
    for (old, new) in files {
        let (old, new) = (name(old), new.map(&name));
        steps.spend(old.len() + new.map_or(0, str::len))?;
        let with_dots = || (old.replace('/', "."), new.map(|new| new.replace('/', ".")));
        let with_dots = old.contains('/').then(with_dots);
        for (old, new) in [(String::from(old), new.map(String::from))].into_iter().chain(with_dots) {
            let same = spellings.entry(old).or_insert_with(|| new.clone());
            if *same != new {
                *same = None;
            }
        }
    }
    Ok(spellings)
}

/// Returns true for a letter that continues a name.
fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-')
}

/// A path without its extension.
fn stem(path: &str) -> &str {
    let start = path.rfind('/').map_or(0, |slash| slash + 1);
    let name = path.get(start..).unwrap_or_default();
    match name.rfind('.') {
        Some(dot) if dot > 0 => path.get(..start + dot).unwrap_or(path),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_new_names() {
        let renames = [
            ("tests/test_a.py", "tests/api/test_b.py"),
            ("src/a.rs", "src/b.rs"),
            ("src/a.rs.bak", "src/c"),
            ("one/x.js", "two/x.js"),
            ("one/x.ts", "three/x.ts"),
            ("top", "low/top"),
            ("twice.py", "one.py"),
            ("twice.py", "two.py"),
        ];
        let renames = Renames::new(renames.into_iter(), &mut Steps::default()).unwrap();
        for (id, expected) in [
            ("tests/test_a.py::t", "tests/api/test_b.py::t"),
            ("tests.test_a.TestX.t", "tests.api.test_b.TestX.t"),
            ("tests/test_a::t", "tests/api/test_b::t"),
            ("tests.test_a.py", "tests.api.test_b.py"),
            ("x/tests/test_a.py", "x/tests/test_a.py"),
            ("tests/test_ab.py", "tests/test_ab.py"),
            ("(src/a.rs) src/a.rs", "(src/b.rs) src/b.rs"),
            ("src/a.rs.bak", "src/c"),
            ("src/a.rs.bakery", "src/b.rs.bakery"),
            ("src/a-1", "src/a-1"),
            // Two renames disagree about the name without its extension.
            ("one/x > t", "one/x > t"),
            ("one/x.js > t", "two/x.js > t"),
            ("top", "low/top"),
            ("twice.py::t", "twice.py::t"),
        ] {
            assert_eq!(renames.in_id(id, &mut Steps::default()).unwrap(), expected, "{id}");
        }
    }
}
