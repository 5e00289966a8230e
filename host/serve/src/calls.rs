//! One call of the built-in engine or of a slot.

use std::sync::Arc;

use adjudicate_core::{Error, Operation};
use adjudicate_host::{Decided, Slots};
use adjudicate_sandbox::CallError;
use axum::http::{HeaderValue, request::Parts};
use tokio::sync::Semaphore;

use crate::{
    body::{ByteBudget, IncomingBody},
    codes,
    handler::CallHandler,
    limiter::ConcurrencyLimiter,
    memory::{self, FreedMemory},
    reply::{Refusal, Reply, RequestFields, json},
    routes::Route,
    settings::Limits,
};

/// A request that is routed and authorized.
pub(crate) struct RoutedRequest {
    pub(crate) route: &'static Route,
    pub(crate) head: Parts,
    pub(crate) body: IncomingBody,
    /// The parameter in the path, for example the name of a slot; empty if the path has none.
    pub(crate) path_parameter: String,
    pub(crate) token: Option<String>,
}

/// The state that all calls share.
pub(crate) struct Calls {
    pub(crate) handler: Box<dyn CallHandler>,
    slots: Option<Slots>,
    pub(crate) limits: Limits,
    pub(crate) limiter: ConcurrencyLimiter,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) budget: ByteBudget,
    /// The space for large answers that clients have not read yet.
    pub(crate) answer_budget: ByteBudget,
    pub(crate) freed_memory: Arc<FreedMemory>,
}

impl Calls {
    pub(crate) fn new(handler: Box<dyn CallHandler>, slots: Option<Slots>, limits: Limits) -> Self {
        let Limits { calls, queue, queue_wait, streams, body, bodies, memory, .. } = limits;
        Self {
            handler,
            slots,
            limits,
            limiter: ConcurrencyLimiter::new(calls, memory, queue, queue_wait),
            streams: Arc::new(Semaphore::new(streams as usize)),
            budget: ByteBudget::new(bodies, body),
            // Without a reserve: an answer is not chosen by its size.
            answer_budget: ByteBudget::new(bodies, bodies),
            freed_memory: Arc::default(),
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
pub(crate) async fn native(
    calls: &Arc<Calls>,
    routed: RoutedRequest,
    operation: Operation,
) -> Result<Reply, Refusal> {
    let buffered =
        routed.body.read(&routed.head.headers, calls.limits.body, &calls.budget, &calls.limits).await?;
    let bytes = buffered.bytes.len() as u64;
    let answering = Arc::clone(calls);
    let weight = memory::of_engine(buffered.bytes.len());
    let answer =
        calls.limiter.run(weight, move || answering.handler.answer(operation, &buffered.bytes)).await;
    calls.freed_memory.note(bytes as usize);
    let answer = answer??;
    calls.freed_memory.note(answer.len());
    let mut reply = json(answer);
    reply.extensions_mut().insert(RequestFields { bytes, ..RequestFields::default() });
    Ok(reply)
}

/// Answers a call by a slot.
pub(crate) async fn slot(
    calls: &Arc<Calls>,
    routed: RoutedRequest,
    operation: Operation,
) -> Result<Reply, Refusal> {
    calls.slots()?;
    let buffered =
        routed.body.read(&routed.head.headers, calls.limits.body, &calls.budget, &calls.limits).await?;
    let bytes = buffered.bytes.len() as u64;
    let (asking, name) = (Arc::clone(calls), routed.path_parameter.clone());
    let weight = memory::of_slot(buffered.bytes.len(), calls.slots()?.call_bytes(&name));
    let decided =
        calls.limiter.run(weight, move || call_slot(&asking, &name, operation, &buffered.bytes)).await;
    calls.freed_memory.note(bytes as usize);
    let decided = decided?;
    let slot = Some(routed.path_parameter);
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
    let fields = RequestFields {
        code,
        slot,
        entry: Some(entry),
        by: Some(by.as_str()),
        bytes,
        ..RequestFields::default()
    };
    reply.extensions_mut().insert(fields);
    Ok(reply)
}

/// Calls a slot. Runs on a lane, because the first call of a slot loads it.
pub(crate) fn call_slot(
    calls: &Calls,
    slot: &str,
    operation: Operation,
    input: &[u8],
) -> Result<Decided, CallError> {
    let slots = calls.slots().map_err(CallError::from)?;
    let slot = slots.slot(slot).map_err(|error: Error| CallError::from(error))?;
    slot.call(operation, input)
}
