use alloc::{format, string::String, vec::Vec};

use proptest::{
    prelude::{Just, ProptestConfig, Strategy, any, prop},
    prop_oneof, proptest,
};

use super::*;
use crate::json::{MAX_DOCUMENT_BYTES, write_verbatim};

const WRAPPED: ReadLimits = ReadLimits { documents: &["envelope"], bytes: MAX_DOCUMENT_BYTES };

/// Values of each kind, with white space and escapes, in texts of which a program may write any.
fn values() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        prop::sample::select(
            &[
                "null",
                "true",
                "false",
                "0",
                "-1",
                "1234567890123",
                "1.50",
                "-2e3",
                "0.1",
                r#""""#,
                r#""a""#,
                r#""é\n""#,
                r#""\"\\""#,
                r#""\\\\""#,
                r#""]},:{[""#,
                r#""\u00e9 long enough for eight bytes""#,
                "[]",
                "{}",
                "[ ]",
                "{\n}",
            ][..]
        )
        .prop_map(String::from),
        any::<i32>().prop_map(|number| format!("{number}")),
    ];
    scalar.prop_recursive(4, 24, 5, |inner| {
        let space = prop::sample::select(&["", " ", "\n  "][..]);
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..5), space.clone())
                .prop_map(|(items, space)| format!("[{space}{}{space}]", items.join(&format!("{space},")))),
            (prop::collection::vec(inner, 0..5), space).prop_map(|(values, space)| {
                let names = [r#""a""#, r#""b/~""#, r#""\n""#, r#""envelope""#, r#""""#];
                let fields: Vec<_> = names
                    .iter()
                    .zip(values)
                    .map(|(name, value)| format!("{name}{space}:{space}{value}{space}"))
                    .collect();
                format!("{{{space}{}}}", fields.join(","))
            }),
        ]
    })
}

/// A change: numbers that choose a place, and a new value. Without a value, the place is removed.
fn changes() -> impl Strategy<Value = Vec<(Vec<u8>, Option<String>)>> {
    let place = prop::collection::vec(any::<u8>(), 0..5);
    prop::collection::vec((place, prop_oneof![3 => values().prop_map(Some), 1 => Just(None)]), 1..12)
}

/// Returns a pointer to a value of the text, or to a new field or item.
fn pointer(root: Node<'_>, choices: &[u8]) -> String {
    let mut pointer = Pointer::new("");
    let mut here = root;
    for choice in choices {
        let choice = usize::from(*choice) % (here.len() + 1);
        let found = match here.kind() {
            Kind::Object => {
                here.members().nth(choice).map(|(name, value)| (pointer.clone().key(name), value))
            }
            Kind::Array => here.items().nth(choice).map(|value| (pointer.clone().index(choice), value)),
            _ => break,
        };
        match found {
            Some(found) => (pointer, here) = found,
            None if here.kind() == Kind::Array => return pointer.key("-").into_string(),
            None => return pointer.key("new \"name\"").into_string(),
        }
    }
    pointer.into_string()
}

/// Compares the tape with the one that is read from the text.
fn assert_current(text: &mut EditableText) {
    let expected = EditableText::read(text.as_str().as_bytes(), text.limits).expect("the text stays valid");
    assert_eq!(text.cells.len(), expected.cells.len(), "{}", text.text);
    let string = |text: &EditableText, cell: &Cell| {
        String::from(&text.unescaped[cell.start as usize..cell.end as usize])
    };
    for (cell, fresh) in text.cells.iter().zip(&expected.cells) {
        assert_eq!((cell.tag, cell.outer), (fresh.tag, fresh.outer), "{}", text.text);
        if cell.tag == Tag::Escaped {
            assert_eq!(string(text, cell), string(&expected, fresh), "{}", text.text);
        } else {
            assert_eq!((cell.start, cell.end), (fresh.start, fresh.end), "{}", text.text);
        }
    }
    assert!(text.unescaped.len() <= 2 * text.text.len());
}

/// The value after a change, by a simple model: the fields and items of the containers on the path.
fn model(here: Node<'_>, segments: &[String], value: Option<&str>, out: &mut String) {
    let Some((segment, rest)) = segments.split_first() else {
        return out.push_str(value.unwrap_or_default());
    };
    let is_object = here.kind() == Kind::Object;
    let mut parts: Vec<String> = Vec::new();
    let mut is_found = false;
    let children = here.members().map(|(name, value)| (String::from(name), value));
    let items = here.items().enumerate().map(|(index, value)| (format!("{index}"), value));
    for (name, child) in children.chain(items) {
        let is_target = name == *segment;
        is_found |= is_target;
        if is_target && rest.is_empty() && value.is_none() {
            continue;
        }
        let mut part = String::new();
        if is_object {
            write_string(&name, &mut part);
            part.push(':');
        }
        match is_target {
            true => model(child, rest, value, &mut part),
            false => write_verbatim(child, &mut part),
        }
        parts.push(part);
    }
    if let Some(value) = value.filter(|_| !is_found) {
        let mut part = String::new();
        if is_object {
            write_string(segment, &mut part);
            part.push(':');
        }
        part.push_str(value);
        parts.push(part);
    }
    let [open, close] = if is_object { ['{', '}'] } else { ['[', ']'] };
    out.push(open);
    out.push_str(&parts.join(","));
    out.push(close);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_text_has_the_tape_of_its_text(start in values(), changes in changes()) {
        let mut text = EditableText::read(start.as_bytes(), WRAPPED).unwrap();
        for (choices, value) in &changes {
            let (pointer, mut expected) = text.with_tape(|tape| {
                let pointer = pointer(tape.root(), choices);
                let segments: Vec<_> = pointer.split('/').skip(1).map(unescape_segment).collect();
                let mut expected = String::new();
                model(tape.root(), &segments, value.as_deref(), &mut expected);
                (pointer, expected)
            });
            let before = text.text.clone();
            let changed = match value {
                Some(value) => text.set(&pointer, value.as_bytes()),
                None => text.remove(&pointer),
            };
            if changed.is_err() {
                // Nothing else can fail: the place of a new value cannot be removed.
                assert!(value.is_none(), "{pointer}: {changed:?}");
                expected = before;
            }
            assert_current(&mut text);
            let verbatim = |text: &[u8]| crate::json::verbatim(read(text, WRAPPED).unwrap().root());
            assert_eq!(verbatim(text.text.as_bytes()), verbatim(expected.as_bytes()), "{pointer} {value:?}");
        }
    }
}

