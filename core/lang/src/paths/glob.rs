//! Compiled patterns and their matching.

use alloc::boxed::Box;

use super::{
    Path, PathCase, PathVerdict, Pattern, braces,
    equivalence::{is_unstable, pattern_skeleton},
    segment::{PatternPart, Segment},
    segments, split_some,
    verdict::{Below, below},
};
use crate::{error::Error, steps::Steps};

/// A compiled pattern.
///
/// ```
/// use adjudicate_lang::{Steps, paths::{Glob, Path, Pattern}};
/// let mut steps = Steps::default();
/// let glob = Glob::compile(Pattern::new("infra/**/*.{tf,tfvars}").unwrap(), &mut steps)?;
/// assert!(glob.matches(&Path::split("infra/prod/eu/main.tf"), &mut steps)?);
/// assert!(!glob.matches(&Path::split("docs/infra/main.tf"), &mut steps)?);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Glob {
    text: Box<str>,
    pub(super) case: PathCase,
    is_unstable: bool,
    pub(super) alternatives: Box<[Alternative]>,
}

/// A pattern without braces.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub form: AlternativeForm,
    pub case: PathCase,
    /// True if the pattern ends in `/` and so matches only the contents of directories.
    pub contents_only: bool,
    /// True if one of its segments is `**`.
    pub has_any: bool,
    /// The [traits](super::name_traits) of each file for which the pattern has another verdict than clean.
    traits: u64,
}

#[derive(Clone, Debug)]
pub(super) enum AlternativeForm {
    /// Matches any one segment.
    AnySegment(Segment),
    /// Matches from the root.
    Anchored(Box<[PatternPart]>),
}

impl Glob {
    /// Compiles a case-sensitive pattern.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when its braces expand to more alternatives than the budget allows.
    pub fn compile(pattern: Pattern<'_>, steps: &mut Steps) -> Result<Self, Error> {
        Self::with_case(pattern, PathCase::Sensitive, steps)
    }

    /// Compiles a pattern that compares letters by `case`.
    ///
    /// # Errors
    ///
    /// As in [`Glob::compile`].
    pub fn with_case(pattern: Pattern<'_>, case: PathCase, steps: &mut Steps) -> Result<Self, Error> {
        let text = pattern.text();
        let alternatives = match text.contains('{') {
            true => {
                braces::expand(text, steps)?.iter().filter_map(|text| Alternative::new(text, case)).collect()
            }
            false => Alternative::new(text, case).into_iter().collect(),
        };
        Ok(Self { text: text.into(), case, is_unstable: is_unstable(text), alternatives })
    }

    /// Returns the pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if Unicode normalization [may change](is_unstable) the pattern.
    #[must_use]
    pub const fn is_unstable(&self) -> bool {
        self.is_unstable
    }

