//! Any bytes as a policy, with envelopes of all kinds: the explained evaluation is the one that `evaluate` returns.
#![no_main]

use adjudicate_core::{Operation, Policy, evaluate::evaluate_text, explain::explain_text};
use libfuzzer_sys::fuzz_target;

const ENVELOPES: [&[u8]; 3] = [
    include_bytes!("../../../fixtures/evaluate/vector-partial-fixable-typed.json"),
    include_bytes!("../../../fixtures/evaluate/vector-blocked-missing-artifact-typed.json"),
    include_bytes!("../../../fixtures/evaluate/vector-needs-human-repeat-partial-typed.json"),
];

fuzz_target!(|document: &[u8]| {
    let Ok(policy) = Policy::parse(document) else { return };
    for envelope in ENVELOPES {
        let evaluated = evaluate_text(envelope, Some(&policy));
        for with_trace in [false, true] {
            match (&evaluated, explain_text(envelope, Some(&policy), with_trace)) {
                (Ok(evaluation), Ok(explanation)) => {
                    assert!(explanation.starts_with(&format!(r#"{{"evaluation":{evaluation},"#)));
                }
                (Err(expected), Err(error)) => assert_eq!(error, *expected),
                (evaluated, explained) => panic!("{evaluated:?} is explained by {explained:?}"),
            }
        }
        assert_eq!(
            Operation::Explain.call_with(envelope, Some(&policy)),
            explain_text(envelope, Some(&policy), false)
        );
    }
});
