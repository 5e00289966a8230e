//! Static checks of a policy: what is wrong with it before any envelope comes (SPEC section 11).
//!
//! ```text
//! Policy -> parts of conditions (variables), patterns (routes), tests (trials) ------------> [CheckFinding]
//! Policy -> conditions -> ways in which they hold (search, domain, relations) -> (rules) ---^
//!                         \-> envelopes that show it (draft, pick, verifier) ---------------^
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
//! fit whatever the evidence is) is an error here too, and no finding. What is found in output contracts and guardrails, which
//! are parts of plans, is a [`PartFinding`]: `plan` looks for it, with what `outputs` says of conditions over outputs.

mod absence;
mod built_in;
mod candidates;
mod code;
mod compare;
mod constant;
mod contract;
mod domain;
mod draft;
mod env;
mod finding;
mod given;
mod misfit;
mod narrow;
pub(crate) mod outputs;
mod overruled;
mod part;
mod patterns;
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
mod topics;
mod trials;
mod variables;
mod verifier;
mod want;
mod world;

use alloc::{string::String, vec::Vec};

pub use code::{CheckCode, CheckSeverity};
pub use contract::check_findings;
pub use finding::{CheckFinding, Witness, WitnessError};
pub use part::PartFinding;
pub use trials::{Difference, Mismatch, NoDecision, differences};

use adjudicate_lang::{
    json::{self, compare_pointers},
    order,
};

use crate::{bounds::MAX_LISTED, policy::Policy};
use finding::Findings;
use verifier::Verifier;

/// Checks a policy.
///
/// ```
/// use adjudicate_core::{Policy, check::check_policy};
/// let policy = Policy::parse(br#"{"policy": "p", "version": "1.0.0", "tests": [{"name": "stops",
///     "input": {}, "expect": {"decision": {"status": "blocked"}}}]}"#)?;
/// let findings = check_policy(&policy);
/// assert_eq!((findings[0].code.as_str(), &*findings[0].path), ("failing_test", "/tests/0/input/run_id"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn check_policy(policy: &Policy) -> Vec<CheckFinding> {
    let mut verifier = Verifier::new(policy);
    let mut findings = Findings::default();
    routes::check(policy, &mut verifier, &mut findings);
    patterns::check(policy, &mut verifier, &mut findings);
    statuses::check(policy, &mut verifier, &mut findings);
    let explained = variables::check(policy, &mut verifier, &mut findings);
    rules::check(policy, &explained, &mut verifier, &mut findings);
    trials::check(policy, &mut verifier, &mut findings);
    findings.finish()
}

/// The answer of the operation: `{"findings": [...]}`, what is found in a policy and what is found in parts of plans, in one
/// order.
pub(crate) fn answer(policy: Option<&Policy>, parts: Vec<PartFinding>) -> String {
    let mut entries: Vec<(String, CheckCode, String)> = Vec::new();
    let mut left = 0;
    let mut severity = None;
    for finding in policy.map(check_policy).unwrap_or_default() {
        if let Some(count) = finding.count {
            (left, severity) = (count, Some(finding.severity));
            continue;
        }
        let text = json::write(&finding);
        entries.push((finding.path, finding.code, text));
    }
    for part in parts {
        let mut text = String::new();
        part.write(&mut text);
        entries.push((part.path, part.code, text));
    }
    order::sort_by(&mut entries, |(left, one, _), (right, other, _)| {
        compare_pointers(left, right).then(one.cmp(other))
    });
    let beyond = entries.get(MAX_LISTED..).unwrap_or_default();
    severity = beyond.iter().map(|(_, code, _)| code.severity()).chain(severity).min();
    left += beyond.len() as u64;
    entries.truncate(MAX_LISTED);
    if let Some(severity) = severity {
        let omitted = CheckFinding::omitted(left, severity);
        entries.push((String::new(), omitted.code, json::write(&omitted)));
    }
    let mut out = String::from("{\"findings\":");
    json::object::write_list(&entries, &mut out, |(_, _, text), out| out.push_str(text));
    out.push('}');
    out
}
