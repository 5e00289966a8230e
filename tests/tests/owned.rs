//! Owned documents: envelopes and answers of the corpus are read and written again.

use std::fmt::Display;

use adjudicate_core::{
    Error, Operation,
    json::{self, OwnedValue, ReadLimits},
    owned::{Envelope, Evaluation, Evidence, Revision},
};

use adjudicate_tests::parity::{expected, is_error, read_of};

/// Calls `evaluate` or `refine` with an envelope that was read and written. Returns an error if the envelope cannot be
/// read.
fn rewritten(operation: Operation, call: &[u8]) -> Option<Result<String, Error>> {
    let tape = operation.read(call).ok()?;
    let root = tape.root();
    let wrapped = root.member("envelope");
    let envelope = match Envelope::from_json(json::verbatim(wrapped.unwrap_or(root)).as_bytes()) {
        Ok(envelope) => envelope.to_json(),
        Err(error) => return Some(Err(error)),
    };
    if wrapped.is_none() {
        return Some(Ok(envelope));
    }
    let members = root.members().map(|(name, value)| match name {
        "envelope" => format!(r#""envelope":{envelope}"#),
        _ => format!("{}:{}", json::write(&name), json::verbatim(value)),
    });
    Some(Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(","))))
}

#[test]
fn an_envelope_that_is_read_and_written_again_gets_the_same_answer() {
    let (mut answered, mut refused) = (0, 0);
    for operation in [Operation::Evaluate, Operation::Refine] {
        for fixture in read_of(operation) {
            let (Some(call), answer) = (rewritten(operation, &fixture.call), expected(&fixture)) else {
                continue;
            };
            match call {
                Ok(call) => {
                    let again = operation.call(call.as_bytes()).unwrap_or_else(|error| error.to_json());
                    assert_eq!(again, answer, "{}", fixture.name);
                    answered += 1;
                }
                // The policy of the call, or its wrapper, may be invalid before the envelope is.
                Err(error) => {
                    assert!(is_error(answer), "{}", fixture.name);
                    refused += usize::from(error.to_json() == answer);
                }
            }
        }
    }
    assert!(answered > 300 && refused > 50, "{answered} answered, {refused} refused");
}

#[test]
fn an_answer_that_is_read_and_written_again_has_the_same_bytes() {
    let again = |operation, answer: &str| match operation {
        Operation::Refine => Revision::from_json(answer.as_bytes()).map(|read| read.to_json()),
        _ => Evaluation::from_json(answer.as_bytes()).map(|read| read.to_json()),
    };
    for operation in [Operation::Evaluate, Operation::Refine] {
        let answers = read_of(operation).into_iter().filter(|fixture| !is_error(expected(fixture)));
        for fixture in answers {
            let answer = expected(&fixture);
            assert_eq!(again(operation, answer).as_deref(), Ok(answer), "{}", fixture.name);
        }
    }
}

#[test]
fn every_format_of_serde_is_read_by_the_same_rules() {
    let text = r#"{"transcript_summary":"","workspace_diff_summary":"","validation":{"mechanical_outcome":"completed",
        "exit_codes":{"test":-1},"timeouts":[],"note":1.50},"artifacts":[],"policy_events":[],"x-coverage":{"lines":[0.5]}}"#;
    let direct = Evidence::from_json(text.as_bytes()).expect("evidence");
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(
        serde_json::from_value::<Evidence>(value.clone()).expect("evidence").to_json(),
        direct.to_json()
    );
    assert_eq!(serde_json::from_str::<Evidence>(text).expect("evidence").to_json(), direct.to_json());
    assert_eq!(direct.validation.extra.keys().collect::<Vec<_>>(), ["note"]);
    assert_eq!(json::write(&direct.extra["x-coverage"]), r#"{"lines":[0.5]}"#);

    let observed = |error: &dyn Display| error.to_string();
    let repeated = text.replacen("\"artifacts\":[]", "\"artifacts\":[],\"artifacts\":[]", 1);
    let misspelt = text.replacen("timeouts", "timeout", 1);
    for text in [&repeated, &misspelt] {
        let expected = Evidence::from_json(text.as_bytes()).map(drop).unwrap_err();
        let actual = serde_json::from_str::<Evidence>(text).map(drop).unwrap_err();
        assert_eq!(observed(&actual).split(" at ").next(), observed(&expected).split(" at ").next());
    }
}

/// Conditions read extensions of an envelope that a program built.
#[test]
fn policies_read_the_extensions_of_an_owned_envelope() {
    let policy = r#"{"policy":"p","version":"1.0.0","rules":[{"id":"uncovered",
        "when":{"<":[{"var":"input.x-coverage.lines"},0.8]},"then":{"status":"blocked","summary":"too few lines are covered"}}]}"#;
    let mut envelope = Envelope {
        evaluate_prompt: "p.v1".into(),
        evidence: Evidence { required_validators: Some(Vec::new()), ..Evidence::default() },
        ..Envelope::default()
    };
    let mut rules = |lines: Option<&str>| {
        envelope.extra.clear();
        let coverage = |lines: &str| OwnedValue::from_json(&format!(r#"{{"lines":{lines}}}"#));
        envelope.extra.extend(lines.map(|lines| ("x-coverage".into(), coverage(lines))));
        let call = format!(r#"{{"envelope":{},"policy":{policy}}}"#, envelope.to_json());
        let answer = Operation::Evaluate.call(call.as_bytes()).expect("an answer");
        let findings = Evaluation::from_json(answer.as_bytes()).expect("an evaluation").findings;
        findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    // Evidence without a value is an error.
    assert_eq!(rules(Some("0.9")), ["hard_failure"]);
    assert_eq!(rules(Some("0.7")), ["hard_failure", "uncovered"]);
    assert_eq!(rules(None), ["hard_failure", "unknown_evidence"]);
    assert!(json::read(envelope.to_json().as_bytes(), ReadLimits::DOCUMENT).is_ok());
}
