//! Modules in a store that bring tests.

use adjudicate_host::{Terms, codes};
use adjudicate_sandbox::Digest;

use super::{
    guests::{ENVELOPE, with_tests},
    slots::bed,
};

/// A list of one test: of this input, which expects this.
fn test(input: &str, expect: &str) -> String {
    format!(r#"[{{"name":"one","input":{input},"expect":{expect}}}]"#)
}

#[test]
fn a_store_takes_no_module_whose_tests_do_not_pass() {
    let bed = bed();
    bed.slot(r#"{"limits": {"output_bytes": 10}}"#);
    let anywhere = Terms { unsigned: true, ..Terms::default() };
    let narrow = Terms { slot: Some("release".to_owned()), ..anywhere.clone() };
    let passing = with_tests(&test(ENVELOPE, r#"{"policy":null}"#)).build();
    let failing = with_tests(&test(ENVELOPE, r#"{"policy":{}}"#)).build();
    let malformed = with_tests("{}").build();
    for (module, terms) in [(&failing, &anywhere), (&malformed, &anywhere), (&passing, &narrow)] {
        assert_eq!(bed.slots.install(module, terms).unwrap_err().code(), codes::MODULE_TESTS);
        let kept = bed.slots.store().module(Digest::of(module));
        assert_eq!(kept.unwrap_err().code(), codes::UNKNOWN_MODULE);
    }
    assert_eq!(bed.slots.install(&passing, &anywhere).unwrap().tests, 1);
}
