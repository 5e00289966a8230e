//! No Cargo feature of a shared dependency changes the reading or writing of the engine.
//!
//! `serde_json` has features that change the order of keys and the text of numbers. Cargo turns a feature on for all
//! members of the workspace if one of them asks for it. These tests run per package and for the whole workspace, so
//! they find a difference before it shows in an answer.

use adjudicate_core::json::{self, ReadLimits};

/// Numbers at every border of the canonical form, and their canonical text.
const NUMBERS: &[(&str, &str)] = &[
    ("9007199254740993", "9007199254740993"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("18446744073709551615", "18446744073709551615"),
    ("18446744073709551616", "1.8446744073709552e+19"),
    ("1.0", "1.0"),
    ("-0.0", "-0.0"),
    ("0.00001", "0.00001"),
    ("0.000001", "1e-6"),
    ("9999999999999998.0", "9999999999999998.0"),
    ("1e16", "1e+16"),
    // A reader that does not round correctly is off by one unit in the last place.
    ("1.448997445238699", "1.448997445238699"),
    ("0.31415926535897932384626433832795028841971", "0.3141592653589793"),
    ("5e-324", "5e-324"),
];

#[test]
fn numbers_are_read_and_written_as_the_canonical_form_says() {
    for (text, canonical) in NUMBERS {
        assert_eq!(canonical_text(text), *canonical, "{text}");
    }
}

#[test]
fn keys_are_sorted_by_code_point_whatever_their_order_in_the_text() {
    let text = r#"{"b":1,"a":{"z":1,"y":2},"é":3,"B":4,"":5,"a\u0000":6}"#;
    assert_eq!(canonical_text(text), r#"{"":5,"B":4,"a":{"y":2,"z":1},"a\u0000":6,"b":1,"é":3}"#);
}

fn canonical_text(text: &str) -> String {
    let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).expect("the text is JSON");
    json::canonical(tape.root())
}
