//! From reports to a decision: the types of the envelope take the readings as they are.

use adjudicate_core::{
    Operation,
    evaluate::{Outcome, Status},
    owned::{Envelope, Evaluation, Evidence, HarnessReport, Review, Uncollected, Validation},
};
use adjudicate_evidence::{Format, Reading, read};

use super::corpus::Report;

/// The envelope of a step whose validator `unit` ended with `exit_code`.
fn envelope(exit_code: i64) -> Envelope {
    Envelope {
        evaluate_prompt: "judge.v1".into(),
        allowed_next_steps: vec!["merge".into(), "fix".into(), "human_gate".into()],
        evidence: Evidence {
            workspace_diff_summary: " M src/cart.rs\n".into(),
            validation: Validation {
                mechanical_outcome: Outcome::Completed,
                exit_codes: [("unit".into(), exit_code)].into(),
                ..Validation::default()
            },
            artifacts: vec!["unit.log".into(), "lint.sarif".into()],
            ..Evidence::default()
        },
        ..Envelope::default()
    }
}

/// Puts a reading into an envelope.
fn add(envelope: &mut Envelope, reading: Reading) {
    let evidence = &mut envelope.evidence;
    if let Some(reason) = reading.incomplete() {
        let item = Uncollected { what: "unit".into(), reason: reason.into(), extra: Default::default() };
        evidence.uncollected.get_or_insert_default().push(item);
    }
    match reading {
        Reading::Tests(report) => {
            let cases = report.into_harness_cases("unit", Some("cargo test"));
            evidence.harness_report =
                Some(Some(HarnessReport { cases: Some(cases), ..HarnessReport::default() }));
        }
        Reading::Review(report) => {
            let issues = report.into_issues();
            evidence.review = Some(Review {
                artifact_ref: "lint.sarif".into(),
                issues,
                tree: None,
                extra: Default::default(),
            });
        }
        Reading::Coverage(coverage) => drop(evidence.extra.insert("x-coverage".into(), coverage.to_value())),
    }
}

fn status(envelope: &Envelope) -> Status {
    let answer = Operation::Evaluate.call(envelope.to_json().as_bytes()).expect("the envelope is valid");
    Evaluation::from_json(answer.as_bytes()).expect("the answer is an evaluation").decision.status
}

#[test]
fn reports_lead_to_decisions() {
    for (format, exit_code, text, expected) in [
        (Format::Tap, 0, "1..1\nok 1 - adds\n", Status::Success),
        (Format::Tap, 1, "1..2\nok 1 - adds\nnot ok 2 - pays\n", Status::Partial),
        (Format::Tap, 0, "1..2\nok 1 - adds\n", Status::NeedsHuman),
        (Format::Lcov, 0, "SF:a.c\nDA:1,1\nend_of_record\n", Status::Success),
    ] {
        let mut envelope = envelope(exit_code);
        add(&mut envelope, read(format, text.as_bytes()).expect("it is a report"));
        assert_eq!(status(&envelope), expected, "{text}");
    }
}

#[test]
fn every_reading_of_the_corpus_makes_a_valid_envelope() {
    for report in Report::all() {
        let Ok(reading) = read(report.format, &report.text) else { continue };
        let is_complete = reading.incomplete().is_none();
        let mut envelope = envelope(0);
        add(&mut envelope, reading);
        assert!(is_complete || status(&envelope) != Status::Success, "{}", report.name);
    }
}
