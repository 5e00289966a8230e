//! The texts that were redacted in an input, to redact them in the answer.

use std::{borrow::Cow, collections::BTreeSet, iter, sync::LazyLock};

use adjudicate_core::{
    document::{Describe, definitions},
    evaluate::Envelope,
    json,
};

/// The words of the format: the envelope's field names and their enumerated values. They reveal nothing, even if an object that
/// contains them is redacted.
static WORDS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let definitions = definitions(&Envelope::describe());
    definitions.into_iter().flat_map(|definition| definition.words()).chain(OTHER_WORDS).collect()
});

/// The words of the format that no type declares: those of calls, JSON, transcripts and policy events.
const OTHER_WORDS: [&str; 13] = [
    "agent", "artifact", "critical", "debug", "envelope", "evaluate", "false", "info", "intent", "null",
    "policy", "true", "warning",
];

/// Shorter texts are not searched for, because they occur in every answer.
const SHORTEST_ECHO: usize = 4;

/// The end of a text that the engine cut.
const CUT: &str = "...";

/// The engine cuts texts at 60 and messages at 500 characters, which are at most this many bytes.
const LONGEST_CUT: usize = 2_000;

/// The longest escape: `\u{10ffff}`.
const LONGEST_ESCAPE: usize = 10;

/// True if a redacted text reveals something about the input.
fn is_telling(text: &str) -> bool {
    text.len() >= SHORTEST_ECHO && !WORDS.contains(text)
}

/// The texts that were redacted in an input.
#[derive(Debug, Default)]
pub(super) struct Removed {
    /// Sorted. No text begins with another one. So the greatest text that is not above a candidate is the only one with which the
    /// candidate can begin.
    texts: Vec<String>,
}

impl Removed {
    pub(super) fn new(texts: BTreeSet<String>) -> Self {
        let mut kept: Vec<String> = Vec::new();
        // An answer may contain a text with fewer escapes than the input has.
        let decoded: BTreeSet<String> =
            texts.iter().flat_map(|text| forms(text)).map(Cow::into_owned).collect();
        for text in decoded.into_iter().filter(|text| is_telling(text)) {
            if kept.last().is_none_or(|last| !text.starts_with(last.as_str())) {
                kept.push(text);
            }
        }
        Self { texts: kept }
    }

    /// True if the text contains a redacted text in any form: as it is, in a JSON Pointer, with escapes of JSON, or cut.
    pub(super) fn is_in(&self, text: &str) -> bool {
        !self.texts.is_empty()
            && forms(text).any(|form| self.contains(&form) || self.ends_before_a_cut(&form))
    }

    fn contains(&self, text: &str) -> bool {
        text.char_indices().any(|(at, _)| self.begins(text.get(at..).unwrap_or_default()))
    }

    /// True if the text begins with a redacted text.
    fn begins(&self, text: &str) -> bool {
        let above = self.texts.partition_point(|removed| removed.as_str() <= text);
        let candidate = above.checked_sub(1).and_then(|at| self.texts.get(at));
        candidate.is_some_and(|removed| text.starts_with(removed.as_str()))
    }

    /// True if the beginning of a redacted text stands before a cut.
    fn ends_before_a_cut(&self, text: &str) -> bool {
        let cuts: Vec<usize> =
            text.match_indices(CUT).map(|(at, _)| inside_escape(text, at).unwrap_or(at)).collect();
        !cuts.is_empty()
            && text.char_indices().any(|(at, _)| {
                // A text that begins before a later cut also begins before an earlier one.
                let next = cuts.partition_point(|cut| *cut < at + SHORTEST_ECHO);
                let cut = cuts.get(next).filter(|cut| *cut - at <= LONGEST_CUT);
                cut.and_then(|cut| text.get(at..*cut)).is_some_and(|beginning| self.continues(beginning))
            })
    }

    /// True if a redacted text begins with this one.
    fn continues(&self, beginning: &str) -> bool {
        let at = self.texts.partition_point(|removed| removed.as_str() < beginning);
        self.texts.get(at).is_some_and(|removed| removed.starts_with(beginning))
    }
}

/// The start of an escape that a cut at this place may have divided.
fn inside_escape(text: &str, cut: usize) -> Option<usize> {
    let before = text.get(..cut)?;
    before.rfind('\\').filter(|start| cut - start < LONGEST_ESCAPE)
}

/// The text, and the text after one or more rounds of decoding: escapes of JSON and Rust, and then those of JSON Pointers.
fn forms(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let escaped = iter::successors(Some(Cow::Borrowed(text)), |text| unescape(text).map(Cow::Owned));
    escaped.flat_map(|text| {
        let pointer = text.contains('~').then(|| Cow::Owned(json::unescape_segment(&text)));
        iter::once(text).chain(pointer)
    })
}

/// Decodes each escape once. `None` without any. Each round makes the text shorter.
fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        out.push_str(before);
        match decoded(escape) {
            Some((decoded, after)) => {
                out.push(decoded);
                rest = after;
            }
            None => {
                out.push('\\');
                rest = escape;
            }
        }
    }
    out.push_str(rest);
    (out.len() < text.len()).then_some(out)
}

/// The character of an escape without its backslash, and the text behind it.
fn decoded(escape: &str) -> Option<(char, &str)> {
    let mut characters = escape.chars();
    let plain = match characters.next()? {
        'u' => return unicode(characters.as_str()),
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other @ ('"' | '\\' | '/' | '\'' | '`') => other,
        _ => return None,
    };
    Some((plain, characters.as_str()))
}

/// `XXXX`, two of them as `XXXX\uXXXX` for a pair of surrogates, or `{X}`.
fn unicode(escape: &str) -> Option<(char, &str)> {
    if let Some((digits, rest)) = escape.strip_prefix('{').and_then(|escape| escape.split_once('}')) {
        return Some((char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, rest));
    }
    let unit = |text: &'_ str| u32::from_str_radix(text.get(..4)?, 16).ok();
    let (first, rest) = (unit(escape)?, escape.get(4..)?);
    if let Some(character) = char::from_u32(first) {
        return Some((character, rest));
    }
    let second = rest.strip_prefix("\\u").and_then(unit)?;
    let character = char::decode_utf16([first, second].map(|unit| u16::try_from(unit).unwrap_or_default()))
        .next()?
        .ok()?;
    Some((character, rest.get(6..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_format_reveal_nothing() {
        for word in
            ["status", "completed", "RUN_VALIDATION", "rationale", "action", "item", "warning", "true"]
        {
            assert!(!is_telling(word), "{word}");
        }
        assert!(is_telling("deploy-key") && !is_telling("key"));
        assert!(OTHER_WORDS.iter().all(|word| word.len() >= SHORTEST_ECHO));
    }

    #[test]
    fn redacted_texts_are_found_wherever_they_occur() {
        let texts = ["abcd", "abcde", "abce", "bbbb", "日本語"].map(str::to_owned);
        let removed = Removed::new(texts.iter().cloned().collect());
        let letters = ["a", "b", "c", "d", "e", "日", "本語"];
        // All texts of six of these letters.
        for number in 0..letters.len().pow(6) {
            let text: String =
                (0..6).map(|place| letters[number / letters.len().pow(place) % letters.len()]).collect();
            assert_eq!(removed.is_in(&text), texts.iter().any(|removed| text.contains(removed)), "{text}");
        }
    }
}
