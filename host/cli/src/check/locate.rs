//! Where in a text the parts of a document are, in JSON and in YAML.

use adjudicate_core::ErrorCode;
use saphyr_parser::{Event, Marker, Parser};

use super::{
    diagnostic::Diagnostic,
    place::{Extent, Place},
    walker::{Found, Walker},
};
use crate::{codes, input::InputFormat, layout, yaml};

/// Gives diagnostics the places that their paths lead to, where the text shows any.
pub(super) fn locate(text: &str, format: InputFormat, diagnostics: &mut [Diagnostic]) {
    let paths = diagnostics.iter().filter(|diagnostic| diagnostic.extent.is_none());
    let mut walker = Walker::new(paths.map(|diagnostic| diagnostic.path.as_str()));
    match format {
        InputFormat::Json => walk_json(text, &mut walker),
        // Longer texts are refused unread, for what the parser would hold of them.
        InputFormat::Yaml if text.len() > yaml::MAX_BYTES => {}
        InputFormat::Yaml => walk_yaml(text, &mut walker),
    }
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.extent.is_none()) {
        let found = walker.find(&diagnostic.path);
        diagnostic.extent = found.and_then(|(found, is_there)| pick(diagnostic, found, is_there));
    }
}

/// The key or the value, whichever is at fault.
fn pick(diagnostic: &Diagnostic, Found { key, value }: Found, is_there: bool) -> Option<Extent> {
    let is_key = |code: ErrorCode| diagnostic.code == code.as_str();
    match is_there && (is_key(codes::UNKNOWN_FIELD) || is_key(codes::DUPLICATE_KEY)) {
        true => key.or(value),
        false => value.or(key),
    }
}

fn walk_json(text: &str, walker: &mut Walker) {
    let (mut at, mut place) = (0, Place::START);
    for (offset, token) in layout::tokens(text) {
        place = place.after(text.get(at..offset).unwrap_or_default());
        at = offset;
        let extent = Extent { start: place, end: place.after(token) };
        match token {
            "{" | "[" => walker.open(token == "[", place),
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
    // What the text shows until it breaks off.
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let extent = Extent { start: place(span.start), end: place(span.end) };
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

fn place(marker: Marker) -> Place {
    Place { line: marker.line(), column: marker.col() + 1 }
}
