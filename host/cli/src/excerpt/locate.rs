//! Locates the parts of a document in its text, for JSON and YAML.

use std::ops::Range;

use saphyr_parser::{Event, Parser};

use super::{
    Diagnostic,
    walker::{FoundPart, Walker},
};
use crate::{codes, input::InputFormat, layout};

/// Sets the extent of each diagnostic whose message states a position, or whose path leads to a part of the text.
pub(crate) fn locate(text: &str, format: InputFormat, diagnostics: &mut [Diagnostic]) {
    // Readers of YAML skip a byte order mark and do not count it.
    let body = text.strip_prefix('\u{feff}').filter(|_| format == InputFormat::Yaml).unwrap_or(text);
    let skipped = text.len() - body.len();
    for diagnostic in diagnostics.iter_mut() {
        if let Some((message, position)) = stated_position(&diagnostic.message) {
            let Range { start, end } = character(body, position);
            diagnostic.extent = Some(start + skipped..end + skipped);
            diagnostic.message.truncate(message.len());
        }
    }
    let paths = diagnostics.iter().filter(|diagnostic| diagnostic.extent.is_none());
    let mut walker = Walker::new(paths.map(|diagnostic| diagnostic.path.as_str()));
    match format {
        InputFormat::Json => walk_json(text, &mut walker),
        // The reader rejects longer texts, because of the memory that the parser would need.
        InputFormat::Yaml if text.len() > adjudicate_yaml::MAX_BYTES => {}
        InputFormat::Yaml => walk_yaml(body, skipped, &mut walker),
    }
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.extent.is_none()) {
        let Some((FoundPart { key, value }, is_there)) = walker.find(&diagnostic.path) else { continue };
        let is_key =
            [codes::UNKNOWN_FIELD, codes::DUPLICATE_KEY].iter().any(|code| diagnostic.code == code.as_str());
        diagnostic.extent = if is_there && is_key { key.or(value) } else { value.or(key) };
    }
}

/// Splits the position, from 0, off the message of an error about text, which ends with, for example, `, line 3 column 14`.
pub(crate) fn stated_position(message: &str) -> Option<(&str, (usize, usize))> {
    let (before, position) = message.rsplit_once(", line ")?;
    let (line, column) = position.split_once(" column ")?;
    let [line, column] = [line, column].map(|number| number.parse::<usize>().ok()?.checked_sub(1));
    Some((before, (line?, column?)))
}

/// Returns the extent of the character in this line and column, both from 0.
fn character(text: &str, (line, column): (usize, usize)) -> Range<usize> {
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let line = text.get(before..).unwrap_or_default();
    let mut characters = line.char_indices().skip(column).map(|(at, _)| at + text.len() - line.len());
    let start = characters.next().unwrap_or(text.len());
    start..characters.next().unwrap_or(text.len())
}

fn walk_json(text: &str, walker: &mut Walker) {
    for (start, token) in layout::tokens(text) {
        let extent = start..start + token.len();
        match token {
            "{" | "[" => walker.open(token == "[", start),
            "}" | "]" => walker.close(extent.end),
            "," | ":" => {}
            key if walker.awaits_key() => {
                walker.key(&serde_json::from_str::<String>(key).unwrap_or_default(), extent);
            }
            _ => walker.scalar(extent),
        }
        if walker.is_too_deep() {
            return;
        }
    }
}

fn walk_yaml(text: &str, skipped: usize, walker: &mut Walker) {
    // The parser counts characters.
    let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let offset = |index: usize| skipped + offsets.get(index).copied().unwrap_or(text.len());
    // Reads the events up to the first error.
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let extent = offset(span.start.index())..offset(span.end.index());
        match event {
            Event::Scalar(key, ..) if walker.awaits_key() => walker.key(&key, extent),
            Event::Scalar(..) | Event::Alias(_) => walker.scalar(extent),
            Event::SequenceStart(..) => walker.open(true, extent.start),
            Event::MappingStart(..) => walker.open(false, extent.start),
            Event::SequenceEnd | Event::MappingEnd => walker.close(extent.end),
            _ => {}
        }
        if walker.is_too_deep() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_split_off_a_message_and_is_one_character() {
        assert_eq!(
            stated_position("expected a value, line 3 column 14"),
            Some(("expected a value", (2, 13)))
        );
        for message in
            ["", "x", "a, line 3", "a, line x column y", "a, line 0 column 1", "a, line 3 column 4 or so"]
        {
            assert_eq!(stated_position(message), None);
        }
        for (position, extent) in
            [((0, 1), 1..3), ((0, 2), 3..4), ((1, 0), 4..7), ((1, 1), 7..7), ((8, 0), 7..7)]
        {
            assert_eq!(character("aé\n日", position), extent, "{position:?}");
        }
    }
}
