//! Locates the parts of a document in its text, for JSON and YAML.

use adjudicate_core::ErrorCode;
use saphyr_parser::{Event, Marker, Parser};

use super::{
    diagnostic::Diagnostic,
    position::{Extent, Position},
    walker::{FoundPart, Walker},
};
use crate::{codes, input::InputFormat, layout};

/// Sets the extent of each diagnostic that has none, if its path leads to a part of the text.
pub(crate) fn locate(text: &str, format: InputFormat, diagnostics: &mut [Diagnostic]) {
    let paths = diagnostics.iter().filter(|diagnostic| diagnostic.extent.is_none());
    let mut walker = Walker::new(paths.map(|diagnostic| diagnostic.path.as_str()));
    match format {
        InputFormat::Json => walk_json(text, &mut walker),
        // The reader rejects longer texts, because of the memory that the parser would need.
        InputFormat::Yaml if text.len() > adjudicate_yaml::MAX_BYTES => {}
        InputFormat::Yaml => walk_yaml(text, &mut walker),
    }
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.extent.is_none()) {
        let found = walker.find(&diagnostic.path);
        diagnostic.extent = found.and_then(|(found, is_there)| part_at_fault(diagnostic, found, is_there));
    }
}

/// Returns the extent of the key or of the value, whichever is at fault.
fn part_at_fault(
    diagnostic: &Diagnostic,
    FoundPart { key, value }: FoundPart,
    is_there: bool,
) -> Option<Extent> {
    let is_key = |code: ErrorCode| diagnostic.code == code.as_str();
    match is_there && (is_key(codes::UNKNOWN_FIELD) || is_key(codes::DUPLICATE_KEY)) {
        true => key.or(value),
        false => value.or(key),
    }
}

fn walk_json(text: &str, walker: &mut Walker) {
    let (mut at, mut position) = (0, Position::START);
    for (offset, token) in layout::tokens(text) {
        position = position.after(text.get(at..offset).unwrap_or_default());
        at = offset;
        let extent = Extent { start: position, end: position.after(token) };
        match token {
            "{" | "[" => walker.open(token == "[", position),
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

fn walk_yaml(text: &str, walker: &mut Walker) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Reads the events up to the first error.
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let extent = Extent { start: position(span.start), end: position(span.end) };
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

fn position(marker: Marker) -> Position {
    Position { line: marker.line(), column: marker.col() + 1 }
}
