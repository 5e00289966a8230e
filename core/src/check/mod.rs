//! Static checks of a policy: finds problems without any envelope (docs/reference/policies.md).
//!
//! ```text
//! Policy -> parts of conditions (variables), patterns (routes), tests (policy_tests) ------------> [CheckFinding]
//! Policy -> conditions -> branches that could hold (search, domain, relations) -> (rules) --^
//!                         \-> witnesses (envelope_model, model_values, verifier) ----------------------------^
//! ```
//!
//! The answer is `{"findings": [{code, severity, path, rule?, message, hint?, witness}]}`. `code` is one of [`CheckCode`], `path`
//! a JSON Pointer into the policy, and `witness` is null or `{envelope, status, rules, error?}` ([`Witness`]). Findings are
//! sorted by path, segment by segment, then by code.
//!
//! The solver is built in. A condition is split into branches, and each branch is a set of domains, one for each variable, which
//! the documented relations between facts narrow. If all branches are empty, the condition provably never holds; otherwise
//! nothing is claimed. So every finding is true, and many problems are not found.
//!
//! An invalid policy document (unknown operators, facts and parameters, types that never fit) is an error here too, and no
//! finding. Findings about output contracts and guardrails, which are parts of plans, come from `plan`, which searches for
//! them with the domains of `outputs`.

mod abstract_state;
mod aliases;
mod built_in;
mod candidates;
mod compare;
mod constant;
mod contract;
mod domain;
mod envelope_model;
pub(crate) mod expected_truth;
mod finding;
mod inputs;
mod missing;
mod model_values;
mod narrow;
mod needs;
pub(crate) mod orders;
pub(crate) mod outputs;
mod overruled;
mod patterns;
mod policy_tests;
pub(crate) mod range;
mod relate;
mod relations;
mod routes;
mod rules;
mod scope;
mod search;
mod shape;
mod statuses;
mod subject;
mod text;
mod topics;
mod type_errors;
mod variables;
mod verifier;

use alloc::vec::Vec;

pub use crate::documents::{
    check_code::{CheckCode, CheckSeverity},
    check_finding::{CheckFinding, CheckWitness, OutputWitness, Witness, WitnessError},
    need::{EvidenceKind, EvidenceNeed, NeedPlace},
};
pub use contract::check_findings;
pub use needs::Needs;
pub use policy_tests::{Difference, Mismatch, NoDecision, differences};

use crate::policy::Policy;
use finding::CheckFindings;
use inputs::{Checked, InputValues};
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
    findings(Some(policy), Vec::new())
}

/// The findings about a policy and about parts of plans, in one order.
pub(crate) fn findings(policy: Option<&Policy>, parts: Vec<CheckFinding>) -> Vec<CheckFinding> {
    let mut findings = CheckFindings::default();
    if let Some(policy) = policy {
        let inputs = InputValues::new(policy);
        let checked = Checked { policy, inputs: inputs.as_ref() };
        let mut verifier = Verifier::new(checked);
        routes::check(policy, &mut verifier, &mut findings);
        patterns::check(checked, &mut verifier, &mut findings);
        statuses::check(checked, &mut verifier, &mut findings);
        let explained = variables::check(checked, &mut verifier, &mut findings);
        rules::check(checked, &explained, &mut verifier, &mut findings);
        policy_tests::check(policy, &mut verifier, &mut findings);
    }
    findings.extend(parts);
    findings.finish()
}
