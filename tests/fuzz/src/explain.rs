//! Any bytes as a policy, with envelopes of all kinds: the explained evaluation is the one that `evaluate` returns.
#![no_main]

use std::sync::LazyLock;

use adjudicate_core::{Operation, Policy, evaluate::evaluate_text, explain::explain_text};
use adjudicate_tests::Fixture;
use libfuzzer_sys::fuzz_target;

static ENVELOPES: LazyLock<[Vec<u8>; 3]> = LazyLock::new(|| {
    ["partial-fixable", "blocked-missing-artifact", "needs-human-repeat-partial"].map(|vector| {
        let fixture = Fixture::read(Operation::Evaluate, &format!("vector-{vector}-typed"));
        fixture.expect("the corpus can be read").call
    })
});

fuzz_target!(|document: &[u8]| {
    let Ok(policy) = Policy::parse(document) else { return };
    for envelope in ENVELOPES.iter() {
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
