//! One message, from its subject to its reply.

use std::{sync::Arc, time::Instant};

use adjudicate_trust::counted;
use async_nats::{HeaderMap, HeaderValue, Message, Subject, client::PublishErrorKind};
use axum::{body::Bytes, http};
use tokio::time::timeout;

use super::{NatsTransport, subject::route};
use crate::{
    body::BufferedBody,
    calls::{self, Answer, CallTarget},
    codes,
    reply::{Refusal, RequestFields},
    request_record::RequestRecord,
};

/// The size from which an answer counts against the memory until it is written.
const LARGE: usize = 16 << 10;

/// The number of characters of an error message in a header.
const HEADER: usize = 400;

/// The header for the error, by the services API.
const SERVICE_ERROR: &str = "Nats-Service-Error";
const SERVICE_ERROR_CODE: &str = "Nats-Service-Error-Code";

/// The reply to a message.
struct NatsReply {
    headers: HeaderMap,
    body: Bytes,
    status: u16,
    fields: RequestFields,
}

/// A message that has to be answered.
struct Received {
    transport: Arc<NatsTransport>,
    message: Message,
    /// The subject of the reply.
    reply: Subject,
    begun: Instant,
    request_record: RequestRecord,
}

/// Starts a task that answers a message. If too many messages are in progress, it is rejected at once, so that the client can try
/// another host.
pub(super) async fn answer(transport: &Arc<NatsTransport>, message: Message) {
    let observers = &transport.observers;
    let reply = message.reply.clone().filter(|reply| transport.subjects.is_reply(reply));
    let Some(reply) = reply else {
        observers.metrics.without_reply.inc();
        return;
    };
    let request_record = RequestRecord::of_message(observers, &traced(&message));
    let (transport, begun) = (Arc::clone(transport), Instant::now());
    let place = Arc::clone(&transport.permits).try_acquire_owned();
    let received = Received { transport, message, reply, begun, request_record };
    let Ok(place) = place else {
        let refusal = Refusal::new(codes::HOST_OVERLOADED, "too many calls are waiting; try again");
        return received.end(refusal.into()).await;
    };
    tokio::spawn(async move {
        let _place = place;
        let nats_reply = received.call().await.unwrap_or_else(NatsReply::from);
        received.end(nats_reply).await;
    });
}

/// Returns the headers with the trace context.
fn traced(message: &Message) -> http::HeaderMap {
    let mut headers = http::HeaderMap::new();
    let named = message.headers.iter().flat_map(|headers| headers.get_all("traceparent"));
    for value in named.filter_map(|value| http::HeaderValue::from_str(value.as_str()).ok()).take(2) {
        headers.append("traceparent", value);
    }
    headers
}

impl Received {
    async fn call(&self) -> Result<NatsReply, Refusal> {
        let NatsTransport { calls, subjects, .. } = &*self.transport;
        let payload = &self.message.payload;
        let Some(target) = subjects.read(&self.message.subject) else {
            return Err(Refusal::new(codes::NOT_FOUND, "unknown subject"));
        };
        if payload.len() > calls.limits.body {
            let message = format!("the call is over the limit of {}", counted(calls.limits.body, "byte"));
            return Err(Refusal::new(codes::LIMIT_EXCEEDED, message));
        }
        let mut share = calls.budget.share();
        share.fit(payload.len())?;
        let input = BufferedBody::new(payload.clone(), share);
        let Answer { text, headers: decision, fields } = calls::run(calls, target, input).await?;
        let mut headers = HeaderMap::new();
        for (name, value) in &decision {
            headers.insert(name.as_str(), value.to_str().unwrap_or_default());
        }
        Ok(NatsReply { headers, body: text.into(), status: 200, fields })
    }

    /// Sends a reply, or the error for which it cannot be sent, and records it.
    async fn end(self, mut nats_reply: NatsReply) {
        if let Err(refusal) = self.publish(&nats_reply).await {
            nats_reply = refusal.into();
            // The error is short, so it can be sent unless the connection is gone.
            let _ = self.publish(&nats_reply).await;
        }
        let Self { transport, message, begun, request_record, .. } = self;
        let NatsReply { status, fields, .. } = nats_reply;
        let index = transport.subjects.index(&message.subject);
        transport.discovery.count(index, begun.elapsed(), &fields, status);
        let target = transport.subjects.read(&message.subject);
        let fields = RequestFields {
            route: target.as_ref().and_then(route).unwrap_or(fields.route),
            slot: match target {
                Some(CallTarget::Slot(slot, _)) => Some(slot.as_ref().to_owned()),
                _ => None,
            },
            bytes: message.payload.len() as u64,
            ..fields
        };
        request_record.finish(status, fields);
    }

    /// Sends a reply. Returns the error for which an answer cannot be sent.
    async fn publish(&self, nats_reply: &NatsReply) -> Result<(), Refusal> {
        let NatsTransport { calls, client, .. } = &*self.transport;
        // A message arrived, so there is a connection.
        let Some(client) = client.get() else { return Ok(()) };
        let NatsReply { headers, body, status, .. } = nats_reply;
        let length = body.len();
        let mut share = calls.answer_budget.share();
        if length > LARGE && share.fit(length.min(calls.limits.bodies)).is_err() {
            let message = "no memory for the answer until other answers are written; try again";
            return Err(Refusal::new(codes::HOST_OVERLOADED, message));
        }
        match client.publish_with_headers(self.reply.clone(), headers.clone(), body.clone()).await {
            Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded && *status == 200 => {
                let most = client.max_payload();
                let message = format!(
                    "the answer has {length} bytes; messages may have {most} bytes, headers included"
                );
                return Err(Refusal::new(codes::LIMIT_EXCEEDED, message));
            }
            // The connection is closed for good, or the reply subject is invalid: the error cannot be reported.
            Err(_) => {}
            // The connection holds the answer until it is written.
            Ok(()) if length > LARGE => {
                let _ = timeout(calls.limits.request, client.flush()).await;
            }
            Ok(()) => {}
        }
        Ok(())
    }
}

impl From<Refusal> for NatsReply {
    fn from(refusal: Refusal) -> Self {
        let status = refusal.status.as_u16();
        let mut headers = HeaderMap::new();
        headers.insert(SERVICE_ERROR, header(refusal.message()));
        headers.insert(SERVICE_ERROR_CODE, status.to_string());
        let fields = RequestFields { code: Some(refusal.code()), ..RequestFields::default() };
        Self { headers, body: refusal.line().into(), status, fields }
    }
}

/// Returns the beginning of a text as the value of a header, on one line.
fn header(text: &str) -> HeaderValue {
    let line = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(HEADER);
    HeaderValue::from(line.collect::<String>())
}