    /// Returns whether the pattern has no names (`{,}`) and so matches nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// Returns whether the pattern matches a path or a directory around it. For a directory, it must match everything in it.
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    pub fn matches(&self, path: &Path<'_>, steps: &mut Steps) -> Result<bool, Error> {
        for alternative in &self.alternatives {
            if !alternative.excludes(path, steps)? && alternative.matches(path, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the verdict on a changed path whose contents may be unknown (docs/reference/text-formats.md). `is_removed` means
    /// that the path was deleted or renamed, with everything below it.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, paths::{Glob, Path, PathVerdict, Pattern}};
    /// let mut steps = Steps::default();
    /// let glob = Glob::compile(Pattern::new("deploy/production/**").unwrap(), &mut steps)?;
    /// let added = glob.verdict(&Path::directory("deploy"), false, &mut steps)?;
    /// assert_eq!(added, PathVerdict::Unknown, "`?? deploy/` may hold such a file");
    /// let deleted = glob.verdict(&Path::split("deploy"), true, &mut steps)?;
    /// assert_eq!(deleted, PathVerdict::Matched, "such files are gone, too");
    /// let other = glob.verdict(&Path::directory("docs"), false, &mut steps)?;
    /// assert_eq!(other, PathVerdict::Clean);
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) when the budget runs out.
    // A call would cost as much as the letters that exclude most paths.
    #[inline(always)]
    pub fn verdict(
        &self,
        path: &Path<'_>,
        is_removed: bool,
        steps: &mut Steps,
    ) -> Result<PathVerdict, Error> {
        let mut verdict = PathVerdict::Clean;
        for alternative in &self.alternatives {
            // Most changed paths have other names than the pattern.
            if alternative.excludes(path, steps)? {
                continue;
            }
            verdict = verdict.max(alternative.verdict(path, is_removed, steps)?);
            if verdict == PathVerdict::Matched {
                break;
            }
        }
        Ok(verdict)
    }

    /// Returns the pattern for [skeletons](super::skeleton) of paths. It matches the skeleton of each path that the pattern matches after
    /// Unicode normalization of both.
    ///
    /// ```
    /// use adjudicate_lang::{Steps, paths::{Glob, Path, Pattern, skeleton}};
    /// let mut steps = Steps::default();
    /// let glob = Glob::compile(Pattern::new("caf\u{e9}/**").unwrap(), &mut steps)?.skeleton(&mut steps)?;
    /// assert!(glob.matches(&Path::split(&skeleton("cafe\u{301}/menu.txt")), &mut steps)?);
    /// assert!(!glob.matches(&Path::split(&skeleton("cafe\u{301}s/menu.txt")), &mut steps)?);
    /// # Ok::<(), adjudicate_lang::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As in [`Glob::compile`].
    #[cold]
    pub fn skeleton(&self, steps: &mut Steps) -> Result<Self, Error> {
        // A brace may divide a letter from its mark.
        let texts = braces::expand(&self.text, steps)?;
        let alternatives =
            texts.iter().filter_map(|text| Alternative::new(&pattern_skeleton(text), self.case));
        Ok(Self { alternatives: alternatives.collect(), ..self.clone() })
    }
}

impl Alternative {
    /// Compiles a pattern without braces. Returns `None` if it has no segment.
    fn new(text: &str, case: PathCase) -> Option<Self> {
        let segments = segments(text);
        let (last, before) = segments.split_last()?;
        let contents_only = text.ends_with('/');
        let has_any = segments.contains(&"**");
        let form = if text.trim_end_matches('/').contains('/') {
            let one = |text: &str| PatternPart::One(Segment::new(text));
            let parts = before.iter().map(|text| if *text == "**" { PatternPart::Any } else { one(text) });
            AlternativeForm::Anchored(parts.chain([one(last)]).collect())
        } else {
            AlternativeForm::AnySegment(Segment::new(last))
        };
        let traits = match &form {
            AlternativeForm::AnySegment(segment) => segment.traits(),
            AlternativeForm::Anchored(parts) => match &**parts {
                // A path with fewer segments than the pattern may be a directory around a match.
                [PatternPart::One(first), ..] if first.is_literal() => first.traits(),
                parts => parts.iter().fold(0, |traits, part| match part {
                    PatternPart::Any => traits,
                    PatternPart::One(segment) => traits | segment.traits(),
                }),
            },
        };
        Some(Self { form, case, contents_only, has_any, traits })
    }

    /// Returns the names to compare. A pattern that ends in `/` matches directories: for a file, those around it.
    fn names<'p>(&self, path: &Path<'p>) -> impl Iterator<Item = &'p str> + Clone + use<'p> {
        split_some(match self.contents_only && !path.is_directory() {
            true => path.text.rsplit_once('/').map(|(directories, _)| directories),
            false => Some(path.text).filter(|text| !text.is_empty()),
        })
    }

    /// Returns true if the traits of the names exclude a file, so that its verdict is clean. This costs a step.
    #[inline]
    pub(super) fn excludes(&self, path: &Path<'_>, steps: &mut Steps) -> Result<bool, Error> {
        steps.spend(1)?;
        Ok(!path.is_directory() && self.traits & !path.traits != 0)
    }

    #[inline(always)]
    pub(super) fn matches(&self, path: &Path<'_>, steps: &mut Steps) -> Result<bool, Error> {
        match &self.form {
            AlternativeForm::AnySegment(pattern) => {
                for name in self.names(path) {
                    steps.spend(1)?;
                    if !pattern.excludes(name, self.case) && pattern.matches(name, self.case, steps)? {
                        return Ok(true);
                    }
                }
                Ok(path.text.is_empty() && !self.contents_only && pattern.is_universal())
            }
            AlternativeForm::Anchored(parts) if path.is_directory() => {
                Ok(below(parts, self.case, self.contents_only, path, steps)? == Below::All)
            }
            AlternativeForm::Anchored(parts) => anchored_matches(parts, self.case, self.names(path), steps),
        }
    }

    #[inline(never)]
    fn verdict(&self, path: &Path<'_>, is_removed: bool, steps: &mut Steps) -> Result<PathVerdict, Error> {
        let is_root = path.text.is_empty();
        let below = match &self.form {
            AlternativeForm::Anchored(parts) if path.is_directory() => {
                below(parts, self.case, self.contents_only, path, steps)?
            }
            _ if self.matches(path, steps)? => Below::All,
            // A name can be anywhere below.
            AlternativeForm::AnySegment(_) if path.is_directory() => Below::Maybe,
            AlternativeForm::AnySegment(_) => return Ok(PathVerdict::Clean),
            AlternativeForm::Anchored(_) => Below::Nothing,
        };
        Ok(match below {
            Below::All => PathVerdict::Matched,
            _ if is_removed && (is_root || self.has_prefix(path, is_removed, steps)?) => PathVerdict::Matched,
            Below::Maybe => PathVerdict::Unknown,
            Below::Nothing if !is_removed && self.has_prefix(path, is_removed, steps)? => {
                PathVerdict::Unknown
            }
            Below::Nothing => PathVerdict::Clean,
        })
    }

    /// Returns whether the path is a proper prefix of the pattern's leading literal segments. For a removed path, which may have
    /// been a directory, a trailing `/` of the pattern counts as one more segment.
    fn has_prefix(&self, path: &Path<'_>, is_removed: bool, steps: &mut Steps) -> Result<bool, Error> {
        let AlternativeForm::Anchored(parts) = &self.form else { return Ok(false) };
        let mut parts = parts.iter();
        for name in path.segments() {
            steps.spend(1)?;
            match parts.next() {
                Some(PatternPart::One(segment))
                    if segment.is_literal() && segment.matches(name, self.case, steps)? => {}
                _ => return Ok(false),
            }
        }
        Ok(parts.next().is_some() || self.contents_only && is_removed)
    }
}

/// Returns whether the parts match the first of `names`. Each run of parts between two `**` takes its first match, which leaves
/// the most for the rest. So backtracking to the latest `**` suffices.
fn anchored_matches<'p>(
    mut parts: &[PatternPart],
    case: PathCase,
    mut names: impl Iterator<Item = &'p str> + Clone,
    steps: &mut Steps,
) -> Result<bool, Error> {
    let mut retry = None;
    while let Some((part, after)) = parts.split_first() {
        steps.spend(1)?;
        parts = after;
        let PatternPart::One(pattern) = part else {
            retry = Some((parts, names.clone()));
            continue;
        };
        let Some(name) = names.next() else { return Ok(false) };
        if pattern.excludes(name, case) || !pattern.matches(name, case, steps)? {
            let Some((first, from)) = &mut retry else { return Ok(false) };
            from.next();
            (parts, names) = (*first, from.clone());
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{codes, paths::normalize};

    fn matches(pattern: &str, path: &str) -> bool {
        let mut steps = Steps::default();
        let glob = Glob::compile(Pattern::new(pattern).unwrap(), &mut steps).unwrap();
        glob.matches(&Path::split(&normalize(path)), &mut steps).unwrap()
    }

    #[test]
    fn each_wildcard_matches_as_documented() {
        for (pattern, path, expected) in [
            // Without `/`: any segment, and everything in it.
            ("secrets", "secrets", true),
            ("secrets", "a/secrets/key.pem", true),
            ("secrets", "a/secrets.txt", false),
            ("*.pem", "deep/down/key.pem", true),
            ("*.pem", "key.pem/inside", true),
            // With `/`: from the root.
            ("src/secrets", "src/secrets/x", true),
            ("src/secrets", "a/src/secrets", false),
            ("/secrets", "secrets", true),
            ("/secrets", "a/secrets", false),
            ("src/secrets", "src/secrets2", false),
            // A trailing `/` does not anchor, and matches only the contents of directories.
            ("docs/", "a/docs/x.md", true),
            ("docs/", "docs", false),
            ("docs/", "a/docs", false),
            ("a/docs/", "a/docs/x.md", true),
            ("a/docs/", "a/docs", false),
            ("{docs/,docs}", "docs", true),
            ("a/**/", "a/x", false),
            ("a/**/", "a/x/y", true),
            ("*/", "x", false),
            ("*/", "x/y", true),
            // Wildcards.
            ("src/*.rs", "src/lib.rs", true),
            ("src/*.rs", "src/a/lib.rs", false),
            ("src/*", "src/a/lib.rs", true),
            ("src/?.rs", "src/a.rs", true),
            ("src/?.rs", "src/ab.rs", false),
            ("?", "é", true),
            ("src/**/test.rs", "src/test.rs", true),
            ("src/**/test.rs", "src/a/b/test.rs", true),
            ("src/**", "src/a/b", true),
            ("src/**", "src", false),
            ("**/test.rs", "test.rs", true),
            ("**/a/**/b", "x/a/y/z/b/c", true),
            ("**/a/b/**", "a/a/b", false),
            ("**/a/b/**", "a/a/b/c", true),
            ("a/**/**/b", "a/b", true),
            ("a/**/b/c", "a/b/b/c", true),
            ("**", "anything/at/all", true),
            ("a**z", "abcz", true),
            ("a**z", "ab/cz", false),
            ("*", ".hidden", true),
            // Braces.
            ("*.{rs,toml}", "x/Cargo.toml", true),
            ("{src,tests}/**/*.rs", "tests/a/b.rs", true),
            ("a{b,c{d,e}}f", "acef", true),
            ("a{b,c{d,e}}f", "acf", false),
            ("{a/b,c}", "a/b/x", true),
            ("{a/b,c}", "x/c", true),
            ("{only}", "only", true),
            ("x{,y}", "x", true),
            // No classes, negation or escapes, and matching is case-sensitive.
            ("[ab]", "a", false),
            ("app/[id].tsx", "app/[id].tsx", true),
            ("!a", "a", false),
            ("README", "readme", false),
            // Patterns are normalized too.
            ("./src//lib.rs", "src/lib.rs", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn bombs_end_in_a_limit() {
        let mut steps = Steps::for_patterns();
        let bomb = "{a,b}".repeat(40);
        let error = Glob::compile(Pattern::new(&bomb).unwrap(), &mut steps).unwrap_err();
        assert_eq!(error.code(), codes::LIMIT_EXCEEDED);
        let deep = alloc::format!("{}x{}", "{".repeat(20_000), "}".repeat(20_000));
        assert!(Glob::compile(Pattern::new(&deep).unwrap(), &mut Steps::for_patterns()).is_err());
        let stars = "*a".repeat(2_000);
        let glob = Glob::compile(Pattern::new(&stars).unwrap(), &mut Steps::default()).unwrap();
        let text = "a".repeat(1_000_000);
        assert!(glob.matches(&Path::split(&text), &mut Steps::default()).is_ok_and(|matched| matched));
        let late = alloc::format!("{}b*", "*a".repeat(2_000));
        let glob = Glob::compile(Pattern::new(&late).unwrap(), &mut Steps::default()).unwrap();
        assert!(glob.matches(&Path::split(&text), &mut Steps::new(1000)).is_err());
    }
}