/// Returns the code, the path and the message of the error of a change, which changes nothing.
fn fault(text: &str, pointer: &str, value: Option<&[u8]>) -> (&'static str, String, String) {
    let mut editable = EditableText::read(text.as_bytes(), WRAPPED).unwrap();
    let changed = match value {
        Some(value) => editable.set(pointer, value),
        None => editable.remove(pointer),
    };
    assert_eq!(editable.as_str(), text);
    assert_current(&mut editable);
    let error = changed.unwrap_err();
    (error.code().as_str(), error.path().into(), error.message().into())
}

#[test]
fn a_pointer_to_no_place_is_an_error() {
    let text = r#"{"a": [1, {"b/c": "x"}], "d": 2}"#;
    for (pointer, code, path) in [
        ("a", "invalid_value", ""),
        ("/a~2", "invalid_value", ""),
        ("/x/y", "missing_field", "/x"),
        ("/a/1/b~1d/e/f", "missing_field", "/a/1/b~1d"),
        ("/a/3", "invalid_value", "/a/3"),
        ("/a/01", "invalid_value", "/a/01"),
        ("/a/+1", "invalid_value", "/a/+1"),
        ("/a/x", "invalid_value", "/a/x"),
        ("/a/", "invalid_value", "/a/"),
        ("/a/-/0", "invalid_value", "/a/-"),
        ("/a/2/0", "invalid_value", "/a/2"),
        ("/a/18446744073709551616", "invalid_value", "/a/18446744073709551616"),
        ("/d/e", "invalid_value", "/d"),
        ("/a/1/b~1c/0", "invalid_value", "/a/1/b~1c"),
    ] {
        let (actual, at, message) = fault(text, pointer, Some(b"1"));
        assert_eq!((actual, at.as_str()), (code, path), "{pointer}: {message}");
        assert_eq!(fault(text, pointer, None).0, code, "{pointer}");
    }
    for (pointer, code) in
        [("", "invalid_value"), ("/x", "missing_field"), ("/a/-", "invalid_value"), ("/a/2", "invalid_value")]
    {
        let (actual, path, message) = fault(text, pointer, None);
        assert_eq!((actual, path.as_str()), (code, pointer), "{message}");
    }
}

#[test]
fn a_value_that_is_not_json_is_refused_at_the_pointer() {
    let text = r#"{"a": [[]], "envelope": 1}"#;
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (pointer, value, code, path) in [
        ("/a/0", "", "malformed_json", "/a/0"),
        ("/a/-", "1,2", "malformed_json", "/a/1"),
        ("/b", r#"1,"c":2"#, "malformed_json", "/b"),
        ("/b", r#"{"c": [{"d": 1, "d": 2}]}"#, "duplicate_key", "/b/c/0/d"),
        ("", "{", "malformed_json", ""),
    ] {
        let (actual, at, message) = fault(text, pointer, Some(value.as_bytes()));
        assert_eq!((actual, at.as_str()), (code, path), "{message}");
    }
    assert_eq!(fault(text, "/a/0", Some(b"\"\xff\"")).0, "malformed_json");
    // The object around a document does not count.
    for (pointer, most) in
        [("/a/0/-", 125), ("/a/0", 126), ("/a", 127), ("/b", 127), ("/envelope", 128), ("", 128)]
    {
        let (code, ..) = fault(text, pointer, Some(deep(most + 1).as_bytes()));
        assert_eq!(code, "limit_exceeded", "{pointer}");
        let mut editable = EditableText::read(text.as_bytes(), WRAPPED).unwrap();
        editable.set(pointer, deep(most).as_bytes()).unwrap();
        assert_current(&mut editable);
    }
}

#[test]
fn a_text_over_the_size_limit_is_refused() {
    let mut text = EditableText::read(br#"{"a": 1}"#, ReadLimits { documents: &[], bytes: 20 }).unwrap();
    let error = text.set("/b", br#""0123456""#).unwrap_err();
    assert_eq!(
        (error.code(), error.message()),
        (codes::LIMIT_EXCEEDED, "input of 22 bytes is over the limit of 20")
    );
    text.set("/b", br#""01234""#).unwrap();
    assert_current(&mut text);
    assert_eq!(text.as_str(), r#"{"a": 1,"b":"01234"}"#);
}

#[test]
fn strings_with_escapes_do_not_accumulate() {
    let mut text = EditableText::read(br#"{"a": "\n", "b": "\t", "c": "\\"}"#, ReadLimits::DOCUMENT).unwrap();
    for turn in 0..1000 {
        let name = ["/a", "/b", "/c", "/d\n"][turn % 4];
        text.set(name, format!(r#""\n{turn}""#).as_bytes()).unwrap();
        assert_current(&mut text);
    }
}
