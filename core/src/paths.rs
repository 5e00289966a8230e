//! Paths and globs: one dialect for every list of paths (SPEC section 3.2).
//!
//! Paths are normalised first: `./` and `//` go, `a/../b` is `b`, a leading or trailing `/` goes; a `..` at
//! the root stays there, so that no path escapes a pattern by leaving and coming back. A pattern without a `/` (a trailing one does not count) matches any one segment; any
//! other is matched from the root. What matches a directory matches all in it. `*` and `?` stay within a segment,
//! `**` as a whole segment stands for any number of them, `{a,b}` for either. There are no classes and no
//! negation: `[`, `]` and `!` are ordinary characters, and so is `\`. Matching is case-sensitive.

use alloc::{borrow::Cow, boxed::Box, format, string::String, vec::Vec};
use core::fmt;

use serde::{Deserialize, Serialize, de};

use crate::{codes::ErrorCode, error::Error};

/// How much work one evaluation may do, in steps of roughly a byte compared (SPEC section 13.3: the engine's own
/// deterministic step budget). Parsing and writing are linear in the input and not counted.
#[derive(Clone, Debug)]
pub struct Steps {
    left: u64,
}

impl Steps {
    /// The budget of one evaluation: 100 million steps.
    pub const DEFAULT: u64 = 100_000_000;

    /// The budget for compiling the patterns of one document: about the bytes that they may stand for.
    #[must_use]
    pub const fn for_patterns() -> Self {
        Self::new(1 << 20)
    }

    /// A fresh budget.
    #[must_use]
    pub const fn new(steps: u64) -> Self {
        Self { left: steps }
    }

    /// Takes `steps` from the budget.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::LimitExceeded`] when that many are not left.
    pub fn spend(&mut self, steps: usize) -> Result<(), Error> {
        self.left = self.left.checked_sub(steps as u64).ok_or_else(|| {
            Error::new(ErrorCode::LimitExceeded, "the evaluation takes more steps than its budget allows")
        })?;
        Ok(())
    }
}

impl Default for Steps {
    fn default() -> Self {
        Self::new(Self::DEFAULT)
    }
}

/// The path in normal form.
///
/// ```
/// use adjudicate_core::paths::normalize;
/// assert_eq!(normalize("./src//a/../lib.rs"), "src/lib.rs");
/// assert_eq!(normalize("/../docs/"), "docs");
/// ```
#[must_use]
pub fn normalize(path: &str) -> Cow<'_, str> {
    if path.split('/').all(|segment| !matches!(segment, "" | "." | "..")) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(segments(path).join("/"))
}

/// The segments of a path in normal form.
fn segments(path: &str) -> Vec<&str> {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    kept
}

/// The text of a pattern that is known to be well formed; [`Glob`] is its compiled form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Pattern<'a>(&'a str);

