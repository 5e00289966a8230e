//! One call of the built-in engine or of a slot.

use std::sync::Arc;

use adjudicate_core::{Error, Operation};
use adjudicate_host::{Decided, Slots};
use adjudicate_sandbox::CallError;
use axum::{
    body::Body,
    http::{HeaderValue, request::Parts},
};
use tokio::sync::Semaphore;

use crate::{
    answers::Answers,
    body::{self, Room},
    codes,
    lanes::Lanes,
    memory::{self, LeftBehind},
    reply::{Refusal, Reply, Told, json},
    routes::Route,
    settings::Limits,
};

/// A request that is routed and authorized.
pub(crate) struct Asked {
    pub(crate) route: &'static Route,
    pub(crate) head: Parts,
    pub(crate) body: Body,
    /// The parameter in the path, for example the name of a slot; empty if the path has none.
    pub(crate) place: String,
    pub(crate) token: Option<String>,
}

/// The state that all calls share.
pub(crate) struct Calls {
    pub(crate) answers: Box<dyn Answers>,
    slots: Option<Slots>,
    pub(crate) limits: Limits,
    pub(crate) lanes: Lanes,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) room: Room,
    /// The space for large answers that clients have not read yet.
    pub(crate) answers_room: Room,
    pub(crate) left_behind: Arc<LeftBehind>,
}

impl Calls {
    pub(crate) fn new(answers: Box<dyn Answers>, slots: Option<Slots>, limits: Limits) -> Self {
        let Limits { calls, queue, queue_wait, streams, bodies, memory, .. } = limits;
        Self {
            answers,
            slots,
            limits,
            lanes: Lanes::new(calls, memory, queue, queue_wait),
            streams: Arc::new(Semaphore::new(streams as usize)),
            room: Room::new(bodies),
            answers_room: Room::new(bodies),
            left_behind: Arc::default(),
        }
    }

    /// Returns the slots, or an error if the server has no store.
    pub(crate) fn slots(&self) -> Result<&Slots, Error> {
        self.slots.as_ref().ok_or_else(|| {
            Error::new(codes::NOT_FOUND, "the server has no store, and so no slots and modules")
        })
    }
}

/// Answers a call by the built-in engine.
pub(crate) async fn native(calls: &Arc<Calls>, asked: Asked, operation: Operation) -> Result<Reply, Refusal> {
    let held =
        body::read(asked.body, &asked.head.headers, calls.limits.body, &calls.room, &calls.limits).await?;
    let bytes = held.bytes.len() as u64;
    let answering = Arc::clone(calls);
    let weight = memory::of_engine(held.bytes.len());
    let answer = calls.lanes.run(weight, move || answering.answers.answer(operation, &held.bytes)).await;
    calls.left_behind.note(bytes as usize);
    let answer = answer??;
    calls.left_behind.note(answer.len());
    let mut reply = json(answer);
    reply.extensions_mut().insert(Told { bytes, ..Told::default() });
    Ok(reply)
}

/// Answers a call by a slot.
pub(crate) async fn slot(calls: &Arc<Calls>, asked: Asked, operation: Operation) -> Result<Reply, Refusal> {
    calls.slots()?;
    let held =
        body::read(asked.body, &asked.head.headers, calls.limits.body, &calls.room, &calls.limits).await?;
    let bytes = held.bytes.len() as u64;
    let (asking, name) = (Arc::clone(calls), asked.place.clone());
    let weight = memory::of_slot(held.bytes.len(), calls.slots()?.call_bytes(&name));
    let decided = calls.lanes.run(weight, move || ask(&asking, &name, operation, &held.bytes)).await;
    calls.left_behind.note(bytes as usize);
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
    let told = Told { code, slot, entry: Some(entry), by: Some(by.as_str()), bytes, ..Told::default() };
    reply.extensions_mut().insert(told);
    Ok(reply)
}

/// Calls a slot. Runs on a lane, because the first call of a slot loads it.
pub(crate) fn ask(
    calls: &Calls,
    slot: &str,
    operation: Operation,
    input: &[u8],
) -> Result<Decided, CallError> {
    let slots = calls.slots().map_err(CallError::from)?;
    let slot = slots.slot(slot).map_err(|error: Error| CallError::from(error))?;
    slot.call(operation, input)
}
