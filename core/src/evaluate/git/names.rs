//! Names of files as git prints them: quoted where they must be, and two at once for a rename.
//!
//! A text that can be read in two ways is not read at all: a wrong path would be one that no policy looks for.

use alloc::{borrow::Cow, string::String, vec::Vec};

/// What stands between the two names of a rename in `--stat` and `--numstat`.
const ARROW: &str = " => ";

/// One name and nothing else.
pub(super) fn one_name(text: &str) -> Option<Cow<'_, str>> {
    match text.starts_with('"') {
        true => quoted_name(text).filter(|(_, rest)| rest.is_empty()).map(|(name, _)| Cow::Owned(name)),
        false => plain_name(text).map(Cow::Borrowed),
    }
}

/// Two names with a separator between them, either of them perhaps quoted.
pub(super) fn two_names<'a>(text: &'a str, separator: &str) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
    let (first, second) = if text.starts_with('"') {
        let (first, rest) = quoted_name(text)?;
        (Cow::Owned(first), rest.strip_prefix(separator)?)
    } else {
        let (first, second) = text.split_once(separator)?;
        (Cow::Borrowed(plain_name(first)?), second)
    };
    // A quoted name may hold a separator; in a plain one it could be either.
    let is_ambiguous = !second.starts_with('"') && second.contains(separator);
    if is_ambiguous { None } else { Some((first, one_name(second)?)) }
}

/// `new`, `old => new` or `a/{old => new}/b`: the path, and the one it had.
pub(super) fn stat_names(text: &str) -> Option<(Cow<'_, str>, Option<Cow<'_, str>>)> {
    let is_one_name = text.starts_with('"') && one_name(text).is_some();
    let Some((before, after)) = text.split_once(ARROW).filter(|_| !is_one_name) else {
        return Some((one_name(text)?, None));
    };
    // Three of each are enough to see that there is more than one way.
    let closes: Vec<usize> = closings(after).take(3).collect();
    let groups = openings(before).take(3).flat_map(|open| closes.iter().map(move |close| (open, *close)));
    // What has nothing in common with its old name is written without braces.
    let mut groups = groups.filter(|(open, close)| *open > 0 || close + 1 < after.len());
    match (groups.next(), groups.next()) {
        (Some((open, close)), None) if !after.contains(ARROW) => {
            // Git quotes no part of a name that it writes with braces.
            let (start, old) = plain_name(before)?.split_at_checked(open)?;
            let (new, end) = plain_name(after)?.split_at_checked(close)?;
            let (old, end) = (old.get(1..)?, end.get(1..)?);
            // An empty side has no slash of its own: `{ => sub}/a` was `a`.
            let after_nothing = |end| str::strip_prefix(end, "/").unwrap_or(end);
            let join = |part: &str| match part {
                "" => Cow::Owned([start, after_nothing(end)].concat()),
                part => Cow::Owned([start, part, end].concat()),
            };
            Some((join(new), Some(join(old))))
        }
        (Some(_), _) => None,
        (None, _) => two_names(text, ARROW).map(|(from, path)| (path, Some(from))),
    }
}

/// Where a group of braces can begin: at the beginning of a segment.
fn openings(text: &str) -> impl Iterator<Item = usize> {
    let begins = |at: &usize| *at == 0 || text.as_bytes().get(at - 1) == Some(&b'/');
    text.match_indices('{').map(|(at, _)| at).filter(begins)
}

/// Where a group of braces can end: at the end of a segment.
fn closings(text: &str) -> impl Iterator<Item = usize> {
    let ends = |at: &usize| text.as_bytes().get(at + 1).is_none_or(|next| *next == b'/');
    text.match_indices('}').map(|(at, _)| at).filter(ends)
}

/// A name without quotes: git quotes whatever has a control character in it.
fn plain_name(text: &str) -> Option<&str> {
    let is_name = !text.trim().is_empty() && !text.bytes().any(|byte| byte.is_ascii_control());
    is_name.then_some(text)
}

/// The name at the beginning of a text, in double quotes with C escapes, and what comes after it.
fn quoted_name(text: &str) -> Option<(String, &str)> {
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
    // The quote that ended the loop is ASCII, so what follows it begins a character.
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
        for (text, expected) in [
            ("src/a.rs", Some(("src/a.rs", None))),
            ("old => new", Some(("new", Some("old")))),
            ("src/{a => b}/c.rs", Some(("src/b/c.rs", Some("src/a/c.rs")))),
            ("src/{ => sub}/a.rs", Some(("src/sub/a.rs", Some("src/a.rs")))),
            ("{ => sub}/a.rs", Some(("sub/a.rs", Some("a.rs")))),
            ("{a => b}/c", Some(("b/c", Some("a/c")))),
            // Braces that belong to names.
            ("{old => secrets}/x{1}.txt", Some(("secrets/x{1}.txt", Some("old/x{1}.txt")))),
            ("{{cookie.slug}}/{a.py => b.py}", Some(("{{cookie.slug}}/b.py", Some("{{cookie.slug}}/a.py")))),
            ("src/{{id}.ts => {slug}.ts}", Some(("src/{slug}.ts", Some("src/{id}.ts")))),
            ("a{b => c}/src", Some(("c}/src", Some("a{b")))),
            ("{a => b}", Some(("b}", Some("{a")))),
            // Quoted names.
            (r#""secrets/{a => b}\303\251""#, Some(("secrets/{a => b}é", None))),
            (r#""t\t => y""#, Some(("t\t => y", None))),
            (r#""a => b/\303\251" => c"#, Some(("c", Some("a => b/é")))),
            (r#"a => "b => \303\251""#, Some(("b => é", Some("a")))),
            // Nobody can tell.
            ("a => b => c", None),
            ("{a => b => c}/d", None),
            ("{a/{b => c}/d", None),
            ("a/{b => c}/d}", None),
            ("x/{a => b}/{c => d}/y", None),
            ("a => \"b", None),
            ("a\tb", None),
            ("", None),
        ] {
            let got = stat_names(text);
            let got = got.as_ref().map(|(path, from)| (&**path, from.as_deref()));
            assert_eq!(got, expected, "{text}");
        }
    }

    #[test]
    fn bombs_are_read_in_linear_time() {
        let groups = ["{/".repeat(1 << 20), ARROW.into(), "}/".repeat(1 << 20)].concat();
        assert_eq!(stat_names(&groups), None);
        assert_eq!(stat_names(&ARROW.repeat(1 << 20)), None);
    }

    #[test]
    fn two_names_at_once() {
        for (text, expected) in [
            ("a -> b", Some(("a", "b"))),
            (r#""a -> b" -> c"#, Some(("a -> b", "c"))),
            (r#"a -> "b -> c""#, Some(("a", "b -> c"))),
            ("a -> b -> c", None),
            ("a ->", None),
            (r#""a"b -> c"#, None),
            (r#""a" -> "b"c"#, None),
        ] {
            let got = two_names(text, " -> ");
            assert_eq!(got.as_ref().map(|(first, second)| (&**first, &**second)), expected, "{text}");
        }
    }
}
