//! The output contract of `apply_guardrails`: what its answer must be, whoever made it (SPEC section 8).
//!
//! Owns the shape, and that whoever answers speaks for the policies of the call, in their order, and marks what ends a run.
//! Which of them fire is the judgement of whoever answers.

use alloc::{format, string::String, vec::Vec};

use super::Action;
use crate::{
    contract::{breach, breach_of},
    error::Error,
    json::{
        self, Kind, Node,
        object::{Field, Form, optional, read_items, read_object, required},
    },
};

const ANSWER: &[Field] = &[required("actions", Form::List), required("payloads", Form::List)];

const ACTION: &[Field] = &[
    required("policyId", Form::Id),
    required("action", Form::Object),
    required("terminal", Form::Flag),
    optional("reason", Form::Id),
];

const PAYLOAD: &[Field] =
    &[required("policyId", Form::Id), required("trigger", Form::Object), required("action", Form::Object)];

/// Checks an answer to `apply_guardrails` that did not come from this engine, against the input of the call.
///
/// # Errors
///
/// [`ModuleInvalidDecision`](crate::ErrorCode::ModuleInvalidDecision) with the path of the member at fault in the answer.
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
    let (mut taken, mut told) = (Vec::new(), Vec::new());
    read_object(answer, ANSWER, &mut |at, list| match at {
        0 => read_items(list, &mut |item| {
            taken.push(read_action(item)?);
            Ok(())
        }),
        _ => read_items(list, &mut |item| {
            told.push(read_payload(item)?);
            Ok(())
        }),
    })
    .map_err(breach_of)?;
    if taken != told {
        return Err(breach("/payloads", "there is one payload for each action, in the same order"));
    }
    let mut policies = input.member("policies").into_iter().flat_map(Node::items);
    for (index, (id, _)) in taken.iter().enumerate() {
        // Those that are passed over did not fire.
        if !policies.any(|policy| policy.member("id").and_then(Node::as_str) == Some(id)) {
            let message = format!("no policy `{id}` comes here in the call");
            return Err(breach(&format!("/actions/{index}/policyId"), message));
        }
    }
    Ok(())
}

/// Whose action it is, and what is done, in canonical JSON.
type Deed<'t> = (&'t str, String);

fn read_action(item: Node<'_>) -> Result<Deed<'_>, Error> {
    let (mut deed, mut terminal, mut marked) = (("", String::new()), false, false);
    read_object(item, ACTION, &mut |at, member| {
        match at {
            0 => deed.0 = member.as_str().unwrap_or_default(),
            1 => {
                terminal = Action::read(member)?.is_terminal();
                deed.1 = json::canonical(member);
            }
            2 => marked = member.kind() == Kind::Bool(true),
            _ => {}
        }
        Ok(())
    })?;
    if terminal != marked {
        return Err(breach("/terminal", "an action is terminal if it pauses, asks, replans or fails"));
    }
    Ok(deed)
}

fn read_payload(item: Node<'_>) -> Result<Deed<'_>, Error> {
    let mut deed = ("", String::new());
    read_object(item, PAYLOAD, &mut |at, member| {
        match at {
            0 => deed.0 = member.as_str().unwrap_or_default(),
            2 => deed.1 = json::canonical(member),
            _ => {}
        }
        Ok(())
    })?;
    Ok(deed)
}
