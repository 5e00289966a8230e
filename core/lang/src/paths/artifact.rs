//! Required artifacts: entries of a list that files must match (docs/reference/text-formats.md).

use alloc::{string::String, vec::Vec};

use super::{
    Glob, Path,
    glob::{Alternative, AlternativeForm},
    segment::{PatternPart, Segment},
};
use crate::{error::Error, order, steps::Steps};

/// Up to this number, comparing an entry with all artifacts costs less than sorting them.
const FEW: usize = 16;

/// The artifacts of a run. Of many, an entry is compared only with the artifacts that begin like it.
///
/// ```
/// use adjudicate_lang::{Steps, paths::{Artifacts, Glob, Path, Pattern}};
/// let mut steps = Steps::default();
/// let mut artifacts = Artifacts::new(["site/index.html", "report.html"].map(Path::split).into());
/// let site = Glob::compile(Pattern::new("site/**").unwrap(), &mut steps)?;
/// let page = Glob::compile(Pattern::new("index.html").unwrap(), &mut steps)?;
/// assert!(artifacts.satisfy(&site, &mut steps)? && !artifacts.satisfy(&page, &mut steps)?);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Artifacts<'a> {
    paths: Vec<Path<'a>>,
    /// False until an entry is looked up by its beginning, because sorting takes memory.
    is_sorted: bool,
}

impl<'a> Artifacts<'a> {
    /// Returns the artifacts of these paths, which should be in [normal form](super::normalize).
    #[must_use]
    pub const fn new(paths: Vec<Path<'a>>) -> Self {
        Self { paths, is_sorted: false }
    }

