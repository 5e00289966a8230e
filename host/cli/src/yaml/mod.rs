//! YAML to JSON text, strictly: what has no exact JSON form is an error that says where.
//!
//! YAML 1.2 with the core schema, one document of at most [`MAX_BYTES`]. Refused: other versions, repeated keys, keys
//! that are no strings or have an anchor, tags beyond the core schema, merge keys, `.nan` and `.inf`, integers with
//! leading zeros, characters that YAML has no place for. Numbers keep their digits: no value passes through a float.
//! Aliases are copies, and the size limit of documents bounds them, so a small text cannot grow into a huge one. What
//! the members mean is the core's business, as it is for JSON.

mod scalar;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::{
    Error, ErrorCode,
    json::{MAX_DEPTH, MAX_DOCUMENT_BYTES, push_segment},
};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use crate::codes;

/// How long a text may be: 1 MiB.
///
/// Less than JSON may have, for the parser holds up to 170 bytes for each byte of a list or mapping in brackets that
/// could turn out to be a key, and it does so before it tells of anything that could be counted.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// Translates one YAML document to JSON text with the same members in the same order.
///
/// # Errors
///
/// [`codes::MALFORMED_YAML`], [`codes::DUPLICATE_KEY`], and [`codes::LIMIT_EXCEEDED`] for a text over
/// [`MAX_BYTES`], more than 128 nested containers, or aliases that grow the document over the size limit of JSON; the
/// message says line and column.
pub(crate) fn to_json(yaml: &[u8]) -> Result<String, Error> {
    if yaml.len() > MAX_BYTES {
        let message = format!("over the limit of {MAX_BYTES} bytes for YAML; as JSON it may be longer");
        return Err(Error::new(codes::LIMIT_EXCEEDED, message));
    }
    let text = str::from_utf8(yaml).map_err(|error| {
        let message = format!("not UTF-8 from byte {} on", error.valid_up_to());
        Error::new(codes::MALFORMED_YAML, message)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text::check(text)?;
    let mut writer = Writer::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| unparsable(&error))?;
        writer.take(event, span.start)?;
        if writer.json.len() > MAX_DOCUMENT_BYTES {
            let message = format!("the document has over {MAX_DOCUMENT_BYTES} bytes as JSON");
            return Err(at(span.start, codes::LIMIT_EXCEEDED, &message));
        }
    }
    match writer.documents {
        0 => Err(Error::new(codes::MALFORMED_YAML, "there is no document in the text")),
        _ => Ok(writer.json),
    }
}

/// Writes JSON text from the events of a YAML parser.
#[derive(Default)]
struct Writer {
    json: String,
    documents: usize,
    open: Vec<Open>,
    /// For each anchor, the extent of its value in the JSON text.
    anchors: BTreeMap<usize, (usize, usize)>,
}

/// A container that has not ended yet.
enum Open {
    Sequence {
        anchor: usize,
        start: usize,
        items: usize,
    },
    Mapping {
        anchor: usize,
        start: usize,
        keys: BTreeSet<String>,
        /// The key whose value is due.
        key: Option<String>,
    },
}

