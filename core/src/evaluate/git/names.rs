//! Names of files as git prints them: quoted if necessary, and in pairs for a rename.
//!
//! An ambiguous text is rejected, because a policy would not find a wrong path.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{FileLine, is_blank};
use crate::documents::evidence::Change;

/// The separator of the two names of a rename in `--stat` and `--numstat`.
const ARROW: &str = " => ";

/// One name and nothing else.
pub(super) fn one_name(text: &str) -> Option<Cow<'_, str>> {
    match text.starts_with('"') {
        true => quoted_name(text).filter(|(_, rest)| rest.is_empty()).map(|(name, _)| Cow::Owned(name)),
        false => plain_name(text).map(Cow::Borrowed),
    }
}

/// Two names with a separator; either may be quoted.
pub(super) fn two_names<'a>(text: &'a str, separator: &str) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
    let (first, second) = if text.starts_with('"') {
        let (first, rest) = quoted_name(text)?;
        (Cow::Owned(first), rest.strip_prefix(separator)?)
    } else {
        let (first, second) = text.split_once(separator)?;
        // A quoted name may contain the separator; a plain one is ambiguous if the separator occurs twice, also overlapping.
        if !second.starts_with('"') && text.rfind(separator) != Some(first.len()) {
            return None;
        }
        return Some((Cow::Borrowed(plain_name(first)?), one_name(second)?));
    };
    let is_ambiguous = !second.starts_with('"') && second.contains(separator);
    if is_ambiguous { None } else { Some((first, one_name(second)?)) }
}

/// A file of `--stat` or `--numstat`: `new`, `old => new` or `a/{old => new}/b`.
///
/// Each of the last two may also be the name of one file.
pub(super) fn stat_file(text: &str) -> Option<FileLine<'_>> {
    if text.contains('"') {
        // Git quotes a name that contains a quote, and writes no braces in quoted names.
        return match quoted_name(text) {
            Some((name, "")) => Some(FileLine::new(Cow::Owned(name), None)),
            _ => two_names(text, ARROW).map(|(from, path)| FileLine::pair(from, path, Change::Renamed)),
        };
    }
    let Some((before, after)) = text.split_once(ARROW) else {
        // A name of white space is lost at the edge of a line.
        let is_cut = text.starts_with("=> ") || text.ends_with(" =>");
        return if is_cut { None } else { Some(FileLine::new(one_name(text)?, None)) };
    };
    if text.rfind(ARROW) != Some(before.len()) {
        return None;
    }
    // Three of each are enough to detect an ambiguity.
    let closes: Vec<usize> = closings(after).take(3).collect();
    let groups = openings(before).take(3).flat_map(|open| closes.iter().map(move |close| (open, *close)));
    // Git writes names without a common part without braces.
    let mut groups = groups.filter(|(open, close)| *open > 0 || close + 1 < after.len());
    let (from, path) = match (groups.next(), groups.next()) {
        (Some((open, close)), None) => {
            let (start, old) = plain_name(before)?.split_at_checked(open)?;
            let (new, end) = plain_name(after)?.split_at_checked(close)?;
            let (old, end) = (old.get(1..)?, end.get(1..)?);
            let is_lost = |part: &str| !part.is_empty() && is_blank(part);
            if is_lost(old) || is_lost(new) {
                return None;
            }
            // An empty side has no slash of its own: `{ => sub}/a` was `a`.
            let join = |part: &str| match part {
                "" => Cow::Owned([start, str::strip_prefix(end, "/").unwrap_or(end)].concat()),
                part => Cow::Owned([start, part, end].concat()),
            };
            (join(old), join(new))
        }
        (Some(_), _) => return None,
        (None, _) => (Cow::Borrowed(plain_name(before)?), Cow::Borrowed(plain_name(after)?)),
    };
    Some(FileLine { whole: Some(Cow::Borrowed(text)), ..FileLine::pair(from, path, Change::Renamed) })
}

/// The positions where a group of braces can begin: at the start of a segment.
fn openings(text: &str) -> impl Iterator<Item = usize> {
    let begins = |at: &usize| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'/');
    text.match_indices('{').map(|(at, _)| at).filter(begins)
}

/// The positions where a group of braces can end: at the end of a segment.
fn closings(text: &str) -> impl Iterator<Item = usize> {
    let ends = |at: &usize| text.as_bytes().get(at + 1).is_none_or(|next| *next == b'/');
    text.match_indices('}').map(|(at, _)| at).filter(ends)
}

/// A name without quotes; git quotes every name with a control character.
pub(super) fn plain_name(text: &str) -> Option<&str> {
    // Without an early end, the loop can compare many bytes at once.
    let has_control = text.bytes().fold(false, |found, byte| found | byte.is_ascii_control());
    (!has_control && !is_blank(text)).then_some(text)
}

