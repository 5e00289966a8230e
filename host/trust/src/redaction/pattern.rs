//! Patterns for paths in a document: JSON Pointers with wildcards.

use adjudicate_core::{
    Error,
    document::{Describe, Document, Reader, Shape, Type},
    json::Node,
};
use serde::{Serialize, Serializer};

use crate::codes;

/// A pattern for paths in a document: a JSON Pointer (RFC 6901) with wildcards. The segment `*` matches one field or item, and `**`
/// any number of them, including none. `~0` stands for `~` and `~1` for `/`. A field with the name `*` or `**` matches only
/// wildcards.
///
/// ```
/// use adjudicate_trust::redaction::RedactionPattern;
/// assert!(RedactionPattern::parse("/evidence/artifacts/*").is_ok());
/// assert!(RedactionPattern::parse("/**/email").is_ok());
/// let error = RedactionPattern::parse("evidence").unwrap_err();
/// assert_eq!(error.message(), "`evidence` is not a pattern: it does not begin with `/`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedactionPattern {
    text: String,
    segments: Vec<Segment>,
}

/// A segment of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Name(String),
    Any,
    AnyDepth,
}

impl RedactionPattern {
    /// Largest number of segments.
    pub const MAX_SEGMENTS: usize = 32;

    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] if the text does not begin with `/`, has a `~` that is neither `~0` nor `~1`, or has more than 32
    /// segments.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refused = |reason: &str| {
            let shown: String = text.chars().take(100).collect();
            Error::new(codes::INVALID_VALUE, format!("`{shown}` is not a pattern: {reason}"))
        };
        let Some(rest) = text.strip_prefix('/') else { return Err(refused("it does not begin with `/`")) };
        let segments = rest.split('/').map(Segment::parse).collect::<Option<Vec<_>>>();
        let segments = segments.ok_or_else(|| refused("`~` is written `~0`, and `/` `~1`"))?;
        match segments.len() <= Self::MAX_SEGMENTS {
            true => Ok(Self { text: text.to_owned(), segments }),
            false => Err(refused(&format!("it has more than {} segments", Self::MAX_SEGMENTS))),
        }
    }

    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The text of the pattern.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Segment {
    /// The name, unless it is a wildcard.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Any | Self::AnyDepth => None,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        match text {
            "*" => return Some(Self::Any),
            "**" => return Some(Self::AnyDepth),
            _ => {}
        }
        let is_escaped = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
        is_escaped.then(|| Self::Name(text.replace("~1", "/").replace("~0", "~")))
    }
}

impl Serialize for RedactionPattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl Describe for RedactionPattern {
    fn describe() -> Type {
        Type::Text { min_length: 0, pattern: "^/" }
    }
}

impl Document<'_> for RedactionPattern {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        reader.parsed(node, Self::parse)
    }
}

/// The progress of several patterns along a path, with all patterns that can still match below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trail<'p> {
    patterns: &'p [RedactionPattern],
    /// Pattern and segment, sorted, without duplicates.
    at: Vec<(usize, usize)>,
}

impl<'p> Trail<'p> {
    /// Starts at the root of a document.
    pub(super) fn new(patterns: &'p [RedactionPattern]) -> Self {
        let at = (0..patterns.len()).map(|pattern| (pattern, 0)).collect();
        Self { patterns, at }.closed()
    }

    /// Descends to the field or item of this name.
    pub(super) fn step(&self, name: &str) -> Self {
        let mut at = Vec::new();
        for &(pattern, segment) in &self.at {
            match self.segment(pattern, segment) {
                Some(Segment::AnyDepth) => at.push((pattern, segment)),
                Some(Segment::Name(expected)) if expected != name => {}
                Some(_) => at.push((pattern, segment + 1)),
                None => {}
            }
        }
        Self { patterns: self.patterns, at }.closed()
    }

    /// Also starts all patterns here.
    pub(super) fn again(mut self) -> Self {
        self.at.extend((0..self.patterns.len()).map(|pattern| (pattern, 0)));
        self.closed()
    }

    /// True if a pattern matches this path.
    pub(super) fn is_met(&self) -> bool {
        self.at.iter().any(|&(pattern, segment)| self.segment(pattern, segment).is_none())
    }

    /// True if no pattern can match this path or a path below it.
    pub(super) fn is_lost(&self) -> bool {
        self.at.is_empty()
    }

    fn segment(&self, pattern: usize, segment: usize) -> Option<&Segment> {
        self.patterns.get(pattern)?.segments.get(segment)
    }

    /// Adds the matches of `**` with no segment.
    fn closed(mut self) -> Self {
        let mut next = 0;
        while let Some(&(pattern, segment)) = self.at.get(next) {
            if self.segment(pattern, segment) == Some(&Segment::AnyDepth) {
                self.at.push((pattern, segment + 1));
            }
            next += 1;
        }
        self.at.sort_unstable();
        self.at.dedup();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_patterns_are_rejected() {
        for good in ["/", "/a", "/a/*/b", "/**", "/**/x", "/a~0b/~1", "/***", "//", "/0/1"] {
            assert_eq!(
                RedactionPattern::parse(good).map(|pattern| pattern.as_str().to_owned()),
                Ok(good.to_owned())
            );
        }
        for bad in ["", "a", "a/b", "/~", "/~2", "/a~/b", &"/a".repeat(33), "$.a", " /a"] {
            let error = RedactionPattern::parse(bad).unwrap_err();
            assert_eq!(error.code(), codes::INVALID_VALUE, "{bad}");
        }
    }

    #[test]
    fn places_are_met() {
        for (pattern, path, expected) in [
            ("/a", &["a"][..], true),
            ("/a", &["b"], false),
            ("/a", &["a", "b"], false),
            ("/", &[""], true),
            ("/", &[], false),
            ("/*", &["a"], true),
            ("/*", &["*"], true),
            ("/*/b", &["0", "b"], true),
            ("/**", &[], true),
            ("/**", &["a", "b"], true),
            ("/**/b", &["b"], true),
            ("/**/b", &["a", "c", "b"], true),
            ("/**/b", &["a", "b", "c"], false),
            ("/a/**/b", &["a", "b"], true),
            ("/a/**/b", &["a", "x", "b", "b"], true),
            ("/a/**/b", &["x", "b"], false),
            ("/**/a/**/b/*", &["x", "a", "y", "z", "b", "0"], true),
            ("/**/**/**/b", &["b"], true),
            ("/~1~0", &["/~"], true),
            ("/~01", &["~1"], true),
        ] {
            let patterns = [RedactionPattern::parse(pattern).unwrap()];
            let trail = path.iter().fold(Trail::new(&patterns), |trail, name| trail.step(name));
            assert_eq!(trail.is_met(), expected, "{pattern} {path:?}");
        }
    }

    #[test]
    fn many_wildcards_cost_no_more_than_their_number() {
        let patterns = [RedactionPattern::parse(&"/**".repeat(32)).unwrap()];
        let trail = (0..128).fold(Trail::new(&patterns), |trail, _| trail.step("a"));
        assert_eq!(trail.at.len(), 33);
    }
}
