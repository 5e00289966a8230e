//! Compiled patterns and matching.

use alloc::{boxed::Box, vec::Vec};

use super::{Path, Pattern, braces, segment::Segment, segments};
use crate::{error::Error, steps::Steps};

/// A compiled pattern.
///
/// ```
/// use adjudicate_core::{Steps, paths::{Glob, Path, Pattern}};
/// let mut steps = Steps::default();
/// let glob = Glob::compile(Pattern::new("infra/**/*.{tf,tfvars}").unwrap(), &mut steps)?;
/// assert!(glob.matches(&Path::split("infra/prod/eu/main.tf"), &mut steps)?);
/// assert!(!glob.matches(&Path::split("docs/infra/main.tf"), &mut steps)?);
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
    /// Any one segment.
    AnySegment(Segment),
    /// From the root.
    Anchored(Vec<Part>),
}

#[derive(Clone, Debug)]
enum Part {
    /// `**`: any number of segments.
    Any,
    /// One segment.
    One(Segment),
}

impl Glob {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// [`crate::ErrorCode::LimitExceeded`] when its braces stand for more alternatives than the budget allows.
    pub fn compile(pattern: Pattern<'_>, steps: &mut Steps) -> Result<Self, Error> {
        let texts = braces::expand(pattern.text(), steps)?;
        let alternatives = texts.iter().filter_map(|text| Alternative::new(text)).collect();
        Ok(Self { text: pattern.text().into(), alternatives })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it has no name in it (`{,}`), so that it matches nothing.
    pub(crate) const fn is_empty(&self) -> bool {
        self.alternatives.is_empty()
    }

    /// Whether the pattern matches a path, or a directory that it is in.
    ///
    /// # Errors
    ///
    /// [`crate::ErrorCode::LimitExceeded`] when the budget runs out.
    pub fn matches(&self, path: &Path<'_>, steps: &mut Steps) -> Result<bool, Error> {
        for alternative in &self.alternatives {
            if alternative.matches(path.segments(), steps)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Alternative {
    /// Compiles a pattern without braces; `None` if it has no segment.
    fn new(text: &str) -> Option<Self> {
        let segments = segments(text);
        let first = *segments.first()?;
        if !text.trim_end_matches('/').contains('/') {
            return Some(Self::AnySegment(Segment::new(first)));
        }
        let part = |text: &&str| if *text == "**" { Part::Any } else { Part::One(Segment::new(text)) };
        Some(Self::Anchored(segments.iter().map(part).collect()))
    }

    fn matches(&self, path: &[&str], steps: &mut Steps) -> Result<bool, Error> {
        match self {
            Self::AnySegment(pattern) => {
                steps.spend(path.len() + 1)?;
                for segment in path {
                    if pattern.matches(segment, steps)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Self::Anchored(parts) => anchored_matches(parts, path, steps),
        }
    }
}

/// Whether the parts stand for the beginning of `path`. Each run of parts between two `**` is taken where it first
/// fits, which leaves the most for the rest; so going back to the latest `**` is enough.
fn anchored_matches(parts: &[Part], path: &[&str], steps: &mut Steps) -> Result<bool, Error> {
    let (mut part, mut segment) = (0, 0);
    let mut retry = None;
    loop {
        steps.spend(1)?;
        let fits = match (parts.get(part), path.get(segment)) {
            (None, _) => return Ok(true),
            (Some(Part::Any), found) if part + 1 == parts.len() => return Ok(found.is_some()),
            (Some(Part::Any), _) => {
                part += 1;
                retry = Some((part, segment));
                continue;
            }
            (Some(Part::One(_)), None) => return Ok(false),
            (Some(Part::One(pattern)), Some(found)) => pattern.matches(found, steps)?,
        };
        if fits {
            part += 1;
            segment += 1;
            continue;
        }
        let Some((first_part, first_segment)) = &mut retry else { return Ok(false) };
        *first_segment += 1;
        (part, segment) = (*first_part, *first_segment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{codes::ErrorCode, paths::normalize};

    fn matches(pattern: &str, path: &str) -> bool {
        let mut steps = Steps::default();
        let glob = Glob::compile(Pattern::new(pattern).unwrap(), &mut steps).unwrap();
        glob.matches(&Path::split(&normalize(path)), &mut steps).unwrap()
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
        assert!(glob.matches(&Path::split(&text), &mut Steps::default()).is_ok_and(|matched| matched));
        let late = alloc::format!("{}b*", "*a".repeat(2_000));
        let glob = Glob::compile(Pattern::new(&late).unwrap(), &mut Steps::default()).unwrap();
        assert!(glob.matches(&Path::split(&text), &mut Steps::new(1000)).is_err());
    }
}
