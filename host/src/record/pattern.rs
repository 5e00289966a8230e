//! Patterns of places in a document: JSON Pointers with wildcards.

use adjudicate_core::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::codes;

/// Places in a document: a JSON Pointer (RFC 6901) in which a segment `*` is any one member or item, and `**` any number of
/// them, none included. `~0` and `~1` stand for `~` and `/`; a member whose name is `*` or `**` is met by `*`.
///
/// ```
/// use adjudicate_host::Pattern;
/// assert!(Pattern::parse("/evidence/artifacts/*").is_ok());
/// assert!(Pattern::parse("/**/email").is_ok());
/// let error = Pattern::parse("evidence").unwrap_err();
/// assert_eq!(error.message(), "`evidence` is no pattern: it does not begin with `/`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    segments: Vec<Segment>,
}

/// One step of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    Name(String),
    Any,
    AnyDepth,
}

impl Pattern {
    /// How many segments a pattern may have.
    pub const MAX_SEGMENTS: usize = 32;

    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] for what does not begin with `/`, holds a `~` that is neither `~0` nor `~1`, or has more than 32
    /// segments.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let refused = |reason: &str| {
            let shown: String = text.chars().take(100).collect();
            Error::new(codes::INVALID_VALUE, format!("`{shown}` is no pattern: {reason}"))
        };
        let Some(rest) = text.strip_prefix('/') else { return Err(refused("it does not begin with `/`")) };
        let segments = rest.split('/').map(Segment::parse).collect::<Option<Vec<_>>>();
        let segments = segments.ok_or_else(|| refused("`~` is written `~0`, and `/` `~1`"))?;
        match segments.len() <= Self::MAX_SEGMENTS {
            true => Ok(Self { text: text.to_owned(), segments }),
            false => Err(refused(&format!("it has more than {} segments", Self::MAX_SEGMENTS))),
        }
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl Segment {
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

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(|error| de::Error::custom(error.message()))
    }
}

/// How far each of several patterns was followed down to a place: the places of all that may still be met below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trail<'p> {
    patterns: &'p [Pattern],
    /// Pattern and segment, sorted, none twice.
    at: Vec<(usize, usize)>,
}

impl<'p> Trail<'p> {
    /// At the root of a document.
    pub(super) fn new(patterns: &'p [Pattern]) -> Self {
        let at = (0..patterns.len()).map(|pattern| (pattern, 0)).collect();
        Self { patterns, at }.closed()
    }

    /// One step down, to the member or item of this name.
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

    /// What may be met from here, or from there.
    pub(super) fn or(mut self, other: Self) -> Self {
        self.at.extend(other.at);
        self.closed()
    }

    /// Whether a pattern ends here.
    pub(super) fn is_met(&self) -> bool {
        self.at.iter().any(|&(pattern, segment)| self.segment(pattern, segment).is_none())
    }

    /// Whether no pattern can be met here or below.
    pub(super) fn is_lost(&self) -> bool {
        self.at.is_empty()
    }

    fn segment(&self, pattern: usize, segment: usize) -> Option<&Segment> {
        self.patterns.get(pattern)?.segments.get(segment)
    }

    /// With what `**` meets without a step.
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
    fn what_is_no_pattern_is_refused() {
        for good in ["/", "/a", "/a/*/b", "/**", "/**/x", "/a~0b/~1", "/***", "//", "/0/1"] {
            assert_eq!(Pattern::parse(good).map(|pattern| pattern.as_str().to_owned()), Ok(good.to_owned()));
        }
        for bad in ["", "a", "a/b", "/~", "/~2", "/a~/b", &"/a".repeat(33), "$.a", " /a"] {
            let error = Pattern::parse(bad).unwrap_err();
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
            let patterns = [Pattern::parse(pattern).unwrap()];
            let trail = path.iter().fold(Trail::new(&patterns), |trail, name| trail.step(name));
            assert_eq!(trail.is_met(), expected, "{pattern} {path:?}");
        }
    }

    #[test]
    fn many_wildcards_cost_no_more_than_their_number() {
        let patterns = [Pattern::parse(&"/**".repeat(32)).unwrap()];
        let trail = (0..128).fold(Trail::new(&patterns), |trail, _| trail.step("a"));
        assert_eq!(trail.at.len(), 33);
    }
}
