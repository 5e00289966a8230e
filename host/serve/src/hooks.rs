//! Hooks of agents: an event in the form of its host, the decision of a slot, and the answer in the same form.

use std::{net::SocketAddr, sync::Arc};

use adjudicate_collect::hooks::HookForm;
use adjudicate_core::Operation;
use axum::{
    body::Bytes,
    http::{HeaderMap, StatusCode},
};
use tokio::time::timeout;

use crate::{
    calls::{Answer, CallTarget, Calls, RoutedRequest},
    codes,
    reply::{Refusal, Reply, RequestFields},
    routes::hook_form,
};

/// Returns the reply to a request that the server refuses. The hook of an agent gets a denial of the call: most agents let a call run if the
/// status is an error, and can make their own events unreadable. The headers, the log and the metrics still have the error.
pub(crate) fn refuse(path: &str, refusal: Refusal) -> Reply {
    let Some(form) = hook_form(path) else { return refusal.into_reply() };
    let denial = form.denial(refusal.message());
    let mut reply = refusal.into_reply();
    *reply.status_mut() = StatusCode::OK;
    *reply.body_mut() = denial.into();
    reply
}

/// Answers an event. Without a decision, the answer is a denial.
pub(crate) async fn answer(
    calls: &Arc<Calls>,
    routed: RoutedRequest,
    form: HookForm,
    from: SocketAddr,
) -> Result<Reply, Refusal> {
    if !from.ip().to_canonical().is_loopback() {
        let message =
            "the server answers hooks of its own machine only, because it follows the links in their paths";
        return Err(Refusal::new(codes::FORBIDDEN, message));
    }
    let RoutedRequest { head, body, path_parameter: slot, .. } = routed;
    let input = body.read(&head.headers, calls.limits.body, &calls.budget, &calls.limits).await?;
    let event = input.bytes.clone();
    let target = CallTarget::Slot(slot.as_str().into(), Operation::Evaluate);
    // The event, and the envelope that is made of it.
    let memory = target.memory(calls, event.len().saturating_mul(2));
    let deciding = Arc::clone(calls);
    let job = move || {
        let input = input;
        decide(&deciding, &target, form, &input.bytes)
    };
    let limit = calls.limits.hook;
    let answered = match timeout(limit, calls.limiter.run(memory, job)).await {
        Ok(Ok(answered)) => answered,
        Ok(Err(error)) => undecided(form, &event, error.into()),
        Err(_) => {
            let message = format!("the slot did not decide within {} ms; try again", limit.as_millis());
            undecided(form, &event, Refusal::new(codes::HOST_OVERLOADED, message))
        }
    };
    calls.freed_memory.note(event.len());
    Ok(answered.into_reply(event.len()))
}

/// Answers an event by the decision of a slot.
fn decide(calls: &Calls, target: &CallTarget, form: HookForm, event: &Bytes) -> Answer {
    let (mut headers, mut fields) = (HeaderMap::new(), RequestFields::default());
    let text = form.answer(event, |envelope| match target.answer(calls, envelope.as_bytes()) {
        Ok(answer) => {
            (headers, fields) = (answer.headers, answer.fields);
            Ok(answer.text)
        }
        Err(refusal) => {
            fields.code = Some(refusal.code());
            Err(refusal.message().to_owned())
        }
    });
    let text = text.unwrap_or_else(|error| {
        fields.code = Some(error.code().as_str());
        form.denial(&error.to_string())
    });
    Answer { text, headers, fields }
}

/// Answers an event for which the server has no room or no time.
fn undecided(form: HookForm, event: &Bytes, refusal: Refusal) -> Answer {
    let fields = RequestFields { code: Some(refusal.code()), ..RequestFields::default() };
    let text = form.undecided(event, refusal.message());
    let text = text.unwrap_or_else(|error| form.denial(&error.to_string()));
    Answer { text, headers: HeaderMap::new(), fields }
}
