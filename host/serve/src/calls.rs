//! One call: of the engine that is built in, or of a slot.

use std::sync::Arc;

use adjudicate_core::{Error, Operation};
use adjudicate_host::Decided;
use adjudicate_sandbox::CallError;
use axum::http::HeaderValue;

use crate::{
    app::{App, Asked},
    body, memory,
    reply::{Refusal, Reply, Told, json},
};

/// A call of the engine that is built in.
pub(crate) async fn native(app: &Arc<App>, asked: Asked, operation: Operation) -> Result<Reply, Refusal> {
    let held = body::read(asked.body, &asked.head.headers, app.limits.body, &app.room, &app.limits).await?;
    let bytes = held.bytes.len() as u64;
    let answering = Arc::clone(app);
    let weight = memory::of_engine(held.bytes.len());
    let answer = app.lanes.run(weight, move || answering.answers.answer(operation, &held.bytes)).await;
    app.left_behind.note(bytes as usize);
    let answer = answer??;
    app.left_behind.note(answer.len());
    let mut reply = json(answer);
    reply.extensions_mut().insert(Told { bytes, ..Told::default() });
    Ok(reply)
}

/// A call of a slot.
pub(crate) async fn slot(app: &Arc<App>, asked: Asked, operation: Operation) -> Result<Reply, Refusal> {
    app.slots()?;
    let held = body::read(asked.body, &asked.head.headers, app.limits.body, &app.room, &app.limits).await?;
    let bytes = held.bytes.len() as u64;
    let (asking, name) = (Arc::clone(app), asked.place.clone());
    let weight = memory::of_slot(held.bytes.len(), app.slots()?.call_bytes(&name));
    let decided = app.lanes.run(weight, move || ask(&asking, &name, operation, &held.bytes)).await;
    app.left_behind.note(bytes as usize);
    let decided = decided?;
    let slot = Some(asked.place);
    let Decided { text, entry, by, modules, fault, .. } = decided.map_err(Refusal::from)?;
    let mut reply = json(text);
    let modules: Vec<_> = modules.iter().map(ToString::to_string).collect();
    let headers = reply.headers_mut();
    if let Ok(modules) = HeaderValue::from_str(&modules.join(", ")) {
        headers.insert("adjudicate-modules", modules);
    }
    let code = fault.map(|fault| fault.code().as_str());
    if let Some(code) = code {
        headers.insert("adjudicate-fault", HeaderValue::from_static(code));
    }
    let told = Told {
        code,
        slot,
        entry: Some(entry),
        by: Some(by.as_str()),
        bytes,
        ..Told::default()
    };
    reply.extensions_mut().insert(told);
    Ok(reply)
}

/// Asks a slot. On a lane: a slot that is asked for the first time is loaded first.
pub(crate) fn ask(app: &App, slot: &str, operation: Operation, input: &[u8]) -> Result<Decided, CallError> {
    let slots = app.slots().map_err(CallError::from)?;
    let slot = slots.slot(slot).map_err(|error: Error| CallError::from(error))?;
    slot.call(operation, input)
}
