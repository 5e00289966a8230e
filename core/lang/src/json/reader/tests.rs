use super::*;

const WRAPPED: ReadLimits = ReadLimits { documents: &["envelope", "policy"], bytes: MAX_DOCUMENT_BYTES };

fn fault(text: &[u8], limits: ReadLimits) -> (&'static str, String) {
    let error = read(text, limits).unwrap_err();
    (error.code().as_str(), error.path().into())
}

#[test]
fn malformed_texts_are_errors() {
    let texts: &[&[u8]] = &[
        b"",
        b" ",
        b"{",
        b"[1,]",
        b"{\"a\":1,}",
        b"{\"a\"}",
        b"{a:1}",
        b"{'a':1}",
        b"nul",
        b"tru",
        b"NaN",
        b"Infinity",
        b"1 2",
        b"[1]]",
        b"01",
        b"+1",
        b"1.",
        b"\"\\ud800\"",
        b"\"\x01\"",
        b"\"",
        b"\"\\",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"1e999",
        b"[1 2]",
        b"{\"a\":1 \"b\":2}",
        b"]",
        b",",
        b"[,]",
        b"\x00",
        b"{\"a\":}",
        b"/* */ 1",
    ];
    for text in texts {
        let shown = String::from_utf8_lossy(text);
        assert_eq!(fault(text, ReadLimits::DOCUMENT), ("malformed_json", String::new()), "{shown}");
    }
}

#[test]
fn well_formed_texts_are_read() {
    for text in
        ["0", " null\r\n", "[]", "{}", "[[], {}, \"\\ud83d\\ude00\"]", "{\"\": {\"\": -0.5e-7}}", "1e308"]
    {
        assert!(read(text.as_bytes(), ReadLimits::DOCUMENT).is_ok(), "{text}");
    }
}

#[test]
fn malformed_texts_have_a_line_and_column() {
    let error = read("{\n  \"ä\": nope}".as_bytes(), ReadLimits::DOCUMENT).unwrap_err();
    assert_eq!(error.message(), "expected a value, line 2 column 8");
}

#[test]
fn common_mistakes_are_named() {
    for (text, message) in [
        (
            "\u{feff}{}",
            "the text begins with a byte order mark; save it as UTF-8 without BOM, line 1 column 1",
        ),
        (" \u{feff}{}", "expected a value, line 1 column 2"),
        ("[1, ]", "trailing comma before `]`, line 1 column 5"),
        ("[\n  1,\n]", "trailing comma before `]`, line 3 column 1"),
        ("[,]", "expected a value, line 1 column 2"),
        (r#"{"a": ]"#, "expected a value, line 1 column 7"),
        (r#"{"a": 1, }"#, "trailing comma before `}`, line 1 column 10"),
        ("{,}", "expected a key in double quotes, line 1 column 2"),
        ("\"a\tb\"", "tab in a string; write it as `\\t`, line 1 column 3"),
        ("\"a\nb\"", "control character in a string, line 1 column 3"),
    ] {
        assert_eq!(read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap_err().message(), message, "{text:?}");
    }
}

#[test]
fn repeated_keys_are_errors_in_small_and_large_objects() {
    let many: String = (0..100).map(|n| format!("\"k{n}\":0,")).collect();
    for (text, path) in [
        (String::from(r#"{"a":1,"a":2}"#), "/a"),
        (String::from(r#"{"a":1,"\u0061":2}"#), "/a"),
        (String::from(r#"[0,{"x/y":{"b":1,"c":2,"b":3}}]"#), "/1/x~1y/b"),
        (format!(r#"{{{many}"k7":1}}"#), "/k7"),
        // The first error in document order wins, even over malformed text behind it.
        (String::from(r#"{"a":{"b":1,"b":1},"a":1,}"#), "/a/b"),
    ] {
        assert_eq!(fault(text.as_bytes(), ReadLimits::DOCUMENT), ("duplicate_key", path.into()), "{text}");
    }
    assert!(read(format!("{{{many}\"last\":1}}").as_bytes(), ReadLimits::DOCUMENT).is_ok());
    // Different keys with the same fingerprint are allowed.
    assert!(read(br#"{"abz":1,"acz":2,"adz":3}"#, ReadLimits::DOCUMENT).is_ok());
}

#[test]
fn depth_is_counted_inside_documents() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(read(nested(128).as_bytes(), ReadLimits::DOCUMENT).is_ok());
    let path = "/0".repeat(128);
    assert_eq!(fault(nested(129).as_bytes(), ReadLimits::DOCUMENT), ("limit_exceeded", path.clone()));
    let wrapped = |depth| format!(r#"{{"envelope":{}}}"#, nested(depth));
    assert!(read(wrapped(128).as_bytes(), WRAPPED).is_ok());
    assert_eq!(fault(wrapped(129).as_bytes(), WRAPPED), ("limit_exceeded", path));
    // For a field of the wrapper that is not a document, the wrapper counts.
    let other = format!(r#"{{"envelope":{},"x-note":{}}}"#, nested(128), nested(128));
    assert_eq!(fault(other.as_bytes(), WRAPPED).1, format!("/x-note{}", "/0".repeat(127)));
}

#[test]
fn paths_begin_inside_documents() {
    for (text, path) in [
        (r#"{"envelope":{"a":1,"a":2}}"#, "/a"),
        (r#"{"envelope":{},"envelope":{}}"#, "/envelope"),
        (r#"{"other":{"a":1,"a":2}}"#, "/other/a"),
    ] {
        assert_eq!(fault(text.as_bytes(), WRAPPED).1, path, "{text}");
    }
}

#[test]
fn size_is_limited() {
    let limits = ReadLimits { bytes: 4, ..ReadLimits::DOCUMENT };
    assert!(read(b"[12]", limits).is_ok());
    assert_eq!(fault(b"[123]", limits), ("limit_exceeded", String::new()));
}
