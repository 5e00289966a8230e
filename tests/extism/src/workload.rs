//! The measured calls: the two envelopes of the sandbox's other numbers, and the nine rules of the other engines.

use adjudicate_core::{Operation, reply};
use adjudicate_tests::{Fixture, text::compact};

use crate::Failure;

/// The policy with nine rules that `tests/peers` measures other engines with.
const NINE_RULES: &str = include_str!("../../peers/rules/policy.json");

/// A measured call.
pub(crate) struct Workload {
    /// `short`, `long` or `rules`.
    pub(crate) name: &'static str,
    /// The bytes of the call.
    pub(crate) call: String,
    /// The expected answer.
    pub(crate) answer: String,
    /// The answer in the frame of a reply, as the module interface and the plugin return it.
    pub(crate) reply: String,
}

impl Workload {
    /// The short one first.
    pub(crate) fn all() -> Result<[Self; 3], Failure> {
        let envelope = |name: &str| {
            let fixture = Fixture::read(Operation::Evaluate, name)?;
            Ok::<_, Failure>(without_policy(compact(str::from_utf8(&fixture.call)?)))
        };
        let short = envelope("vector-partial-fixable-typed")?;
        let long = envelope("run-rust-service-failing-integration")?;
        let policy = compact(NINE_RULES);
        let rules = format!(r#"{{"envelope":{short},"policy":{policy}}}"#);
        Ok([Self::new("short", short)?, Self::new("long", long)?, Self::new("rules", rules)?])
    }

    fn new(name: &'static str, call: String) -> Result<Self, Failure> {
        let answer = Operation::Evaluate.call(call.as_bytes())?;
        let reply = reply(Ok(answer.clone()));
        Ok(Self { name, call, answer, reply })
    }
}

/// The envelope of a call. If the call has a policy, it follows the envelope.
fn without_policy(call: String) -> String {
    let both = call.strip_prefix(r#"{"envelope":"#).and_then(|rest| rest.split_once(r#","policy":{"#));
    both.map(|(envelope, _)| envelope.to_owned()).unwrap_or(call)
}
