//! YAML documents as JSON values.

use saphyr_parser::{Event, Parser};
use serde_json::{Map, Value};

/// Reads a document. Every scalar is a string.
pub(super) fn read(text: &str) -> Value {
    let events = Parser::new_from_str(text).map(|event| event.expect("it is YAML").0);
    let mut events = events.skip_while(|event| !matches!(event, Event::DocumentStart(_))).skip(1);
    let first = events.next().expect("there is a document");
    value(first, &mut events)
}

/// Reads the value that begins with an event.
fn value<'t>(event: Event<'t>, events: &mut dyn Iterator<Item = Event<'t>>) -> Value {
    match event {
        Event::Scalar(text, ..) => Value::String(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                match events.next().expect("the sequence ends") {
                    Event::SequenceEnd => return Value::Array(items),
                    item => items.push(value(item, events)),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut fields = Map::new();
            loop {
                match events.next().expect("the mapping ends") {
                    Event::MappingEnd => return Value::Object(fields),
                    Event::Scalar(key, ..) => {
                        let first = events.next().expect("a key has a value");
                        fields.insert(key.into_owned(), value(first, events));
                    }
                    other => panic!("expected a key, found {other:?}"),
                }
            }
        }
        other => panic!("expected a value, found {other:?}"),
    }
}