    /// Returns whether an artifact [satisfies](Glob::is_met_by) an entry.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub fn satisfy(&mut self, entry: &Glob, steps: &mut Steps) -> Result<bool, Error> {
        let is_path = entry.is_path();
        for alternative in &entry.alternatives {
            let candidates = if self.paths.len() <= FEW {
                &self.paths
            } else {
                let start = alternative.start(is_path);
                steps.spend(start.len() + 1)?;
                self.starting_with(&start, is_path && !alternative.takes_contents())
            };
            for artifact in candidates {
                if alternative.is_met_by(artifact, is_path, steps)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns whether a path is among the artifacts.
    #[must_use]
    pub fn contain(&self, path: &Path<'_>) -> bool {
        self.paths.iter().any(|artifact| artifact.text == path.text)
    }

    /// The artifacts that begin with a text, apart from the case of letters. If the text `is_whole`, only the artifacts that equal
    /// it.
    fn starting_with(&mut self, start: &str, is_whole: bool) -> &[Path<'a>] {
        if start.is_empty() {
            return &self.paths;
        }
        if !self.is_sorted {
            order::sort_by(&mut self.paths, |left, right| folded(left).cmp(folded(right)));
            self.is_sorted = true;
        }
        let text = || start.bytes().map(|byte| byte.to_ascii_lowercase());
        let compared = if is_whole { usize::MAX } else { start.len() };
        let first = self.paths.partition_point(|path| folded(path).lt(text()));
        let rest = self.paths.get(first..).unwrap_or_default();
        let count = rest.partition_point(|path| folded(path).take(compared).eq(text()));
        rest.get(..count).unwrap_or_default()
    }
}

/// The bytes of a path in lower case, with a `/` before each name.
fn folded(path: &Path<'_>) -> impl Iterator<Item = u8> {
    path.segments()
        .flat_map(|name| core::iter::once(b'/').chain(name.bytes().map(|byte| byte.to_ascii_lowercase())))
}

impl Glob {
    /// Returns whether an artifact satisfies the pattern as an entry of the required artifacts.
    ///
    /// An entry without wildcards and braces is a path, and only a file of that exact path satisfies it. Otherwise a file that
    /// matches the pattern satisfies it. Files below a match, and directories, count only if the entry ends in `/` or has a
    /// segment `**`.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, paths::{Glob, Path, Pattern}};
    /// let mut steps = Steps::default();
    /// let mut is_met = |entry, artifact| {
    ///     let glob = Glob::compile(Pattern::new(entry).unwrap(), &mut steps).unwrap();
    ///     glob.is_met_by(&Path::split(artifact), &mut steps).unwrap()
    /// };
    /// assert!(is_met("report.html", "report.html"));
    /// assert!(!is_met("report.html", "report.html/style.css"), "a file in a folder of that name");
    /// assert!(!is_met("report.html", "old/report.html"), "another path");
    /// assert!(is_met("*.html", "old/report.html"));
    /// assert!(is_met("site/", "site/index.html") && is_met("site/**", "site/a/b.html"));
    /// ```
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub fn is_met_by(&self, artifact: &Path<'_>, steps: &mut Steps) -> Result<bool, Error> {
        let is_path = self.is_path();
        for alternative in &self.alternatives {
            if alternative.is_met_by(artifact, is_path, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns whether there are no wildcards and no braces.
    fn is_path(&self) -> bool {
        !self.text().contains(['*', '?', '{'])
    }
}

impl Alternative {
    /// Returns whether an artifact satisfies the pattern. With `is_path`, the pattern is the path of a file.
    fn is_met_by(&self, artifact: &Path<'_>, is_path: bool, steps: &mut Steps) -> Result<bool, Error> {
        match self.takes_contents() {
            _ if self.excludes(artifact, steps)? => Ok(false),
            true => self.matches(artifact, steps),
            false if artifact.is_directory() => Ok(false),
            false => self.matches_itself(artifact, is_path, steps),
        }
    }

    /// The beginning of every artifact that satisfies the pattern, apart from the case of letters, with a `/` before each name.
    fn start(&self, is_path: bool) -> String {
        let mut start = String::new();
        let mut push = |segment: &Segment| {
            start.push('/');
            start.push_str(segment.head());
            segment.is_literal()
        };
        match &self.form {
            AlternativeForm::AnySegment(segment) if is_path && !self.contents_only => {
                push(segment);
            }
            AlternativeForm::AnySegment(_) => {}
            AlternativeForm::Anchored(parts) => {
                for part in parts {
                    if !matches!(part, PatternPart::One(segment) if push(segment)) {
                        break;
                    }
                }
            }
        }
        // The directory `a/` satisfies `a/**`.
        start.truncate(start.trim_end_matches('/').len());
        start
    }

    /// Returns whether the pattern ends in `/` or has a segment `**`.
    fn takes_contents(&self) -> bool {
        self.contents_only || self.has_any
    }

    /// Returns whether all names of a file match. With `is_path`, the match begins at the root, even without a `/`.
    fn matches_itself(&self, file: &Path<'_>, is_path: bool, steps: &mut Steps) -> Result<bool, Error> {
        match &self.form {
            AlternativeForm::AnySegment(_) if is_path && file.text.contains('/') => Ok(false),
            AlternativeForm::AnySegment(pattern) => {
                steps.spend(1)?;
                file.segments().last().map_or(Ok(false), |name| pattern.matches(name, self.case, steps))
            }
            AlternativeForm::Anchored(parts) => {
                let mut names = file.segments();
                for part in parts {
                    steps.spend(1)?;
                    let (PatternPart::One(segment), Some(name)) = (part, names.next()) else {
                        return Ok(false);
                    };
                    if !segment.matches(name, self.case, steps)? {
                        return Ok(false);
                    }
                }
                Ok(names.next().is_none())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::{PathCase, Pattern, normalize};

    #[test]
    fn a_list_answers_as_its_artifacts_do() {
        let entries = [
            "a",
            "A",
            "ab",
            "a/b",
            "a/B",
            "./a//b",
            "/a",
            "a/",
            "a/b/",
            "a*",
            "*",
            "*b",
            "?",
            "a/*",
            "a/b*",
            "*/b",
            "**",
            "a/**",
            "a/**/b",
            "**/b",
            "a*/**",
            "a/b*/**",
            "a/**/**",
            "{a,b}",
            "{a/b,b}",
            "a{,b}",
            "{a/..,}",
            "a/{b,c}/**",
            "b/",
            "é/x",
            "é*",
        ];
        let paths = [
            "a", "A", "b", "ab", "Ab", "a/b", "A/b", "a/ab", "a/b/c", "b/a", "b/ab", "a-", "a.b", "é/x",
            "c/d/b", "",
        ];
        let paths: Vec<Path<'_>> =
            paths.iter().flat_map(|path| [Path::split(path), Path::directory(path)]).collect();
        let mut met = 0;
        for entry in entries {
            for case in [PathCase::Sensitive, PathCase::AsciiInsensitive] {
                let mut steps = Steps::default();
                let glob = Glob::with_case(Pattern::new(entry).unwrap(), case, &mut steps).unwrap();
                let is_met = |path| glob.is_met_by(path, &mut Steps::default()).unwrap();
                for path in &paths {
                    let mut alone = Artifacts::new(Vec::from([path.clone()]));
                    assert_eq!(alone.satisfy(&glob, &mut steps), Ok(is_met(path)), "{entry} by {path:?}");
                    met += usize::from(is_met(path));
                }
                let all_others: Vec<_> = paths.iter().filter(|path| !is_met(path)).cloned().collect();
                assert_eq!(
                    Artifacts::new(all_others.clone()).satisfy(&glob, &mut steps),
                    Ok(false),
                    "{entry}"
                );
                for path in paths.iter().filter(|path| is_met(path)) {
                    let one_more = [&all_others[..], core::slice::from_ref(path)].concat();
                    assert_eq!(
                        Artifacts::new(one_more).satisfy(&glob, &mut steps),
                        Ok(true),
                        "{entry} by {path:?}"
                    );
                }
            }
        }
        assert!(met > 200, "{met}");
        assert!(Artifacts::new(paths).contain(&Path::split(&normalize("./a//b"))));
    }

    #[test]
    fn an_entry_is_compared_only_with_artifacts_that_begin_like_it() {
        let names: Vec<String> = (0..10_000).map(|number| alloc::format!("folder-{number}/file")).collect();
        let mut artifacts = Artifacts::new(names.iter().map(|name| Path::split(name)).collect());
        for (entry, is_met) in [
            ("folder-5000/file", true),
            ("folder-5000/f*", true),
            ("folder-5000/**", true),
            ("folder-5000", false),
        ] {
            let glob = Glob::compile(Pattern::new(entry).unwrap(), &mut Steps::default()).unwrap();
            assert_eq!(artifacts.satisfy(&glob, &mut Steps::new(100)), Ok(is_met), "{entry}");
        }
    }
}
