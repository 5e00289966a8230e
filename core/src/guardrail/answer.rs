//! The output contract of `apply_guardrails`, for answers from outside the engine (docs/reference/guardrails.md).
//!
//! Checks the shape and everything that involves no judgment. Each action is the one that its policy declares, or a request for
//! human review with a known reason. Actions are in the order of the policies, and those that end the run are marked. The
//! module alone decides which policies fire.

use alloc::{format, string::String};

use adjudicate_lang::{
    Error,
    document::{self, Distinct},
    json::{self, Kind, Node, ReadLimits},
};

use crate::{
    contract::{breach, decode, unanswerable},
    documents::{
        Guardrail, Selector,
        guardrail_answer::{Actions, GuardrailAction, PolicyTriggered},
    },
};

/// Checks a foreign answer to `apply_guardrails` against the input of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the field at fault in the answer.
///
/// ```
/// use adjudicate_core::{guardrail::check_actions, json};
/// let input = json::read(br#"{"policies": []}"#, json::ReadLimits::DOCUMENT)?;
/// let answer = br#"{"actions": [{"policyId": "p", "action": {"type": "goto"}, "terminal": false}], "payloads": []}"#;
/// let answer = json::read(answer, json::ReadLimits::DOCUMENT)?;
/// assert_eq!(check_actions(input.root(), answer.root()).unwrap_err().path(), "/actions/0/action/type");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_actions(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let list = input.member("policies").filter(|list| list.kind() == Kind::Array).ok_or_else(no_policies)?;
    let policies: Distinct<Guardrail<'_>> = document::read(list).map_err(unanswerable)?;
    let node = input.member("event").and_then(|event| event.member("node"));
    let node: Option<Selector<'_>> = node.map(document::read).transpose().map_err(unanswerable)?;
    let Actions { actions, payloads } = decode(answer)?;
    if actions.len() != payloads.len() {
        return Err(breach("/payloads", "expected one payload for each action"));
    }
    let mut policies = policies.iter();
    for (index, (action, payload)) in actions.iter().zip(&payloads).enumerate() {
        // The policies before it did not fire.
        let Some(policy) = policies.find(|policy| policy.id == action.policy_id) else {
            let message = format!("no policy `{}` comes here in the call", action.policy_id.0);
            return Err(breach(&format!("/actions/{index}/policyId"), message));
        };
        action.check(policy).map_err(|error| error.below(&format!("/actions/{index}")))?;
        payload
            .agree(action, policy, node.unwrap_or_default())
            .map_err(|error| error.below(&format!("/payloads/{index}")))?;
    }
    Ok(())
}

fn no_policies() -> Error {
    breach("", "the module answered an input that has no list `policies`; expected an error")
}

impl GuardrailAction<'_> {
    /// Checks that it is the policy's own action, or a request for human review with a reason.
    fn check(&self, policy: &Guardrail<'_>) -> Result<(), Error> {
        let is_its = match self.reason {
            Some(_) => self.action.asks(),
            None => policy.enabled && self.action.to_json() == policy.action.to_json(),
        };
        if is_its {
            return Ok(());
        }
        Err(breach("/action", "expected the action of the policy, or one that asks a human and has a reason"))
    }
}

impl PolicyTriggered<'_> {
    /// Checks that a payload has the policy, trigger and action of `deed`, and a diagnostic for the node of the event.
    fn agree(
        &self,
        deed: &GuardrailAction<'_>,
        policy: &Guardrail<'_>,
        node: Selector<'_>,
    ) -> Result<(), Error> {
        if self.policy_id != deed.policy_id {
            return Err(breach("/policyId", "expected the policy of the action at this index"));
        }
        if self.action.to_json() != deed.action.to_json() {
            return Err(breach("/action", "expected the action at this index"));
        }
        let mut trigger = String::new();
        policy.write_trigger(&mut trigger);
        let trigger = json::read(trigger.as_bytes(), ReadLimits::ANSWER)?;
        if json::canonical(self.trigger.0) != json::canonical(trigger.root()) {
            return Err(breach("/trigger", "expected the trigger of the policy"));
        }
        if self.diagnostic.is_advice(node.node(), node.capability()) {
            return Ok(());
        }
        let message =
            "expected an informational diagnostic of cause `advisory` that names the node of the event";
        Err(breach("/diagnostic", message))
    }
}
