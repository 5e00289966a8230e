//! The output contract of `apply_guardrails`: what its answer must be, whoever made it (SPEC section 8).
//!
//! Owns the shape, and what is no judgement: that each action is the one its policy declares, or a person who is asked for one
//! of the known reasons, in the order of the policies, with what ends a run marked. Which policies fire is the judgement of
//! whoever answers.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Error, Steps,
    json::{
        self, Kind, Limits, Node,
        object::{Field, Form, optional, read_items, read_object, required},
    },
};

use super::{
    Action, Guardrail, Reason,
    document::{Selector, read_guardrails},
};
use crate::{
    contract::{breach, breach_of, unanswerable},
    diagnostic::Diagnostic,
};

const ANSWER: &[Field] = &[required("actions", Form::List), required("payloads", Form::List)];

const ACTION: &[Field] = &[
    required("policyId", Form::Id),
    required("action", Form::Object),
    required("terminal", Form::Flag),
    optional("reason", Form::Word(Reason::WORDS)),
];

const PAYLOAD: &[Field] = &[
    required("policyId", Form::Id),
    required("trigger", Form::Object),
    required("action", Form::Object),
    required("diagnostic", Form::Object),
];

/// Checks an answer to `apply_guardrails` that did not come from this engine, against the input of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the answer.
///
/// ```
/// use adjudicate_core::{guardrail::check_actions, json};
/// let input = json::read(br#"{"policies": []}"#, json::Limits::DOCUMENT)?;
/// let answer = br#"{"actions": [{"policyId": "p", "action": {"type": "goto"}, "terminal": false}], "payloads": []}"#;
/// let answer = json::read(answer, json::Limits::DOCUMENT)?;
/// assert_eq!(check_actions(input.root(), answer.root()).unwrap_err().path(), "/actions/0/action/type");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_actions(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let list = input.member("policies").filter(|list| list.kind() == Kind::Array).ok_or_else(no_policies)?;
    let policies = read_guardrails(list, &mut Steps::for_patterns()).map_err(unanswerable)?;
    let node = input.member("event").and_then(|event| event.member("node"));
    let node = node.map(Selector::read).transpose().map_err(unanswerable)?.unwrap_or_default();
    let (mut taken, mut told) = (Vec::new(), Vec::new());
    read_object(answer, ANSWER, &mut |at, list| {
        let deeds = if at == 0 { &mut taken } else { &mut told };
        read_items(list, &mut |item| {
            deeds.push(if at == 0 { read_action(item)? } else { read_payload(item)? });
            Ok(())
        })
    })
    .map_err(breach_of)?;
    if taken.len() != told.len() {
        return Err(breach("/payloads", "there is one payload for each action"));
    }
    let mut policies = policies.iter();
    for (index, (action, payload)) in taken.iter().zip(&told).enumerate() {
        // Those that are passed over did not fire.
        let Some(policy) = policies.find(|policy| policy.id == action.id) else {
            let message = format!("no policy `{}` comes here in the call", action.id);
            return Err(breach(&format!("/actions/{index}/policyId"), message));
        };
        action.check(policy).map_err(|error| error.under(&index.to_string()).under("actions"))?;
        payload
            .agree(action, policy, node)
            .map_err(|error| error.under(&index.to_string()).under("payloads"))?;
    }
    Ok(())
}

fn no_policies() -> Error {
    breach("", "the module answered an input without a list `policies`, to which there is no answer")
}

/// What is done for a policy, or told of it.
#[derive(Default)]
struct Deed<'t> {
    id: &'t str,
    /// As this engine prints it.
    action: String,
    asks: bool,
    reason: Option<&'t str>,
    trigger: Option<Node<'t>>,
    diagnostic: Option<Diagnostic<'t>>,
}

impl Deed<'_> {
    /// Checks that it is the policy's own action, or that a person is asked for a reason.
    fn check(&self, policy: &Guardrail<'_>) -> Result<(), Error> {
        let is_its = match self.reason {
            Some(_) => self.asks,
            None => policy.is_enabled && self.action == policy.action.to_json(),
        };
        if is_its {
            return Ok(());
        }
        Err(breach("/action", "neither what the policy does, nor a person who is asked for a reason"))
    }

    /// Checks that a payload has the policy, trigger and action of the deed, and advice that names the node of the event.
    fn agree(&self, deed: &Self, policy: &Guardrail<'_>, node: Selector<'_>) -> Result<(), Error> {
        if self.id != deed.id {
            return Err(breach("/policyId", "not the policy of the action in this place"));
        }
        if self.action != deed.action {
            return Err(breach("/action", "not the action in this place"));
        }
        let trigger = json::read(policy.trigger.json.as_bytes(), Limits::ANSWER)?;
        if self.trigger.map(json::canonical) != Some(json::canonical(trigger.root())) {
            return Err(breach("/trigger", "not the trigger of the policy"));
        }
        let is_advice = |shown: &Diagnostic<'_>| shown.is_advice(node.node, node.capability);
        if !self.diagnostic.as_ref().is_some_and(is_advice) {
            let message =
                "expected an informational diagnostic of cause `advisory` that names the node of the event";
            return Err(breach("/diagnostic", message));
        }
        Ok(())
    }
}

fn read_action(item: Node<'_>) -> Result<Deed<'_>, Error> {
    let mut deed = Deed::default();
    let (mut terminal, mut marked) = (false, false);
    read_object(item, ACTION, &mut |at, member| {
        match at {
            0 => deed.id = member.as_str().unwrap_or_default(),
            1 => {
                let action = Action::read(member)?;
                (terminal, deed.asks) = (action.is_terminal(), action.name() == "hitl");
                deed.action = action.to_json().into();
            }
            2 => marked = member.kind() == Kind::Bool(true),
            _ => deed.reason = member.as_str(),
        }
        Ok(())
    })?;
    if terminal != marked {
        return Err(breach("/terminal", "an action is terminal if it pauses, asks, replans or fails"));
    }
    Ok(deed)
}

fn read_payload(item: Node<'_>) -> Result<Deed<'_>, Error> {
    let mut deed = Deed::default();
    read_object(item, PAYLOAD, &mut |at, member| {
        match at {
            0 => deed.id = member.as_str().unwrap_or_default(),
            1 => deed.trigger = Some(member),
            3 => deed.diagnostic = Some(Diagnostic::read(member)?),
            _ => deed.action = Action::read(member)?.to_json().into(),
        }
        Ok(())
    })?;
    Ok(deed)
}
