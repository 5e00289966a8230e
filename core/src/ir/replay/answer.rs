//! The output contract of `verify_replay`: what its answer must be, whoever made it (SPEC section 9).
//!
//! Nothing is judged there: whether a replay is that of its plan is a fact, and so are the codes and places of findings. Only the
//! words of their messages are free.

use alloc::{format, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        Kind, Node,
        object::{Field, Form, count, optional, read_items, read_object, required},
    },
};

use super::{ReplayCode, call::verify};
use crate::{
    contract::{breach, breach_of, unanswerable},
    ir::HashMode,
};

const ANSWER: &[Field] = &[
    required("linked", Form::Flag),
    required("findings", Form::List),
    required("plan_hash", Form::Text),
    required("hash_mode", Form::Any),
    required("verification_delta", Form::Any),
];

const FINDING: &[Field] = &[
    required("code", Form::Word(ReplayCode::WORDS)),
    required("path", Form::Text),
    optional("line", Form::Count),
    required("message", Form::Text),
];

/// Checks an answer to `verify_replay` that did not come from this engine, against the input of the call.
///
/// # Errors
///
/// [`module_invalid_decision`](crate::codes::MODULE_INVALID_DECISION) with the path of the member at fault in the answer.
///
/// ```
/// use adjudicate_core::{ir::replay::{check_replay, verify_replay_text}, json::{self, Limits}};
/// let call = br#"{"events": [], "plan": {
///   "analysis": "", "steps": [], "complexity": "low", "confidence": 0.5,
///   "verification_strategy": {"commands": [], "success_criteria": "", "max_retries": 0}
/// }}"#;
/// let call = json::read(call, Limits::DOCUMENT)?;
/// let answer = verify_replay_text(call.root())?;
/// let check = |answer: &str| {
///     let answer = json::read(answer.as_bytes(), Limits::DOCUMENT)?;
///     check_replay(call.root(), answer.root())
/// };
/// assert!(check(&answer).is_ok());
/// assert_eq!(check(&answer.replace("false", "true")).unwrap_err().path(), "/linked");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn check_replay(input: Node<'_>, answer: Node<'_>) -> Result<(), Error> {
    let report = verify(input).map_err(unanswerable)?;
    let mut stated = Vec::new();
    read_object(answer, ANSWER, &mut |at, member| {
        let is_right = match at {
            0 => member.kind() == Kind::Bool(report.is_linked()),
            1 => {
                return read_items(member, &mut |item| {
                    stated.push(read_finding(item)?);
                    Ok(())
                });
            }
            2 => member.as_str() == Some(report.plan_hash()),
            3 => match report.hash_mode() {
                Some(mode) => member.as_str() == Some(HashMode::as_str(mode)),
                None => member.kind() == Kind::Null,
            },
            _ => match report.verification_delta() {
                Some(_) => member.as_number() == Some(report.delta_json().as_str()),
                None => member.kind() == Kind::Null,
            },
        };
        if is_right { Ok(()) } else { Err(breach("", "that is not so of the call's plan and replay")) }
    })
    .map_err(breach_of)?;
    for (at, found) in report.findings().iter().enumerate() {
        if stated.get(at) != Some(&(found.code().as_str(), found.path(), found.line())) {
            let message = format!("the finding here is `{}` at `{}`", found.code().as_str(), found.path());
            return Err(breach(&format!("/findings/{at}"), message));
        }
    }
    if stated.len() > report.findings().len() {
        let path = format!("/findings/{}", report.findings().len());
        return Err(breach(&path, "there is no such finding in the call"));
    }
    Ok(())
}

/// What is no matter of words in a finding.
fn read_finding(item: Node<'_>) -> Result<(&str, &str, Option<u64>), Error> {
    let (mut code, mut path, mut line) = ("", "", None);
    read_object(item, FINDING, &mut |at, member| {
        match at {
            0 => code = member.as_str().unwrap_or_default(),
            1 => path = member.as_str().unwrap_or_default(),
            2 => line = count(member),
            _ => {}
        }
        Ok(())
    })?;
    Ok((code, path, line))
}
