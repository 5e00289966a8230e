//! The judged inputs: the short envelope of the other numbers, and variants under which other rules hold.
//!
//! All engines get the same text. It has no null and no fraction, which Cedar's contexts do not accept.

use adjudicate_core::Operation;
use adjudicate_tests::Fixture;
use serde_json::{Value, json};

use crate::Failure;

/// An envelope, and the rules that hold for it.
pub(crate) struct Input {
    pub(crate) text: String,
    pub(crate) rules: Vec<&'static str>,
}

/// The fixture of the short envelope.
const ENVELOPE: &str = "vector-partial-fixable-typed";

/// A change to the envelope: a JSON Pointer, and the new value.
type Change = (&'static str, Value);

/// The first input is the timed one: two rules hold.
pub(crate) fn all() -> Result<Vec<Input>, Failure> {
    let envelope: Value = serde_json::from_slice(&Fixture::read(Operation::Evaluate, ENVELOPE)?.call)?;
    let input = |Variant { changes, rules }| {
        let mut changed = envelope.clone();
        for (pointer, value) in changes {
            *changed.pointer_mut(pointer).ok_or_else(|| format!("{pointer} is not there"))? = value;
        }
        Ok(Input { text: changed.to_string(), rules })
    };
    variants().into_iter().map(input).collect()
}

/// The changes, and the rules that hold after them.
struct Variant {
    changes: Vec<Change>,
    rules: Vec<&'static str>,
}

/// The variants. Each rule holds in one of them.
fn variants() -> Vec<Variant> {
    const EXIT: &str = "/evidence/validation/exit_codes/pytest";
    let variant = |changes, rules: &[&'static str]| Variant { changes, rules: rules.to_vec() };
    // In the unchanged envelope, the tests fail.
    let failing = |change: Change, rule| variant(vec![change], &[rule, "tests_fail", "low_pass_rate"]);
    let clean = |more: &[Change]| {
        let mut changes = vec![
            (EXIT, json!(0)),
            ("/evidence/harness_report/cases/1/status", json!("passed")),
            ("/evidence/harness_report/summary/passed", json!(2)),
            ("/evidence/harness_report/summary/failed", json!(0)),
        ];
        changes.extend_from_slice(more);
        changes
    };
    let flaky = [
        ("/evidence/harness_report/summary/flaky", json!(2)),
        ("/evidence/harness_report/summary/duration_ms", json!(90_000)),
    ];
    vec![
        variant(vec![], &["tests_fail", "low_pass_rate"]),
        variant(clean(&[]), &[]),
        failing(("/evidence/validation/mechanical_outcome", json!("killed_policy")), "killed_by_policy"),
        failing(("/evidence/policy_events", json!(["info:cloned", "network_violation"])), "forbidden_event"),
        variant(clean(&[(EXIT, json!(1))]), &["report_against_exit", "tests_fail"]),
        failing(("/evidence/claims", json!(["fixed", "tests_passed"])), "claim_against_exit"),
        failing(("/refinement/spent", json!(1)), "refinement_used_up"),
        variant(clean(&flaky), &["slow_and_flaky"]),
        variant(clean(&[("/evidence/artifacts", json!(["reports/summary.txt"]))]), &["report_missing"]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RULES;

    #[test]
    fn every_rule_holds_somewhere_and_not_everywhere() {
        let inputs = all().unwrap();
        for (rule, _) in RULES {
            let count = inputs.iter().filter(|input| input.rules.contains(&rule)).count();
            assert!((1..inputs.len()).contains(&count), "{rule} holds {count} times");
        }
    }
}
