//! Tests of the translation from YAML to JSON, and of the place of each error.

use super::*;
use crate::codes;

#[test]
fn documents_keep_their_members_and_order() {
    for (yaml, json) in [
        ("a: 1\nb: [x, 'y', \"z\\n\"]\nc: {d: {}}\n", r#"{"a":1,"b":["x","y","z\n"],"c":{"d":{}}}"#),
        ("- 1\n- - 2\n  - 3\n-\n", "[1,[2,3],null]"),
        (
            "text: |\n  two\n  lines\nfold: >-\n  one\n  line\n",
            r#"{"text":"two\nlines\n","fold":"one line"}"#,
        ),
        ("--- # a comment\nscalar\n...\n", r#""scalar""#),
        ("\u{feff}a: é\n", r#"{"a":"é"}"#),
        ("%YAML 1.2\n---\n[]\n", "[]"),
        ("# %YAML 1.1\na: |\n  %YAML 1.1\n", r#"{"a":"%YAML 1.1\n"}"#),
        ("a: 'x\u{7f}'\nb: \"\u{9b}\"\nc: \u{85}\n", "{\"a\":\"x\u{7f}\",\"b\":\"\u{9b}\",\"c\":\"\u{85}\"}"),
        ("a: \"*.pem\"\nb: ['*']\n", r#"{"a":"*.pem","b":["*"]}"#),
        (
            r#"{"json": [true, null, 1.5e3, "\u00e9"], "is": "yaml"}"#,
            r#"{"json":[true,null,1.5e3,"é"],"is":"yaml"}"#,
        ),
        ("? key\n: value\n", r#"{"key":"value"}"#),
        ("'1': quoted\n\"true\": key\n", r#"{"1":"quoted","true":"key"}"#),
        ("a: \"\\u0000\\u0001\"\n", r#"{"a":"\u0000\u0001"}"#),
    ] {
        assert_eq!(to_json(yaml.as_bytes()).as_deref(), Ok(json), "{yaml}");
    }
}

#[test]
fn scalars_follow_the_core_schema() {
    for (yaml, json) in [
        ("12", "12"),
        ("-12", "-12"),
        ("+12", "12"),
        ("0", "0"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("0o17", "15"),
        ("0xfF", "255"),
        ("1.50", "1.50"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("5.", "5.0"),
        ("5.e-3", "5.0e-3"),
        ("1e3", "1e3"),
        ("+1.0E+5", "1.0E+5"),
        ("~", "null"),
        ("NULL", "null"),
        ("TRUE", "true"),
        ("False", "false"),
        ("yes", r#""yes""#),
        ("off", r#""off""#),
        ("nULL", r#""nULL""#),
        ("1.2.3", r#""1.2.3""#),
        ("1e", r#""1e""#),
        ("1e+-2", r#""1e+-2""#),
        ("1ee2", r#""1ee2""#),
        ("0b11", r#""0b11""#),
        ("-0x1", r#""-0x1""#),
        ("2001-01-01", r#""2001-01-01""#),
        ("12:30", r#""12:30""#),
        ("-", "[null]"),
        ("'12'", r#""12""#),
        ("!!str 12", r#""12""#),
        ("! 12", r#""12""#),
        ("!!int '12'", "12"),
        ("!!float 1", "1"),
        ("!!null ''", "null"),
        ("!!bool true", "true"),
        ("!!seq [1]", "[1]"),
        ("!!map {a: 1}", r#"{"a":1}"#),
    ] {
        assert_eq!(to_json(yaml.as_bytes()).as_deref(), Ok(json), "{yaml}");
    }
}

#[test]
fn aliases_are_copies() {
    let yaml = "base: &b {x: [1, 2]}\nsame: *b\nlist: [&s text, *s]\nagain: &b 3\nlast: *b\n";
    let json = r#"{"base":{"x":[1,2]},"same":{"x":[1,2]},"list":["text","text"],"again":3,"last":3}"#;
    assert_eq!(to_json(yaml.as_bytes()).as_deref(), Ok(json));
}

#[test]
fn yaml_without_an_exact_json_form_is_rejected_with_its_position() {
    let deep = "[".repeat(129) + &"]".repeat(129);
    for (yaml, code, path, words) in [
        ("", codes::MALFORMED_YAML, "", "no document"),
        ("# only a comment\n", codes::MALFORMED_YAML, "", "no document"),
        ("a: 1\na: 2\n", codes::DUPLICATE_KEY, "/a", "line 2 column 1"),
        ("x: [{a/b: 1, 'a/b': 2}]", codes::DUPLICATE_KEY, "/x/0/a~1b", "line 1 column 14"),
        ("a: 1\n--- \nb: 2\n", codes::MALFORMED_YAML, "", "second document"),
        ("1: x\n", codes::MALFORMED_YAML, "", "no string"),
        ("true: x\n", codes::MALFORMED_YAML, "", "no string"),
        ("~: x\n", codes::MALFORMED_YAML, "", "no string"),
        (": x\n", codes::MALFORMED_YAML, "", "no string"),
        ("[a]: x\n", codes::MALFORMED_YAML, "", "cannot be a key"),
        ("{a: 1}: x\n", codes::MALFORMED_YAML, "", "cannot be a key"),
        ("a: &k x\n*k : y\n", codes::MALFORMED_YAML, "", "alias cannot be a key"),
        ("a: &m {b: 1}\nc: {<<: *m}\n", codes::MALFORMED_YAML, "", "merge keys"),
        ("a: .nan\n", codes::MALFORMED_YAML, "", "no JSON form, line 1 column 4"),
        ("a: -.inf\n", codes::MALFORMED_YAML, "", "no JSON form"),
        ("a: 1e999\n", codes::MALFORMED_YAML, "", "out of range, line 1 column 4"),
        ("a: 012\n", codes::MALFORMED_YAML, "", "leading zero"),
        ("a: 00.5\n", codes::MALFORMED_YAML, "", "leading zero"),
        ("a: 0x10000000000000000\n", codes::MALFORMED_YAML, "", "64 bits"),
        ("a: !!int x\n", codes::MALFORMED_YAML, "", "not an integer"),
        ("a: !!binary aGk=\n", codes::MALFORMED_YAML, "", "core schema"),
        ("a: !mine 1\n", codes::MALFORMED_YAML, "", "core schema"),
        ("a: !!python/object 1\n", codes::MALFORMED_YAML, "", "core schema"),
        ("a: !!map [1]\n", codes::MALFORMED_YAML, "", "core schema"),
        ("a: &a [*a]\n", codes::MALFORMED_YAML, "", "inside of its own anchor"),
        ("a: *nothing\n", codes::MALFORMED_YAML, "", "line 1"),
        ("a: [1, 2\n", codes::MALFORMED_YAML, "", "line"),
        ("a: 'x\n", codes::MALFORMED_YAML, "", "line"),
        ("a: b: c\n", codes::MALFORMED_YAML, "", "line 1"),
        ("a:\n\tb: 1\n", codes::MALFORMED_YAML, "", "line 2"),
        ("a: \u{0}\n", codes::MALFORMED_YAML, "", "\\u{0} must be written as an escape, line 1 column 4"),
        (
            "é: x\nb: 'é\u{7}'\n",
            codes::MALFORMED_YAML,
            "",
            "\\u{7} must be written as an escape, line 2 column 6",
        ),
        ("# \u{1b}[2J\na: 1\n", codes::MALFORMED_YAML, "", "\\u{1b}"),
        ("a: x\u{7f}\n", codes::MALFORMED_YAML, "", "\\u{7f} must be in quotes, line 1 column 4"),
        ("a: |\n  x\u{9b}31m\n", codes::MALFORMED_YAML, "", "\\u{9b} must be in quotes"),
        ("a\u{ffff}: x\n", codes::MALFORMED_YAML, "", "\\u{ffff} must be in quotes"),
        (
            "&k a: p\nb: *k\n",
            codes::MALFORMED_YAML,
            "",
            "key `a` has an anchor, which only values may have, line 1",
        ),
        ("&k : p\n", codes::MALFORMED_YAML, "", ""),
        ("a: [*.pem]\n", codes::MALFORMED_YAML, "", "put it in quotes, as in `\"*.pem\"`, line 1"),
        ("a:\n- **/x\n", codes::MALFORMED_YAML, "", "put it in quotes"),
        ("a: [*]\n", codes::MALFORMED_YAML, "", "put it in quotes"),
        (
            "%YAML 1.1\n---\na: 1\n",
            codes::MALFORMED_YAML,
            "",
            "only YAML 1.2 is read, not `%YAML 1.1`, line 1",
        ),
        ("# x\n\n%YAML 2.0\n---\na: 1\n", codes::MALFORMED_YAML, "", "not `%YAML 2.0`, line 3"),
        ("%YAML\t1.1 # x\n--- a\n", codes::MALFORMED_YAML, "", "only YAML 1.2"),
        (&deep, codes::LIMIT_EXCEEDED, "", "nested"),
    ] {
        let error = to_json(yaml.as_bytes()).map_err(|error| (error.code(), error));
        let Err((got, error)) = error else { panic!("{yaml:?} passed") };
        assert_eq!(got, code, "{yaml:?}: {error}");
        assert!(error.message().contains(words), "{yaml:?}: {error}");
        assert!(code != codes::DUPLICATE_KEY || error.path() == path, "{yaml:?}: {error}");
    }
    for bytes in [&b"\xff"[..], b"a: \xc3\x28", b"\xfe\xff\0a"] {
        assert_eq!(to_json(bytes).unwrap_err().code(), codes::MALFORMED_YAML);
    }
}

#[test]
fn a_small_text_cannot_grow_into_a_huge_one() {
    let mut bomb = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..10 {
        let copies = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb += &format!("a{level}: &a{level} [{copies}]\n");
    }
    assert_eq!(to_json(bomb.as_bytes()).unwrap_err().code(), codes::LIMIT_EXCEEDED);
}

#[test]
fn depth_is_that_of_json() {
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(to_json(nested(128).as_bytes()), Ok(nested(128)));
    assert!(to_json(nested(129).as_bytes()).is_err());
}

/// The parser holds a whole list in brackets before it reports the first item.
#[test]
fn a_text_over_the_limit_is_not_parsed() {
    let list = |items: usize| format!("[{}a]", "a,".repeat(items));
    assert!(to_json(list(500_000).as_bytes()).is_ok());
    let error = to_json(list(600_000).as_bytes()).unwrap_err();
    assert!(error.code() == codes::LIMIT_EXCEEDED && error.message().contains("as JSON"), "{error}");
}

/// Repetitive text is parsed in a short time, with any result.
#[test]
fn monotonous_text_comes_to_an_end() {
    for unit in [
        "[", "{", "- ", "? ", "a: ", "&a ", "*a ", "!", "!!str ", "'", "\"", "|", "%", "\n", " ", "\t", "a",
        "-", "[a,", "{a: ", "# ", "--- ", "...", "]", "}", ":", ",", "\u{0}", "é",
    ] {
        let text = unit.repeat(20_000 / unit.len());
        let _ = to_json(text.as_bytes());
    }
}

/// Every mutation of a text that is translated is strict JSON for the core.
#[test]
fn every_translated_text_is_strict_json() {
    let seed = "a: &x [1, 'two', \"three\\n\", 4.5e6]\nb: {c: *x, d: |\n  text\n  }\n? e\n: !!str 7\n# end\n";
    let alphabet = [
        "", "[", "]", "{", "}", ":", ": ", "- ", "&x ", "*x", "'", "\"", "\\", "\n", "!!int ", "#", "0", "~",
        "<<",
    ];
    for at in 0..seed.len() {
        for piece in alphabet {
            let text = format!("{}{piece}{}", &seed[..at], &seed[at + 1..]);
            if let Ok(json) = to_json(text.as_bytes()) {
                let limits = adjudicate_core::json::ReadLimits::DOCUMENT;
                let read = adjudicate_core::json::read(json.as_bytes(), limits);
                assert!(read.is_ok(), "{text}\n{json}");
            }
        }
    }
}
