//! JSON Pointers (RFC 6901): construction and order.

use alloc::string::String;
use core::cmp::Ordering;

/// Appends `/segment` with `~` and `/` escaped.
///
/// ```
/// let mut path = String::from("/exit_codes");
/// adjudicate_lang::json::push_segment(&mut path, "ci/lint~1");
/// assert_eq!(path, "/exit_codes/ci~1lint~01");
/// ```
pub fn push_segment(path: &mut String, segment: &str) {
    path.push('/');
    if !segment.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        path.push_str(segment);
        return;
    }
    for character in segment.chars() {
        match character {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            plain => path.push(plain),
        }
    }
}

/// Returns the field name of a segment of a pointer: the reverse of [`push_segment`].
///
/// ```
/// assert_eq!(adjudicate_lang::json::unescape_segment("ci~1lint~01"), "ci/lint~1");
/// ```
#[must_use]
pub fn unescape_segment(segment: &str) -> String {
    if !segment.contains('~') {
        return segment.into();
    }
    segment.replace("~1", "/").replace("~0", "~")
}

/// Returns the rest of a pointer after the field `name`, or `None` if the pointer does not begin with this field.
///
/// ```
/// use adjudicate_lang::json::behind_field;
/// assert_eq!(behind_field("/policy/rules/0", "policy"), Some("/rules/0"));
/// assert_eq!((behind_field("/policy", "policy"), behind_field("/policy_mode", "policy")), (Some(""), None));
/// ```
#[must_use]
pub fn behind_field<'p>(pointer: &'p str, name: &str) -> Option<&'p str> {
    let rest = pointer.strip_prefix('/')?.strip_prefix(name)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Returns whether a text is a JSON Pointer (RFC 6901).
#[must_use]
pub fn is_pointer(text: &str) -> bool {
    let escapes_end = |rest: &str| rest.starts_with(['0', '1']);
    (text.is_empty() || text.starts_with('/')) && text.split('~').skip(1).all(escapes_end)
}

/// A pointer under construction.
///
/// ```
/// use adjudicate_lang::json::Pointer;
/// assert_eq!(Pointer::new("/evidence/artifacts").index(3).into_string(), "/evidence/artifacts/3");
/// ```
#[derive(Clone, Debug)]
pub struct Pointer(String);

impl Pointer {
    /// Begins with `base`, itself a pointer.
    #[must_use]
    pub fn new(base: &str) -> Self {
        // Reserves a key or an index, so that most pointers are allocated once.
        let mut text = String::with_capacity(base.len() + 24);
        text.push_str(base);
        Self(text)
    }

    /// Appends a step into an object.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        push_segment(&mut self.0, key);
        self
    }

    /// Appends a step into a list.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        self.0.push('/');
        let mut power = 1;
        while index / power > 9 {
            power *= 10;
        }
        while power > 0 {
            self.0.push(char::from(b'0' + (index / power % 10) as u8));
            power /= 10;
        }
        self
    }

    /// Returns the finished pointer.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Compares two pointers segment by segment; array indices compare as numbers and come before names.
///
/// ```
/// use core::cmp::Ordering;
/// use adjudicate_lang::json::compare_pointers;
/// assert_eq!(compare_pointers("/steps/2", "/steps/10"), Ordering::Less);
/// assert_eq!(compare_pointers("/steps", "/steps/0"), Ordering::Less);
/// ```
#[must_use]
pub fn compare(left: &str, right: &str) -> Ordering {
    // Skips the common prefix, up to the segment with the first difference.
    let alike = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    let from = left.as_bytes().iter().take(alike).rposition(|byte| *byte == b'/').unwrap_or_default();
    let [left, right] = [left, right].map(|pointer| pointer.get(from..).unwrap_or_default());
    let (mut left, mut right) = (left.split('/'), right.split('/'));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(left), Some(right)) => match compare_segments(left, right) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
        }
    }
}

/// Indices come before names. Indices compare by value (equal lengths compare as text), names by code point.
fn compare_segments(left: &str, right: &str) -> Ordering {
    match (is_index(left), is_index(right)) {
        (true, true) => left.len().cmp(&right.len()).then_with(|| left.cmp(right)),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => left.cmp(right),
    }
}

/// Returns whether a segment is written as an array index: digits without a leading zero.
pub(crate) fn is_index(segment: &str) -> bool {
    !segment.is_empty()
        && segment.bytes().all(|byte| byte.is_ascii_digit())
        && (segment.len() == 1 || !segment.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_indices_and_names_is_total() {
        let sorted = ["", "/a", "/a/2", "/a/10", "/a/01", "/a/1a", "/a/b", "/b", "x"];
        for (i, left) in sorted.iter().enumerate() {
            for (j, right) in sorted.iter().enumerate() {
                assert_eq!(compare(left, right), i.cmp(&j), "{left} {right}");
            }
        }
    }
}
