//! Compiled patterns and matching.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use super::{Pattern, segments};
use crate::{error::Error, steps::Steps};

/// A compiled pattern.
///
/// ```
/// use adjudicate_core::{Steps, paths::{Glob, Pattern}};
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
    /// [`crate::ErrorCode::LimitExceeded`] when its braces stand for more alternatives than the budget allows.
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
    /// [`crate::ErrorCode::LimitExceeded`] when the budget runs out.
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

/// Whether the parts stand for a prefix of the segments of `path`. Each run of parts between two `**` is taken
/// where it first fits, which leaves the most for the rest; so going back to the latest `**` is enough.
fn anchored_matches(parts: &[Part], path: &str, steps: &mut Steps) -> Result<bool, Error> {
    let (mut parts, mut segments) = (parts.iter(), path.split('/'));
    let mut retry = None;
    loop {
        steps.spend(1)?;
        let (mut after_parts, mut after_segments) = (parts.clone(), segments.clone());
        let fits = match (after_parts.next(), after_segments.next()) {
            (None, _) => return Ok(true),
            (Some(Part::Any), segment) if after_parts.len() == 0 => return Ok(segment.is_some()),
            (Some(Part::Any), _) => {
                parts = after_parts;
                retry = Some((parts.clone(), segments.clone()));
                continue;
            }
            (Some(Part::One(_)), None) => return Ok(false),
            (Some(Part::One(pattern)), Some(segment)) => segment_matches(pattern, segment, steps)?,
        };
        if fits {
            (parts, segments) = (after_parts, after_segments);
            continue;
        }
        let Some((retry_parts, retry_segments)) = &mut retry else { return Ok(false) };
        if retry_segments.next().is_none() {
            return Ok(false);
        }
        (parts, segments) = (retry_parts.clone(), retry_segments.clone());
    }
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
    use crate::{codes::ErrorCode, paths::normalize};

    fn matches(pattern: &str, path: &str) -> bool {
        let mut steps = Steps::default();
        let glob = Glob::compile(Pattern::new(pattern).unwrap(), &mut steps).unwrap();
        glob.matches(&normalize(path), &mut steps).unwrap()
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
