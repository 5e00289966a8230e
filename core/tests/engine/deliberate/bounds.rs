//! Large ledgers: as many turns, queries, files and failures as a document holds, in time that grows as they do.

use std::fmt::Write as _;

use crate::deliberate::answer;

/// A ledger of so many turns, each written by `turn`.
fn ledger(turns: usize, turn: impl Fn(usize) -> String) -> String {
    let mut text = String::from(
        r#"{"goal":"g","constraints":["c"],"initial_evidence":["e"],"budgets":{"max_iterations":1000000},"turns":["#,
    );
    for n in 1..=turns {
        let separator = if n == 1 { "" } else { "," };
        let _ = write!(text, r#"{separator}{{"n":{n},"confidence":0.5,"uncertainty":1{}}}"#, turn(n));
    }
    text.push_str("]}");
    text
}

#[test]
fn a_hundred_thousand_turns_are_judged() {
    let plain = answer(ledger(100_000, |_| String::new()).as_bytes()).unwrap();
    let triggers = r#""triggers":["no_new_files","confidence_plateau"]"#;
    assert!(plain.starts_with(r#"{"gate":"switch""#) && plain.contains(triggers), "{plain}");
    // As many entries as a document holds: failures that all differ, and files that are all equal. So the search cannot
    // stop early.
    let unlike = ledger(95_000, |n| format!(r#","failure_signature":"{n}","files":["f"]"#));
    let unlike = answer(unlike.as_bytes()).unwrap();
    assert!(unlike.contains(triggers), "{unlike}");
    // Queries of one key and one source, which must all be compared, and one of another source in the last turn.
    let asked = ledger(100_000, |n| {
        let source = if n == 100_000 { "b" } else { "a" };
        format!(r#","queries":[{{"key":"k","source":"{source}"}}]"#)
    });
    let asked = answer(asked.as_bytes()).unwrap();
    assert!(asked.contains(r#""path":"/turns/99999/queries/0""#), "{asked}");
}

#[test]
fn a_report_of_many_evidence_ids_has_each_once() {
    let many = ledger(50_000, |n| format!(r#","evidence_ids":["e{}","e{n}"],"blocker":"b""#, n / 2 + 1));
    let many = many.replace(r#""max_iterations":1000000"#, r#""max_iterations":9"#);
    let answer = answer(many.as_bytes()).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let evidence = answer["stop_report"]["evidence_summary"].as_array().map(Vec::len);
    assert_eq!((evidence, answer["budgets_left"]["iterations"].as_u64()), (Some(50_000), Some(0)));
}

#[test]
fn numbers_at_the_ends_of_their_range_are_compared_exactly() {
    for (earlier, later, gate) in [
        ("1e-300", "8e-301", "continue"),
        ("1e-300", "8.000000000000002e-301", "switch"),
        ("5e-324", "5e-324", "switch"),
        ("1.7976931348623157e308", "1e308", "continue"),
        ("1.7976931348623157e308", "5e-324", "continue"),
        ("18446744073709551615", "14757395258967641292", "continue"),
        ("18446744073709551615", "14757395258967641293", "switch"),
        ("0", "5e-324", "switch"),
        ("0", "-0.0", "continue"),
    ] {
        let ledger = format!(
            r#"{{"goal":"g","constraints":["c"],"initial_evidence":["e"],"turns":[
                {{"n":1,"confidence":0.1,"uncertainty":1,"files":["a"]}},
                {{"n":2,"confidence":0.3,"uncertainty":{earlier},"files":["b"]}},
                {{"n":3,"confidence":0.5,"uncertainty":{later},"files":["c"]}}]}}"#
        );
        let found = answer(ledger.as_bytes()).unwrap();
        assert!(found.starts_with(&format!(r#"{{"gate":"{gate}""#)), "{earlier} {later}: {found}");
    }
}

#[test]
fn a_report_has_the_confidence_as_a_float() {
    for (written, expected) in [
        ("0.80", "0.8"),
        ("1", "1.0"),
        ("1.0", "1.0"),
        ("0", "0.0"),
        ("7e-1", "0.7"),
        ("1e-7", "1e-7"),
        ("-0.0", "0.0"),
    ] {
        let ledger = format!(
            r#"{{"turns":[{{"n":1,"confidence":{written},"uncertainty":1}}],"checks":{{"tests_available":false}}}}"#
        );
        let found = answer(ledger.as_bytes()).unwrap();
        assert!(found.contains(&format!(r#""confidence":{expected},"#)), "{written}: {found}");
    }
}