impl<'a> Pattern<'a> {
    /// The pattern as it was written.
    #[must_use]
    pub const fn text(self) -> &'a str {
        self.0
    }

    /// Checks a pattern; the fault is for people.
    ///
    /// # Errors
    ///
    /// Braces that do not pair, or nothing to match.
    pub fn new(text: &'a str) -> Result<Self, &'static str> {
        let mut depth = 0_usize;
        for byte in text.bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.checked_sub(1).ok_or("a `}` without `{` in a pattern")?,
                _ => {}
            }
        }
        if depth > 0 {
            return Err("a `{` without `}` in a pattern");
        }
        if segments(text).is_empty() {
            return Err("an empty pattern");
        }
        Ok(Self(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Pattern<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(<&str>::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl fmt::Display for Pattern<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A compiled pattern.
///
/// ```
/// use adjudicate_core::paths::{Glob, Pattern, Steps};
/// let mut steps = Steps::default();
/// let glob = Glob::compile(Pattern::new("infra/**/*.{tf,tfvars}").unwrap(), &mut steps)?;
/// assert!(glob.matches("infra/prod/eu/main.tf", &mut steps)?);
/// assert!(!glob.matches("docs/infra/main.tf", &mut steps)?);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Glob {
    text: Box<str>,
    alternatives: Vec<Alternative>,
}

/// One way to read a pattern, its braces resolved.
#[derive(Clone, Debug)]
enum Alternative {
    /// No wildcard, any one segment.
    Segment(Box<str>),
    /// No wildcard, from the root.
    Prefix(Box<str>),
    /// Any one segment, with wildcards.
    AnySegment(Box<str>),
    /// From the root, with wildcards.
    Anchored(Vec<Part>),
}

#[derive(Clone, Debug)]
enum Part {
    /// `**`: any number of segments.
    Any,
    /// One segment, with or without wildcards.
    One(Box<str>),
}

impl Glob {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::LimitExceeded`] when its braces stand for more alternatives than the budget allows.
    pub fn compile(pattern: Pattern<'_>, steps: &mut Steps) -> Result<Self, Error> {
        let mut texts = Vec::new();
        expand(pattern.text(), steps, &mut texts)?;
        let alternatives = texts.iter().filter_map(|text| Alternative::new(text)).collect();
        Ok(Self { text: pattern.text().into(), alternatives })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern matches a normalised path, or a directory that it is in.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::LimitExceeded`] when the budget runs out.
    pub fn matches(&self, path: &str, steps: &mut Steps) -> Result<bool, Error> {
        for alternative in &self.alternatives {
            if alternative.matches(path, steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Resolves the braces of `text`, leftmost and outermost first, into `out`.
fn expand(text: &str, steps: &mut Steps, out: &mut Vec<String>) -> Result<(), Error> {
    // Depth first over what is left to resolve, in order; a stack of our own, for patterns may nest deeply.
    let mut pending = Vec::from([String::from(text)]);
    while let Some(text) = pending.pop() {
        steps.spend(text.len() + 1)?;
        let Some((start, end)) = outermost_braces(&text) else {
            out.push(text);
            continue;
        };
        let (before, rest) = text.split_at(start);
        let (inner, after) = rest.split_at(end - start);
        let choices = split_choices(inner.get(1..).unwrap_or_default());
        let after = after.get(1..).unwrap_or_default();
        steps.spend(choices.len().saturating_mul(before.len() + after.len()) + inner.len())?;
        pending.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
    }
    Ok(())
}

/// Where the first `{` and its `}` are.
fn outermost_braces(text: &str) -> Option<(usize, usize)> {
    let start = text.find('{')?;
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some((start, at)),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at the commas that are not inside further braces.
fn split_choices(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
    .collect()
}

impl Alternative {
    /// Compiles a pattern without braces; `None` if it has no segment.
    fn new(text: &str) -> Option<Self> {
        let is_wild = |text: &str| text.contains(['*', '?']);
        let anchored = text.trim_end_matches('/').contains('/');
        let segments = segments(text);
        let first = *segments.first()?;
        if !anchored {
            return Some(if is_wild(first) {
                Self::AnySegment(first.into())
            } else {
                Self::Segment(first.into())
            });
        }
        if !is_wild(text) {
            return Some(Self::Prefix(segments.join("/").into()));
        }
        let part = |segment: &&str| if *segment == "**" { Part::Any } else { Part::One((*segment).into()) };
        Some(Self::Anchored(segments.iter().map(part).collect()))
    }

    fn matches(&self, path: &str, steps: &mut Steps) -> Result<bool, Error> {
        match self {
            Self::Segment(name) => {
                steps.spend(path.len() + 1)?;
                Ok(path.split('/').any(|segment| *segment == **name))
            }
            Self::Prefix(prefix) => {
                steps.spend(prefix.len() + 1)?;
                let rest = path.strip_prefix(&**prefix);
                Ok(rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
            }
            Self::AnySegment(pattern) => {
                for segment in path.split('/') {
                    if segment_matches(pattern, segment, steps)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Anchored(parts) => anchored_matches(parts, path, steps),
        }
    }
}

/// Runs the parts over the segments of `path` as a little automaton: `reached[i]` says that the first `i` parts
/// can stand for the segments read so far. True as soon as all parts stand for a prefix.
fn anchored_matches(parts: &[Part], path: &str, steps: &mut Steps) -> Result<bool, Error> {
    let mut reached = Vec::from([true]);
    reached.resize(parts.len(), false);
    for segment in path.split('/') {
        let mut next = Vec::new();
        next.resize(parts.len(), false);
        let mut skipped_into = false;
        for (index, part) in parts.iter().enumerate() {
            let here = skipped_into || reached.get(index).copied().unwrap_or_default();
            let is_last = index + 1 == parts.len();
            // A `**` that is not last may also stand for no segment at all.
            skipped_into = here && !is_last && matches!(part, Part::Any);
            if !here {
                continue;
            }
            let takes = match part {
                Part::Any => true,
                Part::One(pattern) => segment_matches(pattern, segment, steps)?,
            };
            if takes && is_last {
                return Ok(true);
            }
            let goes_to = if matches!(part, Part::Any) { index } else { index + 1 };
            if takes && let Some(state) = next.get_mut(goes_to) {
                *state = true;
            }
        }
        steps.spend(parts.len() + 1)?;
        reached = next;
    }
    Ok(false)
}

/// Matches one segment against a pattern of literals, `*` and `?`, going back only to the latest `*`.
fn segment_matches(pattern: &str, segment: &str, steps: &mut Steps) -> Result<bool, Error> {
    let (mut pattern, mut text) = (pattern.chars(), segment.chars());
    let mut retry: Option<(core::str::Chars<'_>, core::str::Chars<'_>)> = None;
    loop {
        steps.spend(1)?;
        let (mut after_pattern, mut after_text) = (pattern.clone(), text.clone());
        let matched = match (after_pattern.next(), after_text.next()) {
            (Some('*'), _) => {
                retry = Some((after_pattern.clone(), text.clone()));
                pattern = after_pattern;
                continue;
            }
            (None, None) => return Ok(true),
            (Some('?'), Some(_)) => true,
            (Some(expected), Some(found)) => expected == found,
            (None, Some(_)) | (Some(_), None) => false,
        };
        if matched {
            (pattern, text) = (after_pattern, after_text);
            continue;
        }
        let Some((star_pattern, star_text)) = &mut retry else { return Ok(false) };
        if star_text.next().is_none() {
            return Ok(false);
        }
        (pattern, text) = (star_pattern.clone(), star_text.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let mut steps = Steps::default();
        let glob = Glob::compile(Pattern::new(pattern).unwrap(), &mut steps).unwrap();
        glob.matches(&normalize(path), &mut steps).unwrap()
    }

    #[test]
    fn normal_form() {
        for (path, expected) in [
            ("src/lib.rs", "src/lib.rs"),
            ("./src/./lib.rs", "src/lib.rs"),
            ("src//a/", "src/a"),
            ("/abs/path", "abs/path"),
            ("a/b/../../c", "c"),
            ("../../x", "x"),
            ("a/../../x", "x"),
            (".", ""),
        ] {
            assert_eq!(normalize(path), expected, "{path}");
        }
    }

    #[test]
    fn dialect() {
        for (pattern, path, expected) in [
            // Without `/`: any segment, and what is in it.
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
            // A trailing `/` neither anchors nor restricts.
            ("docs/", "a/docs/x.md", true),
            ("docs/", "docs", true),
            ("a/docs/", "a/docs/x.md", true),
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
            // Neither classes nor negation nor escapes, and case counts.
            ("[ab]", "a", false),
            ("app/[id].tsx", "app/[id].tsx", true),
            ("!a", "a", false),
            ("README", "readme", false),
            // Patterns are normalised too.
            ("./src//lib.rs", "src/lib.rs", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} on {path}");
        }
    }

    #[test]
    fn malformed_patterns() {
        for pattern in ["", "/", "./", "{a", "a}", "{a}}"] {
            assert!(Pattern::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn bombs_end_in_a_limit() {
        let mut steps = Steps::for_patterns();
        let bomb = "{a,b}".repeat(40);
        let error = Glob::compile(Pattern::new(&bomb).unwrap(), &mut steps).unwrap_err();
        assert_eq!(error.code(), ErrorCode::LimitExceeded);
        let deep = alloc::format!("{}x{}", "{".repeat(20_000), "}".repeat(20_000));
        assert!(Glob::compile(Pattern::new(&deep).unwrap(), &mut Steps::for_patterns()).is_err());
        let stars = "*a".repeat(2_000);
        let glob = Glob::compile(Pattern::new(&stars).unwrap(), &mut Steps::default()).unwrap();
        let text = "a".repeat(1_000_000);
        assert!(glob.matches(&text, &mut Steps::default()).is_ok_and(|matched| matched));
        let late = alloc::format!("{}b", "*a".repeat(2_000));
        let glob = Glob::compile(Pattern::new(&late).unwrap(), &mut Steps::default()).unwrap();
        assert!(glob.matches(&text, &mut Steps::new(1000)).is_err());
    }
}