/// The name at the start of a text, in double quotes with C escapes, and the rest of the text.
pub(super) fn quoted_name(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut name = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    loop {
        match rest.next()? {
            b'"' => break,
            b'\\' => name.push(unescape(&mut rest)?),
            plain => name.push(plain),
        }
    }
    let name = String::from_utf8(name).ok().filter(|name| !name.is_empty())?;
    // The closing quote is ASCII, so the rest begins at a character boundary.
    Some((name, inner.get(inner.len() - rest.len()..)?))
}

/// The byte that a C escape stands for; the backslash is already read.
fn unescape(rest: &mut core::str::Bytes<'_>) -> Option<u8> {
    Some(match rest.next()? {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        plain @ (b'"' | b'\\') => plain,
        high @ b'0'..=b'3' => {
            let mut digit =
                || rest.next().filter(|digit| (b'0'..=b'7').contains(digit)).map(|digit| digit - b'0');
            (high - b'0') * 64 + digit()? * 8 + digit()?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_stat_lines() {
        // The path; for a possible rename also its source and the whole name.
        for (text, expected) in [
            ("src/a.rs", Some(("src/a.rs", None, None))),
            (" a  b ", Some((" a  b ", None, None))),
            ("src/{a => b}/c.rs", Some(("src/b/c.rs", Some("src/a/c.rs"), Some("src/{a => b}/c.rs")))),
            ("src/{ => sub}/a.rs", Some(("src/sub/a.rs", Some("src/a.rs"), Some("src/{ => sub}/a.rs")))),
            ("{ => sub}/a.rs", Some(("sub/a.rs", Some("a.rs"), Some("{ => sub}/a.rs")))),
            ("{a => b}/c", Some(("b/c", Some("a/c"), Some("{a => b}/c")))),
            // Without braces.
            ("old => new", Some(("new", Some("old"), Some("old => new")))),
            ("a => b/c", Some(("b/c", Some("a"), Some("a => b/c")))),
            (" a =>  b", Some((" b", Some(" a"), Some(" a =>  b")))),
            ("a{b => c}/src", Some(("c}/src", Some("a{b"), Some("a{b => c}/src")))),
            ("{a => b}", Some(("b}", Some("{a"), Some("{a => b}")))),
            // Braces that belong to names.
            (
                "{old => secrets}/x{1}.txt",
                Some(("secrets/x{1}.txt", Some("old/x{1}.txt"), Some("{old => secrets}/x{1}.txt"))),
            ),
            ("{x/{f} => g}}", Some(("{x/g}", Some("{x/f}"), Some("{x/{f} => g}}")))),
            (
                "{{cookie.slug}}/{a.py => b.py}",
                Some((
                    "{{cookie.slug}}/b.py",
                    Some("{{cookie.slug}}/a.py"),
                    Some("{{cookie.slug}}/{a.py => b.py}"),
                )),
            ),
            (
                "src/{{id}.ts => {slug}.ts}",
                Some(("src/{slug}.ts", Some("src/{id}.ts"), Some("src/{{id}.ts => {slug}.ts}"))),
            ),
            // Quoted names.
            (r#""secrets/{a => b}\303\251""#, Some(("secrets/{a => b}é", None, None))),
            (r#""t\t => y""#, Some(("t\t => y", None, None))),
            (r#""a => b/\303\251" => c"#, Some(("c", Some("a => b/é"), None))),
            (r#"a => "b => \303\251""#, Some(("b => é", Some("a"), None))),
            // Ambiguous.
            ("a => b => c", None),
            ("a => => b", None),
            ("{a => b => c}/d", None),
            ("{a/{b => c}/d", None),
            ("a/{b => c}/d}", None),
            ("x/{a => b}/{c => d}/y", None),
            ("d/{a =>  }", None),
            ("  => x", None),
            ("=> x", None),
            ("x =>", None),
            ("a => \"b", None),
            ("a\tb", None),
            ("", None),
        ] {
            let got = stat_file(text);
            let got = got.as_ref().map(|file| (&*file.path, file.from.as_deref(), file.whole.as_deref()));
            assert_eq!(got, expected, "{text}");
        }
    }

    #[test]
    fn bombs_are_read_in_linear_time() {
        let groups = ["{/".repeat(1 << 20), ARROW.into(), "}/".repeat(1 << 20)].concat();
        assert!(stat_file(&groups).is_none());
        assert!(stat_file(&ARROW.repeat(1 << 20)).is_none());
    }

    #[test]
    fn two_names_at_once() {
        for (text, expected) in [
            ("a -> b", Some(("a", "b"))),
            (r#""a -> b" -> c"#, Some(("a -> b", "c"))),
            (r#"a -> "b -> c""#, Some(("a", "b -> c"))),
            ("a -> b -> c", None),
            ("a -> -> b", None),
            (r#"a -> -> "b""#, None),
            ("a ->", None),
            (r#""a"b -> c"#, None),
            (r#""a" -> "b"c"#, None),
        ] {
            let got = two_names(text, " -> ");
            assert_eq!(got.as_ref().map(|(first, second)| (&**first, &**second)), expected, "{text}");
        }
    }
}
