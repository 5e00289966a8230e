//! Texts that are kept: messages, ids and paths, each of a bounded length.

use alloc::{format, string::String};

use crate::limits::{MAX_ID_CHARACTERS, MAX_MESSAGE_CHARACTERS};

/// Returns the first line of a message that is not blank, without control characters and colors, or `None`.
pub(crate) fn first_line(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let plain = one_line(line);
        (!plain.is_empty()).then_some(plain)
    })
}

/// Returns a text as one line of at most [`MAX_MESSAGE_CHARACTERS`], without control characters and colors.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut rest = text.trim();
    // Colors take characters, too, so more than the limit is looked at.
    while let Some(character) = rest.chars().next() {
        if let Some(behind) = behind_escape_sequence(rest) {
            rest = behind;
            continue;
        }
        line.push(if character.is_control() { ' ' } else { character });
        if line.len() > 4 * MAX_MESSAGE_CHARACTERS {
            break;
        }
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
    }
    bounded(line.trim(), MAX_MESSAGE_CHARACTERS)
}

/// Returns the rest of a text after the ANSI escape sequence that it begins with.
fn behind_escape_sequence(text: &str) -> Option<&str> {
    // pytest writes the escape character as `#x1B`.
    let sequence = match text.as_bytes().first() {
        Some(0x1b) => text.strip_prefix("\u{1b}[")?,
        Some(b'#') => text.strip_prefix("#x1B[")?,
        // The character may have been replaced, because XML forbids it.
        Some(0xef) => text.strip_prefix("\u{fffd}[")?,
        _ => return None,
    };
    let end = sequence.find(|character: char| !matches!(character, '0'..='9' | ';' | '?'))?;
    let last = sequence.get(end..)?.chars().next().filter(char::is_ascii_alphabetic)?;
    sequence.get(end + last.len_utf8()..)
}

/// Returns at most `limit` characters of a text. `...` replaces the rest.
pub(crate) fn bounded(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.into(),
        Some(_) => {
            let end = text.char_indices().nth(limit.saturating_sub(3)).map_or(0, |(end, _)| end);
            format!("{}...", text.get(..end).unwrap_or_default())
        }
    }
}

/// Returns an id of at most [`MAX_ID_CHARACTERS`]. A hash of the whole text replaces the end of a longer id, so that two long ids stay
/// different.
pub(crate) fn bounded_id(text: &str) -> String {
    const HASH: usize = 16;
    if text.chars().nth(MAX_ID_CHARACTERS).is_none() {
        return text.into();
    }
    format!("{}{:0HASH$x}", bounded(text, MAX_ID_CHARACTERS - HASH), fnv1a(text.as_bytes()))
}

/// Returns the id of parts from the outside to the inside, joined by `/`. Empty parts are left out. So is a part that
/// repeats the part before it, because many tools name the class after the suite.
pub(crate) fn id(parts: &[&str]) -> String {
    let mut id = String::new();
    let mut previous = "";
    for part in parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        if part == previous {
            continue;
        }
        if !id.is_empty() {
            id.push('/');
        }
        id.push_str(&bounded_id(part));
        previous = part;
    }
    bounded_id(&id)
}

/// The 64-bit FNV-1a hash.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_without_colors() {
        let text = "\n  \u{1b}[2mexpect(\u{1b}[22m\u{1b}[31mreceived\u{1b}[39m)\tfailed \r\nmore";
        assert_eq!(first_line(text).unwrap(), "expect(received) failed");
        assert_eq!(first_line("#x1B[31mbroke#x1B[0m").unwrap(), "broke");
        assert_eq!(first_line(" \n\u{1b}[0m\n"), None);
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let cut = one_line(&"é".repeat(3_000));
        assert_eq!((cut.chars().count(), cut.ends_with("é...")), (MAX_MESSAGE_CHARACTERS, true));
        assert_eq!(one_line(&"é".repeat(MAX_MESSAGE_CHARACTERS)).chars().count(), MAX_MESSAGE_CHARACTERS);
    }

    #[test]
    fn long_ids_stay_different() {
        let long = "a".repeat(600);
        let [left, right] = ["b", "c"].map(|end| bounded_id(&[&long, end].concat()));
        assert_eq!(left.chars().count(), MAX_ID_CHARACTERS);
        assert_ne!(left, right);
    }

    #[test]
    fn an_id_leaves_out_repeated_and_empty_parts() {
        assert_eq!(id(&["CartTest", "CartTest", "adds"]), "CartTest/adds");
        assert_eq!(id(&["", "tests.cart", "adds"]), "tests.cart/adds");
    }
}
