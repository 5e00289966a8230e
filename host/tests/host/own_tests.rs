//! Modules with their own tests in a store.

use adjudicate_host::{InstallOptions, codes};
use adjudicate_sandbox::Digest;

use super::{
    guests::{ENVELOPE, with_tests},
    slots::bed,
};

/// A list of one test with this input and expectation.
fn test(input: &str, expect: &str) -> String {
    format!(r#"[{{"name":"one","input":{input},"expect":{expect}}}]"#)
}

#[test]
fn modules_with_failing_tests_are_not_installed() {
    let bed = bed();
    bed.slot(r#"{"limits": {"output_bytes": 10}}"#);
    let anywhere = InstallOptions { unsigned: true, ..InstallOptions::default() };
    let narrow = InstallOptions { slot: Some("release".to_owned()), ..anywhere.clone() };
    let passing = with_tests(&test(ENVELOPE, r#"{"policy":null}"#)).build();
    let failing = with_tests(&test(ENVELOPE, r#"{"policy":{}}"#)).build();
    let malformed = with_tests("{}").build();
    for (module, terms) in [(&failing, &anywhere), (&malformed, &anywhere), (&passing, &narrow)] {
        assert_eq!(bed.slots.install(module, terms).unwrap_err().code(), codes::MODULE_TESTS);
        let kept = bed.slots.store().module(Digest::sha256(module));
        assert_eq!(kept.unwrap_err().code(), codes::UNKNOWN_MODULE);
    }
    assert_eq!(bed.slots.install(&passing, &anywhere).unwrap().tests, 1);
}