impl Writer {
    fn take(&mut self, event: Event<'_>, place: Marker) -> Result<(), Error> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                match self.documents {
                    1 => Ok(()),
                    _ => Err(malformed(place, "a second document begins; one is expected")),
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, anchor, tag.as_deref(), place)
            }
            Event::SequenceStart(anchor, tag) => {
                container_tag(tag.as_deref(), "seq", place)?;
                let start = self.open(place)?;
                self.json.push('[');
                self.open.push(Open::Sequence { anchor, start, items: 0 });
                Ok(())
            }
            Event::MappingStart(anchor, tag) => {
                container_tag(tag.as_deref(), "map", place)?;
                let start = self.open(place)?;
                self.json.push('{');
                self.open.push(Open::Mapping { anchor, start, keys: BTreeSet::new(), key: None });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.close();
                Ok(())
            }
            Event::Alias(anchor) => self.alias(anchor, place),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        place: Marker,
    ) -> Result<(), Error> {
        let plain = style == ScalarStyle::Plain;
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        if let Some(c) = text.chars().find(|c| !quoted && !text::is_printable(*c)) {
            let message = format!("the character {} must be in quotes", c.escape_unicode());
            return Err(malformed(place, &message));
        }
        let json = scalar::to_json(text, plain, tag).map_err(|message| malformed(place, &message))?;
        if self.awaits_key() {
            if plain && text == "<<" {
                return Err(malformed(place, "merge keys (`<<`) are not supported; write the members out"));
            }
            if anchor > 0 {
                let message = format!("the key `{text}` has an anchor, which only values may have");
                return Err(malformed(place, &message));
            }
            if !json.starts_with('"') {
                return Err(malformed(place, &format!("the key `{text}` is no string; put it in quotes")));
            }
            return self.key(text, &json, place);
        }
        let start = self.begin_value();
        self.json.push_str(&json);
        self.end_value(anchor, start);
        Ok(())
    }

    fn key(&mut self, text: &str, json: &str, place: Marker) -> Result<(), Error> {
        let Some(Open::Mapping { keys, key, .. }) = self.open.last_mut() else { return Ok(()) };
        let is_first = keys.is_empty();
        *key = Some(text.to_owned());
        if !keys.insert(text.to_owned()) {
            let error = at(place, codes::DUPLICATE_KEY, &format!("key `{text}` is there twice"));
            return Err(error.at(self.path()));
        }
        if !is_first {
            self.json.push(',');
        }
        self.json.push_str(json);
        self.json.push(':');
        Ok(())
    }

    /// Copies what the anchor holds.
    fn alias(&mut self, anchor: usize, place: Marker) -> Result<(), Error> {
        if self.awaits_key() {
            return Err(malformed(place, "an alias cannot be a key"));
        }
        let Some((from, to)) = self.anchors.get(&anchor).copied() else {
            return Err(malformed(place, "an alias inside of what it stands for"));
        };
        if self.json.len() + (to - from) > MAX_DOCUMENT_BYTES {
            let message = format!("aliases grow the document over {MAX_DOCUMENT_BYTES} bytes");
            return Err(at(place, codes::LIMIT_EXCEEDED, &message));
        }
        let start = self.begin_value();
        self.json.extend_from_within(from..to);
        self.end_value(0, start);
        Ok(())
    }

    /// Begins a container; where it starts.
    fn open(&mut self, place: Marker) -> Result<usize, Error> {
        if self.awaits_key() {
            return Err(malformed(place, "a list or mapping cannot be a key"));
        }
        if self.open.len() >= MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} nested containers");
            return Err(at(place, codes::LIMIT_EXCEEDED, &message).at(self.path()));
        }
        Ok(self.begin_value())
    }

    fn close(&mut self) {
        let (bracket, anchor, start) = match self.open.pop() {
            Some(Open::Sequence { anchor, start, .. }) => (']', anchor, start),
            Some(Open::Mapping { anchor, start, .. }) => ('}', anchor, start),
            None => return,
        };
        self.json.push(bracket);
        self.end_value(anchor, start);
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Mapping { key: None, .. }))
    }

    /// Writes what stands before a value; where the value starts.
    fn begin_value(&mut self) -> usize {
        if let Some(Open::Sequence { items, .. }) = self.open.last_mut() {
            if *items > 0 {
                self.json.push(',');
            }
            *items += 1;
        }
        self.json.len()
    }

    fn end_value(&mut self, anchor: usize, start: usize) {
        if let Some(Open::Mapping { key, .. }) = self.open.last_mut() {
            *key = None;
        }
        // The parser numbers anchors from 1.
        if anchor > 0 {
            self.anchors.insert(anchor, (start, self.json.len()));
        }
    }

    /// JSON Pointer to where the writer stands.
    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match open {
                Open::Sequence { items, .. } => push_segment(&mut path, &items.saturating_sub(1).to_string()),
                Open::Mapping { key: Some(key), .. } => push_segment(&mut path, key),
                Open::Mapping { .. } => {}
            }
        }
        path
    }
}

fn container_tag(tag: Option<&Tag>, expected: &str, place: Marker) -> Result<(), Error> {
    match tag {
        Some(tag) if !(tag.is_yaml_core_schema() && tag.suffix == expected) => {
            Err(malformed(place, &scalar::unknown_tag(tag)))
        }
        _ => Ok(()),
    }
}

fn unparsable(error: &ScanError) -> Error {
    let info = error.info();
    // What people who write `*.pem` did not know that they wrote.
    let of_alias = ["unknown anchor", "scanning an anchor or alias"].iter().any(|words| info.contains(words));
    let hint = if of_alias { "; if it is a pattern, put it in quotes, as in `\"*.pem\"`" } else { "" };
    malformed(*error.marker(), &format!("{info}{hint}"))
}

fn malformed(place: Marker, message: &str) -> Error {
    at(place, codes::MALFORMED_YAML, message)
}

fn at(place: Marker, code: ErrorCode, message: &str) -> Error {
    Error::new(code, format!("{message}, line {} column {}", place.line(), place.col() + 1))
}

#[cfg(test)]
mod tests;
