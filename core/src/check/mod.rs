//! Static checks of a policy: what is wrong with it before any envelope comes (SPEC section 11).
//!
//! ```text
//! Policy -> parts of conditions (variables), patterns (routes), tests (trials) ------------> [CheckFinding]
//! Policy -> conditions -> ways in which they hold (search, domain, relations) -> (rules) ---^
//!                         \-> envelopes that show it (draft, pick, witness) ----------------^
//! ```
//!
//! The answer is `{"findings": [{code, severity, path, rule?, message, hint?, witness}]}`: `code` is one of
//! [`CheckCode`], `path` a JSON Pointer into the policy, `witness` is null or `{envelope, status, rules, error?}`
//! ([`Witness`]). Findings come in the order of their paths, segment by segment, then of the table of codes.
//!
//! No solver from elsewhere: a condition is taken apart into the ways in which it could hold, and each way is a set of
//! domains, one for each variable, which the documented relations between facts narrow. Where all ways are empty, it is
//! proven that the condition never holds; where one is not, nothing is said. So what is found is so, and much that is so
//! is not found.
//!
//! What a policy document is refused for when it is loaded (unknown operators, facts and parameters, types that cannot
//! fit whatever the evidence is) is an error here too, and no finding. Not here: output contracts and guardrails, which
//! are parts of plans and not of policies.

mod code;
mod contract;
mod domain;
mod draft;
mod env;
mod finding;
mod narrow;
mod overruled;
mod pick;
mod range;
mod relate;
mod relations;
mod routes;
mod rules;
mod search;
mod shape;
mod statuses;
mod text;
mod tree;
mod trials;
mod variables;
mod witness;

use alloc::{string::String, vec::Vec};

use serde::Serialize;

pub use code::{CheckCode, CheckSeverity};
pub use contract::check_findings;
pub use finding::{CheckFinding, Witness, WitnessError};
pub use tree::Tree;
pub use trials::{Difference, differences, run_test};

use crate::{
    json::{self, compare_pointers},
    order,
    policy::Policy,
};
use witness::Bench;

/// Checks a policy.
///
/// ```
/// use adjudicate_core::{Policy, check::check_policy};
/// let policy = Policy::parse(br#"{"policy": "p", "version": "1.0.0", "tests": [{"name": "stops",
///     "input": {}, "expect": {"decision": {"status": "blocked"}}}]}"#)?;
/// let findings = check_policy(&policy);
/// assert_eq!((findings[0].code.as_str(), &*findings[0].path), ("failing_test", "/tests/0/expect/decision"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn check_policy(policy: &Policy) -> Vec<CheckFinding> {
    let mut bench = Bench::new(policy);
    let mut findings = Vec::new();
    routes::check(policy, &mut bench, &mut findings);
    statuses::check(policy, &mut bench, &mut findings);
    variables::check(policy, &mut bench, &mut findings);
    rules::check(policy, &mut bench, &mut findings);
    trials::check(policy, &mut bench, &mut findings);
    order::sort_by(&mut findings, |left: &CheckFinding, right| {
        compare_pointers(&left.path, &right.path).then(left.code.cmp(&right.code))
    });
    findings
}

/// The answer of the operation: `{"findings": [...]}`.
pub(crate) fn answer(policy: &Policy) -> String {
    #[derive(Serialize)]
    struct Answer {
        findings: Vec<CheckFinding>,
    }
    json::write(&Answer { findings: check_policy(policy) })
}

/// An envelope in which the rule at that place of the policy fires: evaluating it has a finding of the rule, monitored or
/// not. `None` where none was found, which proves nothing.
///
/// ```
/// use adjudicate_core::{Policy, check::firing_witness};
/// let policy = Policy::parse(br#"{"policy": "p", "version": "1.0.0", "rules": [{"id": "large",
///     "when": {">": [{"var": "facts.diff.count"}, 2]}, "then": {"status": "blocked", "summary": "too large"}}]}"#)?;
/// let witness = firing_witness(&policy, 0).unwrap();
/// assert_eq!(witness.rules, ["large"]);
/// assert!(witness.envelope_text().contains(r#""files":[{"path":"src/file-0""#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn firing_witness(policy: &Policy, place: usize) -> Option<Witness> {
    let subject = rules::Subject::new(policy, place, policy.rules().get(place)?);
    subject.fired(&mut Bench::new(policy), &mut rules::share(policy), &|_| true)
}
