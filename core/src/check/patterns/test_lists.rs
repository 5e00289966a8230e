//! The lists of a policy about tests that are gone: the sources of tests, and ids that come and go.

use alloc::format;

use adjudicate_lang::{Steps, json::Pointer, paths::alternatives};

use super::{
    super::{candidates::glob_example, finding::CheckFindings},
    Fault, Matched, fault, finding,
};
use crate::{
    documents::{check_code::CheckCode, check_finding::CheckFinding},
    policy::{Policy, SourceOfTests},
};

/// The common part of the patterns in `test_sources`, and a name for it.
const NAME: &str = "{name}";
const EXAMPLE: &str = "name";

/// Reports patterns that match no usual file or id, and tests that are their own sources.
pub(super) fn check(policy: &Policy, steps: &mut Steps, findings: &mut CheckFindings) {
    for (index, pair) in policy.test_sources().iter().enumerate() {
        let place = |field| Pointer::new("/test_sources").index(index).key(field).into_string();
        for (field, pattern) in [("test", &pair.test), ("source", &pair.source)] {
            let fault = if pattern.is_empty() {
                Some(Fault {
                    message: "ends in `/`, and no file does",
                    hint: "leave the `/` out",
                    meant: None,
                })
            } else {
                fault(pattern.text(), Matched::Paths, steps)
            };
            findings.extend(fault.map(|fault| finding(place(field), pattern.text(), &fault)));
        }
        if is_own_source(pair, steps) {
            let message = format!(
                "`{}` also matches tests that `{}` names, so each deleted test accounts for its own loss",
                pair.source.text(),
                pair.test.text()
            );
            findings.push(CheckFinding::new(CheckCode::ShadowedPattern, place("source"), message));
        }
    }
    for (index, pattern) in policy.unstable_ids().iter().enumerate() {
        let fault = fault(pattern.text(), Matched::Ids, steps);
        let place = Pointer::new("/unstable_ids").index(index).into_string();
        findings.extend(fault.map(|fault| finding(place, pattern.text(), &fault)));
    }
}

/// Returns true if a test is its own source, by the name that both patterns have in common.
fn is_own_source(pair: &SourceOfTests, steps: &mut Steps) -> bool {
    let test = pair.test.text().replace(NAME, EXAMPLE);
    let tests = alternatives(&test, steps).unwrap_or_default();
    tests.iter().any(|test| {
        let names = pair.source.names(&glob_example(test), steps);
        names.is_ok_and(|names| names.contains(EXAMPLE))
    })
}

#[cfg(test)]
mod tests {
    use alloc::{
        format,
        string::{String, ToString as _},
        vec::Vec,
    };

    use crate::Operation;

    #[test]
    fn advice_is_given_on_each_list_about_tests() {
        let places = |policy: &str| {
            let call = format!(r#"{{"policy": {{"policy": "a", "version": "1.0.0", {policy}}}}}"#);
            let answer = Operation::CheckPolicy.call(call.as_bytes()).unwrap();
            let codes = ["shadowed_pattern", "unmatchable_pattern"].into_iter();
            let place = |code: &str| {
                let finding = answer.split(&format!(r#""code":"{code}""#)).nth(1)?;
                Some(finding.split(r#""path":""#).nth(1)?.split('"').next()?.to_string())
            };
            codes.filter_map(place).collect::<Vec<String>>()
        };
        for (policy, expected) in [
            (r#""unstable_ids": ["a", " b"]"#, "/unstable_ids/1"),
            (r#""tests_may_go": ["old/**", "new/**", "old/**"]"#, "/tests_may_go/2"),
            (
                r#""test_sources": [{"test": "tests/{name}.py", "source": "{src,tests}/{name}.py"}]"#,
                "/test_sources/0/source",
            ),
            (
                r#""test_sources": [{"test": "{a,b}/{name}.py", "source": "b/{name}.py"}]"#,
                "/test_sources/0/source",
            ),
        ] {
            assert_eq!(places(policy), [expected], "{policy}");
        }
        for policy in [
            r#""unstable_ids": ["a[1]", "App\\B"], "tests_may_go": ["old/**", "old/a/**"]"#,
            r#""test_sources": [{"test": "tests/{name}_test.py", "source": "src/{name}.py"}]"#,
            // The name of the source `a.test` is another one than that of the test, `a`.
            r#""test_sources": [{"test": "src/{name}.test.ts", "source": "src/{name}.ts"}]"#,
        ] {
            assert_eq!(places(policy), [""; 0], "{policy}");
        }
    }
}
