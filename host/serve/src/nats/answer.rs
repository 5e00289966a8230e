//! One message, from its subject to its reply.

use std::{sync::Arc, time::Instant};

use adjudicate_trust::counted;
use async_nats::{HeaderMap, HeaderValue, Message, Subject, client::PublishErrorKind};
use axum::{body::Bytes, http};
use tokio::time::timeout;

use super::{Service, subject};
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

/// Starts a task that answers a message. If too many messages are in progress, it is rejected at once, so that the client can try
/// another host.
pub(super) async fn answer(service: &Service, message: Message) {
    let Service { observers, transport, .. } = service;
    let begun = Instant::now();
    let reply = message.reply.clone().filter(|reply| transport.subjects.is_reply(reply));
    let Some(reply) = reply else {
        observers.metrics.without_reply.inc();
        return;
    };
    let request_record = RequestRecord::of_message(observers, &traced(&message));
    let Ok(index) = Arc::clone(&transport.permits).try_acquire_owned() else {
        let refusal = Refusal::new(codes::HOST_OVERLOADED, "too many calls are waiting; try again");
        return send_and_record(service, request_record, begun, &message, reply, refusal.into()).await;
    };
    let service = service.clone();
    tokio::spawn(async move {
        let _place = index;
        let nats_reply = call(&service, &message).await.unwrap_or_else(NatsReply::from);
        send_and_record(&service, request_record, begun, &message, reply, nats_reply).await;
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

async fn call(service: &Service, message: &Message) -> Result<NatsReply, Refusal> {
    let Service { calls, transport, .. } = service;
    let Some(target) = transport.subjects.read(&message.subject) else {
        return Err(Refusal::new(codes::NOT_FOUND, "unknown subject"));
    };
    if message.payload.len() > calls.limits.body {
        let message = format!("the call is over the limit of {}", counted(calls.limits.body, "byte"));
        return Err(Refusal::new(codes::LIMIT_EXCEEDED, message));
    }
    let mut share = calls.budget.share();
    share.fit(message.payload.len())?;
    let input = BufferedBody::new(message.payload.clone(), share);
    let Answer { text, headers: decision, fields } = calls::run(calls, target, input).await?;
    let mut headers = HeaderMap::new();
    for (name, value) in &decision {
        headers.insert(name.as_str(), value.to_str().unwrap_or_default());
    }
    Ok(NatsReply { headers, body: text.into(), status: 200, fields })
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

/// Sends a reply, and records it.
async fn send_and_record(
    service: &Service,
    mut request_record: RequestRecord,
    begun: Instant,
    message: &Message,
    reply: Subject,
    nats_reply: NatsReply,
) {
    let transport = &service.transport;
    let target = transport.subjects.read(&message.subject);
    let nats_reply = publish(service, reply, nats_reply).await;
    transport.discovery.count(
        transport.subjects.index(&message.subject),
        begun.elapsed(),
        &nats_reply.fields,
        nats_reply.status,
    );
    let fields = RequestFields {
        route: target.as_ref().and_then(subject::route).unwrap_or(nats_reply.fields.route),
        slot: match &target {
            Some(CallTarget::Slot(slot, _)) => Some(slot.as_ref().to_owned()),
            _ => None,
        },
        bytes: message.payload.len() as u64,
        ..nats_reply.fields
    };
    request_record.finish(nats_reply.status, fields);
}

/// Sends a reply, or the error for which it cannot be sent. Returns the one that was sent.
async fn publish(service: &Service, reply: Subject, nats_reply: NatsReply) -> NatsReply {
    let Service { calls, transport, .. } = service;
    // A message arrived, so there is a connection.
    let Some(client) = transport.client() else { return nats_reply };
    let length = nats_reply.body.len();
    let mut share = calls.answer_budget.share();
    if length > LARGE && share.fit(length.min(calls.limits.bodies)).is_err() {
        let message = "no memory for the answer until other answers are written; try again";
        return Box::pin(publish(service, reply, Refusal::new(codes::HOST_OVERLOADED, message).into())).await;
    }
    let sent =
        client.publish_with_headers(reply.clone(), nats_reply.headers.clone(), nats_reply.body.clone()).await;
    match sent {
        Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded && nats_reply.status == 200 => {
            let most = client.max_payload();
            let message =
                format!("the answer has {length} bytes; messages may have {most} bytes, headers included");
            let refusal = Refusal::new(codes::LIMIT_EXCEEDED, message);
            return Box::pin(publish(service, reply, refusal.into())).await;
        }
        // The connection is closed for good, or the reply subject is invalid: the error cannot be reported.
        Err(_) => {}
        // The connection holds the answer until it is written.
        Ok(()) if length > LARGE => {
            let _ = timeout(calls.limits.request, client.flush()).await;
        }
        Ok(()) => {}
    }
    nats_reply
}
