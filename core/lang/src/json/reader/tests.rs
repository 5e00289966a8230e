use super::*;

const WRAPPED: Limits = Limits { documents: &["envelope", "policy"], bytes: MAX_DOCUMENT_BYTES };

fn fault(text: &[u8], limits: Limits) -> (&'static str, String) {
    let error = read(text, limits).unwrap_err();
    (error.code().as_str(), error.path().into())
}

#[test]
fn malformed_texts() {
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
        assert_eq!(fault(text, Limits::DOCUMENT), ("malformed_json", String::new()), "{shown}");
    }
}

#[test]
fn well_formed_texts() {
    for text in
        ["0", " null\r\n", "[]", "{}", "[[], {}, \"\\ud83d\\ude00\"]", "{\"\": {\"\": -0.5e-7}}", "1e308"]
    {
        assert!(read(text.as_bytes(), Limits::DOCUMENT).is_ok(), "{text}");
    }
}

#[test]
fn malformed_texts_are_located() {
    let error = read("{\n  \"ä\": nope}".as_bytes(), Limits::DOCUMENT).unwrap_err();
    assert_eq!(error.message(), "expected a value, line 2 column 8");
}

#[test]
fn repeated_keys_in_small_and_large_objects() {
    let many: String = (0..100).map(|n| format!("\"k{n}\":0,")).collect();
    for (text, path) in [
        (String::from(r#"{"a":1,"a":2}"#), "/a"),
        (String::from(r#"{"a":1,"\u0061":2}"#), "/a"),
        (String::from(r#"[0,{"x/y":{"b":1,"c":2,"b":3}}]"#), "/1/x~1y/b"),
        (format!(r#"{{{many}"k7":1}}"#), "/k7"),
        // The first in document order wins, also over malformed text that comes later.
        (String::from(r#"{"a":{"b":1,"b":1},"a":1,}"#), "/a/b"),
    ] {
        assert_eq!(fault(text.as_bytes(), Limits::DOCUMENT), ("duplicate_key", path.into()), "{text}");
    }
    assert!(read(format!("{{{many}\"last\":1}}").as_bytes(), Limits::DOCUMENT).is_ok());
    // Keys of one fingerprint are told apart.
    assert!(read(br#"{"abz":1,"acz":2,"adz":3}"#, Limits::DOCUMENT).is_ok());
}

#[test]
fn depth_is_counted_inside_documents() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(read(nested(128).as_bytes(), Limits::DOCUMENT).is_ok());
    let path = "/0".repeat(128);
    assert_eq!(fault(nested(129).as_bytes(), Limits::DOCUMENT), ("limit_exceeded", path.clone()));
    let wrapped = |depth| format!(r#"{{"envelope":{}}}"#, nested(depth));
    assert!(read(wrapped(128).as_bytes(), WRAPPED).is_ok());
    assert_eq!(fault(wrapped(129).as_bytes(), WRAPPED), ("limit_exceeded", path));
    // A member of the wrapper that is no document has the wrapper around it.
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
    let limits = Limits { bytes: 4, ..Limits::DOCUMENT };
    assert!(read(b"[12]", limits).is_ok());
    assert_eq!(fault(b"[123]", limits), ("limit_exceeded", String::new()));
}
