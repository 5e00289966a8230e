//! The strict translation of YAML to JSON text. A document without an exact JSON form is an error with line and column.
//!
//! YAML 1.2 with the core schema, one document of at most [`MAX_BYTES`]. These are errors: other versions, repeated
//! keys, tags beyond the core schema, merge keys, `.nan` and `.inf`, integers with leading zeros. So are keys that are
//! not strings or have an anchor, and characters that YAML does not allow. Numbers keep their digits: no value passes
//! through a float. Aliases are copies, and the size limit of documents bounds them, so a small text cannot grow into a
//! huge one. The core reads the fields, as it does for JSON.
#![forbid(unsafe_code)]

pub mod codes;
mod scalar;
mod text;

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::{
    ErrorCode,
    json::{MAX_DEPTH, MAX_DOCUMENT_BYTES, push_segment},
};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

pub use adjudicate_core::Error;

/// The limit for a text: 1 MiB.
///
/// The limit is lower than that of JSON. For a list or mapping in brackets that could be a key, the parser holds up to 170 bytes per
/// byte, before it reports anything that could be counted.
pub const MAX_BYTES: usize = 1 << 20;

/// Translates one YAML document to JSON text with the same fields in the same order.
///
/// # Errors
///
/// [`codes::MALFORMED_YAML`], [`codes::DUPLICATE_KEY`], and [`codes::LIMIT_EXCEEDED`] for a text over
/// [`MAX_BYTES`], more than 128 nested containers, or aliases that grow the document over the size limit of JSON; the
/// message has line and column.
pub fn to_json(yaml: &[u8]) -> Result<String, Error> {
    if yaml.len() > MAX_BYTES {
        let message = format!("over the limit of {MAX_BYTES} bytes for YAML; as JSON it may be longer");
        return Err(Error::new(codes::LIMIT_EXCEEDED, message));
    }
    let text = str::from_utf8(yaml).map_err(|error| {
        let message = format!("not UTF-8 from byte {} on", error.valid_up_to());
        Error::new(codes::MALFORMED_YAML, message).with_source(error)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text::check(text)?;
    let mut writer = Writer::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(unparsable)?;
        writer.write_event(event, span.start)?;
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
    open: Vec<OpenNode>,
    /// The range of each anchor's value in the JSON text.
    anchors: BTreeMap<usize, (usize, usize)>,
}

/// A container that has not ended yet.
enum OpenNode {
    Sequence {
        anchor: usize,
        start: usize,
        items: usize,
    },
    Mapping {
        anchor: usize,
        start: usize,
        keys: BTreeSet<String>,
        /// The key whose value comes next.
        key: Option<String>,
    },
}

impl Writer {
    fn write_event(&mut self, event: Event<'_>, position: Marker) -> Result<(), Error> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                match self.documents {
                    1 => Ok(()),
                    _ => Err(malformed(position, "a second document begins; one is expected")),
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(&text, style, anchor, tag.as_deref(), position)
            }
            Event::SequenceStart(anchor, tag) => {
                container_tag(tag.as_deref(), "seq", position)?;
                let start = self.open(position)?;
                self.json.push('[');
                self.open.push(OpenNode::Sequence { anchor, start, items: 0 });
                Ok(())
            }
            Event::MappingStart(anchor, tag) => {
                container_tag(tag.as_deref(), "map", position)?;
                let start = self.open(position)?;
                self.json.push('{');
                self.open.push(OpenNode::Mapping { anchor, start, keys: BTreeSet::new(), key: None });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.close();
                Ok(())
            }
            Event::Alias(anchor) => self.alias(anchor, position),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        position: Marker,
    ) -> Result<(), Error> {
        let plain = style == ScalarStyle::Plain;
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        if let Some(c) = text.chars().find(|c| !quoted && !text::is_printable(*c)) {
            let message = format!("the character {} must be in quotes", c.escape_unicode());
            return Err(malformed(position, &message));
        }
        let json = scalar::to_json(text, plain, tag).map_err(|message| malformed(position, &message))?;
        if self.awaits_key() {
            if plain && text == "<<" {
                return Err(malformed(position, "merge keys (`<<`) are not supported; write the fields out"));
            }
            if anchor > 0 {
                let message = format!("the key `{text}` has an anchor, which only values may have");
                return Err(malformed(position, &message));
            }
            if !json.starts_with('"') {
                return Err(malformed(position, &format!("the key `{text}` is no string; put it in quotes")));
            }
            return self.key(text, &json, position);
        }
        let start = self.begin_value();
        self.json.push_str(&json);
        self.end_value(anchor, start);
        Ok(())
    }

    fn key(&mut self, text: &str, json: &str, position: Marker) -> Result<(), Error> {
        let Some(OpenNode::Mapping { keys, key, .. }) = self.open.last_mut() else { return Ok(()) };
        let is_first = keys.is_empty();
        *key = Some(text.to_owned());
        if !keys.insert(text.to_owned()) {
            let error = at(position, codes::DUPLICATE_KEY, &format!("key `{text}` is a duplicate"));
            return Err(error.at(self.path()));
        }
        if !is_first {
            self.json.push(',');
        }
        self.json.push_str(json);
        self.json.push(':');
        Ok(())
    }

    /// Copies the value of an anchor.
    fn alias(&mut self, anchor: usize, position: Marker) -> Result<(), Error> {
        if self.awaits_key() {
            return Err(malformed(position, "an alias cannot be a key"));
        }
        let Some((from, to)) = self.anchors.get(&anchor).copied() else {
            return Err(malformed(position, "an alias inside of its own anchor"));
        };
        if self.json.len() + (to - from) > MAX_DOCUMENT_BYTES {
            let message = format!("aliases grow the document over {MAX_DOCUMENT_BYTES} bytes");
            return Err(at(position, codes::LIMIT_EXCEEDED, &message));
        }
        let start = self.begin_value();
        self.json.extend_from_within(from..to);
        self.end_value(0, start);
        Ok(())
    }

    /// Begins a container. Returns its start.
    fn open(&mut self, position: Marker) -> Result<usize, Error> {
        if self.awaits_key() {
            return Err(malformed(position, "a list or mapping cannot be a key"));
        }
        if self.open.len() >= MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} nested containers");
            return Err(at(position, codes::LIMIT_EXCEEDED, &message).at(self.path()));
        }
        Ok(self.begin_value())
    }

    fn close(&mut self) {
        let (bracket, anchor, start) = match self.open.pop() {
            Some(OpenNode::Sequence { anchor, start, .. }) => (']', anchor, start),
            Some(OpenNode::Mapping { anchor, start, .. }) => ('}', anchor, start),
            None => return,
        };
        self.json.push(bracket);
        self.end_value(anchor, start);
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(OpenNode::Mapping { key: None, .. }))
    }

    /// Writes the comma or key before a value. Returns the start of the value.
    fn begin_value(&mut self) -> usize {
        if let Some(OpenNode::Sequence { items, .. }) = self.open.last_mut() {
            if *items > 0 {
                self.json.push(',');
            }
            *items += 1;
        }
        self.json.len()
    }

    fn end_value(&mut self, anchor: usize, start: usize) {
        if let Some(OpenNode::Mapping { key, .. }) = self.open.last_mut() {
            *key = None;
        }
        // The parser numbers anchors from 1.
        if anchor > 0 {
            self.anchors.insert(anchor, (start, self.json.len()));
        }
    }

    /// Returns the JSON Pointer to the current position.
    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match open {
                OpenNode::Sequence { items, .. } => {
                    push_segment(&mut path, &items.saturating_sub(1).to_string())
                }
                OpenNode::Mapping { key: Some(key), .. } => push_segment(&mut path, key),
                OpenNode::Mapping { .. } => {}
            }
        }
        path
    }
}

fn container_tag(tag: Option<&Tag>, expected: &str, position: Marker) -> Result<(), Error> {
    match tag {
        Some(tag) if !(tag.is_yaml_core_schema() && tag.suffix == expected) => {
            Err(malformed(position, &scalar::unknown_tag(tag)))
        }
        _ => Ok(()),
    }
}

fn unparsable(error: ScanError) -> Error {
    let info = error.info();
    // `*.pem` is an alias in YAML, which authors do not expect.
    let of_alias = ["unknown anchor", "scanning an anchor or alias"].iter().any(|words| info.contains(words));
    let hint = if of_alias { "; if it is a pattern, put it in quotes, as in `\"*.pem\"`" } else { "" };
    malformed(*error.marker(), &format!("{info}{hint}")).with_source(error)
}

fn malformed(position: Marker, message: &str) -> Error {
    at(position, codes::MALFORMED_YAML, message)
}

fn at(position: Marker, code: ErrorCode, message: &str) -> Error {
    Error::new(code, format!("{message}, line {} column {}", position.line(), position.col() + 1))
}

/// The example of the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests;
