//! One call of the built-in engine or of a slot.

use std::{collections::BTreeMap, sync::Arc};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{SlotAnswer, Slots};
use axum::http::{HeaderMap, HeaderValue, request::Parts};
use tokio::sync::Semaphore;

use crate::{
    body::{BufferedBody, ByteBudget, IncomingBody},
    codes,
    handler::CallHandler,
    limiter::{ConcurrencyLimiter, FreedMemory, memory_of_engine, memory_of_slot},
    reply::{Refusal, Reply, RequestFields, json},
    routes::{HttpRoute, RouteAction},
    settings::RequestLimits,
};

/// A request that is routed and authorized.
pub(crate) struct RoutedRequest {
    pub(crate) route: &'static HttpRoute,
    pub(crate) head: Parts,
    pub(crate) body: IncomingBody,
    /// The parameter in the path, for example the name of a slot; empty if the path has none.
    pub(crate) path_parameter: String,
    pub(crate) query: BTreeMap<&'static str, String>,
    pub(crate) token: Option<String>,
}

/// The state that all calls share.
pub(crate) struct Calls {
    pub(crate) handler: Box<dyn CallHandler>,
    slots: Option<Slots>,
    pub(crate) limits: RequestLimits,
    pub(crate) limiter: ConcurrencyLimiter,
    pub(crate) streams: Arc<Semaphore>,
    pub(crate) budget: ByteBudget,
    /// The space for large answers that clients have not read yet.
    pub(crate) answer_budget: ByteBudget,
    pub(crate) freed_memory: Arc<FreedMemory>,
}

impl Calls {
    pub(crate) fn new(handler: Box<dyn CallHandler>, slots: Option<Slots>, limits: RequestLimits) -> Self {
        let RequestLimits { calls, queue, queue_wait, streams, body, bodies, memory, .. } = limits;
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

/// The receiver of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallTarget {
    /// The built-in engine.
    Native(Operation),
    /// A slot.
    Slot(Arc<str>, Operation),
}

/// The answer to a call. Answers of slots have headers and fields about the decision.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) headers: HeaderMap,
    pub(crate) fields: RequestFields,
}

impl Answer {
    /// Returns the reply to a request with a body of this length.
    pub(crate) fn into_reply(self, length: usize) -> Reply {
        let mut reply = json(self.text);
        reply.headers_mut().extend(self.headers);
        reply.extensions_mut().insert(RequestFields { bytes: length as u64, ..self.fields });
        reply
    }
}

impl CallTarget {
    /// Returns the target of a request; `None` for a request that is no call.
    pub(crate) fn new(route: &HttpRoute, path_parameter: &str) -> Option<Self> {
        match route.action {
            RouteAction::Call(operation) => Some(Self::Native(operation)),
            RouteAction::CallSlot(operation) => Some(Self::Slot(path_parameter.into(), operation)),
            _ => None,
        }
    }

    /// Returns the bytes that a call with an input of this length may use.
    pub(crate) fn memory(&self, calls: &Calls, input: usize) -> usize {
        match self {
            Self::Native(_) => memory_of_engine(input),
            Self::Slot(name, _) => {
                memory_of_slot(input, calls.slots().ok().and_then(|slots| slots.call_bytes(name)))
            }
        }
    }

    /// Answers a call. Runs on a thread of the limiter, because the first call of a slot loads it.
    pub(crate) fn answer(&self, calls: &Calls, input: &[u8]) -> Result<Answer, Refusal> {
        let (name, operation) = match self {
            Self::Native(operation) => {
                let text = calls.handler.answer(*operation, input)?;
                return Ok(Answer { text, headers: HeaderMap::new(), fields: RequestFields::default() });
            }
            Self::Slot(name, operation) => (name, *operation),
        };
        let SlotAnswer { text, entry, by, modules, fault, .. } =
            calls.slots()?.slot(name)?.call(operation, input)?;
        let code = fault.map(|fault| fault.code().as_str());
        let modules: Vec<_> = modules.iter().map(ToString::to_string).collect();
        let mut headers = HeaderMap::new();
        headers.insert("adjudicate-entry", entry.into());
        headers.insert("adjudicate-by", HeaderValue::from_static(by.as_str()));
        if let Ok(modules) = modules.join(", ").try_into() {
            headers.insert("adjudicate-modules", modules);
        }
        if let Some(code) = code {
            headers.insert("adjudicate-fault", HeaderValue::from_static(code));
        }
        let (slot, entry, by) = (Some(name.as_ref().to_owned()), Some(entry), Some(by.as_str()));
        Ok(Answer {
            text,
            headers,
            fields: RequestFields { code, slot, entry, by, ..RequestFields::default() },
        })
    }
}

/// Answers a request that is a call.
pub(crate) async fn answer(
    calls: &Arc<Calls>,
    routed: RoutedRequest,
    target: CallTarget,
) -> Result<Reply, Refusal> {
    if let CallTarget::Slot(..) = target {
        calls.slots()?;
    }
    let input =
        routed.body.read(&routed.head.headers, calls.limits.body, &calls.budget, &calls.limits).await?;
    let length = input.bytes.len();
    Ok(run(calls, target, input).await?.into_reply(length))
}

/// Answers a call within the concurrency limit.
pub(crate) async fn run(
    calls: &Arc<Calls>,
    target: CallTarget,
    input: BufferedBody,
) -> Result<Answer, Refusal> {
    let (length, answering) = (input.bytes.len(), Arc::clone(calls));
    let memory = target.memory(calls, length);
    let job = move || {
        // The job holds the whole body, and so its share of the space, even if the client goes away.
        let input = input;
        target.answer(&answering, &input.bytes)
    };
    let answer = calls.limiter.run(memory, job).await;
    calls.freed_memory.note(length);
    let answer = answer??;
    calls.freed_memory.note(answer.text.len());
    Ok(answer)
}
