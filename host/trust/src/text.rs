//! Texts for messages: counts, reasons of I/O errors, and escapes for untrusted text: no control of the terminal, no change of the writing
//! direction, no invisible characters.

use std::{fmt::Display, io};

use adjudicate_core::is_hidden;

/// Escapes control characters, line separators and invisible format characters as Rust does. Keeps joiners between emoji.
///
/// ```
/// assert_eq!(adjudicate_trust::visible("gate\u{202e}mp4.\n"), r"gate\u{202e}mp4.\n");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let joins = c == JOINER && joins_emoji(before, rest.clone().next());
        if is_hidden(c) && !joins {
            out.extend(c.escape_default())
        } else {
            out.push(c)
        }
        before = Some(c);
    }
    out
}

/// Joins two emoji.
const JOINER: char = '\u{200d}';

fn joins_emoji(before: Option<char>, after: Option<char>) -> bool {
    let is_picture =
        |c: char| matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}');
    // A variation selector may follow the first emoji.
    before.is_some_and(|c| is_picture(c) || c == '\u{fe0f}') && after.is_some_and(is_picture)
}

/// Writes a count and its noun. Every count except `1` adds an `s` to the noun.
/// ```
/// use adjudicate_trust::counted;
///
/// assert_eq!(counted(1, "second"), "1 second");
/// assert_eq!(counted(0, "second"), "0 seconds");
/// assert_eq!(counted("12,000", "decision record"), "12,000 decision records");
/// ```
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Returns the reason of an error about a file, for a message that names the file.
///
/// ```
/// use std::io;
/// assert_eq!(adjudicate_trust::io_reason(&io::ErrorKind::StorageFull.into()), "the disk is full");
/// ```
#[must_use]
pub fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::FileTooLarge => {
            "the limit on file sizes (`ulimit -f`, or that of the file system) is reached".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
        for hidden in [
            "\u{0}",
            "\u{7}",
            "\u{1b}",
            "\u{7f}",
            "\u{9b}",
            "\u{ad}",
            "\u{61c}",
            "\u{180e}",
            "\u{200b}",
            "\u{200c}",
            "\u{200d}",
            "\u{200e}",
            "\u{2028}",
            "\u{202e}",
            "\u{2060}",
            "\u{2069}",
            "\u{206f}",
            "\u{feff}",
            "\u{fff9}",
            "\u{fffb}",
            "\u{1d173}",
            "\u{e0001}",
            "\u{e0041}",
            "\u{e007f}",
        ] {
            let escaped = hidden.escape_default().to_string();
            assert_eq!(visible(&format!("a{hidden}b")), format!("a{escaped}b"));
        }
    }

    #[test]
    fn visible_characters_stay() {
        let text = "äöü 日本語 \u{600}12 👩\u{200d}💻 ❤\u{fe0f}\u{200d}🔥 a\u{301}";
        assert_eq!(visible(text), text);
        // A joiner outside of emoji is escaped.
        assert_eq!(visible("👩\u{200d}"), "👩\\u{200d}");
        assert_eq!(visible("ad\u{200d}min"), "ad\\u{200d}min");
    }
}
