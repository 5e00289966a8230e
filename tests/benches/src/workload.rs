//! The measured workloads: two fixtures, in the form in which your program sends them.

use adjudicate_core::{Operation, Policy};
use adjudicate_tests::{Fixture, text::compact};

use crate::Failure;

/// A short and a long envelope, both with findings, and a policy for each.
const CHOSEN: [Choice; 2] = [
    Choice {
        name: "short",
        envelope: "vector-partial-fixable-typed",
        policy: "run-python-pipeline-third-partial",
    },
    Choice {
        name: "long",
        envelope: "run-rust-service-failing-integration",
        policy: "run-rust-service-failing-integration",
    },
];

/// The fixtures of a workload.
struct Choice {
    name: &'static str,
    envelope: &'static str,
    policy: &'static str,
}

/// A measured call.
pub(crate) struct Workload {
    /// `short` or `long`.
    pub(crate) name: &'static str,
    /// The envelope without insignificant white space, as programs write it.
    pub(crate) envelope: String,
    /// The policy, parsed once.
    pub(crate) policy: Policy,
    /// The document of the policy.
    pub(crate) document: String,
}

impl Workload {
    /// All workloads.
    pub(crate) fn all() -> Result<Vec<Self>, Failure> {
        CHOSEN.iter().map(Self::choose).collect()
    }

    /// The short one.
    pub(crate) fn short() -> Result<Self, Failure> {
        let [short, _] = &CHOSEN;
        Self::choose(short)
    }

    fn choose(choice: &Choice) -> Result<Self, Failure> {
        let documents = |name: &str| {
            let call = Fixture::read(Operation::Evaluate, name)?.call;
            Ok::<_, Failure>(take_apart(&compact(&String::from_utf8(call)?)))
        };
        let (envelope, _) = documents(choice.envelope)?;
        let (_, document) = documents(choice.policy)?;
        Ok(Self { name: choice.name, envelope, policy: Policy::parse(document.as_bytes())?, document })
    }

    /// Returns the answer of the engine.
    pub(crate) fn answer(&self) -> Result<String, Failure> {
        Ok(Operation::Evaluate.call(self.envelope.as_bytes())?)
    }
}

/// Returns the envelope and the policy of a call, as they are in its text. A call that has both has them in this order.
fn take_apart(call: &str) -> (String, String) {
    let both = call.strip_prefix(r#"{"envelope":"#).and_then(|rest| rest.strip_suffix('}'));
    match both.and_then(|both| both.split_once(r#","policy":{"#)) {
        Some((envelope, policy)) => (envelope.to_owned(), format!("{{{policy}")),
        None => (call.to_owned(), "null".to_owned()),
    }
}
